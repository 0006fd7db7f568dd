/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_text.h - lines of a source file
 *
 * Debug data names the file, and that is anybody's. So root reads it with the rights of who owns
 * the program; other users what everybody may read, and what is their own.
 */
#ifndef KFLAME_VIEWS_SOURCE_TEXT_H
#define KFLAME_VIEWS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "rights.h"

/** struct source_text - a file; source_text_close() frees it */
struct source_text {
	char *all;
	char **lines;
	size_t nr, cap;
};

/**
 * source_text_open() - reads the file
 * @as:		whose rights root reads it with
 *
 * Return: 0, also where it is not to be had (.nr is 0); -ENOMEM.
 */
int source_text_open(struct source_text *s, const char *path, const struct rights *as);

/** source_text_line() - Return: a line, counted from 1, tabs as blanks; NULL for none */
const char *source_text_line(const struct source_text *s, uint32_t line);

/** source_text_close() - frees what is in @s */
void source_text_close(struct source_text *s);

#endif
