// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tally.c - adds up the samples whose stacks the tool unwound
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/tally.h"

/* The search key of a stack */
struct key {
	uint32_t kind;
	const struct tally_frames *f;
};

static bool same_stack(const void *ctx, uint32_t i, const void *p)
{
	const struct tally *t = ctx;
	const struct tally_stack *s = &t->stacks[i];
	const struct key *k = p;

	return s->kind == k->kind && s->end == k->f->end && s->nr == k->f->nr &&
	       !memcmp(t->frames + s->first, k->f->ip, s->nr * sizeof(*t->frames));
}

static int add_stack(struct tally *t, const struct key *k, uint64_t hash)
{
	struct tally_stack s = { k->kind, k->f->end, k->f->nr, t->nr_frames };
	int err = grow(&t->stacks, t->nr_stacks, &t->cap_stacks, sizeof(*t->stacks));

	for (uint32_t i = 0; !err && i < s.nr; i++) {
		err = grow(&t->frames, s.first + i, &t->cap_frames, sizeof(*t->frames));
		if (!err)
			t->frames[s.first + i] = k->f->ip[i];
	}
	if (!err)
		err = index_add(&t->stack_index, hash, (uint32_t)t->nr_stacks);
	if (err)
		return err;
	t->nr_frames += s.nr;
	t->stacks[t->nr_stacks++] = s;
	return 0;
}

/* Find or add a stack.  @id: out: its id in the stream, 0 for an empty stack */
static int intern(struct tally *t, uint32_t kind, const struct tally_frames *f, __u64 *id)
{
	struct key k = { kind, f };
	uint64_t hash;
	uint32_t i;

	*id = 0;
	if (!f->nr)
		return 0;
	hash = hash_bytes(hash_u64(kind, f->end), f->ip, f->nr * sizeof(*f->ip));
	i = index_find(&t->stack_index, hash, same_stack, t, &k);
	if (i == INDEX_NONE) {
		int err = add_stack(t, &k, hash);

		if (err)
			return err;
		i = (uint32_t)t->nr_stacks - 1;
	}
	*id = KFLAME_STACK_OF_TOOL | (t->written + i + 1);
	return 0;
}

static bool same_count(const void *ctx, uint32_t i, const void *p)
{
	const struct tally_count *x = &((const struct tally *)ctx)->counts[i], *y = p;
	const struct kflame_rec_count *a = &x->rec, *b = &y->rec;

	return x->event == y->event && a->aspace == b->aspace && a->kstack == b->kstack && a->ustack == b->ustack &&
	       a->cpu == b->cpu && a->context == b->context && a->tgid == b->tgid &&
	       a->tid == b->tid && !memcmp(a->comm, b->comm, sizeof(a->comm));
}

static uint64_t hash_count(const struct tally_count *count)
{
	const struct kflame_rec_count *c = &count->rec;
	uint64_t hash = hash_u64(hash_u64(c->aspace, c->kstack), c->ustack + count->event);

	hash = hash_u64(hash, (uint64_t)c->tgid << 32 | c->tid);
	return hash_bytes(hash_u64(hash, (uint64_t)c->cpu << 32 | c->context), c->comm,
			  sizeof(c->comm));
}

/* Add to an equal count, or make a new one.  @i: out: its index */
static int add_count(struct tally *t, const struct tally_count *c, uint32_t *i)
{
	const uint64_t hash = hash_count(c);

	*i = index_find(&t->count_index, hash, same_count, t, c);
	if (*i != INDEX_NONE) {
		t->counts[*i].rec.samples += c->rec.samples;
		t->counts[*i].rec.weight_ns += c->rec.weight_ns;
		t->counts[*i].rec.late_ns += c->rec.late_ns;
		return 0;
	}
	*i = (uint32_t)t->nr_counts;
	if (grow(&t->counts, t->nr_counts, &t->cap_counts, sizeof(*t->counts)) ||
	    index_add(&t->count_index, hash, *i))
		return -ENOMEM;
	t->counts[t->nr_counts++] = *c;
	return 0;
}

