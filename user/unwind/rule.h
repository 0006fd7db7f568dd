/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - what a row of DWARF's table is for the module
 */
#ifndef KFLAME_UNWIND_RULE_H
#define KFLAME_UNWIND_RULE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf/cfi_interpreter.h"
#include "uapi/kflame.h"

/** enum unwind_loss - why a place that DWARF describes has no rule */
enum unwind_loss {
	UNWIND_KEPT,		/* none: it has one */
	UNWIND_CFA,		/* the CFA is no place that rules have */
	UNWIND_PLACE,		/* the return address is in none */
	UNWIND_OFFSET,		/* an offset is no multiple of 8, or beyond 32 bits */
	UNWIND_REGISTER,	/* two registers, or one that is not kept */
	UNWIND_SIGNAL,		/* a signal frame that Linux does not make */
	UNWIND_DAMAGED,		/* the program makes no sense */
	UNWIND_LIMIT,		/* too many rows or rules, or too long programs */
	UNWIND_LOSSES,
};

/** unwind_loss_name() - Return: in a few words */
const char *unwind_loss_name(enum unwind_loss loss);

/* Of struct sigcontext in the frame that Linux makes for a signal handler */
#define SIGCONTEXT_ARM64	304	/* offset from sp: siginfo 128, and in ucontext 176 */
#define SIGCONTEXT_X86_64	40	/* offset from sp after the handler's return */
#define SIGCONTEXT_X86_64_BP	80	/* offsets in it */
#define SIGCONTEXT_X86_64_SP	120
#define SIGCONTEXT_X86_64_IP	128

/**
 * unwind_rule() - the rule of a row
 * @g:		of the machine
 * @row:	as cfi_run_next() left it
 * @signal:	the entry is that of a signal frame
 * @rule:	gets it; all zero, which is KFLAME_CFA_NONE, where there is none
 *
 * Return: UNWIND_KEPT, or why there is none.
 */
enum unwind_loss unwind_rule(const struct cfi_registers *g, const struct cfi_row *row,
			     bool signal, struct kflame_rule *rule);

#endif
