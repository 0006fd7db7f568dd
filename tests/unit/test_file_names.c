// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_file_names.c - answers of sandboxes that name functions: what is taken of hostile ones
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "base/budget.h"
#include "elf/demangle.h"
#include "elf/demangle_client.h"
#include "elf/function_protocol.h"
#include "hush.h"
#include "programs.h"
#include "sandbox/answer.h"
#include "symbols/function_client.h"

/* Three functions and two leaves are asked for */
static const struct name_place places[] = {
	{ 0x100, 0 }, { 0x108, 0 }, { 0x108, 1 }, { 0x200, 0 }, { 0x300, 1 },
};

#define NR_PLACES	(sizeof(places) / sizeof(places[0]))

/* What a sandbox says that a file has taken over */
struct lie {
	struct name_say say[5];
	size_t nr;
	const char *name;	/* after each function: .nr bytes of it */
	int expected;
	size_t functions, leaves;	/* that are taken nevertheless */
};

#define STATE(n)		{ NAME_SAY_STATE, n, 0, 0 }
#define FUNCTION(n, from, to)	{ NAME_SAY_FUNCTION, n, from, to }
#define LEAF(n, at)		{ NAME_SAY_LEAF, n, at, 0 }
#define END			{ NAME_SAY_END, 0, 0, 0 }

static const struct lie lies[] = {
	{ .say = { STATE(0), END }, .nr = 2 },
	{ .say = { STATE(0), FUNCTION(3, 0x100, 0x110), LEAF(1, 0x108), FUNCTION(3, 0x1f0, 0x201), END }, .nr = 5,
	  .name = "abc", .functions = 2, .leaves = 1 },
	/* No state, an unknown one, a second one, and no end */
	{ .say = { END }, .nr = 1, .expected = -EIO },
	{ .say = { STATE(KFLAME_NAMED_GO + 1), END }, .nr = 2, .expected = -EIO },
	{ .say = { STATE(0), STATE(0), END }, .nr = 3, .expected = -EIO },
	{ .say = { STATE(0) }, .nr = 1, .expected = -EIO },
	{ .say = { STATE(0), { 77, 0, 0, 0 }, END }, .nr = 3, .expected = -EIO },
	/* Names of no length, too long, with a NUL, cut short */
	{ .say = { STATE(0), FUNCTION(0, 0x100, 0x110), END }, .nr = 3, .name = "", .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(NAME_MOST + 1, 0x100, 0x110) }, .nr = 2, .name = "abc", .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(UINT32_MAX, 0x100, 0x110) }, .nr = 2, .name = "abc", .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(3, 0x100, 0x110), END }, .nr = 3, .name = "a\0c", .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(4, 0x100, 0x110) }, .nr = 2, .name = "abc", .expected = -EIO },
	/* Functions that are empty, that nobody asked for, that overlap, that go backwards */
	{ .say = { STATE(0), FUNCTION(3, 0x100, 0x100), END }, .nr = 3, .name = "abc", .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(3, 0x110, 0x100), END }, .nr = 3, .name = "abc", .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(3, 0x109, 0x200), END }, .nr = 3, .name = "abc", .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(3, 0x201, UINT64_MAX), END }, .nr = 3, .name = "abc", .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(3, 0x100, 0x105), FUNCTION(3, 0x104, 0x110), END }, .nr = 4, .name = "abc",
	  .functions = 1, .expected = -EIO },
	{ .say = { STATE(0), FUNCTION(3, 0x200, 0x210), FUNCTION(3, 0x100, 0x110), END }, .nr = 4, .name = "abc",
	  .functions = 1, .expected = -EIO },
	/* Leaves that nobody asked for, twice, and neither true nor false */
	{ .say = { STATE(0), LEAF(1, 0x100), END }, .nr = 3, .expected = -EIO },
	{ .say = { STATE(0), LEAF(1, 0x108), LEAF(1, 0x108), END }, .nr = 4, .leaves = 1, .expected = -EIO },
	{ .say = { STATE(0), LEAF(2, 0x108), END }, .nr = 3, .expected = -EIO },
	{ .say = { STATE(0), LEAF(0, UINT64_MAX), END }, .nr = 3, .expected = -EIO },
};

#define MANY	400	/* places of the answer whose names are too long together */

