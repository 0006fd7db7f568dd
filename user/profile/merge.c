// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c - adds profiles up
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "profile/merge.h"

#define MADE_CGROUP	(1ULL << 63)	/* no kernel uses cgroup ids that large */
#define MAX_KERNELS	32768		/* see merge_kernel.c */

int merge_refuse(const struct merge_input *in, size_t nr, bool any_period)
{
	uint64_t samples = 0, ns = 0, kernels = 0;
	struct merge_events events = { .nr = 0 };

	for (size_t i = 0; i < nr; i++) {
		const struct profile *p = in[i].p;

		const int err = merge_events_add(&events, p);

		if (err == -E2BIG) {
			complain("with %s, these are profiles of more than %d events: leave some out", in[i].name,
				 KFLAME_MAX_EVENTS);
			return -EOVERFLOW;
		}
		if (err == -EDOM) {
			complain("with %s, an event of one name has different weights, such as latencies and values (--weight): merge only profiles with the same weight",
				 in[i].name);
			return -EINVAL;
		}
		if (err || __builtin_add_overflow(samples, p->samples, &samples) ||
		    __builtin_add_overflow(ns, p->weight_ns, &ns)) {
			complain("with %s, the counts do not fit in 64 bits", in[i].name);
			return -EOVERFLOW;
		}
		kernels += merge_kernels(p);
		if (kernels > MAX_KERNELS) {
			complain("with %s, these are profiles of more than %d machines or runs: leave some out",
				 in[i].name, MAX_KERNELS);
			return -EOVERFLOW;
		}
		if (p->session.period_ns == in[0].p->session.period_ns || any_period)
			continue;
		complain("%s has a sample every %" PRIu64 " ns, %s every %" PRIu64 " ns, so a sample stands for a different time in each. --any-period adds them up: then look at times (--time), not at samples",
			 in[0].name, (uint64_t)in[0].p->session.period_ns, in[i].name,
			 (uint64_t)p->session.period_ns);
		return -EINVAL;
	}
	return 0;
}

/* Writes the records so far. m->r.nr keeps counting them, for the END record. */
static void flush(struct merge *m)
{
	fwrite(m->r.data, 1, m->r.len, m->out);
	m->r.len = 0;
}

static void put_header(struct merge *m)
{
	struct kflame_file_header h = {
		.version = KFLAME_FILE_VERSION, .endian = KFLAME_FILE_ENDIAN,
		.header_size = sizeof(h),
	};

	memcpy(h.magic, KFLAME_FILE_MAGIC, sizeof(h.magic));
	fwrite(&h, sizeof(h), 1, m->out);
}

static void put_symbols(struct merge *m, const struct profile_symbols *s, uint64_t id, bool jit)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct profile_symbol *one = &s->all[i];

		(jit ? records_jsym : records_usym)(&m->r, id, one->start, one->end, one->name);
	}
}

static void put_files(struct merge *m, const struct profile *p)
{
	for (size_t i = 0; i < p->nr_files; i++) {
		const struct profile_file *f = &p->files[i];
		struct kflame_rec_unwind unwind = f->unwind;
		struct kflame_rec_file rec = f->rec;

		rec.id = m->files + i + 1;
		rec.path_len = (uint32_t)strlen(f->path);
		records_add(&m->r, &rec, offsetof(struct kflame_rec_file, path), f->path,
			    rec.path_len + 1);
		put_symbols(m, &f->syms, rec.id, false);
		if (f->named)
			records_named(&m->r, rec.id, f->state, f->named_flags);
		unwind.file = rec.id;
		if (f->unwind.file)
			records_unwind(&m->r, &unwind);
	}
	for (size_t i = 0; i < p->nr_leaves; i++)
		records_leaf(&m->r, m->files + p->leaves[i].file + 1, p->leaves[i].offset,
			     p->leaves[i].keep);
}

/* The new id of a cgroup: its own id, unless an earlier input uses that id for another cgroup */
static int cgroup_number(struct merge *m, uint64_t id, uint64_t *number)
{
	uint32_t owner = idmap_find(&m->cgroup_ids, id);

	uint32_t made;
	int err;

	*number = id;
	if (!id || owner == m->input)
		return 0;
	if (owner == INDEX_NONE)
		return idmap_set(&m->cgroup_ids, id, m->input);
	made = idmap_find(&m->cgroup_new, id);
	if (made != INDEX_NONE) {
		*number = MADE_CGROUP | made;
		return 0;
	}
	/* An input that is a merged profile may have such ids itself. */
	do {
		made = ++m->cgroups;
		*number = MADE_CGROUP | made;
	} while (idmap_find(&m->cgroup_ids, *number) != INDEX_NONE);
	err = idmap_set(&m->cgroup_ids, *number, m->input);
	return err ? err : idmap_set(&m->cgroup_new, id, made);
}

