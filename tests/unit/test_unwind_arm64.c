// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_unwind_arm64.c - tables of arm64 programs, which a cross compiler makes
 */
#define TABLES_CC	"aarch64-linux-gnu-gcc"
#include "made_tables.h"

static void need_compiler(void)
{
	if (system("command -v " TABLES_CC " >/dev/null")) {
		print_message("# " TABLES_CC " is not installed\n");
		skip();
	}
}

static const char arm_s[] =
	".macro func name\n .globl \\name\n .type \\name,%function\n \\name:\n .cfi_startproc\n.endm\n"
	".macro label name\n .globl \\name\n \\name:\n .endm\n"
	".text\n"
	"func frame\n stp x29,x30,[sp,-32]!\n .cfi_def_cfa_offset 32\n .cfi_offset 29,-32\n"
	" .cfi_offset 30,-24\n mov x29,sp\n .cfi_def_cfa 29,32\n label frame_2\n bl frame\n"
	" .cfi_restore 30\n .cfi_restore 29\n .cfi_def_cfa 31,0\n label frame_3\n ret\n .cfi_endproc\n"
	"func signed\n .cfi_negate_ra_state\n stp x29,x30,[sp,-16]!\n .cfi_def_cfa_offset 16\n"
	" .cfi_offset 30,-8\n .cfi_offset 29,-16\n mov x29,sp\n .cfi_def_cfa_register 29\n ret\n"
	" .cfi_endproc\n"
	"func ra_reg\n .cfi_register 30,9\n nop\n ret\n .cfi_endproc\n"
	"func outermost\n .cfi_undefined 30\n nop\n .cfi_endproc\n"
	"func at_fp\n .cfi_escape 0x0f,3,0x8d,0x70,0x06\n nop\n .cfi_endproc\n"
	"func odd_signal\n .cfi_signal_frame\n .cfi_def_cfa 29,0\n nop\n .cfi_endproc\n"
	/* as the vdso has it */
	".cfi_startproc\n .cfi_signal_frame\n .cfi_def_cfa 29,0\n .cfi_offset 29,0\n"
	" .cfi_offset 30,8\n nop\n label vdso\n mov x8,#139\n svc #0\n .cfi_endproc\n"
	"ret\n label bti\n hint #34\n mov x8,#139\n svc #0\n"
	"ret\n label musl\n mov x8,#139\n svc #0\n ret\n"
	/* as glibc has them: clone() and fork() */
	"func thread\n mov x8,#220\n svc #0\n label thread_2\n cmp x0,#0\n b.eq 1f\n"
	" label thread_3\n ret\n .cfi_endproc\n .cfi_startproc\n .cfi_undefined 30\n"
	" 1: mov x29,#0\n blr x10\n nop\n nop\n nop\n .cfi_endproc\n"
	"func child\n mov x8,#220\n svc #0\n label child_2\n cmn x0,#1,lsl #12\n b.hi 1f\n"
	" nop\n nop\n nop\n nop\n 1: ret\n .cfi_endproc\n"
	"func zero\n mov x8,#435\n svc #0\n label zero_2\n cbz x0,1f\n label zero_3\n nop\n"
	" ret\n .cfi_endproc\n .cfi_startproc\n .cfi_undefined 30\n 1: blr x10\n .cfi_endproc\n"
	/* as glibc's _dl_runtime_resolve: a stub has pushed 16 bytes that are not counted */
	"func resolve\n nop\n .cfi_rel_offset 30,8\n label resolve_2\n stp x8,x9,[sp,-208]!\n"
	" .cfi_adjust_cfa_offset 208\n .cfi_rel_offset 19,16\n label resolve_3\n nop\n"
	" .cfi_def_cfa_offset -16\n label resolve_4\n br x16\n .cfi_endproc\n"
	/* jump stubs, of three kinds */
	".section .plt,\"ax\",%progbits\n label push\n stp x16,x30,[sp,#-16]!\n adrp x16,.\n"
	" ldr x17,[x16]\n add x16,x16,#8\n br x17\n nop\n"
	" label plain\n adrp x16,.\n ldr x17,[x16]\n add x16,x16,#8\n br x17\n"
	" label tls\n stp x2,x3,[sp,#-16]!\n adrp x2,.\n br x2\n"
	/* so that all that is loaded lies above a row's offset 0 */
	".text\n nop\n";

/* Both registers were saved, @below bytes under the CFA */
#define FRAME(kind, offset, below) \
	RULE(.cfa = KFLAME_CFA_##kind, .cfa_offset = (offset), .fp = KFLAME_IN_CFA, .fp_offset = -(below), \
	     .ra = KFLAME_IN_CFA, .ra_offset = 8 - (below))

