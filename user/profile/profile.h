/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - a profile in memory: the contents of a record stream
 *
 * The stream comes from a file, a pipe or in chunks from the device.  The reader trusts nothing in it:
 * damaged records are skipped and counted.  Equal stacks and equal counts are merged.  So the memory
 * needed depends on how many stacks are distinct, not on the length of the recording.
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
#define PROFILE_KERNEL	(UINT32_MAX - 2) /* the kernel, in place of a file's index */

/** struct profile_mapping - an executable mapping; the mappings of an address space are sorted */
struct profile_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t file;		/* index, PROFILE_NONE for none */
	uint32_t flags;		/* KFLAME_MAP_* */
};

/** struct profile_symbol - a function of a file, of the kernel, or of just-in-time compiled code */
struct profile_symbol {
	uint64_t start;		/* file offset, or address */
	uint64_t end;		/* one past the last */
	const char *name;	/* as the symbol table has it */
};

/** struct profile_symbols - sorted by start once the stream has ended */
struct profile_symbols {
	struct profile_symbol *all;
	size_t nr;
	size_t cap;
};

/** profile_sort_symbols() - sorts by start; of symbols with the same start, one stays */
void profile_sort_symbols(struct profile_symbols *syms);

/** profile_symbols_exit() - frees the symbols and their names */
void profile_symbols_exit(struct profile_symbols *syms);

/** struct profile_aspace - one address space */
struct profile_aspace {
	struct kflame_rec_aspace rec;	/* .comm is NUL terminated */
	bool reported;			/* false: no ASPACE record yet, .rec is zero but for .id */
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
	char *short_base;		/* storage of .base if .base is no part of .path */
	bool named;			/* a NAMED record was read: .state and .named_flags are valid */
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
	bool is_like;		/* .callers belong to an earlier stack */
	uint32_t label;		/* index; PROFILE_NONE for none */
	uint64_t pc;		/* the innermost address; 0 for an empty stack */
	uint64_t *callers;	/* the other nr - 1 addresses */
};

/** profile_stack_ip() - Return: address @i of a stack; @i is less than its nr */
static inline uint64_t profile_stack_ip(const struct profile_stack *s, uint32_t i)
{
	return i ? s->callers[i - 1] : s->pc;
}

/** profile_stack_code() - Return: address @i of a stack; for a caller, the last byte of the call */
static inline uint64_t profile_stack_code(const struct profile_stack *s, uint32_t i)
{
	uint64_t ip = profile_stack_ip(s, i);

	return i && ip ? ip - 1 : ip;
}

/* Begins the name of an event that counts what has begun and not ended: "outstanding:kmem:kmalloc..kfree" */
#define PROFILE_OUTSTANDING	"outstanding:"

#define PROFILE_MAX_EVENTS	(KFLAME_MAX_EVENTS + 1)	/* of a stream, and the timer */

/** struct profile_histogram - how many samples of an event had which weight, see struct kflame_rec_event_histogram */
struct profile_histogram {
	uint32_t group;
	uint32_t cpu;
	uint32_t nr;
	uint64_t weight;
	uint64_t longest;
	struct kflame_bucket *bucket;
};

/**
 * struct profile_event - what samples were taken at
 * @id:		its id in the stream; 0: the timer
 * @kind:	KFLAME_EVENT_*
 * @unit:	KFLAME_UNIT_*: what the weights of its samples count
 * @arg:	kflame_rec_event.arg
 * @name:	printable ASCII without spaces
 * @counted:	what its weights count, in the plural, if they are not time or bytes
 * @samples:	sum over its counts; of the timer, see struct profile
 * @weight:	the same, of the weights
 * @cpus:	its accounting, by CPU; of the timer, see struct profile
 * @histograms:	weights of its samples in the whole recording, by group and CPU; none if the weights are all
 *		one, or if an older module recorded them
 * @is_shown:	its samples are in the view, see profile_use_event()
 * @record:	number of its record in the stream
 */
