/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_line.h - what the command lines of all commands have in common
 *
 * The help of a command fits a screen: options that few people need are OPTION_HIDDEN, and the
 * help ends with the man page that has them all.  Where an argument is one of some words, the
 * option's help tells them after its only colon: "Order by: self or total (self)".  Completion
 * takes them from there.
 */
#ifndef KFLAME_CMD_COMMAND_LINE_H
#define KFLAME_CMD_COMMAND_LINE_H

#include <argp.h>

/**
 * command_line_parse() - argp_parse(), for "kflame NAME" in argv[0]
 *
 * A wrong option ends the program with status 2.  --list-options alone prints every option,
 * also hidden ones, and ends it: for each spelling "SPELLING<tab>ARGUMENT<tab>WORDS<tab>HELP",
 * where ARGUMENT is empty if there is none, in brackets if it may be left out, and WORDS are
 * what it may be, if that is known.  The line without a spelling is of what is no option.
 *
 * Return: 0 or an error number, as argp_parse().
 */
error_t command_line_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			   void *input);

#endif
