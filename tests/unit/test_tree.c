// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stacks/tree.h"

#define COMM(n)		{ .name = n, .kind = FRAME_COMM }
#define USER(n)		{ .name = n, .kind = FRAME_USER }
#define KERNEL(n)	{ .name = n, .kind = FRAME_KERNEL }
#define NOTE(n)		{ .name = n, .kind = FRAME_NOTE }
#define NR(a)		(sizeof(a) / sizeof((a)[0]))

static struct tree *new_tree(void)
{
	struct tree *t = tree_create();

	assert_non_null(t);
	return t;
}

static void assert_weight(const struct weight *w, uint64_t samples, uint64_t ns)
{
	assert_int_equal(w->samples, samples);
	assert_int_equal(w->ns, ns);
}

static const char *name_of(const struct tree *t, uint32_t i)
{
	return t->frames[t->nodes[i].frame].name;
}

static void sums_and_order(void **state)
{
	const struct frame ab[] = { COMM("sh"), USER("main"), USER("b") };
	const struct frame aa[] = { COMM("sh"), USER("main"), USER("a") };
	const struct frame m[] = { COMM("sh"), USER("main") };
	struct tree *t = new_tree();
	const struct tree_node *root;

	(void)state;
	assert_int_equal(tree_add(t, ab, NR(ab), 1, 10), 0);
	assert_int_equal(tree_add(t, aa, NR(aa), 2, 20), 0);
	assert_int_equal(tree_add(t, ab, NR(ab), 4, 40), 0);
	assert_int_equal(tree_add(t, m, NR(m), 8, 80), 0);
	assert_int_equal(tree_finish(t), 0);

	assert_int_equal(t->nr_nodes, 5);
	root = &t->nodes[TREE_ROOT];
	assert_weight(&root->total, 15, 150);
	assert_weight(&root->self, 0, 0);
	assert_string_equal(name_of(t, 0), "all");
	assert_string_equal(name_of(t, 1), "sh");
	assert_string_equal(name_of(t, 2), "main");
	assert_string_equal(name_of(t, 3), "a");
	assert_string_equal(name_of(t, 4), "b");
	assert_weight(&t->nodes[2].self, 8, 80);
	assert_weight(&t->nodes[2].total, 15, 150);
	assert_weight(&t->nodes[4].total, 5, 50);
	assert_int_equal(t->nodes[4].depth, 3);
	tree_destroy(t);
}

/* Name, file and kind all make a frame another one */
static void frames_are_told_apart(void **state)
{
	const struct frame kinds[] = {
		USER("f"), KERNEL("f"), NOTE("f"), USER("g"),
		{ .name = "f", .file = "libx.so", .kind = FRAME_USER },
		{ .name = "f", .file = "", .kind = FRAME_USER },
	};
	struct tree *t = new_tree();

	(void)state;
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < NR(kinds); i++)
			assert_int_equal(tree_add(t, &kinds[i], 1, 1, 0), 0);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(t->nr_nodes, 1 + NR(kinds));
	assert_int_equal(t->nr_frames, 1 + NR(kinds));
	for (uint32_t i = 1; i < t->nr_nodes; i++)
		assert_int_equal(t->nodes[i].self.samples, 2);
	tree_destroy(t);
}

/* A thread named as the root is still a child of it */
static void root_is_not_a_frame_of_stacks(void **state)
{
	const struct frame all[] = { COMM("all") };
	struct tree *t = new_tree();

	(void)state;
	assert_int_equal(tree_add(t, all, 1, 1, 1), 0);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(t->nr_frames, 2);
	assert_int_equal(t->nodes[1].frame, 1);
	tree_destroy(t);
}

static void deep_stacks_end_in_a_note(void **state)
{
	size_t nr = TREE_MAX_DEPTH + 5000;
	struct frame *f = calloc(nr, sizeof(*f));
	struct tree *t = new_tree();
	const struct tree_node *last;

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < nr; i++)
		f[i] = (struct frame)USER("recurse");
	assert_int_equal(tree_add(t, f, TREE_MAX_DEPTH, 1, 1), 0);
	assert_int_equal(tree_add(t, f, nr, 2, 2), 0);
	assert_int_equal(tree_add(t, f, TREE_MAX_DEPTH + 1, 4, 4), 0);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(t->nr_nodes, 2 + TREE_MAX_DEPTH);
	/* '[' is before 'r' */
	last = &t->nodes[t->nr_nodes - 2];
	assert_string_equal(t->frames[last->frame].name, TREE_DEEPER);
	assert_int_equal(last->depth, TREE_MAX_DEPTH);
	assert_weight(&last->self, 6, 6);
	assert_weight(&t->nodes[TREE_ROOT].total, 7, 7);
	free(f);
	tree_destroy(t);
}

