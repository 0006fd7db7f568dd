// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record_command_line.c - the command line of kflame record
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/record_check.h"
#include "cmd/record_command_line.h"
#include "elf/source_lookup.h"
#include "profile/profile.h"
#include "record/activate.h"
#include "record/condition_parse.h"
#include "record/presets.h"
#include "uapi/kflame.h"

#define DEFAULT_BUDGET		50	/* 1/1000 */
#define MAX_DURATION		(100.0 * 365 * 86400)

enum {
	OPT_IDLE_STACK = 256,
	OPT_NO_IDLE,
	OPT_NO_CHILDREN,
	OPT_CGROUP,
	OPT_PER_THREAD,
	OPT_BUDGET,
	OPT_ENTRIES,
	OPT_UNWIND,
	OPT_DEVICE,
	OPT_INLINE,
	OPT_NO_INLINE,
	OPT_VMLINUX,
	OPT_TIMELINE,
	OPT_OFF_CPU,
	OPT_MIN_BLOCK,
	OPT_MAX_BLOCK,
	OPT_WALL,
	OPT_WAKERS,
	OPT_FILE_IO,
	OPT_NET,
	OPT_ALLOC,
	OPT_SIGNALS,
	OPT_EXEC,
	OPT_FAULTS,
	OPT_BLOCK_IO,
	OPT_SYSCALLS,
	OPT_LABELS,
	OPT_FREEZE,
	OPT_ACTIVATE,
	OPT_WEIGHT,
	OPT_IF,
	OPT_MIN,
	OPT_MAX,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What to sample (default: the command and its children, or all CPUs):", 1 },
	{ "all-cpus", 'a', NULL, 0, "Everything on all CPUs", 1 },
	{ "pid", 'p', "PID,...", 0, "These processes and their children", 1 },
	{ "tid", 't', "TID,...", OPTION_HIDDEN, "These threads", 1 },
	{ "cpu", 'C', "LIST", 0, "Only on CPUs such as 0-3,8", 1 },
	{ "cgroup", OPT_CGROUP, "PATH", 0, "This control group and the groups below it", 1 },
	{ "kernel-only", 'K', NULL, 0, "Only in the kernel, without user stacks", 1 },
	{ "user-only", 'U', NULL, 0, "Only in user mode, without kernel stacks", 1 },
	{ "no-children", OPT_NO_CHILDREN, NULL, OPTION_HIDDEN, "Not the children of the processes or the command", 1 },
	{ "no-idle", OPT_NO_IDLE, NULL, OPTION_HIDDEN, "Do not count idle CPUs", 1 },
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "event", 'e', "EVENT,...", 0, "What: cpu-clock, page-faults, kprobe:FUNC, uprobe:BIN:SYM, tracepoint:SYS:NAME, syscall:NAME", 2 },
	{ "off-cpu", OPT_OFF_CPU, "sampled", OPTION_ARG_OPTIONAL, "Also how long threads wait, and where", 2 },
	{ "wall", OPT_WALL, NULL, OPTION_HIDDEN, "Where threads run and where they wait: -e cpu-clock --off-cpu --per-thread", 2 },
	{ "wakers", OPT_WAKERS, NULL, OPTION_HIDDEN, "As --off-cpu, and who ended each wait", 2 },
	{ "min-block", OPT_MIN_BLOCK, "TIME", OPTION_HIDDEN, "Leave out waits that are shorter, such as 1us", 2 },
	{ "max-block", OPT_MAX_BLOCK, "TIME", OPTION_HIDDEN, "Leave out waits that are longer, such as 100ms", 2 },
	{ "file-io", OPT_FILE_IO, "read|write|sync", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, "Bytes read and written, or the time of fsync(): read, write, sync", 2 },
	{ "net", OPT_NET, "send|receive|retransmit", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, "Bytes sent and received: send, receive, retransmit", 2 },
	{ "alloc", OPT_ALLOC, "slab|pages", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, "Bytes of the kernel's memory that is allocated: slab, pages", 2 },
	{ "signals", OPT_SIGNALS, NULL, OPTION_HIDDEN, "Signals, by who sends them", 2 },
	{ "exec", OPT_EXEC, NULL, OPTION_HIDDEN, "Processes and threads that start, and programs", 2 },
	{ "faults", OPT_FAULTS, NULL, OPTION_HIDDEN, "Page faults", 2 },
	{ "block-io", OPT_BLOCK_IO, "latency|bytes", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, "I/O of block devices: latency, bytes (latency)", 2 },
	{ "syscalls", OPT_SYSCALLS, "NAME,...", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, "How long system calls take", 2 },
	{ "labels", OPT_LABELS, NULL, OPTION_HIDDEN, "Also which file each call of vfs_read() and the like is about", 2 },
	{ "weight", OPT_WEIGHT, "WHAT", OPTION_HIDDEN, "What a hit weighs: count, latency, value, argN[:TYPE], FIELD of a tracepoint (count)", 2 },
	{ "if", OPT_IF, "CONDITION", OPTION_HIDDEN, "Leave out hits of probes unless, say, 'arg2 > 4096 && arg1:s32 != 0'", 2 },
	{ "min", OPT_MIN, "TIME|N", OPTION_HIDDEN, "Leave out hits that weigh less", 2 },
	{ "max", OPT_MAX, "TIME|N", OPTION_HIDDEN, "Leave out hits that weigh more", 2 },
	{ "freeze", OPT_FREEZE, NULL, OPTION_HIDDEN, "Freeze the flight recorder at each hit, of those that --min and --if want", 2 },
	{ "activate", OPT_ACTIVATE, "/TIME", OPTION_HIDDEN, "Begin at a multiple of TIME, the same on all hosts: /10s", 2 },
	{ "freq", 'F', "HZ", 0, "Samples a second on each CPU (997)", 2 },
	{ "duration", 'd', "SECONDS", 0, "Stop sampling after this time", 2 },
	{ "output", 'o', "FILE", 0, "Profile to write (kflame.data)", 2 },
	{ "per-thread", OPT_PER_THREAD, NULL, OPTION_HIDDEN, "Count each thread separately", 2 },
	{ "timeline", OPT_TIMELINE, NULL, 0, "Also record the time of each sample", 2 },
	{ "idle-stack", OPT_IDLE_STACK, NULL, OPTION_HIDDEN, "Also walk the stacks of idle CPUs", 2 },
	{ "budget", OPT_BUDGET, "PERCENT", OPTION_HIDDEN, "Most of a CPU that samples may take (5, 0 for no limit)", 2 },
	{ "entries", OPT_ENTRIES, "N", OPTION_HIDDEN, "Table entries for each CPU", 2 },
	{ "call-graph", 'g', "WAY", 0, "User stacks by: auto, dwarf, fp, dump (auto)", 2 },
	{ "unwind", OPT_UNWIND, "WAY", OPTION_HIDDEN, "Kernel stacks by: auto, save, regs (auto)", 2 },
	{ "inline", OPT_INLINE, NULL, OPTION_HIDDEN, "Look up inlined functions in very large debug data, too", 2 },
	{ "no-inline", OPT_NO_INLINE, NULL, OPTION_HIDDEN, "Look up no inlined functions and lines", 2 },
	{ "vmlinux", OPT_VMLINUX, "FILE", OPTION_HIDDEN, "Image of this kernel, for names and inlined functions", 2 },
	{ "device", OPT_DEVICE, "FILE", OPTION_HIDDEN, "Device (" KFLAME_DEVICE ")", 2 },
	{ 0 }
};

