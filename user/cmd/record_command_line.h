/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_command_line.h - the command line of kflame record
 */
#ifndef KFLAME_CMD_RECORD_COMMAND_LINE_H
#define KFLAME_CMD_RECORD_COMMAND_LINE_H

#include "record/options.h"

/**
 * record_options_parse() - parses the command line; an error ends the process, after a message
 * @argv:	must live as long as @o
 *
 * Return: 0; -ENOMEM or -EINVAL, after a message.  Free @o with record_options_exit().
 */
int record_options_parse(struct record_options *o, int argc, char **argv);

#endif
