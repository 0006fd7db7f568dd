// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_doctor.c - kflame doctor
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "doctor/doctor.h"

#define NR_VERDICTS	(VERDICT_UNKNOWN + 1)

struct options {
	const char *root;
};

static const struct argp_option arguments[] = {
	{ "root", 'r', "DIR", 0, "Look at the system below DIR, not at this one", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'r':
		o->root = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option; there are no arguments", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = arguments,
	.parser = parse,
	.doc = "Show what works on this machine, what does not, and what to do about it.",
};

/* State of the output */
struct printed {
	bool color;
	unsigned int nr[NR_VERDICTS];
};

static void tell(void *ctx, const char *topic, const struct finding *f)
{
	static const struct {
		const char *word, *color;
	} verdicts[NR_VERDICTS] = {
		[VERDICT_WORKS] = { "works", "\033[32m" },
		[VERDICT_LIMIT] = { "limit", "\033[33m" },
		[VERDICT_FAILS] = { "fails", "\033[1;31m" },
		[VERDICT_UNKNOWN] = { "?", "\033[36m" },
	};
	struct printed *t = ctx;

	t->nr[f->verdict]++;
	printf("%s%-5s%s  %-13s  ", t->color ? verdicts[f->verdict].color : "",
	       verdicts[f->verdict].word, t->color ? "\033[0m" : "", topic);
	/* The text may come from files: control characters must not reach the terminal */
	text_put(stdout, f->text);
	putchar('\n');
	if (!f->fix[0])
		return;
	fputs("                      fix: ", stdout);
	text_put(stdout, f->fix);
	putchar('\n');
}

static void print_end(const struct printed *t)
{
	unsigned int fails = t->nr[VERDICT_FAILS], limits = t->nr[VERDICT_LIMIT];

	putchar('\n');
	if (fails)
		printf("kflame cannot record here as it is: see the line%s that begin%s with 'fails'.\n",
		       fails == 1 ? "" : "s", fails == 1 ? "s" : "");
	else
		printf("Nothing that was found keeps kflame from recording here%s.\n",
		       limits ? "; lines that begin with 'limit' say what is less than it could be" : "");
}

static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

/* Check it first: otherwise every single check would report missing files */
static bool is_directory(const char *root)
{
	int fd = *root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (*root && fd < 0) {
		complain("--root %s cannot be looked at: %s. Name the directory that stands for /", root,
			 strerror(errno));
		return false;
	}
	if (fd >= 0)
		close(fd);
	return true;
}

int cmd_doctor(int argc, char **argv)
{
	struct printed t = { .color = wants_color() };
	struct options o = { .root = "" };
	struct doctor d;

	if (command_line_parse(&argp, argc, argv, 0, &o))
		return 2;
	if (!is_directory(o.root))
		return 2;
	if (doctor_look(&d, o.root)) {
		complain("there is not enough memory to look at the machine");
		doctor_exit(&d);
		return 2;
	}
	doctor_each(&d, tell, &t);
	doctor_exit(&d);
	print_end(&t);
	return close_stdout() || t.nr[VERDICT_FAILS] ? 1 : 0;
}
