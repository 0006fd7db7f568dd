// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_pointer_prologues.c - code without unwind information that keeps frame pointers, see frame_pointer_prologues.h
 */
#include <elf.h>
#include <string.h>

#include "unwind/frame_pointer_prologues.h"

/* V8's builtins have one in 862 bytes (node 20), OpenSSL's assembler code none in 154,448 */
#define BYTES_EACH	2048u

/* push %rbp; mov %rsp,%rbp: there are two ways to write the latter */
static size_t count_x86_64(const unsigned char *code, size_t bytes)
{
	size_t nr = 0;

	for (size_t at = 0; at + 4 <= bytes; at++)
		nr += !memcmp(code + at, "\x55\x48\x89\xe5", 4) ||
		      !memcmp(code + at, "\x55\x48\x8b\xec", 4);
	return nr;
}

/*
 * stp x29, x30, [sp, #-16]!; mov x29, sp. Only so the record is the upper end of the frame, and tells the
 * caller's stack pointer. gcc's are mostly at the lower end.
 */
static size_t count_arm64(const unsigned char *code, size_t bytes)
{
	static const uint32_t prologue[] = { 0xa9bf7bfd, 0x910003fd };
	size_t nr = 0;

	for (size_t at = 0; at + sizeof(prologue) <= bytes; at += 4)
		nr += !memcmp(code + at, prologue, sizeof(prologue));
	return nr;
}

bool prologues_found(const unsigned char *code, size_t bytes, uint16_t machine)
{
	size_t nr = machine == EM_X86_64 ? count_x86_64(code, bytes) : count_arm64(code, bytes);

	return nr >= bytes / BYTES_EACH;
}
