// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_symbols.c - symbol tables and unwind information of programs made here
 *
 * Small C and assembly programs are compiled each way that a linker lays out
 * files; what nm says is what must be found.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sanitizer/lsan_interface.h>

#include "elf/demangle.h"
#include "elf/elf_symbols.h"
#include "programs.h"
#include "symbols/function_client.h"
#include "symbols/mapped_file.h"

static const char source[] =
	"int sink;\n"
	"__attribute__((noinline)) int first(int x) { return x * 3 + sink; }\n"
	"__attribute__((noinline)) static int hidden(int x) { return first(x) + 1; }\n"
	"int second(int x) { return hidden(x) + hidden(x + 1); }\n"
	"int main(int argc, char **argv) { (void)argv; return second(argc); }\n";

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	write_file("t.c", source);
	return 0;
}

/* Address and size of a symbol as nm has them; false where it has none */
static bool ask_nm(const char *name, const char *options, const char *symbol,
		   unsigned long long *address, unsigned long long *size)
{
	char line[512], found[256], type;
	bool there = false;
	FILE *nm;

	snprintf(line, sizeof(line), "nm -S %s %s/%s", options, dir, name);
	nm = popen(line, "r");
	assert_non_null(nm);
	while (fgets(line, sizeof(line), nm))
		if (sscanf(line, "%llx %llx %c %255s", address, size, &type, found) == 4 &&
		    !strcmp(found, symbol)) {
			there = true;
			break;
		}
	while (fgets(line, sizeof(line), nm))
		;
	pclose(nm);
	return there;
}

/* First, middle and last byte of a function have its name, the one before has not */
static void check_function(struct looked *b, const char *name, const char *options,
			   const char *symbol)
{
	unsigned long long address, size;
	uint64_t start, end, at;
	const char *found;

	assert_true(ask_nm(name, options, symbol, &address, &size));
	at = offset_of(name, address);
	assert_true(at);
	for (int i = 0; i < 3; i++) {
		found = look_find(b, at + i * (size - 1) / 2, &start, &end);
		assert_non_null(found);
		assert_string_equal(found, symbol);
		assert_int_equal(start, at);
		assert_int_equal(end, at + size);
	}
	/* The byte before it may have its name, for fibers that begin with it; but no more than that */
	found = look_find(b, at - 1, &start, &end);
	assert_true(!found || strcmp(found, symbol) || (start == at - 1 && end == at));
	found = look_find(b, at - 2, &start, &end);
	assert_true(!found || strcmp(found, symbol));
}

static void check_layout(const char *name, const char *how)
{
	struct looked *b;

	run(how);
	b = look_named(name);
	assert_int_equal(look_state(b), KFLAME_NAMED_SYMTAB);
	check_function(b, name, "", "first");
	check_function(b, name, "", "hidden");
	check_function(b, name, "", "second");
	look_close(b);
}

static void layouts(void **state)
{
	(void)state;
	check_layout("pie", "%s -O1 -pie -fPIE -o pie t.c");
	check_layout("fixed", "%s -O1 -no-pie -fno-pie -o fixed t.c");
	check_layout("lib.so", "%s -O1 -shared -fPIC -Dmain=third -o lib.so t.c");
	/* Addresses and file offsets that have nothing in common */
	check_layout("apart", "%s -O1 -no-pie -fno-pie -Wl,-Ttext-segment=0x7000000 "
		     "-Wl,-z,noseparate-code -o apart t.c");
	check_layout("separate", "%s -O1 -pie -fPIE -Wl,-z,separate-code "
		     "-Wl,-z,max-page-size=0x10000 -o separate t.c");
}

/* From @at on, @size bytes are one function whose name is gone */
static void check_nameless(struct looked *b, const char *name, uint64_t at, uint64_t size)
{
	uint64_t start, end;
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "[stripped: %s+%#llx]", name, (unsigned long long)at);
	for (uint64_t i = 0; i < size; i++) {
		const char *found = look_find(b, at + i, &start, &end);

		assert_non_null(found);
		assert_string_equal(found, wanted);
		assert_int_equal(start, at);
		assert_int_equal(end, at + size);
	}
}

