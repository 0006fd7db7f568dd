// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * times.c - where the time went, by state
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "page/times.h"
#include "profile/waits.h"

static enum time_state state_of(const struct profile_count *c)
{
	static const enum time_state states[] = {
		[KFLAME_CTX_SOFTIRQ] = TIME_INTERRUPT, [KFLAME_CTX_IDLE] = TIME_IDLE, [KFLAME_CTX_GAP] = TIME_GAP,
		[KFLAME_CTX_GUEST] = TIME_GUEST, [KFLAME_CTX_INTERRUPTIBLE] = TIME_INTERRUPTIBLE,
		[KFLAME_CTX_UNINTERRUPTIBLE] = TIME_UNINTERRUPTIBLE, [KFLAME_CTX_IOWAIT] = TIME_IOWAIT,
		[KFLAME_CTX_STOPPED] = TIME_STOPPED, [KFLAME_CTX_RUNNABLE] = TIME_RUNNABLE,
		[KFLAME_CTX_PREEMPTED] = TIME_PREEMPTED,
	};
	const uint32_t context = wait_state(c->context);

	if (context == KFLAME_CTX_TASK)
		return c->kstack == PROFILE_NONE ? TIME_USER : TIME_KERNEL;
	return context < sizeof(states) / sizeof(states[0]) ? states[context] : TIME_OTHER;
}

void times_add(struct times *t, const struct profile_count *c)
{
	const enum time_state state = state_of(c);

	t->ns[state] += c->weight_ns;
	t->samples[state] += c->samples;
	/* Late time of an idle CPU is idle time. A gap is late as a whole */
	if (state < TIME_FIRST_WAIT && state != TIME_IDLE && state != TIME_GAP)
		t->late_ns += c->late_ns;
	if (c->context & KFLAME_CTX_STILL)
		t->still_ns += c->weight_ns;
}

const char *times_key(enum time_state state)
{
	static const char *const keys[NR_TIME_STATES] = {
		"user", "kernel", "interrupt", "guest", "idle", "gap", "runnable", "preempted", "interruptible",
		"uninterruptible", "iowait", "stopped", "other",
	};

	return keys[state];
}

static uint64_t sum(const struct times *t, enum time_state from, enum time_state to)
{
	uint64_t ns = 0;

	for (unsigned int i = from; i <= to; i++)
		ns += t->ns[i];
	return ns;
}

uint64_t times_ran(const struct times *t)
{
	return t->ns[TIME_USER] + t->ns[TIME_KERNEL] + t->ns[TIME_GUEST];
}

uint64_t times_on_cpus(const struct times *t)
{
	return sum(t, TIME_USER, TIME_GAP) + t->ns[TIME_OTHER];
}

uint64_t times_for_cpu(const struct times *t)
{
	return t->ns[TIME_RUNNABLE] + t->ns[TIME_PREEMPTED];
}

uint64_t times_blocked(const struct times *t)
{
	return sum(t, TIME_INTERRUPTIBLE, TIME_STOPPED);
}

static void times_join(struct times *to, const struct times *from)
{
	for (unsigned int i = 0; i < NR_TIME_STATES; i++) {
		to->ns[i] += from->ns[i];
		to->samples[i] += from->samples[i];
	}
	to->late_ns += from->late_ns;
	to->still_ns += from->still_ns;
}

/* ------------------------------------------------------------------- tables */

/* Finds rows by process and name: a process may have several until time_tables_sort() */
struct row_key {
	uint32_t origin, tgid;
	char comm[KFLAME_COMM_LEN];
};

static struct row_key key_of(const struct profile_count *c)
{
	struct row_key key = { .origin = c->origin, .tgid = c->tgid };

	memcpy(key.comm, c->comm, sizeof(key.comm));
	return key;
}

static bool same_process(const void *ctx, uint32_t i, const void *key)
{
	const struct process_times *row = &((const struct time_tables *)ctx)->processes[i];
	const struct row_key *k = key;

	return row->origin == k->origin && row->tgid == k->tgid && !memcmp(row->comm, k->comm, sizeof(k->comm));
}

static uint64_t hash_of(const struct row_key *key)
{
	return hash_bytes(hash_u64(key->origin, key->tgid), key->comm, sizeof(key->comm));
}

