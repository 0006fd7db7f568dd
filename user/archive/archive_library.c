// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * archive_library.c - loads libarchive at run time, when it is needed
 */
#include "archive/archive_library.h"
#include "base/library.h"

static const struct library_call calls[] = {
#define CALL(name) { #name, offsetof(struct archive_library, name) },
	ARCHIVE_CALLS(CALL)
#undef CALL
};

const struct archive_library *archive_library(void)
{
	static const char *const names[] = { "libarchive.so.13", NULL };
	static struct archive_library lib;
	static bool loaded;

	if (!loaded)
		loaded = library_load(names, calls, sizeof(calls) / sizeof(calls[0]), &lib,
				      "install libarchive (Debian: libarchive13). Or run 'kflame archive' on another machine with the same programs");
	return loaded ? &lib : NULL;
}
