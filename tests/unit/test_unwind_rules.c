// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_unwind_rules.c - a small program for each form of unwind information, and the rule it becomes (x86-64)
 */
#include "made_tables.h"

#if defined(__x86_64__)
/* Each function has its name as a label; labels are global, to be found by nm */
static const char forms_s[] =
	".macro func name\n .globl \\name\n .type \\name,@function\n \\name:\n .cfi_startproc\n"
	".endm\n"
	".macro done\n ret\n .cfi_endproc\n .endm\n"
	".macro label name\n .globl \\name\n \\name:\n .endm\n"
	".text\n"
	/* the CFA in memory at sp + 16, + 8: plus_uconst; with a number and plus; minus */
	"func at_sp\n .cfi_escape 0x0f,5,0x77,16,0x06,0x23,8\n nop\n done\n"
	"func at_sp_plus\n .cfi_escape 0x0f,6,0x77,16,0x06,0x08,8,0x22\n nop\n done\n"
	"func at_sp_minus\n .cfi_escape 0x0f,5,0x77,0x10,0x06,0x38,0x1c\n nop\n done\n"
	"func at_fp\n .cfi_escape 0x0f,3,0x76,0x70,0x06\n .cfi_escape 0x10,6,2,0x76,0\n nop\n done\n"
	/* rbp in memory at sp + 24; in rbx; nowhere; as it was */
	"func fp_sp\n .cfi_escape 0x10,6,2,0x77,24\n nop\n done\n"
	"func fp_reg\n .cfi_register 6,3\n nop\n done\n"
	"func fp_lost\n .cfi_undefined 6\n nop\n done\n"
	"func fp_same\n .cfi_offset 6,-16\n nop\n label fp_same_2\n .cfi_same_value 6\n nop\n done\n"
	"func fp_restored\n .cfi_offset 6,-16\n nop\n label fp_restored_2\n .cfi_restore 6\n nop\n"
	" done\n"
	/* of what the CIE says: gas puts there what is said first */
	".globl cie\n cie:\n .cfi_startproc simple\n .cfi_def_cfa 7,24\n .cfi_offset 16,-8\n"
	" .cfi_offset 6,-24\n nop\n .cfi_same_value 6\n nop\n .cfi_restore 6\n nop\n done\n"
	"func fp_val\n .cfi_val_offset 6,-16\n nop\n done\n"
	/* the CFA and the return address by other registers */
	"func cfa_reg\n .cfi_def_cfa 10,0\n nop\n done\n"
	"func ra_reg\n .cfi_register 16,11\n nop\n done\n"
	"func one_reg\n .cfi_def_cfa 10,0\n .cfi_register 6,10\n nop\n done\n"
	"func two_regs\n .cfi_def_cfa 10,0\n .cfi_register 6,3\n nop\n done\n"
	"func outermost\n .cfi_undefined 16\n nop\n done\n"
	/* what no rule says */
	"func unaligned\n .cfi_def_cfa_offset 12\n nop\n done\n"
	"func far\n .cfi_escape 0x0e,0x80,0x80,0x80,0x80,0x10\n nop\n done\n"
	/* an instruction that there is not */
	"func damaged\n nop\n .cfi_def_cfa_offset 16\n nop\n .cfi_escape 0x3f\n nop\n done\n"
	"func twice\n .cfi_escape 0x0f,4,0x77,16,0x06,0x06\n nop\n done\n"
	/* a state is kept with its CFA, and states are nested */
	"func kept\n .cfi_def_cfa 6,16\n .cfi_offset 6,-16\n nop\n .cfi_remember_state\n"
	" .cfi_def_cfa 7,8\n .cfi_restore 6\n nop\n .cfi_remember_state\n .cfi_def_cfa_offset 40\n"
	" nop\n label kept_3\n .cfi_restore_state\n nop\n label kept_4\n .cfi_restore_state\n nop\n"
	" done\n"
	/* advance_loc2 and advance_loc4 */
	"func long\n .skip 300\n .cfi_def_cfa_offset 16\n .skip 70000\n .cfi_def_cfa_offset 24\n"
	" label long_end\n nop\n done\n"
	/* 64 KiB aligned: a range over two page boundaries */
	".p2align 16\n";

