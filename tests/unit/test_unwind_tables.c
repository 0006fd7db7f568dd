// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_unwind_tables.c - unwind tables that are compiled for the module
 *
 * All places of real files where the table changes are compared with what libdw says of them,
 * and of each special form there is a small program made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "elf/vdso.h"
#include "libdw_frames.h"
#include "programs.h"

#define ARM_CC	"aarch64-linux-gnu-gcc"

/* Of 10,000 places of a file that was found here, so many may have no rule though libdw knows one;
 * of programs made here it is known which */
#define MOST_NONE	10
#define ANY_NONE	10000

static int set_up(void **state)
{
	(void)state;
	assert_int_not_equal(elf_version(EV_CURRENT), EV_NONE);
	programs_make_dir();
	return 0;
}

/* ----------------------------------------------------- what the module checks */

static void check_form(const struct unwind_table *t)
{
	assert_false(t->flags & ~UNWIND_TABLE_FLAGS);
	assert_true(t->nr_pages <= KFLAME_TABLE_PAGES && t->nr_rows <= KFLAME_TABLE_ROWS &&
		    t->nr_rules <= KFLAME_TABLE_RULES);
	assert_int_equal(t->pages[0], 0);
	assert_int_equal(t->pages[t->nr_pages], t->nr_rows);
	for (uint32_t page = 0; page < t->nr_pages; page++)
		for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			assert_true(KFLAME_ROW_RULE(t->rows[i]) < t->nr_rules);
			if (i == t->pages[page])
				continue;
			assert_true(KFLAME_ROW_OFFSET(t->rows[i - 1]) <
				    KFLAME_ROW_OFFSET(t->rows[i]));
			assert_int_not_equal(KFLAME_ROW_RULE(t->rows[i - 1]),
					     KFLAME_ROW_RULE(t->rows[i]));
		}
}

static void print_lost(const uint64_t *lost)
{
	for (int i = UNWIND_KEPT + 1; i < UNWIND_LOSSES; i++)
		if (lost[i])
			print_message("#   %llu rows: %s\n", (unsigned long long)lost[i],
				      unwind_loss_name(i));
}

/* @most: of 10,000 places, so many may have no rule */
static void compare(Elf *elf, const char *name, const struct unwind_table *t,
		    const uint64_t *lost, unsigned long most)
{
	struct both b = { .elf = elf, .table = t, .name = name };

	check_form(t);
	compare_elf(&b);
	print_message("# %s: %u rows, %u rules, %zu bytes%s; %lu places compared, %lu differ, "
		      "%lu without a rule, %lu where it begins, %lu where threads do, %lu by code\n", name, t->nr_rows, t->nr_rules,
		      unwind_table_bytes(t), t->flags & KFLAME_TABLE_FP ? ", by fp" : "",
		      b.compared, b.differ, b.none, b.begins, b.clones, b.by_code);
	print_lost(lost);
	assert_int_equal(b.differ, 0);
	assert_true(b.none * 10000 <= b.compared * most);
	assert_true(b.compared >= (most == ANY_NONE ? 5 : 1000));
}

static void compare_path(const char *path, unsigned long most)
{
	uint64_t lost[UNWIND_LOSSES];
	struct unwind_table t;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	assert_true(fd >= 0);
	assert_int_equal(elf_table_read(fd, &t, lost), 0);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	compare(elf, path, &t, lost, most);
	unwind_table_exit(&t);
	elf_end(elf);
	close(fd);
}

/* As the compiler finds it; the file itself, not a link to it */
static void compare_library(const char *name)
{
	char line[256], found[4096], path[4096];
	FILE *in;

	snprintf(line, sizeof(line), "%s -print-file-name=%s", TEST_CC, name);
	in = popen(line, "r");
	assert_non_null(in);
	assert_non_null(fgets(found, sizeof(found), in));
	pclose(in);
	found[strcspn(found, "\n")] = 0;
	if (!realpath(found, path))
		print_message("# %s is not installed\n", name);
	else
		compare_path(path, MOST_NONE);
}

static void libraries(void **state)
{
	(void)state;
	compare_library("libc.so.6");
	compare_library("ld-linux-x86-64.so.2");
	compare_library("ld-linux-aarch64.so.1");
	compare_library("libstdc++.so.6");
	compare_library("libdw.so.1");
	compare_library("libcrypto.so.3");
}

