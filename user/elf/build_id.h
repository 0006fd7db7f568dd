/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id.h - the build-id, which identifies a build of the kernel
 */
#ifndef KFLAME_ELF_BUILD_ID_H
#define KFLAME_ELF_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/**
 * build_id_in_notes() - find the build-id in ELF notes, which may be cut or damaged
 * @align:	alignment of the notes: 8, or any other value for 4
 * @id_len:	out: bytes of the build-id, at least 1
 *
 * Return: address of the build-id in @notes; NULL if there is none
 */
const unsigned char *build_id_in_notes(const void *notes, size_t len, uint64_t align, size_t *id_len);

/** struct kernel_id - a build-id; .len is 0 if it is not known */
struct kernel_id {
	uint8_t bytes[KFLAME_BUILD_ID_MAX];
	size_t len;
};

/** struct kernel_id_text - a build-id in hexadecimal; "" for none */
struct kernel_id_text {
	char hex[2 * KFLAME_BUILD_ID_MAX + 1];
};

/** kernel_id_running() - Return: the build-id of the running kernel, from /sys/kernel/notes */
struct kernel_id kernel_id_running(void);

/** kernel_id_of_notes() - Return: the build-id that build_id_in_notes() finds; a longer one is cut */
struct kernel_id kernel_id_of_notes(const void *notes, size_t len);

/** kernel_id_parse() - Return: the build-id of @hex; an unknown one if @hex is NULL or no build-id */
struct kernel_id kernel_id_parse(const char *hex);

/** kernel_id_show() - Return: a build-id as text */
struct kernel_id_text kernel_id_show(const struct kernel_id *id);

/** kernel_id_same() - Return: whether both build-ids are known and equal */
bool kernel_id_same(const struct kernel_id *a, const struct kernel_id *b);

#endif
