// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with debug data is made and profiles of it, with samples at known instructions: each
 * line and instruction has its own, sums are those of the table, and what cannot be shown says why.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <unistd.h>

#include "children.h"
#include "elf/disassembly.h"
#include "elf/source_lookup.h"
#include "hush.h"
#include "mkprofile.h"
#include "programs.h"
#include "stacks/load.h"
#include "stacks/open.h"
#include "views/annotate_rows.h"
#include "views/annotate_self.h"
#include "views/source_text.h"

#define BASE	0x400000u	/* where the program is mapped, from its first byte */

static const char source[] =
	"int sink;\n"
	"static inline __attribute__((always_inline)) void inner(int n)\n"
	"{\n"
	"	sink += n;\n"			/* line 4 */
	"}\n"
	"__attribute__((noinline)) void outer(int n)\n"
	"{\n"
	"	sink *= 3;\n"			/* line 8 */
	"	inner(n);\n"			/* line 9 */
	"}\n"
	"int main(void) { outer(2); return sink; }\n";

/* What the program has at the lines: file offsets of the first instruction of each */
struct lines {
	uint64_t start, end, main_start;
	uint64_t of_8, of_4;
};

static struct lines lines;

static uint32_t one_text(void *ctx, const char *text, size_t len)
{
	(void)ctx;
	(void)text;
	(void)len;
	return 1;
}

static void one_place(void *ctx, size_t i, const struct source_level *levels, size_t nr)
{
	uint64_t *first = levels[0].line == 8 ? &lines.of_8 : &lines.of_4;

	(void)ctx;
	if ((levels[0].line == 8 || (levels[0].line == 4 && nr == 2)) && !*first)
		*first = lines.start + i;
}

static int make(void **state)
{
	const struct source_taker taker = { .text = one_text, .place = one_place };
	uint64_t offsets[256], time_ns = 30000000000ull, main_end;
	struct looked *b;

	(void)state;
	programs_make_dir();
	write_file("a.c", source);
	run("%s -g -O1 -Wl,--build-id -o prog a.c");
	run("cp prog other; : %s");
	b = look_named("prog");
	for (uint64_t at = 0x100; !lines.start && at < 0x4000; at++) {
		const char *name = look_find(b, at, &lines.start, &lines.end);

		if (!name || strcmp(name, "outer"))
			lines.start = 0;
	}
	for (uint64_t at = lines.end; !lines.main_start && at < 0x4000; at++) {
		const char *name = look_find(b, at, &lines.main_start, &main_end);

		if (!name || strcmp(name, "main"))
			lines.main_start = 0;
	}
	assert_true(lines.start && lines.main_start && lines.end - lines.start < 256);
	for (size_t i = 0; i < lines.end - lines.start; i++)
		offsets[i] = lines.start + i;
	assert_int_equal(binary_sources(b->binary, offsets, lines.end - lines.start, SOURCE_INLINE_ALL,
					&time_ns, &taker), 0);
	look_close(b);
	assert_true(lines.of_8 && lines.of_4);
	return 0;
}

static void add_file(struct mk *m, uint64_t id, const char *name)
{
	struct profile_file f;
	char path[128];

	describe(name, &f, path);
	f.rec.id = id;
	records_file(&m->r, &f.rec, path);
}

/*
 * 10 samples at line 8, 5 in what was inlined at line 9, 3 in the kernel called from there, 2 in
 * the middle of an instruction; 7 in main(); with @two another 4 in the other file.
 */
static struct profile *record(bool two)
{
	static const struct naming naming;
	uint64_t base = BASE, other = 2 * BASE;
	struct mk m = { 0 };
	char path[128];
	FILE *out;

	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "prog");
	add_file(&m, 1, "prog");
	add_file(&m, 2, "other");
	mk_mapping(&m, 1, base, base + 0x8000, 1, 0);
	mk_mapping(&m, 1, other, other + 0x8000, 2, 0);
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ base + lines.of_8 }, 1);
	mk_stack(&m, 2, KFLAME_STACK_USER, (uint64_t[]){ base + lines.of_4 }, 1);
	mk_stack(&m, 3, KFLAME_STACK_USER, (uint64_t[]){ base + lines.of_8 + 1 }, 1);
	mk_stack(&m, 4, KFLAME_STACK_USER, (uint64_t[]){ base + lines.main_start }, 1);
	mk_stack(&m, 5, KFLAME_STACK_KERNEL, (uint64_t[]){ 0xffffffff81000010 }, 1);
	mk_stack(&m, 6, KFLAME_STACK_USER, (uint64_t[]){ other + lines.of_8 }, 1);
	mk_count(&m, 1, 0, 1, 10, 10000);
	mk_count(&m, 1, 0, 2, 5, 5000);
	mk_count(&m, 1, 5, 2, 3, 3000);
	mk_count(&m, 1, 0, 3, 2, 2000);
	mk_count(&m, 1, 0, 4, 7, 7000);
	if (two)
		mk_count(&m, 1, 0, 6, 4, 4000);
	records_ksym(&m.r, 0xffffffff81000000, 0xffffffff81000100, "do_work");
	mk_end(&m);
	snprintf(path, sizeof(path), "%s/kflame.data", dir);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(m.r.data, 1, m.r.len, out), m.r.len);
	assert_int_equal(fclose(out), 0);
	mk_free(&m);
	return open_profile(path, &naming);
}

