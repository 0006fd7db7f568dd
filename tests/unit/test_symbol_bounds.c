// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_symbol_bounds.c - where functions begin and end: sizes that are missing or wrong, names that are gone
 */
#include <fcntl.h>
#include <unistd.h>

#include "elf/elf_symbols.h"
#include "elf/sparse_copy.h"
#include "made_symbols.h"

#if defined(__x86_64__)
/* Swift's functions begin as labels of the arm64 ABI do, which are of no type */
static void dollars(void **state)
{
	uint64_t at, size;
	struct looked *b;
	(void)state;

	b = look_made("sw", ".text\n.globl $s4main3fooyyF\n.type $s4main3fooyyF,@function\n"
		   "$s4main3fooyyF: nop\n$x: nop\nnop\n.size $s4main3fooyyF, .-$s4main3fooyyF\n");
	at = nm_offset("sw.so", "", "$s4main3fooyyF", &size);
	assert_string_equal(name_at(b, at), "$s4main3fooyyF");
	assert_string_equal(name_at(b, at + size / 2), "$s4main3fooyyF");
	look_close(b);
}

static const char shared_entry_asm[] =
	".text\n"
	".cfi_startproc\n"
	"before: nop; nop; nop\n"
	".globl within\n.type within,@function\n"
	"within: nop; nop\n.size within, .-within\n"
	"after: nop; ret\n"
	".cfi_endproc\n";

static const char trampoline_asm[] =
	".text\n"
	"nop\n"
	".cfi_startproc\n.cfi_signal_frame\n"
	"restore: mov $15, %eax\nsyscall\n"
	".cfi_endproc\n"
	".globl next\n.type next,@function\n"
	"int3; next: ret\n.size next, .-next\n";

/* Its system call does not return: the program counter is behind it */
static void nameless_trampoline(void **state)
{
	uint64_t start, end, at, size;
	struct looked *b;
	(void)state;

	look_close(look_made("r", trampoline_asm));
	b = look_stripped("r.so");
	/* 5 and 2 bytes, and one that is not the trampoline's */
	at = nm_offset("r.so", "-D", "next", &size) - 8;
	check_nameless(b, "r.so", at, 7);
	assert_non_null(look_find(b, at + 7, &start, &end));
	assert_int_equal(start, at);
	assert_int_equal(end, at + 8);
	look_close(b);
}

/* An entry of unwind information that another function takes a part of */
static void nameless_around_named(void **state)
{
	uint64_t within, size;
	struct looked *b;
	(void)state;

	look_close(look_made("e", shared_entry_asm));
	b = look_stripped("e.so");
	within = nm_offset("e.so", "-D", "within", &size);
	check_function(b, "e.so", "-D", "within");
	check_nameless(b, "e.so", within - 3, 3);
	check_nameless(b, "e.so", within + 2, 2);
	look_close(b);
}

/* An assembler function without a size, and functions in C behind it */
static void sizeless(void **state)
{
	uint64_t at, asm_at, size, start, end;
	struct looked *b;
	(void)state;

	write_file("z.s", ".text\n.globl sizeless\n.type sizeless,@function\nsizeless: nop; nop; ret\n"
			  ".p2align 4\n.section .note.GNU-stack,\"\",@progbits\n");
	run("%s -O1 -c -fPIC -Dmain=third -o z1.o z.s && gcc -O1 -c -fPIC -Dmain=third -o z2.o t.c && "
	    "gcc -shared -o z.so z1.o z2.o");
	at = nm_offset("z.so", "", "hidden", &size);
	asm_at = symbol_offset("z.so", "sizeless");
	for (int i = 0; i < 3; i++) {
		/* .symtab; without static functions; .dynsym only */
		run(!i ? "true %s" : i == 1 ? "true %s && strip -x z.so" : "true %s && strip z.so");
		b = look_named("z.so");
		assert_non_null(look_find(b, at, &start, &end));
		assert_true(strcmp(name_at(b, at), "sizeless"));
		assert_int_equal(start, at);
		assert_int_equal(end, at + size);
		assert_non_null(look_find(b, asm_at + 1, &start, &end));
		assert_string_equal(name_at(b, asm_at + 1), "sizeless");
		assert_true(end - start >= 3 && end - start <= 16);
		look_close(b);
	}
}

