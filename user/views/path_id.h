/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_id.h - ids of the nodes of a call tree, made from the names on the way to them
 *
 * An id is a letter and hexadecimal digits, such as "t3f9a12c4d05e".  The letter says which event the path is
 * of.  The digits are a hash of the names, files and kinds of all frames from the thread in.  So a path has the
 * same id in every recording, on every machine.  Root frames, such as a process, are no part of it: --root
 * changes no id.
 */
#ifndef KFLAME_VIEWS_PATH_ID_H
#define KFLAME_VIEWS_PATH_ID_H

#include "profile/profile.h"
#include "stacks/tree.h"

#define PATH_ID_DIGITS	12
#define PATH_ID		(1 + PATH_ID_DIGITS + 1)	/* bytes of a buffer for an id */

/** path_hashes() - Return: the hash of each node of a finished tree, to be freed; NULL if memory is short */
uint64_t *path_hashes(const struct tree *t);

/** path_id_text() - writes the id of a node to @buf (PATH_ID bytes).  @kind: KFLAME_EVENT_*.  Return: @buf */
const char *path_id_text(char *buf, uint32_t kind, uint64_t hash);

/** path_id_is() - Return: whether @text is an id, or its letter and at least four digits */
bool path_id_is(const char *text);

/** path_id_event() - Return: name of the event for which the letter of @id stands; NULL: it stands for several */
const char *path_id_event(const char *id);

/**
 * path_at() - makes a tree of the stacks that begin with a path
 * @t:		a finished tree
 * @id:		as in path_id_is()
 * @out:	out: a finished tree; the caller calls tree_destroy()
 *
 * If no path has the id, or several do, this is reported on standard error.
 *
 * Return: 0; -ENOENT; -EINVAL; -ENOMEM.
 */
int path_at(const struct tree *t, const char *id, struct tree **out);

#endif