static void programs(void **state)
{
	(void)state;
	compare_path(KFLAME_TOOL, MOST_NONE);
	compare_path("/bin/bash", MOST_NONE);
	if (access("/usr/bin/python3", R_OK))
		print_message("# python3 is not installed\n");
	else
		compare_path("/usr/bin/python3", MOST_NONE);
}

static void vdso(void **state)
{
	uint64_t lost[UNWIND_LOSSES];
	struct unwind_table t;
	Elf *elf = vdso_begin();
	(void)state;

	if (!elf)
		skip();
	assert_int_equal(elf_table_vdso(&t, lost), 0);
	compare(elf, "vdso", &t, lost, MOST_NONE);
	unwind_table_exit(&t);
	elf_end(elf);
}

/* --------------------------------------------------------- programs made here */

/* Of a file in @dir; compared with libdw, too, if @also_libdw */
static void read_table(const char *name, struct unwind_table *t, bool also_libdw)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (also_libdw)
		compare_path(path, ANY_NONE);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(elf_table_read(fd, t, NULL), 0);
	check_form(t);
	close(fd);
}

/* The rule at a label and @more bytes */
static void expect(const char *name, const struct unwind_table *t, const char *symbol,
		   uint64_t more, struct kflame_rule rule)
{
	const struct kflame_rule *u = unwind_table_find(t, symbol_offset(name, symbol) + more);

	if (memcmp(u, &rule, sizeof(rule)))
		print_message("# %s+%llu: cfa %d fp %d ra %d reg %d, offsets %d %d %d %d\n", symbol,
			      (unsigned long long)more, u->cfa, u->fp, u->ra, u->reg,
			      u->cfa_offset, u->cfa_add, u->fp_offset, u->ra_offset);
	assert_memory_equal(u, &rule, sizeof(rule));
}

#define RULE(...)	((struct kflame_rule){ __VA_ARGS__ })
#define NONE		RULE(.cfa = KFLAME_CFA_NONE)

#if defined(__x86_64__)
/* A rule with the return address where a call leaves it */
#define SIMPLE(kind, offset, ...) \
	RULE(.cfa = KFLAME_CFA_##kind, .cfa_offset = (offset), .ra = KFLAME_IN_CFA, \
	     .ra_offset = -8, __VA_ARGS__)

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

	/* ld complains of what is damaged */
	write_file("forms.s", forms_s);
	run("%s -shared -nostdlib -o forms.so forms.s 2>/dev/null");
	read_table("forms.so", &t, true);
	expect("forms.so", &t, "at_sp", 0, SIMPLE(AT_SP, 16, .cfa_add = 8));
	expect("forms.so", &t, "at_sp_plus", 0, SIMPLE(AT_SP, 16, .cfa_add = 8));
	expect("forms.so", &t, "at_sp_minus", 0, SIMPLE(AT_SP, 16, .cfa_add = -8));
	expect("forms.so", &t, "at_fp", 0, SIMPLE(AT_FP, -16, .fp = KFLAME_IN_FP));
	expect("forms.so", &t, "fp_sp", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_SP, .fp_offset = 24));
	expect("forms.so", &t, "fp_reg", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_REG, .reg = 3));
	expect("forms.so", &t, "fp_lost", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_LOST));
	expect("forms.so", &t, "fp_same", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_CFA, .fp_offset = -16));
	expect("forms.so", &t, "fp_same_2", 0, SIMPLE(SP, 8, .reg = 0));
	expect("forms.so", &t, "fp_restored_2", 0, SIMPLE(SP, 8, .reg = 0));
	expect("forms.so", &t, "cie", 1, SIMPLE(SP, 24, .reg = 0));
	expect("forms.so", &t, "cie", 2, SIMPLE(SP, 24, .fp = KFLAME_IN_CFA, .fp_offset = -24));
	expect("forms.so", &t, "fp_val", 0, SIMPLE(SP, 8, .fp = KFLAME_IN_LOST));
	expect("forms.so", &t, "cfa_reg", 0, SIMPLE(REG, 0, .reg = 10));
	expect("forms.so", &t, "ra_reg", 0, RULE(.cfa = KFLAME_CFA_SP, .cfa_offset = 8,
						 .ra = KFLAME_IN_REG, .reg = 11));
	expect("forms.so", &t, "one_reg", 0, SIMPLE(REG, 0, .fp = KFLAME_IN_REG, .reg = 10));
	expect("forms.so", &t, "outermost", 0, RULE(.cfa = KFLAME_CFA_END));
	expect("forms.so", &t, "kept", 0, SIMPLE(FP, 16, .fp = KFLAME_IN_CFA, .fp_offset = -16));
	expect("forms.so", &t, "kept", 1, SIMPLE(SP, 8, .reg = 0));
	expect("forms.so", &t, "kept", 2, SIMPLE(SP, 40, .reg = 0));
	expect("forms.so", &t, "kept_3", 0, SIMPLE(SP, 8, .reg = 0));
	expect("forms.so", &t, "kept_4", 0, SIMPLE(FP, 16, .fp = KFLAME_IN_CFA, .fp_offset = -16));
	expect("forms.so", &t, "long", 299, SIMPLE(SP, 8, .reg = 0));
	expect("forms.so", &t, "long", 300, SIMPLE(SP, 16, .reg = 0));
	expect("forms.so", &t, "long", 66000, SIMPLE(SP, 16, .reg = 0));
	expect("forms.so", &t, "long", 70299, SIMPLE(SP, 16, .reg = 0));
	expect("forms.so", &t, "long_end", 0, SIMPLE(SP, 24, .reg = 0));
	expect("forms.so", &t, "long_end", 1, SIMPLE(SP, 24, .reg = 0));
	expect("forms.so", &t, "long_end", 2, NONE);
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
	expect("forms.so", &t, "two_regs", 0, NONE);
	expect("forms.so", &t, "unaligned", 0, NONE);
	expect("forms.so", &t, "far", 0, NONE);
	expect("forms.so", &t, "twice", 0, NONE);
	expect("forms.so", &t, "damaged", 0, SIMPLE(SP, 8, .reg = 0));
	expect("forms.so", &t, "damaged", 1, SIMPLE(SP, 16, .reg = 0));
	expect("forms.so", &t, "damaged", 2, NONE);
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

