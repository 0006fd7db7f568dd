/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open_parts.h - private to open*.c: where the data of a view is from
 */
#ifndef KFLAME_STACKS_OPEN_PARTS_H
#define KFLAME_STACKS_OPEN_PARTS_H

#include "stacks/open.h"

/**
 * open_store() - adds up the profiles of a directory
 * @naming:	.store, .where, .last_ns and .range say which
 *
 * Return: the sum, with the counts of all events; NULL after a message.
 */
struct profile *open_store(const struct naming *naming);

#endif
