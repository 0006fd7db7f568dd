/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_expression.h - evaluates the DWARF expressions of unwind information
 */
#ifndef KFLAME_UNWIND_DWARF_EXPRESSION_H
#define KFLAME_UNWIND_DWARF_EXPRESSION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define FRAME_REGS	33	/* as many as an architecture has here: KFLAME_REGS_* */

/** struct registers - those of a frame, by their DWARF numbers */
struct registers {
	uint64_t value[FRAME_REGS];
	uint64_t known;		/* a bit for each */
};

/** struct machine - what an expression may ask for */
struct machine {
	const struct registers *regs;
	uint64_t cfa;
	bool has_cfa;
	bool (*read)(void *ctx, uint64_t at, void *to, size_t len);
	void *ctx;
};

/**
 * expression_run() - evaluates an expression as libdw gives it
 * @value:	gets what is on top of the stack at its end
 * @is_value:	gets whether that is the value that was asked for, and not where it is
 *
 * Return: false: it asks for what is not known, or makes no sense.
 */
bool expression_run(const struct machine *m, const Dwarf_Op *ops, size_t nr, uint64_t *value,
		    bool *is_value);

#endif
