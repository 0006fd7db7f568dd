/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - converts a row of DWARF's table to a rule of the module
 */
#ifndef KFLAME_UNWIND_RULE_H
#define KFLAME_UNWIND_RULE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf/cfi_interpreter.h"
#include "uapi/kflame.h"

/** enum unwind_loss - why a row of DWARF has no rule */
enum unwind_loss {
	UNWIND_KEPT,		/* it has a rule */
	UNWIND_CFA,		/* rules cannot express the CFA */
	UNWIND_PLACE,		/* rules cannot express where the return address is */
	UNWIND_OFFSET,		/* an offset is no multiple of 8, or does not fit in 32 bits */
	UNWIND_REGISTER,	/* it needs two registers, or an unsupported one */
	UNWIND_SIGNAL,		/* a signal frame that Linux does not make */
	UNWIND_DAMAGED,		/* the CFI program is malformed */
	UNWIND_LIMIT,		/* too many rows or rules, or too long programs */
	UNWIND_LOSSES,
};

/** unwind_loss_name() - Return: a short description of @loss */
const char *unwind_loss_name(enum unwind_loss loss);

/* The location of struct sigcontext in the frame that Linux makes for a signal handler */
#define SIGCONTEXT_ARM64	304	/* offset from sp: siginfo 128, and in ucontext 176 */
#define SIGCONTEXT_X86_64	40	/* offset from sp after the handler's return */
#define SIGCONTEXT_X86_64_BP	80	/* offsets in it */
#define SIGCONTEXT_X86_64_SP	120
#define SIGCONTEXT_X86_64_IP	128

/**
 * unwind_rule() - converts a row to a rule
 * @g:		the registers of the machine
 * @row:	as set by cfi_run_next()
 * @signal:	the entry describes a signal frame
 * @rule:	out: the rule; all zero, which is KFLAME_CFA_NONE, if there is none
 *
 * Return: UNWIND_KEPT, or why there is no rule.
 */
enum unwind_loss unwind_rule(const struct cfi_registers *g, const struct cfi_row *row,
			     bool signal, struct kflame_rule *rule);

#endif
