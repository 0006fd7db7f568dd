// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_jit_dump.c - what a jitdump names, and what becomes of a damaged one
 */
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "record/jit_dump.h"
#include "record/perf_maps.h"
#include "stacks/stacks.h"

enum { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING };

#define MAGIC	0x4a695444u
#define CODE	32		/* bytes of code after a name: too few for some, not read */

/* A dump being written */
struct dump {
	unsigned char bytes[8192];
	size_t len;
	bool swapped;
};

static void put32(struct dump *d, uint32_t value)
{
	value = d->swapped ? bswap_32(value) : value;
	memcpy(d->bytes + d->len, &value, sizeof(value));
	d->len += sizeof(value);
}

static void put64(struct dump *d, uint64_t value)
{
	value = d->swapped ? bswap_64(value) : value;
	memcpy(d->bytes + d->len, &value, sizeof(value));
	d->len += sizeof(value);
}

static void put_header(struct dump *d)
{
	const uint32_t words[] = { MAGIC, 1, 48, 62, 0, 100 };

	for (size_t i = 0; i < 6; i++)
		put32(d, words[i]);
	put64(d, 1);
	put64(d, 0);
	/* a longer header than is known today */
	put64(d, ~0ull);
}

static void put_record(struct dump *d, uint32_t type, uint32_t size)
{
	put32(d, type);
	put32(d, 16 + size);
	put64(d, 5);
}

static void put_load(struct dump *d, uint64_t at, uint64_t bytes, uint64_t index, const char *name)
{
	put_record(d, LOAD, 40 + (uint32_t)strlen(name) + 1 + CODE);
	put64(d, 100);
	put64(d, at);
	put64(d, at);
	put64(d, bytes);
	put64(d, index);
	memcpy(d->bytes + d->len, name, strlen(name) + 1);
	d->len += strlen(name) + 1;
	memset(d->bytes + d->len, 0x90, CODE);
	d->len += CODE;
}

static void put_move(struct dump *d, uint64_t from, uint64_t to, uint64_t bytes, uint64_t index)
{
	put_record(d, MOVE, 48);
	put64(d, 100);
	put64(d, to);
	put64(d, from);
	put64(d, to);
	put64(d, bytes);
	put64(d, index);
}

static void put_other(struct dump *d, uint32_t type)
{
	put_record(d, type, 24);
	put64(d, 0x500000);
	put64(d, 0x100);
	put64(d, 7);
}

static int descriptor(const void *data, size_t len)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	return fd;
}

/* Which names these places get, "-" for none */
static void names(int fd, const uint64_t *at, char *got)
{
	struct perf_place places[16] = { 0 };
	struct perf_lines lines = { 0 };
	size_t nr = 0;

	for (; at[nr]; nr++)
		places[nr].at = at[nr];
	assert_int_equal(jit_dump_read(fd, places, nr, &lines), 0);
	*got = 0;
	for (size_t i = 0; i < nr; i++) {
		if (places[i].name) {
			assert_true(places[i].start <= at[i] && at[i] < places[i].end);
			assert_true(strlen(places[i].name) < 4096);
		}
		strcat(strncat(got, places[i].name ? : "-", 100), ";");
	}
	perf_lines_exit(&lines);
}

static void check(const struct dump *d, const uint64_t *at, const char *expected)
{
	char got[2048];

	names(descriptor(d->bytes, d->len), at, got);
	assert_string_equal(got, expected);
}

static const uint64_t everywhere[] = { 0x500000, 0x50000f, 0x500010, 0x500100, 0x500200, 0x500300,
				       0x500400, 0 };

/* Everything that there is, in either byte order */
static void put_all(struct dump *d)
{
	put_header(d);
	put_load(d, 0x500000, 0x10, 1, "before");
	put_load(d, 0x500000, 0x10, 2, "first");
	put_other(d, DEBUG_INFO);
	put_other(d, UNWINDING);
	put_other(d, 77);
	put_load(d, 0x500100, 0x10, 3, "LazyCompile:*second /a b.js:1 [x]");
	put_load(d, 0x900000, 0x10, 4, "moved");
	put_move(d, 0x900000, 0x800000, 0x10, 4);
	put_move(d, 0x800000, 0x500200, 0x10, 4);
	put_move(d, 0x900000, 0x500300, 0x10, 99);
	put_record(d, CLOSE, 0);
	put_load(d, 0x500400, 0x10, 5, "after its end");
}

