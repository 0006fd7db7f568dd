/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - a profile in memory: what a record stream says
 *
 * A stream is read from a file, a pipe or in chunks as they come from the
 * device.  Nothing in it is trusted: what is damaged is skipped and counted.
 * Stacks and counts that come again are merged, so that memory depends on how
 * much is different, not on how long it was recorded.
 */
#ifndef KFLAME_PROFILE_PROFILE_H
#define KFLAME_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hash.h"
#include "uapi/kflame.h"

#define PROFILE_NONE	UINT32_MAX	/* no aspace, file or stack: an index */
#define PROFILE_LOST	(UINT32_MAX - 1) /* a stack that the stream does not hold */
#define PROFILE_KERNEL	(UINT32_MAX - 2) /* no file's index: the kernel */

/** struct profile_mapping - an executable mapping; those of an aspace are sorted */
struct profile_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t file;		/* index, PROFILE_NONE for none */
	uint32_t flags;		/* KFLAME_MAP_* */
};

/** struct profile_symbol - a function, of a file or of the kernel */
struct profile_symbol {
	uint64_t start;		/* file offset, or kernel address */
	uint64_t end;		/* one past the last */
	const char *name;	/* as the symbol table has it */
};

/** struct profile_symbols - sorted by start once the stream has ended */
struct profile_symbols {
	struct profile_symbol *all;
	size_t nr;
	size_t cap;
};

/** profile_sort_symbols() - sort by start, and drop what is there twice */
void profile_sort_symbols(struct profile_symbols *syms);

/** profile_symbols_exit() - frees their names, too */
void profile_symbols_exit(struct profile_symbols *syms);

/** struct profile_aspace - one address space */
struct profile_aspace {
	struct kflame_rec_aspace rec;	/* .comm is NUL terminated; all zero but
					 * the id while it was not reported */
	bool reported;
	struct profile_mapping *maps;	/* by start, never overlapping */
	size_t nr_maps;
	size_t cap_maps;
	struct profile_symbols syms;	/* of JSYM records */
};

/** struct profile_file - a file that was mapped */
struct profile_file {
	struct kflame_rec_file rec;	/* without its path */
	char *path;
	const char *base;		/* its last component, without " (deleted)" */
	char *short_base;		/* storage of .base where that is no part of .path */
	bool named;			/* a NAMED record came: .state is its */
	uint32_t state;			/* KFLAME_NAMED_* */
	uint32_t named_flags;		/* KFLAME_NF_* */
	struct kflame_rec_unwind unwind; /* its unwind table; all zero: none was made */
	struct profile_symbols syms;	/* of USYM records */
};

/** struct profile_stack - a distinct stack */
struct profile_stack {
	uint32_t kind;		/* KFLAME_STACK_* */
	uint32_t end;		/* KFLAME_END_* */
	uint32_t candidate;	/* index below nr, or KFLAME_NO_CANDIDATE */
	uint32_t nr;
	bool is_like;		/* .callers are those of another stack that came before it */
	uint64_t pc;		/* the innermost address; 0 where there is none */
	uint64_t *callers;	/* the others, nr - 1 */
};

/** profile_stack_ip() - Return: address @i of a stack, below its nr */
static inline uint64_t profile_stack_ip(const struct profile_stack *s, uint32_t i)
{
	return i ? s->callers[i - 1] : s->pc;
}

/** profile_stack_code() - Return: as above; of a return address the call's last byte */
static inline uint64_t profile_stack_code(const struct profile_stack *s, uint32_t i)
{
	uint64_t ip = profile_stack_ip(s, i);

	return i && ip ? ip - 1 : ip;
}

/** struct profile_count - how often something was seen, merged over the stream */
struct profile_count {
	uint32_t aspace;	/* index; PROFILE_NONE for none */
	uint32_t kstack;	/* index; PROFILE_NONE for none, PROFILE_LOST */
	uint32_t ustack;	/* as kstack */
	uint32_t context;	/* KFLAME_CTX_* */
	uint32_t tgid;
	uint32_t tid;
	uint32_t origin;	/* place in .origins, from 1; 0: unknown */
	uint32_t cpu;		/* 0 without profile_keep_cpus() */
	char comm[KFLAME_COMM_LEN];
	uint64_t samples;
	uint64_t weight_ns;
	uint64_t late_ns;	/* never more than weight_ns */
};

/** struct profile_sample - one sample of those that a count stands for, and when it was */
struct profile_sample {
	uint64_t time_ns;	/* when it was due; it stands for the time from then on */
	uint64_t weight_ns;
	uint64_t late_ns;	/* never more than weight_ns */
	uint32_t count;		/* index in .counts */
	uint32_t cpu;
};

/**
 * struct profile_span - the time that is looked at; valid with .timeline
 * @start_ns:	when the recording began, CLOCK_MONOTONIC
 * @end_ns:	when it ended, as far as that is known
 * @is_cut:	only a part of it is left; else the two below are 0
 * @from_ns:	where that begins, since @start_ns
 * @to_ns:	one past its end
 */
struct profile_span {
	uint64_t start_ns;
	uint64_t end_ns;
	bool is_cut;
	uint64_t from_ns;
	uint64_t to_ns;
};

