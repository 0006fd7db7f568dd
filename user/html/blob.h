/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blob.h - columns of numbers as bytes, and bytes as deflated base64
 *
 * A number is written in groups of seven bits, the lowest first. All but the last group have bit 7 set.
 */
#ifndef KFLAME_HTML_BLOB_H
#define KFLAME_HTML_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct blob - bytes that grow; all zero is an empty one
 * @err:	0, or -ENOMEM after memory ran out for the first time
 */
struct blob {
	uint8_t *bytes;
	size_t len, cap;
	int err;
};

/** blob_number() - appends a number */
void blob_number(struct blob *b, uint64_t n);

/** blob_signed() - appends a number that may be negative */
void blob_signed(struct blob *b, int64_t n);

/** blob_bytes() - appends bytes */
void blob_bytes(struct blob *b, const void *bytes, size_t len);

/** blob_text() - appends a text without its NUL byte, with unsafe characters replaced: see text_clean() */
void blob_text(struct blob *b, const char *s);

/** blob_column() - appends the length of @column and its bytes, and empties @column */
void blob_column(struct blob *b, struct blob *column);

/**
 * blob_write() - writes a blob in base64
 * @deflates:	compress it first
 *
 * The caller checks @out for errors. Return: 0 or -ENOMEM.
 */
int blob_write(FILE *out, const struct blob *b, bool deflates);

void blob_exit(struct blob *b);

#endif
