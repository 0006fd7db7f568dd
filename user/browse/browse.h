/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * browse.h - shows a profile interactively in a terminal
 */
#ifndef KFLAME_BROWSE_BROWSE_H
#define KFLAME_BROWSE_BROWSE_H

#include "browse/browser.h"
#include "browse/terminal.h"

/** browse_keys() - handles all waiting keys, and draws.  Return: as browser_key() */
int browse_keys(struct browser *b, struct terminal *t);

/**
 * browse() - runs until the user quits
 *
 * Return: 0; 128 + the number of a signal that ended it; -1, after an error message.
 */
int browse(const struct browser_source *s, enum tree_unit unit, enum functions_sort sort);

#endif
