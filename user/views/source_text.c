// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_text.c - reads lines of a source file
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/regular_file.h"
#include "views/source_text.h"

#define MOST	(16 << 20)	/* limit in bytes; generated files have a few MB */
#define TAB	8

/*
 * Root opened the file with limited rights.  Other users get world-readable files.  They get their own files
 * only for their own programs: the program of somebody else could name their private keys.
 */
static bool is_for_us(const struct stat *st, const struct rights *as)
{
	uid_t us = geteuid();

	return !us || st->st_mode & S_IROTH || (st->st_uid == us && as->uid == us);
}

/* Return: a descriptor; -1, with a reason in @s */
static int open_text(struct source_text *s, const char *path, const char *symbols, const struct rights *as)
{
	struct stat st;
	int fd = -1;

	if (symbols && path[0] == '/')
		fd = regular_file_open_inside(symbols, path, as, &st);
	if (fd < 0 && path[0] == '/')
		fd = regular_file_open_outside(path, as, &st);
	if (fd >= 0 && is_for_us(&st, as) && st.st_size <= MOST) {
		s->mtime_ns = (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
		return fd;
	}
	s->why = fd >= 0 && is_for_us(&st, as) ? "the file has more than 16 MiB" :
		path[0] != '/' ? "its path does not begin with /: build with absolute paths" :
		"the file is not here, or the program's owner cannot read it (a program of root's, or one that is only in an archive, needs a world-readable source)";
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Return: the whole file with tabs as blanks; NULL if memory is short.  @is_text: false if it has NUL bytes */
static char *read_blank(int fd, bool *is_text)
{
	FILE *in = fdopen(fd, "r");
	char *text = NULL;
	size_t size, column = 0;
	FILE *out = in ? open_memstream(&text, &size) : NULL;
	int c;

	for (size_t i = 0; out && i < MOST && (c = getc(in)) != EOF; i++) {
		if (c == '\t')
			do
				putc(' ', out);
			while (++column % TAB);
		else
			putc(c ? c : '?', out);
		*is_text &= c != 0;
		column = c == '\n' ? 0 : c == '\t' ? column : column + 1;
	}
	if (in)
		fclose(in);
	else
		close(fd);
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	return text;
}

static int split(struct source_text *s)
{
	char *save = s->all, *line;

	while (save) {
		line = strsep(&save, "\n");
		if (line[0] && line[strlen(line) - 1] == '\r')
			line[strlen(line) - 1] = 0;
		if (grow(&s->lines, s->nr, &s->cap, sizeof(*s->lines))) {
			source_text_close(s);
			return -ENOMEM;
		}
		s->lines[s->nr++] = line;
	}
	return 0;
}

int source_text_open(struct source_text *s, const char *path, const char *symbols, const struct rights *as)
{
	bool is_text = true;
	int fd;

	*s = (struct source_text){ 0 };
	fd = open_text(s, path, symbols, as);
	if (fd < 0)
		return 0;
	s->all = read_blank(fd, &is_text);
	if (!s->all)
		return -ENOMEM;
	if (is_text)
		return split(s);
	source_text_close(s);
	s->why = "the file is not text";
	return 0;
}

const char *source_text_line(const struct source_text *s, uint32_t line)
{
	return line && line <= s->nr ? s->lines[line - 1] : NULL;
}

void source_text_close(struct source_text *s)
{
	free(s->all);
	free(s->lines);
	*s = (struct source_text){ 0 };
}
