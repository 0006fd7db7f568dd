// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_profile.c - the reader of the format, with good streams and bad ones
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "profile/accounting.h"
#include "profile/private.h"
#include "stacks/stacks.h"
#include "views/info.h"

#define U	KFLAME_STACK_USER
#define K	KFLAME_STACK_KERNEL

static const uint64_t user_ips[] = { 0x401010, 0x401110, 0x401210 };
static const uint64_t other_ips[] = { 0x401018, 0x401110, 0x401210 };
static const uint64_t kernel_ips[] = { 0xffffffff81000010, 0xffffffff81000110 };
static const struct kflame_source_level two_levels[] = {
	{ .function = 1, .source = 2, .line = 12 }, { .line = 34 },
};

/* A small profile with every type of record */
static void make_small(struct mk *m)
{
	mk_header(m);
	mk_session(m);
	mk_file(m, 1, "/usr/bin/task");
	mk_aspace(m, 1, "task");
	mk_mapping(m, 1, 0x401000, 0x402000, 1, 0x1000);
	mk_stack(m, 1, K, kernel_ips, 2);
	mk_stack_full(m, 2, U, KFLAME_END_COMPLETE, 1, user_ips, 3);
	mk_count(m, 1, 1, 2, 10, 10030090);
	/* The same again under other numbers, as each table exchange does it */
	mk_stack(m, 1ull << 32 | 1, K, kernel_ips, 2);
	mk_stack_full(m, 1ull << 32 | 2, U, KFLAME_END_COMPLETE, 1, user_ips, 3);
	mk_count(m, 1, 1ull << 32 | 1, 1ull << 32 | 2, 3, 3009027);
	/* And in short: that differs from another one only in where it is */
	mk_stack(m, 2ull << 32 | 1, K, kernel_ips, 2);
	mk_stack_full(m, 2ull << 32 | 2, U, KFLAME_END_COMPLETE, 1, other_ips, 3);
	mk_likes(m, 2ull << 32, &(struct kflame_like){ user_ips[0], 3, 2 }, 1);
	mk_counts(m, 1, 2ull << 32, &(struct kflame_counted){ 2006018, 1, 3, 2, 0 }, 1);
	mk_cpu(m, 0, 15, 15045135);
	mk_stats(m);
	records_ksym(&m->r, 0xffffffff81000000, 0xffffffff81000100, "do_inner");
	records_ksym(&m->r, 0xffffffff81000100, 0xffffffff81000200, "do_outer [mod]");
	records_usym(&m->r, 1, 0x1000, 0x1100, "inner");
	records_usym(&m->r, 1, 0x1100, 0x1200, "middle");
	records_leaf(&m->r, 1, 0x1010, true);
	records_text(&m->r, 1, "inlined");
	records_text(&m->r, 2, "/src/task.c");
	records_source(&m->r, 1, 0x1010, two_levels, 2);
	records_named(&m->r, 1, KFLAME_NAMED_SYMTAB, 0);
	records_host(&m->r, "host=here\0tool=1", 17);
	mk_end(m);
}

static void good(void **state)
{
	struct mk m = { 0 };
	(void)state;

	make_small(&m);
	for (size_t piece = 1; piece < 80; piece++) {
		struct profile *p = mk_feed(m.r.data, m.r.len, piece);

		assert_int_equal(p->state, PROFILE_WHOLE);
		assert_int_equal(p->damaged, 0);
		assert_int_equal(p->records, m.r.nr);
		assert_int_equal(p->nr_stacks, 3);
		assert_int_equal(p->nr_counts, 1);
		assert_int_equal(p->counts[0].samples, 15);
		assert_int_equal(p->samples, 15);
		assert_int_equal(p->weight_ns, 15045135);
		assert_int_equal(p->nr_files, 1);
		assert_string_equal(p->files[0].base, "task");
		assert_int_equal(p->ksyms.nr, 2);
		assert_int_equal(profile_verdict(p, 0, 0x1010), 1);
		assert_int_equal(profile_verdict(p, 0, 0x1011), -1);
		assert_string_equal(profile_host(p, "host"), "here");
		assert_string_equal(profile_host(p, "tool"), "1");
		assert_null(profile_host(p, "hos"));
		assert_int_equal(books_check(p, NULL), 0);
		assert_int_equal(profile_status(p), 0);
		profile_destroy(p);
	}
	mk_free(&m);
}

