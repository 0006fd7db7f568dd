// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit_code.c - may code at an address have been made by a just-in-time compiler?
 */
#include <string.h>

#include "profile/jit_code.h"

/* Paths of mappings that only memory backs, not a file on disk. Each may end in " (deleted)". */
static bool is_memory(const char *path)
{
	static const char *const begins[] = {
		"/memfd:",		/* memfd_create(): .NET's double mapping */
		"/anon_hugepage",	/* MAP_HUGETLB */
		"/SYSV",		/* shmget() */
		"/dev/shm/",		/* shm_open() */
	};
	static const char zero[] = "/dev/zero";	/* also the path of MAP_SHARED | MAP_ANONYMOUS */

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(path, begins[i], strlen(begins[i])))
			return true;
	return !strncmp(path, zero, sizeof(zero) - 1) &&
	       (!path[sizeof(zero) - 1] || path[sizeof(zero) - 1] == ' ');
}

bool made_code_is(const struct profile *p, const struct profile_mapping *m)
{
	if (!m)
		return true;
	if (m->file == PROFILE_NONE)
		return !(m->flags & KFLAME_MAP_VDSO);
	return is_memory(p->files[m->file].path);
}
