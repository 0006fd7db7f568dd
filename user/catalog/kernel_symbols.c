// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_symbols.c - the symbols of /proc/kallsyms
 */
#include <stdlib.h>
#include <string.h>

#include "base/chroot_open.h"
#include "base/hash.h"
#include "catalog/kernel_symbols.h"

#define MAX_FILE	(64u << 20)	/* limit in bytes; kallsyms of a large kernel has 15 MiB */

/* Cut "[module]" off the end of a name. Return: the module; NULL for none */
static const char *cut_module(char *name)
{
	char *module = strpbrk(name, " \t");

	if (!module)
		return NULL;
	*module++ = 0;
	module += strspn(module, " \t[");
	module[strcspn(module, "]\r")] = 0;
	return *module ? module : NULL;
}

/* "ffffffff81000000 T name\t[module]" */
static bool parse(char *line, struct kernel_symbol *s)
{
	char *at;

	s->address = strtoull(line, &at, 16);
	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ' || !at[3])
		return false;
	s->type = at[1];
	s->name = at + 3;
	s->module = cut_module(at + 3);
	return true;
}

static int read_lines(struct kernel_symbols *k)
{
	char *line, *rest = k->text;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n"))) {
		struct kernel_symbol s = { .order = k->nr };

		if (!parse(line, &s))
			continue;
		if (!s.module && !strcmp(s.name, "_stext"))
			k->first = s;
		if (!s.module && !strcmp(s.name, "_etext"))
			k->end = s;
		err = grow(&k->all, k->nr, &k->cap, sizeof(*k->all));
		if (!err)
			k->all[k->nr++] = s;
	}
	return err;
}

int kernel_symbols_read(struct kernel_symbols *k, const char *root)
{
	if (k->was_read)
		return k->err;
	k->was_read = true;
	k->err = root_slurp(root, "/proc/kallsyms", MAX_FILE, &k->text);
	if (!k->err)
		k->err = read_lines(k);
	return k->err;
}

void kernel_symbols_exit(struct kernel_symbols *k)
{
	free(k->text);
	free(k->all);
	*k = (struct kernel_symbols){ 0 };
}
