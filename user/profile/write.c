// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - writes a profile in memory as a stream of records
 *
 * Ids are indices plus 1.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/merge.h"

struct write {
	FILE *out;
	const struct profile *p;
	struct records r;	/* not written yet; .nr counts all, for the END record */
};

static void flush(struct write *w, size_t from)
{
	if (w->r.len < from)
		return;
	fwrite(w->r.data, 1, w->r.len, w->out);
	w->r.len = 0;
}

static void put_header(struct write *w)
{
	struct kflame_file_header h = {
		.version = KFLAME_FILE_VERSION, .endian = KFLAME_FILE_ENDIAN,
		.header_size = sizeof(h),
	};

	memcpy(h.magic, KFLAME_FILE_MAGIC, sizeof(h.magic));
	fwrite(&h, sizeof(h), 1, w->out);
}

static void put_host(struct write *w)
{
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	if (!f) {
		w->r.failed = true;
		return;
	}
	for (size_t i = 0; i < w->p->nr_host; i++)
		fprintf(f, "%s%c", w->p->host[i], 0);
	if (fclose(f))
		w->r.failed = true;
	else
		records_host(&w->r, text, len);
	free(text);
}

static void put_event(struct write *w, const struct profile_event *e)
{
	records_event(&w->r, e, e->id);
	for (size_t i = 0; e->id && i < e->nr_cpus; i++) {
		struct kflame_rec_event_cpu cpu = {
			.rec.type = KFLAME_REC_EVENT_CPU, .event = e->id, .books = e->cpus[i],
		};

		records_add(&w->r, &cpu, sizeof(cpu), NULL, 0);
	}
	for (size_t i = 0; i < e->nr_histograms; i++) {
		const struct profile_histogram *h = &e->histograms[i];
		struct kflame_rec_event_histogram all = {
			.rec.type = KFLAME_REC_EVENT_HISTOGRAM, .event = e->id, .group = h->group, .cpu = h->cpu,
			.weight = h->weight, .longest = h->longest, .nr = h->nr,
		};

		records_add(&w->r, &all, sizeof(all), h->bucket, h->nr * sizeof(*h->bucket));
	}
}

/* Without an event but the timer there is no record: a reader that knows no events is right. */
static void put_events(struct write *w)
{
	const struct profile *p = w->p;

	if (p->nr_events == 1 && !p->events[0].id)
		return;
	for (size_t i = 0; i < p->nr_events; i++)
		put_event(w, &p->events[i]);
}

static void put_head(struct write *w)
{
	struct kflame_rec_session session = w->p->session;
	struct kflame_rec_stats stats = w->p->stats;

	session.rec.type = KFLAME_REC_SESSION;
	stats.rec.type = KFLAME_REC_STATS;
	if (w->p->has_session)
		records_add(&w->r, &session, sizeof(session), NULL, 0);
	if (w->p->has_stats)
		records_add(&w->r, &stats, sizeof(stats), NULL, 0);
	put_host(w);
	for (size_t i = 0; i < w->p->nr_cpus; i++) {
		struct kflame_rec_cpu cpu = { .rec.type = KFLAME_REC_CPU, .books = w->p->cpus[i] };

		records_add(&w->r, &cpu, sizeof(cpu), NULL, 0);
	}
	put_events(w);
}

static void put_symbols(struct write *w, const struct profile_symbols *s, uint64_t id, bool jit)
{
	for (size_t i = 0; i < s->nr; i++)
		(jit ? records_jsym : records_usym)(&w->r, id, s->all[i].start, s->all[i].end, s->all[i].name);
}

static void put_file(struct write *w, const struct profile_file *f, uint64_t id)
{
	struct kflame_rec_unwind unwind = f->unwind;
	struct kflame_rec_file rec = f->rec;

	rec.id = id;
	records_file(&w->r, &rec, f->path);
	put_symbols(w, &f->syms, id, false);
	if (f->named)
		records_named(&w->r, id, f->state, f->named_flags);
	unwind.file = id;
	if (f->unwind.file)
		records_unwind(&w->r, &unwind);
	flush(w, 1u << 20);
}

static uint64_t id_of(uint32_t index)
{
	return index == PROFILE_NONE ? 0 : (uint64_t)index + 1;
}

static void put_aspace(struct write *w, const struct profile_aspace *as, uint64_t id)
{
	struct kflame_rec_aspace rec = as->rec;

	rec.id = id;
	rec.rec.type = KFLAME_REC_ASPACE;
	if (as->reported)
		records_add(&w->r, &rec, sizeof(rec), NULL, 0);
	for (size_t k = 0; k < as->nr_maps; k++) {
		const struct profile_mapping *map = &as->maps[k];
		struct kflame_rec_mapping r = {
			.rec.type = KFLAME_REC_MAPPING, .aspace = id, .start = map->start, .end = map->end,
			.offset = map->offset, .flags = map->flags, .file = id_of(map->file),
		};

		records_add(&w->r, &r, sizeof(r), NULL, 0);
	}
	put_symbols(w, &as->syms, id, true);
	flush(w, 1u << 20);
}

static void put_source(struct write *w, const struct profile_source *s)
{
	struct kflame_source_level levels[256] = { 0 };

	for (uint32_t i = 0; i < s->nr && i < 256; i++) {
		const struct profile_level *l = &w->p->levels[s->first + i];

		levels[i].function = (uint32_t)id_of(l->function);
		levels[i].source = (uint32_t)id_of(l->source);
		levels[i].line = l->line;
	}
	records_source(&w->r, s->file == PROFILE_KERNEL ? 0 : id_of(s->file), s->offset, levels, s->nr);
	flush(w, 1u << 20);
}

