// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arm64_leaves.c - finds arm64 leaf functions that need no unwind information, by their code
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/arm64_leaves.h"

#define MAX_LEAVES	1024		/* a vdso has five */
#define MAX_CODE	(64u << 10)	/* bytes of a function */

#define SP		31u
#define LINK_REG	30u

struct range {
	uint64_t from, to;	/* file offsets */
};

/* Does it add, subtract or mask into sp?  In instructions that set flags, register 31 is not sp. */
static bool sets_sp(uint32_t code)
{
	bool add = (code & 0x3f80001f) == 0x1100001f || (code & 0x3fe0001f) == 0x0b20001f;
	bool mask = (code & 0x1f80001f) == 0x1200001f && (code >> 29 & 3) != 3;

	return add || mask;
}

static bool calls(uint32_t code)
{
	return (code & 0xfc000000) == 0x94000000 ||	/* bl */
	       (code & 0xfefff000) == 0xd63f0000;	/* blr, also with pointer authentication */
}

/* Does it load or store relative to sp?  Only functions with a frame do. */
static bool uses_stack(uint32_t code)
{
	return (code & 0x0a000000) == 0x08000000 && (code >> 5 & 31) == SP;
}

/* May it write the link register?  In a branch, these bits have another meaning. */
static bool sets_link(uint32_t code)
{
	return (code & 31) == LINK_REG && (code & 0x7c000000) != 0x14000000 &&
	       (code & 0xff000000) != 0x54000000;
}

static bool is_leaf(const unsigned char *code, size_t bytes)
{
	for (size_t at = 0; at + 4 <= bytes; at += 4) {
		uint32_t one;

		memcpy(&one, code + at, 4);
		if (sets_sp(one) || calls(one) || uses_stack(one) || sets_link(one))
			return false;
	}
	return bytes;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Finds the leaf functions of a symbol table.  Return: how many */
static size_t read_symbols(Elf *elf, Elf_Scn *scn, uint64_t offset, uint64_t bytes, uint64_t shift,
			   struct range *all)
{
	Elf_Data *table = elf_getdata(scn, NULL), *code;
	GElf_Sym sym;
	size_t nr = 0;

	for (int i = 0; table && i < MAX_LEAVES && gelf_getsym(table, i, &sym); i++) {
		uint64_t from = sym.st_value + shift;

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF ||
		    from < offset || from - offset >= bytes || from % 4 ||
		    sym.st_size > MAX_CODE || sym.st_size > bytes - (from - offset))
			continue;
		code = elf_getdata_rawchunk(elf, (int64_t)from, (size_t)sym.st_size, ELF_T_BYTE);
		if (code && code->d_buf && is_leaf(code->d_buf, code->d_size))
			all[nr++] = (struct range){ from, from + sym.st_size };
	}
	return nr;
}

int leaves_find(Elf *elf, uint64_t offset, uint64_t bytes, uint64_t shift, uint32_t rule,
		struct row_list *out)
{
	struct range *all = malloc(MAX_LEAVES * sizeof(*all));
	uint64_t done = offset;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t nr = 0;
	int err = 0;

	if (!all)
		return -ENOMEM;
	while (!nr && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNSYM)
			nr = read_symbols(elf, scn, offset, bytes, shift, all);
	qsort(all, nr, sizeof(*all), by_start);
	for (size_t i = 0; i < nr && !err; i++) {
		/* In a hostile file, two functions may overlap. */
		if (all[i].from < done)
			continue;
		done = all[i].to;
		err = row_list_put(out, all[i].from, rule);
		if (!err)
			err = row_list_put(out, done, UNWIND_GAP);
	}
	free(all);
	return err;
}
