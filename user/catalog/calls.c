// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls.c - the system calls of this machine
 */
#include <stdlib.h>

#include "base/system_calls.h"
#include "catalog/catalog.h"
#include "uapi/kflame.h"

int catalog_calls(const char *pattern, struct catalog *c)
{
	int err = catalog_add(c, "syscall", "*", pattern, NULL);

	for (uint32_t nr = 0; !err && nr <= KFLAME_MAX_SYSCALL; nr++) {
		char *name = system_call_name(nr);

		if (name)
			err = catalog_add(c, "syscall", name, pattern, NULL);
		free(name);
	}
	if (!err)
		catalog_sort(c);
	return err;
}
