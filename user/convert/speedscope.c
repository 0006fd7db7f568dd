// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope.c - writes speedscope's own format: one sampled profile
 *
 * The format's version is 1 (https://www.speedscope.app/file-format-schema.json). A shared table has each
 * frame once. A stack is a list of frame indices, outermost first. A second list has the weight of each
 * stack. Numbers of JavaScript are exact up to 2^53.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "convert/formats.h"

static void put_frames(FILE *out, const struct tree *t)
{
	fputs("\"shared\":{\"frames\":[", out);
	for (uint32_t i = 1; i < t->nr_frames; i++) {
		fputs(i == 1 ? "\n{\"name\":" : ",\n{\"name\":", out);
		json_string(out, t->frames[i].name);
		if (t->frames[i].file) {
			fputs(",\"file\":", out);
			json_string(out, t->frames[i].file);
		}
		putc('}', out);
	}
	fputs("]},\n", out);
}

/* Nodes are in an order with callers first: @path has the frames on the path to the present node */
static void put_stacks(FILE *out, const struct tree *t, enum tree_unit unit, uint32_t *path)
{
	const char *before = "\n[";

	fputs("\"samples\":[", out);
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		path[n->depth] = n->frame - 1;
		if (!tree_weight(&n->self, unit))
			continue;
		fputs(before, out);
		before = ",\n[";
		for (uint32_t d = 1; d <= n->depth; d++)
			fprintf(out, d == 1 ? "%" PRIu32 : ",%" PRIu32, path[d]);
		putc(']', out);
	}
	fputs("],\n\"weights\":[", out);
	before = "\n";
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		uint64_t weight = tree_weight(&t->nodes[i].self, unit);

		if (!weight)
			continue;
		fprintf(out, "%s%" PRIu64, before, weight);
		before = ",\n";
	}
	putc(']', out);
}

static int put_file(FILE *out, const struct tree *t, enum tree_unit unit, const char *title,
		    const struct source *s)
{
	uint32_t *path = calloc(TREE_MAX_DEPTH + 2, sizeof(*path));
	struct weight sum = tree_sum(t);

	(void)s;
	if (!path)
		return -ENOMEM;
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"kflame\",\"name\":", out);
	json_string(out, title);
	fputs(",\"activeProfileIndex\":0,\n", out);
	put_frames(out, t);
	fputs("\"profiles\":[{\"type\":\"sampled\",\"name\":", out);
	json_string(out, title);
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n",
		unit == TREE_NS ? "nanoseconds" : "none", tree_weight(&sum, unit));
	put_stacks(out, t, unit, path);
	fputs("}]}\n", out);
	free(path);
	return 0;
}

int convert_speedscope(FILE *out, struct source *s, enum tree_unit unit)
{
	return convert_by_tree(out, s, unit, put_file);
}
