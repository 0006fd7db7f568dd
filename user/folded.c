// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "folded.h"
#include "message.h"

#define TOLD_BAD_LINES	5

/* ------------------------------------------------------------------ reading */

/* A line being taken apart; frames[] is kept from line to line */
struct line {
	char *text;
	size_t cap;
	struct frame *frames;
	size_t cap_frames;
	size_t nr;
	uint64_t count;
};

/* The last word of the line as a number; ends the text before it */
static const char *take_count(struct line *l, size_t len)
{
	char *end = l->text + len;
	char *p = end;
	uint64_t n = 0;

	while (p > l->text && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p == end)
		return "it does not end in a whole number";
	if (p == l->text || (p[-1] != ' ' && p[-1] != '\t'))
		return "there is no blank before the count";
	for (char *d = p; d < end; d++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*d - '0'), &n))
			return "the count does not fit in 64 bits";
	while (p > l->text && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	if (p == l->text)
		return "there is no stack before the count";
	*p = 0;
	l->count = n;
	return NULL;
}

/* Kind of a frame by its looks; cuts the suffix that tells it */
static void classify(struct frame *f, char *name, size_t len, bool first)
{
	f->name = len ? name : "[no name]";
	f->file = NULL;
	f->kind = first ? FRAME_COMM : FRAME_USER;
	if (!len || (len > 2 && name[0] == '[' && name[len - 1] == ']')) {
		f->kind = FRAME_NOTE;
	} else if (len > 4 && !strcmp(name + len - 4, "_[k]")) {
		f->kind = FRAME_KERNEL;
		name[len - 4] = 0;
	} else if (len > 4 && !strcmp(name + len - 4, "_[i]")) {
		f->kind = FRAME_INLINED;
		name[len - 4] = 0;
	}
}

static int split(struct line *l)
{
	char *p = l->text;
	bool more = true;

	for (l->nr = 0; more; l->nr++) {
		size_t len = strcspn(p, ";");

		if (l->nr == l->cap_frames) {
			size_t want = l->cap_frames ? l->cap_frames * 2 : 256;
			struct frame *bigger = reallocarray(l->frames, want, sizeof(*bigger));

			if (!bigger)
				return -ENOMEM;
			l->frames = bigger;
			l->cap_frames = want;
		}
		more = p[len] != 0;
		p[len] = 0;
		classify(&l->frames[l->nr], p, len, !l->nr);
		p += len + 1;
	}
	return 0;
}

static void tell_bad(const char *name, uint64_t number, const char *why,
		     struct folded_read *r)
{
	if (!r->bad++)
		r->first_bad = number;
	if (r->bad <= TOLD_BAD_LINES)
		complain("%s: line %" PRIu64 " is not a folded stack: %s", name, number, why);
}

static int read_line(struct line *l, size_t len, struct tree *t, const char **why)
{
	int err;

	*why = NULL;
	while (len && strchr("\r\n \t", l->text[len - 1]))
		l->text[--len] = 0;
	if (!len)
		return 0;
	if (strlen(l->text) != len) {
		*why = "it holds a NUL byte";
		return 0;
	}
	*why = take_count(l, len);
	if (*why)
		return 0;
	err = split(l);
	if (!err)
		err = tree_add(t, l->frames, l->nr, l->count, 0);
	if (err == -EOVERFLOW) {
		*why = "with it, the counts do not fit in 64 bits";
		return 0;
	}
	return err ? err : 1;
}

int folded_read(FILE *in, const char *name, struct tree *t, struct folded_read *r)
{
	struct line l = { 0 };
	uint64_t number = 0;
	const char *why;
	ssize_t len;
	int ret = 0;

	*r = (struct folded_read){ 0 };
	errno = 0;
	while ((len = getline(&l.text, &l.cap, in)) >= 0) {
		number++;
		ret = read_line(&l, (size_t)len, t, &why);
		if (ret < 0)
			break;
		r->lines += (uint64_t)ret;
		if (why)
			tell_bad(name, number, why, r);
		ret = 0;
		errno = 0;
	}
	if (!ret && !feof(in))
		ret = errno ? -errno : -EIO;
	free(l.text);
	free(l.frames);
	return ret;
}

/* ------------------------------------------------------------------ writing */

/* Replaces what would break a line apart */
static void clean_name(char *s)
{
	for (; *s; s++) {
		if (*s == ';')
			*s = ':';
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
	}
}

static char *folded_name(const struct frame *f, bool suffix_kernel)
{
	bool kernel = f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ;
	char *name;

	if (asprintf(&name, "%s%s", f->name, kernel && suffix_kernel ? "_[k]" : "") < 0)
		return NULL;
	clean_name(name);
	return name;
}

int folded_add(struct tree *t, bool suffix_kernel, const struct frame *frames, size_t nr,
	       uint64_t samples, uint64_t ns)
{
	struct frame *same = calloc(nr ? nr : 1, sizeof(*same));
	size_t made = 0;
	int err = -ENOMEM;

	if (!same)
		return err;
	for (; made < nr; made++) {
		same[made].name = folded_name(&frames[made], suffix_kernel);
		same[made].kind = FRAME_USER;
		if (!same[made].name)
			goto out;
	}
	err = tree_add(t, same, nr, samples, ns);
out:
	while (made--)
		free((char *)same[made].name);
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
