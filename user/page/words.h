/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - names and paths, cut to fit into a line
 *
 * Names come from the recorded machine: any user may have chosen them.  All functions here replace what is no
 * readable character.
 */
#ifndef KFLAME_PAGE_WORDS_H
#define KFLAME_PAGE_WORDS_H

#include <stdio.h>

#include "stacks/tree.h"

#define WORD_CELLS	60			/* of one name, in columns */
#define WORD_BYTES	(4 * WORD_CELLS + 4)	/* of a buffer for one */

/** word_cut() - writes @name to @buf (WORD_BYTES); a long one loses template arguments, then its end.  Return: @buf */
const char *word_cut(char *buf, const char *name);

/** words_thread() - Return: name of the thread that a node belongs to; "?" for none */
const char *words_thread(const struct tree *t, uint32_t node);

/**
 * words_site() - where a thread waits: the innermost function that is not part of every wait, such as schedule()
 * @note:	out: the innermost note, such as "[preempted]"; NULL for none
 *
 * Return: its node; @node itself for a path without such a function, or that is no wait.
 */
uint32_t words_site(const struct tree *t, uint32_t node, const char **note);

/**
 * words_inner() - the innermost functions of a path, as "vfs_read > ext4_read"
 * @most:	most functions
 *
 * Return: the words, to be freed; NULL if memory is short.
 */
char *words_inner(const struct tree *t, uint32_t node, size_t most);

/** words_put_callers() - writes the callers of a path's last function, outermost first; their middle may be left out */
void words_put_callers(FILE *out, const struct tree *t, uint32_t node, size_t cells);

#endif
