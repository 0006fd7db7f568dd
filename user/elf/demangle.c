// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle.c - symbol table names as people write them
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

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

/* "_Z" C++ and Rust, "_R" Rust v0, "_D" D; C names are left alone */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && name[1] && strchr("ZRD", name[1]);
}

/*
 * D's demangler has no callback, and what it does must be bounded before: it reads types of
 * functions twice where they make no sense, so that each one in another doubles the time, and
 * types may refer back ("Q") to others that refer back twice.  In so few bytes and with so
 * many of the letters that begin such a type, it takes milliseconds at most.
 */
#define MAX_MANGLED_D	64
#define MAX_LETTERS_D	12

static bool demangle_d(struct shown *s, const char *name)
{
	int letters = 0;

	for (const char *c = name; *c; c++)
		letters += !!strchr("FUWVRYQ", *c);
	if (letters > MAX_LETTERS_D || strlen(name) > MAX_MANGLED_D)
		return false;
	s->text = dlang_demangle(name, DMGL_PARAMS);
	return s->text && s->text[0];
}

/* Return: whether @s has a name now */
static bool demangle_into(struct shown *s, const char *name)
{
	/* The type of the result, which templates alone have, would be all that there is room for */
	int options = DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;

	if (name[1] == 'D')
		return demangle_d(s, name);
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

/* How much of a name is mangled: a symbol version goes, as does "@plt" to be put back */
static char *mangled_part(const char *name)
{
	const char *at = strchr(name + (*name != 0), '@');

	return at ? strndup(name, (size_t)(at - name)) : strdup(name);
}

bool demangle_wanted(const char *name)
{
	return is_mangled(name) && strlen(name) <= MAX_MANGLED;
}

/* Put "@plt" back behind a name without it.  Takes over @plain, which may be NULL. */
static char *with_plt(char *plain, const char *name)
{
	size_t len = strlen(name);
	char *whole;

	if (!plain || len <= 4 || strcmp(name + len - 4, "@plt"))
		return plain;
	if (asprintf(&whole, "%s@plt", plain) < 0)
		whole = NULL;
	free(plain);
	return whole;
}

char *demangle_version(const char *name)
{
	return with_plt(mangled_part(name), name);
}

char *demangle(const char *name)
{
	char *plain = mangled_part(name);
	struct shown s = { 0 };

	if (plain && demangle_wanted(name)) {
		if (demangle_into(&s, plain)) {
			free(plain);
			plain = s.text;
		} else {
			free(s.text);
		}
	}
	return with_plt(plain, name);
}
