// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folded_write.c - writes folded stacks
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "stacks/folded.h"
#include "stacks/tree_stacks.h"

/* Return: the replacement for the character at *@s; 0 to keep a character of several bytes.  Advances *@s */
static char stand_in(const char **s)
{
	char c = **s;

	if (c == ';') {
		*s += 1;
		return ':';
	}
	return text_next(s) == TEXT_REPLACEMENT ? '?' : (unsigned char)c < 0x80 ? c : 0;
}

static bool is_clean(const char *s)
{
	while (*s) {
		const char *at = s;
		char c;

		/* The fast path: most names have only such characters. */
		while (*s >= 0x20 && *s < 0x7f && *s != ';')
			s++;
		if (s > at)
			continue;
		c = stand_in(&s);
		if (c && c != *at)
			return false;
	}
	return true;
}

void folded_clean(char *s)
{
	const char *from = s;

	if (is_clean(s))
		return;
	while (*from) {
		const char *next = from;
		char c = stand_in(&next);

		if (c)
			*s++ = c;
		else
			while (from < next)
				*s++ = *from++;
		from = next;
	}
	*s = 0;
}

bool folded_is_remark(const char *text, size_t len)
{
	size_t at = 1;

	if (!len || text[0] != '#')
		return false;
	if (len == 1 || strchr(" \t\r\n#!", text[1]))
		return true;
	while (at < len && text[at] != ';' && text[at] != ':')
		at++;
	return at < len && text[at] == ':' && (at + 1 == len || strchr(" \t\r\n", text[at + 1]));
}

static const char *suffix_of(const struct frame *f, enum folded_suffixes suffixes)
{
	if (suffixes != FOLDED_NO_SUFFIX && (f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ))
		return "_[k]";
	if (suffixes != FOLDED_KINDS)
		return "";
	if (f->kind == FRAME_INLINED)
		return "_[i]";
	return f->kind == FRAME_USER && f->file && !strcmp(f->file, FRAME_FILE_JIT) ? "_[j]" : "";
}

/* The blank before a number at the end of @name; NULL if @name does not end in one */
static const char *blank_before_count(const char *name)
{
	const char *end = name + strlen(name), *p;

	while (end > name && end[-1] == ' ')
		end--;
	p = end;
	while (p > name && ((p[-1] >= '0' && p[-1] <= '9') || p[-1] == '.'))
		p--;
	return p < end && p > name && p[-1] == ' ' ? p - 1 : NULL;
}

/* Replaces characters that a reader would not take for part of a name */
static void clean_name(char *name, bool outermost, bool innermost)
{
	const char *blank;

	folded_clean(name);
	blank = innermost ? blank_before_count(name) : NULL;
	if (outermost && folded_is_remark(name, strlen(name)))
		name[0] = '_';
	if (blank)
		name[blank - name] = '_';
}

static bool is_blank(const char *name)
{
	return !name[strspn(name, " ")];
}

/*
 * The name of a frame in a line.  If it must be changed, @made is a copy that the caller frees, else NULL.
 * Return: NULL without memory.
 */
static const char *folded_name(const struct frame *frames, size_t nr, size_t i,
			       enum folded_suffixes suffixes, char **made)
{
	const char *name = frames[i].name, *suffix = suffix_of(&frames[i], suffixes);
	bool outermost = !i, innermost = i == nr - 1;

	*made = NULL;
	/* A thread may have such a name (prctl(2)).  A line with only a count is not a stack. */
	if (is_blank(name))
		return "[no name]";
	if (!*suffix && is_clean(name) && !(outermost && *name == '#') &&
	    !(innermost && blank_before_count(name)))
		return name;
	if (asprintf(made, "%s%s", name, suffix) < 0)
		return *made = NULL;
	clean_name(*made, outermost, innermost);
	return *made;
}

int folded_add(struct tree *t, enum folded_suffixes suffixes, const struct frame *frames, size_t nr,
	       uint64_t samples, uint64_t ns)
{
	struct frame *same = calloc(nr + 1, sizeof(*same));
	char **made = calloc(nr + 1, sizeof(*made));
	int err = same && made ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++) {
		same[i].name = folded_name(frames, nr, i, suffixes, &made[i]);
		same[i].kind = FRAME_USER;
		if (!same[i].name)
			err = -ENOMEM;
	}
	if (!err)
		err = tree_add(t, same, nr, samples, ns);
	for (size_t i = 0; made && i < nr; i++)
		free(made[i]);
	free(made);
	free(same);
	return err;
}

/* The lines that were made so far */
struct lines {
	enum tree_unit unit;
	char **all;
	size_t nr, cap;
};

/* The line of a stack, to be freed; NULL when out of memory */
static char *make_line(const struct frame *frames, size_t nr, uint64_t count)
{
	size_t len = 0;
	char *line, *p;

	for (size_t i = 0; i < nr; i++)
		len += strlen(frames[i].name) + 1;
	line = malloc(len + 22);
	if (!line)
		return NULL;
	p = line;
	for (size_t i = 0; i < nr; i++) {
		p = stpcpy(p, frames[i].name);
		*p++ = i == nr - 1 ? ' ' : ';';
	}
	snprintf(p, 22, "%" PRIu64, count);
	return line;
}

static int add_line(void *lines, const struct frame *frames, size_t nr, uint64_t samples,
		    uint64_t ns)
{
	struct lines *l = lines;
	const struct weight w = { samples, ns };
	uint64_t count = tree_weight(&w, l->unit);
	int err;

	if (!count)
		return 0;
	err = grow(&l->all, l->nr, &l->cap, sizeof(*l->all));
	if (err)
		return err;
	l->all[l->nr] = make_line(frames, nr, count);
	if (!l->all[l->nr])
		return -ENOMEM;
	l->nr++;
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int folded_write(FILE *out, const struct tree *t, enum tree_unit unit)
{
	struct lines l = { .unit = unit };
	int err = tree_each_added(t, add_line, &l);

	if (!err && l.nr) {
		qsort(l.all, l.nr, sizeof(*l.all), by_bytes);
		for (size_t i = 0; i < l.nr; i++) {
			fputs(l.all[i], out);
			putc('\n', out);
		}
	}
	while (l.nr--)
		free(l.all[l.nr]);
	free(l.all);
	return err;
}
