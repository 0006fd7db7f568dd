// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random stacks in a call tree, compared with a model that is too simple to be wrong: a list of all
 * paths, as text.  Names are one letter, so that paths sort as nodes do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stacks/tree_stacks.h"

enum { ROUNDS = 60, MOST_STACKS = 80, MOST_FRAMES = 12, LETTERS = 4 };

struct path {
	char text[MOST_FRAMES + 1];
	struct weight self;
	struct weight total;
};

struct model {
	struct path paths[MOST_STACKS * MOST_FRAMES];
	size_t nr;
};

static uint32_t seed;

static uint32_t below(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

static struct path *find_path(struct model *m, const char *text, size_t len)
{
	struct path *p;

	for (size_t i = 0; i < m->nr; i++)
		if (strlen(m->paths[i].text) == len && !memcmp(m->paths[i].text, text, len))
			return &m->paths[i];
	p = &m->paths[m->nr++];
	*p = (struct path){ 0 };
	memcpy(p->text, text, len);
	return p;
}

static void add_to_model(struct model *m, const char *text, const struct weight *w)
{
	size_t len = strlen(text);

	for (size_t i = 1; i <= len; i++)
		weight_add(&find_path(m, text, i)->total, w);
	weight_add(&find_path(m, text, len)->self, w);
}

static void add_to_tree(struct tree *t, const char *text, size_t shared, const struct weight *w)
{
	char names[MOST_FRAMES][2];
	struct frame frames[MOST_FRAMES];
	size_t nr = strlen(text);

	for (size_t i = 0; i < nr; i++) {
		snprintf(names[i], sizeof(names[i]), "%c", text[i]);
		/* What is said to be shared need not be read */
		frames[i] = (struct frame){ i < shared ? "unread" : names[i], NULL, FRAME_USER };
	}
	assert_int_equal(tree_add_next(t, shared, frames, nr, w->samples, w->ns), 0);
}

/* Goes some way with the one before, mostly; often as far as that one or a part of it */
static void next_stack(char *text)
{
	size_t len = strlen(text), same = below(4) ? below((uint32_t)len + 1) : 0;
	size_t more = below(MOST_FRAMES + 1 - (uint32_t)same);

	if (!(same + more))
		more = 1;
	for (size_t i = same; i < same + more; i++)
		text[i] = (char)('a' + below(LETTERS));
	text[same + more] = 0;
}

static void reverse(char *to, const char *from)
{
	size_t len = strlen(from);

	for (size_t i = 0; i < len; i++)
		to[i] = from[len - 1 - i];
	to[len] = 0;
}

/* The same stacks in a tree and in two models; @back has each stack the other way round */
static struct tree *add_stacks(struct model *forth, struct model *back)
{
	char text[MOST_FRAMES + 1] = "", last[MOST_FRAMES + 1] = "", turned[MOST_FRAMES + 1];
	struct tree *t = tree_create();

	assert_non_null(t);
	forth->nr = 0;
	back->nr = 0;
	for (uint32_t i = below(MOST_STACKS); i > 0; i--) {
		struct weight w = { below(8), below(8) };
		size_t same = 0;

		next_stack(text);
		while (text[same] && text[same] == last[same])
			same++;
		add_to_tree(t, text, below((uint32_t)same + 1), &w);
		add_to_model(forth, text, &w);
		reverse(turned, text);
		if (w.samples || w.ns)
			add_to_model(back, turned, &w);
		strcpy(last, text);
	}
	return t;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct path *)a)->text, ((const struct path *)b)->text);
}

static void assert_weights(const struct weight *is, const struct weight *want)
{
	assert_int_equal(is->samples, want->samples);
	assert_int_equal(is->ns, want->ns);
}

/* Every node, in order; the tree is finished, and freed */
static void assert_tree(struct tree *t, struct model *m)
{
	char text[MOST_FRAMES + 1] = "";

	qsort(m->paths, m->nr, sizeof(*m->paths), by_text);
	assert_int_equal(tree_finish(t), 0);
	assert_int_equal(t->nr_nodes, 1 + m->nr);
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		const struct path *p = &m->paths[i - 1];

		text[n->depth - 1] = t->frames[n->frame].name[0];
		text[n->depth] = 0;
		assert_string_equal(text, p->text);
		assert_int_equal(t->nodes[n->parent].depth, n->depth - 1);
		assert_true(n->parent < i);
		assert_weights(&n->self, &p->self);
		assert_weights(&n->total, &p->total);
	}
	tree_destroy(t);
}

/* Takes out of a model what weighs less; returns how many of these weighed anything */
static uint64_t prune(struct model *m, uint64_t least)
{
	uint64_t gone = 0;
	size_t kept = 0;

	for (size_t i = 0; i < m->nr; i++) {
		struct path *p = &m->paths[i];
		size_t len = strlen(p->text);

		if (p->total.samples >= least)
			continue;
		gone += p->total.samples != 0;
		/* All below are lighter: what ends there ends at the innermost that is heavy enough */
		while (--len) {
			struct path *up = find_path(m, p->text, len);

			if (up->total.samples >= least) {
				weight_add(&up->self, &p->self);
				break;
			}
		}
	}
	for (size_t i = 0; i < m->nr; i++)
		if (m->paths[i].total.samples >= least)
			m->paths[kept++] = m->paths[i];
	m->nr = kept;
	return gone;
}

static void nodes_are_those_of_the_model(void **state)
{
	static struct model forth, back;

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct tree *t, *turned;

		seed = round;
		t = add_stacks(&forth, &back);
		turned = tree_reverse(t);
		assert_non_null(turned);
		assert_tree(t, &forth);
		assert_tree(turned, &back);
	}
}

static void pruned_nodes_are_those_of_the_model(void **state)
{
	static const uint64_t least[] = { 0, 1, 2, 5, 20, 100, UINT64_MAX };
	static struct model forth, back;

	(void)state;
	for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
		struct tree *t;
		uint64_t gone;

		seed = round;
		t = add_stacks(&forth, &back);
		assert_int_equal(tree_prune(t, TREE_SAMPLES, least[round % 7], &gone), 0);
		assert_int_equal(gone, prune(&forth, least[round % 7]));
		assert_tree(t, &forth);
	}
}

static int take_from_model(void *model, const struct frame *frames, size_t nr, uint64_t samples,
			   uint64_t ns)
{
	char text[MOST_FRAMES + 1] = "";
	struct path *p;

	for (size_t i = 0; i < nr; i++)
		text[i] = frames[i].name[0];
	p = find_path(model, text, nr);
	assert_weights(&p->self, &(struct weight){ samples, ns });
	p->self = (struct weight){ 0, 0 };
	return 0;
}

/* Each stack once, with all that it weighs */
static void stacks_are_those_of_the_model(void **state)
{
	static struct model forth, back;

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct tree *t;

		seed = round;
		t = add_stacks(&forth, &back);
		assert_int_equal(tree_each_added(t, take_from_model, &forth), 0);
		for (size_t i = 0; i < forth.nr; i++)
			assert_weights(&forth.paths[i].self, &(struct weight){ 0, 0 });
		tree_destroy(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_those_of_the_model),
		cmocka_unit_test(pruned_nodes_are_those_of_the_model),
		cmocka_unit_test(stacks_are_those_of_the_model),
	};

	return cmocka_run_group_tests_name("tree model", tests, NULL, NULL);
}