static int sum(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	uint64_t *sums = ctx;

	for (size_t i = 0; i < nr; i++)
		assert_true(frames[i].name && frames[i].name[0]);
	sums[0] += samples;
	sums[1] += ns;
	return 0;
}

/* Whatever the bytes: every use of it ends well, and sums are the profile's */
static void use(struct profile *p)
{
	FILE *null = fopen("/dev/null", "w");
	uint64_t sums[2] = { 0 };

	assert_non_null(null);
	assert_int_equal(profile_each_stack(p, sum, sums), 0);
	assert_true(sums[0] == p->samples);
	assert_true(sums[1] == p->weight_ns);
	info_print(null, p, true, false);
	info_print_raw(null, p);
	fclose(null);
}

static void truncated(void **state)
{
	struct mk m = { 0 };
	uint64_t before = 0;
	(void)state;

	make_small(&m);
	for (size_t len = 0; len < m.r.len; len++) {
		struct profile *p = mk_feed(m.r.data, len, 64);

		if (!len)
			assert_int_equal(p->state, PROFILE_EMPTY);
		else
			assert_true(p->state == PROFILE_TRUNCATED || p->state == PROFILE_NO_END);
		assert_int_equal(p->damaged, 0);
		assert_true(p->records >= before);
		assert_int_equal(profile_status(p), 1);
		before = p->records;
		use(p);
		profile_destroy(p);
	}
	assert_int_equal(before, m.r.nr - 1);
	mk_free(&m);
}

static void random_bytes(void **state)
{
	unsigned char bytes[512];
	(void)state;

	srand(1);
	for (int turn = 0; turn < 200; turn++) {
		struct profile *p;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)rand();
		p = mk_feed(bytes, (size_t)rand() % sizeof(bytes) + 1, 100);
		assert_int_equal(p->state, PROFILE_NOT);
		profile_destroy(p);
	}
}

/* Every 4-byte word becomes each of a few nasty ones */
static void mutated(void **state)
{
	static const uint32_t nasty[] = { 0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000 };
	struct mk m = { 0 };
	(void)state;

	make_small(&m);
	for (size_t at = 0; at + 4 <= m.r.len; at += 4) {
		for (size_t n = 0; n < sizeof(nasty) / sizeof(nasty[0]); n++) {
			struct profile *p;
			uint32_t old;

			memcpy(&old, m.r.data + at, 4);
			memcpy(m.r.data + at, &nasty[n], 4);
			p = mk_feed(m.r.data, m.r.len, 4096);
			use(p);
			profile_destroy(p);
			memcpy(m.r.data + at, &old, 4);
		}
	}
	mk_free(&m);
}

static void foreign(void **state)
{
	struct kflame_file_header *h;
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	make_small(&m);
	h = (void *)m.r.data;
	h->endian = __builtin_bswap32(KFLAME_FILE_ENDIAN);
	p = mk_profile(&m);
	assert_int_equal(p->state, PROFILE_FOREIGN);
	assert_non_null(strstr(p->why, "byte order"));
	profile_destroy(p);
	h->endian = KFLAME_FILE_ENDIAN;
	h->version = 2;
	p = mk_profile(&m);
	assert_int_equal(p->state, PROFILE_FOREIGN);
	profile_destroy(p);
	h->version = 1;
	h->required = 1;
	p = mk_profile(&m);
	assert_int_equal(p->state, PROFILE_FOREIGN);
	profile_destroy(p);
	mk_free(&m);
}

