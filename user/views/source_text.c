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

#include "base/hash.h"
#include "base/regular_file.h"
#include "views/source_text.h"

#define MOST	(16 << 20)	/* limit in bytes; generated files have a few MB */
#define TAB	8

/* Root opened the file with limited rights.  Other users get world-readable files and their own only. */
static bool is_for_us(const struct stat *st)
{
	uid_t us = geteuid();

	return st->st_size <= MOST && (!us || st->st_mode & S_IROTH || st->st_uid == us);
}

/* Return: the whole file with tabs as blanks; NULL if it cannot be read */
static char *read_blank(int fd)
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

int source_text_open(struct source_text *s, const char *path, const struct rights *as)
{
	struct stat st;
	char *save, *line;
	int fd;

	*s = (struct source_text){ 0 };
	fd = path[0] == '/' ? regular_file_open_outside(path, as, &st) : -1;
	if (fd >= 0 && !is_for_us(&st)) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		s->all = read_blank(fd);
	for (save = s->all; save;) {
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