static struct tree *tree_of(const struct profile *p)
{
	struct tree *t;

	assert_int_equal(load_profile(p, &t), 0);
	assert_int_equal(tree_finish(t), 0);
	return t;
}

static int try(struct annotation *a, const struct profile *p, const struct tree *t,
	       const char *function)
{
	static const struct naming naming;
	const struct annotate_options o = { .function = function, .naming = &naming };
	int saved = hush(), err = annotate(a, p, t, &o);

	unhush(saved);
	return err;
}

static void check_sums(const struct annotation *a)
{
	uint64_t self = 0, total = 0, line_self = 0, line_total = 0;

	for (size_t i = 0; i < a->nr_lines; i++) {
		line_self += a->lines[i].self.samples;
		line_total += a->lines[i].total.samples;
	}
	for (size_t i = 0; i < a->nr_codes; i++)
		for (size_t k = 0; k < a->codes[i].nr; k++) {
			self += a->codes[i].all[k].self.samples;
			total += a->codes[i].all[k].total.samples;
		}
	assert_int_equal(self, a->self.samples);
	assert_int_equal(line_self, a->self.samples);
	assert_int_equal(total, a->total.samples);
	assert_int_equal(line_total, a->total.samples);
}

static const struct annotated_line *line_of(const struct annotation *a, uint32_t line)
{
	for (size_t i = 0; i < a->nr_lines; i++)
		if (a->lines[i].line == line)
			return &a->lines[i];
	fail_msg("there is no line %u", line);
	return NULL;
}

static const struct annotated_at *row_of(const struct annotated_code *c, uint64_t offset,
					 bool instruction)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->all[i].offset == offset && !c->all[i].text == !instruction)
			return &c->all[i];
	fail_msg("there is no row");
	return NULL;
}

static void lines_and_instructions(void **state)
{
	struct profile *p = record(false);
	struct tree *t = tree_of(p);
	const struct annotated_at *at;
	struct annotation a;

	(void)state;
	assert_int_equal(try(&a, p, t, "outer"), 0);
	check_sums(&a);
	assert_int_equal(a.self.samples, 12);
	assert_int_equal(a.total.samples, 20);
	assert_int_equal(line_of(&a, 8)->self.samples, 12);
	assert_int_equal(line_of(&a, 9)->self.samples, 0);
	assert_int_equal(line_of(&a, 9)->total.samples, 8);
	assert_int_equal(a.nr_codes, 1);
	assert_null(a.codes[0].missing);
	at = row_of(&a.codes[0], lines.of_8, true);
	assert_int_equal(at->self.samples, 10);
	assert_int_equal(at->line, 8);
	at = row_of(&a.codes[0], lines.of_8 + 1, false);
	assert_int_equal(at->self.samples, 2);
	at = row_of(&a.codes[0], lines.of_4, true);
	assert_int_equal(at->inlined.samples, 5);
	assert_int_equal(at->total.samples, 8);
	assert_int_equal(at->line, 4);
	annotation_exit(&a);
	/* And what was inlined is a function, too */
	assert_int_equal(try(&a, p, t, "inner"), 0);
	check_sums(&a);
	assert_int_equal(a.self.samples, 5);
	assert_int_equal(line_of(&a, 4)->total.samples, 8);
	annotation_exit(&a);
	tree_destroy(t);
	profile_destroy(p);
}

static int to_text(void *ctx, const struct annotate_row *row)
{
	FILE *out = ctx;

	fprintf(out, "%d %llu %s\n", row->kind, (unsigned long long)row->number,
		row->text ? row->text : "-");
	return 0;
}

