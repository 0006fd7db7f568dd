// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * browser_rows.c - makes the rows of a view
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "browse/browser.h"
#include "views/butterfly.h"
#include "views/call_lines.h"

static const char *const help[] = {
	"Up Down PgUp PgDn Home End, or k j b Space g G    move",
	"f          functions",
	"t          call tree",
	"Enter      call tree: open or close; functions: what this one calls",
	"Right or + opens; Left or - closes, or goes to the caller",
	"e c        open, or close, all that is below",
	"< >        callers of this function; what it calls",
	"a          annotate this function: source lines and instructions",
	"/ n N      search for a part of a name; the next one, the one before",
	"s          sort functions by self, or by total",
	"u          samples, or time",
	"p          hold still (kflame top)",
	"o          waits, or CPU time (kflame top)",
	"Esc Backspace    back to where one was",
	"h ?        this help",
	"q          quit",
};

static void free_rows(struct browser *b)
{
	for (size_t i = 0; i < b->nr; i++)
		free(b->rows[i].text);
	b->nr = 0;
}

static int add_row(struct browser *b, const struct browser_row *row)
{
	int err = grow(&b->rows, b->nr, &b->cap, sizeof(*b->rows));

	if (!err)
		b->rows[b->nr++] = *row;
	return err;
}

/* Add a row of text; owns @text from here on */
static int add_text(struct browser *b, char *text, const struct annotate_row *from)
{
	struct browser_row row = { .text = text, .mark = ' ', .key = b->nr };
	int err = text ? 0 : -ENOMEM;

	if (from && from->total) {
		row.weighted = true;
		row.self = from->self ? *from->self : (struct weight){ 0 };
		row.total = *from->total;
	}
	if (!err)
		err = add_row(b, &row);
	if (err)
		free(text);
	return err;
}

static uint64_t key_of(uint64_t caller, const struct frame *f)
{
	uint64_t hash = hash_bytes(caller, f->name, strlen(f->name));

	return f->file ? hash_bytes(hash, f->file, strlen(f->file)) : hash;
}

static int add_functions(struct browser *b)
{
	struct functions f;
	int err = functions_collect(&f, b->source.t, b->unit, b->sort);

	for (size_t i = 0; !err && i < f.nr; i++)
		err = add_row(b, &(struct browser_row){
			.key = key_of(1, f.rows[i].frame), .mark = ' ', .weighted = true,
			.self = f.rows[i].self, .total = f.rows[i].total,
			.frame = *f.rows[i].frame });
	functions_exit(&f);
	return err;
}

/* ---------------------------------------------------------------- call trees */

bool browser_is_open(const struct browser *b, uint64_t key, bool usually)
{
	uint32_t said = idmap_find(&b->opened, key);

	return said == INDEX_NONE ? usually : said;
}

/* Return: a key for each node, a hash of its path, which finds the same node in a newer tree */
static uint64_t *make_keys(const struct tree *t, uint64_t seed)
{
	uint64_t *keys = malloc(t->nr_nodes * sizeof(*keys));

	if (!keys)
		return NULL;
	keys[TREE_ROOT] = seed;
	for (uint32_t i = 1; i < t->nr_nodes; i++)
		keys[i] = key_of(keys[t->nodes[i].parent], &t->frames[t->nodes[i].frame]);
	return keys;
}

/* Add the lines that are not below a closed row */
static int add_lines(struct browser *b, const struct tree *t, const struct call_lines *l,
		     const uint64_t *keys)
{
	uint32_t closed = UINT32_MAX;	/* depth of the closed row */
	int err = 0;

	for (size_t i = 0; !err && i < l->nr; i++) {
		const struct tree_node *n = &t->nodes[l->all[i].node];
		struct browser_row row = {
			.key = keys[l->all[i].node], .level = l->all[i].level, .mark = ' ',
			.weighted = true, .self = n->self, .total = n->total,
			.frame = t->frames[n->frame],
		};

		if (n->depth > closed)
			continue;
		closed = UINT32_MAX;
		if (i + 1 < l->nr && t->nodes[l->all[i + 1].node].parent == l->all[i].node) {
			bool only = n->depth < 2 && b->view.mode != BROWSE_TREE;

			row.mark = browser_is_open(b, row.key, only) ? '-' : '+';
			if (row.mark == '+')
				closed = n->depth;
		}
		err = add_row(b, &row);
	}
	return err;
}