int tally_add(struct tally *t, const struct tally_count *like, uint64_t time_ns,
	      const struct tally_frames *kernel, const struct tally_frames *user)
{
	struct tally_count c = *like;
	uint32_t i;

	if (intern(t, KFLAME_STACK_KERNEL, kernel, &c.rec.kstack) ||
	    intern(t, KFLAME_STACK_USER, user, &c.rec.ustack) ||
	    grow(&t->samples, t->nr_samples, &t->cap_samples, sizeof(*t->samples)))
		return -ENOMEM;
	c.rec.rec.type = KFLAME_REC_COUNT;
	if (add_count(t, &c, &i))
		return -ENOMEM;
	if (time_ns)
		t->samples[t->nr_samples++] = (struct tally_sample){
			.time_ns = time_ns, .weight_ns = c.rec.weight_ns, .late_ns = c.rec.late_ns,
			.cpu = c.rec.cpu, .count = i, .is_event = c.event,
		};
	return 0;
}

bool tally_is_full(const struct tally *t)
{
	return t->nr_stacks >= TALLY_STACKS || t->nr_counts >= TALLY_STACKS ||
	       t->nr_frames >= TALLY_FRAMES || t->nr_samples >= TALLY_SAMPLES;
}

static void tell_stacks(const struct tally *t, struct records *to)
{
	for (size_t i = 0; i < t->nr_stacks; i++) {
		const struct tally_stack *s = &t->stacks[i];
		struct kflame_rec_stack rec = {
			.rec.type = KFLAME_REC_STACK,
			.id = KFLAME_STACK_OF_TOOL | (t->written + i + 1),
			.kind = s->kind, .end = s->end,
			.candidate = KFLAME_NO_CANDIDATE, .nr = s->nr,
		};

		records_add(to, &rec, sizeof(rec), t->frames + s->first,
			    s->nr * sizeof(*t->frames));
	}
}

/* Upper half of the ids of this batch of counts.  The module's own ids never have the highest bit set */
static uint64_t numbers(const struct tally *t)
{
	return KFLAME_STACK_OF_TOOL | (uint64_t)(t->batches + 1) << 32;
}

static void tell_counts(const struct tally *t, struct records *to)
{
	for (size_t i = 0; i < t->nr_counts; i++) {
		uint64_t id = t->nr_samples ? numbers(t) | (i + 1) : 0;

		if (t->counts[i].event)
			records_event_count(to, t->counts[i].event, &t->counts[i].rec, id);
		else
			records_add(to, &t->counts[i].rec, sizeof(t->counts[i].rec), &id, id ? sizeof(id) : 0);
	}
}

/* Samples of the timer come first: they are in other records. */
static int by_cpu_and_time(const void *a, const void *b)
{
	const struct tally_sample *x = a, *y = b;

	if (x->is_event != y->is_event)
		return x->is_event ? 1 : -1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static void tell_samples(struct tally *t, struct records *to)
{
	struct kflame_sample some[512];

	if (t->nr_samples)
		qsort(t->samples, t->nr_samples, sizeof(*t->samples), by_cpu_and_time);
	for (size_t i = 0; i < t->nr_samples;) {
		const bool is_event = t->samples[i].is_event;
		struct kflame_rec_sample rec = {
			.rec.type = is_event ? KFLAME_REC_EVENT_SAMPLE : KFLAME_REC_SAMPLE,
			.counts = numbers(t), .cpu = t->samples[i].cpu,
		};

		for (; i < t->nr_samples && t->samples[i].cpu == rec.cpu && t->samples[i].is_event == is_event &&
		       rec.nr < sizeof(some) / sizeof(*some); i++)
			some[rec.nr++] = (struct kflame_sample){
				.time_ns = t->samples[i].time_ns, .weight_ns = t->samples[i].weight_ns,
				.late_ns = t->samples[i].late_ns, .count = t->samples[i].count + 1,
			};
		records_add(to, &rec, sizeof(rec), some, rec.nr * sizeof(*some));
	}
}

void tally_tell(struct tally *t, struct records *to)
{
	tell_stacks(t, to);
	tell_counts(t, to);
	tell_samples(t, to);
	t->written += t->nr_stacks;
	t->batches++;
	t->nr_stacks = t->nr_frames = t->nr_counts = t->nr_samples = 0;
	index_exit(&t->stack_index);
	index_exit(&t->count_index);
}

void tally_exit(struct tally *t)
{
	free(t->stacks);
	free(t->frames);
	free(t->counts);
	free(t->samples);
	index_exit(&t->stack_index);
	index_exit(&t->count_index);
	memset(t, 0, sizeof(*t));
}
