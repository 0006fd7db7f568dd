// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_flame.c - which frames a flame graph has, and where
 */
#include "base/text.h"
#include "drawn_flame.h"

/* A tree of random stacks; the same seed, the same tree */
static struct tree *random_tree(uint32_t seed, uint32_t stacks, uint64_t *sum)
{
	struct tree *t = new_tree();

	*sum = 0;
	for (uint32_t i = 0; i < stacks; i++) {
		char names[12][8];
		struct frame f[12];
		size_t nr;

		seed = seed * 1664525 + 1013904223;
		nr = 1 + (seed >> 16) % 12;
		for (size_t k = 0; k < nr; k++) {
			seed = seed * 1664525 + 1013904223;
			snprintf(names[k], sizeof(names[k]), "f%u", (seed >> 16) % 5);
			f[k] = (struct frame){ names[k], NULL,
				(enum frame_kind)((seed >> 20) % (FRAME_NOTE + 1)) };
		}
		assert_int_equal(tree_add(t, f, nr, (seed >> 12) % 1000, i), 0);
		*sum += (seed >> 12) % 1000;
	}
	return t;
}

/* Width of all callees of frame @i, which follow it */
static uint64_t callees(const struct drawn *d, size_t nr, size_t i)
{
	uint64_t sum = 0;

	for (size_t k = i + 1; k < nr && d[k].y < d[i].y; k++)
		if (d[k].y == d[i].y - 18)
			sum += d[k].w;
	return sum;
}

/*
 * What is drawn is what was sampled: each frame lies within its caller, callees
 * lie side by side, and the parts no callee covers add up to all samples.
 */
static void sums_are_exact(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 10; seed++) {
		uint64_t sum, self = 0, end[64] = { 0 }, next[64] = { 0 };
		struct flame_result r;
		struct tree *t = random_tree(seed, 400, &sum);
		unsigned int base;
		size_t nr;
		struct drawn *d = draw_frames(t, &plain, &r, &nr);

		assert_int_equal(nr, r.drawn);
		assert_int_equal(r.too_narrow, 0);
		assert_int_equal(d[0].x, 0);
		assert_int_equal(d[0].w, sum);
		base = d[0].y;
		for (size_t i = 0; i < nr; i++) {
			unsigned int depth = (base - d[i].y) / 18;

			assert_true(depth < 63);
			/* The first callee begins with its caller, others side by side */
			assert_int_equal(d[i].x, next[depth]);
			next[depth] = d[i].x + d[i].w;
			next[depth + 1] = d[i].x;
			end[depth] = d[i].x + d[i].w;
			if (depth)
				assert_true(end[depth] <= end[depth - 1]);
		}
		for (size_t i = 0; i < nr; i++)
			self += d[i].w - callees(d, nr, i);
		assert_int_equal(self, sum);
		free(d);
		tree_destroy(t);
	}
}

static void narrow_frames_are_counted(void **state)
{
	struct flame_options o = plain;
	uint64_t sum, weighing = 0;
	struct tree *t = random_tree(7, 2000, &sum);
	struct flame_result all, some;
	struct drawn *d;
	char *svg, note[80], count[TEXT_NUMBER];
	size_t nr;

	(void)state;
	free(draw(t, &o, &all));
	for (uint32_t i = 0; i < t->nr_nodes; i++)
		weighing += t->nodes[i].total.samples != 0;
	assert_int_equal(all.drawn, weighing);
	o.min_width = 250;
	svg = draw(t, &o, &some);
	assert_true(some.drawn < all.drawn);
	assert_int_equal(some.drawn + some.too_narrow, weighing);
	snprintf(note, sizeof(note), ">%s frames narrower than 2.5 px are not drawn",
		 text_count(count, some.too_narrow));
	assert_non_null(strstr(svg, note));
	d = parse(svg, &nr);
	assert_int_equal(nr, some.drawn);
	assert_int_equal(d[0].w, sum);
	for (size_t i = 0; i < nr; i++)
		assert_true((double)d[i].w * 1168 / (double)sum >= 2.49);
	free(d);
	free(svg);
	tree_destroy(t);
}

