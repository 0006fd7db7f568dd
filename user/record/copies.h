/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copies.h - unwinds the stack copies of the module during the recording
 *
 * To unwind a copy takes the mappings and files of its address space. They arrive in the module's stream, and
 * the profile has them. A copy that arrives earlier waits for them, but not forever.
 *
 * Sandboxes unwind: one for each user and container (copy_client.h). If a sandbox dies or hangs, its pending
 * stacks become bare program counters, marked as such. A new sandbox takes over, a few times.
 *
 * Results are added up here, so that neither memory nor the profile grows with the length of the recording.
 */
#ifndef KFLAME_RECORD_COPIES_H
#define KFLAME_RECORD_COPIES_H

#include "device/ring.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "record/compare_walks.h"
#include "record/held_files.h"

struct copies;

/** struct copies_sums - how many copies had which result so far */
struct copies_sums {
	uint64_t unwound;
	uint64_t cut;		/* of .unwound: the copy ended before the stack did */
	uint64_t given_up;	/* the profile has the program counter only, or the module's own walk */
	uint64_t as_walked;	/* not unwound, because their address space was never reported: the
				 * profile has the module's own walk */
	uint64_t lost;		/* dropped for lack of memory: not in the profile */
	uint64_t waited;	/* waited for their address space or for a free sandbox */
	uint64_t unknown;	/* unwound too late, while their address space was still incomplete */
	unsigned int deaths;	/* how often a sandbox died */
	struct both_sums both;	/* comparison with the module's own walk of the same stacks */
};

/**
 * copies_create() - starts to unwind copies
 * @p:		the profile; the caller feeds it during the recording
 * @held:	the open files of the profile; held_files_start() may follow later
 *
 * Call it before this process becomes a subreaper: see sandbox_prepare().
 *
 * Return: an object for copies_destroy(); NULL if memory is short or no sandbox can be started.
 */
struct copies *copies_create(const struct profile *p, const struct held_files *held);

/** copies_destroy() - ends the sandboxes, and frees @c; NULL is allowed */
void copies_destroy(struct copies *c);

/** copies_fd() - Return: a descriptor that is readable when copies_pump() has work; -1 for none */
int copies_fd(const struct copies *c);

/**
 * copies_pump() - collects answers, and takes copies from the rings, for a bounded time
 * @rings:	the rings of the module; NULL for none
 *
 * Return: call it again after at most so many nanoseconds; 0: at once; UINT64_MAX: nothing waits.
 */
uint64_t copies_pump(struct copies *c, struct rings *rings);

/**
 * copies_finish() - unwinds all remaining copies, or as many as the tally has room for
 *
 * Call it when the profile has everything that the module reported. While the rings are not empty,
 * call copies_tell() and then copies_finish() again.
 */
void copies_finish(struct copies *c, struct rings *rings);

/** copies_is_full() - Return: whether the tally is full, so that copies_tell() is due */
bool copies_is_full(const struct copies *c);

/** copies_tell() - writes STACK and COUNT records of all new results, and empties the tally */
void copies_tell(struct copies *c, struct records *to);

/** copies_sums() - Return: how many copies had which result so far */
const struct copies_sums *copies_sums(const struct copies *c);

/** copies_pid() - Return: the process id of the first sandbox, 0 for none.  For tests. */
pid_t copies_pid(const struct copies *c);

/** copies_take() - handles one copy as if it came from a ring.  Tests call it, too. */
void copies_take(struct copies *c, const struct kflame_rec_ustack *rec);

#endif
