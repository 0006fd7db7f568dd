// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_addresses.c - a profile that leaves out stacks has the addresses of one that has them, also
 * where it takes them from its file, afterwards
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "mkprofile.h"
#include "profile/addresses.h"
#include "profile/user_addresses.h"
#include "symbols/lookup.h"

#define FILLINGS	40	/* tables that are handed out: more than are kept */
#define STACKS		2000	/* of each */
#define MOST		2000000

struct seen_all {
	struct user_address *all;
	size_t nr;
};

static int take(void *ctx, const struct user_address *a)
{
	struct seen_all *s = ctx;

	assert_true(s->nr < MOST);
	s->all[s->nr++] = *a;
	return 0;
}

static int by_all(const void *a, const void *b)
{
	const struct user_address *x = a, *y = b;

	if (x->aspace != y->aspace)
		return x->aspace < y->aspace ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (int)x->before_candidate - (int)y->before_candidate;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorted, each once */
static struct seen_all all_of(const struct profile *p)
{
	struct seen_all s = { .all = malloc(MOST * sizeof(*s.all)) };

	assert_non_null(s.all);
	assert_int_equal(each_user_address(p, take, &s), 0);
	s.nr = sort_once(s.all, s.nr, sizeof(*s.all), by_all);
	return s;
}

enum way {
	WHOLE,		/* with stacks and counts */
	LIGHT,		/* with their addresses */
	PUT_OFF,	/* with their addresses, but samples are read from a file, afterwards */
};

static int file_of(const struct mk *m)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, m->r.data, m->r.len), m->r.len);
	return fd;
}

/* Without profile_finish(): as a recorder feeds it, in pieces */
static struct profile *begin(const struct mk *m, enum way way)
{
	struct profile *p = profile_create();

	assert_non_null(p);
	if (way != WHOLE)
		assert_int_equal(profile_leave_out_stacks(p), 0);
	if (way == PUT_OFF)
		profile_put_off_samples(p);
	for (size_t at = 0; at < m->r.len; at += 65537) {
		size_t n = m->r.len - at < 65537 ? m->r.len - at : 65537;

		assert_int_equal(profile_feed(p, (const char *)m->r.data + at, n), 0);
	}
	return p;
}

static struct profile *feed(const struct mk *m, enum way way)
{
	struct profile *p = begin(m, way);

	if (way == PUT_OFF) {
		const uint64_t records = p->records, bytes = p->bytes;
		int fd = file_of(m);

		assert_true(!p->samples && !p->addresses->nr_user && !p->addresses->nr_kernel);
		assert_int_equal(profile_put_off(p), bytes);
		/* In parts, as it may be done while more is fed */
		for (uint64_t end = 100001; end < bytes; end += 777777) {
			assert_int_equal(profile_take_samples(p, fd, end), 0);
			assert_int_equal(profile_put_off(p), bytes - end);
		}
		assert_int_equal(profile_take_samples(p, fd, m->r.len), 0);
		assert_true(p->records == records && p->bytes == bytes);
		close(fd);
	}
	assert_int_equal(profile_finish(p), 0);
	return p;
}

static uint64_t next(uint64_t *x)
{
	*x = *x * 6364136223846793005ull + 1442695040888963407ull;
	return *x >> 33;
}

/* One table: stacks, of which some are as before, then counts of them; some name none */
static void add_filling(struct mk *m, uint64_t serial, uint64_t *x)
{
	bool has_frames[STACKS + 1];
	struct kflame_like like;
	uint64_t ip[40];

	for (uint64_t i = 1; i <= STACKS; i++) {
		uint32_t nr = (uint32_t)(next(x) % 40), kind = 1 + (uint32_t)(i & 1);

		has_frames[i] = nr;
		for (uint32_t k = 0; k < nr; k++)
			ip[k] = (kind == KFLAME_STACK_USER ? 0x400000 : 0xffffffff81000000) +
				next(x) % 50000;
		if (nr > 3)
			ip[nr - 1] = 0;
		mk_stack_full(m, serial << 32 | i, kind, KFLAME_END_COMPLETE,
			      nr > 2 && !(i % 5) ? 1 : KFLAME_NO_CANDIDATE, ip, nr);
	}
	/* One in three is repeated as a short record, with an id of its own */
	for (uint64_t i = 1; i <= STACKS; i += 3) {
		like = (struct kflame_like){ .number = (uint32_t)(STACKS + i), .like = (uint32_t)i };
		like.ip = (i & 1 ? 0x400000 : 0xffffffff81000000) + next(x) % 50000;
		if (has_frames[i])
			mk_likes(m, serial << 32, &like, 1);
	}
	for (uint64_t i = 1; i < STACKS; i += 2)
		mk_count(m, next(x) % 3, i % 7 ? serial << 32 | (i + 1) : 0, serial << 32 | i, 3, 30);
	/* Of several address spaces, one after the other */
	for (uint32_t i = 1; i < STACKS; i += 6)
		for (uint64_t aspace = 0; has_frames[i] && aspace < 3; aspace++)
			mk_counts(m, aspace, serial << 32, (struct kflame_counted[]){
				{ 30, 0, STACKS + i, 3, 0 }, { 40, 0, i, 4, 0 } }, 2);
}