static int put_aspaces(struct merge *m, const struct profile *p)
{
	for (size_t i = 0; i < p->nr_cgroups; i++) {
		uint64_t number;
		int err = cgroup_number(m, p->cgroups[i].id, &number);

		if (err)
			return err;
		records_cgroup(&m->r, number, p->cgroups[i].path);
	}
	for (size_t i = 0; i < p->nr_aspaces; i++) {
		const struct profile_aspace *as = &p->aspaces[i];
		struct kflame_rec_aspace rec = as->rec;
		uint64_t number;
		int err = cgroup_number(m, rec.cgroup_id, &number);

		if (err)
			return err;
		rec.id = m->aspaces + i + 1;
		rec.cgroup_id = number;
		if (as->reported)
			records_add(&m->r, &rec, sizeof(rec), NULL, 0);
		for (size_t k = 0; k < as->nr_maps; k++) {
			const struct profile_mapping *map = &as->maps[k];
			struct kflame_rec_mapping r = {
				.rec.type = KFLAME_REC_MAPPING, .aspace = rec.id, .start = map->start,
				.end = map->end, .offset = map->offset, .flags = map->flags,
				.file = map->file == PROFILE_NONE ? 0 : m->files + map->file + 1,
			};

			records_add(&m->r, &r, sizeof(r), NULL, 0);
		}
		put_symbols(m, &as->syms, rec.id, true);
	}
	return 0;
}

static uint32_t text_number(const struct merge *m, uint32_t text)
{
	return text == PROFILE_NONE ? 0 : m->texts + text + 1;
}

static void put_source(struct merge *m, const struct profile *p, const struct profile_source *s)
{
	struct kflame_source_level levels[256] = { 0 };
	bool kernel = s->file == PROFILE_KERNEL;
	uint64_t offset = s->offset;

	if (kernel && !merge_kernel_moved(&m->kernel, s->offset, &offset))
		return;

	for (uint32_t i = 0; i < s->nr && i < 256; i++) {
		const struct profile_level *l = &p->levels[s->first + i];

		levels[i].function = text_number(m, l->function);
		levels[i].source = text_number(m, l->source);
		levels[i].line = l->line;
	}
	records_source(&m->r, kernel ? 0 : m->files + s->file + 1, offset, levels, s->nr);
}

static void put_sources(struct merge *m, const struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_texts; i++)
		records_text(&m->r, text_number(m, i), p->texts[i]);
	for (size_t i = 0; i < p->nr_sources; i++)
		put_source(m, p, &p->sources[i]);
	for (size_t i = 0; i < p->ksyms.nr; i++) {
		const struct profile_symbol *s = &p->ksyms.all[i];
		uint64_t start;

		if (merge_kernel_moved(&m->kernel, s->start, &start))
			records_ksym(&m->r, start, start + (s->end - s->start), s->name);
	}
}

static void put_labels(struct merge *m, const struct profile *p)
{
	for (size_t i = 0; i < p->nr_labels; i++)
		if (p->labels[i].name)
			records_label(&m->r, m->labels + (uint32_t)i + 1, p->labels[i].name);
}

static int put_stack(struct merge *m, const struct profile *p, size_t i)
{
	const struct profile_stack *s = &p->stacks[i];
	const uint32_t first = s->label != PROFILE_NONE;
	struct kflame_rec_stack rec = {
		.rec.type = KFLAME_REC_STACK, .id = m->stacks + i + 1, .kind = s->kind, .end = s->end,
		.candidate = s->candidate == KFLAME_NO_CANDIDATE ? s->candidate : s->candidate + first,
		.nr = s->nr + first,
	};
	uint64_t *ip = malloc((s->nr + 1 + first) * sizeof(*ip));
	int err = ip ? 0 : -ENOMEM;

	for (uint32_t f = 0; !err && f < s->nr; f++) {
		ip[first + f] = profile_stack_ip(s, f);
		if (s->kind == KFLAME_STACK_KERNEL)
			err = merge_kernel_address(&m->kernel, &m->r, p, ip[first + f], f > 0,
						   &ip[first + f]);
	}
	if (!err && first) {
		ip[0] = KFLAME_LABEL | (m->labels + s->label + 1);
		if (s->nr)
			ip[1]++;
	}
	if (!err)
		records_add(&m->r, &rec, sizeof(rec), ip, rec.nr * sizeof(*ip));
	free(ip);
	return err;
}

static int put_stacks(struct merge *m, const struct profile *p)
{
	int err = 0;

	for (size_t i = 0; !err && i < p->nr_stacks; i++) {
		err = put_stack(m, p, i);
		/* Stacks are most of a profile. Write often, so that no copy of all of them is in memory. */
		if (m->r.len > (1u << 20))
			flush(m);
	}
	return err;
}

