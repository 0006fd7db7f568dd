// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dynamic_symbols.c - find .dynsym as the loader does
 */
#include <stdint.h>
#include <string.h>

#include "elf/dynamic_symbols.h"
#include "elf/loaded_bytes.h"

#define MAX_HASHES	(256u << 20)	/* bytes */
#define MAX_ENTRIES	4096u		/* of PT_DYNAMIC; programs have about 40 */

/* What PT_DYNAMIC says; 0: nothing */
struct dynamic {
	uint64_t symbols, strings, strings_len, hash, gnu_hash;
};

/* Return: a 32-bit word of the file; @there: cleared if the file does not have it */
static uint32_t word_at(Elf *elf, uint64_t address, bool *there)
{
	Elf_Data *data = *there ? loaded_bytes(elf, address, sizeof(uint32_t), ELF_T_WORD) : NULL;
	uint32_t word = 0;

	*there = data;
	if (data)
		memcpy(&word, data->d_buf, sizeof(word));
	return word;
}

static void take_entry(const GElf_Dyn *e, struct dynamic *to)
{
	switch (e->d_tag) {
	case DT_SYMTAB:		to->symbols = e->d_un.d_ptr; break;
	case DT_STRTAB:		to->strings = e->d_un.d_ptr; break;
	case DT_STRSZ:		to->strings_len = e->d_un.d_val; break;
	case DT_HASH:		to->hash = e->d_un.d_ptr; break;
	case DT_GNU_HASH:	to->gnu_hash = e->d_un.d_ptr; break;
	}
}

static bool read_dynamic(Elf *elf, struct dynamic *to)
{
	const size_t each = gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT);
	Elf_Data *data = NULL;
	GElf_Phdr ph;
	GElf_Dyn e;

	*to = (struct dynamic){ 0 };
	if (loaded_header(elf, PT_DYNAMIC, &ph) && ph.p_filesz <= MAX_ENTRIES * each)
		data = loaded_bytes(elf, ph.p_vaddr, ph.p_filesz / each * each, ELF_T_DYN);
	for (int i = 0; data && gelf_getdyn(data, i, &e) && e.d_tag != DT_NULL; i++)
		take_entry(&e, to);
	return to->symbols && to->strings && to->strings_len;
}

/* Return: the index of the first word with bit 0, from @address on in the segment; UINT32_MAX if there is none */
static uint32_t first_with_bit_0(Elf *elf, uint64_t address)
{
	int64_t at;
	uint64_t bytes = loaded_room(elf, address, &at), nr = (bytes < MAX_HASHES ? bytes : MAX_HASHES) / sizeof(uint32_t);
	Elf_Data *data = loaded_bytes(elf, address, nr * sizeof(uint32_t), ELF_T_WORD);
	const uint32_t *words = data ? data->d_buf : NULL;

	for (uint32_t i = 0; words && i < nr; i++)
		if (words[i] & 1)
			return i;
	return UINT32_MAX;
}

/*
 * DT_GNU_HASH: four words, the filter's words, the buckets, and a hash for each symbol from the second word on.
 * A bucket has its first symbol.  The last hash of a bucket has bit 0.
 */
static size_t count_by_gnu_hash(Elf *elf, uint64_t at)
{
	bool there = true;
	uint32_t buckets = word_at(elf, at, &there), first = word_at(elf, at + 4, &there), last = 0;
	uint32_t filter = word_at(elf, at + 8, &there), more;
	uint64_t table = at + 16 + (uint64_t)filter * (gelf_getclass(elf) == ELFCLASS32 ? 4 : 8);
	uint64_t hashes = table + 4 * (uint64_t)buckets;
	Elf_Data *data = there ? loaded_bytes(elf, table, 4 * (uint64_t)buckets, ELF_T_WORD) : NULL;
	const uint32_t *words = data ? data->d_buf : NULL;

	for (uint32_t i = 0; words && i < buckets; i++)
		if (words[i] > last)
			last = words[i];
	if (!words || last < first)
		return words ? first : 0;
	more = first_with_bit_0(elf, hashes + 4 * (uint64_t)(last - first));
	return more < UINT32_MAX ? (size_t)last + more + 1 : 0;
}

/* DT_HASH: the second word is the number of symbols */
static size_t count(Elf *elf, const struct dynamic *d)
{
	bool there = true;

	if (!d->hash)
		return d->gnu_hash ? count_by_gnu_hash(elf, d->gnu_hash) : 0;
	return word_at(elf, d->hash + 4, &there);
}

bool dynamic_symbols_find(Elf *elf, struct dynamic_symbols *out)
{
	Elf_Data *strings;
	struct dynamic d;

	*out = (struct dynamic_symbols){ 0 };
	if (!read_dynamic(elf, &d))
		return false;
	out->nr = count(elf, &d);
	out->symbols = loaded_bytes(elf, d.symbols, out->nr * gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), ELF_T_SYM);
	strings = loaded_bytes(elf, d.strings, d.strings_len, ELF_T_BYTE);
	if (!out->symbols || !strings)
		return false;
	out->strings = strings->d_buf;
	out->strings_len = d.strings_len;
	return !out->strings[d.strings_len - 1];
}