static char *text_of(const struct annotation *a, bool all)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(annotate_each_row(a, all, to_text, out), 0);
	fclose(out);
	return text;
}

static void source_is_shown(void **state)
{
	struct profile *p = record(false);
	struct tree *t = tree_of(p);
	struct annotation a;
	char line[256], *text;

	(void)state;
	assert_int_equal(try(&a, p, t, "outer"), 0);
	text = text_of(&a, false);
	snprintf(line, sizeof(line), "%d 8         sink *= 3;\n", ANNOTATE_LINE);
	assert_non_null(strstr(text, line));
	/* Lines around it */
	snprintf(line, sizeof(line), "%d 5 }\n", ANNOTATE_LINE);
	assert_non_null(strstr(text, line));
	assert_null(strstr(text, "int sink;"));
	free(text);
	text = text_of(&a, true);
	snprintf(line, sizeof(line), "%d 11 int main", ANNOTATE_LINE);
	assert_non_null(strstr(text, line));
	free(text);
	/* It is another's, and not for everybody: by number only */
	run("chmod o-r a.c; : %s");
	if (!geteuid())
		run("chown 1234:1234 a.c; : %s");
	text = text_of(&a, false);
	assert_true(!strstr(text, "sink *=") == !geteuid());
	free(text);
	/* Source and program have the same owner */
	if (!geteuid())
		run("chown 1234:1234 prog; : %s");
	text = text_of(&a, false);
	assert_non_null(strstr(text, "sink *="));
	free(text);
	run("chmod o+r a.c; : %s");
	if (!geteuid())
		run("chown 0:0 prog; : %s");
	annotation_exit(&a);
	tree_destroy(t);
	profile_destroy(p);
}

static void another_file_is_refused(void **state)
{
	struct profile *p = record(false);
	struct tree *t = tree_of(p);
	struct annotation a;

	(void)state;
	p->files[0].rec.build_id_len = 20;
	assert_int_equal(try(&a, p, t, "outer"), 0);
	check_sums(&a);
	assert_int_equal(a.self.samples, 12);
	assert_non_null(strstr(a.codes[0].missing, "build-id"));
	/* Lines are in the profile */
	assert_int_equal(line_of(&a, 8)->self.samples, 12);
	annotation_exit(&a);
	tree_destroy(t);
	profile_destroy(p);
}

static void kernel_says_why(void **state)
{
	struct profile *p = record(false);
	struct tree *t = tree_of(p);
	struct annotation a;

	(void)state;
	assert_int_equal(try(&a, p, t, "[kernel]:do_work"), 0);
	check_sums(&a);
	assert_int_equal(a.self.samples, 3);
	assert_true(a.codes[0].kernel);
	assert_non_null(a.codes[0].missing);
	assert_int_equal(a.codes[0].all[0].offset, 0xffffffff81000010);
	annotation_exit(&a);
	tree_destroy(t);
	profile_destroy(p);
}

/* Of a function that is above the focus and below it, what is shown of it counts */
static void calls_above_the_focus_are_not_its(void **state)
{
	const uint64_t f = 0xffffffff81000000, g = f + 0x100;
	const struct naming naming = { 0 };
	struct filter *filter = filter_create();
	const struct annotate_options o = { .function = "f", .naming = &naming, .filter = filter };
	struct mk m = { 0 };
	struct annotation a;
	struct profile *p;
	struct tree *t;
	char why[100];

	(void)state;
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ f + 0x10, g + 0x10, f + 0x20 }, 3);
	mk_stack(&m, 2, KFLAME_STACK_KERNEL, (uint64_t[]){ g + 0x10, f + 0x20 }, 2);
	mk_count(&m, 0, 1, 0, 10, 10000);
	mk_count(&m, 0, 2, 0, 3, 3000);
	records_ksym(&m.r, f, g, "f");
	records_ksym(&m.r, g, g + 0x100, "g");
	mk_end(&m);
	p = mk_profile(&m);
	t = tree_of(p);
	assert_int_equal(filter_add(filter, FILTER_FOCUS, "^g$", why, sizeof(why)), 0);
	assert_int_equal(annotate(&a, p, t, &o), 0);
	assert_int_equal(a.total.samples, 10);
	assert_int_equal(a.self.samples, 10);
	assert_int_equal(a.codes[0].nr, 1);
	assert_int_equal(a.codes[0].all[0].offset, f + 0x10);
	annotation_exit(&a);
	tree_destroy(t);
	profile_destroy(p);
	mk_free(&m);
	filter_destroy(filter);
}

