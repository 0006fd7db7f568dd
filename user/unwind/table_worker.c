// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_worker.c - compiles the unwind table of a file in a sandbox
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "unwind/table.h"
#include "unwind/table_worker.h"

#define TIME_NS		(30 * NS_PER_S)	/* rows.c stops itself sooner */
#define MEMORY		(1ull << 30)	/* bytes, at most */
#define FILES		16

/* The header of the answer; pages, rows and rules follow if there is no error */
struct answer {
	int32_t err;		/* of elf_table_read() */
	uint32_t flags;
	uint32_t nr_pages;
	uint32_t nr_rows;
	uint32_t nr_rules;
};

/* ------------------------------------------------------------- in the sandbox */

static void run(const struct sandbox_job *job)
{
	FILE *out = fdopen(job->out, "w");
	struct unwind_table t;
	struct answer a = { .err = elf_table_read(job->fds[0], &t, NULL) };

	if (!out)
		return;
	a.flags = t.flags;
	a.nr_pages = t.nr_pages;
	a.nr_rows = t.nr_rows;
	a.nr_rules = t.nr_rules;
	fwrite(&a, sizeof(a), 1, out);
	if (!a.err && t.pages) {
		fwrite(t.pages, sizeof(*t.pages), t.nr_pages + 1, out);
		fwrite(t.rows, sizeof(*t.rows), t.nr_rows, out);
		fwrite(t.rules, sizeof(*t.rules), t.nr_rules, out);
	}
	/* Free nothing: the process ends now */
	fflush(out);
}

const struct sandbox_work table_work = { .name = "table", .run = run };

/* ----------------------------------------------------------------- in the tool */

static bool is_sane(const struct answer *a)
{
	return !(a->flags & ~UNWIND_TABLE_FLAGS) && a->nr_pages <= KFLAME_TABLE_PAGES &&
	       a->nr_rows <= KFLAME_TABLE_ROWS && a->nr_rules <= KFLAME_TABLE_RULES;
}

/* Read an array of the answer.  Return: 0, -ENOMEM, -EIO or -ETIMEDOUT */
static int read_array(struct sandbox *child, void *array, size_t nr, size_t size)
{
	void *bytes = malloc(nr * size + 1);
	ssize_t n;

	memcpy(array, &bytes, sizeof(bytes));
	if (!bytes)
		return -ENOMEM;
	n = sandbox_read(child, bytes, nr * size, nr * size);
	return n == (ssize_t)(nr * size) ? 0 : n < 0 ? -ETIMEDOUT : -EIO;
}

static int read_answer(struct sandbox *child, struct unwind_table *t)
{
	struct answer a;
	ssize_t n = sandbox_read(child, &a, sizeof(a), sizeof(a));
	int err;

	if (n != sizeof(a))
		return n < 0 ? -ETIMEDOUT : -EIO;
	if (a.err)
		return a.err == -ENOEXEC || a.err == -ENOMEM ? a.err : -EIO;
	if (!is_sane(&a))
		return -EIO;
	*t = (struct unwind_table){ .flags = a.flags, .nr_pages = a.nr_pages, .nr_rows = a.nr_rows,
				    .nr_rules = a.nr_rules };
	err = read_array(child, &t->pages, t->nr_pages + 1ull, sizeof(*t->pages));
	if (!err)
		err = read_array(child, &t->rows, t->nr_rows, sizeof(*t->rows));
	return err ? err : read_array(child, &t->rules, t->nr_rules, sizeof(*t->rules));
}

int table_ask(int fd, struct unwind_table *out)
{
	const struct sandbox_limits limits = { .time_ns = TIME_NS, .files = FILES,
					       .memory = sandbox_memory(fd, MEMORY) };
	const struct sandbox_input input = { .fds = &fd, .nr_fds = 1, .owner = &fd };
	struct sandbox child;
	int err;

	memset(out, 0, sizeof(*out));
	err = sandbox_start(&child, &table_work, &limits, &input);
	if (err)
		return err;
	err = read_answer(&child, out);
	sandbox_end(&child);
	return err;
}
