// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_recorder.c - kflame recorder: starts, freezes, saves, watches and stops the module's flight recorder
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/recorder_request.h"
#include "cmd/recorder_save.h"
#include "cmd/recorder_watch.h"
#include "device/device.h"
#include "record/activate.h"

#define DEFAULT_SPAN	60	/* seconds */
#define DEFAULT_HZ	99

/* All verbs; args_doc has them, too */
#define VERBS		"start, freeze, save, watch, stop or status"

struct options;

/** struct verb - a request to the recorder; @run gets a descriptor of the device, and @op is for act() */
struct verb {
	const char *name;
	int (*run)(int fd, const struct options *o);
	uint32_t op;
};

struct options {
	const struct verb *verb;
	const char *output;
	struct kflame_recorder asked;
	double hz;
	uint64_t activate_ns;
	struct recorder_watch watch;
};

enum { OPTION_EPOCHS = 256, OPTION_ENTRIES, OPTION_LATE, OPTION_SOFTIRQ, OPTION_OOM, OPTION_HUNG, OPTION_MEMORY,
       OPTION_RUN_QUEUE, OPTION_BLOCKED, OPTION_PRESSURE, OPTION_AGAIN,
       OPTION_ACTIVATE };

static const struct argp_option option_list[] = {
	{ 0, 0, 0, 0, "Options of start:", 1 },
	{ "seconds", 's', "SECONDS", 0, "Keep the last SECONDS (60)", 1 },
	{ "frequency", 'F', "HZ", 0, "Samples a second on each CPU (99)", 1 },
	{ "late", OPTION_LATE, "MS", 0, "Freeze if a sample is MS late (interrupts off)", 1 },
	{ "softirq", OPTION_SOFTIRQ, "MS", 0, "Freeze if a CPU was only in softirqs for MS", 1 },
	{ "oom", OPTION_OOM, 0, 0, "Freeze if the OOM killer chooses a process", 1 },
	{ "hung-task", OPTION_HUNG, 0, 0, "Freeze if the kernel finds a hung task", 1 },
	{ "memory", OPTION_MEMORY, "MIB", 0, "Freeze if less memory than MIB is available", 1 },
	{ "run-queue", OPTION_RUN_QUEUE, "MS", 0, "Freeze if a task waits for a CPU for MS", 1 },
	{ "blocked", OPTION_BLOCKED, "N", 0, "Freeze if more than N tasks sleep uninterruptibly", 1 },
	{ "activate", OPTION_ACTIVATE, "/TIME", 0, "Begin at a multiple of TIME on all hosts: /10s", 1 },
	{ "epochs", OPTION_EPOCHS, "N", OPTION_HIDDEN, "Divide the time into N parts, and overwrite the oldest part (12)", 1 },
	{ "entries", OPTION_ENTRIES, "N", OPTION_HIDDEN, "Distinct stacks that a part keeps on each CPU", 1 },
	{ 0, 0, 0, 0, "Options of watch; --output of save, too:", 2 },
	{ "pressure", OPTION_PRESSURE, "WHAT:MS", 0,
	  "Freeze if tasks wait MS of a second, as io:150", 2 },
	{ "again", OPTION_AGAIN, 0, 0, "Continue after each profile, until Ctrl-C", 2 },
	{ "output", 'o', "FILE", 0, "Profile to write, - for stdout (kflame.data)", 2 },
	{ 0 }
};

static uint64_t ms(struct argp_state *state, const char *option, const char *text)
{
	return (uint64_t)(command_line_number(state, option, text, 0.001, 1e6, "a time in milliseconds") * 1e6);
}

static error_t parse_start(int key, const char *arg, struct argp_state *state, struct options *o)
{
	struct kflame_recorder *a = &o->asked;

	switch (key) {
	case 's':
		a->span_ns = (uint64_t)(command_line_number(state, "--seconds", arg, 1, 3600,
							    "a time from 1 to 3600 seconds") * 1e9);
		return 0;
	case 'F':
		o->hz = command_line_number(state, "-F", arg, 1, 20000, "a rate from 1 to 20000");
		return 0;
	case OPTION_LATE:
		a->late_ns = ms(state, "--late", arg);
		return 0;
	case OPTION_SOFTIRQ:
		a->softirq_ns = ms(state, "--softirq", arg);
		return 0;
	case OPTION_OOM:
		a->triggers |= 1U << KFLAME_FREEZE_OOM;
		return 0;
	case OPTION_HUNG:
		a->triggers |= 1U << KFLAME_FREEZE_HUNG;
		return 0;
	case OPTION_MEMORY:
		a->least_memory = (uint64_t)(command_line_number(state, "--memory", arg, 1, 1e9, "a size in MiB") *
					     1024 * 1024);
		return 0;
	case OPTION_RUN_QUEUE:
		a->runq_ns = ms(state, "--run-queue", arg);
		return 0;
	case OPTION_BLOCKED:
		a->most_blocked = (uint32_t)command_line_number(state, "--blocked", arg, 1, 1e9, "a number of tasks");
		return 0;
	case OPTION_EPOCHS:
		a->epochs = (uint32_t)command_line_number(state, "--epochs", arg, 2, 256, "a number from 2 to 256");
		return 0;
	case OPTION_ENTRIES:
		a->entries = (uint32_t)command_line_number(state, "--entries", arg, 16, 32768,
							   "a number from 16 to 32768");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct verb *find_verb(const char *name);

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case OPTION_ACTIVATE:
		if (activate_parse(arg, &o->activate_ns))
			argp_error(state, "--activate %s: write a slash and a time from 1ms to 86400s, such as /10s", arg);
		return 0;
	case OPTION_PRESSURE:
		if (recorder_watch_pressure(&o->watch, arg))
			argp_error(state, "--pressure %s: write cpu, io, memory or irq, a colon, and milliseconds from 1 to 999; each once",
				   arg);
		return 0;
	case OPTION_AGAIN:
		o->watch.again = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->verb)
			argp_error(state, "'%s' is one argument too many: say " VERBS, arg);
		o->verb = find_verb(arg);
		if (!o->verb)
			argp_error(state, "there is no '%s': say " VERBS, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "say what to do: " VERBS);
		return EINVAL;
	default:
		return parse_start(key, arg, state, o);
	}
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.args_doc = "start|freeze|save|watch|stop|status",
	.doc = "Keep the last seconds in the module, until something freezes them. Then save them as a "
	       "profile. Only 'watch' needs a process.",
};

