// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - the kernel functions of an event that has several, see source/functions.h
 */
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include <kflame.h>

#include "base/memory.h"
#include "source/functions.h"

/**
 * kf_functions_create() - allocate a list; may sleep
 * @nr:		number of functions
 * @len:	bytes of their names, with a NUL behind each
 *
 * The caller fills in kf_functions_text() and calls kf_functions_split().
 *
 * Return: the list, for kf_functions_put(); NULL if the memory or the cap does not allow it.
 */
struct kf_functions *kf_functions_create(u32 nr, u32 len)
{
	struct kf_functions *f;
	const size_t bytes = struct_size(f, all, nr) + len;

	if (!kf_memory_reserve(bytes))
		return NULL;
	f = kvzalloc(bytes, GFP_KERNEL);
	if (!f) {
		kf_memory_release(bytes);
		return NULL;
	}
	refcount_set(&f->refs, 1);
	f->bytes = bytes;
	f->nr = nr;
	return f;
}

/* Where the names are */
char *kf_functions_text(struct kf_functions *f)
{
	return (char *)&f->all[f->nr];
}

/* A function's entry is probed, so "+" of FUNC+OFFSET is refused, too. */
static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (*c <= ' ' || *c >= 127 || *c == '+')
			return false;
	return c > name && c - name < KFLAME_EVENT_NAME;
}

/**
 * kf_functions_split() - find the names in the text
 * @f:		the list
 * @len:	bytes of the text
 *
 * Return: 0; -EINVAL if the text is not as many names as the list has functions.
 */
int kf_functions_split(struct kf_functions *f, u32 len)
{
	const char *name = kf_functions_text(f), *const end = name + len;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		if (!memchr(name, 0, end - name) || !is_name(name))
			return -EINVAL;
		f->all[i].name = name;
		name += strlen(name) + 1;
	}
	return name == end ? 0 : -EINVAL;
}

struct kf_functions *kf_functions_get(struct kf_functions *f)
{
	if (f)
		refcount_inc(&f->refs);
	return f;
}

void kf_functions_put(struct kf_functions *f)
{
	size_t bytes;

	if (!f || !refcount_dec_and_test(&f->refs))
		return;
	bytes = f->bytes;
	kvfree(f);
	kf_memory_release(bytes);
}

/**
 * kf_function_start() - find where a function begins, from an address in it
 * @name:	the function
 * @address:	any address, also one that is no code
 *
 * This is fast. To search by the name takes milliseconds before Linux 6.2.
 *
 * Return: where it begins; 0 if the function at @address has another name.
 */
unsigned long kf_function_start(const char *name, unsigned long address)
{
	const size_t len = strlen(name);
	char symbol[KSYM_SYMBOL_LEN];
	unsigned long offset;

	if (!address)
		return 0;
	sprint_symbol(symbol, address);
	if (strncmp(symbol, name, len) || sscanf(symbol + len, "+%lx/", &offset) != 1)
		return 0;
	return address - offset;
}
