/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle_client.h - let a sandbox demangle names
 *
 * The author of a program chooses its names, and demanglers have had bugs.  One sandbox demangles all names:
 * starting a sandbox takes longer than demangling a thousand names.
 */
#ifndef KFLAME_ELF_DEMANGLE_CLIENT_H
#define KFLAME_ELF_DEMANGLE_CLIENT_H

#include "base/hash.h"
#include "sandbox/sandbox.h"

/** struct demangled - names and their demangled forms; all zero is empty */
struct demangled {
	struct demangled_name {
		const char *name;
		char *shown;	/* NULL: the name stays as it is */
	} *all;
	size_t nr, cap;
	struct index index;
};

/**
 * demangled_add() - add a name, if it looks mangled
 * @name:	must stay valid until demangled_exit()
 *
 * Return: 0 or -ENOMEM.
 */
int demangled_add(struct demangled *d, const char *name);

/**
 * demangled_ask() - let a sandbox demangle all names that were added
 *
 * Names that cannot be demangled stay as they are.  All demangled names together may have 16 MiB plus eight
 * times the length of the mangled names.  Names beyond that stay mangled, because a few mangled bytes can
 * stand for a very long name.
 *
 * Return: 0 or -ENOMEM.
 */
int demangled_ask(struct demangled *d);

/** demangled_find() - Return: the demangled name, valid until demangled_exit(); NULL if it is @name */
const char *demangled_find(const struct demangled *d, const char *name);

/** demangled_exit() - free all names and make the struct empty */
void demangled_exit(struct demangled *d);

/** demangle_work - for sandbox_main() */
extern const struct sandbox_work demangle_work;

#endif
