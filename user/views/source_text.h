/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_text.h - lines of a source file
 *
 * Debug data names the file, and any user may have written it.  So root reads the file with the
 * rights of the program's owner.  Other users see world-readable files and their own.
 */
#ifndef KFLAME_VIEWS_SOURCE_TEXT_H
#define KFLAME_VIEWS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/rights.h"

/** struct source_text - a file; source_text_close() frees it */
struct source_text {
	char *all;
	char **lines;
	size_t nr, cap;
};

/**
 * source_text_open() - reads the file
 * @as:		the rights that root opens the file with
 *
 * Return: 0, also where it is not to be had (.nr is 0); -ENOMEM.
 */
int source_text_open(struct source_text *s, const char *path, const struct rights *as);

/** source_text_line() - Return: a line, counted from 1, tabs as blanks; NULL for none */
const char *source_text_line(const struct source_text *s, uint32_t line);

/** source_text_close() - frees what is in @s */
void source_text_close(struct source_text *s);

#endif