static void arm_stubs(const char *name, const struct unwind_table *t)
{
	const struct kflame_rule plain = { .cfa = KFLAME_CFA_SP };
	const struct kflame_rule pushed = SIMPLE(SP, 16, .reg = 0);

	EXPECT_RULES(name, t,
		/* from the first instruction on, though the second row only says so */
		{ "resolve", 0, pushed },
		{ "resolve_2", 0, pushed },
		{ "resolve_3", 0, SIMPLE(SP, 224, .base_offset = -208) },
		{ "resolve_4", 0, SIMPLE(SP, 0, .base_offset = -208) },
		{ "push", 0, plain },
		{ "push", 4, pushed },
		{ "push", 16, pushed },
		{ "push", 20, plain },
		{ "plain", 0, plain },
		{ "plain", 12, plain },
		{ "tls", 0, plain },
		{ "tls", 4, RULE(.cfa = KFLAME_CFA_SP, .cfa_offset = 16) },
		{ "tls", 12, plain });
}

static void arm_forms(const char *name, const struct unwind_table *t)
{
	const struct kflame_rule sig = { .cfa = KFLAME_CFA_SIGNAL, .cfa_offset = 304 };

	EXPECT_RULES(name, t,
		{ "frame", 0, RULE(.cfa = KFLAME_CFA_SP) },
		{ "frame", 4, FRAME(SP, 32, 32) },
		{ "frame_2", 0, FRAME(FP, 32, 32) },
		{ "frame_3", 0, RULE(.cfa = KFLAME_CFA_SP) },
		{ "signed", 8, FRAME(FP, 16, 16) },
		{ "ra_reg", 0, RULE(.cfa = KFLAME_CFA_SP, .ra = KFLAME_IN_REG, .reg = 9) },
		{ "outermost", 0, RULE(.cfa = KFLAME_CFA_END) },
		{ "at_fp", 0, RULE(.cfa = KFLAME_CFA_AT_FP, .cfa_offset = -16) },
		{ "odd_signal", 0, NONE });
	expect_each(name, t, "vdso", -1, 8, sig);
	expect_each(name, t, "musl", -1, 8, sig);
	expect_each(name, t, "bti", -1, 8, sig);
	EXPECT_RULES(name, t,
		{ "bti", 11, sig },
		{ "bti", 12, sig },
		{ "bti", 13, NONE },
		{ "musl", -2ull, NONE },
		{ "thread", 4, RULE(.cfa = KFLAME_CFA_SP) },
		{ "thread_2", 0, RULE(.cfa = KFLAME_CFA_CLONE) },
		{ "thread_2", 4, RULE(.cfa = KFLAME_CFA_CLONE) },
		{ "thread_3", 0, RULE(.cfa = KFLAME_CFA_SP) },
		{ "child_2", 0, RULE(.cfa = KFLAME_CFA_SP) },
		{ "zero_2", 0, RULE(.cfa = KFLAME_CFA_CLONE) });
	arm_stubs(name, t);
}

static void arm64(void **state)
{
	struct unwind_table t;
	(void)state;

	need_compiler();
	made_table("arm", arm_s, &t, false);
	arm_forms("arm.so", &t);
	unwind_table_exit(&t);
	/* as V8's builtins are linked into node */
	made_table("builtins", ".text\n nop\n .globl fn,builtins\n fn:\n .cfi_startproc\n .fill 9000,4,0xd503201f\n ret\n .cfi_endproc\n"
		   " builtins:\n .rept 8\n stp x29,x30,[sp,#-16]!\n mov x29,sp\n .fill 250,4,0xd503201f\n"
		   " ldp x29,x30,[sp],#16\n ret\n .endr\n", &t, false);
	expect("builtins.so", &t, "builtins", 5000, FRAME(FP, 16, 16));
	unwind_table_exit(&t);
	/* like the vdso of 6.1: nothing but the trampoline */
	made_table("bare", ".text\n nop\n .globl bare\n bare:\n mov x8,#139\n svc #0\n .fill 64,4\n", &t, false);
	assert_int_equal(t.flags, KFLAME_TABLE_PART);
	expect("bare.so", &t, "bare", 0, RULE(.cfa = KFLAME_CFA_SIGNAL, .cfa_offset = 304));
	unwind_table_exit(&t);
	write_file("arm.c",
		   "#include <stdlib.h>\n#include <string.h>\n"
		   "void use(void *, void *);\nint sink;\n"
		   "void vla(int n) { _Alignas(64) char a[64]; char v[n]; use(a, v); use(v, a); }\n"
		   "int many(int x) { for (int i = 0; i < x; i++) sink += many(i) * rand();"
		   " return sink + x; }\n"
		   "void die(int x) { char b[5000]; memset(b, x, 5000); if (x) abort(); use(b, b); }\n");
	run("true %s; " TABLES_CC " -O2 -shared -fPIC -nostdlib -o arm-c.so arm.c");
	read_table("arm-c.so", &t, true);
	/* gcc's CFA stays at sp: what x29 is, the table does not say */
	assert_false(t.flags & KFLAME_TABLE_FP);
	unwind_table_exit(&t);
	run("true %s; " TABLES_CC " -O2 -mbranch-protection=standard -fPIC -shared -nostdlib -Wl,-z,lazy "
	    "-o arm-pac.so arm.c");
	read_table("arm-pac.so", &t, true);
	unwind_table_exit(&t);
}

