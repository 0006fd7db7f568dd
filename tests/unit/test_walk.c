// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_walk.c - copies that are unwound by files made here
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "programs.h"
#include "unwind/copy_walk.h"

#ifdef __x86_64__

#define BASE	0x10000000ull	/* where the whole file is mapped */
#define SP	7		/* registers, by their DWARF numbers */
#define PC	16
#define ARM_FP	29
#define ARM_SP	31
#define ARM_PC	32
#define STACK	0x7000ull	/* what the stack pointer says */
#define JITTED	0x20000000ull

/* One function with a frame of 32 bytes, "in_debug", and one of 16 in the other section */
static const char debug_s[] =
	".cfi_sections .debug_frame\n.text\n.globl in_debug\nin_debug:\n.cfi_startproc\nnop\n"
	".cfi_def_cfa_offset 32\nnop\nnop\n.cfi_endproc\n.section .note.GNU-stack\n";
/* and what a signal handler returns to, as Go has it: with an entry that is wrong */
static const char go_s[] =
	".cfi_sections .debug_frame\n.text\nnop\n.globl go\n.cfi_startproc\ngo: .byte 0x48,0xc7,0xc0,15,0,0,0\n"
	"syscall\nnop\n.cfi_endproc\n.section .note.GNU-stack\n";
static const char eh_s[] =
	".text\n.globl in_eh\nin_eh:\n.cfi_startproc\nnop\n.cfi_def_cfa_offset 16\nnop\nnop\n"
	".cfi_endproc\n.section .note.GNU-stack\n";

/* As gcc has it for arm64: the frame record is where the frame of 32 bytes begins, and the CFA goes by sp */
static const char arm_s[] =
	".text\n.globl in_arm\nin_arm:\n.cfi_startproc simple\n.cfi_return_column 30\n"
	".cfi_def_cfa 31, 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\nnop\nnop\nnop\n"
	".cfi_endproc\n"
	/*
	 * one whose CFA goes by the frame pointer, one that has no record, and one that nobody
	 * called, which has a frame pointer all the same
	 */
	".globl by_fp\nby_fp:\n.cfi_startproc simple\n.cfi_return_column 30\n"
	".cfi_def_cfa 29, 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\nnop\nnop\nnop\n.cfi_endproc\n"
	".globl no_record\nno_record:\n.cfi_startproc simple\n.cfi_return_column 30\n"
	".cfi_def_cfa 31, 16\n.cfi_offset 30, -8\nnop\nnop\n.cfi_endproc\n"
	".globl outermost\noutermost:\n.cfi_startproc simple\n.cfi_return_column 30\n"
	".cfi_def_cfa 31, 0\n.cfi_undefined 30\nnop\nnop\n.cfi_endproc\n.section .note.GNU-stack\n";

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	write_file("debug.s", debug_s);
	write_file("go.s", go_s);
	write_file("eh.s", eh_s);
	write_file("arm.s", arm_s);
	return 0;
}

static struct walk_file *only_file(void *ctx, uint64_t number)
{
	(void)number;
	return ctx;
}

static uint64_t at(const char *symbol, uint64_t more)
{
	return BASE + symbol_offset("both.so", symbol) + more;
}

/* Walks @copy by both.so; beside it is code that no file tells of, at JITTED */
static void walk_copy(const struct walk_copy *copy, struct walk_stack *out)
{
	const struct walk_map maps[] = {
		{ BASE, BASE + 0x100000, 0, 1 }, { JITTED, JITTED + 0x1000, 0, 0 },
	};
	struct walk_space space = { .maps = maps, .nr = 2, .file = only_file };
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/both.so", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	space.ctx = walk_file_open(fd);
	assert_non_null(space.ctx);
	walk(&space, copy, out);
	walk_file_close(space.ctx);
}

/* A stack of @words from the stack pointer on, at @pc of both.so */
static void walk_words(uint64_t pc, const uint64_t *words, uint32_t bytes, struct walk_stack *out)
{
	const struct walk_copy copy = {
		.nr_regs = KFLAME_REGS_X86_64, .regs = { [SP] = STACK, [PC] = pc },
		.stack = (const unsigned char *)words, .bytes = bytes,
	};

	walk_copy(&copy, out);
}

