// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_unwind_code.c - code of which unwind information says nothing: jump stubs, trampolines, frame pointers (x86-64)
 */
#include "made_tables.h"

#if defined(__x86_64__)
/* A lazy PLT, and one for IBT */
static void plt(void **state)
{
	struct unwind_table t;
	uint32_t i = 0;
	(void)state;

	write_file("plt.c", "void other(void); void mine(void) { other(); other(); }\n");
	run("%s -O2 -shared -fPIC -nostdlib -Wl,-z,lazy -fcf-protection=none -o plt.so plt.c");
	read_table("plt.so", &t, true);
	while (i < t.nr_rules && t.rules[i].cfa != KFLAME_CFA_PLT)
		i++;
	assert_true(i < t.nr_rules);
	assert_int_equal(t.rules[i].cfa_offset, 11);
	unwind_table_exit(&t);
}

/* As lld links them, which says nothing of how to unwind there; then one that nobody writes */
static const char lld_s[] =
	".macro label name\n .globl \\name\n \\name:\n .endm\n"
	".text\n nop\n .balign 16\n label fn\n .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n"
	" .cfi_offset 6,-16\n mov %rsp,%rbp\n .cfi_def_cfa_register 6\n leave\n .cfi_def_cfa 7,8\n ret\n"
	" .cfi_endproc\n"
	".section .plt,\"ax\",@progbits\n .balign 16\n label first\n push 8(%rip)\n jmp *16(%rip)\n"
	" .byte 0x0f,0x1f,0x40,0\n label entry\n jmp *24(%rip)\n pushq $0x12345\n .byte 0xe9\n .long -32\n"
	" label unknown\n .fill 16,1,0x90\n"
	".section .plt.sec,\"ax\",@progbits\n .balign 16\n label second\n endbr64\n jmp *24(%rip)\n"
	" .fill 6,1,0x90\n"
	".section .plt.got,\"ax\",@progbits\n .balign 16\n label ibt\n endbr64\n pushq $0x12345\n"
	" .byte 0xe9\n .long -32\n xchg %ax,%ax\n";

static void plt_of_lld(void **state)
{
	struct unwind_table t;
	(void)state;

	made_table("lld", lld_s, &t, true);
	/* They are no calls, so the file's frame pointers are as good as before */
	assert_true(t.flags & KFLAME_TABLE_FP);
	EXPECT_RULES("lld.so", &t,
		{ "first", 0, SIMPLE(SP, 16, .reg = 0) },
		{ "first", 5, SIMPLE(SP, 16, .reg = 0) },
		{ "first", 6, SIMPLE(SP, 24, .reg = 0) });
	expect_each("lld.so", &t, "entry", 0, 16, SIMPLE(PLT, 11, .reg = 0));
	expect_each("lld.so", &t, "unknown", 0, 16, NONE);
	expect_each("lld.so", &t, "second", 0, 16, SIMPLE(SP, 8, .reg = 0));
	expect_each("lld.so", &t, "ibt", 0, 16, SIMPLE(PLT, 9, .reg = 0));
	unwind_table_exit(&t);
}

/* As V8's builtins are linked into node: no unwind information, and frame pointers */
static const char silent_s[] =
	".macro label name\n .globl \\name\n \\name:\n .endm\n"
	".text\n nop\n .balign 64\n label fn\n .cfi_startproc\n nop\n .fill 30000,1,0x90\n ret\n .cfi_endproc\n"
	" .balign 64\n"
	" label builtins\n .rept 8\n push %rbp\n mov %rsp,%rbp\n .fill 1000,1,0x90\n leave\n ret\n .endr\n"
	" label builtins_end\n .fill 64,1,0xcc\n"
	" label second\n .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
	/* one such function is no proof for all that is around it */
	" label assembler\n push %rbp\n mov %rsp,%rbp\n leave\n ret\n .fill 8000,1,0x90\n"
	" label third\n .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
	/* and too little code none */
	" label little\n .rept 3\n push %rbp\n mov %rsp,%rbp\n .fill 1000,1,0x90\n leave\n ret\n .endr\n"
	" label fourth\n .cfi_startproc\n nop\n ret\n .cfi_endproc\n";

static void code_with_frame_pointers(void **state)
{
	const struct kflame_rule by_fp = SIMPLE(FP, 16, .fp = KFLAME_IN_CFA, .fp_offset = -16);
	struct unwind_table t;
	(void)state;

	made_table("silent", silent_s, &t, true);
	EXPECT_RULES("silent.so", &t,
		{ "fn", 1, SIMPLE(SP, 8, .reg = 0) },
		{ "builtins", 0, by_fp },
		{ "builtins", 5000, by_fp },
		{ "builtins_end", -1ull, by_fp },
		{ "second", 0, SIMPLE(SP, 8, .reg = 0) },
		/* but its own instructions say where its frame is: code_rows.h */
		{ "assembler", 4, by_fp },
		{ "assembler", 4000, NONE },
		{ "little", 100, by_fp });
	unwind_table_exit(&t);
}