#define PROFILE_SHARE_ALL	1000000	/* struct profile_bound.ns of the whole */

/** struct profile_bound - a time since the start of the recording */
struct profile_bound {
	bool is_set;
	bool is_share;		/* .ns is no time, but millionths of the recording */
	uint64_t ns;
};

/** struct profile_range - part of a recording: samples that were due in [from, to) */
struct profile_range {
	struct profile_bound from;	/* not set: the start */
	struct profile_bound to;	/* not set: the end */
};

/** struct profile_cgroup - a cgroup that the tool found */
struct profile_cgroup {
	uint64_t id;
	char *path;		/* begins with a slash */
};

/** struct profile_origin - which recording a count of a merged profile is of */
struct profile_origin {
	char *host;		/* NULL: unknown */
	char *run;		/* NULL: unknown */
};

/** struct profile_level - a function at a place; the numbers are indices in .texts */
struct profile_level {
	uint32_t function;	/* PROFILE_NONE: not known */
	uint32_t source;	/* its file; PROFILE_NONE: not known */
	uint32_t line;		/* 0: not known */
};

/** struct profile_source - where the code at a file offset is from */
struct profile_source {
	uint64_t offset;	/* in the kernel: the address */
	uint32_t file;		/* index, PROFILE_KERNEL */
	uint32_t first;		/* of its levels, the innermost: index in .levels */
	uint32_t nr;		/* at least 1; all but the last one were inlined */
};

/** struct profile_leaf - a verdict on the candidate caller of a leaf */
struct profile_leaf {
	uint64_t offset;	/* in the file, of the program counter */
	uint32_t file;		/* index */
	uint32_t keep;		/* 0 or 1 */
};

/** enum profile_state - what reading came to */
enum profile_state {
	PROFILE_EMPTY,		/* no byte */
	PROFILE_NOT,		/* these are not the first bytes of a profile */
	PROFILE_FOREIGN,	/* a profile that this reader cannot read, see .why */
	PROFILE_TRUNCATED,	/* ends within its header or within a record */
	PROFILE_NO_END,		/* ends between two records, without an END */
	PROFILE_WHOLE,
};

struct names;
struct records;
struct roots;

/**
 * struct profile - everything a stream said
 *
 * To be read by all, changed by profile*.c only.
 */
struct profile {
	enum profile_state state;	/* valid after profile_finish() */
	char why[160];			/* one sentence for NOT, FOREIGN, TRUNCATED */
	uid_t owner;			/* of the file that was read; our user if there is none */
	uint64_t bytes;			/* taken so far */
	uint64_t records;		/* of these, whole records */
	uint64_t damaged;		/* records that made no sense: skipped */
	uint64_t unknown;		/* records of unknown types: skipped */
	uint64_t lost_stacks;		/* COUNT records that named unknown stacks */
	uint64_t samples;		/* sums over all COUNT records */
	uint64_t weight_ns;
	uint64_t late_ns;
	uint64_t ordered;		/* samples in SAMPLE records */
	uint64_t ordered_by_tool;	/* of these, in the tool's own: their stacks were copied */
	uint64_t ordered_ns;		/* and what they weigh */

	bool has_session;
	bool has_stats;
	struct kflame_rec_session session;	/* strings are NUL terminated */
	struct kflame_rec_stats stats;
	struct kflame_cpu *cpus;	/* by cpu number, rising */
	size_t nr_cpus, cap_cpus;

	struct profile_aspace *aspaces;
	size_t nr_aspaces, cap_aspaces;
	struct profile_file *files;
	size_t nr_files, cap_files;
	struct profile_stack *stacks;
	size_t nr_stacks, cap_stacks;
	struct profile_count *counts;
	size_t nr_counts, cap_counts;
	struct profile_sample *timeline; /* by time; only with profile_keep_timeline() */
	size_t nr_timeline, cap_timeline;
	struct profile_span span;
	struct profile_leaf *leaves;
	size_t nr_leaves, cap_leaves;
	struct profile_cgroup *cgroups;
	size_t nr_cgroups, cap_cgroups;
	struct profile_origin *origins;
	size_t nr_origins, cap_origins;
	char **texts;
	size_t nr_texts, cap_texts;
	struct profile_level *levels;
	size_t nr_levels, cap_levels;
	struct profile_source *sources;
	size_t nr_sources, cap_sources;
	struct profile_symbols ksyms;
	char **host;			/* "key=value" */
	size_t nr_host, cap_host;

	struct profile_addresses *addresses; /* instead of .stacks and .counts; else NULL */
	struct profile_reader *reader;	/* private to profile*.c */
	struct names *names;		/* private to stacks/: what names were found */
	struct roots *roots;		/* private to stacks/: what stacks begin with; NULL: with the thread */
	void (*free_shown)(struct profile *p);	/* frees .names and .roots; NULL: nothing to free */
};

/**
 * profile_create() - an empty profile, to be fed
 *
 * Return: the profile, to be freed with profile_destroy(); NULL without memory.
 */
struct profile *profile_create(void);

