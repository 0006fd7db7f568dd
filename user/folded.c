// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folded.c - writes folded stacks
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "folded.h"

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

/* The line of node @i, to be freed; NULL when out of memory */
static char *make_line(const struct tree *t, uint32_t i, uint64_t count)
{
	size_t len = 0;
	char *line, *p;

	for (uint32_t n = i; n != TREE_ROOT; n = t->nodes[n].parent)
		len += strlen(t->frames[t->nodes[n].frame].name) + 1;
	line = malloc(len + 22);
	if (!line)
		return NULL;
	p = line + len;
	snprintf(p, 22, "%" PRIu64, count);
	for (uint32_t n = i; n != TREE_ROOT; n = t->nodes[n].parent) {
		const char *name = t->frames[t->nodes[n].frame].name;
		size_t part = strlen(name);

		*--p = n == i ? ' ' : ';';
		p -= part;
		memcpy(p, name, part);
	}
	return line;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int folded_write(FILE *out, const struct tree *t, enum tree_unit unit)
{
	char **lines = calloc(t->nr_nodes, sizeof(*lines));
	size_t nr = 0;
	int err = 0;

	if (!lines)
		return -ENOMEM;
	for (uint32_t i = 1; i < t->nr_nodes && !err; i++) {
		uint64_t count = tree_weight(&t->nodes[i].self, unit);

		if (!count)
			continue;
		lines[nr] = make_line(t, i, count);
		if (!lines[nr])
			err = -ENOMEM;
		else
			nr++;
	}
	if (!err) {
		qsort(lines, nr, sizeof(*lines), by_bytes);
		for (size_t i = 0; i < nr; i++) {
			fputs(lines[i], out);
			putc('\n', out);
		}
	}
	while (nr--)
		free(lines[nr]);
	free(lines);
	return err;
}
