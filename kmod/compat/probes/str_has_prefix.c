// SPDX-License-Identifier: GPL-2.0-only
#include <linux/string.h>

size_t probe(const char *name);
size_t probe(const char *name)
{
	return str_has_prefix(name, "_end");
}
