/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h - columns that several tables of frames share
 */
#ifndef KFLAME_VIEWS_COLUMNS_H
#define KFLAME_VIEWS_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "views/functions.h"

/** columns_kind() - Return: the kind of a frame, in at most 7 letters */
const char *columns_kind(enum frame_kind kind);

/** columns_put_name() - writes the name of @f; @color: in the colour of its kind, for a terminal */
void columns_put_name(FILE *out, const struct frame *f, bool color);

/** columns_amount_width() - Return: width of an amount, in columns */
int columns_amount_width(enum tree_unit unit);

/** columns_put_amount() - writes two blanks, then samples or time */
void columns_put_amount(FILE *out, const struct weight *w, enum tree_unit unit);

/** columns_file_width() - Return: width of the file column for @rows, at least that of its heading */
size_t columns_file_width(const struct function *rows, size_t nr);

/** columns_put_file() - writes the name of a file; a long name keeps its end, which matters most */
void columns_put_file(FILE *out, const char *file, size_t cells);

/** columns_file() - Return: the file of @f; "-" if it has none */
const char *columns_file(const struct frame *f);

/** columns_put_rest() - reports how many rows are hidden, if any, and how to see them */
void columns_put_rest(FILE *out, uint64_t hidden, const char *all);

#endif