static int add_process(struct time_tables *t, struct index *x, const struct profile_count *c)
{
	const struct row_key key = key_of(c);
	uint32_t at = index_find(x, hash_of(&key), same_process, t, &key);
	int err = 0;

	if (at == INDEX_NONE) {
		err = grow(&t->processes, t->nr_processes, &t->cap_processes, sizeof(*t->processes));
		if (err)
			return err;
		at = (uint32_t)t->nr_processes++;
		t->processes[at] = (struct process_times){ .origin = key.origin, .tgid = key.tgid,
							   .aspace = PROFILE_NONE };
		memcpy(t->processes[at].comm, key.comm, sizeof(key.comm));
		err = index_add(x, hash_of(&key), at);
	}
	if (t->processes[at].aspace == PROFILE_NONE)
		t->processes[at].aspace = c->aspace;
	times_add(&t->processes[at].times, c);
	return err;
}

/* CPUs are few */
static int add_cpu(struct time_tables *t, const struct profile_count *c)
{
	int err;

	for (size_t i = 0; i < t->nr_cpus; i++) {
		if (t->cpus[i].cpu != c->cpu)
			continue;
		times_add(&t->cpus[i].times, c);
		return 0;
	}
	err = grow(&t->cpus, t->nr_cpus, &t->cap_cpus, sizeof(*t->cpus));
	if (err)
		return err;
	t->cpus[t->nr_cpus] = (struct cpu_times){ .cpu = c->cpu };
	times_add(&t->cpus[t->nr_cpus++].times, c);
	return 0;
}

int time_tables_add(struct time_tables *t, const struct profile *p)
{
	struct index x = { .slots = NULL };
	int err = 0;

	for (size_t i = 0; !err && i < t->nr_processes; i++) {
		struct row_key key = { .origin = t->processes[i].origin, .tgid = t->processes[i].tgid };

		memcpy(key.comm, t->processes[i].comm, sizeof(key.comm));
		err = index_add(&x, hash_of(&key), (uint32_t)i);
	}
	for (size_t i = 0; !err && i < p->nr_counts; i++) {
		times_add(&t->all, &p->counts[i]);
		err = add_process(t, &x, &p->counts[i]);
		/* A merged profile has no CPUs */
		if (!err && !p->nr_origins && !wait_name(p->counts[i].context))
			err = add_cpu(t, &p->counts[i]);
	}
	index_exit(&x);
	return err;
}

/* All time of a process, to choose its name */
static uint64_t all_time(const struct times *t)
{
	return sum(t, 0, NR_TIME_STATES - 1);
}

static int by_process(const void *a, const void *b)
{
	const struct process_times *x = a, *y = b;

	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (all_time(&x->times) != all_time(&y->times))
		return all_time(&x->times) > all_time(&y->times) ? -1 : 1;
	return memcmp(x->comm, y->comm, sizeof(x->comm));
}

static int by_time(const void *a, const void *b)
{
	const struct process_times *x = a, *y = b;

	if (times_ran(&x->times) != times_ran(&y->times))
		return times_ran(&x->times) > times_ran(&y->times) ? -1 : 1;
	if (times_for_cpu(&x->times) != times_for_cpu(&y->times))
		return times_for_cpu(&x->times) > times_for_cpu(&y->times) ? -1 : 1;
	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	return (x->tgid > y->tgid) - (x->tgid < y->tgid);
}

static int by_number(const void *a, const void *b)
{
	const struct cpu_times *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

void time_tables_sort(struct time_tables *t)
{
	size_t nr = 0;

	if (t->nr_processes)
		qsort(t->processes, t->nr_processes, sizeof(*t->processes), by_process);
	for (size_t i = 0; i < t->nr_processes; i++) {
		const struct process_times *row = &t->processes[i];
		struct process_times *last = nr ? &t->processes[nr - 1] : NULL;

		if (!last || last->origin != row->origin || last->tgid != row->tgid) {
			t->processes[nr++] = *row;
			continue;
		}
		times_join(&last->times, &row->times);
		if (last->aspace == PROFILE_NONE)
			last->aspace = row->aspace;
	}
	t->nr_processes = nr;
	if (nr)
		qsort(t->processes, nr, sizeof(*t->processes), by_time);
	if (t->nr_cpus)
		qsort(t->cpus, t->nr_cpus, sizeof(*t->cpus), by_number);
}

size_t time_tables_processes(const struct time_tables *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_processes; i++)
		nr += t->processes[i].tgid != 0;
	return nr;
}

void time_tables_exit(struct time_tables *t)
{
	free(t->processes);
	free(t->cpus);
	*t = (struct time_tables){ .processes = NULL };
}
