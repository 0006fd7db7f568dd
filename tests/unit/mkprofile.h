/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkprofile.h - builds small profiles in memory, record by record
 *
 *	struct mk m = { 0 };
 *	mk_header(&m);
 *	mk_session(&m);
 *	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x401000, 0x402000 }, 2);
 *	mk_count(&m, 1, 0, 1, 10, 10000);
 *	mk_end(&m);
 *	struct profile *p = mk_profile(&m);
 *	...
 *	profile_destroy(p);
 *	mk_free(&m);
 */
#ifndef KFLAME_MKPROFILE_H
#define KFLAME_MKPROFILE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/writer.h"
#include "stacks/names.h"
#include "stacks/open.h"

/** struct mk - a profile being built; all zero is none.  r.data, r.len: the bytes */
struct mk {
	struct records r;
	uint64_t header;	/* 1 once there is a header: it is no record */
};

static inline void mk_free(struct mk *m)
{
	records_exit(&m->r);
}

/** mk_header() - first of all */
static inline void mk_header(struct mk *m)
{
	struct kflame_file_header h = {
		.version = KFLAME_FILE_VERSION, .endian = KFLAME_FILE_ENDIAN,
		.header_size = sizeof(h),
	};

	memcpy(h.magic, KFLAME_FILE_MAGIC, sizeof(h.magic));
	m->r.data = malloc(4096);
	assert(m->r.data);
	m->r.cap = 4096;
	m->r.len = sizeof(h);
	memcpy(m->r.data, &h, sizeof(h));
	m->header = 1;
}

/** mk_session() - 997 Hz, started at 1 s */
static inline void mk_session(struct mk *m)
{
	struct kflame_rec_session s = {
		.rec.type = KFLAME_REC_SESSION, .abi = KFLAME_ABI,
		.asked_period_ns = 1003009, .period_ns = 1003009, .resolution_ns = 1,
		.start_ns = 1000000000, .start_realtime_ns = 1700000000000000000,
		.nr_cpus = 1, .page_size = 4096, .kdepth = 127, .udepth = 127,
		.release = "6.1.0-test", .machine = "x86_64", .version = "1.0",
	};

	records_add(&m->r, &s, sizeof(s), NULL, 0);
}

/** mk_aspace() - address space @id of process 100 + @id */
static inline void mk_aspace(struct mk *m, uint64_t id, const char *comm)
{
	struct kflame_rec_aspace a = {
		.rec.type = KFLAME_REC_ASPACE, .id = id, .tgid = (uint32_t)(100 + id),
	};

	strncpy((char *)a.comm, comm, sizeof(a.comm) - 1);
	records_add(&m->r, &a, sizeof(a), NULL, 0);
}

/** mk_file() - a file of which only the path is known */
static inline void mk_file(struct mk *m, uint64_t id, const char *path)
{
	const struct kflame_rec_file f = { .id = id, .inode = 7, .bytes = 1000 };

	records_file(&m->r, &f, path);
}

/** mk_mapping() - file 0: anonymous memory */
static inline void mk_mapping(struct mk *m, uint64_t aspace, uint64_t start, uint64_t end,
			      uint64_t file, uint64_t offset)
{
	struct kflame_rec_mapping r = {
		.rec.type = KFLAME_REC_MAPPING, .aspace = aspace, .start = start, .end = end,
		.offset = offset, .file = file, .flags = file ? 0 : KFLAME_MAP_ANON,
	};

	records_add(&m->r, &r, sizeof(r), NULL, 0);
}

/** mk_stack_full() - @ips innermost first */
static inline void mk_stack_full(struct mk *m, uint64_t id, uint32_t kind, uint32_t end,
				 uint32_t candidate, const uint64_t *ips, uint32_t nr)
{
	struct kflame_rec_stack s = {
		.rec.type = KFLAME_REC_STACK, .id = id, .kind = kind, .end = end,
		.candidate = candidate, .nr = nr,
	};

	records_add(&m->r, &s, sizeof(s), ips, nr * sizeof(*ips));
}

/** mk_stack() - a complete one without a candidate */
static inline void mk_stack(struct mk *m, uint64_t id, uint32_t kind, const uint64_t *ips,
			    uint32_t nr)
{
	mk_stack_full(m, id, kind, KFLAME_END_COMPLETE, KFLAME_NO_CANDIDATE, ips, nr);
}

