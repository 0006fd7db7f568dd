// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_options.c - options that several views share
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/view_options.h"

void view_rows(size_t *rows, const char *arg, struct argp_state *state)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(arg, &end, 10);
	if (errno || end == arg || *end || *arg == '-')
		argp_error(state, "'%s' is not a number of rows; 0 stands for all", arg);
	*rows = value;
}

void view_sort(enum functions_sort *sort, const char *arg, struct argp_state *state)
{
	if (!strcmp(arg, "self"))
		*sort = SORT_SELF;
	else if (!strcmp(arg, "total"))
		*sort = SORT_TOTAL;
	else
		argp_error(state, "--sort is self or total, not '%s'", arg);
}
