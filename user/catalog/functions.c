// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c - kernel functions that may be probed
 *
 * kptr_restrict may hide addresses, which are zero then. The kernel's own symbols are in order of their
 * addresses, so their order in the file takes the place of addresses.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/chroot_open.h"
#include "base/hash.h"
#include "catalog/catalog.h"
#include "catalog/kernel_symbols.h"

#define MAX_FILE	(64u << 20)	/* limit in bytes */
#define BLACKLIST	"/sys/kernel/debug/kprobes/blacklist"

/* What the kernel does not let be probed */
struct banned {
	uint64_t start, end;	/* 0: hidden */
	char *name;
};

struct blacklist {
	char *text;
	struct banned *ranges;
	size_t nr_ranges, cap_ranges;
	char **names;
	size_t nr_names, cap_names;
};

/* "0xffffffff81000000-0xffffffff81000040\tname". A name may stand for more than one function. */
static int take_banned(struct blacklist *b, char *line)
{
	struct banned r = { 0 };
	char *at;
	int err;

	r.start = strtoull(line, &at, 16);
	if (*at == '-')
		r.end = strtoull(at + 1, &at, 16);
	r.name = at + strspn(at, " \t");
	r.name[strcspn(r.name, " \t")] = 0;
	if (!*r.name)
		return 0;
	err = grow(&b->names, b->nr_names, &b->cap_names, sizeof(*b->names));
	if (!err)
		b->names[b->nr_names++] = r.name;
	if (err || r.start >= r.end)
		return err;
	err = grow(&b->ranges, b->nr_ranges, &b->cap_ranges, sizeof(*b->ranges));
	if (!err)
		b->ranges[b->nr_ranges++] = r;
	return err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_start(const void *a, const void *b)
{
	const struct banned *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* An unreadable blacklist is empty. */
static int read_blacklist(const char *root, struct blacklist *b)
{
	int err = root_slurp(root, BLACKLIST, MAX_FILE, &b->text);
	char *line, *rest = b->text;

	if (err)
		return err == -ENOMEM ? err : 0;
	while (!err && (line = strsep(&rest, "\n")))
		err = take_banned(b, line);
	if (!err && b->nr_names)
		qsort(b->names, b->nr_names, sizeof(*b->names), by_name);
	if (!err && b->nr_ranges)
		qsort(b->ranges, b->nr_ranges, sizeof(*b->ranges), by_start);
	return err;
}

static int address_in(const void *key, const void *item)
{
	const uint64_t address = *(const uint64_t *)key;
	const struct banned *r = item;

	return address < r->start ? -1 : address >= r->end;
}

static bool is_banned(const struct blacklist *b, const struct kernel_symbol *s)
{
	if (b->nr_names && bsearch(&s->name, b->names, b->nr_names, sizeof(*b->names), by_name))
		return true;
	return s->address && b->nr_ranges &&
	       bsearch(&s->address, b->ranges, b->nr_ranges, sizeof(*b->ranges), address_in);
}

/* Is the symbol's code in memory, after the kernel has freed what it needs only to boot? */
static bool is_kept(const struct kernel_symbols *k, const struct kernel_symbol *s)
{
	if (s->module || !k->first.name || !k->end.name)
		return true;
	if (s->address && k->first.address)
		return s->address >= k->first.address && s->address < k->end.address;
	return s->order > k->first.order && s->order < k->end.order;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Code that is no function, or a part of one: bounds of sections, padding, jumps, what compilers split off */
static bool is_part(const char *name)
{
	static const char *const parts[] = { "$", ".", "__pfx_", "__cfi_", "__SCT__" };
	static const char *const bounds[] = { "_text", "_stext", "_etext" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (begins(name, parts[i]))
			return true;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (!strcmp(name, bounds[i]))
			return true;
	return strstr(name, ".cold") || strchr(name, '+');
}

/* The module refuses probes of its own functions. The others are no modules: code that the kernel generates. */
static bool is_own_or_generated(const char *module)
{
	return !strcmp(module, "kflame") || !strcmp(module, "bpf") || begins(module, "__builtin__");
}

static bool may_be_probed(const struct kernel_symbols *k, const struct blacklist *b, const struct kernel_symbol *s)
{
	return strchr("tTwW", s->type) && !is_part(s->name) && !(s->module && is_own_or_generated(s->module)) &&
	       is_kept(k, s) && !is_banned(b, s);
}

static int list(const struct kernel_symbols *k, const struct blacklist *b, const char *pattern, struct catalog *c)
{
	size_t functions = 0;
	int err = 0;

	for (size_t i = 0; !err && i < k->nr; i++) {
		const struct kernel_symbol *s = &k->all[i];
		const size_t at = c->nr;

		if (!may_be_probed(k, b, s))
			continue;
		functions++;
		err = catalog_add(c, "kprobe", s->name, pattern, s->module);
		if (c->nr > at)
			c->all[at].address = s->address;
	}
	if (err)
		return err;
	catalog_sort(c);
	return functions ? 0 : -ENODATA;
}

int catalog_functions(const char *root, struct kernel_symbols *k, const char *pattern, struct catalog *c)
{
	struct blacklist b = { 0 };
	int err = kernel_symbols_read(k, root);

	if (!err)
		err = read_blacklist(root, &b);
	if (!err)
		err = list(k, &b, pattern, c);
	free(b.text);
	free(b.ranges);
	free(b.names);
	return err;
}