static void forms(void **state)
{
	struct unwind_table t;
	(void)state;

	made_table("forms", forms_s, &t, true);
	EXPECT_RULES("forms.so", &t,
		{ "at_sp", 0, SIMPLE(AT_SP, 16, .cfa_add = 8) },
		{ "at_sp_plus", 0, SIMPLE(AT_SP, 16, .cfa_add = 8) },
		{ "at_sp_minus", 0, SIMPLE(AT_SP, 16, .cfa_add = -8) },
		{ "at_fp", 0, SIMPLE(AT_FP, -16, .fp = KFLAME_IN_FP) },
		{ "fp_sp", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_SP, .fp_offset = 24) },
		{ "fp_reg", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_REG, .reg = 3) },
		{ "fp_lost", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_LOST) },
		{ "fp_same", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_CFA, .fp_offset = -16) },
		{ "fp_same_2", 0, SIMPLE(SP, 8, .reg = 0) },
		{ "fp_restored_2", 0, SIMPLE(SP, 8, .reg = 0) },
		{ "cie", 1, SIMPLE(SP, 24, .reg = 0) },
		{ "cie", 2, SIMPLE(SP, 24, .fp = KFLAME_IN_CFA, .fp_offset = -24) },
		{ "fp_val", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_LOST) },
		{ "cfa_reg", 0, SIMPLE(REG, 0, .reg = 10) },
		{ "ra_reg", 0, RULE(.cfa = KFLAME_CFA_SP, .cfa_offset = 8, .ra = KFLAME_IN_REG, .reg = 11) },
		{ "one_reg", 0, SIMPLE(REG, 0, .fp = KFLAME_IN_REG, .reg = 10) },
		{ "outermost", 0, RULE(.cfa = KFLAME_CFA_END) },
		{ "kept", 0, SIMPLE(FP, 16, .fp = KFLAME_IN_CFA, .fp_offset = -16) },
		{ "kept", 1, SIMPLE(SP, 8, .reg = 0) },
		{ "kept", 2, SIMPLE(SP, 40, .reg = 0) },
		{ "kept_3", 0, SIMPLE(SP, 8, .reg = 0) },
		{ "kept_4", 0, SIMPLE(FP, 16, .fp = KFLAME_IN_CFA, .fp_offset = -16) },
		{ "long", 299, SIMPLE(SP, 8, .reg = 0) },
		{ "long", 300, SIMPLE(SP, 16, .reg = 0) },
		{ "long", 66000, SIMPLE(SP, 16, .reg = 0) },
		{ "long", 70299, SIMPLE(SP, 16, .reg = 0) },
		{ "long_end", 0, SIMPLE(SP, 24, .reg = 0) },
		{ "long_end", 1, SIMPLE(SP, 24, .reg = 0) },
		{ "long_end", 2, NONE });
	assert_false(t.flags & KFLAME_TABLE_FP);
	unwind_table_exit(&t);
}

/* What rules cannot say is nothing, and counted */
static void not_said(void **state)
{
	uint64_t lost[UNWIND_LOSSES];
	struct unwind_table t;
	char path[128];
	int fd;
	(void)state;

	read_table("forms.so", &t, false);
	EXPECT_RULES("forms.so", &t,
		{ "two_regs", 0, NONE },
		{ "unaligned", 0, NONE },
		{ "far", 0, NONE },
		{ "twice", 0, NONE },
		{ "damaged", 0, SIMPLE(SP, 8, .reg = 0) },
		{ "damaged", 1, SIMPLE(SP, 16, .reg = 0) },
		{ "damaged", 2, NONE });
	unwind_table_exit(&t);
	snprintf(path, sizeof(path), "%s/forms.so", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_table_read(fd, &t, lost), 0);
	close(fd);
	print_lost(lost);
	assert_int_equal(lost[UNWIND_REGISTER], 1);
	assert_int_equal(lost[UNWIND_OFFSET], 2);
	assert_int_equal(lost[UNWIND_CFA], 1);
	assert_int_equal(lost[UNWIND_DAMAGED], 1);
	assert_int_equal(lost[UNWIND_PLACE] + lost[UNWIND_SIGNAL] + lost[UNWIND_LIMIT], 0);
	unwind_table_exit(&t);
}

