// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clones.c - finds the system calls that make threads, by their code
 */
#include <string.h>

#include "unwind/clones.h"
#include "unwind/trampolines.h"

/* mov $number,%eax; syscall */
static const unsigned char codes[][7] = {
	{ 0xb8, 0x38, 0x00, 0x00, 0x00, 0x0f, 0x05 },	/* clone: 56 */
	{ 0xb8, 0xb3, 0x01, 0x00, 0x00, 0x0f, 0x05 },	/* clone3: 435 */
};

#define CALL_AT		5	/* of the system call in it */

uint64_t clones_find(Elf *elf, uint64_t offset, uint64_t bytes, uint64_t *from)
{
	const unsigned char *start, *at = NULL;
	Elf_Data *data = NULL;

	if (bytes <= TRAMPOLINES_MAX_CODE && *from >= offset && *from - offset < bytes)
		data = elf_getdata_rawchunk(elf, (int64_t)offset, (size_t)bytes, ELF_T_BYTE);
	if (!data || !data->d_buf || *from - offset >= data->d_size)
		return 0;
	start = (const unsigned char *)data->d_buf + (*from - offset);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const unsigned char *found = memmem(start, data->d_size - (*from - offset),
						    codes[i], sizeof(codes[i]));

		if (found && (!at || found < at))
			at = found;
	}
	if (!at)
		return 0;
	*from += (uint64_t)(at - start) + sizeof(codes[0]);
	return *from - sizeof(codes[0]) + CALL_AT;
}