static void names_in_several_files(void **state)
{
	struct profile *p = record(true);
	struct tree *t = tree_of(p);
	struct annotation a;

	(void)state;
	assert_int_equal(try(&a, p, t, "outer"), -EINVAL);
	assert_int_equal(try(&a, p, t, "no such function"), -ENOENT);
	assert_int_equal(try(&a, p, t, "other:outer"), 0);
	assert_int_equal(a.self.samples, 4);
	check_sums(&a);
	annotation_exit(&a);
	assert_int_equal(try(&a, p, t, "prog:outer"), 0);
	assert_int_equal(a.self.samples, 12);
	check_sums(&a);
	annotation_exit(&a);
	tree_destroy(t);
	profile_destroy(p);
}

/* Bytes that are no code are shown byte by byte, without a gap */
static void any_bytes_are_told(void **state)
{
	static const unsigned int machines[] = { EM_X86_64, EM_386, EM_AARCH64 };
	unsigned char bytes[1001];
	struct instruction *all;
	const char *why;
	size_t nr;

	(void)state;
	srandom(1);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)random();
	for (size_t i = 0; i < 3; i++) {
		uint64_t at = 0x1000;

		assert_int_equal(disassemble(machines[i], at, bytes, sizeof(bytes), &all, &nr,
					     &why), 0);
		for (size_t k = 0; k < nr; k++) {
			assert_int_equal(all[k].address, at);
			at += all[k].bytes;
		}
		assert_int_equal(at, 0x1000 + sizeof(bytes));
		free(all);
	}
	assert_int_equal(disassemble(EM_S390, 0, bytes, 8, &all, &nr, &why), -ENOTSUP);
}

/* The sums of all spots of a row are those of the row, and the rows are those of annotate() */
static void check_uses(const struct self_annotations *s, uint32_t function, const struct annotation *want)
{
	const struct annotation *a = &s->all[function];
	uint64_t self = 0, inlined = 0;

	for (size_t i = 0; i < s->nr_uses; i++) {
		const struct self_use *u = &s->uses[i];
		const struct annotated_at *at = self_row_of(s, u), *other;

		if (u->function != function)
			continue;
		assert_non_null(at);
		assert_non_null(self_line_of(s, u));
		other = row_of(&want->codes[0], at->offset, at->text);
		assert_int_equal(other->self.samples, at->self.samples);
		assert_int_equal(other->inlined.samples, at->inlined.samples);
		assert_int_equal(u->weight.samples, u->is_self ? at->self.samples : at->inlined.samples);
		*(u->is_self ? &self : &inlined) += u->weight.samples;
	}
	assert_int_equal(self, want->self.samples);
	assert_int_equal(a->self.samples, want->self.samples);
	assert_int_equal(a->total.samples, self + inlined);
}

static void the_heaviest_functions_at_once(void **state)
{
	static const struct naming naming;
	struct profile *p = record(false);
	struct tree *t = tree_of(p);
	struct self_annotations s;
	struct annotation a;
	size_t with = 0;

	(void)state;
	assert_int_equal(annotate_self(&s, p, &naming, 3), 0);
	assert_int_equal(s.nr, 3);
	assert_int_equal(s.nr_left_out, 1);
	/* 12 and 5 inlined, 7, 5; without the 3 of the kernel */
	assert_string_equal(s.all[0].function.name, "outer");
	assert_string_equal(s.all[1].function.name, "main");
	assert_string_equal(s.all[2].function.name, "inner");
	for (uint32_t i = 0; i < s.nr; i++) {
		assert_int_equal(try(&a, p, t, s.all[i].function.name), 0);
		check_uses(&s, i, &a);
		annotation_exit(&a);
		assert_int_equal(self_function_of(&s, &s.all[i].function), i);
	}
	/* What was inlined belongs to the line that it was inlined at */
	assert_int_equal(line_of(&s.all[0], 9)->total.samples, 5);
	assert_int_equal(line_of(&s.all[0], 9)->self.samples, 0);
	for (size_t i = 0; i < p->nr_counts; i++)
		with += s.spot_of[i] != SELF_NONE;
	assert_int_equal(with, p->nr_counts - 1);
	assert_int_equal(self_function_of(&s, &(struct frame){ .name = "do_work", .kind = FRAME_KERNEL }), SELF_NONE);
	assert_int_equal(self_function_of(&s, &(struct frame){ .name = "new", .kind = FRAME_USER }), SELF_NONE);
	self_annotations_exit(&s);
	tree_destroy(t);
	profile_destroy(p);
}

