/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base64.h - writes bytes as base64, which arrive in pieces of any length
 */
#ifndef KFLAME_BASE_BASE64_H
#define KFLAME_BASE_BASE64_H

#include <stdint.h>
#include <stdio.h>

/** struct base64 - the text that is being written; all zero but for @out is its begin */
struct base64 {
	FILE *out;
	uint32_t bits;
	unsigned int nr;	/* bytes in .bits */
};

/** base64_put() - writes some bytes; the caller checks .out for errors */
void base64_put(struct base64 *e, const void *bytes, size_t len);

/** base64_end() - writes the remaining bytes */
void base64_end(struct base64 *e);

#endif
