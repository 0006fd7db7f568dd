/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar_file.h - writes a compressed tar, whole or not at all
 */
#ifndef KFLAME_ARCHIVE_TAR_FILE_H
#define KFLAME_ARCHIVE_TAR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "archive/archive_library.h"
#include "base/atomic_file.h"

/**
 * struct pack - a compressed tar on its way
 * @replaced:	something was at its path: it is FILE.old in the end
 * @bytes:	of all files
 * @written:	bytes of the archive
 *
 * The rest is private.
 */
struct pack {
	const struct archive_library *lib;
	struct archive *archive;
	struct output out;
	const char *path;	/* for messages */
	bool replaced;
	int signals;		/* Ctrl-C and its like come from there */
	bool failed;		/* it was reported: nothing more is written */
	uint64_t bytes;
	uint64_t written;
};

/** pack_suffix() - Return: what a name ends in, by what can be compressed here; NULL: after an error message */
const char *pack_suffix(void);

/**
 * pack_open() - begins the file, 0600; it has its name when it is whole, and one that is there becomes FILE.old
 * @path:	must stay there; NULL for @by_default. Its end says how it is compressed: .tar, .gz, .tgz, .xz; otherwise by zstd.
 *		"-" is standard output
 *
 * Return: 0; -1, after an error message.
 */
int pack_open(struct pack *k, const char *path, const char *by_default);

/**
 * pack_file() - adds a file
 * @name:	with a slash before it
 * @fd:		has its bytes, from 0 on
 * @st:		its size, owner and time
 *
 * Return: 0; a positive errno where not all of it could be read: what is missing is zeros;
 * -1 where the archive failed, after an error message.
 */
int pack_file(struct pack *k, const char *name, int fd, const struct stat *st);

/** pack_text() - adds a file that is in memory.  Return: 0; -1, after an error message. */
int pack_text(struct pack *k, const char *name, const char *text, size_t len);

/** pack_close() - ends it.  Return: 0; -1 where it failed, after an error message: nothing is left */
int pack_close(struct pack *k);

#endif
