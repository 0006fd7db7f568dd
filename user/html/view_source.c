// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_source.c - the source lines and instructions of a document, as JSON
 *
 * A row has no weights: the browser adds up those of the facts that are shown. A fact has a spot, and a function has the
 * row of each spot.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "html/page_parts.h"
#include "views/annotate_rows.h"

#define MOST_BYTES	(1u << 20)	/* of all rows */
#define MOST_OF_ONE	(128u << 10)	/* of the rows of a function */
#define MOST_TEXT	400		/* of a line; the rest is cut */
#define ROW_BYTES	16		/* of a row without its text */

/* The rows of a function while they are made */
struct making {
	struct json *j;
	struct json_object *lines, *code, *to;	/* .to is one of the others */
	struct idmap row_of;		/* the row of each weight, by its address */
	struct frame_set *files;	/* paths of sources that are here */
	const char *source;		/* path of the lines that follow */
	size_t left;			/* bytes for all functions */
	size_t left_of_one;
	size_t nr_left_out;
};

/* Return: a text for the document: valid UTF-8 without control characters, and not too long */
static struct json_object *text_of(struct making *m, const char *s)
{
	char *clean, cut[MOST_TEXT + 8];
	struct json_object *o;
	size_t len = strlen(s);

	if (len > MOST_TEXT) {
		for (len = MOST_TEXT; len > MOST_TEXT - 4 && ((unsigned char)s[len] & 0xc0) == 0x80;)
			len--;
		snprintf(cut, sizeof(cut), "%.*s ...", (int)len, s);
		s = cut;
	}
	clean = text_clean(s);
	o = clean ? json_object_new_string(clean) : NULL;
	if (!o)
		m->j->err = -ENOMEM;
	free(clean);
	return o;
}

static void append(struct making *m, struct json_object *list, struct json_object *item)
{
	if (!list || json_object_array_add(list, item)) {
		json_object_put(item);
		m->j->err = -ENOMEM;
	}
}

/* Addresses may have 64 bits, so they are text */
static struct json_object *number_of(struct making *m, const struct annotate_row *row)
{
	char hex[20];

	if (row->kind != ANNOTATE_AT)
		return json_object_new_uint64(row->number);
	snprintf(hex, sizeof(hex), "%llx", (unsigned long long)row->number);
	return text_of(m, hex);
}

static bool has_room(struct making *m, const struct annotate_row *row)
{
	size_t bytes = ROW_BYTES + (row->text ? strnlen(row->text, MOST_TEXT) : 0);

	if (bytes > m->left || bytes > m->left_of_one)
		return false;
	m->left -= bytes;
	m->left_of_one -= bytes;
	return true;
}

/* Remember the path of a source whose text is in the document */
static int remember_file(struct making *m, const struct annotate_row *row)
{
	uint32_t number;

	if (row->kind != ANNOTATE_LINE || !row->text || !m->source)
		return 0;
	return frame_set_number(m->files, &(struct frame){ .name = m->source, .kind = FRAME_ROOT }, &number);
}

static int add_row(void *ctx, const struct annotate_row *row)
{
	struct json_object *o;
	struct making *m = ctx;
	int err;

	if (row->kind == ANNOTATE_SOURCE || row->kind == ANNOTATE_CODE)
		m->to = row->kind == ANNOTATE_SOURCE ? m->lines : m->code;
	if (row->kind == ANNOTATE_SOURCE)
		m->source = row->text;
	if (!has_room(m, row)) {
		m->nr_left_out++;
		return 0;
	}
	err = remember_file(m, row);
	if (!err && row->self)
		err = idmap_set(&m->row_of, (uintptr_t)row->self, (uint32_t)json_object_array_length(m->to));
	o = json_object_new_array();
	append(m, o, json_object_new_int(row->kind));
	append(m, o, number_of(m, row));
	if (row->text)
		append(m, o, text_of(m, row->text));
	append(m, m->to, o);
	return err ? err : m->j->err;
}

/* Return: the row of a weight, from 1; 0: it is not in the document */
static struct json_object *row_number(const struct making *m, const struct weight *w)
{
	uint32_t row = w ? idmap_find(&m->row_of, (uintptr_t)w) : INDEX_NONE;

	return json_object_new_uint64(row == INDEX_NONE ? 0 : row + 1ull);
}

/* Three numbers for each spot: the spot, its line and its instruction */
static struct json_object *uses_of(struct making *m, const struct self_annotations *s, uint32_t function)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < s->nr_uses; i++) {
		const struct self_use *u = &s->uses[i];
		const struct annotated_line *line;
		const struct annotated_at *at;

		if (u->function != function)
			continue;
		line = self_line_of(s, u);
		at = self_row_of(s, u);
		append(m, list, json_object_new_uint64(u->spot));
		append(m, list, row_number(m, line ? &line->self : NULL));
		append(m, list, row_number(m, at ? &at->self : NULL));
	}
	return list;
}

static struct json_object *function_of(struct making *m, const struct self_annotations *s, uint32_t function)
{
	struct json_object *o = json_object_new_object();
	int err;

	m->lines = json_object_new_array();
	m->code = json_object_new_array();
	m->left_of_one = MOST_OF_ONE;
	m->nr_left_out = 0;
	err = m->lines && m->code ? annotate_each_row(&s->all[function], false, add_row, m) : -ENOMEM;
	if (err)
		m->j->err = err;
	json_add(m->j, o, "lines", m->lines);
	json_add(m->j, o, "code", m->code);
	json_add(m->j, o, "uses", uses_of(m, s, function));
	json_add_count(m->j, o, "left_out", m->nr_left_out);
	idmap_exit(&m->row_of);
	return o;
}

/* The functions of the document's frames: two numbers for each frame that has one */
static void put_frames(struct making *m, const struct view_page *page)
{
	const struct frame_set *frames = &page->d->frames;
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < frames->nr; i++) {
		uint32_t function = self_function_of(page->source, &frames->all[i]);

		if (function == SELF_NONE)
			continue;
		append(m, list, json_object_new_uint64(page->d->frame_order[i]));
		append(m, list, json_object_new_uint64(function));
	}
	json_member(m->j, "frames", list);
}

static void put_all(struct making *m, const struct view_page *page)
{
	const struct self_annotations *s = page->source;

	json_list(m->j, "functions");
	for (uint32_t i = 0; i < s->nr; i++)
		json_row(m->j, function_of(m, s, i));
	json_list_end(m->j);
	put_frames(m, page);
	json_list(m->j, "files");
	for (uint32_t i = 0; i < m->files->nr; i++)
		json_row(m->j, text_of(m, m->files->all[i].name));
	json_list_end(m->j);
	json_member(m->j, "left_out", json_object_new_uint64(s->nr_left_out));
	json_member(m->j, "late", json_object_new_boolean(s->is_late));
}

void page_source(struct blob *b, const struct view_page *page)
{
	struct frame_set files = { 0 };
	struct json j;
	struct making m = { .j = &j, .files = &files, .left = MOST_BYTES };
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);

	if (!out) {
		b->err = -ENOMEM;
		return;
	}
	json_begin(&j, out);
	put_all(&m, page);
	if (json_end(&j))
		b->err = j.err;
	if (ferror(out))
		b->err = -ENOMEM;
	if (fclose(out))
		b->err = -ENOMEM;
	else
		blob_bytes(b, bytes, len);
	free(bytes);
	frame_set_exit(&files);
}
