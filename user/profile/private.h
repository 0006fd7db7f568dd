/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private.h - private to this folder: the state of reading a stream
 */
#ifndef KFLAME_PROFILE_PRIVATE_H
#define KFLAME_PROFILE_PRIVATE_H

#include "profile/profile.h"

/** enum profile_part - which types of records are read; records of other types are only counted */
enum profile_part {
	PROFILE_ALL,
	PROFILE_BUT_SAMPLES,	/* all but stacks, counts and samples, which are read later */
	PROFILE_SAMPLES,	/* stacks, counts and samples alone */
};

/**
 * struct profile_framing - finds the records in a stream of bytes
 * @buf:	the beginning of a header or record that is not whole yet
 * @have:	bytes in @buf
 * @cap:	size of @buf
 * @skip:	bytes still to come of a header that is longer than ours
 * @records:	whole records so far
 * @past_header: the header was read
 * @stuck:	a record's size made no sense: the rest of the stream cannot be read
 */
struct profile_framing {
	unsigned char *buf;
	size_t have;
	size_t cap;
	size_t skip;
	uint64_t records;
	bool past_header;
	bool stuck;
};

/**
 * struct profile_reader - the state that is needed until the stream ends
 * @part:	which records are read now
 * @fed:	framing of the bytes passed to profile_feed()
 * @again:	framing of the bytes that profile_take_samples() reads again from the file
 * @taken:	bytes that profile_take_samples() has read
 * @refused:	not a profile, or one that this reader cannot read: all further bytes are ignored
 * @ended:	the END record was read
 * @aspaces:	id to index
 * @files:	id to index
 * @stacks:	id to index: [0] recent ids, [1] the generation before.  Each table of the module has new
 *		ids for the same stacks.  Old ids are forgotten, so that a long run does not fill the memory
 * @cgroups:	id to index
 * @stack_index: finds a stack by its content
 * @count_index: finds a count by its key
 * @leaf_index:	finds a verdict by file and offset
 * @origins:	id to index plus 1
 * @keeps_timeline: keep the time of each sample.  The recorder does not, so that a long run does not
 *		fill the memory
 * @keeps_cpus: keep the counts of each CPU apart.  Few commands need that, and it takes more memory
 * @counts:	upper half of the ids of the last COUNT records: [0] of the module, [1] of the tool
 * @count_ids:	for each @counts, id to index
 * @origin:	origin of the next COUNT records; 0: unknown
 * @wakers:	id to index, of the wakers whose ids have the upper half of the last one
 * @wakers_of:	that upper half
 * @waker_index: finds a waker by its content
 * @labels:	id to index
 * @texts:	id to index
 * @source_index: finds source lines by file and offset
 */
struct profile_reader {
	enum profile_part part;
	struct profile_framing fed;
	struct profile_framing again;
	uint64_t taken;
	bool refused;
	bool ended;
	struct idmap aspaces;
	struct idmap files;
	struct idmap stacks[2];
	struct idmap cgroups;
	struct idmap origins;
	bool keeps_timeline;
	bool keeps_cpus;
	uint64_t counts[2];
	struct idmap count_ids[2];
	uint32_t origin;
	struct index stack_index;
	struct index count_index;
	struct index leaf_index;
	struct idmap wakers;
	uint64_t wakers_of;
	struct index waker_index;
	struct idmap labels;
	struct idmap texts;
	struct index source_index;
};

/** profile_feed_samples() - the counterpart of profile_feed() for bytes read again from the file */
int profile_feed_samples(struct profile *p, const void *data, size_t len);

/**
 * profile_take() - reads one whole record
 * @rec:	the record, 8-byte aligned; rec->size was checked
 *
 * Return: 0; -ENOMEM. A damaged or unknown record is counted, and is no error.
 */
int profile_take(struct profile *p, const struct kflame_rec *rec);

/**
 * profile_add_mapping() - adds a mapping, and cuts away the overlapping parts of older mappings
 *
 * Return: 0, -ENOMEM, or -ERANGE if the address space has more mappings than any process can have.
 */
int profile_add_mapping(struct profile_aspace *as, const struct profile_mapping *m);

/**
 * profile_take_string() - copies a text of @len bytes and a NUL at @text, within a record
 * @err:	out: 0; -EBADMSG if that is no such text; -ENOMEM
 *
 * Return: a copy to be freed; NULL with @err.
 */
char *profile_take_string(const struct kflame_rec *rec, const void *text, uint32_t len,
			  int *err);

/**
 * profile_aspace_index() - finds or adds an address space: records may name it before its own record
 * @index:	out
 *
 * Return: 0 or -ENOMEM.
 */
int profile_aspace_index(struct profile *p, uint64_t id, uint32_t *index);

/** profile_take_stack() - reads a STACK record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_stack(struct profile *p, const struct kflame_rec *rec);

/**
 * profile_intern_stack() - finds or adds a stack
 * @given:	of profile_split_label()
 * @i:		out: its index
 *
 * Return: 0 or -ENOMEM.
 */
int profile_intern_stack(struct profile *p, const struct profile_stack *given, uint32_t *i);

