/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse_record.h - tests of the options of kflame record
 */
#ifndef KFLAME_TESTS_PARSE_RECORD_H
#define KFLAME_TESTS_PARSE_RECORD_H

#include <stddef.h>

#include "cmd/record_command_line.h"

/* A command line, with a NULL behind it */
#define ARGS(...)	((char *[]){ (char *)"kflame record", __VA_ARGS__ __VA_OPT__(,) NULL })

static inline int count(char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return argc;
}

/* A command that only parses the options.  For run() and assert_refused() */
static inline int parse_record(int argc, char **argv)
{
	struct record_options o;

	if (record_options_parse(&o, argc, argv))
		return 98;
	record_options_exit(&o);
	return 0;
}

#endif
