// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_json.c - writes the comparison of two profiles as JSON
 */
#include <errno.h>
#include <stdlib.h>

#include "stacks/tree_stacks.h"
#include "views/diff.h"
#include "views/diff_words.h"
#include "views/json_parts.h"

static const char *const sides[] = { "base", "other" };

static struct json_object *side(struct json *j, const struct diff *d, enum diff_side s)
{
	struct json_object *o = json_object_new_object();
	char letter[2] = { d->letter[s], 0 };

	json_add_text(j, o, "letter", letter);
	json_add_text(j, o, "input", d->name[s]);
	json_add_text(j, o, "recorded", d->line[s]);
	json_add_weight(j, o, "shown", diff_whole(d, s));
	return o;
}

static struct json_object *compared(struct json *j, const struct diff *d)
{
	struct json_object *o = json_object_new_object();

	json_add_text(j, o, "measure", d->o.sort == SORT_TOTAL ? "total" : "self");
	json_add_text(j, o, "unit", d->o.unit == TREE_NS ? "ns" : diff_counted(d));
	json_add(j, o, "raw", json_object_new_boolean(d->o.raw));
	json_add_text(j, o, "test", diff_test_words(d));
	return o;
}

static struct json_object *row(struct json *j, const struct diff *d, const struct diff_row *r)
{
	struct json_object *o = json_object_new_object();

	json_add_frame(j, o, r->frame);
	for (int s = 0; s < 2; s++) {
		struct json_object *weights = json_object_new_object();

		json_add_weight(j, weights, "self", &r->self[s]);
		json_add_weight(j, weights, "total", &r->total[s]);
		json_add(j, o, sides[s], weights);
	}
	if (d->o.counted)
		json_add_text(j, o, "p", NULL);
	else
		json_add(j, o, "p", json_object_new_double(r->p));
	json_add(j, o, "changed", json_object_new_boolean(r->trusted));
	return o;
}

static struct json_object *path(struct json *j, const struct tree *t, uint32_t node,
				struct frame *frames)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	size_t nr = tree_stack(t, node, frames);

	for (size_t i = 0; i < nr; i++) {
		struct json_object *f = json_object_new_object();

		json_add_frame(j, f, &frames[i]);
		if (!list || json_object_array_add(list, f))
			j->err = -ENOMEM;
	}
	json_add(j, o, "path", list);
	json_add_weight(j, o, "total", &t->nodes[node].total);
	return o;
}

static int put_paths(struct json *j, const struct diff *d, enum diff_side s)
{
	struct frame *frames = calloc(TREE_MAX_DEPTH + 1, sizeof(*frames));
	struct diff_paths paths = { 0 };
	int err = diff_tree_only(&paths, &d->paths, s, d->o.unit);

	if (!err && frames) {
		json_list(j, s == DIFF_BASE ? "vanished" : "new");
		for (size_t i = 0; i < paths.nr; i++)
			json_row(j, path(j, d->paths.side[s], paths.nodes[i], frames));
		json_list_end(j);
	} else {
		err = -ENOMEM;
	}
	free(paths.nodes);
	free(frames);
	return err;
}

int diff_json(FILE *out, const struct diff *d)
{
	struct diff_rows rows;
	struct json j;
	int err = diff_rows_make(&rows, d);

	if (err)
		return err;
	json_begin(&j, out);
	for (int s = 0; s < 2; s++)
		json_member(&j, sides[s], side(&j, d, s));
	json_member(&j, "compared", compared(&j, d));
	json_list(&j, "by_function");
	for (size_t i = 0; i < rows.nr; i++)
		json_row(&j, row(&j, d, &rows.all[i]));
	json_list_end(&j);
	free(rows.all);
	err = put_paths(&j, d, DIFF_OTHER);
	if (!err)
		err = put_paths(&j, d, DIFF_BASE);
	return err ? err : json_end(&j);
}