static int add_cgroup(struct cgroup_list *to, const char *path)
{
	int err;

	if (to->nr >= KFLAME_MAX_CGROUPS)
		return -ERANGE;
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (!err)
		to->all[to->nr++] = path;
	return err;
}

static void take_ids(struct argp_state *state, const char *option, const char *text, bool ranges,
		     struct id_list *to)
{
	switch (parse_ids(text, ranges, to)) {
	case 0:
		return;
	case -ERANGE:
		argp_error(state, "%s: more than %d numbers: give fewer, or use -a", option,
			   KFLAME_MAX_FILTER);
		break;
	case -ENOMEM:
		argp_failure(state, 1, ENOMEM, "%s", option);
		break;
	default:
		argp_error(state, "%s %s: this is no list of numbers such as %s", option, text,
			   ranges ? "0-3,8" : "1234,5678");
	}
}

static void take_rate(struct argp_state *state, const char *text, struct record_options *o)
{
	/* Only check that it can be a period: the module reports its own limits */
	double hz = command_line_number(state, "-F", text, 1e-9, 1e9,
				"a rate is a number of samples a second, 1 to 20000 Hz");

	o->period_ns = (uint64_t)llround(1e9 / hz);
}

static void take_budget(struct argp_state *state, const char *text, struct record_options *o)
{
	double percent = command_line_number(state, "--budget", text, 0, 100,
				     "a budget is 0.1 to 100 percent of a CPU, 0 for none");

	/* A small budget must not become 0, which means none */
	o->budget_permille = percent > 0 && percent < 0.1 ? 1 : (uint32_t)llround(10 * percent);
}

static void take_way(struct argp_state *state, const char *text, struct record_options *o)
{
	if (!strcmp(text, "auto"))
		o->kway = KFLAME_KWAY_AUTO;
	else if (!strcmp(text, "save"))
		o->kway = KFLAME_KWAY_SAVE;
	else if (!strcmp(text, "regs"))
		o->kway = KFLAME_KWAY_UNWIND;
	else
		argp_error(state, "--unwind %s: there are auto, save and regs", text);
}