static struct mk many(void)
{
	struct mk m = { 0 };
	uint64_t x = 1;

	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "one");
	mk_file(&m, 1, "/bin/one");
	for (uint64_t i = 1; i <= FILLINGS; i++)
		add_filling(&m, i, &x);
	/* the record of a mapping may come after the samples in it */
	mk_mapping(&m, 1, 0x400000, 0x408000, 1, 0);
	mk_end(&m);
	assert_false(m.r.failed);
	return m;
}

static void compare(enum way way)
{
	struct mk m = many();
	struct profile *whole = feed(&m, WHOLE), *light = feed(&m, way);
	struct seen_all a = all_of(whole), b = all_of(light);
	size_t mapped = 0;

	assert_int_equal(light->state, PROFILE_WHOLE);
	assert_int_equal(light->damaged, whole->damaged);
	assert_int_equal(light->nr_stacks + light->nr_counts, 0);
	assert_true(whole->nr_counts > STACKS);
	assert_true(whole->samples == light->samples && whole->weight_ns == light->weight_ns);
	assert_int_equal(light->lost_stacks, 0);
	assert_int_equal(a.nr, b.nr);
	assert_true(a.nr > 50000);
	for (size_t i = 0; i < a.nr; i++) {
		assert_int_equal(by_all(&a.all[i], &b.all[i]), 0);
		assert_int_equal(!a.all[i].map, !b.all[i].map);
		mapped += a.all[i].map != NULL;
	}
	assert_true(mapped);
	free(a.all);
	free(b.all);
	profile_destroy(whole);
	profile_destroy(light);
	mk_free(&m);
}

static void same_addresses(void **state)
{
	(void)state;
	compare(LIGHT);
	compare(PUT_OFF);
}

/* A file that has changed since is reported; of a truncated file the rest is read */
static void file_was_changed(void **state)
{
	struct mk m = many();
	struct profile *p = begin(&m, PUT_OFF);
	uint64_t all, part;
	int fd = file_of(&m);

	(void)state;
	assert_int_equal(profile_take_samples(p, fd, m.r.len), 0);
	all = p->samples;
	profile_destroy(p);
	/* The disk was full: there is less of it than was fed, and it ends within a record */
	p = begin(&m, PUT_OFF);
	assert_int_equal(profile_take_samples(p, fd, m.r.len / 2 + 4), 0);
	part = p->samples;
	assert_true(part > all / 3 && part < all * 2 / 3);
	assert_int_equal(profile_finish(p), 0);
	profile_destroy(p);
	p = begin(&m, PUT_OFF);
	assert_int_equal(ftruncate(fd, (off_t)m.r.len / 2), 0);
	assert_int_equal(profile_take_samples(p, fd, m.r.len), ENODATA);
	profile_destroy(p);
	/* A hole in the middle; as long as before */
	p = begin(&m, PUT_OFF);
	assert_int_equal(ftruncate(fd, (off_t)m.r.len), 0);
	assert_int_equal(profile_take_samples(p, fd, m.r.len * 3 / 4), -EILSEQ);
	profile_destroy(p);
	p = begin(&m, PUT_OFF);
	assert_int_equal(profile_take_samples(p, fd, m.r.len), -EILSEQ);
	profile_destroy(p);
	p = begin(&m, PUT_OFF);
	assert_int_equal(pwrite(fd, "else", 4, 0), 4);
	assert_int_equal(profile_take_samples(p, fd, m.r.len), -EILSEQ);
	profile_destroy(p);
	close(fd);
	p = begin(&m, PUT_OFF);
	assert_int_equal(profile_take_samples(p, -1, m.r.len), EBADF);
	profile_destroy(p);
	mk_free(&m);
}

