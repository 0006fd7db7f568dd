/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_protocol.h - question and answer of the sandbox that names functions
 *
 * symbols/function_client.c asks, and function_worker.c answers.
 * The answer is a row of messages.  Each begins with a struct name_say.  NAME_SAY_STATE is the first and
 * NAME_SAY_END the last one.
 */
#ifndef KFLAME_ELF_FUNCTION_PROTOCOL_H
#define KFLAME_ELF_FUNCTION_PROTOCOL_H

#include "elf/function_finder.h"
#include "sandbox/sandbox.h"

#define NAME_MOST	32768u	/* bytes of a name; elf_symbols.c skips symbols with longer ones */

/* Bytes of all names in an answer, without those that are cut */
#define NAME_BUDGET(places)	((4ull << 20) + 512 * (uint64_t)(places))
#define NAME_KEPT	64	/* bytes that are left of a name that is cut */
#define NAME_CUT	128	/* bytes of a name that is cut, at most */

/** name_work - the sandbox's side, for sandbox_main() */
extern const struct sandbox_work name_work;

/** struct name_question - the question; descriptors: the file, and its debug file if it has one */
struct name_question {
	char base[256];			/* name of the file */
	uint64_t nr;
	struct name_place places[];	/* by offset */
};

enum {
	NAME_SAY_STATE,		/* .nr: KFLAME_NAMED_*; .start: NAME_STATE_* */
	NAME_SAY_FUNCTION,	/* .start, .end; .nr bytes of its name follow */
	NAME_SAY_LEAF,		/* .start: the offset; .nr: 1 if the candidate caller is a frame */
	NAME_SAY_END,		/* .nr: names that were cut */
};

enum {
	NAME_STATE_PACKED = 1,	/* finder_packed() */
	NAME_STATE_PARTIAL = 2,	/* finder_partial() */
};

/** struct name_say - begins a message */
struct name_say {
	uint32_t what;		/* NAME_SAY_* */
	uint32_t nr;
	uint64_t start;
	uint64_t end;
};

#endif