/** profile_take_likes() - reads a LIKES record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_likes(struct profile *p, const struct kflame_rec *rec);

/** profile_take_count() - reads a COUNT record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_count(struct profile *p, const struct kflame_rec *rec);

/**
 * profile_add_count() - adds a count to an equal one, or as a new one
 * @at:		out: its index
 *
 * Return: 0; -EBADMSG if the sums do not fit in 64 bits; -ENOMEM.
 */
int profile_add_count(struct profile *p, const struct profile_count *c, uint32_t *at);

/** profile_take_counts() - reads a COUNTS record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_counts(struct profile *p, const struct kflame_rec *rec);

/** profile_take_event_counts() - reads an EVENT_COUNTS record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_event_counts(struct profile *p, const struct kflame_rec *rec);

/** profile_take_wake_counts() - reads a WAKE_COUNTS record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_wake_counts(struct profile *p, const struct kflame_rec *rec);

/** profile_take_waker() - reads a WAKER record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_waker(struct profile *p, const struct kflame_rec *rec);

/** profile_intern_waker() - finds or adds a waker; @i: out: its index.  Return: 0 or -ENOMEM. */
int profile_intern_waker(struct profile *p, const struct profile_waker *w, uint32_t *i);

/** profile_waker_index() - Return: index of the waker with that id; PROFILE_NONE for 0; PROFILE_LOST, which is counted */
uint32_t profile_waker_index(struct profile *p, uint64_t id);

/** profile_stack_index() - Return: index of the stack with that id and kind; PROFILE_NONE for 0; PROFILE_LOST, which is counted */
uint32_t profile_stack_index(struct profile *p, uint64_t id, uint32_t kind);

/** profile_take_label() - reads a LABEL record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_label(struct profile *p, const struct kflame_rec *rec);

/** profile_take_function() - reads a FUNCTION record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_function(struct profile *p, const struct kflame_rec *rec);

/** profile_functions_exit() - frees all functions of interpreted programs */
void profile_functions_exit(struct profile *p);

/** profile_is_label() - Return: whether an address in a kernel stack is a label */
bool profile_is_label(uint64_t ip);

/**
 * profile_split_label() - takes the label out of the frames of a recorded stack
 * @s:		.label is set; the frames change if one is a label
 *
 * Return: 0 or -ENOMEM.
 */
int profile_split_label(struct profile *p, struct profile_stack *s);

/**
 * profile_exchange_label() - makes a copy of a stack the one that was recorded with another innermost frame
 * @s:		of profile_split_label()
 * @ip:		the frame as recorded: an address or a label
 * @made:	out: memory that the stack uses, to be freed; NULL for none
 *
 * Return: 0 or -ENOMEM.
 */
int profile_exchange_label(struct profile *p, struct profile_stack *s, uint64_t ip, uint64_t **made);

/** profile_take_event() - reads an EVENT record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_event(struct profile *p, const struct kflame_rec *rec);

/** profile_take_event_cpu() - reads an EVENT_CPU record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_event_cpu(struct profile *p, const struct kflame_rec *rec);

/** profile_take_event_histogram() - reads an EVENT_HISTOGRAM record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_event_histogram(struct profile *p, const struct kflame_rec *rec);

/** profile_histograms_exit() - frees the histograms of an event */
void profile_histograms_exit(struct profile_event *e);

/** profile_use_one_event() - as profile_use_event(), for the event with that index.  Return: 0 or -ENOMEM */
int profile_use_one_event(struct profile *p, size_t event);

/** profile_add_cpu() - adds the accounting of a CPU, or replaces it.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_add_cpu(struct kflame_cpu **cpus, size_t *nr, size_t *cap, const struct kflame_cpu *books);

/** profile_add_timer() - adds the timer, if the stream names no event, or has samples of it.  Return: 0 or -ENOMEM. */
int profile_add_timer(struct profile *p);

/** profile_take_text() - reads a TEXT record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_text(struct profile *p, const struct kflame_rec *rec);

/** profile_take_source() - reads a SOURCE record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_source(struct profile *p, const struct kflame_rec *rec);

/**
 * profile_add_origin() - adds an origin
 * @text:	"key=value" strings, a NUL after each; @len counts the last NUL
 *
 * Return: 0; -EBADMSG if there are too many; -ENOMEM.
 */
int profile_add_origin(struct profile *p, const char *text, size_t len);

/** profile_take_origin() - reads an ORIGIN record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_origin(struct profile *p, const struct kflame_rec *rec);

/** profile_take_sample() - reads a SAMPLE or EVENT_SAMPLE record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_sample(struct profile *p, const struct kflame_rec *rec);

/**
 * profile_number_count() - remembers the id of a count, if the count has one
 * @id:		the id; 0 for none
 * @i:		index of the count
 *
 * Return: 0 or -ENOMEM.
 */
int profile_number_count(struct profile *p, uint64_t id, uint32_t i);

/** profile_find_leaf() - Return: index of the verdict on a candidate caller, INDEX_NONE for none */
uint32_t profile_find_leaf(const struct profile *p, uint32_t file, uint64_t offset);

#endif