static void take_graph(struct argp_state *state, const char *text, struct record_options *o)
{
	switch (call_graph_parse(text, &o->graph)) {
	case 0:
		return;
	case -ERANGE:
		argp_error(state, "-g %s: a copy has 8 to %u bytes, a multiple of 8, such as 32K",
			   text, KFLAME_DUMP_MAX);
		break;
	default:
		argp_error(state, "-g %s: there are auto, dwarf, fp, dump, and dwarf,dump", text);
	}
}

/* Return: what the user wrote for an option with a long name only, without the dashes */
static const char *option_name(int key)
{
	const struct argp_option *o = options;

	while (o->key != key)
		o++;
	return o->name;
}

/* @option: what asked for events, which @names are; @err: of parse_events() or preset_add(), but not -EINVAL */
static void tell_events(struct argp_state *state, const char *option, const char *names, int err)
{
	switch (err) {
	case -EEXIST:
		argp_error(state, "%s%s: an event is there twice: name each once", option, names);
		break;
	case -E2BIG:
		argp_error(state, "%s%s: a recording has at most %d events: leave some out", option, names,
			   KFLAME_MAX_EVENTS);
		break;
	case -ENAMETOOLONG:
		argp_error(state, "%s%s: the name of an event has at most %d bytes", option, names,
			   KFLAME_EVENT_NAME - 1);
		break;
	default:
		argp_failure(state, 1, -err, "%s", option);
	}
}

static void take_events(struct argp_state *state, const char *text, struct record_options *o)
{
	const int err = parse_events(text, o);

	if (err == -EINVAL)
		argp_error(state, "-e %s: there are cpu-clock, page-faults, off-cpu, off-cpu-sampled, kprobe:FUNC[+OFFSET], kretprobe:FUNC, tracepoint:SYSTEM:NAME, tracepoint:SYSTEM:BEGIN..END, outstanding:SYSTEM:BEGIN..END, uprobe:FILE:SYMBOL[+OFFSET], uretprobe:FILE:SYMBOL, both with FILE:ADDRESS, and syscall:NAME with a name of 'kflame list syscall:', with commas between them",
			   text);
	else if (err)
		tell_events(state, "-e ", text, err);
}

static void take_block(struct argp_state *state, const char *option, const char *text, uint64_t *ns)
{
	switch (parse_length(text, ns)) {
	case 0:
		return;
	case -EDOM:
		argp_error(state, "%s %s: the unit is missing: add ns, us, ms or s", option, text);
		break;
	default:
		argp_error(state, "%s %s: this is no length of a wait, such as 1us, 2.5ms or 1s", option, text);
	}
}

/* --weight argN[:TYPE] or FIELD */
static void take_operand(struct argp_state *state, const char *text, struct record_options *o)
{
	char why[CONDITION_WHY];

	o->weight = KFLAME_WEIGHT_OPERAND;
	if (operand_parse(text, &o->operand, why))
		argp_error(state, "--weight: %s. There are also count, latency and value", why);
}

static void take_weight(struct argp_state *state, const char *text, struct record_options *o)
{
	o->weight_given = true;
	if (!strcmp(text, "count"))
		o->weight = KFLAME_WEIGHT_OWN;
	else if (!strcmp(text, "latency"))
		o->weight = KFLAME_WEIGHT_LATENCY;
	else if (!strcmp(text, "value"))
		o->weight = KFLAME_WEIGHT_VALUE;
	else
		take_operand(state, text, o);
}

static void take_conditions(struct argp_state *state, const char *text, struct record_options *o)
{
	char why[CONDITION_WHY];

	if (conditions_parse(text, o->conditions, &o->nr_conditions, why))
		argp_error(state, "--if '%s': %s", text, why);
}

