// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_id.c - which build of the kernel it is: its build-id
 */
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "symbols/kernel_id.h"

#define NOTES	65536	/* bytes; kernels have a few hundred */

static struct kernel_id make(const void *bytes, size_t len)
{
	struct kernel_id id = { 0 };

	/* One that is longer is cut, as that of a file is */
	id.len = len < sizeof(id.bytes) ? len : sizeof(id.bytes);
	memcpy(id.bytes, bytes, id.len);
	return id;
}

/* Names and contents of notes are filled up to words */
static size_t words(uint32_t bytes)
{
	return ((size_t)bytes + 3) & ~(size_t)3;
}

struct kernel_id kernel_id_of_notes(const void *notes, size_t len)
{
	const char *at = notes;
	Elf64_Nhdr note;

	while (len >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		len -= sizeof(note);
		if (words(note.n_namesz) > len || words(note.n_descsz) > len - words(note.n_namesz))
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at, "GNU", 4))
			return make(at + 4, note.n_descsz);
		at += words(note.n_namesz) + words(note.n_descsz);
		len -= words(note.n_namesz) + words(note.n_descsz);
	}
	return (struct kernel_id){ 0 };
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
