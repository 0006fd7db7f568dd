/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack.h - writes a compressed tar, whole or not at all
 */
#ifndef KFLAME_PACK_H
#define KFLAME_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "archive_library.h"
#include "record_output.h"

/** struct pack - private, but for @bytes: of all files, and @out.old, @out.bytes */
struct pack {
	const struct archive_library *lib;
	struct archive *archive;
	struct record_output out;
	int signals;		/* Ctrl-C and its like come from there */
	bool failed;		/* it was told: nothing more is written */
	uint64_t bytes;
};

/** pack_suffix() - Return: what a name ends in, by what can be compressed here; NULL: told */
const char *pack_suffix(void);

/**
 * pack_open() - makes the file, 0600; one that is there becomes FILE.old
 * @path:	its end says how it is compressed: .tar, .gz, .tgz, .xz; otherwise by zstd.
 *		"-" is standard output
 *
 * Return: 0; -1, which was told.
 */
int pack_open(struct pack *k, const char *path, const char *by_default);

/**
 * pack_file() - adds a file
 * @name:	with a slash before it
 * @fd:		has its bytes, from 0 on
 * @st:		its size, owner and time
 *
 * Return: 0; a positive errno where not all of it could be read: what is missing is zeros;
 * -1 where the archive failed, which was told.
 */
int pack_file(struct pack *k, const char *name, int fd, const struct stat *st);

/** pack_text() - adds a file that is in memory.  Return: 0; -1, told. */
int pack_text(struct pack *k, const char *name, const char *text, size_t len);

/** pack_close() - ends it.  Return: 0; -1 where it failed, which was told: nothing is left */
int pack_close(struct pack *k);

#endif
