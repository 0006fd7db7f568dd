// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_script.c - writes text as "perf script" does, for the tools that read it
 *
 * Each stack is one sample with the weight as its period, because stackcollapse-perf.pl adds periods up.
 * Times increase by the time of each stack, because some readers take the difference of times as the weight.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "convert/formats.h"
#include "convert/perf_script_read.h"
#include "stacks/folded.h"

struct text {
	FILE *out;
	enum tree_unit unit;
	uint64_t samples;
	uint64_t ns;
	bool other;		/* there are weights in the other unit */
};

/* Return: a copy of a name for one line, to be freed; NULL if memory is short */
static char *clean(const char *name)
{
	char *copy = strdup(name);

	if (copy)
		folded_clean(copy);
	return copy;
}

/*
 * Write the name of the thread.  Readers take the first number after a blank for the process id, and the
 * first letter must not be a blank. So blanks become '_'; stackcollapse-perf.pl does that, too.
 */
static int put_thread(const struct text *x, const char *name)
{
	char *copy = clean(name);

	if (!copy)
		return -ENOMEM;
	for (char *p = copy; *p; p++)
		if (*p == ' ' && (p == copy || isdigit((unsigned char)p[1])))
			*p = '_';
	/* A line that begins with '#' would be a comment */
	if (*copy == '#')
		*copy = '_';
	fputs(copy, x->out);
	free(copy);
	return 0;
}

/* Write a file in brackets; the path itself must not contain any */
static int put_file(const struct text *x, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), tail = sizeof(deleted) - 1;
	char *copy = clean(path);

	if (!copy)
		return -ENOMEM;
	if (len > tail && !strcmp(path + len - tail, deleted))
		copy[len - tail] = 0;
	for (char *p = copy; *p; p++)
		if (*p == '(' || *p == ')')
			*p = '?';
	fputs(copy, x->out);
	free(copy);
	return 0;
}

static int put_where(const struct text *x, const struct sample *s, const struct frame *f,
		     const struct place *at)
{
	if (f->kind == FRAME_INLINED) {
		fputs("inlined", x->out);
	} else if (f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ) {
		if (!f->file)
			fputs("[kernel.kallsyms]", x->out);
		else
			fprintf(x->out, "[%s]", f->file);
	} else if (f->file && !strcmp(f->file, "JIT")) {
		fprintf(x->out, "/tmp/perf-%" PRIu32 ".map", s->tgid);
	} else if (at->path || f->file) {
		return put_file(x, at->path ? at->path : f->file);
	} else {
		fputs("[unknown]", x->out);
	}
	return 0;
}

static int put_frame(const struct text *x, const struct sample *s, size_t i)
{
	const struct frame *f = &s->frames[i];
	const struct place *at = &s->places[i];
	char *name = clean(f->name);
	int err;

	if (!name)
		return -ENOMEM;
	if (*name == ' ')
		*name = '_';		/* readers skip leading blanks */
	fprintf(x->out, "\t%16" PRIx64 " %s", at->address, name);
	free(name);
	if (at->start && at->address >= at->start && !at->inlined)
		fprintf(x->out, "+0x%" PRIx64, at->address - at->start);
	fputs(" (", x->out);
	err = put_where(x, s, f, at);
	fputs(")\n", x->out);
	return err;
}

static int put_sample(void *ctx, const struct sample *s)
{
	struct text *x = ctx;
	uint64_t weight = x->unit == TREE_NS ? s->ns : s->samples, ns;
	int err;

	x->other |= s->ns || s->samples;
	if (!weight)
		return 0;
	/* Without times, each sample counts as a millisecond */
	if (__builtin_mul_overflow(s->samples, 1000000, &ns) ||
	    __builtin_add_overflow(x->ns, s->ns ? s->ns : ns, &x->ns))
		return -EOVERFLOW;
	x->samples++;
	err = put_thread(x, s->frames[0].name);
	fprintf(x->out, " %7" PRIu32 "/%-7" PRIu32 " [000] %" PRIu64 ".%09" PRIu64 ": %10" PRIu64 " %s:\n",
		s->tgid, s->tid ? s->tid : s->tgid, x->ns / 1000000000, x->ns % 1000000000, weight,
		x->unit == TREE_NS ? PERF_SCRIPT_NS : PERF_SCRIPT_SAMPLES);
	for (size_t i = s->nr; !err && i-- > 1;)
		err = put_frame(x, s, i);
	putc('\n', x->out);
	return err;
}

int convert_perf_script(FILE *out, struct source *s, enum tree_unit unit)
{
	struct text x = { .out = out, .unit = unit };
	int err = source_each(s, put_sample, &x);

	if (!err && !x.samples)
		err = convert_nothing(unit, x.other);
	return err;
}