/** mk_count_rec() - any count; .rec is set here */
static inline void mk_count_rec(struct mk *m, struct kflame_rec_count c)
{
	c.rec.type = KFLAME_REC_COUNT;
	records_add(&m->r, &c, sizeof(c), NULL, 0);
}

/** mk_count() - of a task called "task" */
static inline void mk_count(struct mk *m, uint64_t aspace, uint64_t kstack, uint64_t ustack,
			    uint64_t samples, uint64_t weight_ns)
{
	mk_count_rec(m, (struct kflame_rec_count){
		.aspace = aspace, .kstack = kstack, .ustack = ustack, .samples = samples,
		.weight_ns = weight_ns, .tgid = 101, .comm = "task" });
}

/** mk_likes() - @stacks: upper half of all ids */
static inline void mk_likes(struct mk *m, uint64_t stacks, const struct kflame_like *like,
			    uint32_t nr)
{
	struct kflame_rec_likes r = {
		.rec.type = KFLAME_REC_LIKES, .stacks = stacks, .nr = nr,
	};

	records_add(&m->r, &r, sizeof(r), like, nr * sizeof(*like));
}

/** mk_counts() - of the same task as mk_count()'s */
static inline void mk_counts(struct mk *m, uint64_t aspace, uint64_t stacks,
			     const struct kflame_counted *count, uint32_t nr)
{
	struct kflame_rec_counts r = {
		.rec.type = KFLAME_REC_COUNTS, .aspace = aspace, .stacks = stacks, .tgid = 101,
		.comm = "task", .nr = nr,
	};

	records_add(&m->r, &r, sizeof(r), count, nr * sizeof(*count));
}

/** mk_cpu() - books that balance, of a CPU on which all samples were counted */
static inline void mk_cpu(struct mk *m, uint32_t cpu, uint64_t samples, uint64_t weight_ns)
{
	struct kflame_rec_cpu c = {
		.rec.type = KFLAME_REC_CPU,
		.books = { .cpu = cpu, .samples = samples, .counted = samples,
			   .weight_ns = weight_ns, .counted_ns = weight_ns,
			   .active_ns = weight_ns + 5, .head_ns = 10, .tail_ns = -5,
			   .period_ns = 1003009 },
	};

	records_add(&m->r, &c, sizeof(c), NULL, 0);
}

/** mk_event() - an event of the session; id 0: the timer */
static inline void mk_event(struct mk *m, uint32_t id, uint32_t unit, const char *name)
{
	struct kflame_rec_event e = {
		.rec.type = KFLAME_REC_EVENT, .id = id, .unit = unit,
		.kind = id ? KFLAME_EVENT_FAULTS : KFLAME_EVENT_TIMER,
	};

	memcpy(e.name, name, strlen(name));
	records_add(&m->r, &e, sizeof(e), NULL, 0);
}

/** mk_off_cpu() - waits, as an event of the session */
static inline void mk_off_cpu(struct mk *m, uint32_t id)
{
	struct kflame_rec_event e = {
		.rec.type = KFLAME_REC_EVENT, .id = id, .unit = KFLAME_UNIT_NS,
		.kind = KFLAME_EVENT_OFFCPU, .name = "off-cpu",
	};

	records_add(&m->r, &e, sizeof(e), NULL, 0);
}

/** mk_wait() - waits of thread 101, in the state @context; @id: of the count, 0 for none */
static inline void mk_wait(struct mk *m, uint32_t event, uint64_t id, uint32_t context,
			   const struct kflame_event_count *count)
{
	struct kflame_rec_event_counts r = {
		.rec.type = KFLAME_REC_EVENT_COUNTS, .first = id, .context = context, .tgid = 101,
		.tid = 101, .comm = "task", .event = event, .nr = 1,
	};

	records_add(&m->r, &r, sizeof(r), count, sizeof(*count));
}

/** mk_waker() - of process 102; @context KFLAME_CTX_TASK: a thread called "writer", else an interrupt */
static inline void mk_waker(struct mk *m, uint64_t id, uint32_t context, uint64_t kstack, uint64_t ustack)
{
	struct kflame_rec_waker w = { .id = id, .context = context, .kstack = kstack, .ustack = ustack };

	if (context == KFLAME_CTX_TASK) {
		w.aspace = 2;
		w.tgid = 102;
		memcpy(w.comm, "writer", sizeof("writer"));
	}
	records_waker(&m->r, &w);
}

