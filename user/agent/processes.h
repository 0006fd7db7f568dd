/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - the address spaces that the module reported, kept from one cut to the next
 *
 * The module reports an address space and its mappings once.  Each profile that has samples of it needs these
 * records again.  Beyond a limit in bytes, address spaces of ended processes are forgotten, the ones that were
 * not sampled for longest first.
 */
#ifndef KFLAME_AGENT_PROCESSES_H
#define KFLAME_AGENT_PROCESSES_H

#include <stdbool.h>

#include "base/hash.h"
#include "profile/writer.h"

/** struct process - an address space; @cut: the last cut with samples of it */
struct process {
	uint64_t id;
	struct kflame_rec_aspace rec;	/* .id is 0 until it is reported */
	struct kflame_rec_mapping *maps;
	size_t nr_maps, cap_maps;
	uint64_t cut;
};

/** struct processes - all of them; all zero is none */
struct processes {
	struct process *all;
	size_t nr, cap;
	struct idmap ids;
	uint64_t bytes;		/* that they take */
	uint64_t forgotten;	/* ended ones that were forgotten */
	uint64_t forgotten_alive; /* the limit left no room for all running ones */
};

/** processes_find() - Return: the address space with that id, a new one if it is not known; NULL without memory */
struct process *processes_find(struct processes *p, uint64_t id);

/** processes_report() - takes an ASPACE record.  Return: 0 or -ENOMEM */
int processes_report(struct processes *p, const struct kflame_rec_aspace *rec);

/** processes_map() - takes a MAPPING record.  Return: 0 or -ENOMEM */
int processes_map(struct processes *p, const struct kflame_rec_mapping *rec);

/**
 * processes_shrink() - forgets address spaces until half of the limit is free, if they take more than the limit
 * @cut:	the current cut, whose address spaces stay
 */
void processes_shrink(struct processes *p, uint64_t limit, uint64_t cut);

/** processes_exit() - forgets all */
void processes_exit(struct processes *p);

#endif