/* Functions of 32-bit programs end where the unwind information of 32-bit files says */
static void sizeless_32(void **state)
{
	static const char *const commands[] = {
		"%s -m32 -shared -nostdlib -o n.so n.s 2>/dev/null",
		"sed -i '1i .cfi_sections .debug_frame' n.s && %s -m32 -shared -nostdlib -o n.so n.s 2>/dev/null",
		"%s -m32 -Wa,-gdwarf-5 -shared -nostdlib -o n.so n.s 2>/dev/null",
	};
	char command[256], line[512];
	struct looked *b;
	uint64_t at;
	(void)state;

	write_file("n.s", ".text\n.globl sizeless\n.type sizeless,@function\nsizeless: nop; nop; ret\n"
			  "hidden: .cfi_startproc\nnop; nop; ret\n.cfi_endproc\n"
			  ".section .note.GNU-stack,\"\",@progbits\n");
	for (size_t i = 0; i < NR(commands); i++) {
		snprintf(command, sizeof(command), commands[i], TEST_CC);
		snprintf(line, sizeof(line), "cd %s && %s", dir, command);
		if (system(line))
			skip();
		at = symbol_offset("n.so", "sizeless");
		run("true %s && objcopy -N hidden n.so");
		b = look_named("n.so");
		assert_string_equal(name_at(b, at + 2), "sizeless");
		check_nameless(b, "n.so", at + 3, 3);
		assert_false(look_leaf(b, at + 3));
		look_close(b);
	}
}

/* As look_named(), of a copy that has no code.  @light: its descriptor, for the caller to close */
static struct looked *look_light(const char *name, int *light)
{
	size_t room = 1 << 20;
	struct profile_file f;
	char path[128];
	int fd;

	describe(name, &f, path);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	*light = light_copy(fd, &room, 0);
	assert_true(*light >= 0);
	close(fd);
	return look_open(&f, *light, NULL);
}

/* Either hash table says how many dynamic symbols there are */
static void without_sections(void **state)
{
	static const char *const styles[] = { "sysv", "gnu", "both" };
	static const char *const names[] = { "first", "second", "third" };
	(void)state;

	for (size_t i = 0; i < NR(styles); i++) {
		uint64_t at[NR(names)], size[NR(names)];
		struct looked *b, *copy;
		char command[128];
		int light;

		snprintf(command, sizeof(command), "%%s -O1 -shared -fPIC -Dmain=third -Wl,--hash-style=%s -o ss.so t.c",
			 styles[i]);
		run(command);
		for (size_t k = 0; k < NR(names); k++)
			at[k] = nm_offset("ss.so", "-D", names[k], &size[k]);
		strip_sections("ss.so");
		b = look_named("ss.so");
		copy = look_light("ss.so", &light);
		assert_int_equal(look_state(b), KFLAME_NAMED_DYNSYM);
		for (size_t k = 0; k < NR(names); k++) {
			check_name(b, at[k] + 1, names[k], at[k], at[k] + size[k]);
			check_name(copy, at[k] + 1, names[k], at[k], at[k] + size[k]);
		}
		look_close(b);
		look_close(copy);
		close(light);
	}
}

static const char odd_asm[] =
	".text\n"
	".globl weak_one\n.weak weak_one\n.type weak_one,@function\n"
	".globl __under\n.type __under,@function\n"
	".globl global_one\n.type global_one,@function\n"
	".type local_one,@function\n"
	"weak_one: __under: global_one: local_one: nop; nop; nop; nop; ret\n"
	".size global_one, .-global_one\n.size local_one, .-local_one\n"
	".size weak_one, .-weak_one\n"
	".byte 0xcc, 0xcc, 0xcc\n"
	".globl outer\n.type outer,@function\n"
	"outer: nop; nop\n"
	"label_in_outer: nop\n"
	".type inner,@function\n"
	"inner: nop; nop\n.size inner, .-inner\n"
	"nop; ret\n.size outer, .-outer\n"
	".globl no_size\n.type no_size,@function\n"
	"no_size: nop; nop; nop\n"
	".globl no_type\n"
	"no_type: nop; ret\n";