/**
 * profile_leave_out_stacks() - keeps the addresses in stacks, and neither these nor counts
 * @p:		nothing was fed to it yet
 *
 * For who passes a long recording on, and looks up names at its end: see addresses.h.
 * Return: 0 or -ENOMEM.
 */
int profile_leave_out_stacks(struct profile *p);

/**
 * profile_put_off_samples() - stacks and counts are not taken now, but by profile_take_samples()
 * @p:		nothing was fed to it yet
 *
 * The recorder uses this, because its file can be read again. The less it computes while sampling, the
 * less of itself appears in the profile.
 */
void profile_put_off_samples(struct profile *p);

/** profile_put_off() - Return: bytes that were fed, and of which samples were not taken */
uint64_t profile_put_off(const struct profile *p);

/**
 * profile_take_samples() - takes them from the file; does nothing if they were not put off
 * @p:		what is in the file was fed to it, and not profile_finish()ed
 * @fd:		the file, from the first byte on; its offset stays
 * @end:	up to where, at most; from where it ended the last time
 *
 * Return: 0; a positive errno of the file, ENODATA where it is shorter; -EILSEQ where it is not what was
 * fed; -ENOMEM.
 */
int profile_take_samples(struct profile *p, int fd, uint64_t end);

/** profile_destroy() - frees it and everything in it; takes NULL */
void profile_destroy(struct profile *p);

/**
 * profile_feed() - takes the next bytes of a stream, in pieces of any size
 *
 * Return: 0, also where records are damaged; -EILSEQ once it is clear that this
 * is no profile this reader can read (.why tells); -ENOMEM.
 */
int profile_feed(struct profile *p, const void *data, size_t len);

/**
 * profile_finish() - the stream has ended: sorts, and sets .state
 *
 * Return: 0, -EILSEQ where there is nothing to be had of it.
 */
int profile_finish(struct profile *p);

/** profile_range_is_set() - Return: whether it is less than everything, perhaps */
bool profile_range_is_set(const struct profile_range *r);

/** profile_keep_timeline() - keep .timeline; before anything is fed */
void profile_keep_timeline(struct profile *p);

/** profile_keep_cpus() - keep what was counted on each CPU apart; before anything is fed */
void profile_keep_cpus(struct profile *p);

/**
 * profile_use_timeline() - sort the samples by time, and leave those of a range
 * @p:		read to its end, with profile_keep_timeline()
 * @name:	of the file, for messages
 *
 * Return: 0; -ENODATA if there are none, after a message; -ENOMEM.
 */
int profile_use_timeline(struct profile *p, const char *name, const struct profile_range *r);

/**
 * profile_take_records() - take records that were looked up later, as if they had been in the stream
 * @p:		finished
 *
 * Return: 0 or -ENOMEM.
 */
int profile_take_records(struct profile *p, const struct records *r);

/**
 * profile_status() - what a command that read a profile to its end exits with
 *
 * Return: 0 where the profile is whole; 1 where part of it is missing or was
 * skipped, which open_profile() reported.
 */
int profile_status(const struct profile *p);

/**
 * profile_host() - Return: the value of a "key=value" the tool added ("host",
 * "command", "tool", "exit", "kernel-build-id", "kernel-base"), NULL where it is not there.
 */
const char *profile_host(const struct profile *p, const char *key);

/** profile_cgroup() - Return: the path of a cgroup, NULL where the stream has none */
const char *profile_cgroup(const struct profile *p, uint64_t id);

/** profile_count_host() - Return: the host a count is of, NULL where that is not known */
const char *profile_count_host(const struct profile *p, const struct profile_count *c);

/** profile_count_run() - Return: the recording a count is of, NULL where none was merged */
const char *profile_count_run(const struct profile *p, const struct profile_count *c);

/** profile_has_file() - Return: whether the stream has a file of that id */
bool profile_has_file(const struct profile *p, uint64_t id);

/** profile_find_aspace() - Return: the index of an address space's id; PROFILE_NONE */
uint32_t profile_find_aspace(const struct profile *p, uint64_t id);

/** profile_between() - Return: whether what was fed ends with a whole record */
bool profile_between(const struct profile *p);

/**
 * profile_map() - finds what is mapped at an address
 * @aspace:	index, may be PROFILE_NONE
 *
 * Return: the mapping, NULL for none.
 */
const struct profile_mapping *profile_map(const struct profile *p, uint32_t aspace,
					  uint64_t address);

/** profile_symbol() - Return: the function at @at, NULL for none. */
const struct profile_symbol *profile_symbol(const struct profile_symbols *syms, uint64_t at);

/**
 * profile_verdict() - the verdict on a candidate caller
 * @file:	index of the file the program counter is in
 * @offset:	its file offset
 *
 * Return: 0 or 1; -1 where the stream has none.
 */
int profile_verdict(const struct profile *p, uint32_t file, uint64_t offset);

/**
 * profile_source() - where code is from
 * @file:	index of the file it is in; PROFILE_KERNEL
 * @offset:	its file offset; in the kernel, its address
 *
 * Return: NULL where it is not known.
 */
const struct profile_source *profile_source(const struct profile *p, uint32_t file,
					    uint64_t offset);

#endif