static int add_tree(struct browser *b, const struct tree *t)
{
	uint64_t *keys = make_keys(t, b->view.mode);
	struct call_lines l = { 0 };
	int err = keys ? call_lines_make(&l, t, b->unit, 0) : -ENOMEM;

	if (!err)
		err = add_lines(b, t, &l, keys);
	call_lines_exit(&l);
	free(keys);
	return err;
}

/* A newer tree may lack a function of an older one */
static bool has_function(const struct tree *t, const char *name)
{
	for (uint32_t i = 1; i < t->nr_frames; i++)
		if (t->frames[i].kind != FRAME_COMM && t->frames[i].kind != FRAME_ROOT &&
		    !strcmp(t->frames[i].name, name))
			return true;
	return false;
}

static int add_wing(struct browser *b)
{
	struct butterfly f;
	struct tree *t = NULL;
	int err;

	if (!has_function(b->source.t, b->view.function))
		return add_text(b, strdup("[no samples of it now]"), NULL);
	err = butterfly_find(&f, b->source.t, b->view.function);
	if (err)
		return err;
	err = b->view.mode == BROWSE_CALLERS ? butterfly_callers(&f, &t)
					     : butterfly_callees(&f, &t);
	butterfly_exit(&f);
	tree_destroy(b->wing);
	b->wing = t;
	return err ? err : add_tree(b, t);
}

/* --------------------------------------------------------------- annotation */

static int take_row(void *browser, const struct annotate_row *row)
{
	struct browser *b = browser;
	const char *text = row->text ? row->text : "";
	char *line;
	int len;

	switch (row->kind) {
	case ANNOTATE_SOURCE:
		len = asprintf(&line, "Lines%s%s", *text ? " of " : "", text);
		break;
	case ANNOTATE_CODE:
		len = asprintf(&line, "Instructions: %s", text);
		break;
	case ANNOTATE_LINE:
		len = asprintf(&line, "%6" PRIu64 "  %s", row->number, text);
		break;
	case ANNOTATE_AT:
		len = asprintf(&line, "%12" PRIx64 "  %s", row->number, text);
		break;
	case ANNOTATE_PLACE:
		len = asprintf(&line, "        ; %s:%" PRIu64, text, row->number);
		break;
	case ANNOTATE_LEFT_OUT:
		len = asprintf(&line, "... %" PRIu64 " without samples", row->number);
		break;
	default:
		len = asprintf(&line, "(%s)", text);
		break;
	}
	return add_text(b, len < 0 ? NULL : line, row);
}

static int add_annotation(struct browser *b)
{
	const struct tree *t = b->source.t;
	struct annotation a = { 0 };
	struct frame f = { 0 };
	int err = -ENOENT;

	for (uint32_t i = 1; i < t->nr_frames && err == -ENOENT; i++) {
		f = t->frames[i];
		if (f.kind != FRAME_COMM && f.kind != FRAME_ROOT && f.kind != FRAME_NOTE &&
		    !strcmp(f.name, b->view.function) && !f.file == !b->view.file &&
		    (!f.file || !strcmp(f.file, b->view.file)))
			err = b->source.annotate(b->source.ctx, &f, &a);
	}
	if (err == -ENOENT)
		return add_text(b, strdup("[it is no function]"), NULL);
	if (!err)
		err = annotate_each_row(&a, false, take_row, b);
	annotation_exit(&a);
	return err;
}

int browser_make_rows(struct browser *b)
{
	int err = 0;

	free_rows(b);
	switch (b->view.mode) {
	case BROWSE_FUNCTIONS:
		return add_functions(b);
	case BROWSE_TREE:
		return add_tree(b, b->source.t);
	case BROWSE_CALLERS:
	case BROWSE_CALLEES:
		return add_wing(b);
	case BROWSE_ANNOTATION:
		return add_annotation(b);
	case BROWSE_HELP:
		for (size_t i = 0; !err && i < sizeof(help) / sizeof(*help); i++)
			err = add_text(b, strdup(help[i]), NULL);
		return err;
	}
	return 0;
}