static void sums_do_not_wrap(void **state)
{
	const struct frame a[] = { COMM("a") }, b[] = { COMM("b") };
	struct tree *t = new_tree();

	(void)state;
	assert_int_equal(tree_add(t, a, 1, UINT64_MAX - 1, 5), 0);
	assert_int_equal(tree_add(t, b, 1, 2, 0), -EOVERFLOW);
	assert_int_equal(tree_add(t, b, 1, 0, UINT64_MAX), -EOVERFLOW);
	assert_int_equal(tree_add(t, b, 1, 1, 0), 0);
	assert_int_equal(tree_finish(t), 0);
	assert_weight(&t->nodes[TREE_ROOT].total, UINT64_MAX, 5);
	tree_destroy(t);
}

static void idle_can_be_dropped(void **state)
{
	const struct frame idle[] = { COMM("swapper"), NOTE("[idle]") };
	const struct frame late[] = { COMM("swapper"), NOTE("[idle]"), NOTE("[late]") };
	const struct frame irq[] = { COMM("swapper"), KERNEL("net_rx"), NOTE("[idle]") };
	const struct frame user[] = { COMM("x"), USER("[idle]") };
	struct tree *t = new_tree();
	struct weight w;

	(void)state;
	assert_int_equal(tree_add(t, idle, NR(idle), 100, 1000), 0);
	assert_int_equal(tree_add(t, late, NR(late), 0, 500), 0);
	assert_int_equal(tree_add(t, irq, NR(irq), 3, 30), 0);
	assert_int_equal(tree_add(t, user, NR(user), 4, 40), 0);
	assert_true(stack_is_idle(late, NR(late)));
	assert_false(stack_is_idle(irq, NR(irq)));
	assert_false(stack_is_idle(idle, 1));
	w = tree_idle(t);
	assert_weight(&w, 100, 1500);
	tree_drop_idle(t);
	w = tree_sum(t);
	assert_weight(&w, 7, 70);
	w = tree_idle(t);
	assert_weight(&w, 0, 0);
	assert_int_equal(tree_finish(t), 0);
	assert_weight(&t->nodes[TREE_ROOT].total, 7, 70);
	tree_destroy(t);
}

/* Enough distinct frames and stacks that every table grows several times */
static void many_stacks(void **state)
{
	enum { STACKS = 100000 };
	struct tree *t = new_tree();
	uint64_t sum = 0;

	(void)state;
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < STACKS; i++) {
			char inner[32], outer[32];
			struct frame f[] = { COMM("many"), USER(outer), KERNEL(inner) };

			snprintf(outer, sizeof(outer), "outer_%u", i % 317);
			snprintf(inner, sizeof(inner), "inner_%u", i);
			assert_int_equal(tree_add(t, f, NR(f), i, 3 * i), 0);
			sum += i;
		}
	}
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(t->nr_nodes, 1 + 1 + 317 + STACKS);
	assert_int_equal(t->nr_frames, 1 + 1 + 317 + STACKS);
	assert_weight(&t->nodes[TREE_ROOT].total, sum, 3 * sum);
	for (uint32_t i = 1; i < t->nr_nodes; i++)
		assert_true(t->nodes[i].parent < i);
	tree_destroy(t);
}

/* Reads a tree back in order, as text */
static char *dump(struct tree *t)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(tree_finish(t), 0);
	for (uint32_t i = 0; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		fprintf(f, "%u %s %s %d %llu\n", n->depth, t->frames[n->frame].name,
			t->frames[n->frame].file ? t->frames[n->frame].file : "-",
			(int)t->frames[n->frame].kind, (unsigned long long)n->total.samples);
	}
	fclose(f);
	tree_destroy(t);
	return text;
}

