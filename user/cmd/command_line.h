/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_line.h - what the command lines of all commands share
 *
 * The help of a command fits on one screen: rarely needed options are OPTION_HIDDEN, and the help refers to
 * the man page, which has all options.  If an argument is one of a few words, the option's help lists them
 * after its only colon: "Order by: self or total (self)".  Shell completion takes the words from there.
 * Of a word such as "kprobe:FUNC" it takes "kprobe:", and lets 'kflame list' complete the rest.
 */
#ifndef KFLAME_CMD_COMMAND_LINE_H
#define KFLAME_CMD_COMMAND_LINE_H

#include <argp.h>

/**
 * command_line_parse() - argp_parse(), with "kflame NAME" in argv[0]
 *
 * A wrong option ends the program with status 2.
 *
 * --list-options, as the only argument, prints all options, also hidden ones, and ends the program. Each
 * spelling is one line: "SPELLING<tab>ARGUMENT<tab>WORDS<tab>HELP". ARGUMENT is empty if the option takes
 * none, and in brackets if it is optional. WORDS are its possible values, if known.  The line without a
 * spelling describes the arguments that are no options.
 *
 * Return: 0 or an error number, as argp_parse().
 */
error_t command_line_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			   void *input);

/**
 * command_line_number() - a number from @min to @max, which may have decimals
 * @option:	as the user gave it, for the message
 * @what:	what is wanted, for the message
 *
 * Another text ends the program with status 2.
 */
double command_line_number(struct argp_state *state, const char *option, const char *text, double min, double max,
			   const char *what);

#endif
