/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_graph.h - option -g of record: how user stacks are unwound
 */
#ifndef KFLAME_RECORD_CALL_GRAPH_H
#define KFLAME_RECORD_CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/** struct call_graph - the way to unwind user stacks, in the terms of struct kflame_config */
struct call_graph {
	uint32_t uway;		/* KFLAME_UWAY_* */
	uint32_t dump;		/* KFLAME_DUMP_* */
	uint32_t dump_bytes;	/* largest stack copy; 0: the default size */
	bool asked;		/* the operator gave -g: fail rather than fall back */
};

/**
 * call_graph_parse() - parses the argument of -g: "auto", "fp", "dwarf", "dump,32K", "dwarf,dump,8K", ...
 *
 * Return: 0; -EINVAL if the text is not a valid way; -ERANGE if the size is out of range.
 */
int call_graph_parse(const char *text, struct call_graph *out);

#endif
