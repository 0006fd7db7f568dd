// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_recorder.c - kflame recorder: starts, freezes, saves and stops the module's flight recorder
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/stream_file.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "device/device.h"

#define BUFFER		(256U << 10)
#define DEFAULT_SPAN	60	/* seconds */
#define DEFAULT_HZ	99

/* All verbs; args_doc has them, too */
#define VERBS		"start, freeze, save, stop or status"

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
};

enum { OPTION_EPOCHS = 256, OPTION_ENTRIES, OPTION_LATE, OPTION_SOFTIRQ, OPTION_OOM, OPTION_HUNG, OPTION_MEMORY };

static const struct argp_option option_list[] = {
	{ 0, 0, 0, 0, "Options of start:", 1 },
	{ "seconds", 's', "SECONDS", 0, "Keep the last SECONDS (60)", 1 },
	{ "frequency", 'F', "HZ", 0, "Samples a second on each CPU (99)", 1 },
	{ "late", OPTION_LATE, "MS", 0, "Freeze if a sample is MS late, as with interrupts off", 1 },
	{ "softirq", OPTION_SOFTIRQ, "MS", 0, "Freeze if a CPU was only in softirqs for MS", 1 },
	{ "oom", OPTION_OOM, 0, 0, "Freeze if the OOM killer chooses a process", 1 },
	{ "hung-task", OPTION_HUNG, 0, 0, "Freeze if the kernel finds a hung task", 1 },
	{ "memory", OPTION_MEMORY, "MIB", 0, "Freeze if less memory than MIB is available", 1 },
	{ "epochs", OPTION_EPOCHS, "N", OPTION_HIDDEN, "Divide the time into N parts, and overwrite the oldest part (12)", 1 },
	{ "entries", OPTION_ENTRIES, "N", OPTION_HIDDEN, "Distinct stacks that a part keeps on each CPU", 1 },
	{ 0, 0, 0, 0, "Options of save:", 2 },
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
	.args_doc = "start|freeze|save|stop|status",
	.doc = "Keep the last seconds in the module, until something freezes them. Then save them as a "
	       "profile. No process runs meanwhile.",
};

/* ------------------------------------------------------------------ answers */

/* @detail: printf format of what the trigger measured, and its divisor; NULL: it measures nothing */
static const struct {
	const char *name;
	const char *detail;
	double divisor;
} causes[KFLAME_NR_FREEZE] = {
	[KFLAME_FREEZE_NONE] = { "nothing", NULL, 1 },
	[KFLAME_FREEZE_REQUEST] = { "request", NULL, 1 },
	[KFLAME_FREEZE_PANIC] = { "panic", NULL, 1 },
	[KFLAME_FREEZE_LATE] = { "late interrupt", "%.3f ms late", 1e6 },
	[KFLAME_FREEZE_SOFTIRQ] = { "softirq", "%.3f ms in softirqs", 1e6 },
	[KFLAME_FREEZE_OOM] = { "OOM killer", "process %.0f was chosen", 1 },
	[KFLAME_FREEZE_HUNG] = { "hung task", "task %.0f", 1 },
	[KFLAME_FREEZE_MEMORY] = { "memory", "%.1f MiB available", 1024 * 1024 },
};

static void print_cause(const struct kflame_recorder *a)
{
	if (a->cause >= KFLAME_NR_FREEZE) {
		printf("frozen by:  a trigger that this tool does not know (%u)\n", a->cause);
		return;
	}
	printf("frozen by:  %s", causes[a->cause].name);
	if (causes[a->cause].detail) {
		fputs(": ", stdout);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		printf(causes[a->cause].detail, (double)a->detail / causes[a->cause].divisor);
#pragma GCC diagnostic pop
	}
	putchar('\n');
}

static void print_triggers(uint32_t triggers)
{
	const char *between = "";

	fputs("triggers:   ", stdout);
	for (uint32_t i = 1; i < KFLAME_NR_FREEZE; i++)
		if (triggers & 1U << i) {
			printf("%s%s", between, causes[i].name);
			between = ", ";
		}
	putchar('\n');
}

static void print_status(const struct kflame_recorder *a)
{
	static const char *const states[] = {
		[KFLAME_RECORDER_OFF] = "off", [KFLAME_RECORDER_RUNNING] = "running",
		[KFLAME_RECORDER_FROZEN] = "frozen",
	};

	printf("recorder:   %s\n", a->state <= KFLAME_RECORDER_FROZEN ? states[a->state] : "?");
	if (a->state == KFLAME_RECORDER_OFF)
		return;
	if (a->state == KFLAME_RECORDER_FROZEN)
		print_cause(a);
	print_triggers(a->triggers);
	printf("keeps:      the last %g s, at %g Hz, in %.1f MiB of kernel memory\n", (double)a->span_ns / 1e9,
	       a->period_ns ? 1e9 / (double)a->period_ns : 0.0, (double)a->memory / (1024 * 1024));
	printf("samples:    %llu: %llu kept, %llu overwritten, %llu lost\n", (unsigned long long)a->samples,
	       (unsigned long long)a->kept, (unsigned long long)a->expired, (unsigned long long)a->lost);
}