/* A lazy PLT, and one for IBT */
static void plt(void **state)
{
	struct unwind_table t;
	(void)state;

	write_file("plt.c", "void other(void); void mine(void) { other(); other(); }\n");
	run("%s -O2 -shared -fPIC -nostdlib -Wl,-z,lazy -fcf-protection=none -o plt.so plt.c");
	read_table("plt.so", &t, true);
	for (uint32_t i = 0; i < t.nr_rules; i++)
		if (t.rules[i].cfa == KFLAME_CFA_PLT) {
			assert_int_equal(t.rules[i].cfa_offset, 11);
			unwind_table_exit(&t);
			return;
		}
	fail_msg("no rule of a PLT");
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

	write_file("lld.s", lld_s);
	run("%s -shared -nostdlib -o lld.so lld.s");
	read_table("lld.so", &t, true);
	/* They are no calls, so the file's frame pointers are as good as before */
	assert_true(t.flags & KFLAME_TABLE_FP);
	expect("lld.so", &t, "first", 0, SIMPLE(SP, 16, .reg = 0));
	expect("lld.so", &t, "first", 5, SIMPLE(SP, 16, .reg = 0));
	expect("lld.so", &t, "first", 6, SIMPLE(SP, 24, .reg = 0));
	for (uint64_t i = 0; i < 16; i++) {
		expect("lld.so", &t, "entry", i, SIMPLE(PLT, 11, .reg = 0));
		expect("lld.so", &t, "unknown", i, NONE);
		expect("lld.so", &t, "second", i, SIMPLE(SP, 8, .reg = 0));
		expect("lld.so", &t, "ibt", i, SIMPLE(PLT, 9, .reg = 0));
	}
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
	const struct kflame_rule by_fp = { .cfa = KFLAME_CFA_FP, .cfa_offset = 16, .fp = KFLAME_IN_CFA,
		.fp_offset = -16, .ra = KFLAME_IN_CFA, .ra_offset = -8 };
	struct unwind_table t;
	(void)state;

	write_file("silent.s", silent_s);
	run("%s -shared -nostdlib -o silent.so silent.s");
	read_table("silent.so", &t, true);
	expect("silent.so", &t, "fn", 1, SIMPLE(SP, 8, .reg = 0));
	expect("silent.so", &t, "builtins", 0, by_fp);
	expect("silent.so", &t, "builtins", 5000, by_fp);
	expect("silent.so", &t, "builtins_end", -1ull, by_fp);
	expect("silent.so", &t, "second", 0, SIMPLE(SP, 8, .reg = 0));
	/* but its own instructions say where its frame is: code_rows.h */
	expect("silent.so", &t, "assembler", 4, by_fp);
	expect("silent.so", &t, "assembler", 4000, NONE);
	expect("silent.so", &t, "little", 100, by_fp);
	unwind_table_exit(&t);
}

