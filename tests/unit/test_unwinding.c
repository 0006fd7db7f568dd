// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_unwinding.c - two ways compared, files that will be sampled, what info says of it
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "record/compare_walks.h"
#include "record/table_feeder.h"
#include "record/table_preload.h"
#include "views/info.h"

/* -------------------------------------------------------------------- both */

#define STACK(end, ...)								\
	(&(struct tally_frames){ end, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,	\
				 (uint64_t[]){ __VA_ARGS__ } })

static void both_ways(void **state)
{
	struct both_sums s = { 0 };
	(void)state;

	assert_false(both_add(&s, STACK(KFLAME_END_COMPLETE, 1, 2, 3),
			      STACK(KFLAME_END_COMPLETE | KFLAME_BY_COPY, 1, 2, 3)));
	assert_int_equal(s.same, 1);
	assert_false(both_add(&s, STACK(KFLAME_END_PENDING, 1, 2),
			      STACK(KFLAME_END_COMPLETE, 1, 2, 3)));
	assert_int_equal(s.first_cut, 1);
	assert_false(both_add(&s, STACK(KFLAME_END_COMPLETE, 1, 2, 3), STACK(KFLAME_END_CUT, 1)));
	assert_int_equal(s.second_cut, 1);
	/* One that claims to be whole ends where the other goes on */
	assert_true(both_add(&s, STACK(KFLAME_END_COMPLETE, 1, 2),
			     STACK(KFLAME_END_COMPLETE, 1, 2, 3)));
	/* A frame in the middle */
	assert_true(both_add(&s, STACK(KFLAME_END_COMPLETE, 1, 4, 3),
			     STACK(KFLAME_END_COMPLETE, 1, 2, 3)));
	assert_int_equal(s.different, 2);
	assert_int_equal(s.stacks, 5);
	assert_int_equal(s.frames, 3 + 2 + 1 + 2 + 3);
	assert_int_equal(s.frames_same, 3 + 2 + 1 + 2 + 1);
}

/* ------------------------------------------------------------------ likely */

static bool has_file(const struct likely *l, const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	for (size_t i = 0; i < l->nr; i++)
		if (l->all[i].dev == st.st_dev && l->all[i].inode == st.st_ino)
			return true;
	return false;
}

static void commands(void **state)
{
	char *const sh[] = { (char *)"sh", NULL }, *const none[] = { (char *)"/no/such", NULL };
	struct likely l = { 0 };
	size_t nr;
	(void)state;

	likely_command(&l, sh);
	assert_true(has_file(&l, "/bin/sh"));
	assert_true(l.nr >= 3);		/* the loader, the C library */
	nr = l.nr;
	likely_command(&l, sh);
	assert_int_equal(l.nr, nr);
	likely_command(&l, none);
	assert_int_equal(l.nr, nr);
	likely_exit(&l);
	assert_int_equal(l.nr, 0);
}

static void scripts(void **state)
{
	char path[] = "/tmp/kflame-test-XXXXXX", *const argv[] = { path, NULL };
	static const char text[] = "#! /bin/sh -e\necho\n";
	struct likely l = { 0 };
	int fd = mkstemp(path);
	(void)state;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	/* What cannot be run is not asked what it is linked with */
	likely_command(&l, argv);
	assert_int_equal(l.nr, 0);
	assert_int_equal(chmod(path, 0700), 0);
	likely_command(&l, argv);
	assert_true(has_file(&l, "/bin/sh"));
	assert_false(has_file(&l, path));
	likely_exit(&l);
	unlink(path);
}

static void processes(void **state)
{
	struct likely l = { 0 };
	(void)state;

	if (geteuid())
		skip();
	likely_process(&l, getpid());
	assert_true(has_file(&l, "/proc/self/exe"));
	likely_exit(&l);
	likely_process(&l, 0x7ffffff0);
	assert_int_equal(l.nr, 0);
}

/* ------------------------------------------------------------------ tables */

/* What the module would be; it takes nothing, so that each file has an error */
static void begin_tables(struct tables *t)
{
	int device = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_true(device >= 0);
	tables_start(t, device);
	assert_non_null(t->maker);
	close(device);
}

static void offer_of(struct tables *t, uint64_t id, int fd, uid_t owner)
{
	const struct profile_file f = { .rec = { .id = id, .inode = id }, .path = (char *)"/x" };

	tables_offer(t, &f, fd, owner);
}

static void offer(struct tables *t, uint64_t id, int fd)
{
	offer_of(t, id, fd, 0);
}

