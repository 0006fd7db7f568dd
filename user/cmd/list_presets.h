/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_presets.h - the options of kflame record that are events for a purpose, as kflame list shows them
 */
#ifndef KFLAME_CMD_LIST_PRESETS_H
#define KFLAME_CMD_LIST_PRESETS_H

#include <stddef.h>
#include <stdint.h>

struct kernel_symbols;

/**
 * list_presets() - prints the presets, and of each that cannot be used here the event that is missing
 * @root:	directory that stands for /
 * @symbols:	of that system, which are read if that was not done before
 * @pattern:	only presets whose option has it as a part; NULL: all
 * @kinds:	kinds of events that work here, a bit for each KFLAME_EVENT_*
 *
 * Return: how many were printed.
 */
size_t list_presets(const char *root, struct kernel_symbols *symbols, const char *pattern, uint64_t kinds);

#endif