/* No more than a browser opens at once, and the widest of them */
static void frames_have_a_budget(void **state)
{
	struct flame_options o = plain;
	uint64_t sum;
	struct tree *t = random_tree(7, 2000, &sum);
	struct flame_result all, some;

	(void)state;
	free(draw(t, &o, &all));
	for (o.frames = 1; o.frames < all.drawn; o.frames = o.frames * 3 / 2 + 1) {
		char *svg = draw(t, &o, &some);

		assert_true(some.drawn <= o.frames + 1);	/* and the root */
		assert_int_equal(some.drawn + some.too_narrow, all.drawn);
		assert_non_null(strstr(svg, "px are not drawn (the limit is "));
		free(svg);
	}
	o.frames = (unsigned int)all.drawn;
	free(draw(t, &o, &some));
	assert_int_equal(some.drawn, all.drawn);
	tree_destroy(t);
}

/* Of frames that are equally wide, the outer ones are drawn: a picture never ends at the first row */
static void outer_frames_come_first(void **state)
{
	static const char name[] = "abcdefghij";
	struct flame_options o = plain;
	struct tree *t = new_tree();
	struct flame_result r;
	char *svg;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		const char comm[] = { name[i], 0 };
		struct frame f[100] = { { comm, NULL, FRAME_COMM } };

		for (size_t k = 1; k < NR(f); k++)
			f[k] = (struct frame){ "f", NULL, FRAME_USER };
		assert_int_equal(tree_add(t, f, NR(f), 1, 1), 0);
	}
	o.frames = 255;
	svg = draw(t, &o, &r);
	assert_int_equal(r.drawn, 251);
	assert_int_equal(r.too_narrow, 750);
	assert_non_null(strstr(svg, ">750 frames narrower than 116.81 px are not drawn "
			       "(the limit is 255 frames; --min-width draws more)<"));
	free(svg);
	tree_destroy(t);
}

/* The legend has the shares of stacks by their innermost frames, also if pruning removes these */
static void legends_have_shares(void **state)
{
	static const struct frame stack[] = {
		{ "worker", NULL, FRAME_COMM }, { "main", NULL, FRAME_USER }, { "read", NULL, FRAME_KERNEL },
	};
	struct flame_options o = plain;
	struct tree *t = new_tree();
	struct flame_result r;
	char *svg;

	(void)state;
	assert_int_equal(tree_add(t, stack, 2, 874, 0), 0);
	assert_int_equal(tree_add(t, stack, 3, 126, 0), 0);
	o.min_width = 20000;
	assert_int_equal(flame_weigh(t, &o), 0);
	assert_int_equal(flame_prune(t, &o), 0);
	svg = draw(t, &o, &r);
	assert_int_equal(r.too_narrow, 1);
	assert_non_null(strstr(svg, ">user 87.4%<"));
	assert_non_null(strstr(svg, ">thread<"));
	free(svg);
	tree_destroy(t);
}

static void pictures_are_as_they_were(void **state)
{
	static const struct frame stack[] = {
		{ "worker", NULL, FRAME_COMM }, { "main", "demo", FRAME_USER },
		{ "std::sort<int*>(int*, int*)", "libstdc++.so.6", FRAME_USER },
		{ "entry_SYSCALL_64_after_hwframe", NULL, FRAME_KERNEL },
		{ "ext4_file_read_iter", "ext4", FRAME_KERNEL },
		{ "[late: irqs off or stolen]", NULL, FRAME_NOTE },
	};
	static const struct frame softirq[] = {
		{ "worker", NULL, FRAME_COMM }, { "main", "demo", FRAME_USER },
		{ "net_rx_action", NULL, FRAME_SOFTIRQ },
	};
	static const struct frame gap[] = { { "[gap]", NULL, FRAME_NOTE } };
	struct flame_options o = plain;
	struct tree *t = new_tree();

	(void)state;
	assert_int_equal(tree_add(t, stack, 2, 100, 100300000), 0);
	assert_int_equal(tree_add(t, stack, 3, 700, 702100000), 0);
	assert_int_equal(tree_add(t, stack, 4, 1, 1003009), 0);
	assert_int_equal(tree_add(t, stack, 5, 199, 199600000), 0);
	assert_int_equal(tree_add(t, stack, 6, 0, 12000000), 0);
	assert_int_equal(tree_add(t, softirq, NR(softirq), 33, 33100000), 0);
	assert_int_equal(tree_add(t, gap, NR(gap), 1, 2000000000), 0);
	draw_golden("flame-samples.svg", t, &o);
	o.unit = TREE_NS;
	o.width = 800;
	o.min_width = 100;
	draw_golden("flame-time.svg", t, &o);
	tree_destroy(t);
}

