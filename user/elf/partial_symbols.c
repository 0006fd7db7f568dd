// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * partial_symbols.c - does .symtab lack functions that .dynsym has?
 */
#include <stdlib.h>
#include <string.h>

#include "elf/partial_symbols.h"

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Return: addresses of the functions in the first symbol table of a type; NULL if memory runs out */
static uint64_t *values_of(Elf *elf, uint32_t type, size_t *nr)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data = NULL;
	uint64_t *values;
	size_t most = 0;
	GElf_Shdr sh;

	while (!most && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type && sh.sh_entsize) {
			data = elf_getdata(scn, NULL);
			most = data ? data->d_size / sh.sh_entsize : 0;
			break;
		}
	*nr = 0;
	values = calloc(most + 1, sizeof(*values));
	for (size_t i = 1; values && i < most && i < INT32_MAX; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym) && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    sym.st_shndx != SHN_UNDEF && sym.st_shndx < SHN_LORESERVE)
			values[(*nr)++] = sym.st_value;
	}
	if (values && *nr)
		qsort(values, *nr, sizeof(*values), by_value);
	return values;
}

bool elf_symbols_partial(Elf *elf)
{
	size_t nr, nr_exported, i = 0;
	uint64_t *all, *exported;
	bool partial = false;

	all = values_of(elf, SHT_SYMTAB, &nr);
	exported = values_of(elf, SHT_DYNSYM, &nr_exported);
	for (size_t k = 0; all && exported && !partial && k < nr_exported; k++) {
		while (i < nr && all[i] < exported[k])
			i++;
		partial = i == nr || all[i] != exported[k];
	}
	free(all);
	free(exported);
	return partial;
}
