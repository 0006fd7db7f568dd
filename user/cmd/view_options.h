/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_options.h - options that several views share; a wrong value ends the program by argp_error()
 */
#ifndef KFLAME_CMD_VIEW_OPTIONS_H
#define KFLAME_CMD_VIEW_OPTIONS_H

#include <argp.h>

#include "views/functions.h"

/** view_rows() - parses the limit of rows in a table; 0 for all */
void view_rows(size_t *rows, const char *arg, struct argp_state *state);

/** view_sort() - parses "self" or "total" */
void view_sort(enum functions_sort *sort, const char *arg, struct argp_state *state);

#endif
