// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_stacks.c - counts as named stacks
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "elf/source_lookup.h"
#include "mkprofile.h"
#include "stacks/open.h"
#include "stacks/stacks.h"

#define U	KFLAME_STACK_USER
#define K	KFLAME_STACK_KERNEL
#define NO	KFLAME_NO_CANDIDATE

/* Everything the callback got, a line a stack: "task;outer;U:inner 3 300" */
struct got {
	char text[8192];
	size_t len;
};

static int take(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	static const char kinds[] = { [FRAME_COMM] = 'c', [FRAME_USER] = 'u',
				      [FRAME_INLINED] = 'i', [FRAME_KERNEL] = 'k',
				      [FRAME_SOFTIRQ] = 's', [FRAME_NOTE] = 'n' };
	struct got *g = ctx;

	for (size_t i = 0; i < nr; i++)
		g->len += (size_t)snprintf(g->text + g->len, sizeof(g->text) - g->len, "%s%c:%s",
					   i ? ";" : "", kinds[frames[i].kind], frames[i].name);
	g->len += (size_t)snprintf(g->text + g->len, sizeof(g->text) - g->len, " %llu %llu\n",
				   (unsigned long long)samples, (unsigned long long)ns);
	return 0;
}

/* One process with one file at 0x400000, functions of 0x100 bytes, and a kernel */
static void begin(struct mk *m)
{
	mk_header(m);
	mk_session(m);
	mk_file(m, 1, "/usr/bin/task");
	mk_aspace(m, 1, "task");
	mk_mapping(m, 1, 0x400000, 0x410000, 1, 0x1000);
	mk_mapping(m, 1, 0x500000, 0x501000, 0, 0);
	records_usym(&m->r, 1, 0x1000, 0x1100, "leaf");
	records_usym(&m->r, 1, 0x1100, 0x1200, "mid");
	records_usym(&m->r, 1, 0x1200, 0x1300, "_ZN3foo3barEi");
	records_usym(&m->r, 1, 0x1300, 0x1400, "main@@V1");
	records_named(&m->r, 1, KFLAME_NAMED_SYMTAB, 0);
	records_ksym(&m->r, 0xffffffff81000000, 0xffffffff81000100, "do_read");
	records_ksym(&m->r, 0xffffffff81000100, 0xffffffff81000200, "entry");
}

static void check(struct mk *m, const char *expected)
{
	struct got got = { 0 };
	struct profile *p;

	mk_end(m);
	p = mk_profile(m);
	assert_int_equal(p->damaged, 0);
	assert_int_equal(p->state, PROFILE_WHOLE);
	assert_int_equal(profile_each_stack(p, take, &got), 0);
	assert_string_equal(got.text, expected);
	profile_destroy(p);
	mk_free(m);
}

static void user_then_kernel(void **state)
{
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	/* A return address at the very end of a function belongs to it */
	mk_stack(&m, 1, U, (uint64_t[]){ 0x400000, 0x400200, 0x400300, 0x400310 }, 4);
	mk_stack(&m, 2, K, (uint64_t[]){ 0xffffffff81000000, 0xffffffff81000200 }, 2);
	mk_count(&m, 1, 2, 1, 3, 300);
	check(&m, "c:task;u:main;u:foo::bar(int);u:mid;u:leaf;k:entry;k:do_read 3 300\n");
}

/*
 * Names are kept by address: the same number is another function in another process and in the
 * kernel, and another one where it is a return address.
 */
