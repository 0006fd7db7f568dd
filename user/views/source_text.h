/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_text.h - lines of a source file
 *
 * Debug data names the file, and any user may have written the debug data.  So root opens the file with the
 * rights of the program's owner.  Other users can read world-readable files, and their own if the program is
 * theirs, too.  Only regular files on file systems that store files are opened: see regular_file.h.
 */
#ifndef KFLAME_VIEWS_SOURCE_TEXT_H
#define KFLAME_VIEWS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/rights.h"

/**
 * struct source_text - the lines of a file; source_text_close() frees them
 * @why:	a phrase: why there are none; NULL: there are
 * @mtime_ns:	last change of the file
 */
struct source_text {
	const char *why;
	uint64_t mtime_ns;
	char *all;
	char **lines;
	size_t nr, cap;
};

/**
 * source_text_open() - reads a file
 * @as:		the rights of the user who may have chosen the path
 * @symbols:	directory that is searched first: a copy of the recorded machine's root; NULL: none
 *
 * Return: 0, even if the file cannot be read (.nr is 0 then, and .why is set); -ENOMEM.
 */
int source_text_open(struct source_text *s, const char *path, const char *symbols, const struct rights *as);

/** source_text_line() - Return: line number @line, from 1, with tabs as blanks; NULL if there is none */
const char *source_text_line(const struct source_text *s, uint32_t line);

/** source_text_close() - frees the contents of @s */
void source_text_close(struct source_text *s);

#endif
