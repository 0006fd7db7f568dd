/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_rows.h - turns an annotation into rows, for text output and for the terminal browser
 */
#ifndef KFLAME_VIEWS_ANNOTATE_ROWS_H
#define KFLAME_VIEWS_ANNOTATE_ROWS_H

#include "views/annotate.h"

/** enum annotate_row_kind - the kinds of rows */
enum annotate_row_kind {
	ANNOTATE_SOURCE,	/* heading of source lines: @text is the path */
	ANNOTATE_LINE,		/* a source line: @number and @text */
	ANNOTATE_CODE,		/* heading of instructions: @text names the code */
	ANNOTATE_AT,		/* an instruction: @number is its address, @text the instruction */
	ANNOTATE_PLACE,		/* source of the next instructions: line @number of file @text */
	ANNOTATE_NOTE,		/* a remark about the rows that follow: @text */
	ANNOTATE_LEFT_OUT,	/* @number rows without samples were skipped */
};

/**
 * struct annotate_row - one row
 * @self:	NULL if the row has no samples
 * @inlined:	of instructions: samples of inlined functions; NULL if there are none
 * @total:	samples with callees; NULL if there are none
 *
 * The strings are valid until the callback returns.
 */
struct annotate_row {
	enum annotate_row_kind kind;
	uint64_t number;
	const char *text;
	const struct weight *self;
	const struct weight *inlined;
	const struct weight *total;
};

typedef int (*annotate_row_fn)(void *ctx, const struct annotate_row *row);

/**
 * annotate_each_row() - calls @fn for the source lines, file by file, and then for the instructions
 * @all:	do not skip rows without samples that are far from rows with samples
 *
 * Return: 0; -ENOMEM; or the first value other than 0 that @fn returned, which stops the loop.
 */
int annotate_each_row(const struct annotation *a, bool all, annotate_row_fn fn, void *ctx);

/** annotate_has_inlined() - Return: whether any function with samples was inlined into this one */
bool annotate_has_inlined(const struct annotation *a);

#endif