/* Few of the records stay in memory */
static void stacks_are_forgotten(void **state)
{
	struct mk m = many();
	struct profile *light = feed(&m, LIGHT);
	const struct profile_addresses *a = light->addresses;

	(void)state;
	assert_true(a->module.nr * sizeof(uint64_t) < m.r.len / 2);
	profile_destroy(light);
	mk_free(&m);
}

/* As many again and again as are not remembered: what is kept is not more than there were */
static void kept_once(void **state)
{
	struct profile_addresses *a = profile_addresses_create();
	uint64_t words[sizeof(struct kflame_rec_stack) / 8 + 100];
	struct kflame_rec_stack *r = (void *)words;

	(void)state;
	assert_non_null(a);
	for (uint64_t i = 0; i < 100 * 655; i++) {
		memset(r, 0, sizeof(*r));
		r->id = i + 1;
		r->kind = KFLAME_STACK_USER;
		r->nr = 100;
		r->candidate = KFLAME_NO_CANDIDATE;
		for (uint64_t k = 0; k < r->nr; k++)
			r->ip[k] = 0x400000 + i % 655 * 1000 + k * 3;
		assert_int_equal(profile_addresses_stack(a, r), 0);
		assert_int_equal(profile_addresses_count(a, 0, r->id, 0, 1), 0);
	}
	assert_true(a->cap_user <= 4 * 65500);
	profile_addresses_settle(a);
	assert_int_equal(a->nr_user, 65500);
	profile_addresses_destroy(a);
}

/* The tool tells stacks of its own in the middle of a table, as often as it likes */
static void stacks_of_the_tool(void **state)
{
	struct mk m = { 0 };
	struct profile *light;
	uint64_t ip[100] = { 0x401000 }, of_tool = KFLAME_STACK_OF_TOOL | 1;

	(void)state;
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, 1ull << 32 | 1, KFLAME_STACK_USER, ip, 100);
	for (uint64_t i = 0; i < 50; i++) {
		for (uint64_t k = 0; k < 100; k++)
			mk_stack(&m, of_tool + i * 100 + k, KFLAME_STACK_USER, ip, 100);
		for (uint64_t k = 0; k < 100; k++)
			mk_count(&m, 0, 0, of_tool + i * 100 + k, 1, 10);
	}
	mk_stack(&m, 1ull << 32 | 2, KFLAME_STACK_USER, ip, 100);
	mk_count(&m, 0, 0, 1ull << 32 | 1, 1, 10);
	mk_count(&m, 0, 0, 1ull << 32 | 2, 1, 10);
	mk_end(&m);
	light = feed(&m, LIGHT);
	assert_int_equal(light->lost_stacks, 0);
	assert_int_equal(light->samples, 5002);
	/* those of one time */
	assert_true(light->addresses->tool.nr <= 100 * 102);
	profile_destroy(light);
	mk_free(&m);
}

/* How many stacks lack their callers, also of those that are like another, and seen before */
static void cut_stacks_are_counted(void **state)
{
	struct profile_addresses *a = profile_addresses_create();
	uint64_t words[sizeof(struct kflame_rec_stack) / 8 + 2] = { 0 };
	struct kflame_rec_stack *r = (void *)words;
	static const uint32_t ends[] = {
		KFLAME_END_COMPLETE, KFLAME_END_NO_RULE | KFLAME_BY_TABLE, KFLAME_END_PENDING,
	};
	const struct kflame_like like = { .number = 9, .like = 2, .ip = 0x402000 };
	(void)state;

	assert_non_null(a);
	r->kind = KFLAME_STACK_USER;
	r->candidate = KFLAME_NO_CANDIDATE;
	r->nr = 2;
	for (uint64_t i = 0; i < 3; i++) {
		r->id = 1ull << 32 | (i + 1);
		r->end = ends[i];
		r->ip[0] = 0x401000 + i;
		assert_int_equal(profile_addresses_stack(a, r), 0);
	}
	assert_int_equal(profile_addresses_likes(a, 1ull << 32, &like, 1), 0);
	assert_int_equal(profile_addresses_count(a, 0, 1ull << 32 | 1, 0, 100), 0);
	assert_int_equal(profile_addresses_count(a, 0, 1ull << 32 | 2, 0, 10), 0);
	assert_int_equal(profile_addresses_count(a, 0, 1ull << 32 | 3, 0, 1), 0);
	assert_int_equal(profile_addresses_count(a, 0, 1ull << 32 | 9, 0, 1000), 0);
	assert_true(profile_addresses_known(a, 1ull << 32, 0, 2, 0, 20));
	assert_false(profile_addresses_known(a, 1ull << 32, 0, 9, 0, 5000));
	assert_int_equal(a->samples, 1131);
	assert_int_equal(a->cut, 1031);
	assert_int_equal(a->late, 1);
	profile_addresses_destroy(a);
}

