/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_options.h - options of views: which stacks are shown
 */
#ifndef KFLAME_FILTER_OPTIONS_H
#define KFLAME_FILTER_OPTIONS_H

#include <argp.h>

#include "filter.h"

/*
 * As a child of a command's struct argp.  Its input is a struct filter *, NULL at first,
 * which it makes at the first option; the command frees it.
 */
extern const struct argp filter_argp;

#endif