static void named(void **state)
{
	struct dump d[2] = { { .swapped = false }, { .swapped = true } };
	(void)state;

	for (int i = 0; i < 2; i++) {
		put_all(&d[i]);
		check(&d[i], everywhere, "first;first;-;LazyCompile:*second /a b.js:1 [x];moved;-;-;");
	}
	assert_int_equal(d[0].len, d[1].len);
	assert_true(memcmp(d[0].bytes, d[1].bytes, d[0].len));
}

static void no_dump(void **state)
{
	static const struct { size_t at; uint32_t value; } wrong[] = {
		{ 0, 0x4454694b }, { 4, 2 }, { 4, 0 }, { 8, 0 }, { 8, 39 }, { 8, 0xfffffff0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct dump d = { 0 };

		put_all(&d);
		memcpy(d.bytes + wrong[i].at, &wrong[i].value, 4);
		check(&d, everywhere, "-;-;-;-;-;-;-;");
	}
	check(&(struct dump){ 0 }, everywhere, "-;-;-;-;-;-;-;");
}

/* What makes no sense is passed over, or is the end; what was before it holds */
static void damaged(void **state)
{
	struct dump d = { 0 };
	char *name = malloc(6001);
	(void)state;

	put_header(&d);
	put_load(&d, 0x500000, 0x10, 1, "good");
	put_load(&d, 0x500100, 0, 2, "empty");
	put_load(&d, 0x500100, ~0ull, 3, "past the end");
	put_load(&d, 0xfffffffffffffff0, 0x20, 4, "around");
	put_load(&d, 0x500100, 0x10, 5, "");
	put_move(&d, 0x500000, ~0ull - 5, 0x10, 1);
	put_move(&d, 0x500000, 0x500100, ~0ull, 1);
	put_move(&d, 0x500000, 0x500100, 0, 1);
	put_record(&d, LOAD, 8);
	put64(&d, 1);
	put_record(&d, MOVE, 8);
	put64(&d, 1);
	/* no NUL within the record; the one after it has no right to be read as its name */
	put_record(&d, LOAD, 40 + 3);
	put64(&d, 100);
	put64(&d, 0x500200);
	put64(&d, 0x500200);
	put64(&d, 0x10);
	put64(&d, 9);
	memcpy(d.bytes + d.len, "abc", 3);
	d.len += 3;
	put_move(&d, 0x500200, 0x500300, 0x10, 9);
	check(&d, everywhere, "good;good;-;-;-;-;-;");
	/* a record that would be the same one for ever */
	put_record(&d, 77, 0);
	memset(d.bytes + d.len - 12, 0, 4);
	put_load(&d, 0x500300, 0x10, 6, "behind");
	check(&d, everywhere, "good;good;-;-;-;-;-;");

	/* a long name is cut */
	memset(name, 'n', 6000);
	name[6000] = 0;
	d = (struct dump){ 0 };
	put_header(&d);
	put_load(&d, 0x500000, 0x10, 1, name);
	put_load(&d, 0x500100, 0x10, 2, "next");
	name[100] = 0;
	strcat(name, ";-;-;next;-;-;-;");
	{
		char got[2048];

		names(descriptor(d.bytes, d.len), (uint64_t[]){ 0x500000, 0x500010, 0x500011,
			0x500100, 0x500200, 0x500300, 0x500400, 0 }, got);
		assert_string_equal(got, name);
	}
	free(name);
}

static void cut_anywhere(void **state)
{
	struct dump d = { 0 };
	char got[2048];
	(void)state;

	put_all(&d);
	for (size_t len = 0; len < d.len; len++)
		names(descriptor(d.bytes, len), everywhere, got);
	/* the last but one of these: what is missing is after the end */
	assert_string_equal(got, "first;first;-;LazyCompile:*second /a b.js:1 [x];moved;-;-;");
}

/* A generator of its own, so that a failure can be seen again */
static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void mutated(void **state)
{
	static const unsigned char bytes[] = { 0, 1, 3, 8, 16, 64, 0x7f, 0x80, 0xff };
	struct dump good = { 0 };
	unsigned int differ = 0;
	char got[2048], whole[2048];
	(void)state;

	put_all(&good);
	names(descriptor(good.bytes, good.len), everywhere, whole);
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct dump d = good;
		uint64_t x = seed * 0x9e3779b97f4a7c15;

		for (uint64_t n = 1 + next_random(&x) % 8; n; n--) {
			size_t at = next_random(&x) % d.len;

			d.bytes[at] = bytes[next_random(&x) % sizeof(bytes)];
		}
		names(descriptor(d.bytes, d.len), everywhere, got);
		differ += strcmp(got, whole) != 0;
	}
	/* they do reach what is read */
	assert_in_range(differ, 300, 2999);
}