static error_t parse_off_cpu(int key, char *arg, struct argp_state *state, struct record_options *o)
{
	switch (key) {
	case OPT_OFF_CPU:
		if (arg && strcmp(arg, "sampled"))
			argp_error(state, "--off-cpu=%s: there are --off-cpu, which sees each wait, and --off-cpu=sampled", arg);
		*(arg ? &o->off_cpu_sampled : &o->off_cpu) = true;
		return 0;
	case OPT_WALL:
		o->wall = o->off_cpu = true;
		o->config_flags |= KFLAME_CF_PER_THREAD;
		return 0;
	case OPT_WAKERS:
		o->off_cpu = true;
		o->wakers = true;
		return 0;
	case OPT_MIN_BLOCK:
		take_block(state, "--min-block", arg, &o->min_block_ns);
		return 0;
	case OPT_MAX_BLOCK:
		take_block(state, "--max-block", arg, &o->max_block_ns);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_presets(int key, char *arg, struct argp_state *state, struct record_options *o)
{
	char option[32], words[128];
	int err;

	if (key < OPT_FILE_IO || key > OPT_SYSCALLS)
		return parse_off_cpu(key, arg, state, o);
	snprintf(option, sizeof(option), "--%s", option_name(key));
	err = preset_add(o, option_name(key), arg);
	if (err == -EINVAL) {
		preset_words(option_name(key), words, sizeof(words));
		argp_error(state, "%s=%s: there are %s", option, arg, words);
	}
	if (err)
		tell_events(state, option, "", err);
	return 0;
}

static error_t parse_how(int key, char *arg, struct argp_state *state, struct record_options *o)
{
	switch (key) {
	case 'F':
		take_rate(state, arg, o);
		return 0;
	case 'e':
		take_events(state, arg, o);
		return 0;
	case 'd':
		o->duration_ns = (uint64_t)(1e9 * command_line_number(state, "-d", arg, 1e-3, MAX_DURATION,
					    "a duration is a number of seconds, 0.001 and more"));
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_BUDGET:
		take_budget(state, arg, o);
		return 0;
	case OPT_ENTRIES:
		o->entries = (uint32_t)command_line_number(state, "--entries", arg, 1, INT32_MAX,
						   "a number of table entries is 1 or more");
		return 0;
	case 'g':
		take_graph(state, arg, o);
		return 0;
	case OPT_UNWIND:
		take_way(state, arg, o);
		return 0;
	case OPT_DEVICE:
		o->device = arg;
		return 0;
	case OPT_INLINE:
		o->inlines = SOURCE_INLINE_ALL;
		return 0;
	case OPT_NO_INLINE:
		o->inlines = SOURCE_INLINE_NO;
		return 0;
	case OPT_VMLINUX:
		o->vmlinux = arg;
		return 0;
	case ARGP_KEY_ARG:
		/* The first word that is no option begins the command */
		o->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case OPT_FREEZE:
		o->freeze = true;
		return 0;
	case OPT_ACTIVATE:
		if (activate_parse(arg, &o->activate_ns))
			argp_error(state, "--activate %s: write a slash and a time from 1ms to 86400s, such as /10s", arg);
		return 0;
	case OPT_LABELS:
		o->labels = true;
		return 0;
	case OPT_WEIGHT:
		take_weight(state, arg, o);
		return 0;
	case OPT_IF:
		take_conditions(state, arg, o);
		return 0;
	case OPT_MIN:
		o->min_text = arg;
		return 0;
	case OPT_MAX:
		o->max_text = arg;
		return 0;
	default:
		return parse_presets(key, arg, state, o);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;

	switch (key) {
	case 'a':
		o->all_cpus = true;
		break;
	case 'p':
		take_ids(state, "-p", arg, false, &o->pids);
		break;
	case 't':
		take_ids(state, "-t", arg, false, &o->tids);
		break;
	case 'C':
		take_ids(state, "-C", arg, true, &o->cpus);
		break;
	case OPT_CGROUP:
		if (add_cgroup(&o->cgroups, arg))
			argp_error(state, "--cgroup: more than %d, or not enough memory: give one that is above them",
				   KFLAME_MAX_CGROUPS);
		break;
	case 'K':
		o->config_flags |= KFLAME_CF_EXCLUDE_USER | KFLAME_CF_NO_USTACK;
		break;
	case 'U':
		o->config_flags |= KFLAME_CF_EXCLUDE_KERNEL | KFLAME_CF_NO_KSTACK;
		break;
	case OPT_NO_CHILDREN:
		o->config_flags |= KFLAME_CF_NO_CHILDREN;
		break;
	case OPT_NO_IDLE:
		o->config_flags |= KFLAME_CF_EXCLUDE_IDLE;
		break;
	case OPT_IDLE_STACK:
		o->config_flags |= KFLAME_CF_IDLE_STACK;
		break;
	case OPT_TIMELINE:
		o->config_flags |= KFLAME_CF_TIMELINE | KFLAME_CF_PER_THREAD;
		break;
	case OPT_PER_THREAD:
		o->config_flags |= KFLAME_CF_PER_THREAD;
		break;
	case ARGP_KEY_END:
		record_check(state, o);
		break;
	default:
		return parse_how(key, arg, state, o);
	}
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Sample a command, processes or the whole machine into a file.",
};

int record_options_parse(struct record_options *o, int argc, char **argv)
{
	int err;

	*o = (struct record_options){
		.period_ns = RECORD_PERIOD_NS,
		.budget_permille = DEFAULT_BUDGET,
		.graph.uway = KFLAME_UWAY_AUTO,
		.device = KFLAME_DEVICE,
	};
	err = command_line_parse(&argp, argc, argv, ARGP_IN_ORDER, o);
	if (!err)
		return 0;
	complain("record: %s", strerror(err));
	return err == ENOMEM ? -ENOMEM : -EINVAL;
}
