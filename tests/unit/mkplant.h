/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkplant.h - builds profiles of a machine with a planted problem, stack by stack
 *
 *	struct plant p;
 *	plant_begin(&p, 2, PLANT_TIMER | PLANT_WAITS);
 *	plant_put(&p, &(struct planted){ .pid = 7, .stack = "hog;u:main;u:spin", .samples = 900 });
 *	plant_put(&p, &(struct planted){ .context = KFLAME_CTX_IDLE, .stack = "swapper/0", .samples = 97 });
 *	plant_end(&p, "kflame.data");
 *
 * The recording takes ten seconds.
 */
#ifndef KFLAME_TEST_MKPLANT_H
#define KFLAME_TEST_MKPLANT_H

#include "mkwaits.h"

#define PLANT_TIMER	1u
#define PLANT_WAITS	2u
#define PLANT_FAULTS	4u
#define PLANT_SAMPLED	8u	/* with PLANT_WAITS: waiting threads were sampled */

#define PLANT_PERIOD	1003009ull		/* 997 Hz */
#define PLANT_SECONDS	10ull
#define PLANT_SECOND	997u			/* samples of a CPU in a second */
#define PLANT_NAMES	256u
#define PLANT_ASPACES	512u
#define PLANT_FRAMES	32u
#define PLANT_CODE	0x400000ull

/**
 * struct planted - samples, waits or page faults with one stack
 * @event:	PLANT_*; 0 stands for PLANT_TIMER
 * @context:	KFLAME_CTX_*
 * @stack:	the thread, then functions from the outermost in; "u:" is before those of the program
 * @samples:	0 stands for 1
 * @ns:		all of it together; 0: a period for each sample
 * @late_ns:	the part of @ns that is late
 * @waker:	a name; NULL: not known
 * @young:	the process began during the recording
 */
struct planted {
	unsigned int event;
	uint32_t context, cpu, pid, tid;
	const char *stack;
	uint64_t samples, ns, late_ns;
	const char *waker;
	bool young;
};

struct plant {
	struct mk m;
	unsigned int events;
	uint32_t nr_cpus;
	char *names[PLANT_NAMES];
	unsigned int nr_names;
	uint32_t aspaces[PLANT_ASPACES];
	unsigned int nr_aspaces;
	uint64_t stacks, wakers;
	uint64_t samples[8], ns[8], lost[8];	/* by CPU */
	uint64_t waits, waits_ns, faults;
};

static inline void plant_waits(struct plant *p, bool is_sampled)
{
	struct kflame_rec_event e = { .rec.type = KFLAME_REC_EVENT, .id = 1, .unit = KFLAME_UNIT_NS,
				      .kind = KFLAME_EVENT_SLEEPERS, .name = "off-cpu-sampled" };

	if (is_sampled)
		records_add(&p->m.r, &e, sizeof(e), NULL, 0);
	else
		mk_off_cpu(&p->m, 1);
}

static inline void plant_begin(struct plant *p, uint32_t nr_cpus, unsigned int events)
{
	static const char host[] = "tool=1.0\0host=box\0command=planted";

	*p = (struct plant){ .nr_cpus = nr_cpus, .events = events };
	mk_header(&p->m);
	mk_session(&p->m);
	if (events & PLANT_TIMER)
		mk_event(&p->m, 0, KFLAME_UNIT_NS, "cpu-clock");
	if (events & PLANT_WAITS)
		plant_waits(p, events & PLANT_SAMPLED);
	if (events & PLANT_FAULTS)
		mk_event(&p->m, 2, KFLAME_UNIT_EVENTS, "page-faults");
	records_host(&p->m.r, host, sizeof(host));
	mk_file(&p->m, 1, "/usr/bin/prog");
}

/* Return: index of a name */
static inline unsigned int plant_name(struct plant *p, const char *name, size_t len)
{
	for (unsigned int i = 0; i < p->nr_names; i++)
		if (strlen(p->names[i]) == len && !memcmp(p->names[i], name, len))
			return i;
	assert_true(p->nr_names < PLANT_NAMES);
	p->names[p->nr_names] = strndup(name, len);
	return p->nr_names++;
}

/* Processes without functions of their own are kernel threads, without an address space */
static inline uint64_t plant_aspace(struct plant *p, const struct planted *at, const char *comm)
{
	struct kflame_rec_aspace a = { .rec.type = KFLAME_REC_ASPACE, .tgid = at->pid, .owner = 1001,
				       .start_time_ns = at->young ? 2000000000 : 5 };

	for (unsigned int i = 0; i < p->nr_aspaces; i++)
		if (p->aspaces[i] == at->pid)
			return i + 1;
	assert_true(p->nr_aspaces < PLANT_ASPACES);
	p->aspaces[p->nr_aspaces++] = at->pid;
	a.id = p->nr_aspaces;
	snprintf((char *)a.comm, sizeof(a.comm), "%s", comm);
	records_add(&p->m.r, &a, sizeof(a), NULL, 0);
	mk_mapping(&p->m, a.id, PLANT_CODE, PLANT_CODE + 0x100 * PLANT_NAMES, 1, 0);
	return a.id;
}