struct profile_event {
	uint32_t id;
	uint32_t kind;
	uint32_t unit;
	uint32_t arg;
	char name[KFLAME_EVENT_NAME];
	char counted[KFLAME_EVENT_NAME + 32];
	uint64_t samples;
	uint64_t weight;
	struct kflame_cpu *cpus;
	size_t nr_cpus, cap_cpus;
	struct profile_histogram *histograms;
	size_t nr_histograms, cap_histograms;
	bool is_shown;
	uint64_t record;
};

/** struct profile_waker - who ended waits: a thread or an interrupt */
struct profile_waker {
	uint32_t aspace;	/* index; PROFILE_NONE for none */
	uint32_t kstack;	/* index; PROFILE_NONE for none; PROFILE_LOST */
	uint32_t ustack;	/* index; PROFILE_NONE for none; PROFILE_LOST */
	uint32_t context;	/* KFLAME_CTX_TASK, _IDLE, _SOFTIRQ or _IRQ */
	uint32_t tgid;
	uint32_t tid;
	char comm[KFLAME_COMM_LEN];
};

/** struct profile_count - how often something was seen, merged over the stream */
struct profile_count {
	uint32_t aspace;	/* index; PROFILE_NONE for none */
	uint32_t kstack;	/* index; PROFILE_NONE for none; PROFILE_LOST */
	uint32_t ustack;	/* index; PROFILE_NONE for none; PROFILE_LOST */
	uint32_t context;	/* KFLAME_CTX_* */
	uint32_t event;		/* id of its event; 0: the timer */
	uint32_t tgid;
	uint32_t tid;
	uint32_t origin;	/* index in .origins plus 1; 0: unknown */
	uint32_t cpu;		/* 0 without profile_keep_cpus() */
	uint32_t waker;		/* index in .wakers; PROFILE_NONE: not known; PROFILE_LOST */
	char comm[KFLAME_COMM_LEN];
	uint64_t samples;
	uint64_t weight_ns;
	uint64_t late_ns;	/* never more than weight_ns */
};

/** struct profile_sample - one of the samples of a count, and its time */
struct profile_sample {
	uint64_t time_ns;	/* as recorded; see profile_sample_span() */
	uint64_t weight_ns;
	uint64_t late_ns;	/* never more than weight_ns */
	uint32_t count;		/* index in .counts */
	uint32_t cpu;
};

/**
 * struct profile_span - the time that the profile covers; valid with .timeline
 * @start_ns:	when the recording began, CLOCK_MONOTONIC
 * @end_ns:	when the recording ended, as far as that is known
 * @is_cut:	only the samples of a range are left; otherwise @from_ns and @to_ns are 0
 * @from_ns:	start of the range, since @start_ns
 * @to_ns:	one past the end of the range, since @start_ns
 */
struct profile_span {
	uint64_t start_ns;
	uint64_t end_ns;
	bool is_cut;
	uint64_t from_ns;
	uint64_t to_ns;
};

#define PROFILE_SHARE_ALL	1000000	/* struct profile_bound.ns of the whole recording */