/* From one to the other and back, and to the end, which is where nothing called */
static void both_sections(void **state)
{
	struct walk_stack out;
	(void)state;

	run("%s -shared -nostdlib -o both.so debug.s eh.s");
	walk_words(at("in_debug", 1),
		   (uint64_t[]){ 0, 0, 0, at("in_eh", 2), 0, at("in_debug", 3), 0, 0, 0, 0 }, 80, &out);
	assert_int_equal(out.end, KFLAME_END_COMPLETE | KFLAME_BY_COPY);
	assert_int_equal(out.nr, 3);
	assert_true(out.ip[1] == at("in_eh", 2));
	assert_true(out.ip[2] == at("in_debug", 3));
}

/* What a handler returns to is known by its code, whatever an entry says */
static void through_a_signal(void **state)
{
	uint64_t words[32] = { 0 };
	struct walk_stack out;
	(void)state;

	run("%s -shared -nostdlib -o both.so eh.s go.s");
	words[1] = at("go", 0);
	/* struct sigcontext is 40 bytes behind what the handler's return leaves */
	words[2 + 5 + 15] = STACK + 8 * 30;
	words[2 + 5 + 16] = at("in_eh", 0);
	walk_words(at("in_eh", 1), words, sizeof(words), &out);
	assert_int_equal(out.end, KFLAME_END_COMPLETE | KFLAME_BY_COPY);
	assert_int_equal(out.nr, 3);
	assert_true(out.ip[2] == at("in_eh", 1));
}

/* Of arm64: code that no file tells of is at work, and has a record where sp points */
static void walk_jitted(const uint64_t *words, uint32_t bytes, struct walk_stack *out)
{
	const struct walk_copy copy = {
		.nr_regs = KFLAME_REGS_ARM64,
		.regs = { [ARM_FP] = STACK, [ARM_SP] = STACK, [ARM_PC] = JITTED },
		.stack = (const unsigned char *)words, .bytes = bytes,
	};

	walk_copy(&copy, out);
}

/*
 * After a step by frame pointer arm64's sp is not known, and what would be found by it is no caller. The
 * record of @caller tells it again, and so one without a record is found.
 */
static void out_to(const char *caller)
{
	uint64_t words[16] = {
		[0] = STACK + 6 * 8,	/* @caller's record */
		[6] = STACK + 12 * 8,	/* its caller's caller's */
	};
	struct walk_stack out;

	run("%s -shared -nostdlib -o both.so arm.s eh.s");
	words[1] = at(caller, 2);
	words[3] = at("in_eh", 2);	/* where it would be if the record ended the frame */
	words[7] = at("no_record", 1);
	words[11] = at("in_arm", 3);
	walk_jitted(words, sizeof(words), &out);
	assert_int_equal(out.nr, 4);
	assert_true(out.ip[1] == at(caller, 2));
	assert_true(out.ip[2] == at("no_record", 1));
	assert_true(out.ip[3] == at("in_arm", 3));
	assert_int_equal(out.end, KFLAME_END_COMPLETE | KFLAME_BY_COPY | KFLAME_BY_FP);
}

static void out_of_jitted_code(void **state)
{
	(void)state;
	out_to("in_arm");
	out_to("by_fp");
}

/* It needs no sp to know that nobody called */
static void out_of_jitted_code_at_once(void **state)
{
	uint64_t words[16] = { [0] = STACK + 6 * 8 };
	struct walk_stack out;
	(void)state;

	run("%s -shared -nostdlib -o both.so arm.s eh.s");
	words[1] = at("outermost", 2);
	words[7] = at("in_arm", 2);
	walk_jitted(words, sizeof(words), &out);
	assert_int_equal(out.nr, 2);
	assert_int_equal(out.end, KFLAME_END_COMPLETE | KFLAME_BY_COPY | KFLAME_BY_FP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sections),
		cmocka_unit_test(through_a_signal),
		cmocka_unit_test(out_of_jitted_code),
		cmocka_unit_test(out_of_jitted_code_at_once),
	};

	return cmocka_run_group_tests_name("walk", tests, set_up, programs_remove);
}

#else
int main(void)
{
	return 0;
}
#endif
