// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - kflame-record: a recorder for a target with nothing but busybox
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/text.h"
#include "base/version.h"
#include "doctor/doctor.h"
#include "recorder/session.h"

#define DEFAULT_RATE	997

static const char help[] =
	"Usage: kflame-record [record] [OPTION...] [--] [COMMAND...]\n"
	"       kflame-record cat [-o FILE]\n"
	"       kflame-record doctor\n"
	"\n"
	"record samples a command, processes or all CPUs into a profile, until Ctrl-C:\n"
	"  -a          sample all CPUs; the default without a command and -p\n"
	"  -p PID,...  sample these processes and their children\n"
	"  -d SECONDS  stop after so long\n"
	"  -F HERTZ    samples a second of each busy CPU (997)\n"
	"  -o FILE     write the profile there (kflame.data); - is standard output\n"
	"  -T          keep threads apart\n"
	"  -U          only in user mode, without kernel stacks\n"
	"  -e ENTRIES  table entries for each CPU\n"
	"cat copies the profile of a module that was loaded with autostart=1.\n"
	"doctor shows what works on this machine, what does not, and what to do.\n"
	"\n"
	"On the host: kflame flame -i FILE --symbols ROOT, with a copy of this machine's root.\n";

/* Return: 0; -1 after a message */
static int number(char option, const char *text, double least, double most, double *to)
{
	char *end;

	*to = strtod(text, &end);
	if (end != text && !*end && *to >= least && *to <= most)
		return 0;
	complain("-%c %s: a number from %g to %g is needed", option, text, least, most);
	return -1;
}

static int pids(char *list, struct session_options *o)
{
	char *save;

	for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		double pid;

		if (number('p', word, 1, 1 << 30, &pid))
			return -1;
		if (o->nr_pids == KFLAME_MAX_FILTER) {
			complain("-p takes at most %u processes", KFLAME_MAX_FILTER);
			return -1;
		}
		o->pids[o->nr_pids++] = (uint32_t)pid;
	}
	return 0;
}

/* Return: 0; -1 after a message */
static int parse(int argc, char **argv, struct session_options *o)
{
	double value;
	int option;

	/* "+": the command's own options are behind it */
	while ((option = getopt(argc, argv, "+ap:d:F:o:Te:U")) != -1) {
		int err = 0;

		switch (option) {
		case 'a':
			o->all_cpus = true;
			break;
		case 'p':
			err = pids(optarg, o);
			break;
		case 'd':
			err = number('d', optarg, 0.01, 1e9, &value);
			o->duration_ns = (uint64_t)(value * NS_PER_S);
			break;
		case 'F':
			err = number('F', optarg, 1, 100000, &value);
			o->period_ns = (uint64_t)(NS_PER_S / value + 0.5);
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'T':
			o->flags |= KFLAME_CF_PER_THREAD;
			break;
		case 'U':
			o->flags |= KFLAME_CF_EXCLUDE_KERNEL | KFLAME_CF_NO_KSTACK;
			break;
		case 'e':
			err = number('e', optarg, 1, INT32_MAX, &value);
			o->entries = (uint32_t)value;
			break;
		default:
			err = -1;
		}
		if (err)
			return err;
	}
	o->command = optind < argc ? argv + optind : NULL;
	return 0;
}

static int do_record(int argc, char **argv)
{
	static struct session_options o = { .period_ns = (NS_PER_S + DEFAULT_RATE / 2) / DEFAULT_RATE };

	return parse(argc, argv, &o) ? 2 : session_run(&o);
}

static int do_cat(int argc, char **argv)
{
	struct session_options o = { .output = "-" };

	if (parse(argc, argv, &o))
		return 2;
	return session_cat(o.output);
}

static void tell(void *ctx, const char *topic, const struct finding *f)
{
	static const char *const words[] = { "works", "limit", "fails", "?" };
	unsigned int *fails = ctx;

	*fails += f->verdict == VERDICT_FAILS;
	printf("%-5s  %-13s  ", words[f->verdict], topic);
	text_put(stdout, f->text);
	if (f->fix[0]) {
		fputs("\n                      fix: ", stdout);
		text_put(stdout, f->fix);
	}
	putchar('\n');
}

static int do_doctor(int argc, char **argv)
{
	unsigned int fails = 0;
	struct doctor d;

	(void)argv;
	if (argc > 1) {
		complain("doctor takes no options");
		return 2;
	}
	if (doctor_look(&d, "")) {
		complain("there is not enough memory to look at the machine");
		doctor_exit(&d);
		return 2;
	}
	doctor_each(&d, tell, &fails);
	doctor_exit(&d);
	return close_stdout() || fails ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "--help";

	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		fputs(help, argc > 1 ? stdout : stderr);
		return argc > 1 ? close_stdout() : 2;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("kflame-record %s\n", kflame_version);
		return close_stdout();
	}
	if (!strcmp(word, "cat"))
		return do_cat(argc - 1, argv + 1);
	if (!strcmp(word, "doctor"))
		return do_doctor(argc - 1, argv + 1);
	if (!strcmp(word, "record"))
		return do_record(argc - 1, argv + 1);
	return do_record(argc, argv);
}
