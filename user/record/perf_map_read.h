/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_map_read.h - reads a perf map, and names the sampled addresses by it
 */
#ifndef KFLAME_RECORD_PERF_MAP_READ_H
#define KFLAME_RECORD_PERF_MAP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct perf_place - a sampled address that needs a name, and its name */
struct perf_place {
	uint64_t at;
	uint32_t aspace;	/* for the caller; not used here */
	uint32_t map;		/* for the caller; not used here */
	uint64_t start;		/* range of the function; valid if .name is set */
	uint64_t end;
	const char *name;	/* NULL for none; owned by struct perf_lines */
};

/**
 * struct perf_use - how much was read from the files of one user
 * @bytes:	bytes read
 * @text:	bytes of the names that were kept
 * @lines:	lines that were kept
 *
 * base/budget.h limits each figure, so that one user's files leave room for the files of other users.
 */
struct perf_use {
	uint64_t bytes;
	size_t text;
	size_t lines;
};

/** struct perf_lines - the lines that name a sampled address; all zero is none */
struct perf_lines {
	struct perf_line {
		uint64_t start;
		uint64_t end;
		char *name;
	} *all;
	size_t nr, cap;
	struct perf_use used;	/* by the user whose files are being read */
};

/**
 * perf_map_read() - names addresses by a perf map
 * @fd:		the file; this function reads it to its end and closes it
 * @places:	sorted by address
 * @lines:	owns the names; free it with perf_lines_exit()
 *
 * If several lines contain an address, the last one names it: compilers reuse the memory of old code. An
 * unprivileged process writes the file, so base/budget.h limits what is read and kept for each user.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_map_read(int fd, struct perf_place *places, size_t nr, struct perf_lines *lines);

/** perf_lines_wants() - Return: whether one of the addresses is in the function from @start to @end */
bool perf_lines_wants(const struct perf_place *places, size_t nr, uint64_t start, uint64_t end);

/** perf_lines_full() - Return: whether the user's budget is used up */
bool perf_lines_full(const struct perf_lines *lines);

/** perf_lines_take() - keeps a copy of @line, if it contains one of the addresses.  Return: 0 or -ENOMEM */
int perf_lines_take(struct perf_lines *to, const struct perf_place *places, size_t nr,
		    const struct perf_line *line);

/**
 * perf_lines_name() - names each address by the last line that contains it
 * @from:	index of the first line to use
 *
 * Return: 0 or -ENOMEM.
 */
int perf_lines_name(const struct perf_lines *lines, size_t from, struct perf_place *places,
		    size_t nr);

/** perf_lines_exit() - frees the lines and their names */
void perf_lines_exit(struct perf_lines *lines);

#endif
