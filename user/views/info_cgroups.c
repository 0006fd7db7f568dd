// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info_cgroups.c - prints the samples of each cgroup
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stacks/stack_root.h"
#include "views/info.h"

#define FEW_ROWS	20

struct row {
	const char *name;	/* name of the cgroup */
	uint64_t samples;
};

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_samples(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Join rows of the same name.  Return: how many rows are left */
static size_t add_up(struct row *rows, size_t nr)
{
	size_t to = 0;

	if (nr)
		qsort(rows, nr, sizeof(*rows), by_name);
	for (size_t i = 0; i < nr; i++) {
		if (to && !strcmp(rows[to - 1].name, rows[i].name))
			rows[to - 1].samples += rows[i].samples;
		else
			rows[to++] = rows[i];
	}
	if (to)
		qsort(rows, to, sizeof(*rows), by_samples);
	return to;
}

static void print_rows(FILE *out, const struct row *rows, size_t nr)
{
	char buf[TEXT_NUMBER];

	fputs("\nsamples by cgroup (--root cgroup of report, fold and flame has them all)\n", out);
	for (size_t i = 0; i < nr && i < FEW_ROWS; i++) {
		fprintf(out, "%16s  ", text_count(buf, rows[i].samples));
		text_put(out, rows[i].name);
		fputc('\n', out);
	}
	if (nr > FEW_ROWS)
		fputs("                  and more\n", out);
}

int info_print_cgroups(FILE *out, const struct profile *p)
{
	struct row *rows = malloc((p->nr_counts + 1) * sizeof(*rows));
	struct roots *roots = roots_create(p, STACK_ROOT_CGROUP);
	size_t nr = 0;
	int err = rows && roots ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < p->nr_counts; i++) {
		const struct profile_count *c = &p->counts[i];
		struct frame f;

		/* Count processes only: other samples are in no cgroup, or in the root cgroup */
		if (c->aspace == PROFILE_NONE)
			continue;
		err = roots_frame(roots, c, &f);
		rows[nr++] = (struct row){ f.name, c->samples };
	}
	if (!err)
		nr = add_up(rows, nr);
	if (!err && nr > 1)
		print_rows(out, rows, nr);
	roots_destroy(roots);
	free(rows);
	return err;
}
