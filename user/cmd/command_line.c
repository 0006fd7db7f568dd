// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command_line.c - what the command lines of all commands share
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "cmd/command_line.h"

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum { OPT_USAGE = 0x3000, OPT_LIST };

/* Return: how much of a word is to be typed as it is: of kprobe:FUNC, up to the colon; 0 for another with capitals */
static size_t typed(const char *word, size_t len)
{
	const size_t small = strcspn(word, CAPITALS);

	if (small >= len)
		return len;
	return small && word[small - 1] == ':' ? small : 0;
}

/* Print the words of "Order by: self, total or both (self)", separated by blanks. */
static void list_words(const char *doc)
{
	const char *at = strstr(doc, ": ");
	bool first = true;

	while (at && *at && *at != '(') {
		size_t len, shown;

		at += strspn(at, ":;, ");
		len = strcspn(at, ";, (");
		shown = len == 2 && !strncmp(at, "or", 2) ? 0 : typed(at, len);
		if (shown) {
			printf("%s%.*s", first ? "" : " ", (int)shown, at);
			first = false;
		}
		at += len;
		if (*at == ' ' && at[1] == '(')
			break;
	}
}

/* Print the rest of the line behind the spelling; an alias has the values of @o, the option before it */
static void list_rest(const struct argp_option *o)
{
	const bool optional = o->flags & OPTION_ARG_OPTIONAL;
	const char *doc = o->doc ? o->doc : "";

	putchar('\t');
	if (o->arg)
		printf(optional ? "[%s]" : "%s", o->arg);
	putchar('\t');
	if (o->arg)
		list_words(doc);
	printf("\t%s\n", doc);
}

static void list_options(const struct argp *argp)
{
	const struct argp_option *o, *main_one = NULL;

	for (o = argp->options; o && (o->name || o->key || o->doc); o++) {
		if (!(o->flags & OPTION_ALIAS))
			main_one = o;
		if ((o->flags & OPTION_DOC) || o->key == OPT_LIST)
			continue;
		if (o->name) {
			printf("--%s", o->name);
			list_rest(main_one);
		}
		if (o->key > 0 && o->key < 256 && isprint(o->key)) {
			printf("-%c", o->key);
			list_rest(main_one);
		}
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		list_options(c->argp);
}

/* List the arguments that are no options first; the only child of @whole has the command's options */
static void list(const struct argp *whole)
{
	const char *args = whole->children[0].argp->args_doc;

	if (args)
		printf("\t%s\t\t\n", args);
	list_options(whole);
}

/* Remove argp's note that arguments of long options apply to short ones, too */
static char *help_filter(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

static const struct argp_option help_options[] = {
	{ "help", '?', NULL, 0, "Print this", -1 },
	{ "usage", OPT_USAGE, NULL, OPTION_HIDDEN, "Print the options in short", -1 },
	{ "list-options", OPT_LIST, NULL, OPTION_HIDDEN, "Print all options, for completion", -1 },
	{ 0 }
};

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		return 0;
	case '?':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
		exit(close_stdout());
	case OPT_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE);
		exit(close_stdout());
	case OPT_LIST:
		list(state->root_argp);
		exit(close_stdout());
	}
	return ARGP_ERR_UNKNOWN;
}

/* Add a reference to the man page: "kflame flame" has kflame-flame(1) */
static char *doc_with_page(const struct argp *argp, const char *name)
{
	char *doc;

	if (asprintf(&doc, "%s\vMore: man %s", argp->doc, name) < 0)
		return NULL;
	for (char *at = doc + strlen(doc) - strlen(name); *at; at++)
		if (*at == ' ')
			*at = '-';
	return doc;
}

error_t command_line_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			   void *input)
{
	/* The --help of argp itself would print the note */
	struct argp own = *argp;
	const struct argp_child children[] = { { &own, 0, NULL, 0 }, { 0 } };
	struct argp whole = {
		.options = help_options,
		.parser = parse_help,
		.children = children,
		.help_filter = help_filter,
	};
	char *doc = doc_with_page(argp, argv[0]);
	FILE *own_stderr = stderr, *clean = clean_stream(stderr);
	error_t err;

	if (!doc)
		return ENOMEM;
	own.doc = NULL;
	whole.doc = doc;
	argp_err_exit_status = 2;
	/* argp and getopt print arguments unchanged, and shells insert file names that other users chose */
	if (clean)
		stderr = clean;
	err = argp_parse(&whole, argc, argv, flags | ARGP_NO_HELP, NULL, input);
	stderr = own_stderr;
	if (clean)
		fclose(clean);
	free(doc);
	return err;
}

double command_line_number(struct argp_state *state, const char *option, const char *text, double min, double max,
			   const char *what)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (end == text || *end || errno || !(value >= min && value <= max))
		argp_error(state, "%s %s: %s", option, text, what);
	return value;
}