/* The number of the lie comes as the name of the file */
static void tell_lie(const struct sandbox_job *job)
{
	const struct name_question *q = job->question;
	size_t number = strtoul(q->base, NULL, 10);
	static char name[NAME_MOST];
	FILE *f = fdopen(job->out, "w");

	if (number < sizeof(lies) / sizeof(lies[0])) {
		const struct lie *l = &lies[number];

		for (size_t i = 0; i < l->nr; i++) {
			fwrite(&l->say[i], sizeof(l->say[i]), 1, f);
			if (l->say[i].what == NAME_SAY_FUNCTION && l->name)
				fwrite(l->name, 1, l->say[i].nr < 3 ? l->say[i].nr : 3, f);
		}
	} else {
		const struct name_say state = STATE(0), end = END;

		memset(name, 'a', sizeof(name));
		fwrite(&state, sizeof(state), 1, f);
		for (uint64_t i = 0; i < MANY; i++) {
			const struct name_say say = FUNCTION(NAME_MOST, i, i + 1);

			fwrite(&say, sizeof(say), 1, f);
			fwrite(name, sizeof(name), 1, f);
		}
		fwrite(&end, sizeof(end), 1, f);
	}
	fflush(f);
}

struct taken {
	size_t functions, leaves, bytes;
};

static void take_function(void *ctx, uint64_t start, uint64_t end, const char *name)
{
	struct taken *t = ctx;

	assert_true(start < end);
	t->functions++;
	t->bytes += strlen(name);
}

static void take_leaf(void *ctx, uint64_t at, bool keep)
{
	struct taken *t = ctx;

	(void)keep;
	assert_true(at == 0x108 || at == 0x300);
	t->leaves++;
}

/* Ask about this program; the answer is lie number @number */
static int ask(size_t number, const struct name_place *all, size_t nr, struct taken *t)
{
	const struct name_taker taker = { take_function, take_leaf, t };
	uint64_t time_ns = 20000000000;
	struct file_names names;
	struct profile_file f;
	struct binary *b;
	char base[16];
	int err;

	describe_path("/bin/sh", &f);
	snprintf(base, sizeof(base), "%zu", number);
	f.base = base;
	assert_int_equal(binary_open(&f, -1, NULL, &b), 0);
	assert_true(binary_fd(b) >= 0);
	err = file_names_ask(b, all, nr, &time_ns, &taker, &names);
	binary_close(b);
	return err;
}

static void hostile_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct taken t = { 0 };
		int err = ask(i, places, NR_PLACES, &t);

		if (err != lies[i].expected || t.functions != lies[i].functions || t.leaves != lies[i].leaves)
			fail_msg("lie %zu: %d, %zu functions, %zu leaves", i, err, t.functions, t.leaves);
	}
}

/* No more than the budget is taken, whatever comes */
static void too_much(void **state)
{
	static struct name_place many[MANY];
	struct taken t = { 0 };
	(void)state;

	for (uint64_t i = 0; i < MANY; i++)
		many[i].at = i;
	assert_int_equal(ask(sizeof(lies) / sizeof(lies[0]), many, MANY, &t), -EIO);
	assert_true(t.functions > 100 && t.bytes <= NAME_BUDGET(MANY));
}

/* A demangler that dies of one name, and hangs on none */
static void demangle_and_die(const struct sandbox_job *job)
{
	const char *at = memmem(job->question, job->len, "_Zdeath", sizeof("_Zdeath"));

	/* All names before the deadly one get their answers */
	if (at) {
		struct sandbox_job part = *job;

		part.len = (size_t)(at - (const char *)job->question);
		part.out = dup(job->out);
		demangle_work.run(&part);
		abort();
	}
	demangle_work.run(job);
}

static void deadly_name(void **state)
{
	static const char *const names[] = { "_Z5firstv", "_Zdeath", "_Z6secondi", "plain", "_Z6secondi" };
	struct demangled d = { 0 };
	(void)state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(demangled_add(&d, names[i]), 0);
	assert_int_equal(demangled_ask(&d), 0);
	assert_string_equal(demangled_find(&d, "_Z5firstv"), "first()");
	assert_string_equal(demangled_find(&d, "_Z6secondi"), "second(int)");
	assert_null(demangled_find(&d, "_Zdeath"));
	assert_null(demangled_find(&d, "plain"));
	demangled_exit(&d);
}

/* One user cannot take the time of another one's files */
static void budgets(void **state)
{
	struct budget b = { 0 };
	uint64_t his = 0, left;
	(void)state;

	while ((left = budget_time(&b, 1000))) {
		budget_took(&b, 1000, left);
		his += left;
	}
	assert_int_equal(his, BUDGET_ALL_NS / 2);
	assert_int_equal(budget_time(&b, 0), BUDGET_FILE_NS);
	/* However many users there are, something is left for the next one */
	for (uid_t user = 2000; user < 2008; user++)
		while ((left = budget_time(&b, user)))
			budget_took(&b, user, left);
	assert_true(budget_time(&b, 0) > 0);
	budget_exit(&b);
}

static const struct sandbox_work lie_work = { .name = "names", .run = tell_lie };
static const struct sandbox_work die_work = { .name = "demangle", .run = demangle_and_die };

const struct sandbox_work *const test_works[] = { &lie_work, &die_work, NULL };

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_answers),
		cmocka_unit_test(too_much),
		cmocka_unit_test(deadly_name),
		cmocka_unit_test(budgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
