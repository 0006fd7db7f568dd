// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jump_stubs.c - finds rules for jump stubs without unwind information, see jump_stubs.h
 */
#include <stdbool.h>
#include <string.h>

#include "unwind/jump_stubs.h"

#define MAX_STUBS	(64u << 20)	/* bytes of code: a browser has less than one MiB */

#define PUSH_X16_X30	0xa9bf7bf0u	/* stp x16, x30, [sp, #-16]! */
#define PUSH_X2_X3	0xa9bf0fe2u	/* stp x2, x3, [sp, #-16]! */

/* Is it "br" of any register, which ends a stub? */
static bool is_branch(uint32_t code)
{
	return (code & 0xfffffc1f) == 0xd61f0000;
}

static int add_arm64(const Elf_Data *data, uint64_t offset, const uint32_t rules[STUB_PLACES],
		     struct row_list *out)
{
	int err = row_list_put(out, offset, rules[STUB_PLAIN]);

	for (size_t at = 0; !err && at + 4 <= data->d_size; at += 4) {
		uint32_t code;
		uint64_t next = offset + at + 4;

		memcpy(&code, (const char *)data->d_buf + at, 4);
		if (code == PUSH_X16_X30)
			err = row_list_put(out, next, rules[STUB_PUSHED]);
		else if (code == PUSH_X2_X3)
			err = row_list_put(out, next, rules[STUB_MADE_ROOM]);
		else if (is_branch(code))
			err = row_list_put(out, next, rules[STUB_PLAIN]);
	}
	return err ? err : row_list_put(out, offset + data->d_size, UNWIND_GAP);
}

/* A stub of .bytes bytes as linkers write it; in .code, '.' stands for any byte of an operand */
struct x86_stub {
	const char *code;
	size_t len, bytes;
	enum stub_place place;
};

/* push GOT+8(%rip); jmp *GOT+16(%rip) */
static const struct x86_stub first = { "\xff\x35....\xff\x25", 8, 16, STUB_FIRST };
#define FIRST_PUSH	6	/* bytes */

static const struct x86_stub entries[] = {
	/* jmp *GOT(%rip); push $n; jmp first */
	{ "\xff\x25....\x68....\xe9", 12, 16, STUB_ENTRY },
	/* endbr64; push $n; jmp first */
	{ "\xf3\x0f\x1e\xfa\x68....\xe9", 10, 16, STUB_ENTRY_IBT },
	/* endbr64; jmp *GOT(%rip) */
	{ "\xf3\x0f\x1e\xfa\xff\x25", 6, 16, STUB_PLAIN },
	{ "\xf3\x0f\x1e\xfa\xf2\xff\x25", 7, 16, STUB_PLAIN },
	/* jmp *GOT(%rip); xchg %ax,%ax: in static programs */
	{ "\xff\x25....\x66\x90", 8, 8, STUB_PLAIN },
};

static bool is_stub(const unsigned char *code, const struct x86_stub *s)
{
	for (size_t i = 0; i < s->len; i++)
		if (s->code[i] != '.' && code[i] != (unsigned char)s->code[i])
			return false;
	return true;
}

/* Return: the form of the stub at @code; NULL if it is none */
static const struct x86_stub *entry_at(const unsigned char *code, size_t bytes)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		if (entries[i].bytes <= bytes && is_stub(code, &entries[i]))
			return &entries[i];
	return NULL;
}

/* Adds the stubs at the beginning of a section, up to the first one with an unknown form */
static int add_x86_64(const Elf_Data *data, uint64_t offset, const uint32_t rules[STUB_PLACES],
		      struct row_list *out)
{
	const unsigned char *code = data->d_buf;
	const struct x86_stub *entry;
	size_t at = 0;
	int err = 0;

	if (first.bytes <= data->d_size && is_stub(code, &first)) {
		err = row_list_put(out, offset, rules[STUB_FIRST]);
		if (!err)
			err = row_list_put(out, offset + FIRST_PUSH, rules[STUB_FIRST_PUSHED]);
		at = first.bytes;
	}
	while (!err && (entry = entry_at(code + at, data->d_size - at))) {
		err = row_list_put(out, offset + at, rules[entry->place]);
		at += entry->bytes;
	}
	return err ? err : row_list_put(out, offset + at, UNWIND_GAP);
}

/* Is it .plt, .plt.got, .plt.sec or .iplt? */
static bool has_stubs(Elf *elf, size_t names, const GElf_Shdr *sh)
{
	const char *name = elf_strptr(elf, names, sh->sh_name);

	return sh->sh_type == SHT_PROGBITS && sh->sh_flags & SHF_EXECINSTR && name &&
	       (!strcmp(name, ".plt") || !strncmp(name, ".plt.", 5) || !strcmp(name, ".iplt"));
}

int stubs_find(Elf *elf, uint16_t machine, uint64_t offset, uint64_t bytes,
	       const uint32_t rules[STUB_PLACES], struct row_list *out)
{
	uint64_t done = offset;
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;
	int err = 0;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	/* Linkers write sections in the order of the file, so the offsets of rows increase. */
	while (!err && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || !has_stubs(elf, names, &sh) ||
		    sh.sh_offset < done || sh.sh_offset - offset >= bytes ||
		    sh.sh_size > MAX_STUBS || sh.sh_size > bytes - (sh.sh_offset - offset))
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)sh.sh_offset, (size_t)sh.sh_size,
					    ELF_T_BYTE);
		if (!data || !data->d_buf || data->d_size != sh.sh_size)
			continue;
		done = sh.sh_offset + sh.sh_size;
		err = machine == EM_AARCH64 ? add_arm64(data, sh.sh_offset, rules, out) :
					      add_x86_64(data, sh.sh_offset, rules, out);
	}
	return err;
}
