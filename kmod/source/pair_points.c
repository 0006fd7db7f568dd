// SPDX-License-Identifier: GPL-2.0-only
/*
 * pair_points.c - the tracepoints of a pair, see source/pair_points.h
 */
#include <linux/errno.h>
#include <linux/string.h>

#include <kflame.h>

#include "source/fields.h"
#include "source/pair_points.h"

#ifdef KF_UNTYPED_PROBES

static enum kf_object object_of(const char *name)
{
	const struct kf_traced_object *is = kf_traced_object(name);

	return is ? is->object : KF_OBJECT_NONE;
}

static void find_point(struct kf_pair_point *point, const char *name)
{
	const struct kf_traced_object *is = kf_traced_object(name);

	point->point = kf_tracepoint_get(name);
	point->argument = is ? is->argument : 0;
	point->bytes = kf_find_field(name, "bytes");
}

/*
 * @names: FIRST|LATER..., which this writes to. Tracepoints of memory are no stages: an allocation passes one
 * of them. Return: 0; -EINVAL; -ENOENT if the kernel has none of them
 */
static int find_begin(struct kf_pair_points *p, char *names, enum kf_object end)
{
	u32 nr = 0, same = 0, found = 0;
	char *name;

	while ((name = strsep(&names, "|"))) {
		if (!*name || nr == KF_MOST_STAGES)
			return -EINVAL;
		find_point(&p->begin[nr], name);
		p->begin[nr].stage = end == KF_OBJECT_MEMORY ? 0 : nr;
		found += !!p->begin[nr].point.tp;
		same += object_of(name) == end;
		nr++;
	}
	p->object = same == nr ? end : KF_OBJECT_NONE;
	return found ? 0 : -ENOENT;
}

/**
 * kf_pair_points_find() - find the tracepoints of a pair
 * @p:		zero. The caller calls kf_pair_points_put(), also after an error
 * @name:	SYS:BEGIN..END, or up to KF_MOST_STAGES of BEGIN with | between them
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if it is no such name; -ENOENT if the kernel has no such tracepoints
 */
int kf_pair_points_find(struct kf_pair_points *p, const char *name)
{
	char text[KFLAME_EVENT_NAME], *begin, *end;
	int err;

	strscpy(text, name, sizeof(text));
	begin = strchr(text, ':');
	end = begin ? strstr(begin, "..") : NULL;
	if (!end || begin == text || !end[2])
		return -EINVAL;
	*end = 0;
	end += 2;
	find_point(&p->end, end);
	err = find_begin(p, begin + 1, object_of(end));
	if (err)
		return err;
	p->by_complete = p->object == KF_OBJECT_REQUEST && !strcmp(end, "block_rq_complete");
	if (p->object == KF_OBJECT_REQUEST && strcmp(end, "block_rq_merge"))
		find_point(&p->gone, "block_rq_merge");
	else if (p->object == KF_OBJECT_NONE)
		find_point(&p->gone, "sched_process_free");
	return p->end.point.tp ? 0 : -ENOENT;
}

/* No probe is registered any more. */
void kf_pair_points_put(struct kf_pair_points *p)
{
	u32 i;

	for (i = 0; i < KF_MOST_STAGES; i++)
		kf_tracepoint_put(&p->begin[i].point);
	kf_tracepoint_put(&p->end.point);
	kf_tracepoint_put(&p->gone.point);
}

/* Is the size of what spans are about known, for KFLAME_WEIGHT_VALUE? */
bool kf_pair_has_bytes(const struct kf_pair_points *p)
{
	u32 i;

	if (p->object != KF_OBJECT_MEMORY)
		return p->by_complete;
	for (i = 0; i < KF_MOST_STAGES; i++)
		if (p->begin[i].point.tp && !p->begin[i].bytes)
			return false;
	return true;
}

#endif
