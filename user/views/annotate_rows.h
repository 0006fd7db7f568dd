/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_rows.h - an annotation as rows, for whoever draws them: text, a terminal
 */
#ifndef KFLAME_VIEWS_ANNOTATE_ROWS_H
#define KFLAME_VIEWS_ANNOTATE_ROWS_H

#include "views/annotate.h"

/** enum annotate_row_kind - what a row is */
enum annotate_row_kind {
	ANNOTATE_SOURCE,	/* heading of lines: @text is the file's path */
	ANNOTATE_LINE,		/* @number is the line, @text what it says */
	ANNOTATE_CODE,		/* heading of instructions: @text is whose */
	ANNOTATE_AT,		/* @number is an address, @text the instruction */
	ANNOTATE_PLACE,		/* the instructions that follow are of line @number of @text */
	ANNOTATE_NOTE,		/* @text says something about what follows */
	ANNOTATE_LEFT_OUT,	/* @number rows without samples are not there */
};

/**
 * struct annotate_row - one row
 * @self:	NULL where the row has no samples
 * @inlined:	samples of inlined functions, of instructions; NULL where the row has none
 * @total:	with callees; NULL where the row has none
 *
 * Strings are there until the callback returns.
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
 * annotate_each_row() - source lines, file by file, then instructions
 * @all:	also rows without samples that are far from any with some
 *
 * Return: 0, -ENOMEM, or what @fn returned other than 0, which ends it.
 */
int annotate_each_row(const struct annotation *a, bool all, annotate_row_fn fn, void *ctx);

/** annotate_has_inlined() - Return: whether anything was inlined into the function that has samples */
bool annotate_has_inlined(const struct annotation *a);

#endif
