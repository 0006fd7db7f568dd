// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle.c - turn mangled symbol names into readable ones
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

/*
 * libiberty limits its recursion, but not its output.  Parts of a name can refer to earlier parts, so every
 * few bytes may double the output: 200 bytes can take more than a lifetime.  Longer names than these limits
 * stay mangled.
 */
#define MAX_MANGLED	4096
#define MAX_SHOWN	65536

/* A demangled name while the demangler writes it */
struct shown {
	char *text;
	size_t len, cap;
	jmp_buf give_up;
};

/*
 * The demangler has no way to be stopped, so this jumps out of it.  The demangler keeps its state on the
 * stack, except for a punycode identifier of Rust: if the name gets too long there, some kilobytes leak.
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

/* "_Z": C++ and Rust; "_R": Rust v0; "_D": D.  C names are not mangled. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && name[1] && strchr("ZRD", name[1]);
}

/*
 * D's demangler has no callback, so limit its input instead.  It reads malformed function types twice, so
 * each nesting level doubles the time.  Types may also refer back ("Q") to types that refer back twice.  With
 * so few bytes, and so few of the letters that begin such types, it takes milliseconds at most.
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

/* Return: whether @s now has a demangled name */
static bool demangle_into(struct shown *s, const char *name)
{
	/* Drop the result type: only templates have one, and it would take all the room in a view */
	int options = DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;

	if (name[1] == 'D')
		return demangle_d(s, name);
	if (setjmp(s->give_up))
		return false;
	/* Legacy Rust names look like C++ names, except for their end: so try Rust first */
	if (!rust_demangle_callback(name, options, take, s)) {
		s->len = 0;
		if (!cplus_demangle_v3_callback(name, options, take, s))
			return false;
	}
	return s->len && strlen(s->text) == s->len;
}

/* Return: a name without a symbol version or "@plt"; the caller puts "@plt" back */
static char *mangled_part(const char *name)
{
	const char *at = strchr(name + (*name != 0), '@');

	return at ? strndup(name, (size_t)(at - name)) : strdup(name);
}

bool demangle_wanted(const char *name)
{
	return is_mangled(name) && strlen(name) <= MAX_MANGLED;
}

/* Append "@plt" if @name ends with it.  Frees or returns @plain, which may be NULL. */
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
