/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private.h - private to this folder: the state of reading a stream
 */
#ifndef KFLAME_PROFILE_PRIVATE_H
#define KFLAME_PROFILE_PRIVATE_H

#include "profile/profile.h"

/** enum profile_part - which records are taken; the others are counted as ever */
enum profile_part {
	PROFILE_ALL,
	PROFILE_BUT_SAMPLES,	/* stacks, and how often they were seen, come later */
	PROFILE_SAMPLES,	/* these alone */
};

/**
 * struct profile_framing - where in a stream of bytes its records begin
 * @buf:	the beginning of a header or record that is not whole yet
 * @have:	bytes of it
 * @cap:	room in it
 * @skip:	bytes of a longer header than ours, still to come
 * @records:	whole ones that came
 * @past_header: the header was read
 * @stuck:	a record's size made no sense: the rest cannot be read
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
 * struct profile_reader - what is needed until the stream ends
 * @part:	of the records that come now
 * @fed:	as it is fed
 * @again:	what is taken from a file, after that
 * @taken:	bytes of it
 * @refused:	this is no profile, or none for us: nothing more is taken
 * @ended:	the END record came
 * @aspaces:	by id, index
 * @files:	by id, index
 * @stacks:	by id, index: [0] of late, [1] of the generation before it.  The
 *		module numbers the same stacks anew with each table it hands out, so
 *		old numbers are forgotten, or a long run would fill the memory
 * @cgroups:	by id, index
 * @stack_index: by content
 * @count_index: by key
 * @leaf_index:	by file and offset
 * @origins:	by id, place from 1
 * @keeps_timeline: samples in order of time are wanted.  A recorder wants none: a long run
 *		would fill the memory
 * @keeps_cpus: what was counted on each CPU is kept apart: that is more, and few ask for it
 * @counts:	upper half of the numbers of the COUNT records that came last: [0] of the
 *		module's, [1] of the tool's
 * @count_ids:	these, index
 * @origin:	of COUNT records that come now; 0: unknown
 * @texts:	by id, index
 * @source_index: by file and offset
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
	struct idmap texts;
	struct index source_index;
};

/** profile_feed_samples() - profile_feed() of what is taken from a file */
int profile_feed_samples(struct profile *p, const void *data, size_t len);

/**
 * profile_take() - takes one whole record
 * @rec:	of rec->size bytes, which was checked; 8-byte aligned
 *
 * Return: 0, also where it is damaged or unknown, which is counted; -ENOMEM.
 */
int profile_take(struct profile *p, const struct kflame_rec *rec);

/**
 * profile_add_mapping() - adds a mapping; what it overlaps is cut away
 *
 * Return: 0, -ENOMEM, or -ERANGE where there are more than any process has.
 */
int profile_add_mapping(struct profile_aspace *as, const struct profile_mapping *m);

/**
 * profile_take_string() - the text of @len bytes at @text, in a record, with a NUL after it
 * @err:	-EBADMSG where it is none; -ENOMEM
 *
 * Return: a copy to be freed; NULL with @err.
 */
char *profile_take_string(const struct kflame_rec *rec, const void *text, uint32_t len,
			  int *err);

/**
 * profile_aspace_index() - the address space with that id: what names it may come before its record
 * @index:	out
 *
 * Return: 0 or -ENOMEM.
 */
int profile_aspace_index(struct profile *p, uint64_t id, uint32_t *index);

/** profile_take_stack() - takes a STACK record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_stack(struct profile *p, const struct kflame_rec *rec);

/** profile_take_likes() - takes a LIKES record */
int profile_take_likes(struct profile *p, const struct kflame_rec *rec);

/** profile_take_count() - takes a COUNT record */
int profile_take_count(struct profile *p, const struct kflame_rec *rec);

/** profile_take_counts() - takes a COUNTS record */
int profile_take_counts(struct profile *p, const struct kflame_rec *rec);

/** profile_take_text() - takes a TEXT record.  Return: 0, -EBADMSG or -ENOMEM. */
int profile_take_text(struct profile *p, const struct kflame_rec *rec);

/** profile_take_source() - takes a SOURCE record */
int profile_take_source(struct profile *p, const struct kflame_rec *rec);

/** profile_take_origin() - takes an ORIGIN record */
int profile_take_origin(struct profile *p, const struct kflame_rec *rec);

/** profile_take_sample() - takes a SAMPLE record */
int profile_take_sample(struct profile *p, const struct kflame_rec *rec);

/**
 * profile_number_count() - remembers the id of a count, if it has one
 * @id:		that number; 0 for none
 * @i:		index of its count
 *
 * Return: 0 or -ENOMEM.
 */
int profile_number_count(struct profile *p, uint64_t id, uint32_t i);

/** profile_find_leaf() - Return: index of the verdict, INDEX_NONE for none */
uint32_t profile_find_leaf(const struct profile *p, uint32_t file, uint64_t offset);

#endif
