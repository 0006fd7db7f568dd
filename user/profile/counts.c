// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counts.c - reads the records of samples: stacks, and how often each was seen
 *
 * The functions have the form described in records.c. deferred.c can postpone these records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/addresses.h"
#include "profile/private.h"

/* Below this many, the ids of stacks are never forgotten */
#define KEEP_STACK_IDS	(1u << 20)
/*
 * Maximum number of frames of a stack.  The module records far fewer.  Without a limit, a malformed
 * file could keep the tool busy: each count walks its whole stack, and a record can be very long.
 */
#define MAX_FRAMES	4096

static size_t callers_bytes(const struct profile_stack *s)
{
	return s->nr ? (s->nr - 1) * sizeof(*s->callers) : 0;
}

static bool same_stack(const void *ctx, uint32_t i, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_stack *s = &p->stacks[i], *given = key;

	return s->kind == given->kind && s->end == given->end && s->candidate == given->candidate &&
	       s->nr == given->nr && s->pc == given->pc && s->label == given->label && (s->callers == given->callers ||
			!memcmp(s->callers, given->callers, callers_bytes(s)));
}

static uint64_t hash_stack(const struct profile_stack *s)
{
	uint64_t hash = hash_u64(hash_u64(s->kind, s->end), (uint64_t)s->label << 32 | s->candidate);

	return hash_bytes(hash_u64(hash, s->pc), s->callers, callers_bytes(s));
}

/* Copies the callers of a record. A stack that shares the callers of another keeps the pointer. */
static int add_stack(struct profile *p, const struct profile_stack *given, uint64_t hash)
{
	struct profile_stack s = *given;
	int err = grow(&p->stacks, p->nr_stacks, &p->cap_stacks, sizeof(*p->stacks));

	if (err)
		return err;
	if (!s.is_like) {
		s.callers = malloc(callers_bytes(&s) ? callers_bytes(&s) : 1);
		if (!s.callers)
			return -ENOMEM;
		memcpy(s.callers, given->callers, callers_bytes(&s));
	}
	err = index_add(&p->reader->stack_index, hash, (uint32_t)p->nr_stacks);
	if (err) {
		if (!s.is_like)
			free(s.callers);
		return err;
	}
	p->stacks[p->nr_stacks++] = s;
	return 0;
}

static int remember_stack_id(struct profile *p, uint64_t id, uint32_t i)
{
	struct idmap *ids = p->reader->stacks;

	if (ids[0].nr >= KEEP_STACK_IDS && ids[0].nr / 2 >= p->nr_stacks) {
		idmap_exit(&ids[1]);
		ids[1] = ids[0];
		memset(&ids[0], 0, sizeof(ids[0]));
	}
	return idmap_set(&ids[0], id, i);
}

int profile_intern_stack(struct profile *p, const struct profile_stack *given, uint32_t *i)
{
	uint64_t hash = hash_stack(given);

	*i = index_find(&p->reader->stack_index, hash, same_stack, p, given);
	if (*i != INDEX_NONE)
		return 0;
	*i = (uint32_t)p->nr_stacks;
	return add_stack(p, given, hash);
}

static int intern_stack(struct profile *p, uint64_t id, const struct profile_stack *given)
{
	uint32_t i;
	int err = profile_intern_stack(p, given, &i);

	return err ? err : remember_stack_id(p, id, i);
}

int profile_take_stack(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_stack *r = (const void *)rec;
	struct profile_stack given;
	int err;

	if (!r->id || r->nr > MAX_FRAMES ||
	    r->nr > (rec->size - sizeof(*r)) / sizeof(r->ip[0]) ||
	    (r->kind != KFLAME_STACK_KERNEL && r->kind != KFLAME_STACK_USER) ||
	    (r->candidate != KFLAME_NO_CANDIDATE && r->candidate >= r->nr))
		return -EBADMSG;
	if (p->addresses)
		return profile_addresses_stack(p->addresses, r);
	given = (struct profile_stack){
		.kind = r->kind, .end = r->end, .candidate = r->candidate, .nr = r->nr,
		.pc = r->nr ? r->ip[0] : 0, .callers = (uint64_t *)r->ip + !!r->nr,
	};
	err = profile_split_label(p, &given);
	return err ? err : intern_stack(p, r->id, &given);
}

