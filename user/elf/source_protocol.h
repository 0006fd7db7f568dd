/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_protocol.h - private to source_*.c: question and answer of the sandbox that reads debug data
 *
 * The answer is a sequence of messages.  Each is a struct source_say and the data that it announces, and the
 * last one is SOURCE_SAY_END.  A text has an id, which counts from 1 in the order of the messages.
 */
#ifndef KFLAME_ELF_SOURCE_PROTOCOL_H
#define KFLAME_ELF_SOURCE_PROTOCOL_H

#include "elf/source_lookup.h"
#include "sandbox/sandbox.h"

#define SOURCE_TEXT	(64u << 10)	/* most bytes of a text */

enum {
	SOURCE_SAY_TEXT,	/* .nr bytes follow */
	SOURCE_SAY_PLACE,	/* .nr times a struct source_level follows */
	SOURCE_SAY_END,		/* .nr: whether the installed libelf cannot unpack the debug data */
};

/** struct source_say - the head of a message */
struct source_say {
	uint32_t what;		/* SOURCE_SAY_* */
	uint32_t nr;
	uint64_t place;		/* for SOURCE_SAY_PLACE: index of the address in the question */
};

/** struct source_question - the question; descriptors: the mapped file, the file with .debug_info */
struct source_question {
	uint64_t linked;	/* as in struct source_file */
	uint64_t nr;
	uint64_t offsets[];
};

/**
 * source_hear() - read and check the answer of the sandbox
 * @nr:		number of addresses in the question
 *
 * Return: as sources_ask().
 */
int source_hear(struct sandbox *child, size_t nr, const struct source_taker *taker);

#endif
