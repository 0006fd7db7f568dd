// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clones.c - finds the system calls that make threads, by their code
 */
#include <stdbool.h>
#include <string.h>

#include "unwind/clones.h"
#include "unwind/trampolines.h"

/* mov $number,%eax; syscall */
static const unsigned char codes[][7] = {
	{ 0xb8, 0x38, 0x00, 0x00, 0x00, 0x0f, 0x05 },	/* clone: 56 */
	{ 0xb8, 0xb3, 0x01, 0x00, 0x00, 0x0f, 0x05 },	/* clone3: 435 */
};

#define CALL_AT		5	/* of the system call in it */

static bool is_clone(const unsigned char *at)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (!memcmp(at, codes[i], sizeof(codes[i])))
			return true;
	return false;
}

size_t clones_find(Elf *elf, uint64_t offset, uint64_t bytes, uint64_t calls[CLONES_MOST])
{
	const unsigned char *start, *at, *end;
	Elf_Data *data = NULL;
	size_t nr = 0;

	if (bytes >= sizeof(codes[0]) && bytes <= TRAMPOLINES_MAX_CODE)
		data = elf_getdata_rawchunk(elf, (int64_t)offset, (size_t)bytes, ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size < sizeof(codes[0]))
		return 0;
	start = data->d_buf;
	end = start + data->d_size - sizeof(codes[0]) + 1;
	/* Once over it, whatever it holds */
	for (at = start; at < end && nr < CLONES_MOST; at++) {
		at = memchr(at, codes[0][0], (size_t)(end - at));
		if (!at)
			break;
		if (!is_clone(at))
			continue;
		calls[nr++] = offset + (uint64_t)(at - start) + CALL_AT;
		at += CLONES_BYTES;
	}
	return nr;
}