/* Index of the stack that currently has that id, INDEX_NONE for none */
static uint32_t find_stack(const struct profile *p, uint64_t id)
{
	const struct idmap *ids = p->reader->stacks;
	uint32_t i = idmap_find(&ids[0], id);

	return i == INDEX_NONE ? idmap_find(&ids[1], id) : i;
}

/* Continues after a damaged element, so that the other elements of a record are not lost */
static void skip_damage(int *err, int *damage)
{
	if (*err == -EBADMSG) {
		*damage = *err;
		*err = 0;
	}
}

static int take_like(struct profile *p, uint64_t stacks, const struct kflame_like *like)
{
	struct profile_stack given;
	uint64_t *made;
	uint32_t i;
	int err;

	if (!like->number)
		return -EBADMSG;
	i = find_stack(p, stacks | like->like);
	if (i == INDEX_NONE || (!p->stacks[i].nr && p->stacks[i].label == PROFILE_NONE))
		return -EBADMSG;
	given = p->stacks[i];
	given.is_like = true;
	err = profile_exchange_label(p, &given, like->ip, &made);
	if (!err)
		err = intern_stack(p, stacks | like->number, &given);
	free(made);
	return err;
}

int profile_take_likes(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_likes *r = (const void *)rec;
	int err = 0, damage = 0;

	if ((uint32_t)r->stacks || r->nr > (rec->size - sizeof(*r)) / sizeof(r->like[0]))
		return -EBADMSG;
	if (p->addresses)
		return profile_addresses_likes(p->addresses, r->stacks, r->like, r->nr);
	for (uint32_t i = 0; !err && i < r->nr; i++) {
		err = take_like(p, r->stacks, &r->like[i]);
		skip_damage(&err, &damage);
	}
	return err ? err : damage;
}

uint32_t profile_stack_index(struct profile *p, uint64_t id, uint32_t kind)
{
	uint32_t i;

	if (!id)
		return PROFILE_NONE;
	i = find_stack(p, id);
	if (i == INDEX_NONE || p->stacks[i].kind != kind) {
		p->lost_stacks++;
		return PROFILE_LOST;
	}
	return i;
}

static bool same_count(const void *ctx, uint32_t i, const void *key)
{
	const struct profile *p = ctx;
	const struct profile_count *a = &p->counts[i], *b = key;

	return a->aspace == b->aspace && a->kstack == b->kstack && a->ustack == b->ustack &&
	       a->context == b->context && a->event == b->event && a->tgid == b->tgid && a->tid == b->tid &&
	       a->origin == b->origin && a->cpu == b->cpu && a->waker == b->waker &&
	       !memcmp(a->comm, b->comm, sizeof(a->comm));
}

static uint64_t hash_count(const struct profile_count *c)
{
	uint64_t hash = hash_u64(c->aspace, (uint64_t)c->kstack << 32 | c->ustack);

	hash = hash_u64(hash_u64(hash, (uint64_t)c->tgid << 32 | c->tid), (uint64_t)c->waker << 32 | c->cpu);
	hash = hash_u64(hash, (uint64_t)c->origin << 32 | (c->event << 8 ^ c->context));
	return hash_bytes(hash, c->comm, sizeof(c->comm));
}

/* Checks the sums of an event for overflow. No sum of a part can then overflow. */
static bool add_to_event(struct profile_event *e, uint64_t nr, uint64_t weight)
{
	uint64_t samples, sum;

	if (__builtin_add_overflow(e->samples, nr, &samples) ||
	    __builtin_add_overflow(e->weight, weight, &sum))
		return false;
	e->samples = samples;
	e->weight = sum;
	return true;
}

