/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_expression.h - evaluates the DWARF expressions of unwind information
 */
#ifndef KFLAME_UNWIND_DWARF_EXPRESSION_H
#define KFLAME_UNWIND_DWARF_EXPRESSION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define FRAME_REGS	33	/* the most registers of an architecture: KFLAME_REGS_* */

/** struct registers - the registers of a frame, by their DWARF numbers */
struct registers {
	uint64_t value[FRAME_REGS];
	uint64_t known;		/* a bit for each register whose value is known */
};

/** struct machine - the state that an expression may read */
struct machine {
	const struct registers *regs;
	uint64_t cfa;
	bool has_cfa;
	bool (*read)(void *ctx, uint64_t at, void *to, size_t len);
	void *ctx;
};

/**
 * expression_run() - evaluates an expression in the form that libdw returns
 * @value:	out: the top of the expression's stack at its end
 * @is_value:	out: true if @value is the value itself, false if @value is its address
 *
 * Return: false if the expression reads something unknown, or is malformed.
 */
bool expression_run(const struct machine *m, const Dwarf_Op *ops, size_t nr, uint64_t *value,
		    bool *is_value);

#endif
