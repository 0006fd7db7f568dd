/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_graph.h - how user stacks are found: record -g
 */
#ifndef KFLAME_RECORD_CALL_GRAPH_H
#define KFLAME_RECORD_CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/** struct call_graph - as kflame_config has it */
struct call_graph {
	uint32_t uway;		/* KFLAME_UWAY_* */
	uint32_t dump;		/* KFLAME_DUMP_* */
	uint32_t dump_bytes;	/* most of a stack that are copied; 0 for the default */
	bool asked;		/* not the default, which may give way to what there is */
};

/**
 * call_graph_parse() - "auto", "fp", "dwarf", "dump", "dump,32K", "dwarf,dump,8K", ...
 *
 * Return: 0; -EINVAL where it is none of them; -ERANGE for bytes that cannot be.
 */
int call_graph_parse(const char *text, struct call_graph *out);

#endif
