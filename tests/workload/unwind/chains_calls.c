// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chains_calls.c - calls through stubs, pointers, the C library, and a library that is loaded meanwhile
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chains_parts.h"

typedef uint64_t (*function_t)(uint64_t x);
typedef uint64_t (*plugin_t)(function_t back, uint64_t x);

/* ---- stubs of the PLT, and the dynamic linker behind them */

static struct {
	uint64_t *slot, value;
} lazy;

/* What shared_lazy's slot holds before the first call */
//> lazy_find uses
OWN void lazy_find(void)
{
	const ElfW(Dyn) *d;
	const ElfW(Rela) *rela = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	size_t bytes = 0, i;

	for (d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_JMPREL)
			rela = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_PLTRELSZ)
			bytes = d->d_un.d_val;
		else if (d->d_tag == DT_SYMTAB)
			symbols = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			strings = (const void *)d->d_un.d_ptr;
	}
	for (i = 0; rela && symbols && strings && i < bytes / sizeof(*rela); i++)
		if (!strcmp(strings + symbols[ELF64_R_SYM(rela[i].r_info)].st_name, "shared_lazy"))
			lazy.slot = (uint64_t *)(_r_debug.r_map->l_addr + rela[i].r_offset);
	if (!lazy.slot) {
		fputs("chains: no slot of shared_lazy\n", stderr);
		exit(1);
	}
	lazy.value = *lazy.slot;
}

OWN void lazy_again(void)
{
	*(volatile uint64_t *)lazy.slot = lazy.value;
}

//> stub_user -> shared_add
//> stub_user -> shared_outer
//> stub_user uses
OWN uint64_t stub_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		x = shared_add(x) * 5;
	return shared_outer(x) + 1;
}

//> lazy_user -> lazy_again
//> lazy_user -> shared_lazy
//> lazy_user uses
OWN uint64_t lazy_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		lazy_again();
		x = shared_lazy(x) + 1;
	}
	return x;
}

/* ---- through the C library, and through pointers */

OWN uint64_t sort_leaf(uint64_t x)
{
	return spin(x, 10);
}

//> sort_compare -> sort_leaf
OWN int sort_compare(const void *a, const void *b)
{
	uint64_t x = sort_leaf(*(const uint64_t *)a), y = sort_leaf(*(const uint64_t *)b);

	return (x > y) - (x < y);
}

//> sort_user ->library sort_compare
//> sort_user uses
OWN uint64_t sort_user(uint64_t x)
{
	uint64_t all[100];
	unsigned int i;

	for (i = 0; i < 100; i++)
		all[i] = x = spin(x, 1);
	qsort(all, 100, sizeof(all[0]), sort_compare);
	return all[x % 100];
}

OWN int find_compare(const void *a, const void *b)
{
	return spin(*(const uint64_t *)a, 5) != spin(*(const uint64_t *)b, 5);
}

//> find_user ->library find_compare
//> find_user uses
OWN uint64_t find_user(uint64_t x)
{
	uint64_t all[300], key = x;
	size_t nr = 300, i;

	for (i = 0; i < 300; i++)
		all[i] = x += 3;
	return lfind(&key, all, &nr, sizeof(all[0]), find_compare) ? 1 : x;
}

OWN int phdr_seen(struct dl_phdr_info *info, size_t size, void *data)
{
	*(uint64_t *)data += spin(info->dlpi_phnum + size, 300);
	return 0;
}

//> phdr_user ->library phdr_seen
//> phdr_user uses
OWN uint64_t phdr_user(uint64_t x)
{
	dl_iterate_phdr(phdr_seen, &x);
	return x + 1;
}

OWN uint64_t pointer_one(uint64_t x)
{
	return spin(x, 100);
}

OWN uint64_t pointer_two(uint64_t x)
{
	volatile uint64_t block[40];

	block[x % 40] = x;
	return spin(x, 100) + block[x % 40];
}

//> pointer_user -> pointer_one
//> pointer_user -> pointer_two
OWN uint64_t pointer_user(uint64_t x)
{
	static const function_t functions[] = { pointer_one, pointer_two };
	const function_t *volatile all = functions;
	unsigned int i;

	for (i = 0; i < 30; i++)
		x += all[i % 2](x);
	return x;
}

/* ---- a library that is loaded while this is sampled, and calls back */

OWN uint64_t plugin_back_leaf(uint64_t x)
{
	return spin(x, 300);
}

//> plugin_back -> plugin_back_leaf
OWN uint64_t plugin_back(uint64_t x)
{
	return plugin_back_leaf(x) + 1;
}

//> plugin_load uses
OWN plugin_t plugin_load(void)
{
	void *library = dlopen("chains_plugin.so", RTLD_LAZY | RTLD_GLOBAL);
	void *found = library ? dlsym(library, "plugin_enter") : NULL;

	if (!found) {
		fprintf(stderr, "chains: %s\n", dlerror());
		exit(1);
	}
	return (plugin_t)found;
}

//> plugin_user -> plugin_load
//> plugin_user -> plugin_enter
OWN uint64_t plugin_user(uint64_t x)
{
	static plugin_t enter;

	if (!enter)
		enter = plugin_load();
	return enter(plugin_back, x) + 1;
}
