// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_go_table.c - functions of stripped Go programs
 *
 * Tables as each generation of Go's linker writes them, put together here: Go is not among what
 * tests need.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "elf/sparse_copy.h"
#include "programs.h"
#include "symbols/mapped_file.h"

#define SECTION	".section .gopclntab,\"a\"\n"
#define MOVED	".section .data.rel.ro,\"aw\"\n.quad 17, 4\n"
#define CODE	".text\n.globl _start\n.hidden _start\n" \
		"first: _start: .skip 3\n" \
		"second: .skip 5\n" \
		"last:\n" INFO \
		".section .note.GNU-stack,\"\",@progbits\n"
/* Then how large the frame is: of the first function none; of the second one 8 bytes for 3 of 5 */
#define NAMES	"names: .asciz \"main.first\"\nname2: .asciz \"main.(*T[...]).second\"\n" \
		"values: .byte 0\nv1: .byte 2, 3, 0\nv2: .byte 2, 1, 16, 3, 15, 1, 0\n"
#define INFO	".section .go.buildinfo,\"aw\"\n.quad 7\n"
#define MAGIC(m) ".balign 8\ntab: .long " m "\n.byte 0, 0, 1, 8\n.quad 2\n"
#define PAIRS	".balign 8\nfns: .long first - _start, f1 - fns, second - _start, f2 - fns, last - _start\n" \
		"f1: .long first - _start, names - names, 0, 0, v1 - values\n" \
		"f2: .long second - _start, name2 - names, 0, 0, v2 - values\n"
#define WIDE	".balign 8\nfns: .quad first, f1 - fns, second, f2 - fns, last\n" \
		"f1: .quad first\n.long names - names, 0, 0, v1 - values\n" \
		"f2: .quad second\n.long name2 - names, 0, 0, v2 - values\n"
#define INIT	".section .init,\"ax\"\nret\n"
/* The runtime's moduledata: the address of the table, and much else before the address of the code */
#define MODULE	".section .go.module,\"aw\"\n.quad tab\n.fill 21, 8, 7\n.quad _start\n"
#define OFFSETS	".quad names - tab, 0, 0, values - tab, fns - tab\n"

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	return 0;
}

/*
 * Each byte of both functions, of which @first is the first, has its function's name, and finder_leaf() knows
 * whether the function has a frame there. The bytes around them have no name
 */
static void check_names(struct looked *b, uint64_t first)
{
	uint64_t start, end;

	assert_int_equal(look_state(b), KFLAME_NAMED_GO);
	/* The byte before may be the first function's, for a goroutine that begins with it, and no more */
	assert_true(!look_find(b, first - 1, &start, &end) || (start == first - 1 && end == first));
	assert_null(look_find(b, first - 2, &start, &end));
	assert_null(look_find(b, first + 8, &start, &end));
	for (uint64_t i = 0; i < 8; i++) {
		assert_string_equal(look_find(b, first + i, &start, &end),
				    i < 3 ? "main.first" : "main.(*T[...]).second");
		assert_int_equal(start, i < 3 ? first : first + 3);
		assert_int_equal(end, i < 3 ? first + 3 : first + 8);
		assert_int_equal(look_leaf(b, first + i), i < 4 || i == 7);
	}
}