static void order_does_not_depend_on_input_order(void **state)
{
	static const char *const names[] = { "a", "b", "c", "B", "\xc3\xa9" };
	struct tree *forth = new_tree(), *back = new_tree();
	char *x, *y;

	(void)state;
	for (size_t i = 0; i < 625; i++) {
		for (int way = 0; way < 2; way++) {
			size_t k = way ? 624 - i : i;
			struct frame f[] = {
				{ names[k % 5], NULL, FRAME_COMM },
				{ names[k / 5 % 5], k % 3 ? "lib" : NULL, FRAME_USER },
				{ names[k / 25 % 5], NULL, FRAME_KERNEL },
				{ names[k / 125], NULL, FRAME_NOTE },
			};

			assert_int_equal(tree_add_stack(way ? back : forth, f, 1 + k % 4, k, 0),
					 0);
		}
	}
	x = dump(forth);
	y = dump(back);
	assert_string_equal(x, y);
	free(x);
	free(y);
}

/* Five levels of random stacks; the same for the same @seed */
static struct tree *random_tree(uint32_t seed, uint32_t stacks)
{
	struct tree *t = new_tree();

	for (uint32_t i = 0; i < stacks; i++) {
		char names[5][4];
		struct frame f[5];

		for (size_t k = 0; k < NR(f); k++) {
			seed = seed * 1664525 + 1013904223;
			snprintf(names[k], sizeof(names[k]), "%c", 'a' + (seed >> 20) % 6);
			f[k] = (struct frame)USER(names[k]);
		}
		assert_int_equal(tree_add(t, f, 1 + seed % NR(f), seed >> 25, 1), 0);
	}
	return t;
}

/* What stays weighs what it did, and nothing of that size is missing */
static void pruning_keeps_what_is_large(void **state)
{
	static const uint64_t least[] = { 0, 1, 64, 300, 2000, UINT64_MAX };

	(void)state;
	for (size_t k = 0; k < NR(least); k++) {
		struct tree *all = random_tree(3, 3000), *some = random_tree(3, 3000);
		uint64_t gone, small = 0;
		uint32_t at = 0;

		assert_int_equal(tree_prune(some, TREE_SAMPLES, least[k], &gone), 0);
		assert_int_equal(tree_finish(some), 0);
		assert_int_equal(tree_finish(all), 0);
		for (uint32_t i = 0; i < all->nr_nodes; i++) {
			const struct tree_node *a = &all->nodes[i], *b;

			if (i && a->total.samples < least[k]) {
				small += a->total.samples != 0;
				continue;
			}
			assert_true(at < some->nr_nodes);
			b = &some->nodes[at++];
			assert_string_equal(all->frames[a->frame].name, some->frames[b->frame].name);
			assert_int_equal(a->depth, b->depth);
			assert_weight(&b->total, a->total.samples, a->total.ns);
		}
		assert_int_equal(at, some->nr_nodes);
		assert_int_equal(gone, small);
		tree_destroy(all);
		tree_destroy(some);
	}
}

/* Each stack the other way round; twice is what there was */
static void reversed_stacks(void **state)
{
	const struct frame abc[] = { COMM("sh"), USER("b"), KERNEL("c") };
	const struct frame ac[] = { COMM("other"), KERNEL("c") };
	struct tree *t = new_tree(), *back, *forth;

	(void)state;
	assert_int_equal(tree_add(t, abc, NR(abc), 1, 10), 0);
	assert_int_equal(tree_add(t, ac, NR(ac), 2, 20), 0);
	back = tree_reverse(t);
	assert_non_null(back);
	forth = tree_reverse(back);
	assert_non_null(forth);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(tree_finish(back), 0);
	assert_int_equal(back->nr_nodes, 5);
	assert_string_equal(name_of(back, 1), "c");
	assert_weight(&back->nodes[1].total, 3, 30);
	assert_string_equal(name_of(back, 2), "b");
	assert_string_equal(name_of(back, 3), "sh");
	assert_string_equal(name_of(back, 4), "other");
	assert_int_equal(tree_finish(forth), 0);
	assert_int_equal(forth->nr_nodes, t->nr_nodes);
	assert_string_equal(name_of(forth, 1), "other");
	tree_destroy(t);
	tree_destroy(back);
	tree_destroy(forth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_order),
		cmocka_unit_test(frames_are_told_apart),
		cmocka_unit_test(root_is_not_a_frame_of_stacks),
		cmocka_unit_test(deep_stacks_end_in_a_note),
		cmocka_unit_test(sums_do_not_wrap),
		cmocka_unit_test(idle_can_be_dropped),
		cmocka_unit_test(many_stacks),
		cmocka_unit_test(reversed_stacks),
		cmocka_unit_test(pruning_keeps_what_is_large),
		cmocka_unit_test(order_does_not_depend_on_input_order),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
