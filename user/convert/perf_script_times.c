// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_script_times.c - writes the text of perf script with the time and the CPU of each sample
 *
 * Samples of a count have the same text but for time, CPU and weight. So the text is made once a count.
 */
#include <errno.h>
#include <stdlib.h>

#include "convert/formats.h"
#include "convert/perf_script_times.h"
#include "stacks/load.h"

/* What samples of a count have in common; NULL: they are left out */
struct text {
	char *thread;
	char *stack;
};

struct texts {
	struct text *stacks;	/* by index of the count */
	struct text *late;	/* of late time, the same */
	bool any;		/* there are weights in either unit */
};

/* Call a function that writes, and keep what it writes in memory */
static int keep(char **text, int (*put)(FILE *out, const struct sample *s), const struct sample *s)
{
	size_t size;
	FILE *out = open_memstream(text, &size);
	int err;

	if (!out)
		return -ENOMEM;
	err = put(out, s);
	if (fclose(out) && !err)
		err = -ENOMEM;
	return err;
}

/* A sample_fn */
static int keep_sample(void *ctx, const struct sample *s)
{
	struct texts *x = ctx;
	struct text *t = s->is_late ? &x->late[s->count] : &x->stacks[s->count];
	int err = keep(&t->thread, perf_script_put_thread, s);

	x->any |= s->samples || s->ns;
	return err ? err : keep(&t->stack, perf_script_put_stack, s);
}

/* Return: whether the sample has a weight, so that it was written */
static bool put(FILE *out, const struct text *t, const struct profile_sample *s, uint64_t weight, enum tree_unit unit)
{
	if (!t->thread || !weight)
		return false;
	fputs(t->thread, out);
	perf_script_put_event(out, s->cpu, s->time_ns, weight, unit);
	fputs(t->stack, out);
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct profile_sample *x = *(const struct profile_sample *const *)a;
	const struct profile_sample *y = *(const struct profile_sample *const *)b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x > y) - (x < y);
}

/* Return: 0; -ENODATA if no sample has a weight; -ENOMEM */
static int put_samples(FILE *out, const struct profile *p, const struct texts *x, enum tree_unit unit)
{
	const struct profile_sample **order = calloc(p->nr_timeline + 1, sizeof(*order));
	bool any = false;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_timeline; i++)
		order[i] = &p->timeline[i];
	qsort(order, p->nr_timeline, sizeof(*order), by_time);
	for (size_t i = 0; i < p->nr_timeline; i++) {
		const struct profile_sample *s = order[i];
		uint64_t late = x->late[s->count].thread ? s->late_ns : 0;

		any |= put(out, &x->stacks[s->count], s, unit == TREE_NS ? s->weight_ns - late : 1, unit);
		if (unit == TREE_NS)
			any |= put(out, &x->late[s->count], s, late, unit);
	}
	free(order);
	return any ? 0 : -ENODATA;
}

static void free_texts(struct text *all, size_t nr)
{
	for (size_t i = 0; all && i < nr; i++) {
		free(all[i].thread);
		free(all[i].stack);
	}
	free(all);
}

int perf_script_write_times(FILE *out, struct source *s, enum tree_unit unit)
{
	const struct profile *p = s->profile;
	struct texts x = {
		.stacks = calloc(p->nr_counts + 1, sizeof(*x.stacks)),
		.late = calloc(p->nr_counts + 1, sizeof(*x.late)),
	};
	int err = x.stacks && x.late ? 0 : load_failed(-ENOMEM, "converting the samples");

	if (!err)
		err = source_each(s, keep_sample, &x);
	if (!err) {
		err = put_samples(out, p, &x, unit);
		if (err == -ENODATA)
			err = convert_nothing(unit, x.any);
		else if (err)
			load_failed(err, "converting the samples");
	}
	free_texts(x.stacks, p->nr_counts);
	free_texts(x.late, p->nr_counts);
	return err;
}