static void longer_header_and_unknown_records(void **state)
{
	struct { struct kflame_rec rec; uint64_t body[3]; } unknown = { .rec.type = 0x7777 };
	struct kflame_file_header *h;
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	h = (void *)m.r.data;
	h->header_size += 16;
	m.r.len += 16;
	mk_session(&m);
	records_add(&m.r, &unknown, sizeof(unknown), NULL, 0);
	mk_end(&m);
	for (size_t piece = 1; piece < 50; piece++) {
		p = mk_feed(m.r.data, m.r.len, piece);
		assert_int_equal(p->state, PROFILE_WHOLE);
		assert_int_equal(p->unknown, 1);
		assert_int_equal(p->damaged, 0);
		assert_true(p->has_session);
		profile_destroy(p);
	}
	mk_free(&m);
}

static const struct profile_level *level_at(const struct profile *p, uint64_t at, uint32_t level)
{
	const struct profile_source *s = profile_source(p, 0, at);

	assert_non_null(s);
	assert_true(level < s->nr);
	return &p->levels[s->first + level];
}

/* Of a place, and of a text's number, the last record counts, for those that come after it */
static void sources(void **state)
{
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	mk_file(&m, 1, "/usr/bin/task");
	records_text(&m.r, 1, "old");
	records_text(&m.r, 2, "/src/task.c");
	records_source(&m.r, 1, 0x10, two_levels, 2);
	records_source(&m.r, 1, 0x20, two_levels, 1);
	records_text(&m.r, 1, "new");
	records_source(&m.r, 1, 0x20, two_levels, 2);
	/* File 0 is the kernel, and none of the files */
	records_source(&m.r, 0, 0x10, two_levels, 1);
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->damaged, 0);
	assert_int_equal(p->nr_sources, 3);
	assert_int_equal(profile_source(p, PROFILE_KERNEL, 0x10)->nr, 1);
	assert_null(profile_source(p, PROFILE_KERNEL, 0x20));
	assert_int_equal(profile_source(p, 0, 0x10)->nr, 2);
	assert_string_equal(p->texts[level_at(p, 0x10, 0)->function], "old");
	assert_string_equal(p->texts[level_at(p, 0x10, 0)->source], "/src/task.c");
	assert_int_equal(level_at(p, 0x10, 0)->line, 12);
	assert_int_equal(level_at(p, 0x10, 1)->function, PROFILE_NONE);
	assert_int_equal(level_at(p, 0x10, 1)->source, PROFILE_NONE);
	assert_int_equal(level_at(p, 0x10, 1)->line, 34);
	assert_string_equal(p->texts[level_at(p, 0x20, 0)->function], "new");
	assert_int_equal(profile_source(p, 0, 0x20)->nr, 2);
	assert_null(profile_source(p, 0, 0x11));
	assert_null(profile_source(p, 1, 0x10));
	profile_destroy(p);
	mk_free(&m);
}

/* Each of these makes no sense, is counted, and leaves nothing behind */
static void sources_that_are_damage(void **state)
{
	static const struct kflame_source_level unknown[] = { { .line = 1 }, { .function = 9 } };
	static const struct kflame_source_level many[257];
	struct kflame_rec_source longer = { .rec.type = KFLAME_REC_SOURCE, .file = 1, .nr = 3 };
	struct kflame_rec_text open = { .rec.type = KFLAME_REC_TEXT, .id = 3, .text_len = 8 };
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	mk_file(&m, 1, "/usr/bin/task");
	records_text(&m.r, 0, "no number");
	records_text(&m.r, 1, "");
	records_add(&m.r, &open, sizeof(open), "no end..", 8);
	records_source(&m.r, 2, 0x10, many, 1);
	records_source(&m.r, 1, 0x10, many, 0);
	records_source(&m.r, 1, 0x10, many, 257);
	records_source(&m.r, 1, 0x10, unknown, 2);
	records_add(&m.r, &longer, sizeof(longer), many, 2 * sizeof(*many));
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->damaged, 8);
	assert_int_equal(p->nr_texts, 0);
	assert_int_equal(p->nr_sources, 0);
	assert_int_equal(p->nr_levels, 0);
	profile_destroy(p);
	mk_free(&m);
}

