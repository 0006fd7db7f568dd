// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * archive_library.c - loads libarchive at run time, when it is needed
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "archive/archive_library.h"
#include "base/message.h"

#define LIBRARY	"libarchive.so.13"

static const struct {
	const char *name;
	size_t at;
} calls[] = {
#define CALL(name) { #name, offsetof(struct archive_library, name) },
	ARCHIVE_CALLS(CALL)
#undef CALL
};

static bool load(struct archive_library *lib)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY);

	if (!library) {
		complain("%s is not here: install libarchive (Debian: libarchive13). Or run 'kflame archive' on another machine with the same programs",
			 LIBRARY);
		return false;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		void *found = dlsym(library, calls[i].name);

		if (!found) {
			complain("%s is too old, it has no %s: install a newer libarchive",
				 LIBRARY, calls[i].name);
			return false;
		}
		*(void **)((char *)lib + calls[i].at) = found;
	}
	return true;
}

const struct archive_library *archive_library(void)
{
	static struct archive_library lib;
	static bool loaded;

	if (!loaded)
		loaded = load(&lib);
	return loaded ? &lib : NULL;
}
