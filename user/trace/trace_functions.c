// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_functions.c - which functions the kernel can trace
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/near_names.h"
#include "catalog/pattern.h"
#include "trace/trace_functions.h"
#include "trace/trace_files.h"

#define FUNCTIONS	"available_filter_functions"

/* Return: the function of a line "NAME [MODULE]", which is cut; NULL after the last line */
static char *next_function(char **rest)
{
	char *line = strsep(rest, "\n");

	if (line)
		line[strcspn(line, " \t")] = 0;
	return line && *line ? line : NULL;
}

static bool is_known(const char *list, const char *name)
{
	char *text = strdup(list), *rest = text, *function;
	bool found = false;

	while (text && !found && (function = next_function(&rest)))
		found = pattern_is_shell(name) ? !fnmatch(name, function, 0) : !strcmp(name, function);
	free(text);
	return found;
}

static void tell_unknown(const char *list, const char *name)
{
	char *text = strdup(list), *rest = text, *function, near[NEAR_NAMES_TEXT];
	struct near_names n = { .nr = 0 };

	while (text && (function = next_function(&rest)))
		near_names_offer(&n, name, function);
	near_names_text(&n, near, sizeof(near));
	if (pattern_is_shell(name))
		complain("no function that this kernel can trace matches '%s'", name);
	else
		complain("this kernel cannot trace a function '%s': there is none, it is inlined, or it is excluded%s%s",
			 name, n.nr ? ". Similar ones are: " : "", near);
	free(text);
}

int trace_functions_check(const char *dir, const char **names, size_t nr)
{
	char *list = trace_file_read(dir, FUNCTIONS);
	int err = list ? 0 : -errno;

	if (err)
		complain("cannot read %s/%s: %s. kflame trace needs a kernel with CONFIG_DYNAMIC_FTRACE", dir, FUNCTIONS,
			 strerror(-err));
	for (size_t i = 0; !err && i < nr; i++) {
		/* A pattern of tracefs may not have blanks or commands */
		if (strpbrk(names[i], " \t\n:") || !*names[i] || !is_known(list, names[i])) {
			tell_unknown(list, names[i]);
			err = -ENOENT;
		}
	}
	free(list);
	return err;
}
