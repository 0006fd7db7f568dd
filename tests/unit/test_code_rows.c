// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_code_rows.c - rules that are made from code
 *
 * Each program is assembler here, and has no unwind information. What must be known at an address is
 * written beside it. test_code_insn.c compares the decoders with Capstone; tests/bench/by_code
 * compares all rules of real programs with their unwind information.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "elf/libelf_section.h"
#include "programs.h"
#include "unwind/code_rows.h"
#include "unwind/table.h"

#define ARM_CC	"aarch64-linux-gnu-gcc"

static int set_up(void **state)
{
	(void)state;
	assert_int_not_equal(elf_version(EV_CURRENT), EV_NONE);
	programs_make_dir();
	return 0;
}

static void table_of(const char *name, struct unwind_table *t)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(elf_table_read(fd, t, NULL), 0);
	close(fd);
}

/* Assembles @text, whose functions are symbols of the type function, into @name.so */
static void assemble(const char *name, const char *compiler, const char *text, struct unwind_table *t)
{
	char file[64], line[256];

	snprintf(file, sizeof(file), "%s.s", name);
	write_file(file, text);
	snprintf(line, sizeof(line), "true %%s; %s -shared -nostdlib -Wl,--build-id=none -o %s.so %s.s",
		 compiler, name, name);
	run(line);
	snprintf(file, sizeof(file), "%s.so", name);
	table_of(file, t);
}

/* Where a rule is expected: CFA = sp + @sp, or fp + @fp; 0, 0: no rule */
struct expected {
	const char *symbol;
	int sp, fp;
	int saved;		/* the caller's frame pointer is at CFA + saved; 0: unchanged; 1: lost */
};

static void expect(const char *name, const struct unwind_table *t, const struct expected *e)
{
	uint64_t at = symbol_offset(name, e->symbol);
	const struct kflame_rule *rule = unwind_table_find(t, at);

	print_message("# %s: cfa %u%+d, fp %u%+d\n", e->symbol, rule->cfa, rule->cfa_offset, rule->fp,
		      rule->fp_offset);
	if (!e->sp && !e->fp) {
		assert_int_equal(rule->cfa, KFLAME_CFA_NONE);
		return;
	}
	assert_int_equal(rule->cfa, e->fp ? KFLAME_CFA_FP : KFLAME_CFA_SP);
	assert_int_equal(rule->cfa_offset, e->fp ? e->fp : e->sp);
	assert_int_equal(rule->fp, e->saved == 1 ? KFLAME_IN_LOST : e->saved ? KFLAME_IN_CFA : KFLAME_IN_SAME);
	assert_int_equal(rule->fp_offset, e->saved == 1 ? 0 : e->saved);
}

static void expect_all(const char *name, const struct unwind_table *t, const struct expected *all, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		expect(name, t, &all[i]);
}

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* Less code is not walked, nor is code with a frame pointer in each function */
#define MUCH	".fill 4100,1,0\n"

#define FUNCTION(name)	".globl " name "\n.hidden " name "\n.type " name ",@function\n" name ":\n"
#define AT(name)	".globl " name "\n.hidden " name "\n" name ":\n"

