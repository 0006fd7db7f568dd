// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle.c - symbol table names as people write them
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

/*
 * libiberty limits its recursion, not its output: parts of a name refer to what
 * came before, so each few bytes may double it, and 200 bytes take longer than
 * anybody lives.  Longer names than these stay as they are.
 */
#define MAX_MANGLED	4096
#define MAX_SHOWN	65536

/* A name on its way out of the demangler */
struct shown {
	char *text;
	size_t len, cap;
	jmp_buf give_up;
};

/*
 * The demangler asks for no way to stop it, so it is jumped out of.  It keeps
 * its state on the stack, but for an identifier of Rust that is in punycode:
 * of a name that is too long just there, some kilobytes stay behind.
 */
static void take(const char *text, size_t len, void *to)
{
	struct shown *s = to;

	if (len >= MAX_SHOWN - s->len)
		longjmp(s->give_up, 1);
	if (len >= s->cap - s->len) {
		size_t cap = (s->len + len + 1) * 2;
		char *more = realloc(s->text, cap);

		if (!more)
			longjmp(s->give_up, 1);
		s->text = more;
		s->cap = cap;
	}
	memcpy(s->text + s->len, text, len);
	s->len += len;
	s->text[s->len] = 0;
}

/* Return: whether @s has a name now */
static bool demangle_into(struct shown *s, const char *name)
{
	int options = DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(s->give_up))
		return false;
	/* Names that Rust once made look like C++, but for their end */
	if (!rust_demangle_callback(name, options, take, s)) {
		s->len = 0;
		if (!cplus_demangle_v3_callback(name, options, take, s))
			return false;
	}
	return s->len && strlen(s->text) == s->len;
}

char *demangle(const char *name)
{
	const char *version = strchr(name + (*name != 0), '@');
	size_t len = version ? (size_t)(version - name) : strlen(name);
	char *plain = strndup(name, len);
	struct shown s = { 0 };

	/* "_Z" C++ and Rust, "_R" Rust v0; C names are left alone */
	if (!plain || len > MAX_MANGLED || plain[0] != '_' || !plain[1] || !strchr("ZR", plain[1]))
		return plain;
	if (!demangle_into(&s, plain)) {
		free(s.text);
		return plain;
	}
	free(plain);
	return s.text;
}
