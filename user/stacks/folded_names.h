/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded_names.h - names of user functions for the folded stacks that the module writes with text=1
 */
#ifndef KFLAME_STACKS_FOLDED_NAMES_H
#define KFLAME_STACKS_FOLDED_NAMES_H

#include <stddef.h>
#include <stdio.h>

/**
 * folded_names_add() - replaces frames such as "libc.so.6+0x8a3f0" by the names of their functions
 * @in:		folded stacks, read to the end
 * @name:	of the file, for messages
 * @symbols:	as for binary_open_file()
 * @text:	out: the stacks, to be freed
 * @len:	out: bytes of @text
 *
 * The module's remarks describe each file: "# file: PATH size=N mtime_ns=N build-id=HEX". So only the mapped file
 * names its functions. A frame of a file that is not found becomes a note, as in a profile. If two mapped files have
 * the same name, their frames stay as they are.
 *
 * Return: 0; a negative errno: -ENODATA after a message, if no remark describes a file.
 */
int folded_names_add(FILE *in, const char *name, const char *symbols, char **text, size_t *len);

#endif