/* The text of a file, where "%s" in @name is the directory of the test */
static struct source_text text_in(const char *name, const char *symbols)
{
	const struct rights as = rights_nobody();
	struct source_text s;
	char path[128];

	snprintf(path, sizeof(path), name, dir);
	assert_int_equal(source_text_open(&s, path, symbols, &as), 0);
	assert_true(!s.nr == !!s.why);
	return s;
}

static void only_texts_are_opened(void **state)
{
	static const struct { const char *path, *why; } refused[] = {
		{ "/dev/zero", "is not here" }, { "/proc/self/environ", "is not here" }, { "%s/pipe", "is not here" },
		{ "%s/link", "is not here" }, { "%s/huge", "more than 16 MiB" }, { "%s/bytes", "is not text" },
		{ "%s/private", "is not here" }, { "a.c", "build with absolute paths" }, { "%s", "is not here" },
	};
	struct source_text s;
	char root[128];

	(void)state;
	snprintf(root, sizeof(root), "%s/root", dir);
	run("mkfifo pipe; : %s");
	run("ln -s /proc/self/environ link; : %s");
	run("truncate -s 17M huge; : %s");
	run("printf 'a\\000b' >bytes; : %s");
	run("echo secret >private; chmod 600 private; : %s");
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		s = text_in(refused[i].path, NULL);
		if (!s.why || !strstr(s.why, refused[i].why))
			fail_msg("%s: %s", refused[i].path, s.why ? s.why : "read");
		source_text_close(&s);
	}
	s = text_in("%s/a.c", NULL);
	assert_string_equal(source_text_line(&s, 1), "int sink;");
	source_text_close(&s);
	/* A copy of the recorded machine's root comes first, and no link leads out of it */
	run("mkdir -p root$PWD && echo there >root$PWD/a.c; : %s");
	run("ln -s $PWD/private root$PWD/link.c; : %s");
	s = text_in("%s/a.c", root);
	assert_string_equal(source_text_line(&s, 1), "there");
	source_text_close(&s);
	s = text_in("%s/link.c", root);
	assert_non_null(s.why);
	source_text_close(&s);
}

/* In another process, for root: as another user.  Return: its exit status, which is 1 if the file was read */
static int reads_as(bool owns_program)
{
	const struct rights as = owns_program ? (struct rights){ 1234, 1234 } : rights_nobody();
	struct source_text s;
	char path[128];
	pid_t pid = fork();

	snprintf(path, sizeof(path), "%s/own", dir);
	if (!pid) {
		if (setgid(1234) || setuid(1234) || source_text_open(&s, path, NULL, &as))
			_exit(2);
		_exit(!s.why);
	}
	return exit_status(pid);
}

static void own_private_files_need_own_programs(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	run("echo secret >own; chmod 600 own; chown 1234:1234 own; : %s");
	assert_int_equal(reads_as(true), 1);
	assert_int_equal(reads_as(false), 0);
}

static void a_newer_source_is_in_doubt(void **state)
{
	const char doubt[] = "the file is newer than the program";
	struct profile *p = record(false);
	struct tree *t = tree_of(p);
	struct annotation a;
	char *text;

	(void)state;
	assert_int_equal(try(&a, p, t, "outer"), 0);
	text = text_of(&a, false);
	assert_null(strstr(text, doubt));
	free(text);
	run("touch -d 2100-01-01 a.c; : %s");
	text = text_of(&a, false);
	assert_non_null(strstr(text, doubt));
	assert_non_null(strstr(text, "sink *="));
	free(text);
	annotation_exit(&a);
	tree_destroy(t);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_instructions),
		cmocka_unit_test(source_is_shown),
		cmocka_unit_test(another_file_is_refused),
		cmocka_unit_test(kernel_says_why),
		cmocka_unit_test(calls_above_the_focus_are_not_its),
		cmocka_unit_test(names_in_several_files),
		cmocka_unit_test(any_bytes_are_told),
		cmocka_unit_test(the_heaviest_functions_at_once),
		cmocka_unit_test(only_texts_are_opened),
		cmocka_unit_test(own_private_files_need_own_programs),
		cmocka_unit_test(a_newer_source_is_in_doubt),
	};

	return cmocka_run_group_tests(tests, make, programs_remove);
}
