// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit_dump_read.c - reads a jitdump file, and names the sampled addresses by it
 *
 * The magic shows the byte order of the file.  Each record begins with its type, size and time. The time is
 * ignored: the last record for an address names it.
 */
#include <byteswap.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/jit_dump.h"

#define MAGIC		0x4a695444u
#define VERSION		1
#define HEADER		40		/* bytes of the shortest file header */
#define RECORD		16		/* bytes of a record's header */
#define LOAD_NAME	56		/* offset of the name in a LOAD */
#define MOVE		64		/* bytes of a MOVE */
#define MAX_NAME	4096		/* limit of a name; the rest is cut */
#define MAX_RECORDS	(1u << 20)
#define PLACE		256u		/* how many bytes one read counts at most towards the user's budget */

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE };

struct dump {
	int fd;
	bool swapped;
	uint64_t at;		/* offset of the present record in the file */
	size_t have;		/* how many of its bytes are in .bytes */
	unsigned char bytes[LOAD_NAME + MAX_NAME];
	const struct perf_place *places;
	size_t nr;
	struct perf_lines *lines;
	struct idmap loads;	/* from code_index to index in .names; a MOVE refers to it */
	uint64_t *names;	/* file offsets of the LOAD records */
	size_t nr_names, cap_names;
};

static uint32_t u32(const struct dump *d, size_t at)
{
	uint32_t value;

	memcpy(&value, d->bytes + at, sizeof(value));
	return d->swapped ? bswap_32(value) : value;
}

static uint64_t u64(const struct dump *d, size_t at)
{
	uint64_t value;

	memcpy(&value, d->bytes + at, sizeof(value));
	return d->swapped ? bswap_64(value) : value;
}

/* Read the bytes at offset @at, as many as there is room for */
static void read_at(struct dump *d, uint64_t at)
{
	ssize_t n;

	do
		n = pread(d->fd, d->bytes, sizeof(d->bytes), (off_t)at);
	while (n < 0 && errno == EINTR);
	d->have = n > 0 ? (size_t)n : 0;
	d->at = at;
	/* Code in between is skipped.  Reads take the time, not bytes, so a read counts at most PLACE */
	d->lines->used.bytes += d->have < PLACE ? d->have : PLACE;
}

/* Return: whether this is a readable jitdump; if so, its first record is read */
static bool read_header(struct dump *d)
{
	uint32_t size;

	read_at(d, 0);
	if (d->have < HEADER)
		return false;
	d->swapped = u32(d, 0) == bswap_32(MAGIC);
	size = u32(d, 8);
	if (u32(d, 0) != MAGIC || u32(d, 4) != VERSION || size < HEADER)
		return false;
	read_at(d, size);
	return true;
}

/* Return: the name in the present LOAD; NULL if the name is cut off */
static char *name_here(struct dump *d)
{
	uint32_t size = u32(d, 4);
	size_t end = size < d->have ? size : d->have;
	char *name = (char *)d->bytes + LOAD_NAME;

	if (end <= LOAD_NAME || !*name)
		return NULL;
	if (!memchr(name, 0, end - LOAD_NAME)) {
		if (end < sizeof(d->bytes))
			return NULL;
		d->bytes[sizeof(d->bytes) - 1] = 0;
	}
	return name;
}

static int take(struct dump *d, uint64_t start, uint64_t size)
{
	struct perf_line line = { .start = start, .end = start + size, .name = name_here(d) };

	if (!line.name || line.end <= line.start)
		return 0;
	return perf_lines_take(d->lines, d->places, d->nr, &line);
}

static int take_load(struct dump *d)
{
	uint64_t index = u64(d, 48);
	int err = grow(&d->names, d->nr_names, &d->cap_names, sizeof(*d->names));

	if (!err)
		err = idmap_set(&d->loads, index, (uint32_t)d->nr_names);
	if (err)
		return err;
	d->names[d->nr_names++] = d->at;
	return take(d, u64(d, 32), u64(d, 40));
}

static int take_move(struct dump *d)
{
	uint64_t start = u64(d, 40), size = u64(d, 48), at = d->at;
	uint32_t i = idmap_find(&d->loads, u64(d, 56));
	int err = 0;

	if (i == INDEX_NONE || !perf_lines_wants(d->places, d->nr, start, start + size))
		return 0;
	/* The file may have changed since its LOAD was read */
	read_at(d, d->names[i]);
	if (d->have > LOAD_NAME && u32(d, 0) == CODE_LOAD)
		err = take(d, start, size);
	read_at(d, at);
	return err;
}

static int take_record(struct dump *d, uint32_t size)
{
	switch (u32(d, 0)) {
	case CODE_LOAD:
		return size > LOAD_NAME && d->have > LOAD_NAME ? take_load(d) : 0;
	case CODE_MOVE:
		return size >= MOVE && d->have >= MOVE ? take_move(d) : 0;
	default:
		return 0;
	}
}

static int read_records(struct dump *d)
{
	int err = 0;

	for (uint32_t n = 0; !err && n < MAX_RECORDS && d->have >= RECORD; n++) {
		uint32_t size = u32(d, 4);
		uint64_t next = d->at + size;

		if (size < RECORD || u32(d, 0) == CODE_CLOSE || perf_lines_full(d->lines))
			break;
		err = take_record(d, size);
		read_at(d, next);
	}
	return err;
}

int jit_dump_read(int fd, struct perf_place *places, size_t nr, struct perf_lines *lines)
{
	struct dump d = { .fd = fd, .places = places, .nr = nr, .lines = lines };
	size_t before = lines->nr;
	int err = 0;

	if (read_header(&d))
		err = read_records(&d);
	close(fd);
	idmap_exit(&d.loads);
	free(d.names);
	return err ? err : perf_lines_name(lines, before, places, nr);
}
