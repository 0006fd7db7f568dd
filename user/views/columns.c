// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * columns.c - columns that several tables of frames share
 */
#include <string.h>

#include "base/text.h"
#include "views/columns.h"

#define MOST_FILE_CELLS	24u

const char *columns_kind(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_COMM:
		return "thread";
	case FRAME_USER:
		return "user";
	case FRAME_INLINED:
		return "inlined";
	case FRAME_KERNEL:
		return "kernel";
	case FRAME_SOFTIRQ:
		return "softirq";
	case FRAME_ROOT:
		return "group";
	case FRAME_SCRIPT:
		return "script";
	case FRAME_NOTE:
		break;
	}
	return "note";
}

static const char *kind_color(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_USER:
	case FRAME_INLINED:
		return "\033[33m";
	case FRAME_SCRIPT:
		return "\033[32m";
	case FRAME_KERNEL:
		return "\033[1;34m";
	case FRAME_SOFTIRQ:
		return "\033[1;35m";
	default:
		return "\033[2m";
	}
}

void columns_put_name(FILE *out, const struct frame *f, bool color)
{
	if (color)
		fputs(kind_color(f->kind), out);
	text_put(out, f->name);
	if (color)
		fputs("\033[0m", out);
}

int columns_amount_width(enum tree_unit unit)
{
	return unit == TREE_NS ? 15 : 11;
}

void columns_put_amount(FILE *out, const struct weight *w, enum tree_unit unit)
{
	char buf[TEXT_NUMBER];

	fprintf(out, "  %*s", columns_amount_width(unit),
		unit == TREE_NS ? text_ms(buf, w->ns) : text_count(buf, w->samples));
}

const char *columns_file(const struct frame *f)
{
	return f->file ? f->file : "-";
}

size_t columns_file_width(const struct function *rows, size_t nr)
{
	size_t most = strlen("File");

	for (size_t i = 0; i < nr; i++) {
		size_t cells = text_width(columns_file(rows[i].frame));

		if (cells > most)
			most = cells;
	}
	return most < MOST_FILE_CELLS ? most : MOST_FILE_CELLS;
}

void columns_put_file(FILE *out, const char *file, size_t cells)
{
	size_t width = text_width(file);

	if (width > cells) {
		fputs("..", out);
		while (width > cells - 2)
			width -= text_cells(text_next(&file));
		width += 2;
	}
	text_put(out, file);
	fprintf(out, "%*s  ", (int)(cells - width), "");
}

void columns_put_rest(FILE *out, uint64_t hidden, const char *all)
{
	char buf[TEXT_NUMBER];

	if (hidden)
		fprintf(out, "... and %s more (%s shows all)\n", text_count(buf, hidden), all);
}