/* A count with an unknown stack, or one of the other kind, is no reason to stop */
static void unknown_stacks_are_counted(void **state)
{
	struct mk m = { 0 };
	struct profile *light;

	(void)state;
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x401000 }, 1);
	mk_count(&m, 0, 0, 1, 1, 10);
	mk_count(&m, 0, 0, 2, 1, 10);
	mk_count(&m, 0, 1, 0, 1, 10);
	mk_end(&m);
	light = feed(&m, LIGHT);
	assert_int_equal(light->lost_stacks, 2);
	assert_int_equal(light->samples, 3);
	assert_int_equal(light->addresses->nr_user, 1);
	assert_int_equal(light->addresses->nr_kernel, 0);
	profile_destroy(light);
	mk_free(&m);
}

/*
 * A label is no address, and the frame behind it is the program counter plus one: see KFLAME_LABEL. A system call
 * is one address, so the address beside it has the name of another call.
 */
static void behind_a_label(void **state)
{
	static const uint64_t code = 0xffffffff81000000, label = KFLAME_LABEL | 1, call = KFLAME_SYSCALL_FRAME + 15;
	const struct kflame_like likes[] = {
		{ .ip = label, .number = 8, .like = 6 }, { .ip = code + 0x400, .number = 9, .like = 2 },
	};
	const uint64_t expected[] = {
		0, code, code + 0x10f, code + 0x20f, code + 0x300, code + 0x400, call - 3, call,
	};
	struct mk m = { 0 };
	struct profile *whole, *light;

	(void)state;
	mk_header(&m);
	mk_session(&m);
	mk_stack(&m, 1, KFLAME_STACK_KERNEL, (uint64_t[]){ label }, 1);
	mk_stack(&m, 2, KFLAME_STACK_KERNEL, (uint64_t[]){ label, code + 1, code + 0x110 }, 3);
	mk_stack(&m, 3, KFLAME_STACK_KERNEL, (uint64_t[]){ label, call + 1 }, 2);
	mk_stack(&m, 4, KFLAME_STACK_KERNEL, (uint64_t[]){ call - 3 }, 1);
	mk_stack(&m, 5, KFLAME_STACK_KERNEL, (uint64_t[]){ label, 0 }, 2);
	mk_stack(&m, 6, KFLAME_STACK_KERNEL, (uint64_t[]){ code + 0x300, code + 0x210 }, 2);
	mk_likes(&m, 0, likes, 2);
	mk_end(&m);
	whole = feed(&m, WHOLE);
	light = feed(&m, LIGHT);
	profile_addresses_settle(light->addresses);
	assert_int_equal(light->addresses->nr_kernel, sizeof(expected) / sizeof(*expected));
	assert_memory_equal(light->addresses->kernel, expected, sizeof(expected));
	/* Views ask for the same addresses */
	for (size_t i = 0; i < whole->nr_stacks; i++)
		for (uint32_t k = 0; k < whole->stacks[i].nr; k++) {
			const uint64_t at = profile_stack_code(&whole->stacks[i], k);

			assert_non_null(bsearch(&at, expected, sizeof(expected) / sizeof(*expected), sizeof(at), by_number));
		}
	profile_destroy(whole);
	profile_destroy(light);
	mk_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_addresses),
		cmocka_unit_test(file_was_changed),
		cmocka_unit_test(stacks_are_forgotten),
		cmocka_unit_test(kept_once),
		cmocka_unit_test(stacks_of_the_tool),
		cmocka_unit_test(cut_stacks_are_counted),
		cmocka_unit_test(unknown_stacks_are_counted),
		cmocka_unit_test(behind_a_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
