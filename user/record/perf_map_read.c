// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_map_read.c - reads a perf map, and names the sampled addresses by it
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/hash.h"
#include "record/perf_map_read.h"

#define MAX_NAME	4096		/* limit of a line; the rest is cut */

/* Return: index of the first place at or after @address */
static size_t first_from(const struct perf_place *places, size_t nr, uint64_t address)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (places[mid].at < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Parse "START SIZE NAME".  Return: false for any other line */
static bool parse(char *text, struct perf_line *line)
{
	uint64_t bytes;
	char *at;

	errno = 0;
	line->start = strtoull(text, &at, 16);
	if (at == text || errno)
		return false;
	text = at;
	bytes = strtoull(text, &at, 16);
	if (at == text || errno || *at != ' ' || !bytes || line->start + bytes < line->start)
		return false;
	line->end = line->start + bytes;
	line->name = at + 1;
	return *line->name;
}

bool perf_lines_wants(const struct perf_place *places, size_t nr, uint64_t start, uint64_t end)
{
	size_t i = first_from(places, nr, start);

	return i < nr && places[i].at < end;
}

bool perf_lines_full(const struct perf_lines *to)
{
	const struct perf_use *u = &to->used;

	return u->bytes >= BUDGET_MAP_BYTES || u->text >= BUDGET_MAP_TEXT || u->lines >= BUDGET_MAP_NAMES;
}

int perf_lines_take(struct perf_lines *to, const struct perf_place *places, size_t nr,
		    const struct perf_line *line)
{
	char *name;
	int err;

	if (!perf_lines_wants(places, nr, line->start, line->end))
		return 0;
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (err)
		return err;
	name = strdup(line->name);
	if (!name)
		return -ENOMEM;
	to->used.text += strlen(name) + 1;
	to->used.lines++;
	to->all[to->nr++] = (struct perf_line){ line->start, line->end, name };
	return 0;
}

/* Reads a file line by line.  It skips holes, so that a sparse file costs no time */
struct line_reader {
	int fd;
	off_t at;		/* offset of the next read */
	size_t from, have;	/* read position, and end of the bytes in @buf */
	bool after_hole;
	char buf[64u << 10];
};

/* Return: false at the end of the file */
static bool refill(struct line_reader *r)
{
	off_t data = lseek(r->fd, r->at, SEEK_DATA);
	ssize_t n;

	if (data < 0 && errno == ENXIO)		/* only a hole follows */
		return false;
	/* Some file systems report no holes */
	r->after_hole = data > r->at;
	if (r->after_hole)
		r->at = data;
	do {
		n = pread(r->fd, r->buf, sizeof(r->buf), r->at);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	r->at += n;
	r->from = 0;
	r->have = (size_t)n;
	return true;
}

/*
 * Read the next line, without its newline.  A line that does not fit in @text is cut.
 * Return: bytes that were read for it; 0 at the end
 */
static size_t next_line(struct line_reader *r, char text[MAX_NAME])
{
	size_t len = 0, bytes = 0;
	bool ends = false;

	while (!ends && (r->from < r->have || refill(r))) {
		const char *from = r->buf + r->from, *end = memchr(from, '\n', r->have - r->from);
		size_t n = end ? (size_t)(end - from) : r->have - r->from;
		size_t fits = n < MAX_NAME - 1 - len ? n : MAX_NAME - 1 - len;

		/* A line does not continue across a hole: drop its beginning */
		if (r->after_hole)
			len = 0;
		r->after_hole = false;
		memcpy(text + len, from, fits);
		len += fits;
		ends = end;
		r->from += n + ends;
		bytes += n + ends;
	}
	text[len] = 0;
	return bytes;
}

static int read_lines(int fd, const struct perf_place *places, size_t nr,
		      struct perf_lines *to)
{
	struct line_reader *r = calloc(1, sizeof(*r));
	char text[MAX_NAME];
	struct perf_line line;
	size_t bytes;
	int err = 0;

	if (!r)
		return -ENOMEM;
	r->fd = fd;
	while (!err && !perf_lines_full(to) && (bytes = next_line(r, text))) {
		to->used.bytes += bytes;
		if (parse(text, &line))
			err = perf_lines_take(to, places, nr, &line);
	}
	free(r);
	return err;
}

/* Return: the first place from @i on without a name.  Shortens the paths in @next, as in a union-find */
static size_t unnamed_from(size_t *next, size_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/* Work from the last line to the first, so that each place is named only once */
int perf_lines_name(const struct perf_lines *lines, size_t from, struct perf_place *places,
		    size_t nr)
{
	size_t *next = malloc((nr + 1) * sizeof(*next));

	if (!next)
		return -ENOMEM;
	for (size_t i = 0; i <= nr; i++)
		next[i] = i;
	for (size_t n = lines->nr; n-- > from;) {
		const struct perf_line *line = &lines->all[n];
		size_t i = unnamed_from(next, first_from(places, nr, line->start));

		while (i < nr && places[i].at < line->end) {
			places[i].name = line->name;
			places[i].start = line->start;
			places[i].end = line->end;
			next[i] = i + 1;
			i = unnamed_from(next, i);
		}
	}
	free(next);
	return 0;
}

int perf_map_read(int fd, struct perf_place *places, size_t nr, struct perf_lines *lines)
{
	size_t before = lines->nr;
	int err = read_lines(fd, places, nr, lines);

	close(fd);
	return err ? err : perf_lines_name(lines, before, places, nr);
}

void perf_lines_exit(struct perf_lines *lines)
{
	for (size_t i = 0; i < lines->nr; i++)
		free(lines->all[i].name);
	free(lines->all);
	*lines = (struct perf_lines){ 0 };
}
