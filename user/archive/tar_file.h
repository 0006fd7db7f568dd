/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar_file.h - writes a compressed tar archive, completely or not at all
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
 * struct pack - a compressed tar archive that is being written
 * @replaced:	a file at its path was renamed to FILE.old
 * @bytes:	total size of the packed files
 * @written:	size of the archive
 *
 * All other members are private.
 */
struct pack {
	const struct archive_library *lib;
	struct archive *archive;
	struct output out;
	const char *path;	/* for messages */
	bool replaced;
	int signals;		/* descriptor for signals such as that of Ctrl-C */
	bool failed;		/* an error was reported: write nothing more */
	uint64_t bytes;
	uint64_t written;
};

/** pack_suffix() - Return: default suffix, by the available compressors; NULL: after an error message */
const char *pack_suffix(void);

/**
 * pack_open() - starts an archive with mode 0600, under a temporary name
 * @path:	where it will be, NULL for @by_default; must live as long as @k. Its suffix chooses the
 *		compression: .tar, .gz, .tgz, .xz; zstd otherwise. "-" is standard output
 *
 * The archive gets its name when it is complete. An existing file at @path becomes FILE.old.
 *
 * Return: 0; -1, after an error message.
 */
int pack_open(struct pack *k, const char *path, const char *by_default);

/**
 * pack_file() - adds a file
 * @name:	path with a leading slash
 * @fd:		its contents, from offset 0 on
 * @st:		its size, owner and time
 *
 * Return: 0; a positive errno if the file could not be read completely: the rest is zeros;
 * -1 if the archive failed, after an error message.
 */
int pack_file(struct pack *k, const char *name, int fd, const struct stat *st);

/** pack_text() - adds a file from memory.  Return: 0; -1, after an error message. */
int pack_text(struct pack *k, const char *name, const char *text, size_t len);

/**
 * pack_close() - finishes the archive.
 *
 * Return: 0; -1 if it failed, after an error message: no file remains
 */
int pack_close(struct pack *k);

#endif