/* The same for the timer, which may have no EVENT record */
static bool add_to_sums(struct profile *p, uint64_t nr, uint64_t weight_ns, uint64_t late_ns)
{
	uint64_t samples, weight;

	if (late_ns > weight_ns || __builtin_add_overflow(p->samples, nr, &samples) ||
	    __builtin_add_overflow(p->weight_ns, weight_ns, &weight))
		return false;
	p->samples = samples;
	p->weight_ns = weight;
	p->late_ns += late_ns;
	return true;
}

static bool add_count_to_sums(struct profile *p, const struct profile_count *c)
{
	if (c->event)
		return add_to_event(profile_find_event(p, c->event), c->samples, c->weight_ns);
	return add_to_sums(p, c->samples, c->weight_ns, c->late_ns);
}

/* A count as recorded: its stacks are ids, not indices yet */
struct given_count {
	struct profile_count of;	/* its .kstack and .ustack are not set */
	uint64_t kstack, ustack;	/* ids of its stacks; 0 for none */
	uint64_t id;			/* id of the count; 0 for none */
};

/* Reads a count of a profile that keeps addresses in place of stacks */
static int take_addresses(struct profile *p, const struct given_count *given)
{
	int err;

	if (!add_count_to_sums(p, &given->of))
		return -EBADMSG;
	err = profile_addresses_count(p->addresses, given->kstack, given->ustack, given->of.aspace,
				      given->of.samples);
	if (err > 0)
		p->lost_stacks++;
	return err < 0 ? err : 0;
}

static int add_count(struct profile *p, const struct profile_count *c, uint64_t hash)
{
	int err = grow(&p->counts, p->nr_counts, &p->cap_counts, sizeof(*p->counts));

	if (err)
		return err;
	if (!add_count_to_sums(p, c))
		return -EBADMSG;
	p->counts[p->nr_counts++] = *c;
	return index_add(&p->reader->count_index, hash, (uint32_t)(p->nr_counts - 1));
}

int profile_add_count(struct profile *p, const struct profile_count *c, uint32_t *at)
{
	const uint64_t hash = hash_count(c);
	const uint32_t i = index_find(&p->reader->count_index, hash, same_count, p, c);

	*at = i == INDEX_NONE ? (uint32_t)p->nr_counts : i;
	if (i == INDEX_NONE)
		return add_count(p, c, hash);
	if (!add_count_to_sums(p, c))
		return -EBADMSG;
	p->counts[i].samples += c->samples;
	p->counts[i].weight_ns += c->weight_ns;
	p->counts[i].late_ns += c->late_ns;
	return 0;
}

/* Reads a count of a profile that keeps stacks and counts */
static int take_whole(struct profile *p, const struct given_count *given)
{
	struct profile_count c = given->of;
	uint32_t i;
	int err;

	c.kstack = profile_stack_index(p, given->kstack, KFLAME_STACK_KERNEL);
	c.ustack = profile_stack_index(p, given->ustack, KFLAME_STACK_USER);
	err = profile_add_count(p, &c, &i);
	return err ? err : profile_number_count(p, given->id, i);
}

static int add_given(struct profile *p, const struct given_count *given)
{
	return p->addresses ? take_addresses(p, given) : take_whole(p, given);
}

/* Sets what all counts of a task share. @c: .cpu, .context, .tgid and .tid are as recorded */
static int whose_count(struct profile *p, uint64_t aspace, const uint8_t *comm,
		       struct profile_count *c)
{
	if ((c->context & ~KFLAME_CTX_STILL) > KFLAME_CTX_PREEMPTED)
		return -EBADMSG;
	if (!p->reader->keeps_cpus)
		c->cpu = 0;
	c->origin = p->reader->origin;
	c->waker = PROFILE_NONE;
	/* Bytes after the NUL are no part of the key */
	memcpy(c->comm, comm, strnlen((const char *)comm, sizeof(c->comm) - 1));
	c->aspace = PROFILE_NONE;
	return aspace ? profile_aspace_index(p, aspace, &c->aspace) : 0;
}