/* gcc's frames that are aligned anew: CFA in r10, then in memory at fp - 8 */
static void drap(void **state)
{
	struct unwind_table t;
	(void)state;

	write_file("drap.c",
		   "void use(void *, void *);\n"
		   "void drap(int n) { _Alignas(64) char a[64]; char v[n]; use(a, v); use(v, a); }\n");
	run("%s -O2 -shared -fPIC -nostdlib -o drap.so drap.c");
	read_table("drap.so", &t, true);
	assert_true(ANY_RULE(&t, rule->cfa == KFLAME_CFA_AT_FP));
	assert_true(ANY_RULE(&t, rule->cfa == KFLAME_CFA_REG && rule->reg == 10));
	assert_false(t.flags & KFLAME_TABLE_FP);
	unwind_table_exit(&t);
}

static void debug_frame_only(void **state)
{
	struct unwind_table t;
	(void)state;

	made_table("debug",
		   ".cfi_sections .debug_frame\n.text\n.globl only\nonly:\n.cfi_startproc\nnop\n"
		   ".cfi_def_cfa_offset 32\nret\n.cfi_endproc\n", &t, true);
	EXPECT_RULES("debug.so", &t,
		{ "only", 0, SIMPLE(SP, 8, .reg = 0) },
		{ "only", 1, SIMPLE(SP, 32, .reg = 0) },
		{ "only", 2, NONE });
	unwind_table_exit(&t);
	/* as it is in Debian's debug files */
	run("%s -shared -nostdlib -Wl,--compress-debug-sections=zlib -o zdebug.so debug.s");
	read_table("zdebug.so", &t, false);
	expect("zdebug.so", &t, "only", 1, SIMPLE(SP, 32, .reg = 0));
	unwind_table_exit(&t);
}

/* .debug_frame by hand: 20 bytes from "long", 4 in it, and 20 that begin in it; one function,
 * "also", has an entry in .eh_frame that says otherwise of its middle */
static const char overlap_s[] =
	".text\n.globl long, rest, also\n"
	"long: .skip 20\nrest: .skip 10\n"
	"also: .skip 4\n.cfi_startproc\n.cfi_def_cfa_offset 64\n.skip 4\n.cfi_endproc\n.skip 4\n"
	".macro fde from, bytes, cfa\n"
	" .balign 8\n .long 9f-8f\n8: .long cie\n .quad \\from\n .quad \\bytes\n .byte 0x0e,\\cfa\n"
	" .balign 8\n9:\n.endm\n"
	".section .debug_frame,\"\",@progbits\n"
	"cie: .long 9f-8f\n8: .long -1\n .byte 1,0,1,0x78,16,0x0c,7,8,0x90,1\n .balign 8\n9:\n"
	"fde long+4, 4, 24\nfde long+10, 20, 32\nfde long, 20, 16\nfde also, 12, 40\n";

static void overlaps(void **state)
{
	struct unwind_table t;
	(void)state;

	write_file("overlap.s", overlap_s);
	run("%s -nostdlib -no-pie -Wl,-e,long -o overlap overlap.s");
	read_table("overlap", &t, false);
	expect_each("overlap", &t, "long", 0, 20, SIMPLE(SP, 16, .reg = 0));
	expect_each("overlap", &t, "long", 20, 30, SIMPLE(SP, 32, .reg = 0));
	expect_each("overlap", &t, "long", 30, 34, SIMPLE(SP, 40, .reg = 0));
	expect_each("overlap", &t, "long", 34, 38, SIMPLE(SP, 64, .reg = 0));
	expect_each("overlap", &t, "long", 38, 42, SIMPLE(SP, 40, .reg = 0));
	expect("overlap", &t, "long", 42, NONE);
	unwind_table_exit(&t);
}

/* Addresses and file offsets that have nothing in common; two segments in one page */
static void layouts(void **state)
{
	struct unwind_table t;
	(void)state;

	run("%s -nostdlib -no-pie -Wl,-e,at_sp -Wl,-Ttext-segment=0x7000000 "
	    "-Wl,-z,noseparate-code -o apart forms.s 2>/dev/null");
	read_table("apart", &t, false);
	expect("apart", &t, "kept", 2, SIMPLE(SP, 40, .reg = 0));
	unwind_table_exit(&t);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(forms),
		cmocka_unit_test(not_said),
		cmocka_unit_test(drap),
		cmocka_unit_test(debug_frame_only),
		cmocka_unit_test(overlaps),
		cmocka_unit_test(layouts),
#endif
	};

	return cmocka_run_group_tests_name("unwind_rules", tests, tables_set_up, programs_remove);
}
