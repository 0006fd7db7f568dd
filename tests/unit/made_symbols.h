/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_symbols.h - compares the symbols of programs made here with those that nm lists
 */
#ifndef KFLAME_TESTS_MADE_SYMBOLS_H
#define KFLAME_TESTS_MADE_SYMBOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "programs.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

/* For cmocka's set-up: the directory, and t.c in it */
static inline int symbols_set_up(void **state)
{
	(void)state;
	programs_make_dir();
	write_file("t.c",
		   "int sink;\n"
		   "__attribute__((noinline)) int first(int x) { return x * 3 + sink; }\n"
		   "__attribute__((noinline)) static int hidden(int x) { return first(x) + 1; }\n"
		   "int second(int x) { return hidden(x) + hidden(x + 1); }\n"
		   "int main(int argc, char **argv) { (void)argv; return second(argc); }\n");
	return 0;
}

/* STEM.so is made of assembler, and of nothing else */
static inline struct looked *look_made(const char *stem, const char *text)
{
	char name[32], command[128], *whole;

	snprintf(name, sizeof(name), "%s.s", stem);
	assert_true(asprintf(&whole, "%s.section .note.GNU-stack,\"\",@progbits\n", text) > 0);
	write_file(name, whole);
	free(whole);
	snprintf(command, sizeof(command), "%%s -shared -nostdlib -o %s.so %s.s", stem, stem);
	run(command);
	snprintf(name, sizeof(name), "%s.so", stem);
	return look_named(name);
}

static inline struct looked *look_stripped(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "true %%s && strip %s", name);
	run(command);
	return look_named(name);
}

/* File offset and size of a symbol that nm has with its size */
static inline uint64_t nm_offset(const char *name, const char *options, const char *symbol, uint64_t *size)
{
	unsigned long long address, bytes;
	char line[512], found[256], type;
	bool there = false;
	FILE *nm;

	snprintf(line, sizeof(line), "nm -S %s %s/%s", options, dir, name);
	nm = popen(line, "r");
	assert_non_null(nm);
	while (!there && fgets(line, sizeof(line), nm))
		there = sscanf(line, "%llx %llx %c %255s", &address, &bytes, &type, found) == 4 &&
			!strcmp(found, symbol);
	while (fgets(line, sizeof(line), nm))
		;
	pclose(nm);
	assert_true(there);
	*size = bytes;
	return offset_of(name, address);
}

static inline void check_name(struct looked *b, uint64_t at, const char *wanted, uint64_t from, uint64_t to)
{
	uint64_t start, end;
	const char *found = look_find(b, at, &start, &end);

	assert_non_null(found);
	assert_string_equal(found, wanted);
	assert_int_equal(start, from);
	assert_int_equal(end, to);
}

/* First, middle and last byte of a function have its name, the one before has not */
static inline void check_function(struct looked *b, const char *name, const char *options, const char *symbol)
{
	uint64_t start, end, size, at = nm_offset(name, options, symbol, &size);
	const char *found;

	assert_true(at);
	for (int i = 0; i < 3; i++)
		check_name(b, at + i * (size - 1) / 2, symbol, at, at + size);
	/* The byte before it may have its name, for fibers that begin with it; but no more than that */
	found = look_find(b, at - 1, &start, &end);
	assert_true(!found || strcmp(found, symbol) || (start == at - 1 && end == at));
	assert_true(strcmp(name_at(b, at - 2), symbol));
}

/* From @at on, @size bytes are one function whose name is gone */
static inline void check_nameless(struct looked *b, const char *name, uint64_t at, uint64_t size)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "[stripped: %s+%#llx]", name, (unsigned long long)at);
	for (uint64_t i = 0; i < size; i++)
		check_name(b, at + i, wanted, at, at + size);
}

/* From @at on, the names of bytes; "-" for none */
static inline void check_names(struct looked *b, uint64_t at, const char *const *expected, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		assert_string_equal(name_at(b, at + i), expected[i]);
}

#endif
