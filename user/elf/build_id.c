// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build_id.c - the build-id, which identifies a build of the kernel
 */
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "elf/build_id.h"

#define NOTES	65536	/* bytes; kernels have a few hundred */

static struct kernel_id make(const void *bytes, size_t len)
{
	struct kernel_id id = { 0 };

	/* A longer build-id is cut, as for other files */
	id.len = len < sizeof(id.bytes) ? len : sizeof(id.bytes);
	memcpy(id.bytes, bytes, id.len);
	return id;
}

const unsigned char *build_id_in_notes(const void *notes, size_t len, uint64_t align, size_t *id_len)
{
	const uint64_t up = align == 8 ? 7 : 3;
	const unsigned char *at = notes;
	uint64_t name, all;
	Elf64_Nhdr note;

	while (len >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		/* Where the build-id begins and the note ends.  Padding counts from the head of the note */
		name = (sizeof(note) + note.n_namesz + up) & ~up;
		all = (name + note.n_descsz + up) & ~up;
		/* As in libelf: a note without its padding is incomplete */
		if (all > len)
			return NULL;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz &&
		    !memcmp(at + sizeof(note), "GNU", 4)) {
			*id_len = note.n_descsz;
			return at + name;
		}
		at += all;
		len -= all;
	}
	return NULL;
}

struct kernel_id kernel_id_of_notes(const void *notes, size_t len)
{
	size_t id_len;
	const unsigned char *id = build_id_in_notes(notes, len, 4, &id_len);

	return id ? make(id, id_len) : (struct kernel_id){ 0 };
}

struct kernel_id kernel_id_running(void)
{
	static const char path[] = "/sys/kernel/notes";
	FILE *in = fopen(path, "re");
	char notes[NOTES];
	size_t len = in ? fread(notes, 1, sizeof(notes), in) : 0;

	if (in)
		fclose(in);
	return kernel_id_of_notes(notes, len);
}

struct kernel_id kernel_id_parse(const char *hex)
{
	struct kernel_id id = { 0 };
	size_t len = hex ? strlen(hex) : 0;
	unsigned int byte;

	if (len % 2 || len > 2 * sizeof(id.bytes))
		return id;
	for (size_t i = 0; i < len; i += 2) {
		if (!isxdigit((unsigned char)hex[i]) || !isxdigit((unsigned char)hex[i + 1]) ||
		    sscanf(hex + i, "%2x", &byte) != 1)
			return (struct kernel_id){ 0 };
		id.bytes[id.len++] = (uint8_t)byte;
	}
	return id;
}

struct kernel_id_text kernel_id_show(const struct kernel_id *id)
{
	struct kernel_id_text text = { "" };

	for (size_t i = 0; i < id->len; i++)
		sprintf(text.hex + 2 * i, "%02x", id->bytes[i]);
	return text;
}

bool kernel_id_same(const struct kernel_id *a, const struct kernel_id *b)
{
	return a->len && a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}
