/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle_client.h - have a sandbox demangle names
 *
 * Whoever makes a program chooses its names, and demanglers have had errors.  All names go to one sandbox at
 * once, since it takes longer to start a sandbox than to demangle a thousand names.
 */
#ifndef KFLAME_ELF_DEMANGLE_CLIENT_H
#define KFLAME_ELF_DEMANGLE_CLIENT_H

#include "base/hash.h"
#include "sandbox/sandbox.h"

/** struct demangled - names, and how they are shown; all zero is empty */
struct demangled {
	struct demangled_name {
		const char *name;
		char *shown;	/* NULL: as it is */
	} *all;
	size_t nr, cap;
	struct index index;
};

/**
 * demangled_add() - add a name, if it looks mangled
 * @name:	must stay there until demangled_exit()
 *
 * Return: 0 or -ENOMEM.
 */
int demangled_add(struct demangled *d, const char *name);

/**
 * demangled_ask() - have a sandbox demangle all names that were added
 *
 * Names that cannot be demangled stay as they are.  So do all names beyond 16 MiB and eight times the length of
 * the mangled ones: few bytes can stand for a very long name.
 *
 * Return: 0 or -ENOMEM.
 */
int demangled_ask(struct demangled *d);

/** demangled_find() - Return: a name as people write it, as long as @d has it; NULL if it stays as it is */
const char *demangled_find(const struct demangled *d, const char *name);

/** demangled_exit() - free all, and make it empty */
void demangled_exit(struct demangled *d);

/** demangle_work - for sandbox_main() */
extern const struct sandbox_work demangle_work;

#endif
