// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_pointers.c - finds functions that only a pointer in data names, as tables of commands have them
 *
 * Such a function may never return, as many that end a program. Then nothing else says where its frame begins. A
 * word of data may also be the address of a case of a switch, or a number. So the code must begin as only
 * functions do: it saves two registers that belong to the caller.
 */
#include <string.h>

#include "elf/libelf_section.h"
#include "unwind/code_pointers.h"

#define MAX_DATA	(64ull << 20)	/* bytes of data and relocations that are read */

/* Of the first instructions: compilers move others between the pushes */
#define FIRST	5

/* x86-64: is it a push of a register that belongs to the caller? */
static bool saves(const unsigned char *code, size_t left)
{
	if (left >= 2 && code[0] == 0x41)
		return code[1] >= 0x54 && code[1] <= 0x57;	/* r12 to r15 */
	return left && (code[0] == 0x53 || code[0] == 0x55);	/* rbx, rbp */
}

static bool begins_function(const struct code_walk *w, const struct code_part *p, uint64_t address)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct code_insn insn;
	unsigned int nr = 0;

	if (p->to - address > sizeof(endbr64) && !memcmp(p->bytes + (address - p->from), endbr64, sizeof(endbr64)))
		address += sizeof(endbr64);
	for (unsigned int i = 0; i < FIRST && nr < 2; i++) {
		const bool is_save = address < p->to && saves(p->bytes + (address - p->from), p->to - address);

		if ((!i && !is_save) || !code_walk_decode(w, address, &insn) || insn.flow != CODE_NEXT)
			return false;
		nr += is_save;
		address += insn.bytes;
	}
	return nr == 2;
}

static int take(struct code_walk *w, uint64_t address)
{
	const struct code_part *p = code_walk_part(w, address);

	if (!p || code_walk_state(w, address) || !begins_function(w, p, address))
		return 0;
	return code_walk_start(w, address);
}

static int take_words(struct code_walk *w, const Elf_Data *data, uint64_t address)
{
	int err = 0;

	for (size_t at = -address % 8; at + 8 <= data->d_size && !err; at += 8) {
		uint64_t word;

		memcpy(&word, (const char *)data->d_buf + at, sizeof(word));
		err = take(w, word);
	}
	return err;
}

/* A position-independent program has the addresses in its relocations. */
static int take_relocations(struct code_walk *w, Elf_Data *data, const GElf_Shdr *sh)
{
	const size_t nr = sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	GElf_Rela rela;
	int err = 0;

	for (size_t i = 0; i < nr && i < INT32_MAX && !err && gelf_getrela(data, (int)i, &rela); i++)
		if (GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE)
			err = take(w, (uint64_t)rela.r_addend);
	return err;
}

int code_pointers_add(struct code_walk *w, Elf *elf)
{
	uint64_t left = MAX_DATA;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int err = 0;

	if (w->m->machine != EM_X86_64)
		return 0;
	while (!err && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) || sh.sh_flags & SHF_EXECINSTR ||
		    (sh.sh_type != SHT_PROGBITS && sh.sh_type != SHT_RELA))
			continue;
		data = section_load(scn, &sh, &left, false);
		if (data && data->d_buf)
			err = sh.sh_type == SHT_RELA ? take_relocations(w, data, &sh) : take_words(w, data, sh.sh_addr);
	}
	return err;
}
