/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_client.h - the recorder's side of one sandbox that unwinds
 *
 * Each owner of processes has a separate sandbox. A hostile file may take over a sandbox. It must not see the
 * stack copies of other users or other containers then.  copies.c chooses the sandbox for each copy.
 */
#ifndef KFLAME_RECORD_COPY_CLIENT_H
#define KFLAME_RECORD_COPY_CLIENT_H

#include <stdbool.h>

#include "profile/profile.h"
#include "record/held_files.h"
#include "record/tally.h"
#include "sandbox/sandbox.h"
#include "unwind/copy_walk.h"

#define CLIENT_FLIGHT	64		/* copies sent to a sandbox and not answered yet */

/** struct copy_owner - the user and container that a copy belongs to; all zero: unknown */
struct copy_owner {
	uint32_t user;		/* kflame_rec_aspace.owner */
	uint32_t container;	/* kflame_rec_aspace.pidns_inode */
};

/** struct flight - a copy in a sandbox: what the recorder needs when the answer arrives */
struct flight {
	struct tally_count count;
	struct tally_frames kernel;
	struct tally_frames walked;	/* by the module; .nr 0: it did not walk this stack */
	bool counted;		/* the module already counted .walked in the profile */
	uint64_t time_ns;	/* when the sample was due; 0: write no SAMPLE record */
	uint64_t pc;
	uint32_t bytes;		/* size of the whole copy */
	uint64_t *ip;		/* storage of .kernel and .walked */
};

/** struct known_space - which client's sandbox has an address space */
struct known_space {
	uint32_t generation;	/* generation of that client; 0: no client */
	size_t maps;		/* how many of its mappings were sent */
};

/**
 * struct client_world - state that all clients share
 * @spaces:	by index of the address space in the profile
 * @generation:	the latest generation that a client was assigned
 * @answered:	receives an unwound stack; @user is valid during the call
 * @given_up:	receives a copy whose sandbox died
 * @died:	called when a sandbox died; @for_good: it is not replaced
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

/** struct unwinder_client - a sandbox, and which files and mappings were sent to it; all zero is none */
struct unwinder_client {
	struct client_world *world;
	struct copy_owner owner;
	struct sandbox sandbox;	/* valid if .socket is open */
	int socket;		/* -1: no sandbox; it died too often */
	unsigned int deaths;
	uint32_t generation;	/* of the sandbox's present state; never 0, unique among clients */
	uint32_t nr_files, nr_spaces;
	uint32_t *files;	/* by index of the file in the profile: the generation that has it */
	size_t nr_known, cap_known;
	struct flight flight[CLIENT_FLIGHT];
	unsigned int first, in_flight;
	uint32_t flight_bytes;
	uint64_t used_ns;	/* when the last copy was sent to it */
};

/** unwinder_client_start() - starts a sandbox.  Return: whether it runs */
bool unwinder_client_start(struct unwinder_client *u, struct client_world *w,
			   struct copy_owner owner);

/** unwinder_client_end() - gives up all copies in the sandbox, and ends it */
void unwinder_client_end(struct unwinder_client *u);

/** unwinder_client_knows() - Return: whether the sandbox has an address space with all its mappings */
bool unwinder_client_knows(const struct unwinder_client *u, uint32_t aspace);

/** unwinder_client_busy() - Return: whether sending one more copy would block */
bool unwinder_client_busy(const struct unwinder_client *u);

/** unwinder_client_hear() - handles the answers that have arrived, without waiting */
void unwinder_client_hear(struct unwinder_client *u);

/** unwinder_client_wait() - waits for an answer, and handles it; ends a sandbox that does not answer */
void unwinder_client_wait(struct unwinder_client *u);

/**
 * unwinder_client_send() - sends a copy to the sandbox
 * @aspace:	index of the address space in the profile; PROFILE_NONE if unknown
 * @f:		owned by @u from here on, if the function returns true
 *
 * Return: true if sent; false if there is no sandbox, or it died.
 */
bool unwinder_client_send(struct unwinder_client *u, const struct kflame_rec_ustack *rec, uint32_t aspace,
			  const struct flight *f);

#endif