/* The same stacks in another order: the same bytes */
static void input_order_does_not_matter(void **state)
{
	struct tree *forth = new_tree(), *back = new_tree();
	struct flame_result r;
	char *x, *y;

	(void)state;
	for (int i = 0; i < 500; i++) {
		for (int way = 0; way < 2; way++) {
			int k = way ? 499 - i : i;
			char a[16], b[16];
			struct frame f[] = { { a, NULL, FRAME_COMM }, { b, NULL, FRAME_USER } };

			snprintf(a, sizeof(a), "t%d", k % 7);
			snprintf(b, sizeof(b), "f%d", k);
			assert_int_equal(tree_add(way ? back : forth, f, NR(f), 1, 1), 0);
		}
	}
	x = draw(forth, &plain, &r);
	y = draw(back, &plain, &r);
	assert_string_equal(x, y);
	free(x);
	free(y);
	tree_destroy(forth);
	tree_destroy(back);
}

static void extremes_are_drawn(void **state)
{
	const struct frame huge[] = { { "huge", NULL, FRAME_COMM }, { "f", NULL, FRAME_USER } };
	const struct frame one[] = { { "one", NULL, FRAME_COMM } };
	struct frame deep[TREE_MAX_DEPTH];
	struct tree *t = new_tree();
	struct flame_result r;
	struct drawn *d;
	size_t nr;

	(void)state;
	for (size_t i = 0; i < NR(deep); i++)
		deep[i] = (struct frame){ "deep", NULL, FRAME_USER };
	assert_int_equal(tree_add(t, huge, NR(huge), UINT64_MAX / 2, 0), 0);
	assert_int_equal(tree_add(t, deep, NR(deep), UINT64_MAX / 2, 0), 0);
	assert_int_equal(tree_add(t, one, NR(one), 1, 0), 0);
	d = draw_frames(t, &plain, &r, &nr);
	assert_int_equal(nr, TREE_MAX_DEPTH + 4);
	assert_int_equal(d[0].w, UINT64_MAX);
	for (size_t i = 0; i < nr; i++) {
		assert_true(d[i].px >= 16);
		assert_true(d[i].px + d[i].px_width <= 1184.01);
	}
	free(d);
	tree_destroy(t);
}

/* The same frames, each row at the mirrored place */
static void icicles_hang_down(void **state)
{
	struct flame_options o = plain;
	struct flame_result r;
	uint64_t sum;
	struct tree *t = random_tree(3, 200, &sum);
	struct drawn *up, *down;
	size_t nr, same;

	(void)state;
	up = draw_frames(t, &o, &r, &nr);
	o.icicle = true;
	down = draw_frames(t, &o, &r, &same);
	assert_int_equal(nr, same);
	assert_true(nr > 100);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(up[0].y - up[i].y, down[i].y - down[0].y);
		assert_int_equal(up[i].x, down[i].x);
		assert_int_equal(up[i].w, down[i].w);
	}
	free(up);
	free(down);
	tree_destroy(t);
}

/* What is taken out of the tree before is what would not have been drawn */
static void pruned_pictures_are_complete(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 5; seed++) {
		struct flame_options o = plain, before = plain;
		struct flame_result all, some;
		uint64_t sum;
		struct tree *t = random_tree(seed, 2000, &sum);
		struct tree *pruned = random_tree(seed, 2000, &sum);

		o.min_width = before.min_width = 80 * seed;
		free(draw(t, &o, &all));
		assert_int_equal(flame_prune(pruned, &before), 0);
		free(draw(pruned, &before, &some));
		assert_int_equal(some.drawn, all.drawn);
		assert_int_equal(some.drawn, pruned->nr_nodes);
		assert_int_equal(some.too_narrow, all.too_narrow);
		tree_destroy(t);
		tree_destroy(pruned);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(narrow_frames_are_counted),
		cmocka_unit_test(frames_have_a_budget),
		cmocka_unit_test(outer_frames_come_first),
		cmocka_unit_test(legends_have_shares),
		cmocka_unit_test(pictures_are_as_they_were),
		cmocka_unit_test(input_order_does_not_matter),
		cmocka_unit_test(extremes_are_drawn),
		cmocka_unit_test(icicles_hang_down),
		cmocka_unit_test(pruned_pictures_are_complete),
	};

	return cmocka_run_group_tests_name("flame", tests, NULL, NULL);
}