#if defined(__x86_64__)
static const char x86[] = ".text\n nop\n"
	FUNCTION("pushes") "push %rbp\n" AT("p1") "push %rbx\n" AT("p2") "sub $24,%rsp\n" AT("p3")
	"call leaf\n" AT("p4") "add $24,%rsp\n" AT("p5") "pop %rbx\n" AT("p6") "pop %rbp\n" AT("p7") "ret\n"
	FUNCTION("leaf") "mov %rdi,%rax\n" AT("l1") "ret\n"
	FUNCTION("framed") "push %rbp\n mov %rsp,%rbp\n" AT("f1") "sub $40,%rsp\n" AT("f2") "call leaf\n"
	"leave\n" AT("f3") "ret\n"
	FUNCTION("entered") "enter $32,$0\n" AT("e1") "call leaf\n leave\n" AT("e2") "ret\n"
	/* alloca: only the frame pointer knows */
	FUNCTION("with_alloca") "push %rbp\n mov %rsp,%rbp\n sub %rdi,%rsp\n" AT("a1") "mov %rsp,%rdi\n call leaf\n"
	AT("a2") "leave\n ret\n"
	FUNCTION("alloca_without") "sub $8,%rsp\n" AT("w1") "sub %rdi,%rsp\n" AT("w2") "call leaf\n add %rbx,%rsp\n ret\n"
	FUNCTION("aligned") "push %rbp\n mov %rsp,%rbp\n and $-64,%rsp\n" AT("g1") "call leaf\n leave\n ret\n"
	FUNCTION("arguments") "sub $8,%rsp\n push $1\n push %rsi\n" AT("r1") "call leaf\n add $24,%rsp\n" AT("r2") "ret\n"
	FUNCTION("tail") "push %rbx\n call leaf\n pop %rbx\n" AT("t1") "jmp leaf\n"
	/* A switch: no way leads to its cases, but they return */
	FUNCTION("cases") "push %rbp\n push %rbx\n sub $8,%rsp\n lea table(%rip),%rax\n movslq (%rax,%rdi,4),%rcx\n"
	" add %rax,%rcx\n jmp *%rcx\n"
	AT("c1") "call leaf\n mov $2,%eax\n jmp 1f\n" AT("c2") "xor %eax,%eax\n1: add $8,%rsp\n pop %rbx\n pop %rbp\n ret\n"
	AT("c3") "mov $1,%eax\n add $8,%rsp\n" AT("c4") "pop %rbx\n pop %rbp\n ret\n"
	/* Calls that never return, and code behind them that belongs to other ways */
	FUNCTION("dies") "sub $8,%rsp\n1: call leaf\n jmp 1b\n"
	FUNCTION("checks") "sub $40,%rsp\n test %rdi,%rdi\n je 2f\n" AT("k1") "sub $16,%rsp\n call dies\n"
	AT("k2") "2: mov $3,%eax\n" AT("k3") "add $40,%rsp\n ret\n"
	/* Two ways with different stacks: nothing is certain, and the function has no rule at all */
	FUNCTION("unsure") "test %rdi,%rdi\n je 3f\n sub $8,%rsp\n" AT("u1") "3: call leaf\n" AT("u2") "ret\n"
	FUNCTION("unbalanced") "sub $8,%rsp\n" AT("b1") "call leaf\n ret\n"
	/* The value is kept in a register, as around alloca */
	FUNCTION("restored") "push %r12\n mov %rsp,%r12\n sub %rdi,%rsp\n" AT("s1") "call leaf\n mov %r12,%rsp\n"
	AT("s2") "pop %r12\n ret\n"
	/* rbp is an ordinary register here */
	FUNCTION("used") "push %rbp\n mov %rdi,%rbp\n" AT("d1") "call leaf\n mov %rbp,%rax\n pop %rbp\n" AT("d2") "ret\n"
	FUNCTION("spoilt") "mov %rdi,%rbp\n" AT("o1") "call leaf\n 4: jmp 4b\n"
	/* Not an instruction of 64-bit mode */
	FUNCTION("broken") "sub $8,%rsp\n" AT("x1") ".byte 0x06\n"
	MUCH ".section .rodata\ntable: .long c1-table, c2-table, c3-table\n";