static void unknown_stack_is_damage(void **state)
{
	uint64_t sums[2] = { 0 };
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	mk_stack(&m, 1, U, user_ips, 3);
	mk_count(&m, 0, 0, 99, 3, 300);
	/* A user stack named as a kernel one */
	mk_count(&m, 0, 1, 0, 4, 400);
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->lost_stacks, 2);
	assert_int_equal(p->samples, 7);
	assert_int_equal(profile_status(p), 1);
	assert_int_equal(profile_each_stack(p, sum, sums), 0);
	assert_int_equal(sums[0], 7);
	profile_destroy(p);
	mk_free(&m);
}

/* Of many stacks, or counts, in one record only those are lost that are wrong */
static void short_ones_that_are_damage(void **state)
{
	static const struct kflame_like likes[] = {
		{ 0x401050, 3, 1 }, { 0x401060, 4, 9 }, { 0x401070, 0, 1 }, { 0x401080, 5, 2 },
		{ 0x401090, 6, 1 },
	};
	static const struct kflame_counted counts[] = {
		{ 10, 0, 3, 1, 0 }, { 10, 0, 4, 1, 0 }, { 10, 0, 6, 1, 11 }, { 10, 0, 6, 1, 10 },
	};
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	mk_stack(&m, 1, U, user_ips, 3);
	mk_stack(&m, 2, U, NULL, 0);
	mk_likes(&m, 0, likes, 5);
	mk_counts(&m, 0, 0, counts, 4);
	/* Lower halves, and more than there are */
	mk_likes(&m, 1, likes, 1);
	mk_counts(&m, 0, 1, counts, 1);
	mk_likes(&m, 0, likes, 1);
	((struct kflame_rec_likes *)(m.r.data + m.r.len - 40))->nr = 2;
	mk_counts(&m, 0, 0, counts, 1);
	((struct kflame_rec_counts *)(m.r.data + m.r.len - 88))->nr = 2;
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->damaged, 6);
	assert_int_equal(p->nr_stacks, 4);
	assert_int_equal(p->stacks[3].nr, 3);
	assert_int_equal(p->stacks[3].pc, 0x401090);
	assert_ptr_equal(p->stacks[3].callers, p->stacks[0].callers);
	assert_memory_equal(p->stacks[3].callers, user_ips + 1, 2 * sizeof(user_ips[0]));
	/* One has a stack without a record; one that was late for longer than it lasted is no count */
	assert_int_equal(p->lost_stacks, 1);
	assert_int_equal(p->samples, 3);
	assert_int_equal(p->late_ns, 10);
	profile_destroy(p);
	mk_free(&m);
}

/* Each count walks its whole stack: a few megabytes could keep us busy for minutes */
static void endless_stack_is_damage(void **state)
{
	static const uint64_t ips[4097];
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	mk_stack(&m, 1, U, ips, 4096);
	mk_stack(&m, 2, U, ips, 4097);
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->damaged, 1);
	assert_int_equal(p->nr_stacks, 1);
	profile_destroy(p);
	mk_free(&m);
}

static void sums_that_overflow_are_damage(void **state)
{
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	mk_count(&m, 0, 0, 0, UINT64_MAX - 1, 1);
	mk_count(&m, 0, 0, 0, 5, 5);
	mk_count_rec(&m, (struct kflame_rec_count){ .samples = 1, .weight_ns = 1, .late_ns = 2 });
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->damaged, 2);
	assert_true(p->samples == UINT64_MAX - 1);
	assert_true(p->counts[0].samples == UINT64_MAX - 1);
	profile_destroy(p);
	mk_free(&m);
}

static void check_map(const struct profile *p, uint64_t at, uint64_t offset, uint32_t file)
{
	const struct profile_mapping *m = profile_map(p, 0, at);

	assert_non_null(m);
	assert_int_equal(m->offset + (at - m->start), offset);
	assert_int_equal(m->file, file);
}

