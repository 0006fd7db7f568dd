// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_functions.c - which functions the kernel can trace
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "trace/trace_functions.h"
#include "trace/trace_files.h"

#define FUNCTIONS	"available_filter_functions"
#define MOST_NAME	128u	/* bytes of a name that is compared */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance; a name that contains the wanted one counts as nearer than others of its length */
static size_t distance(const char *wanted, const char *name)
{
	size_t row[MOST_NAME + 1], a = strlen(wanted), b = strlen(name);

	if (a > MOST_NAME || b > MOST_NAME)
		return SIZE_MAX;
	if (a > 2 && strstr(name, wanted))
		return 1 + (b - a) / 4;
	for (size_t k = 0; k <= b; k++)
		row[k] = k;
	for (size_t i = 0; i < a; i++) {
		size_t corner = row[0];

		row[0] = i + 1;
		for (size_t k = 0; k < b; k++) {
			size_t change = corner + (wanted[i] != name[k]);

			corner = row[k + 1];
			row[k + 1] = least(change, 1 + least(corner, row[k]));
		}
	}
	return row[b];
}

void nearest_names_offer(struct nearest_names *n, const char *wanted, const char *name)
{
	size_t d = distance(wanted, name), at;
	char *copy;

	/* A name of which more than a third differs is no help */
	if (d > 1 + strlen(wanted) / 3)
		return;
	for (at = 0; at < n->nr && n->all[at].distance <= d; at++)
		if (!strcmp(n->all[at].name, name))
			return;
	if (at == NEAREST_NAMES)
		return;
	copy = strdup(name);
	if (!copy)
		return;
	if (n->nr == NEAREST_NAMES)
		free(n->all[--n->nr].name);
	memmove(&n->all[at + 1], &n->all[at], (n->nr - at) * sizeof(n->all[0]));
	n->all[at].name = copy;
	n->all[at].distance = d;
	n->nr++;
}

void nearest_names_exit(struct nearest_names *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->all[i].name);
	n->nr = 0;
}

/* Return: the function of a line "NAME [MODULE]", which is cut; NULL after the last line */
static char *next_function(char **rest)
{
	char *line = strsep(rest, "\n");

	if (line)
		line[strcspn(line, " \t")] = 0;
	return line && *line ? line : NULL;
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[");
}

static bool is_known(const char *list, const char *name)
{
	char *text = strdup(list), *rest = text, *function;
	bool found = false;

	while (text && !found && (function = next_function(&rest)))
		found = is_pattern(name) ? !fnmatch(name, function, 0) : !strcmp(name, function);
	free(text);
	return found;
}

static void tell_unknown(const char *list, const char *name)
{
	char *text = strdup(list), *rest = text, *function, near[(MOST_NAME + 2) * NEAREST_NAMES + 16] = "";
	struct nearest_names n = { .nr = 0 };

	while (text && (function = next_function(&rest)))
		nearest_names_offer(&n, name, function);
	for (size_t i = 0; i < n.nr; i++) {
		strcat(near, i ? ", " : " The nearest are ");
		strcat(near, n.all[i].name);
	}
	if (is_pattern(name))
		complain("no function that this kernel can trace matches '%s'", name);
	else
		complain("this kernel cannot trace a function '%s': there is none, it is inlined, or it is excluded.%s",
			 name, near);
	nearest_names_exit(&n);
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