/* What a function must not do to have its return address in the link register all the way */
static void arm64_leaves(void **state)
{
	static const char *const others[] = {
		"sub sp,sp,#16", "add sp,sp,x1", "mov sp,x1", "and sp,x1,#-16", "bl other", "blr x1",
		"blraaz x1", "str x1,[sp]", "stp x1,x2,[sp,#-16]!", "ldr x1,[sp],#8", "mov x30,x1",
		"ldr x30,[x1]",
	};
	static const char *const leaves[] = {
		"paciasp", "add x1,sp,#8", "add x4,sp,x4", "subs xzr,x1,#1", "ands xzr,x1,#3",
		"ldr x1,[x2]", "svc #0", "b 1f", "b.le 1f", "cbz x1,1f", "ldr xzr,[x4]",
	};
	const struct kflame_rule leaf = { .cfa = KFLAME_CFA_SP };
	struct unwind_table t;
	(void)state;

	need_compiler();
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) + sizeof(leaves) / sizeof(*leaves);
	     i++) {
		bool is_leaf = i >= sizeof(others) / sizeof(*others);
		const char *line = is_leaf ? leaves[i - sizeof(others) / sizeof(*others)]
					   : others[i];
		char text[512];

		/* one that is a leaf, so that there is a table, and the one that is asked for */
		snprintf(text, sizeof(text), ".arch armv8.3-a\n.text\n.globl other,one\n"
			 ".type other,%%function\n.type one,%%function\nother: ret\n"
			 ".size other,.-other\n.fill 4,4\none: nop\n%s\n1: ret\n.size one,.-one\n",
			 line);
		write_file("leaf.s", text);
		run("true %s; " TABLES_CC " -shared -nostdlib -Wl,-Bsymbolic -o leaf.so leaf.s");
		read_table("leaf.so", &t, false);
		print_message("# %s\n", line);
		expect("leaf.so", &t, "other", 0, leaf);
		expect("leaf.so", &t, "one", 4, is_leaf ? leaf : NONE);
		unwind_table_exit(&t);
	}
}

/* Frames that say so: as clang has them */
static void arm64_frame_pointers(void **state)
{
	struct unwind_table t;
	(void)state;

	need_compiler();
	made_table("armfp",
		   ".text\nfp: .cfi_startproc\n sub sp,sp,#32\n .cfi_def_cfa_offset 32\n"
		   " stp x29,x30,[sp,#16]\n add x29,sp,#16\n .cfi_def_cfa 29,16\n .cfi_offset 30,-8\n"
		   " .cfi_offset 29,-16\n bl fp\n .cfi_def_cfa 31,32\n ldp x29,x30,[sp,#16]\n"
		   " add sp,sp,#32\n .cfi_def_cfa_offset 0\n .cfi_restore 30\n .cfi_restore 29\n ret\n"
		   " .cfi_endproc\n", &t, true);
	assert_false(t.flags & KFLAME_TABLE_FP);
	unwind_table_exit(&t);
	/* and without an epilogue */
	run("true %s; sed '/cfi_def_cfa 31,32/d' armfp.s >armfp2.s; " TABLES_CC
	    " -shared -nostdlib -o armfp2.so armfp2.s");
	read_table("armfp2.so", &t, true);
	assert_true(t.flags & KFLAME_TABLE_FP);
	unwind_table_exit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arm64),
		cmocka_unit_test(arm64_leaves),
		cmocka_unit_test(arm64_frame_pointers),
	};

	return cmocka_run_group_tests_name("unwind_arm64", tests, tables_set_up, programs_remove);
}
