/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copies.h - unwinds the module's copies of stacks while it records
 *
 * What is known of an address space (its mappings, its files) comes by the stream and is in
 * the profile. A copy that is there earlier waits, but not for ever.  Sandboxes unwind, one for
 * each user and container (copy_client.h).  If a sandbox dies or hangs, the stacks it had are program
 * counters that say so, and another sandbox goes on, a few times. What comes of it is added up here, so that
 * neither memory nor the profile grows with the length of the recording.
 */
#ifndef KFLAME_RECORD_COPIES_H
#define KFLAME_RECORD_COPIES_H

#include "device/ring.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "record/compare_walks.h"
#include "record/held_files.h"

struct copies;

/** struct copies_sums - what became of the copies so far */
struct copies_sums {
	uint64_t unwound;
	uint64_t cut;		/* of these: the copy was not long enough */
	uint64_t given_up;	/* only their program counter is known, or what the module walked */
	uint64_t as_walked;	/* not unwound: their address space was never reported; as the module
				 * walked them */
	uint64_t lost;		/* no memory for them: not in the profile */
	uint64_t waited;	/* for what is known of their address space, or for their turn */
	uint64_t unknown;	/* of these: in vain */
	unsigned int deaths;	/* of the process that unwinds */
	struct both_sums both;	/* of those that the module walked, too */
};

/**
 * copies_create() - begins to unwind
 * @p:		what the stream says; fed meanwhile by the caller
 * @held:	its files, which may be begun to be held later
 *
 * Before this process takes in orphans: see sandbox_prepare().
 *
 * Return: to be freed with copies_destroy(); NULL without memory, or if no sandbox can be started.
 */
struct copies *copies_create(const struct profile *p, const struct held_files *held);

/** copies_destroy() - ends it; takes NULL */
void copies_destroy(struct copies *c);

/** copies_fd() - Return: what is readable when copies_pump() should come; -1 for none */
int copies_fd(const struct copies *c);

/**
 * copies_pump() - takes what is in the rings, for a while, and what was unwound
 * @rings:	NULL for none
 *
 * Return: nanoseconds after which it should come again at the latest: 0 for at once,
 * UINT64_MAX where nothing waits.
 */
uint64_t copies_pump(struct copies *c, struct rings *rings);

/**
 * copies_finish() - unwinds all that is left, or as much as there is room for
 *
 * To be called again, after copies_tell(), while there is something in the rings. All that the module had to tell is in the profile.
 */
void copies_finish(struct copies *c, struct rings *rings);

/** copies_is_full() - Return: whether copies_tell() should be called before long */
bool copies_is_full(const struct copies *c);

/** copies_tell() - gives STACK and COUNT records of all that was unwound, once */
void copies_tell(struct copies *c, struct records *to);

/** copies_sums() - what became of them */
const struct copies_sums *copies_sums(const struct copies *c);

/** copies_pid() - Return: the first sandbox, 0 for none.  For tests. */
pid_t copies_pid(const struct copies *c);

/** copies_take() - takes one copy, as if it came by a ring.  For tests, too. */
void copies_take(struct copies *c, const struct kflame_rec_ustack *rec);

#endif