int profile_take_count(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_count *r = (const void *)rec;
	struct given_count given = {
		.of = { .cpu = r->cpu, .context = r->context, .tgid = r->tgid, .tid = r->tid,
			.samples = r->samples, .weight_ns = r->weight_ns, .late_ns = r->late_ns },
		.kstack = r->kstack, .ustack = r->ustack,
		.id = rec->size < sizeof(*r) + sizeof(r->id[0]) ? 0 : r->id[0],
	};
	int err = whose_count(p, r->aspace, r->comm, &given.of);

	return err ? err : add_given(p, &given);
}

int profile_take_counts(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_counts *r = (const void *)rec;
	struct given_count given = {
		.of = { .cpu = r->cpu, .context = r->context, .tgid = r->tgid, .tid = r->tid },
	};
	int err, damage = 0;

	if ((uint32_t)r->stacks || r->nr > (rec->size - sizeof(*r)) / sizeof(r->count[0]))
		return -EBADMSG;
	err = whose_count(p, r->aspace, r->comm, &given.of);
	for (uint32_t i = 0; !err && i < r->nr; i++) {
		const struct kflame_counted *c = &r->count[i];

		/* The fast path: nearly all counts, if only addresses are kept */
		if (p->addresses && profile_addresses_known(p->addresses, r->stacks, c->kstack,
							    c->ustack, given.of.aspace,
							    c->samples)) {
			if (!add_to_sums(p, c->samples, c->weight_ns, c->late_ns))
				damage = -EBADMSG;
			continue;
		}
		given.kstack = c->kstack ? r->stacks | c->kstack : 0;
		given.ustack = c->ustack ? r->stacks | c->ustack : 0;
		given.id = r->first ? r->stacks | (r->first + i) : 0;
		given.of.samples = c->samples;
		given.of.weight_ns = c->weight_ns;
		given.of.late_ns = c->late_ns;
		err = add_given(p, &given);
		skip_damage(&err, &damage);
	}
	return err ? err : damage;
}

/*
 * Is the event's record before this one? If samples are read after all other records, the events behind them in the
 * stream are there already.
 */
static bool has_event(const struct profile *p, uint32_t id)
{
	const struct profile_reader *reader = p->reader;
	const struct profile_framing *now = reader->part == PROFILE_SAMPLES ? &reader->again : &reader->fed;
	const struct profile_event *e = id ? profile_find_event(p, id) : NULL;

	return e && e->record < now->records;
}

/* Reads EVENT_COUNTS, or WAKE_COUNTS, which is the same with larger elements */
static int take_event_counts(struct profile *p, const struct kflame_rec_event_counts *r, size_t each)
{
	struct given_count given = {
		.of = { .cpu = r->cpu, .context = r->context, .event = r->event, .tgid = r->tgid,
			.tid = r->tid },
	};
	int err, damage = 0;

	if (!has_event(p, r->event) || r->nr > (r->rec.size - sizeof(*r)) / each)
		return -EBADMSG;
	err = whose_count(p, r->aspace, r->comm, &given.of);
	for (uint32_t i = 0; !err && i < r->nr; i++) {
		const void *element = (const char *)r->count + i * each;
		const struct kflame_event_count *c = element;

		if (each == sizeof(struct kflame_wake_count))
			given.of.waker = profile_waker_index(p, ((const struct kflame_wake_count *)element)->waker);
		given.kstack = c->kstack;
		given.ustack = c->ustack;
		given.id = r->first ? r->first + i : 0;
		given.of.samples = c->samples;
		given.of.weight_ns = c->weight;
		err = add_given(p, &given);
		skip_damage(&err, &damage);
	}
	return err ? err : damage;
}

int profile_take_event_counts(struct profile *p, const struct kflame_rec *rec)
{
	return take_event_counts(p, (const void *)rec, sizeof(struct kflame_event_count));
}

int profile_take_wake_counts(struct profile *p, const struct kflame_rec *rec)
{
	return take_event_counts(p, (const void *)rec, sizeof(struct kflame_wake_count));
}