static void x86_64(void **state)
{
	static const struct expected all[] = {
		{ "pushes", 8, 0, 0 }, { "p1", 16, 0, -16 }, { "p2", 24, 0, -16 }, { "p3", 48, 0, -16 },
		{ "p4", 48, 0, -16 }, { "p5", 24, 0, -16 }, { "p6", 16, 0, -16 }, { "p7", 8, 0, 0 },
		{ "leaf", 8, 0, 0 }, { "l1", 8, 0, 0 },
		{ "f1", 0, 16, -16 }, { "f2", 0, 16, -16 }, { "f3", 8, 0, 0 },
		{ "e1", 0, 16, -16 }, { "e2", 8, 0, 0 },
		{ "a1", 0, 16, -16 }, { "a2", 0, 16, -16 },
		{ "w1", 16, 0, 0 }, { "w2", 0, 0, 0 },
		{ "g1", 0, 16, -16 },
		{ "r1", 32, 0, 0 }, { "r2", 8, 0, 0 }, { "t1", 8, 0, 0 },
		{ "c1", 32, 0, -16 }, { "c2", 32, 0, -16 }, { "c3", 32, 0, -16 }, { "c4", 24, 0, -16 },
		{ "dies", 8, 0, 0 }, { "k1", 48, 0, 0 }, { "k2", 48, 0, 0 }, { "k3", 48, 0, 0 },
		{ "unsure", 0, 0, 0 }, { "u1", 0, 0, 0 }, { "u2", 0, 0, 0 },
		{ "unbalanced", 0, 0, 0 }, { "b1", 0, 0, 0 },
		{ "s1", 0, 0, 0 }, { "s2", 16, 0, 0 },
		{ "d1", 16, 0, -16 }, { "d2", 8, 0, 0 }, { "o1", 8, 0, 1 },
		{ "broken", 0, 0, 0 }, { "x1", 0, 0, 0 },
	};
	struct unwind_table t;
	(void)state;

	assemble("code", TEST_CC, x86, &t);
	assert_int_equal(t.flags & (KFLAME_TABLE_CODE | KFLAME_TABLE_FP | KFLAME_TABLE_NONE), KFLAME_TABLE_CODE);
	expect_all("code.so", &t, all, COUNT(all));
	unwind_table_exit(&t);
}

/* Without symbols, functions are found where code calls them, and by where their code leads */
static void stripped(void **state)
{
	static const struct expected all[] = {
		{ "p3", 48, 0, -16 }, { "leaf", 8, 0, 0 }, { "c3", 32, 0, -16 }, { "used", 8, 0, 0 },
		{ "d1", 16, 0, -16 }, { "u1", 0, 0, 0 },
	};
	struct unwind_table t;
	(void)state;

	write_file("bare.s", x86);
	write_file("none.map", "{ local: *; };\n");
	run("%s -shared -nostdlib -Wl,--build-id=none -Wl,--version-script=none.map -o hidden.so bare.s");
	run("true %s; strip -o stripped.so hidden.so");
	table_of("stripped.so", &t);
	assert_true(t.flags & KFLAME_TABLE_CODE);
	expect_all("hidden.so", &t, all, COUNT(all));
	unwind_table_exit(&t);
}

/* Functions that only a pointer names, and that never return: only a beginning that saves registers is one */
static void pointed(void **state)
{
	static const struct expected all[] = {
		{ "ends", 8, 0, 0 }, { "q1", 48, 0, -16 }, { "q2", 48, 0, -16 }, { "no_start", 0, 0, 0 }, { "q3", 0, 0, 0 },
	};
	struct unwind_table t;
	(void)state;

	assemble("pointed", TEST_CC, ".text\n nop\n" FUNCTION("leaf") "ret\n"
		 AT("ends") "endbr64\n push %rbp\n mov %rsi,%rbp\n push %rbx\n sub $24,%rsp\n" AT("q1") "call leaf\n" AT("q2") "jmp q1\n"
		 AT("no_start") "push %rbx\n" AT("q3") "call leaf\n jmp q3\n"
		 MUCH ".section .data.rel.ro,\"aw\"\n.quad ends, no_start, q2, -1, 3\n", &t);
	assert_true(t.flags & KFLAME_TABLE_CODE);
	expect_all("pointed.so", &t, all, COUNT(all));
	unwind_table_exit(&t);
}