static const char *reason(const char *verb, int err)
{
	switch (-err) {
	case ENODATA:
		return "it does not run. Start it: kflame recorder start";
	case EBUSY:
		if (!strcmp(verb, "start"))
			return "it runs, is being read, or was frozen. 'kflame recorder start' without options continues a frozen one";
		return !strcmp(verb, "freeze") ? "it is frozen. Save it: kflame recorder save" :
						 "it is being read. End what reads it";
	case EPERM:
		return "this needs CAP_SYS_ADMIN: run with sudo";
	case ENOMEM:
		return "it would take too much kernel memory: ask for fewer seconds, a lower rate or fewer --entries";
	case EOPNOTSUPP:
		return "this kernel has no tracepoint for --oom or --hung-task: leave the option out";
	case EINVAL:
		return "the module refuses these values: a part of the time (--epochs) has to be 10 ms and one sample at least";
	default:
		return strerror(-err);
	}
}

/* Return: 0, or -1 after an error message */
static int request(int fd, const char *verb, uint32_t op, struct kflame_recorder *a)
{
	int err;

	a->size = sizeof(*a);
	a->op = op;
	err = device_recorder(fd, a);
	if (!err)
		return 0;
	complain("recorder %s: %s", verb, reason(verb, err));
	return -1;
}

/* ------------------------------------------------------------------ actions */

static int start(int fd, const struct options *o)
{
	struct kflame_recorder now = { 0 }, asked = o->asked;

	if (request(fd, "start", KFLAME_RECORDER_STATUS, &now))
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
	if (request(fd, "start", KFLAME_RECORDER_START, &asked))
		return -1;
	print_status(&asked);
	return 0;
}

static int act(int fd, const struct options *o)
{
	struct kflame_recorder a = { 0 };

	if (request(fd, o->verb->name, o->verb->op, &a))
		return -1;
	print_status(&a);
	return 0;
}

/* Copy the stream of the module to the file */
static int copy(int fd, struct record_output *out)
{
	char *buffer = malloc(BUFFER);
	ssize_t n = -1;

	if (!buffer)
		complain("there is not enough memory to save the profile");
	while (buffer && (n = read(fd, buffer, BUFFER)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			complain("the recorder cannot be read: %s", strerror(errno));
		if (n < 0 || record_output_write(out, buffer, (size_t)n))
			break;
	}
	free(buffer);
	return n ? -1 : 0;
}

/* Write the frozen recorder to a file.  Return: 0, or -1 after an error message */
static int write_file(int fd, const char *path)
{
	struct record_output out;

	if (record_output_open(&out, path, "kflame.data"))
		return -1;
	if (copy(fd, &out)) {
		record_output_abandon(&out);
		return -1;
	}
	if (record_output_close(&out))
		return -1;
	complain("%s: %" PRIu64 " kB", out.path, (out.bytes + 999) / 1000);
	return 0;
}

/* A file that reads the recorder keeps it frozen, so it has a descriptor of its own */
static int read_frozen(const char *path)
{
	struct kflame_recorder a = { 0 };
	struct kflame_info info;
	int fd = device_open(KFLAME_DEVICE, &info), err = -1;

	if (fd < 0)
		return -1;
	if (!request(fd, "save", KFLAME_RECORDER_READ, &a))
		err = write_file(fd, path);
	close(fd);
	return err;
}

/* A recorder that runs is frozen while it is saved, and then continues, also if saving failed */
static int save(int fd, const struct options *o)
{
	struct kflame_recorder now = { 0 }, a = { 0 }, again = { 0 };
	int err;

	if (request(fd, "save", KFLAME_RECORDER_STATUS, &now))
		return -1;
	if (now.state == KFLAME_RECORDER_RUNNING && request(fd, "save", KFLAME_RECORDER_FREEZE, &a))
		return -1;
	err = read_frozen(o->output);
	if (now.state == KFLAME_RECORDER_RUNNING && request(fd, "start", KFLAME_RECORDER_START, &again))
		return -1;
	return err;
}

static const struct verb verbs[] = {
	{ .name = "start", .run = start },
	{ .name = "freeze", .run = act, .op = KFLAME_RECORDER_FREEZE },
	{ .name = "save", .run = save },
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

	if (o->verb->run != start && (o->hz > 0 || memcmp(&o->asked, &none, sizeof(none))))
		complain("recorder %s: only start takes options of a recording", o->verb->name);
	else if (o->verb->run != save && o->output)
		complain("recorder %s: only save takes -o", o->verb->name);
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
