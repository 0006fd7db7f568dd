/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_files.h - reads and writes the files of the kernel's tracer
 */
#ifndef KFLAME_TRACE_TRACE_FILES_H
#define KFLAME_TRACE_TRACE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * trace_files_open() - finds tracefs, and checks that this process may use it
 *
 * Return: the directory, to be freed; NULL after an error message.
 */
char *trace_files_open(void);

/**
 * trace_file_read() - reads a whole file
 *
 * Return: its text, to be freed; NULL with errno.
 */
char *trace_file_read(const char *dir, const char *file);

/**
 * trace_file_write() - replaces the content of a file
 * @text:	"" only removes what is there
 *
 * The kernel takes one word at a time of some files.  So this writes until all is written.
 *
 * Return: 0 or a negative errno.
 */
int trace_file_write(const char *dir, const char *file, const char *text);

/** trace_file_exists() - Return: whether there is such a file */
bool trace_file_exists(const char *dir, const char *file);

/** trace_file_has_word() - Return: whether a file has the word, between blanks or as [word] */
bool trace_file_has_word(const char *dir, const char *file, const char *word);

#endif
