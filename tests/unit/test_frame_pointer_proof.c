// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_frame_pointer_proof.c - in which files every function that calls has a frame pointer (x86-64)
 */
#include "made_tables.h"

#if defined(__x86_64__)
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

static void frame_pointers(void **state)
{
	static const struct {
		bool proved;
		const char *options;
	} ways[] = {
		{ true, "-O2 -fno-omit-frame-pointer -shared -fPIC -nostartfiles" },
		{ true, "-O1 -fno-omit-frame-pointer -shared -fPIC -nostartfiles -Wl,-z,lazy" },
		{ true, "-O0 -fno-omit-frame-pointer -shared -fPIC -nostartfiles" },
		/* crt's own functions with entries are _start, which is outermost */
		{ true, "-O2 -fno-omit-frame-pointer" },
		{ false, "-O2 -fomit-frame-pointer -shared -fPIC -nostartfiles" },
		{ false, "-O0 -fomit-frame-pointer -shared -fPIC -nostartfiles" },
	};
	char command[128];
	(void)state;

	write_file("frames.c", frames_c);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		snprintf(command, sizeof(command), "%%s %s -o frames frames.c", ways[i].options);
		if (by_fp(command) != ways[i].proved)
			fail_msg("%s", command);
	}
}

static void counterexamples(void **state)
{
	static const struct {
		bool proved;
		const char *body;
	} functions[] = {
		/* a leaf; a frame; the outermost */
		{ true, "nop\nret\n" },
		{ true, PUSH "mov %rsp,%rbp\n.cfi_def_cfa_register 6\ncall func\nleave\n.cfi_def_cfa 7,8\nret\n" },
		{ true, ".cfi_undefined rip\ncall func\n" },
		/* rbp saved, and used for something else: sp would be right for the call */
		{ false, PUSH "mov %rdi,%rbp\ncall func\npop %rbp\n.cfi_def_cfa_offset 8\nret\n" },
		/* not saved at all */
		{ false, "sub $8,%rsp\n.cfi_def_cfa_offset 16\ncall func\nadd $8,%rsp\n.cfi_def_cfa_offset 8\nret\n" },
		/* fp is elsewhere; the CFA is; nothing can be said */
		{ false, ".cfi_def_cfa 6,16\n.cfi_offset 6,-24\ncall func\n" },
		{ false, ".cfi_def_cfa 6,24\n.cfi_offset 6,-24\ncall func\n" },
		{ false, ".cfi_def_cfa 6,12\n.cfi_offset 6,-16\ncall func\n" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (by_fp_with(functions[i].body) != functions[i].proved)
			fail_msg("function %zu", i);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(frame_pointers),
		cmocka_unit_test(counterexamples),
#endif
	};

	return cmocka_run_group_tests_name("frame_pointer_proof", tests, tables_set_up, programs_remove);
}
