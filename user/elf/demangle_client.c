// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle_client.c - let a sandbox demangle names
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "elf/demangle.h"
#include "elf/demangle_client.h"
#include "sandbox/answer.h"

#define TIME_NS		(30 * NS_PER_S)
#define MEMORY		(256ull << 20)	/* bytes */
#define FILES		8
#define MOST_DEATHS	8		/* sandboxes that may die or hang before the tool gives up */
#define BUDGET(bytes)	((16ull << 20) + 8 * (uint64_t)(bytes))

/* CAREFUL: flush each answer, so that the tool knows which name killed the sandbox */
enum { QUICK = 'q', CAREFUL = 'c' };

/* ------------------------------------------------------------- in the sandbox */

/*
 * The question is CAREFUL or QUICK, then the names, each with its NUL.  The answer to each name is the length
 * of the demangled name, and the demangled name.
 */
static void run(const struct sandbox_job *job)
{
	const char *name = job->question, *end = name + job->len;
	bool careful = *name++ == CAREFUL;
	FILE *out = fdopen(job->out, "w");

	for (; out && name < end; name += strlen(name) + 1) {
		char *shown = demangle(name);
		uint32_t len = shown ? (uint32_t)strlen(shown) : 0;

		fwrite(&len, sizeof(len), 1, out);
		if (len)
			fwrite(shown, len, 1, out);
		if (careful)
			fflush(out);
		free(shown);
	}
	if (out)
		fflush(out);
}

const struct sandbox_work demangle_work = { .name = "demangle", .run = run };

/* ----------------------------------------------------------------- in the tool */

static bool same_name(const void *ctx, uint32_t i, const void *key)
{
	const struct demangled *d = ctx;

	return !strcmp(d->all[i].name, key);
}

static uint32_t find(const struct demangled *d, const char *name)
{
	return index_find(&d->index, hash_bytes(0, name, strlen(name)), same_name, d, name);
}

int demangled_add(struct demangled *d, const char *name)
{
	if (!demangle_wanted(name) || find(d, name) != INDEX_NONE)
		return 0;
	if (grow(&d->all, d->nr, &d->cap, sizeof(*d->all)) ||
	    index_add(&d->index, hash_bytes(0, name, strlen(name)), (uint32_t)d->nr))
		return -ENOMEM;
	d->all[d->nr++] = (struct demangled_name){ .name = name };
	return 0;
}

/* Make the question for all names from index @first on.  Return: to be freed; NULL if memory runs out */
static char *make_question(const struct demangled *d, size_t first, char how, size_t *len)
{
	char *question;
	size_t at = 1;

	*len = 1;
	for (size_t i = first; i < d->nr; i++)
		*len += strlen(d->all[i].name) + 1;
	question = malloc(*len);
	if (question)
		question[0] = how;
	for (size_t i = first; question && i < d->nr; i++) {
		strcpy(question + at, d->all[i].name);
		at += strlen(d->all[i].name) + 1;
	}
	return question;
}

static int read_name(struct answer *a, struct demangled_name *to, uint64_t *left)
{
	int err = -EIO;
	const void *bytes = answer_read(a, sizeof(uint32_t), &err);
	uint32_t len;

	if (!bytes)
		return err;
	memcpy(&len, bytes, sizeof(len));
	if (!len)
		return 0;
	if (len > ANSWER_BUFFER)
		return -EIO;
	bytes = answer_read(a, len, &err);
	if (!bytes)
		return err;
	if (len > *left || memchr(bytes, 0, len))
		return 0;
	*left -= len;
	to->shown = strndup(bytes, len);
	return to->shown ? 0 : -ENOMEM;
}

/* Ask for the names from index @*next on, and move @*next to the first name without an answer */
static int ask(struct demangled *d, char how, size_t *next, uint64_t *left)
{
	const struct sandbox_limits limits = { .time_ns = TIME_NS, .memory = MEMORY, .files = FILES };
	struct sandbox_input input = { 0 };
	char *question = make_question(d, *next, how, &input.len);
	struct sandbox child;
	struct answer a;
	int err;

	if (!question)
		return -ENOMEM;
	input.question = question;
	err = sandbox_start(&child, &demangle_work, &limits, &input);
	free(question);
	if (err)
		return err;
	err = answer_begin(&a, &child);
	while (!err && *next < d->nr) {
		err = read_name(&a, &d->all[*next], left);
		*next += !err;
	}
	answer_end(&a);
	sandbox_end(&child);
	return err;
}

int demangled_ask(struct demangled *d)
{
	uint64_t left = 0;
	size_t next = 0;
	int err = 0;

	for (size_t i = 0; i < d->nr; i++)
		left += strlen(d->all[i].name);
	left = BUDGET(left);
	for (int deaths = 0; next < d->nr && deaths < MOST_DEATHS && err != -ENOMEM; deaths++) {
		err = ask(d, deaths ? CAREFUL : QUICK, &next, &left);
		/* Skip the name that killed a careful sandbox: it stays mangled */
		next += deaths && err && err != -ENOMEM;
	}
	return err == -ENOMEM ? err : 0;
}

const char *demangled_find(const struct demangled *d, const char *name)
{
	uint32_t i = d->nr ? find(d, name) : INDEX_NONE;

	return i == INDEX_NONE ? NULL : d->all[i].shown;
}

void demangled_exit(struct demangled *d)
{
	for (size_t i = 0; i < d->nr; i++)
		free(d->all[i].shown);
	free(d->all);
	index_exit(&d->index);
	*d = (struct demangled){ 0 };
}
