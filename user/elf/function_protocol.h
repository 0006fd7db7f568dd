/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_protocol.h - question and answer of the sandbox that names functions
 *
 * symbols/function_client.c asks, and function_worker.c answers.  The answer is a sequence of messages, and
 * each begins with a struct name_say.  The first one is NAME_SAY_STATE and the last one is NAME_SAY_END.
 */
#ifndef KFLAME_ELF_FUNCTION_PROTOCOL_H
#define KFLAME_ELF_FUNCTION_PROTOCOL_H

#include "elf/function_finder.h"
#include "sandbox/sandbox.h"

#define NAME_MOST	32768u	/* bytes of a name; elf_symbols.c skips symbols with longer names */

/* Bytes of all names in an answer, except for names that are cut */
#define NAME_BUDGET(places)	((4ull << 20) + 512 * (uint64_t)(places))
#define NAME_KEPT	64	/* bytes of the original name in a name that is cut */
#define NAME_CUT	128	/* buffer size for a name that is cut */

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
	NAME_SAY_LEAF,		/* .start: the offset; .nr: finder_leaf() */
	NAME_SAY_END,		/* .nr: names that were cut */
};

enum {
	NAME_STATE_PACKED = 1,	/* finder_packed() */
	NAME_STATE_PARTIAL = 2,	/* finder_partial() */
};

/** struct name_say - the head of a message */
struct name_say {
	uint32_t what;		/* NAME_SAY_* */
	uint32_t nr;
	uint64_t start;
	uint64_t end;
};

#endif