/* Swift's functions begin as labels of the arm64 ABI do, which are of no type */
static void dollars(void **state)
{
	struct looked *b;
	unsigned long long address, size;
	(void)state;

	write_file("sw.s", ".text\n.globl $s4main3fooyyF\n.type $s4main3fooyyF,@function\n"
		   "$s4main3fooyyF: nop\n$x: nop\nnop\n.size $s4main3fooyyF, .-$s4main3fooyyF\n"
		   ".section .note.GNU-stack,\"\",@progbits\n");
	run("%s -shared -nostdlib -o sw.so sw.s");
	b = look_named("sw.so");
	assert_true(ask_nm("sw.so", "", "$s4main3fooyyF", &address, &size));
	assert_string_equal(name_at(b, offset_of("sw.so", address)), "$s4main3fooyyF");
	assert_string_equal(name_at(b, offset_of("sw.so", address) + size / 2), "$s4main3fooyyF");
	look_close(b);
}

#if defined(__x86_64__)
static const char shared_entry_asm[] =
	".text\n"
	".cfi_startproc\n"
	"before: nop; nop; nop\n"
	".globl within\n.type within,@function\n"
	"within: nop; nop\n.size within, .-within\n"
	"after: nop; ret\n"
	".cfi_endproc\n"
	".section .note.GNU-stack,\"\",@progbits\n";

static const char trampoline_asm[] =
	".text\n"
	"nop\n"
	".cfi_startproc\n.cfi_signal_frame\n"
	"restore: mov $15, %eax\nsyscall\n"
	".cfi_endproc\n"
	".globl next\n.type next,@function\n"
	"int3; next: ret\n.size next, .-next\n"
	".section .note.GNU-stack,\"\",@progbits\n";

/* Its system call does not return: the program counter is behind it */
static void nameless_trampoline(void **state)
{
	unsigned long long address, size;
	uint64_t start, end, at;
	struct looked *b;
	(void)state;

	write_file("r.s", trampoline_asm);
	run("%s -shared -nostdlib -o r.so r.s && strip r.so");
	b = look_named("r.so");
	assert_true(ask_nm("r.so", "-D", "next", &address, &size));
	/* 5 and 2 bytes, and one that is not the trampoline's */
	at = offset_of("r.so", address) - 8;
	check_nameless(b, "r.so", at, 7);
	assert_non_null(look_find(b, at + 7, &start, &end));
	assert_int_equal(start, at);
	assert_int_equal(end, at + 8);
	look_close(b);
}

/* An entry of unwind information that another function takes a part of */
static void nameless_around_named(void **state)
{
	unsigned long long address, size;
	struct looked *b;
	uint64_t within;
	(void)state;

	write_file("e.s", shared_entry_asm);
	run("%s -shared -nostdlib -o e.so e.s && strip e.so");
	b = look_named("e.so");
	assert_true(ask_nm("e.so", "-D", "within", &address, &size));
	within = offset_of("e.so", address);
	check_function(b, "e.so", "-D", "within");
	check_nameless(b, "e.so", within - 3, 3);
	check_nameless(b, "e.so", within + 2, 2);
	look_close(b);
}
#endif