static void mappings(void **state)
{
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	mk_file(&m, 1, "/a");
	mk_file(&m, 2, "/b");
	mk_mapping(&m, 1, 0x1000, 0x9000, 1, 0);
	mk_mapping(&m, 1, 0x20000, 0x21000, 1, 0x5000);
	mk_mapping(&m, 1, 0x1000, 0x9000, 1, 0);	/* again */
	mk_mapping(&m, 1, 0x3000, 0x4000, 2, 0x100);	/* in the middle */
	mk_mapping(&m, 1, 0x8000, 0xa000, 2, 0x7000);	/* over the end */
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->damaged, 0);
	assert_int_equal(p->aspaces[0].nr_maps, 5);
	check_map(p, 0x1000, 0, 0);
	check_map(p, 0x2fff, 0x1fff, 0);
	check_map(p, 0x3000, 0x100, 1);
	check_map(p, 0x4000, 0x3000, 0);
	check_map(p, 0x7fff, 0x6fff, 0);
	check_map(p, 0x8000, 0x7000, 1);
	check_map(p, 0x9fff, 0x8fff, 1);
	check_map(p, 0x20fff, 0x5fff, 0);
	assert_null(profile_map(p, 0, 0xfff));
	assert_null(profile_map(p, 0, 0xa000));
	assert_null(profile_map(p, 0, 0x21000));
	assert_null(profile_map(p, PROFILE_NONE, 0x1000));
	profile_destroy(p);
	mk_free(&m);
}

/* One mapping over many, and one that begins before and ends inside */
static void mappings_covered(void **state)
{
	struct profile *p;
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	mk_file(&m, 1, "/a");
	for (uint64_t i = 1; i < 9; i++)
		mk_mapping(&m, 1, i << 12, (i << 12) + 0x800, 1, i << 12);
	mk_mapping(&m, 1, 0x2000, 0x6400, 0, 0);
	mk_end(&m);
	p = mk_profile(&m);
	assert_int_equal(p->aspaces[0].nr_maps, 5);
	check_map(p, 0x1000, 0x1000, 0);
	check_map(p, 0x63ff, 0x43ff, PROFILE_NONE);
	check_map(p, 0x6400, 0x6400, 0);
	check_map(p, 0x8000, 0x8000, 0);
	profile_destroy(p);
	mk_free(&m);
}

/* Memory must not grow with the run: three million numbers of one stack */
static void long_run(void **state)
{
	struct profile *p = profile_create();
	struct mk m = { 0 };
	(void)state;

	mk_header(&m);
	assert_int_equal(profile_feed(p, m.r.data, m.r.len), 0);
	for (uint64_t i = 1; i <= 3000000; i++) {
		m.r.len = 0;
		mk_stack(&m, i << 32 | 1, U, user_ips, 3);
		mk_count(&m, 0, 0, i << 32 | 1, 1, 1);
		assert_int_equal(profile_feed(p, m.r.data, m.r.len), 0);
	}
	assert_int_equal(p->lost_stacks, 0);
	assert_int_equal(p->nr_stacks, 1);
	assert_int_equal(p->nr_counts, 1);
	assert_int_equal(p->samples, 3000000);
	assert_true(p->reader->stacks[0].nr + p->reader->stacks[1].nr < 2200000);
	profile_destroy(p);
	mk_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(truncated),
		cmocka_unit_test(random_bytes),
		cmocka_unit_test(mutated),
		cmocka_unit_test(foreign),
		cmocka_unit_test(longer_header_and_unknown_records),
		cmocka_unit_test(sources),
		cmocka_unit_test(sources_that_are_damage),
		cmocka_unit_test(unknown_stack_is_damage),
		cmocka_unit_test(short_ones_that_are_damage),
		cmocka_unit_test(endless_stack_is_damage),
		cmocka_unit_test(sums_that_overflow_are_damage),
		cmocka_unit_test(mappings),
		cmocka_unit_test(mappings_covered),
		cmocka_unit_test(long_run),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
