// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - kflame COMMAND: finds the command and gives it the rest
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/version.h"
#include "cmd/commands.h"
#include "cmd/sandbox_works.h"

struct command {
	const char *name;	/* argv[0] of the command: "kflame " and its name */
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{ "kflame record", cmd_record, "Sample a command, processes or the machine into a file" },
	{ "kflame list",   cmd_list,   "List what can be recorded here: functions, tracepoints" },
	{ "kflame summary", cmd_summary, "Print one page: where the time went, what is unusual" },
	{ "kflame report", cmd_report, "Print tables: the top functions, who calls what" },
	{ "kflame flame",  cmd_flame,  "Draw an interactive flame graph (SVG)" },
	{ "kflame view",   cmd_view,   "Write a page to search, filter, compare in (HTML)" },
	{ "kflame diff",   cmd_diff,   "Compare two profiles: functions, paths, a picture" },
	{ "kflame fold",   cmd_fold,   "Print folded stacks, FlameGraph's format" },
	{ "kflame convert", cmd_convert, "Convert to pprof, speedscope, perf script and others" },
	{ "kflame merge",  cmd_merge,  "Add up profiles of many machines or runs" },
	{ "kflame archive", cmd_archive, "Pack a profile and the symbols of its programs" },
	{ "kflame top",    cmd_top,    "Show what takes the time now, refreshed" },
	{ "kflame trace",  cmd_trace,  "Show calls of kernel functions as they happen" },
	{ "kflame explain", cmd_explain, "Take one sample apart: registers, stack, rules, names" },
	{ "kflame agent",  cmd_agent,  "Sample all the time, and keep or send profiles (fleets)" },
	{ "kflame info",   cmd_info,   "Show what was recorded, with every counter" },
	{ "kflame recorder", cmd_recorder, "Keep the last seconds in the module until something happens" },
	{ "kflame doctor", cmd_doctor, "Show what works on this machine, and what does not" },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const char *short_name(const struct command *c)
{
	return strchr(c->name, ' ') + 1;
}

static void usage(FILE *out)
{
	fputs("Usage: kflame COMMAND [OPTION...]\n\nCommands:\n", out);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", short_name(&commands[i]), commands[i].help);
	fputs("\n'kflame COMMAND --help' lists the options of a command; 'man kflame' explains all.\n",
	      out);
}

/* For completion: the names and what they are for */
static void list_commands(void)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("%s\t%s\n", short_name(&commands[i]), commands[i].help);
}

/* "kflame help record" is "kflame record --help" */
static int run_help(const struct command *c)
{
	char help[] = "--help";
	char *argv[] = { (char *)c->name, help, NULL };

	return c->run(2, argv);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(name, short_name(&commands[i])))
			return &commands[i];
	return NULL;
}

/*
 * One of the three that is closed would be the number of the next file that is opened, and messages
 * would be written into it. What is put there cannot be written, or read, as if it were closed.
 */
static void fill_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	const struct command *c;

	sandbox_main(sandbox_works);
	fill_standard();
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("kflame %s\n", kflame_version);
		return close_stdout();
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (!strcmp(argv[1], "help") && argc == 2)) {
		usage(stdout);
		return close_stdout();
	}
	if (!strcmp(argv[1], "--list-commands")) {
		list_commands();
		return close_stdout();
	}
	if (!strcmp(argv[1], "help")) {
		c = find_command(argv[2]);
		if (c)
			return run_help(c);
		argv++;
	} else {
		c = find_command(argv[1]);
	}
	if (!c) {
		complain("there is no command '%s'; 'kflame help' lists them", argv[1]);
		return 2;
	}
	argv[1] = (char *)c->name;
	return c->run(argc - 1, argv + 1);
}
