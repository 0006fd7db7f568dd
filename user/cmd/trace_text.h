/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_text.h - traced calls and stacks as text
 */
#ifndef KFLAME_CMD_TRACE_TEXT_H
#define KFLAME_CMD_TRACE_TEXT_H

#include <stdio.h>

#include "trace/call_trees.h"
#include "trace/stack_lines.h"

/** trace_put_tree() - writes the task, then one call a line: CPU, duration, and the function, below its caller */
void trace_put_tree(FILE *out, const struct call_trees *all, const struct call_tree *tree);

/** trace_put_hit() - writes the task, then the function and its callers, one a line */
void trace_put_hit(FILE *out, const struct stack_hit *hit);

#endif