#if defined(__x86_64__)
/* An assembler function without a size, and functions in C behind it */
static void sizeless(void **state)
{
	unsigned long long address, size;
	struct looked *b;
	uint64_t at, asm_at, start, end;
	const char *found;
	(void)state;

	write_file("z.s", ".text\n.globl sizeless\n.type sizeless,@function\nsizeless: nop; nop; ret\n"
			  ".p2align 4\n.section .note.GNU-stack,\"\",@progbits\n");
	run("%s -O1 -c -fPIC -Dmain=third -o z1.o z.s && gcc -O1 -c -fPIC -Dmain=third -o z2.o t.c && "
	    "gcc -shared -o z.so z1.o z2.o");
	assert_true(ask_nm("z.so", "", "hidden", &address, &size));
	at = offset_of("z.so", address);
	asm_at = symbol_offset("z.so", "sizeless");
	for (int i = 0; i < 3; i++) {
		/* .symtab; without static functions; .dynsym only */
		run(!i ? "true %s" : i == 1 ? "true %s && strip -x z.so" : "true %s && strip z.so");
		b = look_named("z.so");
		found = look_find(b, at, &start, &end);
		assert_non_null(found);
		assert_true(strcmp(found, "sizeless"));
		assert_int_equal(start, at);
		assert_int_equal(end, at + size);
		found = look_find(b, asm_at + 1, &start, &end);
		assert_string_equal(found, "sizeless");
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
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
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
#endif

/* A .symtab with one function hides neither .dynsym nor the debug file */
static void partial_symtab(void **state)
{
	struct looked *b;
	(void)state;

	run("%s -O1 -shared -fPIC -Dmain=third -o p.so t.c && cp p.so whole.so && "
	    "objcopy --only-keep-debug p.so p.debug && strip -s -K third p.so");
	b = look_named("p.so");
	assert_int_equal(look_state(b), KFLAME_NAMED_SYMTAB);
	check_function(b, "whole.so", "", "third");
	check_function(b, "whole.so", "", "first");
	check_function(b, "whole.so", "", "second");
	look_close(b);
	run("true %s && objcopy --add-gnu-debuglink=p.debug p.so");
	b = look_named("p.so");
	assert_int_equal(look_state(b), KFLAME_NAMED_DEBUG);
	check_function(b, "whole.so", "", "hidden");
	check_function(b, "whole.so", "", "third");
	look_close(b);
}

/* The same for a program that exports nothing, beside whose build-id a debug file is */
static void partial_symtab_build_id(void **state)
{
	static const char *const partial[] = { "-s -K second", "-x" };
	char command[256];
	struct looked *b;
	(void)state;

	run("%s -O1 -pie -fPIE -Wl,--build-id=0x12345678 -o program t.c && mkdir 12345678 && "
	    "objcopy --only-keep-debug program 12345678/debuginfo");
	setenv("DEBUGINFOD_CACHE_PATH", dir, 1);
	for (size_t i = 0; i < sizeof(partial) / sizeof(*partial); i++) {
		snprintf(command, sizeof(command), "true %%s && strip %s -o part program", partial[i]);
		run(command);
		b = look_named("part");
		assert_int_equal(look_state(b), KFLAME_NAMED_SYMTAB);
		check_function(b, "program", "", "second");
		check_function(b, "program", "", "hidden");
		check_function(b, "program", "", "first");
		assert_int_equal(look_state(b), KFLAME_NAMED_DEBUG);
		look_close(b);
	}
	unsetenv("DEBUGINFOD_CACHE_PATH");
}

static void stripped(void **state)
{
	unsigned long long address, size;
	uint64_t start, end, hidden;
	struct looked *b;
	(void)state;

	run("%s -O1 -shared -fPIC -Dmain=third -o s.so t.c");
	assert_true(ask_nm("s.so", "", "hidden", &address, &size));
	assert_true(size > 1);
	hidden = offset_of("s.so", address);
	run("true %s && strip s.so");
	b = look_named("s.so");
	assert_int_equal(look_state(b), KFLAME_NAMED_DYNSYM);
	check_function(b, "s.so", "-D", "second");
	check_nameless(b, "s.so", hidden, size);
	look_close(b);

	run("%s -O1 -shared -fPIC -fno-asynchronous-unwind-tables -Dmain=third -o u.so t.c");
	hidden = symbol_offset("u.so", "hidden");
	run("true %s && strip u.so");
	b = look_named("u.so");
	assert_null(look_find(b, hidden, &start, &end));
	look_close(b);

	run("%s -O1 -static -nostdlib -Dmain=_start -o bare t.c && strip bare");
	b = look_named("bare");
	assert_int_equal(look_state(b), KFLAME_NAMED_NONE);
	look_close(b);
}

#if defined(__x86_64__)
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
	"no_type: nop; ret\n"
	".section .note.GNU-stack,\"\",@progbits\n";

static void odd_symbols(void **state)
{
	static const char *const expected[] = {
		"global_one", "global_one", "global_one", "global_one", "global_one",
		"-", "-", "-",
		"outer", "outer", "outer", "inner", "inner", "outer", "outer",
		"no_size", "no_size", "no_size", "no_type", "no_type",
	};
	struct elf_symbols symbols;
	unsigned long long address, size;
	struct looked *b;
	uint64_t at, back;
	char path[128];
	Elf *elf;
	FILE *f;
	(void)state;

	write_file("unusual.s", odd_asm);
	run("%s -shared -nostdlib -o unusual.so unusual.s");
	b = look_named("unusual.so");
	assert_true(ask_nm("unusual.so", "", "global_one", &address, &size));
	at = offset_of("unusual.so", address);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(name_at(b, at + i), expected[i]);
	look_close(b);

	snprintf(path, sizeof(path), "%s/unusual.so", dir);
	f = fopen(path, "r");
	elf_version(EV_CURRENT);
	elf = elf_begin(fileno(f), ELF_C_READ, NULL);
	assert_int_equal(elf_symbols_load(elf, NULL, &symbols), 0);
	assert_true(elf_symbols_address(&symbols, at, &back));
	assert_int_equal(back, address);
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
	".type behind,@function\nbehind: .cfi_startproc\nnop; ret\n.cfi_endproc\n.size behind, .-behind\n"
	".section .note.GNU-stack,\"\",@progbits\n";

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
	uint64_t start, end, at;
	struct looked *b;
	(void)state;

	write_file("starts.s", shared_start_asm);
	run("%s -shared -nostdlib -o starts.so starts.s");
	at = symbol_offset("starts.so", "empty");
	b = look_named("starts.so");
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(name_at(b, at + i), expected[i]);
	look_find(b, at + 3, &start, &end);
	assert_true(start == at + 3 && end == at + 5);
	look_find(b, at + 5, &start, &end);
	assert_true(start == at + 5 && end == at + 7);
	look_close(b);

	run("true %s && strip starts.so");
	b = look_named("starts.so");
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
	".globl third16\n.type third16,@function\nthird16: ret\n.size third16, .-third16\n"
	".section .note.GNU-stack,\"\",@progbits\n";

/*
 * The byte before a function is the function's only if it is padding, and not the last byte of a function
 * without symbol and unwind information
 */
static void last_bytes(void **state)
{
	struct looked *b;
	uint64_t at;
	(void)state;

	write_file("last.s", last_bytes_asm);
	run("%s -shared -nostdlib -o last.so last.s");
	at = symbol_offset("last.so", "padded");
	run("true %s && strip last.so");
	b = look_named("last.so");
	assert_string_equal(name_at(b, at + 15), "first16");
	assert_string_equal(name_at(b, at + 16), "first16");
	assert_string_equal(name_at(b, at + 47), "-");
	assert_string_equal(name_at(b, at + 48), "second16");
	assert_string_equal(name_at(b, at + 79), "-");
	assert_string_equal(name_at(b, at + 80), "third16");
	look_close(b);
}

/* Start and size of a section in the file, by what readelf prints */
static void ask_readelf(const char *name, const char *section, uint64_t *offset, uint64_t *size)
{
	unsigned long long index, address, at, bytes;
	char line[512], found[64], type[64];
	FILE *in;

	*size = 0;
	snprintf(line, sizeof(line), "readelf -SW %s/%s", dir, name);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, " [%llu] %63s %63s %llx %llx %llx", &index, found, type, &address,
			   &at, &bytes) == 6 && !strcmp(found, section)) {
			*offset = at;
			*size = bytes;
		}
	pclose(in);
	assert_true(*size);
}

/* Jump stubs have no symbols: each has the name of what it jumps to, the rest says what it is */
static void plt(void **state)
{
	uint64_t at, size;
	struct looked *b;
	(void)state;

	write_file("plt.c", "int puts(const char *);\n"
			    "int f(void) { return puts(\"x\") + 1; }\n");
	run("%s -O1 -shared -fPIC -fcf-protection=none -Wl,-z,lazy -o plt.so plt.c");
	b = look_named("plt.so");
	ask_readelf("plt.so", ".plt", &at, &size);
	assert_int_equal(size, 32);
	assert_string_equal(name_at(b, at), "[plt]");
	assert_string_equal(name_at(b, at + 15), "[plt]");
	assert_string_equal(name_at(b, at + 16), "puts@plt");
	assert_string_equal(name_at(b, at + 31), "puts@plt");
	/* who called it is on the stack, until it pushes a number of its own */
	assert_true(look_leaf(b, at + 16));
	assert_true(look_leaf(b, at + 22));
	assert_false(look_leaf(b, at + 27));
	assert_false(look_leaf(b, at));
	ask_readelf("plt.so", ".plt.got", &at, &size);
	assert_string_equal(name_at(b, at), "__cxa_finalize@plt");
	check_function(b, "plt.so", "", "f");
	look_close(b);

	/* with branch tracking there are two stubs a function, and the second one jumps */
	run("%s -O1 -shared -fPIC -fcf-protection=full -Wl,-z,lazy,-z,ibtplt -o ibt.so plt.c");
	b = look_named("ibt.so");
	ask_readelf("ibt.so", ".plt", &at, &size);
	assert_string_equal(name_at(b, at + 16), "[plt]");
	ask_readelf("ibt.so", ".plt.sec", &at, &size);
	assert_string_equal(name_at(b, at), "puts@plt");
	assert_string_equal(name_at(b, at + size - 1), "puts@plt");
	look_close(b);
}

/* Made by a cross compiler; without branch tracking, and with it, where stubs are longer */
static void plt_arm64(void **state)
{
	static const struct {
		const char *path;
		uint64_t at;
		const char *name;
	} places[] = {
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64.so", 0x280, "[plt]" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64.so", 0x29c, "[plt]" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64.so", 0x2a0, "puts@plt" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64.so", 0x2ac, "puts@plt" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64-exe", 0x3c0, "[plt]" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64-exe", 0x3dc, "[plt]" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64-exe", 0x3e0, "getpid@plt" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64-exe", 0x3f4, "getpid@plt" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64-exe", 0x3f8, "puts@plt" },
		{ TEST_DIR "/../fuzz/corpus/elf/plt-arm64-exe", 0x40c, "puts@plt" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct profile_file f;
		struct looked *b;

		describe_path(places[i].path, &f);
		b = look_open(&f, -1, NULL);
		assert_string_equal(name_at(b, places[i].at), places[i].name);
		look_close(b);
	}
}

static const char cfi_asm[] =
	".text\n"
	".globl leaf\n.type leaf,@function\n"
	"leaf:\n.cfi_startproc\n"
	"nop\n"				/* 0: kept */
	"push %rbp\n"			/* 1: kept, not pushed yet */
	".cfi_def_cfa_offset 16\n.cfi_offset 6, -16\n"
	"mov %rsp, %rbp\n"		/* 2..4: not */
	".cfi_def_cfa_register 6\n"
	"nop\n"				/* 5: not */
	"pop %rbp\n"			/* 6: not */
	".cfi_def_cfa 7, 8\n"
	"ret\n"				/* 7: kept */
	".cfi_endproc\n.size leaf, .-leaf\n"
	".globl bare\n.type bare,@function\n"
	"bare: nop\nret\n.size bare, .-bare\n"	/* no unwind information: not */
	".globl handler\n.type handler,@function\n"
	"handler:\n.cfi_startproc\n.cfi_signal_frame\nnop\nret\n.cfi_endproc\n"
	".size handler, .-handler\n"
	/* Registers that no processor has, the last one there could be among them */
	".globl strange\n.type strange,@function\n"
	"strange:\n.cfi_startproc\nnop\n"
	".cfi_escape 0x05, 0x80, 0x80, 0x80, 0x80, 0x7f, 1\nnop\n"
	".cfi_escape 0x05, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1\nnop\n"
	".cfi_remember_state\n.cfi_def_cfa 6, 16\nnop\n.cfi_restore_state\nret\n"
	".cfi_endproc\n.size strange, .-strange\n"
	/* The return address is in a register, then nowhere, then where it was */
	".globl moved\n.type moved,@function\n"
	"moved:\n.cfi_startproc\nnop\n.cfi_register 16, 3\nnop\n.cfi_undefined 16\nnop\n"
	".cfi_restore 16\nret\n.cfi_endproc\n.size moved, .-moved\n"
	".section .note.GNU-stack,\"\",@progbits\n";

/* The verdict on each byte of a function: '1' is a leaf without a frame */
static void check_leaves(struct looked *b, const char *name, const char *symbol,
			 const char *expected)
{
	unsigned long long address, size;
	uint64_t at;

	assert_true(ask_nm(name, "", symbol, &address, &size));
	assert_int_equal(size, strlen(expected));
	at = offset_of(name, address);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(look_leaf(b, at + i), expected[i] == '1');
}

static void check_verdicts(const char *name)
{
	unsigned long long address, size;
	struct looked *b = look_named(name);

	check_leaves(b, name, "leaf", "11000001");
	assert_true(ask_nm(name, "", "bare", &address, &size));
	assert_false(look_leaf(b, offset_of(name, address)));
	assert_true(ask_nm(name, "", "handler", &address, &size));
	assert_false(look_leaf(b, offset_of(name, address)));
	check_leaves(b, name, "strange", "11101");
	check_leaves(b, name, "moved", "1001");
	assert_false(look_leaf(b, 1u << 30));
	look_close(b);
}

static void verdicts(void **state)
{
	char text[sizeof(cfi_asm) + 64];
	(void)state;

	write_file("cfi.s", cfi_asm);
	run("%s -shared -nostdlib -o cfi.so cfi.s");
	check_verdicts("cfi.so");
	/* The same in .debug_frame */
	snprintf(text, sizeof(text), ".cfi_sections .debug_frame\n%s", cfi_asm);
	write_file("dcfi.s", text);
	run("%s -shared -nostdlib -o dcfi.so dcfi.s");
	check_verdicts("dcfi.so");
}
#endif

static void identity(void **state)
{
	struct profile_file f;
	uint32_t named = 0;
	char path[128];
	int fd;
	(void)state;

	run("%s -O1 -Wl,--build-id=none -o id t.c");
	describe("id", &f, path);
	fd = binary_open_file(&f, NULL, &named);
	assert_true(fd >= 0);
	close(fd);
	/* Another device, as overlayfs shows it: size and time decide */
	f.rec.dev_major++;
	f.rec.inode++;
	fd = binary_open_file(&f, NULL, &named);
	assert_true(fd >= 0);
	close(fd);
	f.rec.mtime_ns++;
	assert_int_equal(binary_open_file(&f, NULL, &named), -1);
	assert_int_equal(named, KFLAME_NAMED_CHANGED);
	describe("id", &f, path);
	f.rec.inode++;
	assert_int_equal(binary_open_file(&f, NULL, &named), -1);
	assert_int_equal(named, KFLAME_NAMED_CHANGED);
	unlink(path);
	assert_int_equal(binary_open_file(&f, NULL, &named), -1);
	assert_int_equal(named, KFLAME_NAMED_GONE);
}

static void identity_by_build_id(void **state)
{
	static const uint8_t id[] = { 0x12, 0x34, 0x56, 0x78 };
	struct profile_file f;
	uint32_t named = 0;
	char path[128];
	int fd;
	(void)state;

	run("%s -O1 -Wl,--build-id=0x12345678 -o bid t.c");
	describe("bid", &f, path);
	f.rec.build_id_len = sizeof(id);
	memcpy(f.rec.build_id, id, sizeof(id));
	/* The same file copied anew: only the build-id says so */
	f.rec.inode++;
	f.rec.mtime_ns++;
	fd = binary_open_file(&f, NULL, &named);
	assert_true(fd >= 0);
	close(fd);
	f.rec.build_id[3]++;
	assert_int_equal(binary_open_file(&f, NULL, &named), -1);
	assert_int_equal(named, KFLAME_NAMED_CHANGED);
}

static void not_elf(void **state)
{
	struct profile_file f;
	struct looked *b;
	char path[128];
	(void)state;

	b = look_named("t.c");
	assert_int_equal(look_state(b), KFLAME_NAMED_DAMAGED);
	look_close(b);
	/* A pipe at a file's path is not waited for */
	run("true %s && mkfifo pipe");
	describe("pipe", &f, path);
	b = look_open(&f, -1, NULL);
	assert_int_equal(look_state(b), KFLAME_NAMED_GONE);
	look_close(b);
}

/* A program with any byte changed, and cut anywhere: no crash (ASan watches) */
static void damaged_elf(void **state)
{
	char path[128];
	long size;
	char *bytes;
	FILE *f;
	(void)state;

	run("%s -O1 -shared -nostdlib -fPIC -Dmain=third -o d.so t.c");
	snprintf(path, sizeof(path), "%s/d.so", dir);
	f = fopen(path, "r+");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	bytes = malloc((size_t)size);
	rewind(f);
	assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
	srand(2);
	for (int turn = 0; turn < 400; turn++) {
		long at = turn < 64 ? turn : rand() % size;
		uint64_t start, end;
		struct looked *b;

		fseek(f, at, SEEK_SET);
		fputc(rand(), f);
		fflush(f);
		if (turn % 10 == 9)
			assert_int_equal(ftruncate(fileno(f), rand() % size), 0);
		/* libelf 0.188 loses a section's buffer when it is cut short; not ours */
		__lsan_disable();
		b = look_named("d.so");
		for (uint64_t offset = 0; offset < (uint64_t)size; offset += 64) {
			look_find(b, offset, &start, &end);
			look_leaf(b, offset);
		}
		look_close(b);
		__lsan_enable();
		rewind(f);
		fwrite(bytes, 1, (size_t)size, f);
		fflush(f);
	}
	fclose(f);
	free(bytes);
}

static void vdso(void **state)
{
	struct profile_file f = { .path = (char *)"[vdso]", .base = "[vdso]" };
	uint64_t start, end, named = 0;
	struct looked *b;
	(void)state;

	b = look_open(&f, -1, NULL);
	assert_int_equal(look_state(b), KFLAME_NAMED_DYNSYM);
	for (uint64_t at = 0; at < 8192; at++) {
		const char *name = look_find(b, at, &start, &end);

		named += name && strstr(name, "clock_gettime");
	}
	assert_true(named > 10);
	look_close(b);
	/* Recorded on another kernel */
	f.rec.build_id_len = 4;
	b = look_open(&f, -1, NULL);
	assert_int_equal(look_state(b), KFLAME_NAMED_CHANGED);
	look_close(b);
}

static void demangled(void **state)
{
	static const char *const pairs[][2] = {
		{ "main", "main" },
		{ "_start", "_start" },
		{ "_Z3fooi", "foo(int)" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "memcpy@@GLIBC_2.14", "memcpy" },
		{ "foo.isra.0", "foo.isra.0" },
		{ "puts@plt", "puts@plt" },
		{ "_Z3fooi@plt", "foo(int)@plt" },
		{ "_Z3getIiET_S0_", "get<int>(int)" },
		{ "_D3std5stdio7writelnFZv", "std.stdio.writeln()" },
		{ "_D", "_D" },
		/* takes twice as long for each pair of letters more */
		{ "_D1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1a",
		  "_D1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1aFC1a" },
		{ "_Dmain_of_something", "_Dmain_of_something" },
		{ "_Z", "_Z" },
		{ "_Znonsense", "_Znonsense" },
		{ "@", "@" },
		{ "", "" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *shown = demangle(pairs[i][0]);

		assert_non_null(shown);
		assert_string_equal(shown, pairs[i][1]);
		free(shown);
	}
}

/*
 * Each "S_I..E" is a template of what came before, twice: 24 of them are half a
 * gigabyte, 60 are more than there is memory in the world.  Such a name stays.
 */
static void endless_name(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1f1AIiiE", part[32], *shown;
	(void)state;

	for (int i = 0; i < 60; i++) {
		char number[3] = { digits[i / 36], digits[i % 36], 0 };
		const char *n = i < 36 ? number + 1 : number;

		/* "S0_" is the second thing, "S10_" the one after "SZ_" */
		snprintf(part, sizeof(part), "S_IS%s_S%s_E", n, n);
		strcat(name, part);
	}
	shown = demangle(name);
	assert_string_equal(shown, name);
	free(shown);
}

#define SHARED	2000	/* functions */

/* Gives all functions of a file the name of the longest one */
static void share_name(const char *name)
{
	size_t longest = 0;
	Elf_Scn *scn = NULL;
	GElf_Word at = 0;
	char path[128];
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf *elf;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_RDWR, NULL);
	assert_non_null(elf);
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh)) {
		Elf_Data *data = sh.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;

		for (int pass = 0; data && pass < 2; pass++)
			for (int i = 1; gelf_getsym(data, i, &sym); i++) {
				size_t len = strlen(elf_strptr(elf, sh.sh_link, sym.st_name));

				if (!pass && len > longest) {
					longest = len;
					at = sym.st_name;
				} else if (pass && GELF_ST_TYPE(sym.st_info) == STT_FUNC) {
					sym.st_name = at;
					gelf_update_sym(data, i, &sym);
				}
			}
		if (data)
			elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
	}
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	close(fd);
}