static struct profile *with_files(struct mk *m, unsigned int nr)
{
	mk_header(m);
	mk_session(m);
	for (unsigned int i = 1; i <= nr; i++)
		mk_file(m, i, "/usr/bin/x");
	mk_end(m);
	return mk_profile(m);
}

/* Of a file that the profile has not got, there is no record */
static void no_file_no_record(void **state)
{
	struct mk both = { 0 }, one = { 0 };
	struct profile *has_both = with_files(&both, 2), *has_one = with_files(&one, 1);
	struct records all = { 0 }, some = { 0 };
	struct tables t = { 0 };
	(void)state;

	begin_tables(&t);
	offer(&t, 1, -1);
	offer(&t, 2, -1);
	do {
		records_exit(&all);
		tables_records(&t, has_both, &all);
	} while (all.len < 2 * sizeof(struct kflame_rec_unwind));
	tables_records(&t, has_one, &some);
	assert_int_equal(some.len, sizeof(struct kflame_rec_unwind));
	assert_int_equal(((const struct kflame_rec_unwind *)some.data)->file, 1);
	tables_stop(&t);
	records_exit(&all);
	records_exit(&some);
	profile_destroy(has_both);
	profile_destroy(has_one);
	mk_free(&both);
	mk_free(&one);
}

/* Offers two files of one user, then one of another.  Return: the order in which they were done, as 123 */
static unsigned int order_of_three(const struct profile *p)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct kflame_rec_unwind *done;
	struct records all = { 0 };
	struct tables t = { 0 };
	unsigned int order = 0;

	begin_tables(&t);
	offer_of(&t, 1, fd, 1000);
	offer_of(&t, 2, fd, 1000);
	offer_of(&t, 3, fd, 2000);
	do {
		records_exit(&all);
		tables_records(&t, p, &all);
	} while (all.len < 3 * sizeof(*done));
	done = (const void *)all.data;
	for (int i = 0; i < 3; i++)
		order = order * 10 + (unsigned int)done[i].file;
	tables_stop(&t);
	records_exit(&all);
	close(fd);
	return order;
}

/*
 * A user whose file took time comes after one who has waited.  If this thread is held up between two offers, the
 * second file may be done before there is a third: then try again.
 */
static void in_turn(void **state)
{
	struct mk m = { 0 };
	struct profile *p = with_files(&m, 3);
	unsigned int order = 0;
	(void)state;

	for (int i = 0; i < 50 && order != 132; i++)
		order = order_of_three(p);
	assert_int_equal(order, 132);
	profile_destroy(p);
	mk_free(&m);
}

/* -------------------------------------------------------------------- info */

static void info_reports(void **state)
{
	const struct kflame_rec_unwind u = {
		.file = 1, .flags = KFLAME_TABLE_FP, .nr_rows = 10, .nr_rules = 3, .bytes = 12000,
		.time_ns = 3000000,
	}, nothing = { .file = 2, .flags = KFLAME_TABLE_NONE },
	code = { .file = 3, .flags = KFLAME_TABLE_CODE, .nr_rows = 7 }, unknown = { .file = 99 };
	struct mk m = { 0 };
	struct profile *p;
	char *text = NULL;
	size_t len;
	FILE *out;
	(void)state;

	mk_header(&m);
	mk_session(&m);
	mk_file(&m, 1, "/usr/bin/good");
	mk_file(&m, 2, "/usr/bin/bare");
	mk_file(&m, 3, "/bin/busybox");
	records_unwind(&m.r, &code);
	records_unwind(&m.r, &u);
	records_unwind(&m.r, &nothing);
	records_unwind(&m.r, &unknown);
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->unknown, 0);
	assert_int_equal(p->damaged, 1);
	out = open_memstream(&text, &len);
	assert_non_null(out);
	info_print_unwinding(out, p);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "unwind tables of 2 files, 12 kB, made in 3.0 ms"));
	assert_non_null(strstr(text, "files without unwind information: 1;"));
	assert_non_null(strstr(text, "frame pointers are as good, by their tables: good\n"));
	assert_non_null(strstr(text, "unwound by its instructions: busybox\n"));
	free(text);
	profile_destroy(p);
	mk_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(commands),
		cmocka_unit_test(scripts),
		cmocka_unit_test(processes),
		cmocka_unit_test(no_file_no_record),
		cmocka_unit_test(in_turn),
		cmocka_unit_test(info_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