/* gcc's frames that are aligned anew: CFA in r10, then in memory at fp - 8 */
static void drap(void **state)
{
	bool in_memory = false, in_register = false;
	struct unwind_table t;
	(void)state;

	write_file("drap.c",
		   "void use(void *, void *);\n"
		   "void drap(int n) { _Alignas(64) char a[64]; char v[n]; use(a, v); use(v, a); }\n");
	run("%s -O2 -shared -fPIC -nostdlib -o drap.so drap.c");
	read_table("drap.so", &t, true);
	for (uint32_t i = 0; i < t.nr_rules; i++) {
		in_memory |= t.rules[i].cfa == KFLAME_CFA_AT_FP;
		in_register |= t.rules[i].cfa == KFLAME_CFA_REG && t.rules[i].reg == 10;
	}
	assert_true(in_memory && in_register);
	assert_false(t.flags & KFLAME_TABLE_FP);
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

static void signals(void **state)
{
	struct unwind_table t;
	(void)state;

	write_file("signals.s", signals_s);
	run("%s -shared -nostdlib -o signals.so signals.s");
	read_table("signals.so", &t, false);
	for (uint64_t i = 0; i < 9; i++) {
		const struct kflame_rule at_40 = { .cfa = KFLAME_CFA_SIGNAL, .cfa_offset = 40 };

		/* the byte before, which a return address less one is in, and the code */
		expect("signals.so", &t, "right", i - 1, at_40);
		expect("signals.so", &t, "moved", i - 1,
		       RULE(.cfa = KFLAME_CFA_SIGNAL, .cfa_offset = 48));
		expect("signals.so", &t, "musl", i - 1, at_40);
		expect("signals.so", &t, "go", i - 1, at_40);
		expect("signals.so", &t, "other_ip", i, NONE);
		expect("signals.so", &t, "other_bp", i, NONE);
	}
	expect("signals.so", &t, "right", -2ull, NONE);
	/* where the program counter is while rt_sigreturn runs; and what is another function's */
	expect("signals.so", &t, "right", 9, NONE);
	expect("signals.so", &t, "musl", 9, RULE(.cfa = KFLAME_CFA_SIGNAL, .cfa_offset = 40));
	expect("signals.so", &t, "go", 9, SIMPLE(SP, 8, .reg = 0));
	unwind_table_exit(&t);
}

/* The C library says so as well */
static void restore_rt(void **state)
{
	struct unwind_table t;
	bool found = false;
	(void)state;

	write_file("sa.c", "int main(void) { return 0; }\n");
	if (system("test -e $(" TEST_CC " -print-file-name=libc.a)")) {
		print_message("# libc.a is not installed\n");
		skip();
	}
	run("%s -static -o static sa.c");
	read_table("static", &t, true);
	for (uint32_t i = 0; i < t.nr_rules; i++)
		found |= t.rules[i].cfa == KFLAME_CFA_SIGNAL && t.rules[i].cfa_offset == 40;
	assert_true(found);
	unwind_table_exit(&t);
}

#if defined(__x86_64__)
/* vfork() has its return address in a register; a fiber begins with a function that nothing calls */
static void no_call(void **state)
{
	struct unwind_table t;
	(void)state;

	write_file("call.s",
		   ".text\n.globl taken, begun\n.p2align 4\ntaken:\n.cfi_startproc\npop %rdi\n"
		   ".cfi_def_cfa_offset 0\n.cfi_register %rip, %rdi\nsyscall\npush %rdi\n"
		   ".cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
		   ".p2align 4\nbegun:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n");
	run("%s -shared -nostdlib -o call.so call.s");
	read_table("call.so", &t, false);
	expect("call.so", &t, "taken", 1, (struct kflame_rule){ .cfa = KFLAME_CFA_SP,
			.ra = KFLAME_IN_REG, .reg = 5 });
	for (int i = 1; i < 12; i++)
		expect("call.so", &t, "begun", -i, (struct kflame_rule){ .cfa = KFLAME_CFA_END });
	expect("call.so", &t, "begun", 2, (struct kflame_rule){ .cfa = KFLAME_CFA_NONE });
	unwind_table_exit(&t);
}
#endif

static void debug_frame_only(void **state)
{
	struct unwind_table t;
	(void)state;

	write_file("debug.s",
		   ".cfi_sections .debug_frame\n.text\n.globl only\nonly:\n.cfi_startproc\nnop\n"
		   ".cfi_def_cfa_offset 32\nret\n.cfi_endproc\n");
	run("%s -shared -nostdlib -o debug.so debug.s");
	read_table("debug.so", &t, true);
	expect("debug.so", &t, "only", 0, SIMPLE(SP, 8, .reg = 0));
	expect("debug.so", &t, "only", 1, SIMPLE(SP, 32, .reg = 0));
	expect("debug.so", &t, "only", 2, NONE);
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
	for (uint64_t i = 0; i < 42; i++) {
		int cfa = i < 20 ? 16 : i < 30 ? 32 : i < 34 ? 40 : i < 38 ? 64 : 40;

		expect("overlap", &t, "long", i, SIMPLE(SP, cfa, .reg = 0));
	}
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

/* ------------------------------------------------------------ frame pointers */

static const char frames_c[] =
	"int sink;\n"
	"int leaf(int x) { return x * 3 + sink; }\n"
	"__attribute__((noinline)) int early(int x)\n"
	"{ if (x < 3) return 1; for (int i = 0; i < x; i++) sink += leaf(i) + early(i - 1); return x; }\n"
	"__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g)\n"
	"{ return early(a) + early(b) * early(c + d) + early(e) + early(f) + early(g); }\n"
	"int main(int argc, char **argv) { (void)argv; return many(argc, 2, 3, 4, 5, 6, 7); }\n";

static bool by_fp(const char *how)
{
	struct unwind_table t;
	bool proved;

	run(how);
	read_table("frames", &t, true);
	proved = t.flags & KFLAME_TABLE_FP;
	unwind_table_exit(&t);
	return proved;
}

static void frame_pointers(void **state)
{
	(void)state;
	write_file("frames.c", frames_c);
	assert_true(by_fp("%s -O2 -fno-omit-frame-pointer -shared -fPIC -nostartfiles "
			  "-o frames frames.c"));
	assert_true(by_fp("%s -O1 -fno-omit-frame-pointer -shared -fPIC -nostartfiles "
			  "-Wl,-z,lazy -o frames frames.c"));
	assert_true(by_fp("%s -O0 -fno-omit-frame-pointer -shared -fPIC -nostartfiles "
			  "-o frames frames.c"));
	/* crt's own functions with entries are _start, which is outermost */
	assert_true(by_fp("%s -O2 -fno-omit-frame-pointer -o frames frames.c"));
	assert_false(by_fp("%s -O2 -fomit-frame-pointer -shared -fPIC -nostartfiles "
			   "-o frames frames.c"));
	assert_false(by_fp("%s -O0 -fomit-frame-pointer -shared -fPIC -nostartfiles "
			   "-o frames frames.c"));
}

/* Of one function that does otherwise in a file of those that have a frame pointer */
static bool by_fp_with(const char *body)
{
	char text[1024];

	snprintf(text, sizeof(text), ".text\nfunc: .cfi_startproc\n%s\n.cfi_endproc\n"
		 ".section .note.GNU-stack\n", body);
	write_file("one.s", text);
	return by_fp("%s -O2 -fno-omit-frame-pointer -shared -fPIC -nostartfiles -o frames "
		     "frames.c one.s");
}

#define PUSH	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6,-16\n"

static void counterexamples(void **state)
{
	(void)state;
	/* a leaf; a frame; the outermost */
	assert_true(by_fp_with("nop\nret\n"));
	assert_true(by_fp_with(PUSH "mov %rsp,%rbp\n.cfi_def_cfa_register 6\ncall func\n"
			       "leave\n.cfi_def_cfa 7,8\nret\n"));
	assert_true(by_fp_with(".cfi_undefined rip\ncall func\n"));
	/* rbp saved, and used for something else: sp would be right for the call */
	assert_false(by_fp_with(PUSH "mov %rdi,%rbp\ncall func\npop %rbp\n"
				".cfi_def_cfa_offset 8\nret\n"));
	/* not saved at all */
	assert_false(by_fp_with("sub $8,%rsp\n.cfi_def_cfa_offset 16\ncall func\nadd $8,%rsp\n"
				".cfi_def_cfa_offset 8\nret\n"));
	/* fp is elsewhere; the CFA is; nothing can be said */
	assert_false(by_fp_with(".cfi_def_cfa 6,16\n.cfi_offset 6,-24\ncall func\n"));
	assert_false(by_fp_with(".cfi_def_cfa 6,24\n.cfi_offset 6,-24\ncall func\n"));
	assert_false(by_fp_with(".cfi_def_cfa 6,12\n.cfi_offset 6,-16\ncall func\n"));
}
#endif /* __x86_64__ */

/* -------------------------------------------------------------------- arm64 */

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

static void arm_stubs(const char *name, const struct unwind_table *t)
{
	const struct kflame_rule plain = { .cfa = KFLAME_CFA_SP };
	const struct kflame_rule pushed = { .cfa = KFLAME_CFA_SP, .cfa_offset = 16,
					    .ra = KFLAME_IN_CFA, .ra_offset = -8 };

	/* from the first instruction on, though the second row only says so */
	expect(name, t, "resolve", 0, pushed);
	expect(name, t, "resolve_2", 0, pushed);
	expect(name, t, "resolve_3", 0, RULE(.cfa = KFLAME_CFA_SP, .cfa_offset = 224,
		.ra = KFLAME_IN_CFA, .ra_offset = -8, .base_offset = -208));
	expect(name, t, "resolve_4", 0, RULE(.cfa = KFLAME_CFA_SP, .ra = KFLAME_IN_CFA,
		.ra_offset = -8, .base_offset = -208));
	expect(name, t, "push", 0, plain);
	expect(name, t, "push", 4, pushed);
	expect(name, t, "push", 16, pushed);
	expect(name, t, "push", 20, plain);
	expect(name, t, "plain", 0, plain);
	expect(name, t, "plain", 12, plain);
	expect(name, t, "tls", 0, plain);
	expect(name, t, "tls", 4, RULE(.cfa = KFLAME_CFA_SP, .cfa_offset = 16));
	expect(name, t, "tls", 12, plain);
}

static void arm_forms(const char *name)
{
	const struct kflame_rule sig = { .cfa = KFLAME_CFA_SIGNAL, .cfa_offset = 304 };
	struct unwind_table t;

	read_table(name, &t, false);
	expect(name, &t, "frame", 0, RULE(.cfa = KFLAME_CFA_SP));
	expect(name, &t, "frame", 4, RULE(.cfa = KFLAME_CFA_SP, .cfa_offset = 32,
		.fp = KFLAME_IN_CFA, .fp_offset = -32, .ra = KFLAME_IN_CFA, .ra_offset = -24));
	expect(name, &t, "frame_2", 0, RULE(.cfa = KFLAME_CFA_FP, .cfa_offset = 32,
		.fp = KFLAME_IN_CFA, .fp_offset = -32, .ra = KFLAME_IN_CFA, .ra_offset = -24));
	expect(name, &t, "frame_3", 0, RULE(.cfa = KFLAME_CFA_SP));
	expect(name, &t, "signed", 8, RULE(.cfa = KFLAME_CFA_FP, .cfa_offset = 16,
		.fp = KFLAME_IN_CFA, .fp_offset = -16, .ra = KFLAME_IN_CFA, .ra_offset = -8));
	expect(name, &t, "ra_reg", 0, RULE(.cfa = KFLAME_CFA_SP, .ra = KFLAME_IN_REG, .reg = 9));
	expect(name, &t, "outermost", 0, RULE(.cfa = KFLAME_CFA_END));
	expect(name, &t, "at_fp", 0, RULE(.cfa = KFLAME_CFA_AT_FP, .cfa_offset = -16));
	expect(name, &t, "odd_signal", 0, NONE);
	for (uint64_t i = 0; i < 9; i++) {
		expect(name, &t, "vdso", i - 1, sig);
		expect(name, &t, "musl", i - 1, sig);
		expect(name, &t, "bti", i - 1, sig);
	}
	expect(name, &t, "bti", 11, sig);
	expect(name, &t, "bti", 12, sig);
	expect(name, &t, "bti", 13, NONE);
	expect(name, &t, "musl", -2ull, NONE);
	expect(name, &t, "thread", 4, RULE(.cfa = KFLAME_CFA_SP));
	expect(name, &t, "thread_2", 0, RULE(.cfa = KFLAME_CFA_CLONE));
	expect(name, &t, "thread_2", 4, RULE(.cfa = KFLAME_CFA_CLONE));
	expect(name, &t, "thread_3", 0, RULE(.cfa = KFLAME_CFA_SP));
	expect(name, &t, "child_2", 0, RULE(.cfa = KFLAME_CFA_SP));
	expect(name, &t, "zero_2", 0, RULE(.cfa = KFLAME_CFA_CLONE));
	arm_stubs(name, &t);
	unwind_table_exit(&t);
}

static void arm64(void **state)
{
	struct unwind_table t;
	(void)state;

	if (system("command -v " ARM_CC " >/dev/null")) {
		print_message("# " ARM_CC " is not installed\n");
		skip();
	}
	write_file("arm.s", arm_s);
	run("true %s; " ARM_CC " -shared -nostdlib -o arm.so arm.s");
	arm_forms("arm.so");
	/* as V8's builtins are linked into node */
	write_file("builtins.s", ".text\n nop\n .globl fn,builtins\n fn:\n .cfi_startproc\n .fill 9000,4,0xd503201f\n ret\n .cfi_endproc\n"
		   " builtins:\n .rept 8\n stp x29,x30,[sp,#-16]!\n mov x29,sp\n .fill 250,4,0xd503201f\n"
		   " ldp x29,x30,[sp],#16\n ret\n .endr\n");
	run("true %s; " ARM_CC " -shared -nostdlib -o builtins.so builtins.s");
	read_table("builtins.so", &t, false);
	expect("builtins.so", &t, "builtins", 5000, RULE(.cfa = KFLAME_CFA_FP, .cfa_offset = 16,
		.fp = KFLAME_IN_CFA, .fp_offset = -16, .ra = KFLAME_IN_CFA, .ra_offset = -8));
	unwind_table_exit(&t);
	/* like the vdso of 6.1: nothing but the trampoline */
	write_file("bare.s", ".text\n nop\n .globl bare\n bare:\n mov x8,#139\n svc #0\n .fill 64,4\n");
	run("true %s; " ARM_CC " -shared -nostdlib -o bare.so bare.s");
	read_table("bare.so", &t, false);
	assert_int_equal(t.flags, KFLAME_TABLE_PART);
	expect("bare.so", &t, "bare", 0, (struct kflame_rule){ .cfa = KFLAME_CFA_SIGNAL,
							       .cfa_offset = 304 });
	unwind_table_exit(&t);
	write_file("arm.c",
		   "#include <stdlib.h>\n#include <string.h>\n"
		   "void use(void *, void *);\nint sink;\n"
		   "void vla(int n) { _Alignas(64) char a[64]; char v[n]; use(a, v); use(v, a); }\n"
		   "int many(int x) { for (int i = 0; i < x; i++) sink += many(i) * rand();"
		   " return sink + x; }\n"
		   "void die(int x) { char b[5000]; memset(b, x, 5000); if (x) abort(); use(b, b); }\n");
	run("true %s; " ARM_CC " -O2 -shared -fPIC -nostdlib -o arm-c.so arm.c");
	read_table("arm-c.so", &t, true);
	/* gcc's CFA stays at sp: what x29 is, the table does not say */
	assert_false(t.flags & KFLAME_TABLE_FP);
	unwind_table_exit(&t);
	run("true %s; " ARM_CC " -O2 -mbranch-protection=standard -fPIC -shared -nostdlib -Wl,-z,lazy "
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

	if (system("command -v " ARM_CC " >/dev/null"))
		skip();
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
		run("true %s; " ARM_CC " -shared -nostdlib -Wl,-Bsymbolic -o leaf.so leaf.s");
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

	if (system("command -v " ARM_CC " >/dev/null"))
		skip();
	write_file("armfp.s",
		   ".text\nfp: .cfi_startproc\n sub sp,sp,#32\n .cfi_def_cfa_offset 32\n"
		   " stp x29,x30,[sp,#16]\n add x29,sp,#16\n .cfi_def_cfa 29,16\n .cfi_offset 30,-8\n"
		   " .cfi_offset 29,-16\n bl fp\n .cfi_def_cfa 31,32\n ldp x29,x30,[sp,#16]\n"
		   " add sp,sp,#32\n .cfi_def_cfa_offset 0\n .cfi_restore 30\n .cfi_restore 29\n ret\n"
		   " .cfi_endproc\n");
	run("true %s; " ARM_CC " -shared -nostdlib -o armfp.so armfp.s");
	read_table("armfp.so", &t, true);
	assert_false(t.flags & KFLAME_TABLE_FP);
	unwind_table_exit(&t);
	/* and without an epilogue */
	run("true %s; sed '/cfi_def_cfa 31,32/d' armfp.s >armfp2.s; " ARM_CC
	    " -shared -nostdlib -o armfp2.so armfp2.s");
	read_table("armfp2.so", &t, true);
	assert_true(t.flags & KFLAME_TABLE_FP);
	unwind_table_exit(&t);
}

/* -------------------------------------------------------------------- hostile */

#ifdef __SANITIZE_ADDRESS__
/* AddressSanitizer's; <sanitizer/allocator_interface.h> is clang's alone */
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
					      void (*given)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *p);

static size_t taken_now, taken_most;

static void on_malloc(const volatile void *p, size_t bytes)
{
	(void)p;
	taken_now += bytes;
	if (taken_now > taken_most)
		taken_most = taken_now;
}

static void on_free(const volatile void *p)
{
	size_t bytes = p ? __sanitizer_get_allocated_size(p) : 0;

	taken_now = taken_now > bytes ? taken_now - bytes : 0;
}
#endif

#define MANY	2300000u	/* entries, of which 2 Mi are read */

/* A .debug_frame of as many entries as fit, 13 bytes each, all of the same 16 bytes of code */
static void write_many(const char *name)
{
	static const unsigned char cie[] = { 14, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 'z', 'R', 0,
					     1, 0x78, 16, 1, 2, 0 };
	static const unsigned char fde[] = { 9, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 16, 0, 0 };
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(cie, sizeof(cie), 1, f);
	for (unsigned int i = 0; i < MANY; i++)
		fwrite(fde, sizeof(fde), 1, f);
	assert_int_equal(fclose(f), 0);
}

static void many_entries(void **state)
{
	uint64_t lost[UNWIND_LOSSES];
	struct unwind_table t;
	char path[128];
	int fd;
	(void)state;

	write_many("many.bin");
	write_file("many.s", ".text\n.skip 64\n.section .debug_frame,\"\",@progbits\n"
			     ".incbin \"many.bin\"\n");
	run("%s -shared -nostdlib -o many.so many.s && rm many.bin");
	snprintf(path, sizeof(path), "%s/many.so", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
#endif
	assert_int_equal(elf_table_read(fd, &t, lost), 0);
	check_form(&t);
	assert_int_equal(lost[UNWIND_LIMIT], MANY - (2u << 20));
	unwind_table_exit(&t);
	close(fd);
	unlink(path);
#ifdef __SANITIZE_ADDRESS__
	print_message("# %u entries: %zu MB at a time\n", MANY, taken_most / 1000000);
	assert_in_range(taken_most, 30000000, 150000000);
#endif
}

/* ------------------------------------------------------------------ no table */

static void nothing(void **state)
{
	struct unwind_table t;
	char path[128];
	int fd;
	(void)state;

	write_file("bare.c", "int bare(void) { return 1; }\n");
	run("%s -O1 -shared -fPIC -nostdlib -fno-asynchronous-unwind-tables -o bare.so bare.c");
	read_table("bare.so", &t, false);
	assert_int_equal(t.flags, KFLAME_TABLE_NONE);
	assert_int_equal(t.nr_rows + t.nr_pages, 0);
	assert_int_equal(unwind_table_find(&t, 0)->cfa, KFLAME_CFA_NONE);
	unwind_table_exit(&t);
	snprintf(path, sizeof(path), "%s/bare.c", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_table_read(fd, &t, NULL), -ENOEXEC);
	unwind_table_exit(&t);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries),
		cmocka_unit_test(programs),
		cmocka_unit_test(vdso),
#if defined(__x86_64__)
		cmocka_unit_test(forms),
		cmocka_unit_test(not_said),
		cmocka_unit_test(plt),
		cmocka_unit_test(plt_of_lld),
		cmocka_unit_test(code_with_frame_pointers),
		cmocka_unit_test(drap),
		cmocka_unit_test(signals),
		cmocka_unit_test(restore_rt),
#if defined(__x86_64__)
		cmocka_unit_test(no_call),
#endif
		cmocka_unit_test(debug_frame_only),
		cmocka_unit_test(overlaps),
		cmocka_unit_test(layouts),
		cmocka_unit_test(frame_pointers),
		cmocka_unit_test(counterexamples),
#endif
		cmocka_unit_test(arm64),
		cmocka_unit_test(arm64_leaves),
		cmocka_unit_test(arm64_frame_pointers),
		cmocka_unit_test(many_entries),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("unwind_tables", tests, set_up, programs_remove);
}