/* In the file, and in what a recording keeps of it */
static void check(const char *what, const char *source, const char *command)
{
	struct profile_file f;
	size_t room = 1 << 20;
	uint64_t first;
	struct looked *b;
	char path[128];
	int fd, copy;

	print_message("# %s\n", what);
	write_file("g.s", source);
	run(command);
	first = symbol_offset("g", "first");
	run("true %s; strip g");
	describe("g", &f, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	b = look_open(&f, fd, NULL);
	check_names(b, first);
	look_close(b);

	copy = light_copy(fd, &room, 0);
	assert_true(copy >= 0);
	b = look_open(&f, copy, NULL);
	check_names(b, first);
	look_close(b);
	close(copy);
	close(fd);
}

static void generations(void **state)
{
	static const char plain[] = "%s -static -no-pie -nostdlib -o g g.s";
	(void)state;

	check("1.2", SECTION ".balign 8\ntab: .long 0xfffffffb\n.byte 0, 0, 1, 8\n.quad 2\n"
	      "index: .quad first, f1 - tab, second, f2 - tab, last\n"
	      "f1: .quad first\n.long names - tab, 0, 0, v1 - tab\n"
	      "f2: .quad second\n.long name2 - tab, 0, 0, v2 - tab\n"
	      NAMES CODE, plain);
	check("1.16", SECTION MAGIC("0xfffffffa") ".quad 1\n" OFFSETS NAMES WIDE CODE,
	      plain);
	check("1.18", SECTION MAGIC("0xfffffff0") ".quad 1, _start\n" OFFSETS NAMES PAIRS CODE, plain);
	check("1.20", SECTION MAGIC("0xfffffff1") ".quad 1, _start\n" OFFSETS NAMES PAIRS CODE, plain);
}

static void places_of_code(void **state)
{
	(void)state;

	check("the linker is Go's, the table has no address of the code",
	      SECTION MAGIC("0xfffffff1") ".quad 1, 0\n" OFFSETS NAMES PAIRS CODE,
	      "%s -static -no-pie -nostdlib -o g g.s");
	check("any address",
	      SECTION MAGIC("0xfffffff1") ".quad 1, _start\n" OFFSETS NAMES PAIRS CODE,
	      "%s -shared -nostdlib -Wl,-z,notext -o g g.s");
	check("any address, in a section of other things",
	      MOVED MAGIC("0xfffffff1") ".quad 1, _start\n" OFFSETS NAMES PAIRS CODE,
	      "%s -shared -nostdlib -o g g.s");
	check("another linker, the runtime's own description has the address of the code",
	      SECTION MAGIC("0xfffffff1") ".quad 1, 0\n" OFFSETS NAMES PAIRS INIT MODULE CODE,
	      "%s -static -no-pie -nostdlib -o g g.s");
	check("the same at any address",
	      SECTION MAGIC("0xfffffff1") ".quad 1, 0\n" OFFSETS NAMES PAIRS INIT MODULE CODE,
	      "%s -shared -nostdlib -o g g.s");
}

/* A .symtab with one function hides neither Go's table nor the name of the function */
static void partial_symtab(void **state)
{
	struct looked *b;
	uint64_t first;
	(void)state;

	write_file("g.s", SECTION MAGIC("0xfffffff1") ".quad 1, _start\n" OFFSETS NAMES PAIRS CODE
		   ".globl kept\n.type kept,@function\n.set kept, first\n.size kept, 3\n");
	run("%s -static -no-pie -nostdlib -o g g.s");
	first = symbol_offset("g", "first");
	run("true %s; strip -s -K kept g");
	b = look_named("g");
	assert_int_equal(look_state(b), KFLAME_NAMED_SYMTAB);
	assert_string_equal(name_at(b, first + 2), "kept");
	assert_string_equal(name_at(b, first + 3), "main.(*T[...]).second");
	assert_string_equal(name_at(b, first + 7), "main.(*T[...]).second");
	look_close(b);
}

/* Nothing is better than something else's name */
static void not_told(const char *what, const char *source)
{
	uint64_t start, end, first;
	struct looked *b;
	const char *name;

	print_message("# %s\n", what);
	write_file("g.s", source);
	run("%s -static -no-pie -nostdlib -o g g.s");
	first = symbol_offset("g", "first");
	run("true %s; strip g");
	b = look_named("g");
	name = look_find(b, first, &start, &end);
	assert_true(!name || strcmp(name, "main.first"));
	look_close(b);
}

static void damage(void **state)
{
	(void)state;

	not_told("another linker, the table has no address of the code",
		 SECTION MAGIC("0xfffffff1") ".quad 1, 0\n" OFFSETS NAMES PAIRS INIT CODE);
	not_told("the runtime describes another table",
		 SECTION MAGIC("0xfffffff1") ".quad 1, 0\n" OFFSETS NAMES PAIRS INIT
		 ".section .go.module,\"aw\"\n.quad fns\n.fill 21, 8, 0\n.quad _start\n" CODE);
	not_told("the runtime's description is cut short",
		 SECTION MAGIC("0xfffffff1") ".quad 1, 0\n" OFFSETS NAMES PAIRS INIT
		 ".section .go.module,\"aw\"\n.quad tab\n" CODE);
	not_told("functions without end", SECTION ".balign 8\ntab: .long 0xfffffff1\n.byte 0, 0, 1, 8\n"
		 ".quad -1, 1, _start\n" OFFSETS NAMES PAIRS CODE);
	not_told("another magic number",
		 SECTION MAGIC("0xfffffff7") ".quad 1, _start\n" OFFSETS NAMES PAIRS CODE);
	not_told("places beyond the table", SECTION MAGIC("0xfffffff1") ".quad 1, _start\n"
		 ".quad -8, 0, 0, 0, -16\n" NAMES PAIRS CODE);
	not_told("a name without end", SECTION MAGIC("0xfffffff1") ".quad 1, _start\n" OFFSETS PAIRS
		 "values: v1: v2: .globl names\nnames: .ascii \"main.first\"\nname2 = names\n" CODE);
	not_told("a header alone", SECTION ".long 0xfffffff1\n.byte 0, 0, 1, 8\n" CODE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generations),
		cmocka_unit_test(places_of_code),
		cmocka_unit_test(partial_symtab),
		cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests_name("go_table", tests, set_up, programs_remove);
}
