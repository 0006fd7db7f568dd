// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * browser_draw.c - draws a browser on a screen
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "browse/browser.h"
#include "views/columns.h"

#define MOST_INDENT	40u	/* all deeper calls have this indentation */

/* Write as much of a text as fits.  Return: the column behind it */
static unsigned int put(const struct screen *s, unsigned int row, unsigned int col,
			const char *text, enum screen_look look, bool chosen)
{
	unsigned int cells = 0;
	char *fits = NULL;
	size_t size;
	FILE *out;

	if (row >= s->rows || col >= s->cols)
		return col;
	out = open_memstream(&fits, &size);
	if (!out)
		return col;
	while (*text) {
		uint32_t c = text_next(&text);

		if (cells + text_cells(c) > s->cols - col)
			break;
		cells += text_cells(c);
		text_put_char(out, c);
	}
	if (!fclose(out))
		s->put(s->ctx, row, col, fits, look, chosen);
	free(fits);
	return col + cells;
}

/* Fill the rest of a row with blanks, so that it has one background */
static void fill(const struct screen *s, unsigned int row, unsigned int col,
		 enum screen_look look, bool chosen)
{
	char *blanks = col < s->cols ? malloc(s->cols - col + 1) : NULL;

	if (!blanks)
		return;
	memset(blanks, ' ', s->cols - col);
	blanks[s->cols - col] = 0;
	s->put(s->ctx, row, col, blanks, look, chosen);
	free(blanks);
}

static enum screen_look look_of_frame(const struct frame *f)
{
	switch (f->kind) {
	case FRAME_USER:
	case FRAME_INLINED:
	case FRAME_SCRIPT:
		return SCREEN_USER;
	case FRAME_KERNEL:
		return SCREEN_KERNEL;
	case FRAME_SOFTIRQ:
		return SCREEN_SOFTIRQ;
	default:
		return SCREEN_DIM;
	}
}

static enum screen_look heat(uint64_t n, uint64_t whole)
{
	uint64_t share = scale(n, 1000, whole);

	return share >= 50 ? SCREEN_HOT : share >= 5 ? SCREEN_WARM : SCREEN_PLAIN;
}

static unsigned int put_share(const struct screen *s, unsigned int row, unsigned int col,
			      uint64_t n, uint64_t whole, bool chosen)
{
	char number[TEXT_NUMBER], text[TEXT_NUMBER + 8];

	snprintf(text, sizeof(text), "%7s ", n ? text_percent(number, n, whole, 2) : "");
	return put(s, row, col, text, n ? heat(n, whole) : SCREEN_PLAIN, chosen);
}

static unsigned int put_weights(const struct browser *b, const struct screen *s, unsigned int row,
				const struct browser_row *r, uint64_t whole, bool chosen)
{
	uint64_t self = r->weighted ? tree_weight(&r->self, b->unit) : 0;
	uint64_t total = r->weighted ? tree_weight(&r->total, b->unit) : 0;
	char number[TEXT_NUMBER], text[TEXT_NUMBER + 8];
	unsigned int col;

	col = put_share(s, row, 0, self, whole, chosen);
	col = put_share(s, row, col, total, whole, chosen);
	snprintf(text, sizeof(text), "%*s  ", columns_amount_width(b->unit), !self ? "" :
		 b->unit == TREE_NS ? text_ms(number, self) : text_count(number, self));
	return put(s, row, col, text, SCREEN_PLAIN, chosen);
}

static void draw_row(const struct browser *b, const struct screen *s, unsigned int row,
		     const struct browser_row *r, uint64_t whole, bool chosen)
{
	unsigned int col = 0, indent = 2 * r->level;
	char before[MOST_INDENT + 4];

	if (b->view.mode != BROWSE_HELP)
		col = put_weights(b, s, row, r, whole, chosen);
	if (r->text) {
		col = put(s, row, col, r->text, r->weighted || b->view.mode == BROWSE_HELP ?
			  SCREEN_PLAIN : SCREEN_DIM, chosen);
		fill(s, row, col, SCREEN_PLAIN, chosen);
		return;
	}
	if (b->view.mode != BROWSE_FUNCTIONS) {
		if (indent > MOST_INDENT)
			indent = MOST_INDENT;
		snprintf(before, sizeof(before), "%*s%c ", (int)indent, "", r->mark);
		col = put(s, row, col, before, SCREEN_DIM, chosen);
	}
	col = put(s, row, col, r->frame.name, look_of_frame(&r->frame), chosen);
	if (r->frame.file) {
		col = put(s, row, col, "  ", SCREEN_DIM, chosen);
		col = put(s, row, col, r->frame.file, SCREEN_DIM, chosen);
	}
	fill(s, row, col, SCREEN_PLAIN, chosen);
}

static void draw_title(const struct browser *b, const struct screen *s)
{
	static const char *const words[] = {
		[BROWSE_FUNCTIONS] = "Functions", [BROWSE_TREE] = "Call tree",
		[BROWSE_CALLERS] = "Callers of ", [BROWSE_CALLEES] = "Callees of ",
		[BROWSE_ANNOTATION] = "Annotation of ", [BROWSE_HELP] = "Keys",
	};
	unsigned int col = put(s, 0, 0, words[b->view.mode], SCREEN_HEADING, false);

	if (b->view.function)
		col = put(s, 0, col, b->view.function, SCREEN_HEADING, false);
	col = put(s, 0, col, "  ", SCREEN_HEADING, false);
	col = put(s, 0, col, b->source.title ? b->source.title : "", SCREEN_HEADING, false);
	fill(s, 0, col, SCREEN_HEADING, false);
}

static void draw_headings(const struct browser *b, const struct screen *s)
{
	bool by_self = b->sort == SORT_SELF && b->view.mode == BROWSE_FUNCTIONS;
	char line[80] = "";

	if (b->view.mode != BROWSE_HELP)
		snprintf(line, sizeof(line), "%7s %7s %*s  %s", by_self ? "Self*" : "Self",
			 by_self ? "Total" : "Total*", columns_amount_width(b->unit),
			 b->unit == TREE_NS ? "Self time" : "Self count",
			 b->view.mode == BROWSE_ANNOTATION ? "Line or instruction" : "Function");
	fill(s, 1, put(s, 1, 0, line, SCREEN_DIM, false), SCREEN_DIM, false);
}

void browser_draw(const struct browser *b, const struct screen *s)
{
	uint64_t whole = tree_weight(&b->source.t->nodes[TREE_ROOT].total, b->unit);

	draw_title(b, s);
	draw_headings(b, s);
	for (unsigned int i = 0; i < b->height; i++) {
		size_t row = b->view.top + i;
		bool chosen = row == b->view.cursor;

		if (row < b->nr)
			draw_row(b, s, BROWSER_HEAD + i, &b->rows[row], whole, chosen);
		else
			fill(s, BROWSER_HEAD + i, 0, SCREEN_PLAIN, false);
	}
	if (s->rows > BROWSER_HEAD + BROWSER_FOOT)
		fill(s, s->rows - 1, put(s, s->rows - 1, 0, b->message, SCREEN_PLAIN, false),
		     SCREEN_PLAIN, false);
}
