// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_name_cache.c - a file that takes too long to read is no damaged file, and is tried again
 *
 * The sandbox is simulated: the linker replaces file_names_ask() by what is here (--wrap).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/name_cache.h"
#include "base/clock.h"
#include "mkprofile.h"
#include "symbols/function_client.h"

/* The file needs @needs of a sandbox's time; @most: what the last sandbox got */
static struct {
	uint64_t needs, asked, most;
} file;

int __wrap_file_names_ask(struct binary *b, const struct name_place *places, size_t nr, uint64_t *time_ns,
			  const struct name_taker *taker, struct file_names *out);
int __wrap_file_names_ask(struct binary *b, const struct name_place *places, size_t nr, uint64_t *time_ns,
			  const struct name_taker *taker, struct file_names *out)
{
	(void)b;
	file.asked++;
	file.most = *time_ns;
	*out = (struct file_names){ .state = KFLAME_NAMED_DAMAGED };
	if (*time_ns < file.needs) {
		*time_ns = 0;
		out->late = true;
		return -ETIMEDOUT;
	}
	*time_ns -= file.needs;
	out->state = KFLAME_NAMED_SYMTAB;
	for (size_t i = 0; i < nr; i++)
		taker->function(taker->ctx, places[i].at & ~15ull, (places[i].at & ~15ull) + 16, "found");
	return 0;
}

static struct profile *make_cut(void)
{
	struct profile *p = profile_create();
	struct mk m = { 0 };

	assert_non_null(p);
	assert_int_equal(profile_leave_out_stacks(p), 0);
	mk_header(&m);
	mk_session(&m);
	mk_aspace(&m, 1, "one");
	mk_file(&m, 1, "/lib/libc");
	mk_mapping(&m, 1, 0x500000, 0x510000, 1, 0x1000);
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x500010 }, 1);
	mk_count(&m, 1, 0, 1, 1, 1000);
	mk_cpu(&m, 0, 1, 1000);
	mk_stats(&m);
	mk_end(&m);
	assert_int_equal(profile_feed(p, m.r.data, m.r.len), 0);
	assert_int_equal(profile_finish(p), 0);
	mk_free(&m);
	return p;
}

static int no_descriptor(void *ctx, uint64_t id)
{
	(void)ctx;
	(void)id;
	return -1;
}

/* What the cut says about the file, and whether it has the name */
struct said {
	uint32_t state, flags;
	bool reported, named;
};

static struct said name(struct name_cache *c, uint64_t cut)
{
	struct profile *p = make_cut();
	struct records r = { 0 };
	struct said said = { 0 };

	assert_int_equal(name_cache_name(c, p, -1, cut, 1 << 20, no_descriptor, NULL, &r), 0);
	for (size_t at = 0; at < r.len;) {
		const struct kflame_rec *rec = (const void *)(r.data + at);

		if (rec->type == KFLAME_REC_NAMED) {
			const struct kflame_rec_named *n = (const void *)rec;

			said.state = n->state;
			said.flags = n->flags;
			said.reported = true;
		}
		said.named |= rec->type == KFLAME_REC_USYM;
		at += rec->size;
	}
	records_exit(&r);
	profile_destroy(p);
	return said;
}

/* Each cut without the name says why, until the machine has the time.  The limit grows, and so do the pauses */
static void late_is_tried_again(void **state)
{
	struct name_cache c = { 0 };
	struct said said;

	(void)state;
	file.needs = UINT64_MAX;
	for (uint64_t cut = 1; cut <= 300; cut++) {
		said = name(&c, cut);
		assert_true(said.reported && !said.named);
		assert_true(said.flags & KFLAME_NF_TIME);
	}
	/* After 1, 2, 4 ... 64 cuts, then each 64 */
	assert_in_range(file.asked, 9, 11);
	assert_true(file.most == 16 * NS_PER_S);
	file.needs = 10 * NS_PER_S;
	for (uint64_t cut = 301; !said.named && cut <= 400; cut++)
		said = name(&c, cut);
	assert_true(said.named);
	assert_int_equal(said.flags, 0);
	assert_int_equal(said.state, KFLAME_NAMED_SYMTAB);
	name_cache_exit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_is_tried_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
