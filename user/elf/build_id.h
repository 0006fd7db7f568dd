/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id.h - which build of the kernel it is: its build-id
 */
#ifndef KFLAME_ELF_BUILD_ID_H
#define KFLAME_ELF_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/**
 * build_id_in_notes() - find the build-id among ELF notes, which may be cut or damaged
 * @align:	that notes are padded to: 8, all else means 4
 * @id_len:	out: bytes of the build-id, at least 1
 *
 * Return: where in @notes it is; NULL for none
 */
const unsigned char *build_id_in_notes(const void *notes, size_t len, uint64_t align, size_t *id_len);

/** struct kernel_id - a build-id; .len 0: not known */
struct kernel_id {
	uint8_t bytes[KFLAME_BUILD_ID_MAX];
	size_t len;
};

/** struct kernel_id_text - as people write it; "" for none */
struct kernel_id_text {
	char hex[2 * KFLAME_BUILD_ID_MAX + 1];
};

/** kernel_id_running() - Return: that of the running kernel, by /sys/kernel/notes */
struct kernel_id kernel_id_running(void);

/** kernel_id_of_notes() - Return: the build-id as build_id_in_notes(); one that is longer is cut */
struct kernel_id kernel_id_of_notes(const void *notes, size_t len);

/** kernel_id_parse() - from text; NULL, and what is no build-id, are none */
struct kernel_id kernel_id_parse(const char *hex);

/** kernel_id_show() - Return: the text of it */
struct kernel_id_text kernel_id_show(const struct kernel_id *id);

/** kernel_id_same() - Return: whether both are known and the same */
bool kernel_id_same(const struct kernel_id *a, const struct kernel_id *b);

#endif