/* Return: the id of the stack of one kind in @text, whose first name is the thread's; 0 for none */
static inline uint64_t plant_stack(struct plant *p, const char *text, uint32_t kind)
{
	uint64_t ips[PLANT_FRAMES], turned[PLANT_FRAMES];
	uint32_t nr = 0;

	for (const char *at = strchr(text, ';'); at; at = strchr(at, ';')) {
		const bool is_user = !strncmp(++at, "u:", 2);
		unsigned int name;

		if (is_user != (kind == KFLAME_STACK_USER))
			continue;
		at += is_user ? 2 : 0;
		name = plant_name(p, at, strcspn(at, ";"));
		assert_true(nr < PLANT_FRAMES);
		ips[nr++] = is_user ? PLANT_CODE + 0x100 * name + 4 : mkwaits_code(name);
	}
	for (uint32_t i = 0; i < nr; i++)
		turned[i] = ips[nr - 1 - i];
	if (!nr)
		return 0;
	mk_stack(&p->m, ++p->stacks, kind, turned, nr);
	return p->stacks;
}

static inline uint64_t plant_waker(struct plant *p, const char *name)
{
	struct kflame_rec_waker w = { .id = ++p->wakers, .context = KFLAME_CTX_TASK, .tgid = 4000, .tid = 4000 };

	snprintf((char *)w.comm, sizeof(w.comm), "%s", name);
	records_waker(&p->m.r, &w);
	return w.id;
}

static inline void plant_put(struct plant *p, const struct planted *at)
{
	struct kflame_rec_count c = { .cpu = at->cpu, .context = at->context, .tgid = at->pid,
				      .tid = at->tid ? at->tid : at->pid, .late_ns = at->late_ns };

	snprintf((char *)c.comm, sizeof(c.comm), "%.*s", (int)strcspn(at->stack, ";"), at->stack);
	c.samples = at->samples ? at->samples : 1;
	c.weight_ns = at->ns ? at->ns : c.samples * PLANT_PERIOD;
	c.ustack = plant_stack(p, at->stack, KFLAME_STACK_USER);
	c.kstack = plant_stack(p, at->stack, KFLAME_STACK_KERNEL);
	if (c.ustack || at->young)
		c.aspace = plant_aspace(p, at, (const char *)c.comm);
	if (at->event == PLANT_WAITS) {
		p->waits += c.samples;
		p->waits_ns += c.weight_ns;
		if (at->waker)
			records_wake_count(&p->m.r, 1, &c, plant_waker(p, at->waker));
		else
			records_event_count(&p->m.r, 1, &c, 0);
	} else if (at->event == PLANT_FAULTS) {
		c.weight_ns = c.samples;
		p->faults += c.samples;
		records_event_count(&p->m.r, 2, &c, 0);
	} else {
		p->samples[at->cpu] += c.samples;
		p->ns[at->cpu] += c.weight_ns;
		mk_count_rec(&p->m, c);
	}
}

/* Fills up the rest of each CPU's time: idle */
static inline void plant_idle(struct plant *p)
{
	for (uint32_t cpu = 0; cpu < p->nr_cpus; cpu++) {
		const uint64_t all = PLANT_SECONDS * PLANT_SECOND, whole = all * PLANT_PERIOD;

		if (p->samples[cpu] >= all || p->ns[cpu] >= whole)
			continue;
		plant_put(p, &(struct planted){ .cpu = cpu, .context = KFLAME_CTX_IDLE, .stack = "swapper/0",
						.samples = all - p->samples[cpu], .ns = whole - p->ns[cpu] });
	}
}

static inline void plant_books(struct plant *p)
{
	struct kflame_rec_event_cpu waits = {
		.rec.type = KFLAME_REC_EVENT_CPU, .event = 1,
		.books = { .samples = p->waits, .counted = p->waits, .weight_ns = p->waits_ns, .counted_ns = p->waits_ns },
	};

	for (uint32_t cpu = 0; p->events & PLANT_TIMER && cpu < p->nr_cpus; cpu++) {
		struct kflame_rec_cpu c = {
			.rec.type = KFLAME_REC_CPU,
			.books = { .cpu = cpu, .samples = p->samples[cpu] + p->lost[cpu], .counted = p->samples[cpu],
				   .counted_ns = p->ns[cpu], .period_ns = PLANT_PERIOD,
				   .weight_ns = p->ns[cpu] + p->lost[cpu] * PLANT_PERIOD },
		};

		c.books.lost[KFLAME_LOST_TABLE] = p->lost[cpu];
		c.books.lost_ns[KFLAME_LOST_TABLE] = p->lost[cpu] * PLANT_PERIOD;
		c.books.active_ns = c.books.weight_ns;
		records_add(&p->m.r, &c, sizeof(c), NULL, 0);
	}
	if (p->events & PLANT_WAITS)
		records_add(&p->m.r, &waits, sizeof(waits), NULL, 0);
	if (p->events & PLANT_FAULTS)
		mk_event_cpu(&p->m, 2, 0, p->faults, 0);
}

static inline void plant_end(struct plant *p, const char *path)
{
	struct kflame_rec_stats s = { .rec.type = KFLAME_REC_STATS,
				      .stop_ns = 1000000000 * (1 + PLANT_SECONDS) };

	plant_idle(p);
	plant_books(p);
	records_add(&p->m.r, &s, sizeof(s), NULL, 0);
	for (unsigned int i = 0; i < p->nr_names; i++) {
		records_ksym(&p->m.r, mkwaits_code(i) - 4, mkwaits_code(i) + 0xfc, p->names[i]);
		records_usym(&p->m.r, 1, 0x100 * i, 0x100 * i + 0x100, p->names[i]);
		free(p->names[i]);
	}
	records_named(&p->m.r, 1, KFLAME_NAMED_SYMTAB, 0);
	mk_end(&p->m);
	assert_false(p->m.r.failed);
	write_file(path, p->m.r.data, p->m.r.len);
	mk_free(&p->m);
}

#endif