static void one_address_many_functions(void **state)
{
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	mk_file(&m, 2, "/usr/bin/other");
	mk_aspace(&m, 2, "other");
	mk_mapping(&m, 2, 0x400000, 0x410000, 2, 0);
	records_usym(&m.r, 2, 0, 0x200, "theirs");
	records_named(&m.r, 2, KFLAME_NAMED_SYMTAB, 0);
	records_ksym(&m.r, 0x400000, 0x400200, "low_kernel");
	mk_stack(&m, 1, U, (uint64_t[]){ 0x400100, 0x400100 }, 2);
	mk_stack(&m, 2, U, (uint64_t[]){ 0x400100 }, 1);
	mk_stack(&m, 3, K, (uint64_t[]){ 0x400100 }, 1);
	mk_count(&m, 1, 0, 1, 1, 10);
	mk_count(&m, 2, 0, 2, 2, 20);
	mk_count(&m, 1, 3, 0, 4, 40);
	mk_count(&m, 1, 0, 2, 8, 80);
	check(&m, "c:task;u:leaf;u:mid 1 10\n"
		  "c:task;u:theirs 2 20\n"
		  "c:task;k:low_kernel 4 40\n"
		  "c:task;u:mid 8 80\n");
}

/* As the symbol table has them, if asked for */
static void mangled(void **state)
{
	struct got got = { 0 };
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	mk_stack(&m, 1, U, (uint64_t[]){ 0x400200, 0x400310 }, 2);
	mk_count(&m, 1, 0, 1, 3, 300);
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(profile_show(p, &(struct naming){ .mangled = true }), 0);
	assert_int_equal(profile_each_stack(p, take, &got), 0);
	assert_string_equal(got.text, "c:task;u:main@@V1;u:_ZN3foo3barEi 3 300\n");
	profile_destroy(p);
	mk_free(&m);
}

/* At 0x1010 of the file: leaf() with inner() inlined into outer_inl(); at 0x11ff only a line */
static void add_sources(struct mk *m)
{
	const struct kflame_source_level inlined[] = {
		{ .function = 1, .source = 3, .line = 10 }, { .function = 2, .source = 4, .line = 20 },
		{ .source = 3, .line = 30 },
	};
	const struct kflame_source_level plain[] = { { .function = 2, .source = 3, .line = 7 } };

	records_text(&m->r, 1, "_ZN5innerEv");
	records_text(&m->r, 2, "outer_inl");
	records_text(&m->r, 3, "/src/a.c");
	records_text(&m->r, 4, "b.h");
	records_source(&m->r, 1, 0x1010, inlined, 3);
	records_source(&m->r, 1, 0x11ff, plain, 1);
	mk_stack(m, 1, U, (uint64_t[]){ 0x400010, 0x400200, 0x400310 }, 3);
	mk_count(m, 1, 0, 1, 3, 300);
}

/* What was inlined follows the function of the symbol table, outermost first */
static void inlined(void **state)
{
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	add_sources(&m);
	/* A call that returns to there: its last byte is the one before */
	mk_stack(&m, 2, U, (uint64_t[]){ 0x400000, 0x400011 }, 2);
	mk_count(&m, 1, 0, 2, 2, 200);
	check(&m, "c:task;u:main;u:mid;u:leaf;i:outer_inl;i:inner() 3 300\n"
		  "c:task;u:leaf;i:outer_inl;i:inner();u:leaf 2 200\n");
}

/* Inlined functions of the kernel, by address; it stays the kernel's, in a softirq as elsewhere */
static void inlined_in_kernel(void **state)
{
	const struct kflame_source_level levels[] = { { .function = 1 }, { .function = 2 }, { 0 } };
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	records_text(&m.r, 1, "inner");
	records_text(&m.r, 2, "outer");
	records_source(&m.r, 0, 0xffffffff81000010, levels, 3);
	records_source(&m.r, 0, 0xffffffff81000110, levels + 1, 2);
	/* Where the kernel has no function, nothing was inlined */
	records_source(&m.r, 0, 0xffffffff81000300, levels, 3);
	mk_stack(&m, 1, K, (uint64_t[]){ 0xffffffff81000010, 0xffffffff81000111 }, 2);
	mk_stack(&m, 2, K, (uint64_t[]){ 0xffffffff81000110, 0xffffffff81000011 }, 2);
	mk_stack(&m, 3, K, (uint64_t[]){ 0xffffffff81000300, 0xffffffff81000110 }, 2);
	mk_count(&m, 1, 1, 0, 3, 300);
	mk_count_rec(&m, (struct kflame_rec_count){
		.kstack = 2, .samples = 2, .weight_ns = 200, .tgid = 101, .comm = "task",
		.context = KFLAME_CTX_SOFTIRQ });
	mk_count(&m, 1, 3, 0, 1, 100);
	check(&m, "c:task;k:entry;k:outer;k:do_read;k:outer;k:inner 3 300\n"
		  "c:task;s:do_read;s:outer;s:inner;s:entry;s:outer 2 200\n"
		  "c:task;k:entry;k:[kernel 0xffffffff81000300] 1 100\n");
}

