/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_protocol.h - private to source_*.c: question and answer of the sandbox that reads debug data
 *
 * A row of messages, each a struct source_say and what belongs to it; SOURCE_SAY_END is the
 * last.  Texts have numbers from 1 in the order in which they come.
 */
#ifndef KFLAME_ELF_SOURCE_PROTOCOL_H
#define KFLAME_ELF_SOURCE_PROTOCOL_H

#include "elf/source_lookup.h"
#include "sandbox/sandbox.h"

#define SOURCE_TEXT	(64u << 10)	/* bytes of a text */

enum {
	SOURCE_SAY_TEXT,	/* .nr bytes follow */
	SOURCE_SAY_PLACE,	/* .nr times struct source_level */
	SOURCE_SAY_END,
};

/** struct source_say - begins a message */
struct source_say {
	uint32_t what;		/* SOURCE_SAY_* */
	uint32_t nr;
	uint64_t place;		/* of SOURCE_SAY_PLACE: index of its address */
};

/** struct source_question - the question; descriptors: the mapped file, the file with .debug_info */
struct source_question {
	uint64_t linked;	/* as struct source_file has it */
	uint64_t nr;
	uint64_t offsets[];
};

/**
 * source_hear() - takes what the child tells, none of which is believed without a look
 * @nr:		number of addresses
 *
 * Return: as sources_ask().
 */
int source_hear(struct sandbox *child, size_t nr, const struct source_taker *taker);

#endif