static void odd_symbols(void **state)
{
	static const char *const expected[] = {
		"global_one", "global_one", "global_one", "global_one", "global_one",
		"-", "-", "-",
		"outer", "outer", "outer", "inner", "inner", "outer", "outer",
		"no_size", "no_size", "no_size", "no_type", "no_type",
	};
	struct elf_symbols symbols;
	uint64_t at, back, size;
	struct looked *b;
	char path[128];
	Elf *elf;
	FILE *f;
	(void)state;

	b = look_made("unusual", odd_asm);
	at = nm_offset("unusual.so", "", "global_one", &size);
	check_names(b, at, expected, NR(expected));
	look_close(b);

	snprintf(path, sizeof(path), "%s/unusual.so", dir);
	f = fopen(path, "r");
	elf_version(EV_CURRENT);
	elf = elf_begin(fileno(f), ELF_C_READ, NULL);
	assert_int_equal(elf_symbols_load(elf, NULL, &symbols), 0);
	assert_true(elf_symbols_address(&symbols, at, &back));
	assert_int_equal(offset_of("unusual.so", back), at);
	assert_false(elf_symbols_address(&symbols, 1u << 30, &back));
	elf_symbols_exit(&symbols);
	elf_end(elf);
	fclose(f);
}

static const char shared_start_asm[] =
	".text\n"
	".globl empty\n.type empty,@function\nempty: .size empty, 0\n"
	".type after_empty,@function\nafter_empty: nop; ret\n.size after_empty, .-after_empty\n"
	".byte 0xcc\n"
	".globl brief\n.type brief,@function\n.type lasting,@function\n"
	"brief: lasting: nop; nop\n.size brief, .-brief\nnop; ret\n.size lasting, .-lasting\n"
	".byte 0xcc\n"
	".globl too_long\n.type too_long,@function\ntoo_long: .cfi_startproc\nnop; ret\n.cfi_endproc\n"
	".size too_long, 6\n"
	".globl typed\n.type typed,@function\ntyped: .cfi_startproc\nnop\nuntyped: ret\n.cfi_endproc\n"
	".globl stop_text\nstop_text:\n"
	".section .text2,\"ax\"\n"
	".type behind,@function\nbehind: .cfi_startproc\nnop; ret\n.cfi_endproc\n.size behind, .-behind\n";

/*
 * Functions that begin at one address, but end at others; a function without a size inside one whose size is
 * too large; and a symbol for the end of a section, where the next section begins
 */
static void shared_starts(void **state)
{
	static const char *const expected[] = {
		"after_empty", "after_empty", "-", "brief", "brief", "lasting", "lasting", "-",
		"too_long", "too_long", "typed", "typed", "behind", "behind",
	};
	struct looked *b;
	uint64_t at;
	(void)state;

	b = look_made("starts", shared_start_asm);
	at = symbol_offset("starts.so", "empty");
	check_names(b, at, expected, NR(expected));
	check_name(b, at + 3, "brief", at + 3, at + 5);
	check_name(b, at + 5, "lasting", at + 5, at + 7);
	look_close(b);

	b = look_stripped("starts.so");
	assert_string_equal(name_at(b, at + 11), "typed");
	check_nameless(b, "starts.so", at + 12, 2);
	look_close(b);
}

static const char last_bytes_asm[] =
	".text\n.p2align 4\n"
	".globl padded\n.type padded,@function\npadded: ret\n.size padded, .-padded\n.p2align 4\n"
	".globl first16\n.type first16,@function\nfirst16: ret\n.size first16, .-first16\n.p2align 4\n"
	"returns: .skip 15, 0x90\nret\n"
	".globl second16\n.type second16,@function\nsecond16: ret\n.size second16, .-second16\n.p2align 4\n"
	"calls: .skip 11, 0x90\ncall .+4096\n"
	".globl third16\n.type third16,@function\nthird16: ret\n.size third16, .-third16\n";

