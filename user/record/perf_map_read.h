/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_map_read.h - reads a perf map for the addresses that occur
 */
#ifndef KFLAME_RECORD_PERF_MAP_READ_H
#define KFLAME_RECORD_PERF_MAP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct perf_place - an address that wants a name, and what it got */
struct perf_place {
	uint64_t at;
	uint32_t aspace;	/* the user's; not looked at here */
	uint32_t map;		/* the user's too */
	uint64_t start;		/* of the function, and its end; valid with a name */
	uint64_t end;
	const char *name;	/* NULL for none; in the struct perf_lines */
};

/**
 * struct perf_use - what was taken of the files of one user, so that he takes no more than he may, and nobody
 * else has less for it
 * @bytes:	read
 * @text:	bytes of names that were kept
 * @lines:	that were kept
 */
struct perf_use {
	uint64_t bytes;
	size_t text;
	size_t lines;
};

/** struct perf_lines - the lines that were of use; all zero is none */
struct perf_lines {
	struct perf_line {
		uint64_t start;
		uint64_t end;
		char *name;
	} *all;
	size_t nr, cap;
	struct perf_use used;	/* of the user whose files are read */
};

/**
 * perf_map_read() - names places by a file
 * @fd:		the file, read to its end and closed
 * @places:	by address
 * @lines:	keeps the names; for perf_lines_exit()
 *
 * The last line that has an address holds: code is made anew in the place of
 * other code.  Whoever runs a program writes the file, so base/budget.h limits what is read and kept of each user's
 * files.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_map_read(int fd, struct perf_place *places, size_t nr, struct perf_lines *lines);

/** perf_lines_wants() - Return: whether a function from @start to @end has one of the places */
bool perf_lines_wants(const struct perf_place *places, size_t nr, uint64_t start, uint64_t end);

/** perf_lines_full() - Return: whether the user has as much as he may */
bool perf_lines_full(const struct perf_lines *lines);

/** perf_lines_take() - keeps a copy of one that has a place.  Return: 0 or -ENOMEM */
int perf_lines_take(struct perf_lines *to, const struct perf_place *places, size_t nr,
		    const struct perf_line *line);

/**
 * perf_lines_name() - names places by lines, the last one that has a place
 * @from:	the lines before this one are not looked at
 *
 * Return: 0 or -ENOMEM.
 */
int perf_lines_name(const struct perf_lines *lines, size_t from, struct perf_place *places,
		    size_t nr);

/** perf_lines_exit() - frees them, and the names with them */
void perf_lines_exit(struct perf_lines *lines);

#endif