struct sum {
	size_t functions, bytes, cut;
};

static void add_up(void *ctx, uint64_t start, uint64_t end, const char *name)
{
	struct sum *s = ctx;
	char tail[64];

	assert_true(start < end);
	snprintf(tail, sizeof(tail), "...[%#llx]", (unsigned long long)start);
	s->functions++;
	s->bytes += strlen(name);
	s->cut += strstr(name, tail) != NULL;
}

/* Thousands of functions with one very long name: few bytes in the file, and no gigabytes of names */
static void shared_name(void **state)
{
	static struct name_place places[2 * SHARED];
	static char name[32768];
	uint64_t time_ns = 30000000000ull;
	struct sum sum = { 0 };
	const struct name_taker taker = { .function = add_up, .ctx = &sum };
	struct file_names names;
	struct looked *b;
	char path[128];
	uint64_t at;
	size_t nr = 0;
	FILE *f;
	(void)state;

	memset(name, 'n', sizeof(name) - 8);
	snprintf(path, sizeof(path), "%s/shared.c", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < SHARED; i++)
		fprintf(f, "int f%d(int x) { return x * %d; }\n", i, i);
	fprintf(f, "int %s(void) { return 1; }\n", name);
	assert_int_equal(fclose(f), 0);
	run("%s -O1 -fvisibility=hidden -c -o shared.o shared.c && gcc -shared -o shared.so shared.o");
	at = symbol_offset("shared.so", "f0");
	share_name("shared.so");
	b = look_named("shared.so");
	/* The functions are 3 to 7 bytes long, one behind the other */
	for (; nr < sizeof(places) / sizeof(places[0]); at += 4)
		places[nr++].at = at;
	assert_int_equal(file_names_ask(b->binary, places, nr, &time_ns, &taker, &names), 0);
	assert_in_range(sum.functions, SHARED - 100, SHARED + 100);
	assert_true(names.cut && sum.cut == names.cut);
	/* In full that would be 65 MB */
	assert_true(sum.bytes < (4 << 20) + 512 * nr + 128 * SHARED);
	look_close(b);
}

