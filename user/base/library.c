// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.c - loads a shared library when it is needed
 */
#include <dlfcn.h>

#include "base/library.h"
#include "base/message.h"

bool library_load(const char *const *names, const struct library_call *calls, size_t nr, void *to, const char *advice)
{
	void *library = NULL;

	for (const char *const *name = names; !library && *name; name++)
		library = dlopen(*name, RTLD_NOW);
	if (!library) {
		if (advice)
			complain("%s is not installed: %s", names[0], advice);
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		void *found = dlsym(library, calls[i].name);

		if (!found) {
			if (advice)
				complain("%s is too old, because it has no %s: %s", names[0], calls[i].name, advice);
			return false;
		}
		*(void **)((char *)to + calls[i].at) = found;
	}
	return true;
}
