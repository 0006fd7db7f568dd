/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_client.h - one sandbox that unwinds, as seen by the tool
 *
 * Each owner of processes has a sandbox of his own: a file that takes over a sandbox must not see stack copies
 * of other users or other containers.  copies.c chooses the sandbox for each copy.
 */
#ifndef KFLAME_RECORD_COPY_CLIENT_H
#define KFLAME_RECORD_COPY_CLIENT_H

#include <stdbool.h>

#include "profile/profile.h"
#include "record/held_files.h"
#include "record/tally.h"
#include "sandbox/sandbox.h"
#include "unwind/copy_walk.h"

#define CLIENT_FLIGHT	64		/* copies that a sandbox has and has not answered */

/** struct copy_owner - whose stacks they are; all zero: not known */
struct copy_owner {
	uint32_t user;		/* kflame_rec_aspace.owner */
	uint32_t container;	/* kflame_rec_aspace.pidns_inode */
};

/** struct flight - a copy that the sandbox has: what is needed when the answer comes */
struct flight {
	struct kflame_rec_count count;
	struct tally_frames kernel;
	struct tally_frames walked;	/* by the module; .nr 0 if it did not */
	bool counted;		/* by the module, as .walked */
	uint64_t time_ns;	/* when it was due; 0: nobody asked for that */
	uint64_t pc;
	uint32_t bytes;		/* of the whole copy */
	uint64_t *ip;		/* storage of .kernel and .walked */
};

/** struct known_space - which sandbox knows an address space */
struct known_space {
	uint32_t generation;	/* of that sandbox; 0: none */
	size_t maps;		/* so many of its mappings it has */
};

/**
 * struct client_world - what all clients share
 * @spaces:	by the profile's index
 * @generation:	the last one that a client has had
 * @answered:	takes a stack that was unwound; @user is valid during the call
 * @given_up:	takes a copy whose sandbox died
 * @died:	called when a sandbox died; @for_good: none takes its place
 */
struct client_world {
	const struct profile *profile;
	const struct held_files *held;
	struct known_space *spaces;
	size_t nr_spaces, cap_spaces;
	uint32_t generation;
	void (*answered)(void *ctx, struct flight *f, const struct tally_frames *user);
	void (*given_up)(void *ctx, struct flight *f);
	void (*died)(void *ctx, struct copy_owner owner, const char *why, bool for_good);
	void *ctx;
	struct walk_stack answer;
};

/** struct unwinder_client - a sandbox, and what it knows; all zero is none */
struct unwinder_client {
	struct client_world *world;
	struct copy_owner owner;
	struct sandbox sandbox;	/* valid if .socket is */
	int socket;		/* -1: it died too often */
	unsigned int deaths;
	uint32_t generation;	/* of what it knows; never 0, and no other client's */
	uint32_t nr_files, nr_spaces;
	uint32_t *files;	/* by the profile's index: the generation that has it */
	size_t nr_known, cap_known;
	struct flight flight[CLIENT_FLIGHT];
	unsigned int first, in_flight;
	uint32_t flight_bytes;
	uint64_t used_ns;	/* when the last copy was sent to it */
};

/** unwinder_client_start() - start a sandbox.  Return: whether there is one */
bool unwinder_client_start(struct unwinder_client *u, struct client_world *w,
			   struct copy_owner owner);

/** unwinder_client_end() - give up all copies that it has, and end it */
void unwinder_client_end(struct unwinder_client *u);

/** unwinder_client_knows() - Return: whether it knows an address space with all its mappings */
bool unwinder_client_knows(const struct unwinder_client *u, uint32_t aspace);

/** unwinder_client_busy() - Return: whether one more copy would have to wait */
bool unwinder_client_busy(const struct unwinder_client *u);

/** unwinder_client_hear() - take the answers that are there */
void unwinder_client_hear(struct unwinder_client *u);

/** unwinder_client_wait() - wait for an answer, and take it; a sandbox that does not answer is ended */
void unwinder_client_wait(struct unwinder_client *u);

/**
 * unwinder_client_send() - have it unwind a copy
 * @aspace:	index of the address space; PROFILE_NONE if that is not known
 * @f:		taken over, if that returns true
 *
 * Return: false: there is no sandbox, or it died.
 */
bool unwinder_client_send(struct unwinder_client *u, const struct kflame_rec_ustack *rec, uint32_t aspace,
			  const struct flight *f);

#endif