/** mk_wake() - waits of thread 101, in the state @context, that the waker @waker ended */
static inline void mk_wake(struct mk *m, uint32_t event, uint32_t context, uint64_t waker,
			   const struct kflame_event_count *count)
{
	const struct kflame_rec_count c = {
		.context = context, .tgid = 101, .tid = 101, .comm = "task", .kstack = count->kstack,
		.ustack = count->ustack, .samples = count->samples, .weight_ns = count->weight,
	};

	records_wake_count(&m->r, event, &c, waker);
}

/** mk_event_counts() - of the same task as mk_count()'s; @first: id of the first count, 0 for none */
static inline void mk_event_counts(struct mk *m, uint32_t event, uint64_t first,
				   const struct kflame_event_count *count, uint32_t nr)
{
	struct kflame_rec_event_counts r = {
		.rec.type = KFLAME_REC_EVENT_COUNTS, .first = first, .tgid = 101, .comm = "task",
		.event = event, .nr = nr,
	};

	records_add(&m->r, &r, sizeof(r), count, nr * sizeof(*count));
}

/** mk_event_cpu() - accounting that balances; each sample weighs one */
static inline void mk_event_cpu(struct mk *m, uint32_t event, uint32_t cpu, uint64_t counted, uint64_t lost)
{
	struct kflame_rec_event_cpu c = {
		.rec.type = KFLAME_REC_EVENT_CPU, .event = event,
		.books = { .cpu = cpu, .samples = counted + lost, .counted = counted,
			   .weight_ns = counted + lost, .counted_ns = counted },
	};

	c.books.lost[KFLAME_LOST_TABLE] = c.books.lost_ns[KFLAME_LOST_TABLE] = lost;
	records_add(&m->r, &c, sizeof(c), NULL, 0);
}

/** mk_event_sums() - accounting on CPU 0: @counted samples have @weight, and @lost more were lost by a cause, without weight */
static inline void mk_event_sums(struct mk *m, uint32_t event, uint64_t counted, uint64_t weight, uint32_t cause, uint64_t lost)
{
	struct kflame_rec_event_cpu c = {
		.rec.type = KFLAME_REC_EVENT_CPU, .event = event,
		.books = { .samples = counted + lost, .counted = counted, .weight_ns = weight, .counted_ns = weight },
	};

	c.books.lost[cause] = lost;
	records_add(&m->r, &c, sizeof(c), NULL, 0);
}

/** mk_functions() - functions of the kernel, one behind the other, each 0x100 bytes long; @names ends with NULL */
static inline void mk_functions(struct mk *m, uint64_t first, const char *const *names)
{
	for (uint64_t start = first; *names; start += 0x100)
		records_ksym(&m->r, start, start + 0x100, *names++);
}

/** mk_stats() - stopped one second after START */
static inline void mk_stats(struct mk *m)
{
	struct kflame_rec_stats s = { .rec.type = KFLAME_REC_STATS, .stop_ns = 2000000000 };

	records_add(&m->r, &s, sizeof(s), NULL, 0);
}

/** mk_end() - last of all.  Names: records_ksym(&m.r, ...) and so on, before it */
static inline void mk_end(struct mk *m)
{
	records_end(&m->r, 0);
}

/** mk_feed() - a profile of any bytes, in pieces of @piece; state as it comes */
static inline struct profile *mk_feed(const void *data, size_t len, size_t piece)
{
	struct profile *p = profile_create();

	assert(p);
	for (size_t at = 0; at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;
		/* A copy of just that size: a read past its end is found */
		void *copy = malloc(n);

		assert(copy);
		memcpy(copy, (const char *)data + at, n);
		int err = profile_feed(p, copy, n);
		free(copy);
		if (err)
			break;
	}
	profile_finish(p);
	if (profile_show(p, &(struct naming){ 0 }))
		assert(!"memory");
	return p;
}

/** mk_profile() - the profile, read; to be freed with profile_destroy() */
static inline struct profile *mk_profile(const struct mk *m)
{
	assert(!m->r.failed);
	return mk_feed(m->r.data, m->r.len, m->r.len);
}

#endif