/* A file of a few KiB that says it has gigabytes of symbols */
static void sparse_file(void **state)
{
	uint64_t time_ns = 30000000000ull;
	struct sum sum = { 0 };
	const struct name_taker taker = { .function = add_up, .ctx = &sum };
	const struct name_place place = { 0x1000, 0 };
	struct file_names names;
	struct looked *b;
	Elf64_Shdr sh;
	Elf64_Ehdr eh;
	char path[128];
	FILE *f;
	(void)state;

	run("%s -O1 -shared -nostdlib -fPIC -Dmain=third -o sparse.so t.c");
	snprintf(path, sizeof(path), "%s/sparse.so", dir);
	f = fopen(path, "r+");
	assert_non_null(f);
	assert_int_equal(fread(&eh, sizeof(eh), 1, f), 1);
	for (int i = 0; i < eh.e_shnum; i++) {
		long at = (long)(eh.e_shoff + (uint64_t)i * sizeof(sh));

		fseek(f, at, SEEK_SET);
		assert_int_equal(fread(&sh, sizeof(sh), 1, f), 1);
		if (sh.sh_type != SHT_SYMTAB)
			continue;
		sh.sh_size = 6ull << 30;
		fseek(f, at, SEEK_SET);
		fwrite(&sh, sizeof(sh), 1, f);
	}
	assert_int_equal(ftruncate(fileno(f), 8ll << 30), 0);
	assert_int_equal(fclose(f), 0);
	b = calloc(1, sizeof(*b));
	b->binary = look_binary("sparse.so");
	assert_int_equal(file_names_ask(b->binary, &place, 1, &time_ns, &taker, &names), 0);
	look_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_name),
		cmocka_unit_test(sparse_file),
		cmocka_unit_test(layouts),
		cmocka_unit_test(stripped),
		cmocka_unit_test(partial_symtab),
		cmocka_unit_test(partial_symtab_build_id),
#if defined(__x86_64__)
		cmocka_unit_test(nameless_around_named),
		cmocka_unit_test(sizeless),
		cmocka_unit_test(sizeless_32),
		cmocka_unit_test(nameless_trampoline),
#endif
#if defined(__x86_64__)
		cmocka_unit_test(odd_symbols),
		cmocka_unit_test(shared_starts),
		cmocka_unit_test(last_bytes),
		cmocka_unit_test(dollars),
		cmocka_unit_test(plt),
		cmocka_unit_test(plt_arm64),
		cmocka_unit_test(verdicts),
#endif
		cmocka_unit_test(identity),
		cmocka_unit_test(identity_by_build_id),
		cmocka_unit_test(not_elf),
		cmocka_unit_test(damaged_elf),
		cmocka_unit_test(vdso),
		cmocka_unit_test(demangled),
		cmocka_unit_test(endless_name),
	};

	return cmocka_run_group_tests_name("symbols", tests, set_up, programs_remove);
}