static void check_how(const struct naming *how, const char *expected)
{
	struct got got = { 0 };
	struct profile *p;
	struct mk m = { 0 };

	begin(&m);
	add_sources(&m);
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(profile_show(p, how), 0);
	/* Twice: names that were made are found again */
	assert_int_equal(profile_each_stack(p, take, &got), 0);
	assert_string_equal(got.text, expected);
	got.len = 0;
	assert_int_equal(profile_each_stack(p, take, &got), 0);
	assert_string_equal(got.text, expected);
	profile_destroy(p);
	mk_free(&m);
}

static void lines(void **state)
{
	(void)state;
	check_how(&(struct naming){ .lines = true },
		  "c:task;u:main;u:mid a.c:7;u:leaf a.c:30;i:outer_inl b.h:20;i:inner() a.c:10 3 300\n");
	check_how(&(struct naming){ .lines = true, .inlines = SOURCE_INLINE_NO },
		  "c:task;u:main;u:mid a.c:7;u:leaf a.c:30 3 300\n");
	check_how(&(struct naming){ .inlines = SOURCE_INLINE_NO, .mangled = true },
		  "c:task;u:main@@V1;u:mid;u:leaf 3 300\n");
	check_how(&(struct naming){ .mangled = true },
		  "c:task;u:main@@V1;u:mid;u:leaf;i:outer_inl;i:_ZN5innerEv 3 300\n");
}

/* "function [module]": the module is its file; there is always a name */
static void modules(void **state)
{
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	records_ksym(&m.r, 0xffffffffc0000000, 0xffffffffc0000100, "get [ext4]");
	records_ksym(&m.r, 0xffffffffc0000100, 0xffffffffc0000200, " [ext4]");
	mk_stack(&m, 1, K, (uint64_t[]){ 0xffffffffc0000000, 0xffffffffc0000120 }, 2);
	mk_count(&m, 1, 1, 0, 3, 300);
	check(&m, "c:task;k: [ext4];k:get 3 300\n");
}

static void candidates(void **state)
{
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	mk_stack_full(&m, 1, U, KFLAME_END_COMPLETE, 1,
		      (uint64_t[]){ 0x400010, 0x400110, 0x400310 }, 3);
	mk_stack_full(&m, 2, U, KFLAME_END_COMPLETE, 1,
		      (uint64_t[]){ 0x400020, 0x400110, 0x400310 }, 3);
	mk_stack_full(&m, 3, U, KFLAME_END_COMPLETE, 1,
		      (uint64_t[]){ 0x400030, 0x400110, 0x400310 }, 3);
	mk_count(&m, 1, 0, 1, 1, 10);
	mk_count(&m, 1, 0, 2, 2, 20);
	mk_count(&m, 1, 0, 3, 3, 30);
	records_leaf(&m.r, 1, 0x1010, true);
	records_leaf(&m.r, 1, 0x1020, false);
	check(&m, "c:task;u:main;u:mid;u:leaf 1 10\n"
		  "c:task;u:main;u:leaf 2 20\n"
		  "c:task;u:main;u:leaf 3 30\n");
}