/* ------------------------------------------------------------------ actions */

static int start(int fd, const struct options *o)
{
	struct kflame_recorder now = { 0 }, asked = o->asked;

	if (recorder_request(fd, "start", KFLAME_RECORDER_STATUS, &now))
		return -1;
	/* Without options a frozen recorder goes on */
	if (now.state == KFLAME_RECORDER_OFF && !asked.span_ns)
		asked.span_ns = DEFAULT_SPAN * 1000000000ULL;
	if (o->hz > 0)
		asked.period_ns = (uint64_t)(1e9 / o->hz + 0.5);
	if (asked.late_ns && (double)asked.late_ns < 1e9 / (o->hz > 0 ? o->hz : DEFAULT_HZ)) {
		complain("--late %g: lateness is counted in whole periods, which are %.3f ms long. Choose a longer time, or a higher rate with -F",
			 (double)asked.late_ns / 1e6, 1e3 / (o->hz > 0 ? o->hz : DEFAULT_HZ));
		return -1;
	}
	if (activate_wait(o->activate_ns) || recorder_request(fd, "start", KFLAME_RECORDER_START, &asked))
		return -1;
	recorder_print_status(&asked);
	return 0;
}

static int act(int fd, const struct options *o)
{
	struct kflame_recorder a = { 0 };

	if (recorder_request(fd, o->verb->name, o->verb->op, &a))
		return -1;
	recorder_print_status(&a);
	return 0;
}

static int save(int fd, const struct options *o)
{
	return recorder_save(fd, o->output);
}

static int watch(int fd, const struct options *o)
{
	return recorder_watch_run(fd, &o->watch, o->output);
}

static const struct verb verbs[] = {
	{ .name = "start", .run = start },
	{ .name = "freeze", .run = act, .op = KFLAME_RECORDER_FREEZE },
	{ .name = "save", .run = save },
	{ .name = "watch", .run = watch },
	{ .name = "stop", .run = act, .op = KFLAME_RECORDER_STOP },
	{ .name = "status", .run = act, .op = KFLAME_RECORDER_STATUS },
};

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(name, verbs[i].name))
			return &verbs[i];
	return NULL;
}

static int run(const struct options *o)
{
	struct kflame_info info;
	int fd = device_open(KFLAME_DEVICE, &info), err = -1;

	if (fd < 0)
		return -1;
	if (!(info.features & KFLAME_FEAT_RECORDER)) {
		complain("the module (version %s) is older than this tool and has no recorder: load the new one",
			 (const char *)info.version);
		close(fd);
		return -1;
	}
	err = o->verb->run(fd, o);
	close(fd);
	return err;
}

/* Does the verb take the options? */
static bool is_sane(const struct options *o)
{
	const struct kflame_recorder none = { 0 };

	if (o->verb->run != start && (o->hz > 0 || o->activate_ns || memcmp(&o->asked, &none, sizeof(none))))
		complain("recorder %s: only start takes options of a recording", o->verb->name);
	else if (o->verb->run != save && o->verb->run != watch && o->output)
		complain("recorder %s: only save and watch take -o", o->verb->name);
	else if (o->verb->run != watch && (o->watch.again || recorder_watch_has_pressure(&o->watch)))
		complain("recorder %s: only watch takes --pressure and --again", o->verb->name);
	else
		return true;
	return false;
}

int cmd_recorder(int argc, char **argv)
{
	struct options o = { 0 };

	if (command_line_parse(&argp, argc, argv, 0, &o) || !is_sane(&o))
		return 2;
	return run(&o) || close_stdout() ? EXIT_FAILURE : EXIT_SUCCESS;
}