/** struct profile_bound - a time since the start of the recording */
struct profile_bound {
	bool is_set;
	bool is_share;		/* .ns is in millionths of the recording's length */
	uint64_t ns;
	bool is_clock;		/* .ns is a time of CLOCK_REALTIME: only for a store */
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

/** struct profile_origin - the recording that a count of a merged profile comes from */
struct profile_origin {
	char *text;		/* "key=value" strings, a NUL after each */
	size_t len;		/* of .text, with the last NUL */
	const char *host;	/* in .text; NULL: unknown */
	const char *run;	/* in .text; NULL: unknown */
};

/* Begins the keys of labels that the recording was given, such as "label.service" */
#define PROFILE_LABEL_KEY	"label."

/* Most origins of a profile: stack_root.c packs the number of an origin in 20 bits */
#define PROFILE_MAX_ORIGINS	((1u << 20) - 1)

/** struct profile_level - a function in the source code, possibly inlined at this address */
struct profile_level {
	uint32_t function;	/* index in .texts; PROFILE_NONE: not known */
	uint32_t source;	/* its source file: index in .texts; PROFILE_NONE: not known */
	uint32_t line;		/* 0: not known */
};

/** struct profile_source - the source lines of the code at a file offset */
struct profile_source {
	uint64_t offset;	/* for the kernel, the address */
	uint32_t file;		/* index; PROFILE_KERNEL */
	uint32_t first;		/* its innermost level: index in .levels */
	uint32_t nr;		/* levels, at least 1; all but the last one were inlined */
};

/* Begins the names of labels of page faults for which a page had to be read from a device */
#define PROFILE_MAJOR	"[major] "

/** struct profile_label - what samples are about, such as a file */
struct profile_label {
	uint32_t id;
	uint32_t kind;		/* KFLAME_LABEL_TEXT, KFLAME_LABEL_FILE */
	bool is_major;		/* see PROFILE_MAJOR */
	uint32_t dev_major;	/* of a file, see struct kflame_rec_label */
	uint32_t dev_minor;
	uint32_t root_len;
	char *name;		/* as it is shown; any bytes; NULL: the stream does not hold it */
	const char *path;	/* of a file the path as recorded: part of .name */
};

/** struct profile_function - a function of an interpreted program */
struct profile_function {
	uint32_t kind;		/* KFLAME_INTERPRETER_* */
	uint32_t line;		/* where it begins; 0: not known */
	char *name;		/* any bytes; "": it could not be read */
	char *file;		/* its path; "": not known */
};

/** struct profile_leaf - a verdict on the candidate caller of a leaf */
struct profile_leaf {
	uint64_t offset;	/* in the file, of the program counter */
	uint32_t file;		/* index */
	uint32_t keep;		/* 0 or 1 */
};

/** enum profile_state - the result of reading a stream */
enum profile_state {
	PROFILE_EMPTY,		/* the stream has no bytes */
	PROFILE_NOT,		/* the first bytes are not those of a profile */
	PROFILE_FOREIGN,	/* a profile that this reader cannot read, see .why */
	PROFILE_TRUNCATED,	/* ends within its header or a record, or a record's size makes no sense */
	PROFILE_NO_END,		/* ends between two records, without an END */
	PROFILE_WHOLE,
};

struct names;
struct records;
struct roots;

/**
 * struct profile - the contents of a stream
 *
 * Every file may read it. Only the files of this folder change it.
 */
struct profile {
	enum profile_state state;	/* valid after profile_finish() */
	char why[160];			/* one sentence, unless .state is WHOLE */
	uid_t owner;			/* owner of the file that was read; our user if there is no file */
	uint64_t bytes;			/* bytes fed so far */
	uint64_t records;		/* whole records in these bytes */
	uint64_t damaged;		/* malformed records, skipped */
	uint64_t unknown;		/* records of unknown types, skipped */
	uint64_t lost_stacks;		/* names of unknown stacks and wakers in records */
	uint64_t samples;		/* sums over the timer's counts; after profile_use_event(), over that event's */
	uint64_t weight_ns;
	uint64_t late_ns;
	const struct profile_event *event;	/* the one that profile_use_event() kept, or .joint; NULL: all are here */
	struct profile_event joint;	/* the sum of several that it kept; its id is that of the first one */
	bool wall;			/* .event is the timer, and waits are here, too: see profile_use_wall() */
	uint64_t ran_ns;		/* after profile_use_latency(), what .weight_ns was; else 0 */
	uint64_t event_ordered;		/* samples in EVENT_SAMPLE records */
	uint64_t event_ordered_by_tool;	/* of these, the samples whose copied stacks the tool unwound */
	uint64_t ordered;		/* samples in SAMPLE records */
	uint64_t ordered_by_tool;	/* of these, the samples whose copied stacks the tool unwound */
	uint64_t ordered_ns;		/* the time that the .ordered samples stand for */

