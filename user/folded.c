// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folded.c - writes folded stacks
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "folded.h"
#include "index.h"
#include "tree_stacks.h"

/* Replaces what would break a line apart */
void folded_clean(char *s)
{
	for (; *s; s++) {
		if (*s == ';')
			*s = ':';
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
	}
}

static bool is_clean(const char *s)
{
	while ((unsigned char)*s >= 0x20 && *s != ';' && *s != 0x7f)
		s++;
	return !*s;
}

/* As it is, if that does; else a copy, which is @made too.  Return: NULL without memory. */
static const char *folded_name(const struct frame *f, bool suffix_kernel, char **made)
{
	bool suffix = suffix_kernel && (f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ);

	*made = NULL;
	if (!suffix && is_clean(f->name))
		return f->name;
	if (asprintf(made, "%s%s", f->name, suffix ? "_[k]" : "") < 0)
		return *made = NULL;
	folded_clean(*made);
	return *made;
}

int folded_add(struct tree *t, bool suffix_kernel, const struct frame *frames, size_t nr,
	       uint64_t samples, uint64_t ns)
{
	struct frame *same = calloc(nr + 1, sizeof(*same));
	char **made = calloc(nr + 1, sizeof(*made));
	int err = same && made ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++) {
		same[i].name = folded_name(&frames[i], suffix_kernel, &made[i]);
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

/* The lines so far */
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