/* What unwind information describes stays as it is: only the rest is by code */
static void in_part(void **state)
{
	static const struct expected all[] = { { "lie1", 72, 0, 0 }, { "true1", 16, 0, 0 } };
	struct unwind_table t;
	(void)state;

	assemble("part", TEST_CC, ".text\n nop\n" FUNCTION("lie") ".cfi_startproc\n .cfi_def_cfa_offset 72\n sub $8,%rsp\n"
		 AT("lie1") "call truth\n add $8,%rsp\n ret\n .cfi_endproc\n"
		 FUNCTION("truth") "sub $8,%rsp\n" AT("true1") "call lie\n add $8,%rsp\n ret\n" MUCH, &t);
	assert_true(t.flags & KFLAME_TABLE_CODE);
	expect_all("part.so", &t, all, COUNT(all));
	unwind_table_exit(&t);
	/* Little is not described: the code is not walked */
	assemble("most", TEST_CC, ".text\n nop\n" FUNCTION("lie") ".cfi_startproc\n .fill 40000,1,0x90\n ret\n .cfi_endproc\n"
		 FUNCTION("true1") "sub $8,%rsp\n add $8,%rsp\n ret\n" MUCH, &t);
	assert_false(t.flags & KFLAME_TABLE_CODE);
	assert_int_equal(unwind_table_find(&t, symbol_offset("most.so", "true1"))->cfa, KFLAME_CFA_NONE);
	unwind_table_exit(&t);
}
#endif

static const char arm[] = ".text\n nop\n"
	FUNCTION("stored") "stp x29,x30,[sp,#-48]!\n" AT("s1") "mov x29,sp\n str x19,[sp,#16]\n" AT("s2") "bl leaf\n"
	AT("s3") "ldr x19,[sp,#16]\n ldp x29,x30,[sp],#48\n" AT("s4") "ret\n"
	FUNCTION("leaf") "add x0,x0,#1\n" AT("l1") "ret\n"
	FUNCTION("large") "sub sp,sp,#4096\n sub sp,sp,#32\n stp x29,x30,[sp]\n" AT("g1") "bl leaf\n ldp x29,x30,[sp]\n"
	" add sp,sp,#32\n add sp,sp,#4096\n" AT("g2") "ret\n"
	FUNCTION("with_alloca") "stp x29,x30,[sp,#-32]!\n mov x29,sp\n sub sp,sp,x0\n" AT("a1") "bl leaf\n mov sp,x29\n"
	AT("a2") "ldp x29,x30,[sp],#32\n ret\n"
	FUNCTION("unbalanced") "sub sp,sp,#16\n" AT("b1") "ret\n"
	FUNCTION("overwritten") "bl leaf\n" AT("o1") "ret\n" MUCH;

static void arm64(void **state)
{
	static const struct expected all[] = {
		{ "s1", 48, 0, -48 }, { "s2", 48, 0, -48 }, { "s3", 48, 0, -48 }, { "l1", 0, 0, 0 },
		{ "g1", 4128, 0, -4128 }, { "a1", 0, 32, -32 }, { "a2", 32, 0, -32 },
		{ "unbalanced", 0, 0, 0 }, { "b1", 0, 0, 0 }, { "o1", 0, 0, 0 },
	};
	struct unwind_table t;
	(void)state;

	if (system("command -v " ARM_CC " >/dev/null")) {
		print_message("# " ARM_CC " is not installed\n");
		skip();
	}
	assemble("arm", ARM_CC, arm, &t);
	for (size_t i = 0; i < COUNT(all); i++) {
		const struct kflame_rule *rule;

		if (strcmp(all[i].symbol, "l1")) {
			expect("arm.so", &t, &all[i]);
			continue;
		}
		rule = unwind_table_find(&t, symbol_offset("arm.so", "l1"));
		assert_int_equal(rule->cfa, KFLAME_CFA_SP);
		assert_int_equal(rule->cfa_offset, 0);
		assert_int_equal(rule->ra, KFLAME_IN_SAME);
	}
	unwind_table_exit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(x86_64),
		cmocka_unit_test(stripped),
		cmocka_unit_test(pointed),
		cmocka_unit_test(in_part),
#endif
		cmocka_unit_test(arm64),
	};

	return cmocka_run_group_tests_name("code_rows", tests, set_up, programs_remove);
}