/* A file without end is no work without end: records of 16 bytes, two million of them */
static void endless(void **state)
{
	struct dump d = { 0 };
	char got[2048];
	int fd;
	(void)state;

	put_header(&d);
	put_load(&d, 0x500000, 0x10, 1, "good");
	fd = descriptor(d.bytes, d.len);
	for (unsigned int i = 0; i < 1u << 12; i++) {
		struct dump records = { 0 };

		while (records.len < sizeof(records.bytes))
			put_record(&records, 77, 0);
		assert_int_equal(write(fd, records.bytes, records.len), records.len);
	}
	d = (struct dump){ 0 };
	put_load(&d, 0x500100, 0x10, 2, "too far");
	assert_int_equal(write(fd, d.bytes, d.len), d.len);
	names(fd, everywhere, got);
	assert_string_equal(got, "good;good;-;-;-;-;-;");
	/* a hole: types and sizes are zero there */
	fd = descriptor("", 0);
	assert_int_equal(ftruncate(fd, 1ll << 40), 0);
	names(fd, everywhere, got);
	assert_string_equal(got, "-;-;-;-;-;-;-;");
}

/* The bases of files in a directory, as they are mapped into a process that has ended */
static int open_one_of(const char *dir, const char *const *bases, uint32_t pid,
		       uint64_t inode_off)
{
	struct mk m = { 0 };
	struct profile *p;
	struct kflame_rec_aspace as = { .rec.type = KFLAME_REC_ASPACE, .id = 1, .tgid = 0x7fffffff,
					.ns_tgid = pid };
	char path[128];
	struct stat st;
	int fd;

	mk_header(&m);
	mk_session(&m);
	records_add(&m.r, &as, sizeof(as), NULL, 0);
	for (uint64_t i = 0; bases[i]; i++) {
		struct kflame_rec_file f = { .id = i + 1, .bytes = 1 };

		snprintf(path, sizeof(path), "%s/%s", dir, bases[i]);
		if (!stat(path, &st)) {
			f.inode = st.st_ino + inode_off;
			f.dev_major = major(st.st_dev);
			f.dev_minor = minor(st.st_dev);
		}
		records_file(&m.r, &f, path);
		mk_mapping(&m, 1, 0x1000 * (i + 1), 0x1000 * (i + 2), i + 1, 0);
	}
	mk_end(&m);
	p = mk_profile(&m);
	fd = jit_dump_open(p, &p->aspaces[0], NULL);
	profile_destroy(p);
	mk_free(&m);
	return fd;
}

/* Which of the files it is, by its inode; closes it */
static bool is_file(int fd, const char *dir, const char *base)
{
	char path[128];
	struct stat a, b;
	bool same;

	snprintf(path, sizeof(path), "%s/%s", dir, base);
	same = fd >= 0 && !fstat(fd, &a) && !stat(path, &b) && a.st_ino == b.st_ino;
	if (fd >= 0)
		close(fd);
	return same;
}

static void found_by_its_mapping(void **state)
{
	static const char *const files[] = { "libc.so", "jit-7.dump", "jit-9.dump", "jit-.dump",
					     "jit-9.dumps", "xjit-9.dump", "jit-9x.dump", NULL };
	char dir[] = "/tmp/kflame-dump-XXXXXX", path[128];
	(void)state;

	assert_non_null(mkdtemp(dir));
	for (int i = 0; files[i]; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
	assert_true(is_file(open_one_of(dir, files, 9, 0), dir, "jit-9.dump"));
	assert_true(is_file(open_one_of(dir, files, 7, 0), dir, "jit-7.dump"));
	/* a child's parent's, while it has none of its own */
	assert_true(is_file(open_one_of(dir, files, 8, 0), dir, "jit-7.dump"));
	assert_int_equal(open_one_of(dir, files + 3, 9, 0), -ENOENT);
	assert_int_equal(open_one_of(dir, files, 9, 1), -EAGAIN);
	for (int i = 0; files[i]; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	assert_int_equal(open_one_of(dir, files, 9, 0), -EAGAIN);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named),
		cmocka_unit_test(no_dump),
		cmocka_unit_test(damaged),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(mutated),
		cmocka_unit_test(endless),
		cmocka_unit_test(found_by_its_mapping),
	};

	return cmocka_run_group_tests_name("jit_dump", tests, NULL, NULL);
}
