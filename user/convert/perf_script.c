// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_script.c - writes text as "perf script" does, for the tools that read it
 *
 * Without sample times, each stack is one sample with the weight as its period, because
 * stackcollapse-perf.pl adds periods up. Times increase by the time of each stack, because some readers take the
 * difference of times as the weight.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "convert/formats.h"
#include "convert/perf_script_read.h"
#include "convert/perf_script_times.h"
#include "convert/times.h"
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
static int put_thread(FILE *out, const char *name)
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
	fputs(copy, out);
	free(copy);
	return 0;
}

/* Write a file in brackets; the path itself must not contain any */
static int put_file(FILE *out, const char *path)
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
	fputs(copy, out);
	free(copy);
	return 0;
}

static int put_where(FILE *out, const struct sample *s, const struct frame *f,
		     const struct place *at)
{
	if (f->kind == FRAME_INLINED) {
		fputs("inlined", out);
	} else if (f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ) {
		if (!f->file)
			fputs("[kernel.kallsyms]", out);
		else
			fprintf(out, "[%s]", f->file);
	} else if (f->file && !strcmp(f->file, "JIT")) {
		fprintf(out, "/tmp/perf-%" PRIu32 ".map", s->tgid);
	} else if (at->path || f->file) {
		return put_file(out, at->path ? at->path : f->file);
	} else {
		fputs("[unknown]", out);
	}
	return 0;
}

static int put_frame(FILE *out, const struct sample *s, size_t i)
{
	const struct frame *f = &s->frames[i];
	const struct place *at = &s->places[i];
	char *name = clean(f->name);
	int err;

	if (!name)
		return -ENOMEM;
	if (*name == ' ')
		*name = '_';		/* readers skip leading blanks */
	fprintf(out, "\t%16" PRIx64 " %s", at->address, name);
	free(name);
	if (at->start && at->address >= at->start && !at->inlined)
		fprintf(out, "+0x%" PRIx64, at->address - at->start);
	fputs(" (", out);
	err = put_where(out, s, f, at);
	fputs(")\n", out);
	return err;
}

int perf_script_put_thread(FILE *out, const struct sample *s)
{
	int err = put_thread(out, s->frames[0].name);

	fprintf(out, " %7" PRIu32 "/%-7" PRIu32, s->tgid, s->tid ? s->tid : s->tgid);
	return err;
}

void perf_script_put_event(FILE *out, uint32_t cpu, uint64_t ns, uint64_t weight, enum tree_unit unit)
{
	fprintf(out, " [%03" PRIu32 "] %" PRIu64 ".%09" PRIu64 ": %10" PRIu64 " %s:\n", cpu, ns / 1000000000,
		ns % 1000000000, weight, unit == TREE_NS ? PERF_SCRIPT_NS : PERF_SCRIPT_SAMPLES);
}

int perf_script_put_stack(FILE *out, const struct sample *s)
{
	int err = 0;

	for (size_t i = s->nr; !err && i-- > 1;)
		err = put_frame(out, s, i);
	putc('\n', out);
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
	err = perf_script_put_thread(x->out, s);
	if (err)
		return err;
	perf_script_put_event(x->out, 0, x->ns, weight, x->unit);
	return perf_script_put_stack(x->out, s);
}

int convert_perf_script(FILE *out, struct source *s, enum tree_unit unit)
{
	struct text x = { .out = out, .unit = unit };
	int err;

	if (source_has_times(s))
		return perf_script_write_times(out, s, unit);
	err = source_each(s, put_sample, &x);

	if (!err && !x.samples)
		err = convert_nothing(unit, x.other);
	return err;
}
