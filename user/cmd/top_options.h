/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top_options.h - the command line of kflame top
 */
#ifndef KFLAME_CMD_TOP_OPTIONS_H
#define KFLAME_CMD_TOP_OPTIONS_H

#include "record/options.h"
#include "views/functions.h"

/**
 * struct top_options - the parsed command line
 * @record:	what is sampled, and how
 * @waits:	the same, with waits in place of the timer's samples
 * @has_waits:	@waits may be used: the user did not leave out the kernel, where threads wait
 * @off_cpu:	begin with waits
 * @every_ns:	time between refreshes
 * @sort:	order of functions
 * @unit:	unit of shares
 * @rows:	limit of rows in text output, 0 for all
 * @store:	directory of profiles to show in place of this machine; NULL: none
 * @where:	which of them; NULL: all
 * @last:	how far back; NULL: all
 * @once:	print one refresh as text, and end
 * @idle:	count the idle tasks, too
 */
struct top_options {
	struct record_options record, waits;
	char **words;			/* private: the command line of record */
	const char *wait_word;		/* private: what @waits has in addition */
	size_t nr_words, cap_words;
	uint64_t every_ns;
	enum functions_sort sort;
	enum tree_unit unit;
	size_t rows;
	const char *store;
	const char *where;
	const char *last;
	bool once;
	bool idle;
	bool has_waits;
	bool off_cpu;
};

/**
 * top_options_parse() - parses the command line; an error, or --help, ends the program
 *
 * Return: 0 or a negative errno, after an error message.  Free with top_options_exit().
 */
int top_options_parse(struct top_options *o, int argc, char **argv);

/** top_options_exit() - frees the contents of @o */
void top_options_exit(struct top_options *o);

#endif
