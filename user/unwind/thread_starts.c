// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread_starts.c - finds the system calls that make threads, by their code
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/signal_trampolines.h"
#include "unwind/thread_starts.h"

/* Code that loads the number of a system call, and makes the system call at offset .call */
struct code {
	unsigned char bytes[8];
	unsigned char len;
	unsigned char call;
};

/* mov $number,%eax; syscall */
static const struct code codes_x86_64[] = {
	{ { 0xb8, 0x38, 0x00, 0x00, 0x00, 0x0f, 0x05 }, 7, 5 },		/* clone: 56 */
	{ { 0xb8, 0xb3, 0x01, 0x00, 0x00, 0x0f, 0x05 }, 7, 5 },		/* clone3: 435 */
};

/* mov x8, #number; svc #0 */
static const struct code codes_aarch64[] = {
	{ { 0x88, 0x1b, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 }, 8, 4 },	/* clone: 220 */
	{ { 0x68, 0x36, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 }, 8, 4 },	/* clone3: 435 */
};

/* Adds the system calls of one form.  Return: how many there are in total */
static size_t find_code(const struct code *c, const Elf_Data *data, uint64_t offset,
			uint64_t calls[CLONES_MOST], size_t nr)
{
	const unsigned char *start = data->d_buf, *end = start + data->d_size, *at = start;

	/* One pass, whatever the code is. */
	while (nr < CLONES_MOST && (at = memmem(at, (size_t)(end - at), c->bytes, c->len))) {
		calls[nr++] = offset + (uint64_t)(at - start) + c->call;
		at += (size_t)(end - at) > CLONES_BYTES ? CLONES_BYTES : (size_t)(end - at);
	}
	return nr;
}

static int by_offset(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* Drops a match that is not an aligned instruction, or is too close to the match before it */
static size_t keep_apart(uint64_t calls[CLONES_MOST], size_t nr, bool arm)
{
	size_t kept = 0;

	qsort(calls, nr, sizeof(*calls), by_offset);
	for (size_t i = 0; i < nr; i++)
		if (!(arm && calls[i] % 4) &&
		    (!kept || calls[i] - calls[kept - 1] >= CLONES_BYTES))
			calls[kept++] = calls[i];
	return kept;
}

size_t clones_find(Elf *elf, GElf_Half machine, uint64_t offset, uint64_t bytes,
		   uint64_t calls[CLONES_MOST])
{
	bool arm = machine == EM_AARCH64;
	const struct code *codes = arm ? codes_aarch64 : codes_x86_64;
	Elf_Data *data = NULL;
	size_t nr;

	if (bytes && bytes <= TRAMPOLINES_MAX_CODE)
		data = elf_getdata_rawchunk(elf, (int64_t)offset, (size_t)bytes, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return 0;
	nr = find_code(&codes[0], data, offset, calls, 0);
	nr = find_code(&codes[1], data, offset, calls, nr);
	return keep_apart(calls, nr, arm);
}

uint64_t clones_target(Elf *elf, uint64_t behind)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)behind, CLONES_BRANCH, ELF_T_BYTE);
	uint32_t code[2];
	uint64_t at = behind;

	if (!data || !data->d_buf || data->d_size < sizeof(code))
		return 0;
	memcpy(code, data->d_buf, sizeof(code));
	/* cmp x0, #0 or cmp w0, #0 before b.eq; or cbz x0, cbz w0 */
	if ((code[0] & 0x7fffffff) == 0x7100001f && (code[1] & 0xff00001f) == 0x54000000) {
		code[0] = code[1];
		at += 4;
	} else if ((code[0] & 0x7f00001f) != 0x34000000) {
		return 0;
	}
	/* 19 bits, signed, of instructions */
	return at + (uint64_t)((int64_t)(int32_t)(code[0] << 8) >> 13) * 4;
}
