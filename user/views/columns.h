/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h - the columns that tables of frames have in common
 */
#ifndef KFLAME_VIEWS_COLUMNS_H
#define KFLAME_VIEWS_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "views/functions.h"

/** columns_kind() - Return: what a frame is, in a word of at most 7 letters */
const char *columns_kind(enum frame_kind kind);

/** columns_put_name() - writes the name of @f; @color: in that of its kind, for a terminal */
void columns_put_name(FILE *out, const struct frame *f, bool color);

/** columns_amount_width() - Return: columns of an amount */
int columns_amount_width(enum tree_unit unit);

/** columns_put_amount() - writes samples, or time, and two blanks before it */
void columns_put_amount(FILE *out, const struct weight *w, enum tree_unit unit);

/** columns_file_width() - Return: columns for the files of @rows, and for their heading */
size_t columns_file_width(const struct function *rows, size_t nr);

/** columns_put_file() - writes a file's name; a long one keeps its end, which tells more */
void columns_put_file(FILE *out, const char *file, size_t cells);

/** columns_file() - Return: the file of @f, "-" where it has none */
const char *columns_file(const struct frame *f);

/** columns_put_rest() - says that @hidden rows were left out, if any were, and how to see them */
void columns_put_rest(FILE *out, uint64_t hidden, const char *all);

#endif