static void why_it_has_no_name(void **state)
{
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	mk_file(&m, 2, "/lib/gone.so (deleted)");
	mk_file(&m, 3, "/lib/changed.so");
	mk_mapping(&m, 1, 0x600000, 0x601000, 2, 0);
	mk_mapping(&m, 1, 0x700000, 0x701000, 3, 0);
	records_named(&m.r, 2, KFLAME_NAMED_GONE, 0);
	records_named(&m.r, 3, KFLAME_NAMED_CHANGED, 0);
	/* As a just-in-time compiler has its memory that is to be mapped twice */
	mk_file(&m, 4, "/memfd:vmem (deleted)");
	mk_mapping(&m, 1, 0xa00000, 0xa01000, 4, 0);
	records_named(&m.r, 4, KFLAME_NAMED_GONE, 0);
	mk_stack(&m, 3, U, (uint64_t[]){ 0xa00020 }, 1);
	mk_count(&m, 1, 0, 3, 1, 10);
	mk_stack(&m, 1, U, (uint64_t[]){ 0x400804, 0x500010, 0x600020, 0x900000, 0x700030 }, 5);
	mk_stack(&m, 2, K, (uint64_t[]){ 0xffffffff82000000 }, 1);
	mk_count(&m, 1, 2, 1, 1, 10);
	mk_count(&m, 0, 0, 1, 1, 10);
	check(&m, "c:task;n:[anonymous memory] 1 10\n"
		  "c:task;n:[changed: changed.so+0x30];n:[unmapped];n:[gone: gone.so+0x20];"
		  "n:[anonymous memory];n:[stripped: task+0x1804];k:[kernel 0xffffffff82000000] 1 10\n"
		  "c:task;n:[unmapped];n:[unmapped];n:[unmapped];n:[unmapped];n:[unmapped] 1 10\n");
}

static void why_it_ended(void **state)
{
	static const uint32_t ends[] = { KFLAME_END_FAULT, KFLAME_END_DEPTH, KFLAME_END_COMPAT,
					 KFLAME_END_BAD_FP };
	static const uint32_t empty[] = { KFLAME_END_EXEC, KFLAME_END_IO_WORKER, KFLAME_END_NO_MM };
	struct mk m = { 0 };
	uint64_t id = 0;
	(void)state;

	begin(&m);
	for (size_t i = 0; i < 4; i++) {
		mk_stack_full(&m, ++id, U, ends[i], NO, (uint64_t[]){ 0x400000 }, 1);
		mk_count(&m, 1, 0, id, 1, 10);
	}
	for (size_t i = 0; i < 3; i++) {
		mk_stack_full(&m, ++id, U, empty[i], NO, NULL, 0);
		mk_count(&m, 1, 0, id, 1, 10);
	}
	check(&m, "c:task;n:[truncated: page absent];u:leaf 1 10\n"
		  "c:task;n:[truncated: depth];u:leaf 1 10\n"
		  "c:task;n:[32-bit: no stack];u:leaf 1 10\n"
		  "c:task;n:[no frame pointer: task];u:leaf 1 10\n"
		  "c:task;n:[exec] 1 10\n"
		  "c:task;n:[io worker] 1 10\n"
		  "c:task;n:[exiting] 1 10\n");
}

/* Where the frame pointer was none, what it led to is no frame if it is no code */
static void no_frame_pointer(void **state)
{
	static const uint64_t ips[] = { 0x400000, 0x400110, 0xdead0000, 0x17 };
	static const uint64_t inside[] = { 0x400000, 0xdead0000, 0x400110 };
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	mk_stack_full(&m, 1, U, KFLAME_END_BAD_FP, NO, ips, 4);
	mk_stack_full(&m, 2, U, KFLAME_END_BAD_FP, NO, inside, 3);
	mk_stack_full(&m, 3, U, KFLAME_END_BAD_FP, NO, ips + 2, 2);
	mk_stack_full(&m, 4, U, KFLAME_END_COMPLETE, NO, ips, 4);
	mk_stack_full(&m, 5, U, KFLAME_END_DEPTH, NO, ips, 4);
	/* The missing caller of main is not reported */
	mk_stack_full(&m, 6, U, KFLAME_END_BAD_FP, NO, (uint64_t[]){ 0x400000, 0x400310 }, 2);
	for (uint64_t id = 1; id <= 6; id++)
		mk_count(&m, 1, 0, id, 1, 10);
	/* A process whose mappings are not known: nothing is known of it */
	mk_count(&m, 0, 0, 1, 1, 10);
	check(&m, "c:task;n:[no frame pointer: task];u:mid;u:leaf 1 10\n"
		  "c:task;n:[no frame pointer: task];u:mid;n:[unmapped];u:leaf 1 10\n"
		  "c:task;n:[unmapped] 1 10\n"
		  "c:task;n:[no frame pointer: task];u:mid;u:leaf 1 10\n"
		  "c:task;n:[truncated: depth];n:[unmapped];n:[unmapped];u:mid;u:leaf 1 10\n"
		  "c:task;u:main;u:leaf 1 10\n"
		  "c:task;n:[unmapped];n:[unmapped];n:[unmapped];n:[unmapped] 1 10\n");
}

