// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kallsyms.c - the names of kernel functions
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "device/device.h"
#include "symbols/kallsyms.h"

/* No function is longer. An address further behind a module's last function is not in that function. */
#define MAX_FUNCTION	(256u << 10)

struct ksym {
	uint64_t address;
	char *name;		/* NULL: not a function, but the end of the function before it */
	char *module;		/* NULL for the kernel itself */
	size_t order;		/* line number in the file */
};

struct kernel_symbols {
	int device;
	char *text;		/* contents of the file; the names point into it */
	struct ksym *all;
	size_t nr, cap;
	uint64_t stext;
	char found[KFLAME_KSYM_NAME_LEN * 2];
};

/* Reads a whole file.  Return: its text, NUL terminated; NULL without memory. */
static char *slurp(FILE *in)
{
	size_t len = 0, cap = 1u << 20, n;
	char *text = malloc(cap), *more;

	while (text && (n = fread(text + len, 1, cap - len - 1, in)) > 0) {
		len += n;
		if (cap - len > 1)
			continue;
		cap *= 2;
		more = realloc(text, cap);
		if (!more)
			free(text);
		text = more;
	}
	if (text)
		text[len] = 0;
	return text;
}

/* "ffffffff81000000 T name\t[module]" */
static bool parse_line(char *line, struct ksym *s)
{
	char *at, *name, *module, type;

	s->address = strtoull(line, &at, 16);
	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ' || !s->address)
		return false;
	type = at[1];
	name = at + 3;
	module = strchr(name, '\t');
	if (module) {
		*module++ = 0;
		if (module[0] == '[')
			module++;
		module[strcspn(module, "]\r")] = 0;
	}
	s->module = module && *module ? module : NULL;
	/* Section names and the mapping symbols of arm64 are not functions. */
	s->name = strchr("tTwW", type) && name[0] && name[0] != '$' ? name : NULL;
	return true;
}

/*
 * Of several symbols at one address, the first function in the file wins.  The kernel also names an
 * address by the first one, in its messages and for the module.  Its table is sorted for that: weak
 * symbols and names with underscores are last.
 */
static int by_address(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (!x->name != !y->name)
		return x->name ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int parse(struct kernel_symbols *k)
{
	size_t to = 0;

	for (char *line = k->text, *next; line && *line; line = next) {
		struct ksym s;
		int err;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (!parse_line(line, &s))
			continue;
		if (s.name && !s.module && !strcmp(s.name, "_stext"))
			k->stext = s.address;
		err = grow(&k->all, k->nr, &k->cap, sizeof(*k->all));
		if (err)
			return err;
		s.order = k->nr;
		k->all[k->nr++] = s;
	}
	if (k->nr)
		qsort(k->all, k->nr, sizeof(*k->all), by_address);
	for (size_t i = 0; i < k->nr; i++)
		if (!to || k->all[to - 1].address != k->all[i].address)
			k->all[to++] = k->all[i];
	k->nr = to;
	return 0;
}

int kernel_symbols_parse(FILE *in, int device, struct kernel_symbols **out)
{
	struct kernel_symbols *k = calloc(1, sizeof(*k));
	int err = -ENOMEM;

	*out = NULL;
	if (!k)
		return err;
	k->device = device;
	if (in) {
		k->text = slurp(in);
		err = k->text ? parse(k) : -ENOMEM;
		if (err) {
			kernel_symbols_destroy(k);
			return err;
		}
	}
	*out = k;
	return 0;
}

int kernel_symbols_load(int device, struct kernel_symbols **out)
{
	FILE *in = fopen("/proc/kallsyms", "re");
	int err = kernel_symbols_parse(in, device, out);

	if (in)
		fclose(in);
	return err;
}

void kernel_symbols_destroy(struct kernel_symbols *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->all);
	free(k);
}

uint64_t kernel_symbols_stext(const struct kernel_symbols *k)
{
	return k->stext;
}

/* The last symbol at or before an address; NULL for none */
static const struct ksym *last_before(const struct kernel_symbols *k, uint64_t address)
{
	size_t low = 0, high = k->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->all[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &k->all[low - 1] : NULL;
}

static bool same_module(const struct ksym *a, const struct ksym *b)
{
	if (!a->module || !b->module)
		return !a->module && !b->module;
	return !strcmp(a->module, b->module);
}

/*
 * Does the file show where a function ends: is the next symbol a function of the same module?  For code
 * that the kernel generates (__builtin__ftrace, __builtin__kprobes), only the file has symbols.
 */
static bool has_end(const struct kernel_symbols *k, const struct ksym *s)
{
	const struct ksym *next = s + 1;

	if (s->module && !strncmp(s->module, "__builtin__", 11))
		return true;
	return next < k->all + k->nr && next->name && same_module(s, next) &&
	       next->address - s->address < MAX_FUNCTION;
}

static const char *show(struct kernel_symbols *k, const struct ksym *s)
{
	if (!s->module)
		return s->name;
	snprintf(k->found, sizeof(k->found), "%s [%s]", s->name, s->module);
	return k->found;
}

static const char *find_here(struct kernel_symbols *k, const struct ksym *s, uint64_t address,
			     uint64_t *start, uint64_t *end)
{
	/* The last address is in no function, because no end address could follow it. */
	if (!s || !s->name || address - s->address >= MAX_FUNCTION || address == UINT64_MAX)
		return NULL;
	*start = s->address;
	*end = s->address > UINT64_MAX - MAX_FUNCTION ? UINT64_MAX : s->address + MAX_FUNCTION;
	if (s + 1 < k->all + k->nr && s[1].address < *end)
		*end = s[1].address;
	return show(k, s);
}

const char *kernel_symbols_find(struct kernel_symbols *k, uint64_t address, uint64_t *start,
				uint64_t *end)
{
	const struct ksym *s = last_before(k, address);
	const char *name = find_here(k, s, address, start, end);
	int err;

	if (k->device < 0 || (name && has_end(k, s)))
		return name;
	err = device_ksym(k->device, address, k->found, sizeof(k->found), start, end);
	if (err)
		return err == -ENOENT ? NULL : name;
	/* The same function: the device gave its end, /proc/kallsyms has the module's name. */
	return name && *start == s->address ? show(k, s) : k->found;
}