static void put_names(struct write *w)
{
	const struct profile *p = w->p;

	for (size_t i = 0; i < p->nr_files; i++)
		put_file(w, &p->files[i], i + 1);
	for (size_t i = 0; i < p->nr_leaves; i++)
		records_leaf(&w->r, id_of(p->leaves[i].file), p->leaves[i].offset, p->leaves[i].keep);
	for (size_t i = 0; i < p->nr_cgroups; i++)
		records_cgroup(&w->r, p->cgroups[i].id, p->cgroups[i].path);
	for (size_t i = 0; i < p->nr_aspaces; i++)
		put_aspace(w, &p->aspaces[i], i + 1);
	for (uint32_t i = 0; i < p->nr_texts; i++)
		records_text(&w->r, i + 1, p->texts[i]);
	for (size_t i = 0; i < p->nr_sources; i++)
		put_source(w, &p->sources[i]);
	for (size_t i = 0; i < p->ksyms.nr; i++)
		records_ksym(&w->r, p->ksyms.all[i].start, p->ksyms.all[i].end, p->ksyms.all[i].name);
	for (uint32_t i = 0; i < p->nr_labels; i++)
		if (p->labels[i].name)
			records_label(&w->r, i + 1, p->labels[i].name);
	for (uint32_t i = 0; i < p->nr_functions; i++)
		records_function(&w->r, i + 1 + KFLAME_FUNCTION_MORE, &p->functions[i]);
}

static int put_stack(struct write *w, const struct profile_stack *s, uint64_t id)
{
	const uint32_t first = s->label != PROFILE_NONE;
	struct kflame_rec_stack rec = {
		.rec.type = KFLAME_REC_STACK, .id = id, .kind = s->kind, .end = s->end,
		.candidate = s->candidate == KFLAME_NO_CANDIDATE ? s->candidate : s->candidate + first,
		.nr = s->nr + first,
	};
	uint64_t *ip = malloc((s->nr + 1 + first) * sizeof(*ip));

	if (!ip)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->nr; i++)
		ip[first + i] = profile_stack_ip(s, i);
	if (first) {
		/* See KFLAME_LABEL: the program counter is recorded as if it were a return address. */
		ip[0] = KFLAME_LABEL | (s->label + 1);
		if (s->nr)
			ip[1]++;
	}
	records_add(&w->r, &rec, sizeof(rec), ip, rec.nr * sizeof(*ip));
	free(ip);
	flush(w, 1u << 20);
	return 0;
}

/* The id of a stack. A stack that the profile lacks gets an id that no stack has. */
static uint64_t stack_id(const struct profile *p, uint32_t stack)
{
	return stack == PROFILE_LOST ? p->nr_stacks + 1 : id_of(stack);
}

static void put_wakers(struct write *w)
{
	const struct profile *p = w->p;

	for (size_t i = 0; i < p->nr_wakers; i++) {
		const struct profile_waker *one = &p->wakers[i];
		struct kflame_rec_waker rec = {
			.id = i + 1, .aspace = id_of(one->aspace), .kstack = stack_id(p, one->kstack),
			.ustack = stack_id(p, one->ustack), .context = one->context, .tgid = one->tgid,
			.tid = one->tid,
		};

		memcpy(rec.comm, one->comm, sizeof(rec.comm));
		records_waker(&w->r, &rec);
	}
}

/* A count of an event.  A waker that the profile lacks gets an id that no waker has. */
static void put_event_count(struct write *w, const struct profile_count *c, const struct kflame_rec_count *rec)
{
	if (c->waker == PROFILE_NONE)
		records_event_count(&w->r, c->event, rec, 0);
	else
		records_wake_count(&w->r, c->event, rec,
				   c->waker == PROFILE_LOST ? w->p->nr_wakers + 1 : id_of(c->waker));
}

static void put_origin(struct write *w, uint32_t origin, bool *is_there)
{
	const struct profile_origin *o = &w->p->origins[origin - 1];

	records_origin(&w->r, origin, o->text, is_there[origin - 1] ? 0 : o->len);
	is_there[origin - 1] = true;
}

static int put_counts(struct write *w)
{
	const struct profile *p = w->p;
	bool *is_there = calloc(p->nr_origins + 1, sizeof(*is_there));
	uint32_t origin = 0;

	if (!is_there)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_counts; i++) {
		const struct profile_count *c = &p->counts[i];
		struct kflame_rec_count rec = {
			.rec.type = KFLAME_REC_COUNT, .samples = c->samples, .weight_ns = c->weight_ns,
			.late_ns = c->late_ns, .context = c->context, .tgid = c->tgid, .tid = c->tid,
			.aspace = id_of(c->aspace), .kstack = stack_id(p, c->kstack),
			.ustack = stack_id(p, c->ustack),
		};

		if (c->origin && c->origin != origin)
			put_origin(w, c->origin, is_there);
		origin = c->origin;
		memcpy(rec.comm, c->comm, sizeof(rec.comm));
		if (c->event)
			put_event_count(w, c, &rec);
		else
			records_add(&w->r, &rec, sizeof(rec), NULL, 0);
		flush(w, 1u << 20);
	}
	free(is_there);
	return 0;
}

int profile_write(FILE *out, const struct profile *p)
{
	struct write w = { .out = out, .p = p };
	int err = 0;

	put_header(&w);
	put_head(&w);
	put_names(&w);
	for (size_t i = 0; !err && i < p->nr_stacks; i++)
		err = put_stack(&w, &p->stacks[i], i + 1);
	if (!err) {
		put_wakers(&w);
		err = put_counts(&w);
	}
	records_end(&w.r, 0);
	if (!err && w.r.failed)
		err = -ENOMEM;
	if (!err)
		flush(&w, 1);
	records_exit(&w.r);
	return err;
}
