// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plt.c - find the symbols that the jump stubs of an ELF file lead to
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/libelf_section.h"
#include "elf/plt.h"

#define MAX_RELOCATIONS	(1u << 20)	/* a file has one relocation for each function it imports */
#define MAX_STUBS	(1u << 20)
#define MAX_LOADED	(128u << 20)	/* bytes of sections; many sections may share the same bytes */

/* A memory word that gets the address of a symbol when the file is loaded */
struct slot {
	uint64_t address;
	const char *symbol;
};

struct slots {
	struct slot *all;
	size_t nr, cap;
	size_t seen;		/* relocations read */
	uint64_t left;		/* bytes of sections that may still be loaded */
};

/* Return: whether a relocation fills a slot with a symbol's address: see the ELF psABI of each machine */
static bool fills_slot(GElf_Half machine, GElf_Xword type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	case EM_AARCH64:
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	default:
		return false;
	}
}

static int take_relocations(Elf *elf, GElf_Half machine, Elf_Scn *scn, const GElf_Shdr *sh,
			    struct slots *to)
{
	Elf_Data *data = section_load(scn, sh, &to->left, false);
	Elf_Scn *symbols = elf_getscn(elf, sh->sh_link);
	GElf_Shdr symbols_sh;
	Elf_Data *table;
	int err = 0;

	if (!data || !symbols || !gelf_getshdr(symbols, &symbols_sh) ||
	    !section_strings_end(elf, symbols_sh.sh_link, &to->left))
		return 0;
	table = section_load(symbols, &symbols_sh, &to->left, false);
	for (int i = 0; table && !err && to->seen < MAX_RELOCATIONS; i++, to->seen++) {
		const char *name;
		GElf_Rela rela;
		GElf_Sym sym;

		if (!gelf_getrela(data, i, &rela))
			break;
		if (!fills_slot(machine, GELF_R_TYPE(rela.r_info)) ||
		    GELF_R_SYM(rela.r_info) > INT32_MAX ||
		    !gelf_getsym(table, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		name = elf_strptr(elf, symbols_sh.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
		if (!err)
			to->all[to->nr++] = (struct slot){ rela.r_offset, name };
	}
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int load_slots(Elf *elf, GElf_Half machine, struct slots *to)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int err = 0;

	while (!err && to->seen < MAX_RELOCATIONS && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA && sh.sh_flags & SHF_ALLOC)
			err = take_relocations(elf, machine, scn, &sh, to);
	if (to->nr)
		qsort(to->all, to->nr, sizeof(*to->all), by_address);
	return err;
}

static const char *symbol_of(const struct slots *s, uint64_t address)
{
	const struct slot key = { .address = address };
	const struct slot *found = s->nr ? bsearch(&key, s->all, s->nr, sizeof(key), by_address)
					 : NULL;

	return found ? found->symbol : NULL;
}

static uint32_t word_at(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/*
 * Find jmp *DISPLACEMENT(%rip) in an entry of 8 or 16 bytes.  It may follow endbr64 or a bnd prefix.
 *
 * Return: whether there is one; @slot gets the slot that it reads.
 */
static bool decode_x86(const unsigned char *code, size_t len, uint64_t address, uint64_t *slot)
{
	for (size_t i = 0; i + 6 <= len; i++) {
		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		*slot = address + i + 6 + (uint64_t)(int64_t)(int32_t)word_at(code + i + 2);
		return true;
	}
	return false;
}

/*
 * Match adrp x16, PAGE; ldr x17, [x16, #OFFSET], which takes 8 bytes.  An entry begins with it, or with bti c
 * before it.  An entry has 16 to 24 bytes: a signed slot takes one more instruction.
 */
static bool decode_arm64(const unsigned char *code, uint64_t address, uint64_t *slot)
{
	uint32_t adrp = word_at(code), ldr = word_at(code + 4);
	uint64_t page;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	/* a signed number of 21 bits, in pages of 4 KiB */
	page = ((page ^ 1u << 20) - (1u << 20)) << 12;
	*slot = (address & ~0xfffull) + page + (uint64_t)(ldr >> 10 & 0xfff) * 8;
	return true;
}

static int add(struct plt *to, uint64_t address, uint64_t bytes, const char *symbol)
{
	struct plt_stub *last = to->nr ? &to->all[to->nr - 1] : NULL;
	int err;

	if (!symbol && last && !last->symbol && last->address + last->bytes == address) {
		last->bytes += bytes;
		return 0;
	}
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (!err)
		to->all[to->nr++] = (struct plt_stub){ address, bytes, symbol };
	return err;
}

static int take_x86(const GElf_Shdr *sh, const Elf_Data *data, const struct slots *slots,
		    struct plt *to)
{
	size_t step = sh->sh_entsize == 8 ? 8 : 16;
	int err = 0;

	for (size_t at = 0; !err && at < data->d_size && to->nr < MAX_STUBS; at += step) {
		size_t left = data->d_size - at, bytes = left < step ? left : step;
		uint64_t slot;
		bool known = decode_x86((const unsigned char *)data->d_buf + at, bytes,
					sh->sh_addr + at, &slot);

		err = add(to, sh->sh_addr + at, bytes, known ? symbol_of(slots, slot) : NULL);
	}
	return err;
}

static int take_arm64(const GElf_Shdr *sh, const Elf_Data *data, const struct slots *slots,
		      struct plt *to)
{
	const unsigned char *code = data->d_buf;
	size_t known_to = 0;	/* where the current stub with a known symbol ends at the latest */
	int err = 0;

	for (size_t at = 0; !err && at < data->d_size && to->nr < MAX_STUBS; at += 4) {
		size_t left = data->d_size - at, bytes = left < 4 ? left : 4;
		/* with branch target identification, a stub begins with bti c */
		size_t skip = left >= 12 && word_at(code + at) == 0xd503245f ? 4 : 0;
		uint64_t slot;

		if (left >= 8 + skip &&
		    decode_arm64(code + at + skip, sh->sh_addr + at + skip, &slot)) {
			const char *symbol = symbol_of(slots, slot);

			bytes = 8 + skip;
			err = add(to, sh->sh_addr + at, bytes, symbol);
			/* the longest stub has 24 bytes; the next stub may begin before that */
			known_to = symbol ? at + 24 : 0;
		} else if (at + bytes <= known_to) {
			to->all[to->nr - 1].bytes += bytes;
		} else {
			err = add(to, sh->sh_addr + at, bytes, NULL);
		}
		at += bytes - 4;
	}
	return err;
}

int plt_load(Elf *elf, struct plt *out)
{
	struct slots slots = { .left = MAX_LOADED };
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	int err;

	*out = (struct plt){ 0 };
	if (!gelf_getehdr(elf, &eh))
		return 0;
	err = load_slots(elf, eh.e_machine, &slots);
	while (!err && (scn = section_next(elf, scn, &sh, &name))) {
		Elf_Data *data;

		if (!(sh.sh_flags & SHF_EXECINSTR) || sh.sh_type != SHT_PROGBITS ||
		    strncmp(name, ".plt", 4))
			continue;
		data = section_load(scn, &sh, &slots.left, true);
		if (data && data->d_size && data->d_size == sh.sh_size)
			err = (eh.e_machine == EM_AARCH64 ? take_arm64 : take_x86)(&sh, data,
										   &slots, out);
	}
	free(slots.all);
	return err;
}

void plt_exit(struct plt *p)
{
	free(p->all);
	*p = (struct plt){ 0 };
}
