// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_map_read.c - reads a perf map for the addresses that occur
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index.h"
#include "perf_map_read.h"

#define MAX_NAME	4096		/* bytes of a line; the rest is cut */
#define MAX_BYTES	(256u << 20)
#define MAX_TEXT	(64u << 20)
#define MAX_LINES	(1u << 20)	/* that are of use */

/* The first place that is not before @address */
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

/* "START SIZE NAME".  Return: whether it is that; lines that say something else are not */
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
	return to->text >= MAX_TEXT || to->nr >= MAX_LINES;
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
	to->text += strlen(name) + 1;
	to->all[to->nr++] = (struct perf_line){ line->start, line->end, name };
	return 0;
}

static int read_lines(FILE *in, const struct perf_place *places, size_t nr,
		      struct perf_lines *to)
{
	char text[MAX_NAME];
	bool whole = true;
	size_t bytes = 0;
	int err = 0;

	while (!err && bytes < MAX_BYTES && !perf_lines_full(to) && fgets(text, sizeof(text), in)) {
		/* the rest of a line that was too long is no line */
		bool begins = whole;
		struct perf_line line;
		size_t len = strlen(text);

		bytes += len ? len : 1;
		whole = len && text[len - 1] == '\n';
		if (whole)
			text[len - 1] = 0;
		if (begins && parse(text, &line))
			err = perf_lines_take(to, places, nr, &line);
	}
	return err;
}

/* The first place from @i on that has no name yet; ways that were gone become shorter */
static size_t unnamed_from(size_t *next, size_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/* From the last line to the first, so that each place is given one name only */
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
	FILE *in = fdopen(fd, "r");
	int err;

	if (!in) {
		close(fd);
		return -ENOMEM;
	}
	err = read_lines(in, places, nr, lines);
	fclose(in);
	return err ? err : perf_lines_name(lines, before, places, nr);
}

void perf_lines_free(struct perf_lines *lines)
{
	for (size_t i = 0; i < lines->nr; i++)
		free(lines->all[i].name);
	free(lines->all);
	*lines = (struct perf_lines){ 0 };
}