/*
 * The byte before a function is the function's only if it is padding, and not the last byte of a function
 * without symbol and unwind information
 */
static void last_bytes(void **state)
{
	uint64_t at;
	(void)state;

	look_close(look_made("last", last_bytes_asm));
	at = symbol_offset("last.so", "padded");
	for (int i = 0; i < 2; i++) {
		int light = -1;
		struct looked *b = i ? look_light("last.so", &light) : look_stripped("last.so");

		assert_string_equal(name_at(b, at + 15), "first16");
		assert_string_equal(name_at(b, at + 16), "first16");
		assert_string_equal(name_at(b, at + 47), "-");
		assert_string_equal(name_at(b, at + 48), "second16");
		assert_string_equal(name_at(b, at + 79), "-");
		assert_string_equal(name_at(b, at + 80), "third16");
		look_close(b);
		close(light);
	}
}

/* The jumps end 15 bytes after a multiple of 16; 0xe8 of a distance is no call */
static const char like_calls_asm[] =
	".text\n.p2align 4\n"
	".globl jumps\n.type jumps,@function\n"
	"jumps: .skip 10, 0x90\n.byte 0xe9, 0xe8, 0xab, 0xf8, 0xff\n.size jumps, .-jumps\n.p2align 4\n"
	".globl first16\n.type first16,@function\nfirst16: ret\n.size first16, .-first16\n.p2align 4\n"
	"unwound: .cfi_startproc\n.skip 10, 0x90\n.byte 0xe9, 0xe8, 0xab, 0xf8, 0xff\n.cfi_endproc\n.p2align 4\n"
	".globl second16\n.type second16,@function\nsecond16: ret\n.size second16, .-second16\n.p2align 4\n"
	"unsaid: .cfi_startproc\n.skip 9, 0x90\n.byte 0xff, 0x15, 0, 0\n.cfi_endproc\n.p2align 4\n"
	".globl third16\n.type third16,@function\nthird16: ret\n.size third16, .-third16\n.p2align 4\n"
	".globl short\n.type short,@function\n"
	"short: ret\n.size short, .-short\n.skip 10, 0x90\ncall .+4096\n"
	".globl fourth16\n.type fourth16,@function\nfourth16: ret\n.size fourth16, .-fourth16\n";

/* Bytes of a function whose end is known do not make its padding a call; where a call has room it is one */
static void padding_after_known_ends(void **state)
{
	uint64_t at;
	(void)state;

	look_close(look_made("calls", like_calls_asm));
	at = symbol_offset("calls.so", "jumps");
	for (int i = 0; i < 2; i++) {
		int light = -1;
		struct looked *b = i ? look_light("calls.so", &light) : look_stripped("calls.so");

		assert_string_equal(name_at(b, at + 14), "jumps");
		assert_string_equal(name_at(b, at + 15), "first16");
		assert_string_equal(name_at(b, at + 16), "first16");
		check_nameless(b, "calls.so", at + 32, 15);
		assert_string_equal(name_at(b, at + 47), "second16");
		assert_string_equal(name_at(b, at + 79), "third16");
		if (!i)
			assert_string_equal(name_at(b, at + 111), "-");
		look_close(b);
		close(light);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(dollars),
		cmocka_unit_test(nameless_around_named),
		cmocka_unit_test(sizeless),
		cmocka_unit_test(sizeless_32),
		cmocka_unit_test(nameless_trampoline),
		cmocka_unit_test(without_sections),
		cmocka_unit_test(odd_symbols),
		cmocka_unit_test(shared_starts),
		cmocka_unit_test(last_bytes),
		cmocka_unit_test(padding_after_known_ends),
#endif
	};

	return cmocka_run_group_tests_name("symbol_bounds", tests, symbols_set_up, programs_remove);
}