static void contexts_and_lateness(void **state)
{
	struct mk m = { 0 };
	(void)state;

	begin(&m);
	mk_stack(&m, 1, U, (uint64_t[]){ 0x400000 }, 1);
	mk_stack(&m, 2, K, (uint64_t[]){ 0xffffffff81000000 }, 1);
	mk_count_rec(&m, (struct kflame_rec_count){ .context = KFLAME_CTX_IDLE, .samples = 5,
		.weight_ns = 500, .late_ns = 40, .comm = "swapper/0" });
	mk_count_rec(&m, (struct kflame_rec_count){ .context = KFLAME_CTX_GAP, .samples = 1,
		.weight_ns = 700, .late_ns = 690 });
	mk_count_rec(&m, (struct kflame_rec_count){ .aspace = 1, .context = KFLAME_CTX_SOFTIRQ,
		.ustack = 1, .kstack = 2, .samples = 2, .weight_ns = 200, .comm = "task" });
	mk_count_rec(&m, (struct kflame_rec_count){ .aspace = 1, .ustack = 1, .samples = 2,
		.weight_ns = 200, .late_ns = 30, .comm = "task" });
	mk_count_rec(&m, (struct kflame_rec_count){ .aspace = 1, .context = KFLAME_CTX_GUEST,
		.ustack = 1, .kstack = 2, .samples = 3, .weight_ns = 300, .comm = "task" });
	check(&m, "c:swapper;n:[idle] 5 500\n"
		  "n:[gap] 1 700\n"
		  "c:task;u:leaf;s:do_read 2 200\n"
		  "c:task;u:leaf 2 170\n"
		  "c:task;u:leaf;n:[late: irqs off or stolen] 0 30\n"
		  "c:task;n:[guest];u:leaf;k:do_read 3 300\n");
}

static int stop(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	(void)frames;
	(void)nr;
	(void)samples;
	(void)ns;
	return ++*(int *)ctx == 2 ? -7 : 0;
}

static void callback_can_stop(void **state)
{
	struct profile *p;
	struct mk m = { 0 };
	int calls = 0;
	(void)state;

	begin(&m);
	for (uint32_t i = 0; i < 5; i++)
		mk_count_rec(&m, (struct kflame_rec_count){ .tgid = i, .samples = 1 });
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(profile_each_stack(p, stop, &calls), -7);
	assert_int_equal(calls, 2);
	profile_destroy(p);
	mk_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_then_kernel),
		cmocka_unit_test(one_address_many_functions),
		cmocka_unit_test(mangled),
		cmocka_unit_test(inlined),
		cmocka_unit_test(inlined_in_kernel),
		cmocka_unit_test(lines),
		cmocka_unit_test(modules),
		cmocka_unit_test(candidates),
		cmocka_unit_test(why_it_has_no_name),
		cmocka_unit_test(why_it_ended),
		cmocka_unit_test(no_frame_pointer),
		cmocka_unit_test(contexts_and_lateness),
		cmocka_unit_test(callback_can_stop),
	};

	return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