static int put_origin(struct merge *m, const struct merge_input *in, const struct profile_count *c)
{
	const char *host = profile_count_host(in->p, c), *run = profile_count_run(in->p, c);
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return -ENOMEM;
	if (host)
		fprintf(f, "host=%s%c", host, 0);
	fprintf(f, "run=%s%s%s%c", in->name, run ? ": " : "", run ? run : "", 0);
	if (fclose(f)) {
		free(text);
		return -ENOMEM;
	}
	records_origin(&m->r, m->origins + c->origin + 1, text, len);
	free(text);
	return 0;
}

/* The new id of a stack. A stack that the input lacks gets an id that no stack has. */
static uint64_t stack_number(const struct merge *m, const struct profile *p, uint32_t stack)
{
	if (stack == PROFILE_NONE)
		return 0;
	return m->stacks + 1 + (stack == PROFILE_LOST ? p->nr_stacks : stack);
}

static uint64_t aspace_number(const struct merge *m, uint32_t aspace)
{
	return aspace == PROFILE_NONE ? 0 : m->aspaces + aspace + 1;
}

static void put_wakers(struct merge *m, const struct profile *p)
{
	for (size_t i = 0; i < p->nr_wakers; i++) {
		const struct profile_waker *w = &p->wakers[i];
		struct kflame_rec_waker rec = {
			.id = m->wakers + i + 1, .aspace = aspace_number(m, w->aspace),
			.kstack = stack_number(m, p, w->kstack), .ustack = stack_number(m, p, w->ustack),
			.context = w->context, .tgid = w->tgid, .tid = w->tid,
		};

		memcpy(rec.comm, w->comm, sizeof(rec.comm));
		records_waker(&m->r, &rec);
	}
}

/* A count of an event.  A waker that the input lacks gets an id that no waker has. */
static void put_event_count(struct merge *m, const struct profile *p, const struct profile_count *c,
			    const struct kflame_rec_count *rec)
{
	const uint32_t event = merge_event_id(&m->events, p, c->event);

	if (c->waker == PROFILE_NONE)
		records_event_count(&m->r, event, rec, 0);
	else
		records_wake_count(&m->r, event, rec,
				   m->wakers + 1 + (c->waker == PROFILE_LOST ? p->nr_wakers : c->waker));
}

static int put_counts(struct merge *m, const struct merge_input *in)
{
	const struct profile *p = in->p;
	uint32_t origin = UINT32_MAX;

	for (size_t i = 0; i < p->nr_counts; i++) {
		const struct profile_count *c = &p->counts[i];
		struct kflame_rec_count rec = {
			.rec.type = KFLAME_REC_COUNT, .samples = c->samples, .weight_ns = c->weight_ns,
			.late_ns = c->late_ns, .context = c->context, .tgid = c->tgid, .tid = c->tid,
			.aspace = aspace_number(m, c->aspace),
			.kstack = stack_number(m, p, c->kstack),
			.ustack = stack_number(m, p, c->ustack),
		};
		int err = c->origin == origin ? 0 : put_origin(m, in, c);

		if (err)
			return err;
		origin = c->origin;
		memcpy(rec.comm, c->comm, sizeof(rec.comm));
		if (c->event)
			put_event_count(m, p, c, &rec);
		else
			records_add(&m->r, &rec, sizeof(rec), NULL, 0);
	}
	return 0;
}

static int add_input(struct merge *m, const struct merge_input *in)
{
	const struct profile *p = in->p;
	int err;

	put_files(m, p);
	err = put_aspaces(m, p);
	if (!err) {
		put_sources(m, p);
		put_labels(m, p);
		err = put_stacks(m, p);
	}
	if (!err) {
		put_wakers(m, p);
		err = put_counts(m, in);
	}
	idmap_exit(&m->kernel.placed);
	idmap_exit(&m->cgroup_new);
	flush(m);
	m->kernel.base += merge_kernels(p);
	m->files += p->nr_files;
	m->aspaces += p->nr_aspaces;
	m->texts += (uint32_t)p->nr_texts;
	m->stacks += p->nr_stacks + 1;
	m->wakers += p->nr_wakers + 1;
	m->labels += (uint32_t)p->nr_labels;
	m->origins += (uint32_t)p->nr_origins + 1;
	m->input++;
	return err ? err : m->r.failed ? -ENOMEM : 0;
}

int merge_write(FILE *out, const struct merge_input *in, size_t nr)
{
	struct merge m = { .out = out };
	int err = 0;

	for (size_t i = 0; i < nr; i++)
		merge_events_add(&m.events, in[i].p);
	put_header(&m);
	merge_head(&m, in, nr);
	for (size_t i = 0; !err && i < nr; i++)
		err = add_input(&m, &in[i]);
	records_end(&m.r, 0);
	if (m.r.failed)
		err = -ENOMEM;
	else
		flush(&m);
	records_exit(&m.r);
	idmap_exit(&m.cgroup_ids);
	return err;
}