/*
 * As glibc's __restore_rt: rbp, rsp, rip, and the CFA is rsp. Others: rip is elsewhere; rbp is;
 * only code without a table, as musl's, and with a wrong one, as Go's.
 */
static const char signals_s[] =
	".macro restorer name, bp, sp, ip\n"
	" nop\n .cfi_startproc simple\n .cfi_signal_frame\n"
	" .cfi_escape 0x0f,4,0x77,(\\sp)&127|128,(\\sp)>>7,0x06\n"
	" .cfi_escape 0x10,6,3,0x77,(\\bp)&127|128,(\\bp)>>7\n"
	" .cfi_escape 0x10,16,3,0x77,(\\ip)&127|128,(\\ip)>>7\n"
	" nop\n .globl \\name\n \\name:\n mov $14,%rax\n syscall\n .cfi_endproc\n nop\n .endm\n"
	".text\n"
	"restorer right, 120, 160, 168\n"
	"restorer moved, 128, 168, 176\n"
	"restorer other_ip, 120, 160, 176\n"
	"restorer other_bp, 128, 160, 168\n"
	".globl musl\n musl: mov $15,%rax\n syscall\n"
	"nop\n .cfi_startproc\n .globl go\n go: mov $15,%rax\n syscall\n int3\n .cfi_endproc\n";

#define SIGNAL(offset)	RULE(.cfa = KFLAME_CFA_SIGNAL, .cfa_offset = offset)

static void signals(void **state)
{
	struct unwind_table t;
	(void)state;

	made_table("signals", signals_s, &t, false);
	/* the byte before, which a return address less one is in, and the code */
	expect_each("signals.so", &t, "right", -1, 8, SIGNAL(40));
	expect_each("signals.so", &t, "moved", -1, 8, SIGNAL(48));
	expect_each("signals.so", &t, "musl", -1, 8, SIGNAL(40));
	expect_each("signals.so", &t, "go", -1, 8, SIGNAL(40));
	expect_each("signals.so", &t, "other_ip", 0, 9, NONE);
	expect_each("signals.so", &t, "other_bp", 0, 9, NONE);
	EXPECT_RULES("signals.so", &t,
		{ "right", -2ull, NONE },
		/* where the program counter is while rt_sigreturn runs; and what is another function's */
		{ "right", 9, NONE },
		{ "musl", 9, SIGNAL(40) },
		{ "go", 9, SIMPLE(SP, 8, .reg = 0) });
	unwind_table_exit(&t);
}

/* The C library says so as well */
static void restore_rt(void **state)
{
	struct unwind_table t;
	(void)state;

	write_file("sa.c", "int main(void) { return 0; }\n");
	if (system("test -e $(" TEST_CC " -print-file-name=libc.a)")) {
		print_message("# libc.a is not installed\n");
		skip();
	}
	run("%s -static -o static sa.c");
	read_table("static", &t, true);
	assert_true(ANY_RULE(&t, rule->cfa == KFLAME_CFA_SIGNAL && rule->cfa_offset == 40));
	unwind_table_exit(&t);
}

/* vfork() has its return address in a register; a fiber begins with a function that nothing calls */
static void no_call(void **state)
{
	struct unwind_table t;
	(void)state;

	made_table("call",
		   ".text\n.globl taken, begun\n.p2align 4\ntaken:\n.cfi_startproc\npop %rdi\n"
		   ".cfi_def_cfa_offset 0\n.cfi_register %rip, %rdi\nsyscall\npush %rdi\n"
		   ".cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
		   ".p2align 4\nbegun:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n", &t, false);
	expect("call.so", &t, "taken", 1, RULE(.cfa = KFLAME_CFA_SP, .ra = KFLAME_IN_REG, .reg = 5));
	expect_each("call.so", &t, "begun", -11, 0, RULE(.cfa = KFLAME_CFA_END));
	expect("call.so", &t, "begun", 2, NONE);
	unwind_table_exit(&t);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(plt),
		cmocka_unit_test(plt_of_lld),
		cmocka_unit_test(code_with_frame_pointers),
		cmocka_unit_test(signals),
		cmocka_unit_test(restore_rt),
		cmocka_unit_test(no_call),
#endif
	};

	return cmocka_run_group_tests_name("unwind_code", tests, tables_set_up, programs_remove);
}