	bool has_session;
	bool has_stats;
	struct kflame_rec_session session;	/* strings are NUL terminated */
	struct kflame_rec_stats stats;
	struct kflame_cpu *cpus;	/* by cpu number, rising; of the same event as .samples */
	size_t nr_cpus, cap_cpus;
	struct profile_event *events;	/* in the order of the stream; at least one after profile_finish() */
	size_t nr_events, cap_events;

	struct profile_aspace *aspaces;
	size_t nr_aspaces, cap_aspaces;
	struct profile_file *files;
	size_t nr_files, cap_files;
	struct profile_stack *stacks;
	size_t nr_stacks, cap_stacks;
	struct profile_count *counts;
	size_t nr_counts, cap_counts;
	struct profile_waker *wakers;
	size_t nr_wakers, cap_wakers;
	struct profile_label *labels;
	size_t nr_labels, cap_labels;
	struct profile_function *functions;
	size_t nr_functions, cap_functions;
	struct idmap function_ids;	/* id to index */
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

	struct profile_addresses *addresses; /* kept in place of .stacks and .counts; NULL: those are kept */
	struct profile_reader *reader;	/* private to this folder */
	struct names *names;		/* private to stacks/: the names that were found */
	struct roots *roots;		/* private to stacks/: first frames of stacks; NULL: the thread */
	void (*free_shown)(struct profile *p);	/* frees .names and .roots; NULL: nothing to free */
};

/**
 * profile_create() - creates an empty profile, to be filled with profile_feed()
 *
 * Return: the profile, to be freed with profile_destroy(); NULL without memory.
 */
struct profile *profile_create(void);

/**
 * profile_leave_out_stacks() - keep only the addresses in stacks, not the stacks or the counts
 * @p:		a profile to which nothing was fed yet
 *
 * The recorder uses this: it writes the stacks to a file and needs the addresses to look up names. See
 * addresses.h.
 * Return: 0 or -ENOMEM.
 */
int profile_leave_out_stacks(struct profile *p);

/**
 * profile_put_off_samples() - postpones reading stacks and counts until profile_take_samples()
 * @p:		a profile to which nothing was fed yet
 *
 * The recorder uses this, because its file can be read again. The less it computes while sampling, the
 * less of itself appears in the profile.
 */
void profile_put_off_samples(struct profile *p);

/** profile_put_off() - Return: bytes that were fed, and whose samples are still to be read */
uint64_t profile_put_off(const struct profile *p);

/**
 * profile_take_samples() - reads postponed samples from the file; does nothing if none were postponed
 * @p:		a profile to which the contents of the file were fed; profile_finish() was not called yet
 * @fd:		the file, whose first byte is the first that was fed; its file offset does not change
 * @end:	offset at which to stop; reading continues where the last call stopped
 *
 * Return: 0; a positive errno of the file, ENODATA if it is too short; -EILSEQ if its contents are not
 * what was fed; -ENOMEM.
 */
int profile_take_samples(struct profile *p, int fd, uint64_t end);

/** profile_destroy() - frees a profile and everything in it; does nothing for NULL */
void profile_destroy(struct profile *p);

/**
 * profile_feed() - reads the next bytes of a stream, in pieces of any size
 *
 * Return: 0, even if records are damaged; -EILSEQ once it is clear that this reader cannot read the
 * stream (.why has the reason); -ENOMEM.
 */
int profile_feed(struct profile *p, const void *data, size_t len);

/**
 * profile_finish() - the stream has ended: sorts, and sets .state
 *
 * Return: 0; -EILSEQ if the stream holds no readable profile; -ENOMEM.
 */
int profile_finish(struct profile *p);

/** profile_find_event() - Return: the event with that id, NULL for none */
struct profile_event *profile_find_event(const struct profile *p, uint32_t id);

/**
 * profile_use_event() - keeps the samples of one event, or of several that count the same, and drops all others
 * @p:		a profile after profile_finish(), before profile_use_timeline()
 * @name:	name of the file, for messages
 * @event:	name of the event, see profile_event_kind(), or names with commas between them. NULL: the timer, or
 *		without it the first one, with all other probes whose weights are in the same unit
 *
 * Views show that, and each sample still knows its event.  Commands that show or write all events do not call it.  Weights in
 * another unit than nanoseconds become .samples, and .weight_ns becomes 0: views show them as counts.
 *
 * Return: 0; -ENODATA after a message, if the profile has no such event, or if two do not count the same; -ENOMEM.
 */
int profile_use_event(struct profile *p, const char *name, const char *event);

/**
 * profile_name_events() - finds the events of a list
 * @name:	of the file, for messages
 * @list:	events, with commas between them
 * @chosen:	out: true for those in the list; a bool for each of .events
 *
 * Return: 0; -ENODATA after a message, if there is no such event; -ENOMEM.
 */
int profile_name_events(const struct profile *p, const char *name, const char *list, bool *chosen);

/**
 * profile_use_wall() - keeps the samples of the timer and the waits, which together are all time of a thread
 * @p:		as for profile_use_event(), which this replaces
 * @name:	name of the file, for messages
 *
 * The sums of the profile become those of both events. Its accounting by CPU is the timer's.
 *
 * Return: 0; -ENODATA after a message, if the profile does not have both events; -ENOMEM.
 */
int profile_use_wall(struct profile *p, const char *name);

/** profile_counted() - Return: what .samples of the event in use count, in the plural; NULL for samples of time */
const char *profile_counted(const struct profile *p);

/** profile_shows_waits() - Return: whether the event in use, and no other, measures time in which threads waited */
bool profile_shows_waits(const struct profile *p);

/** profile_shows_latency() - Return: whether the event in use measures time from the call of a function to its return */
bool profile_shows_latency(const struct profile *p);

/** profile_shows_lengths() - Return: whether one of both is so: each sample has its own length, and ends at its time */
bool profile_shows_lengths(const struct profile *p);

/** profile_event_name() - Return: the name of a KFLAME_EVENT_*, NULL for none */
const char *profile_event_name(uint32_t kind);

/** profile_event_is_probe() - Return: whether events of that kind have names of their own, such as "kprobe:vfs_read" */
bool profile_event_is_probe(uint32_t kind);

/** profile_event_kind() - Return: KFLAME_EVENT_* of a name that users give; KFLAME_NR_EVENTS for none */
uint32_t profile_event_kind(const char *name);

/** profile_range_is_set() - Return: whether a range has a start or an end */
bool profile_range_is_set(const struct profile_range *r);

/** profile_keep_timeline() - keep .timeline; call it before anything is fed */
void profile_keep_timeline(struct profile *p);

/** profile_keep_cpus() - keep the counts of each CPU apart; call it before anything is fed */
void profile_keep_cpus(struct profile *p);

/**
 * profile_use_timeline() - sorts the samples by time, and drops samples outside a range
 * @p:		a profile read to its end, with profile_keep_timeline()
 * @name:	name of the file, for messages
 * @r:		the range; not set: keep all samples
 *
 * Return: 0; -ENODATA if no samples have times or the range is empty, after a message; -ENOMEM.
 */
int profile_use_timeline(struct profile *p, const char *name, const struct profile_range *r);

/** profile_drop_timeline() - frees .timeline; counts and .span stay */
void profile_drop_timeline(struct profile *p);

/**
 * profile_sample_span() - the time that a sample stands for, since the start of the recording
 * @p:		a profile after profile_use_timeline()
 * @from:	out: of the timer, when it was due; of a wait, when it began
 * @to:		out: of a wait, the time of the sample
 */
void profile_sample_span(const struct profile *p, const struct profile_sample *s, uint64_t *from, uint64_t *to);

/**
 * profile_take_records() - adds records made after reading, as if they had been in the stream
 * @p:		a profile after profile_finish()
 *
 * Return: 0 or -ENOMEM.
 */
int profile_take_records(struct profile *p, const struct records *r);

/**
 * profile_status() - the exit status of a command that read a profile to its end
 *
 * Return: 0 if the profile is whole; 1 if part of it is missing or was skipped. open_profile() has
 * reported that part.
 */
int profile_status(const struct profile *p);

/**
 * profile_host() - Return: the value of a "key=value" that the tool added, NULL if @key is not there
 * @key:	"host", "command", "tool", "exit", "kernel-build-id" or "kernel-base"
 */
const char *profile_host(const struct profile *p, const char *key);

/** profile_began() - Return: when the recording, or the agent's cut, began: CLOCK_REALTIME */
uint64_t profile_began(const struct profile *p);

/** profile_ended() - Return: when it ended, CLOCK_REALTIME; when it began, if that is not known */
uint64_t profile_ended(const struct profile *p);

/** profile_label() - Return: what the samples of a count are about; NULL if they have no label */
const char *profile_label(const struct profile *p, const struct profile_count *c);

/** profile_is_function() - Return: whether an address in a user stack is a function of an interpreted program */
bool profile_is_function(uint64_t ip);

/** profile_function() - Return: the function of a frame of which profile_is_function() is true; NULL: not known */
const struct profile_function *profile_function(const struct profile *p, uint64_t ip);

/** profile_has_labels() - Return: whether some samples have a label */
bool profile_has_labels(const struct profile *p);

/** profile_cgroup() - Return: the path of a cgroup, NULL if the stream has none */
const char *profile_cgroup(const struct profile *p, uint64_t id);

/** profile_count_host() - Return: the host that a count comes from, NULL if it is not known */
const char *profile_count_host(const struct profile *p, const struct profile_count *c);

/** profile_count_run() - Return: the recording that a count comes from, NULL if it is not merged */
const char *profile_count_run(const struct profile *p, const struct profile_count *c);

/**
 * profile_count_key() - a text about the recording that a count comes from
 * @key:	"host", "run", or "label." and the name of a label
 *
 * Return: the text, NULL if it is not known.
 */
const char *profile_count_key(const struct profile *p, const struct profile_count *c, const char *key);

/** profile_has_file() - Return: whether the stream has a file with that id */
bool profile_has_file(const struct profile *p, uint64_t id);

/** profile_find_aspace() - Return: the index of the address space with that id; PROFILE_NONE */
uint32_t profile_find_aspace(const struct profile *p, uint64_t id);

/** profile_between() - Return: whether the bytes fed so far end with a whole record */
bool profile_between(const struct profile *p);

/**
 * profile_map() - finds the mapping at an address
 * @aspace:	index, may be PROFILE_NONE
 *
 * Return: the mapping, NULL for none.
 */
const struct profile_mapping *profile_map(const struct profile *p, uint32_t aspace,
					  uint64_t address);

/** profile_symbol() - Return: the function at @at, NULL for none. */
const struct profile_symbol *profile_symbol(const struct profile_symbols *syms, uint64_t at);

/**
 * profile_verdict() - is the candidate caller of a stack its caller?
 * @file:	index of the file that the program counter is in
 * @offset:	file offset of the program counter
 *
 * Return: 1 to keep the candidate; 0 to drop it; -1 if the stream has no verdict.
 */
int profile_verdict(const struct profile *p, uint32_t file, uint64_t offset);

/**
 * profile_source() - finds the source lines of code
 * @file:	index of the file that the code is in; PROFILE_KERNEL
 * @offset:	file offset of the code; for the kernel, its address
 *
 * Return: the source lines, NULL if they are not known.
 */
const struct profile_source *profile_source(const struct profile *p, uint32_t file,
					    uint64_t offset);

#endif
