// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record_check.c - do the options of kflame record go together?
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/record_check.h"
#include "profile/profile.h"
#include "record/condition_parse.h"
#include "record/hit_weight.h"

static void add_event(struct argp_state *state, struct record_options *o, uint32_t kind)
{
	if (record_add_event(o, kind))
		argp_error(state, "-e names too many events: a recording has at most %d, with those of --off-cpu and --wall",
			   KFLAME_MAX_EVENTS);
}

/* --off-cpu and --wall add their events, wherever they are on the command line */
static void add_waits(struct argp_state *state, struct record_options *o)
{
	if (o->wall && !record_has_event(o, KFLAME_EVENT_TIMER))
		add_event(state, o, KFLAME_EVENT_TIMER);
	if (o->off_cpu && !record_has_event(o, KFLAME_EVENT_OFFCPU))
		add_event(state, o, KFLAME_EVENT_OFFCPU);
	if (o->off_cpu_sampled && !record_has_event(o, KFLAME_EVENT_SLEEPERS))
		add_event(state, o, KFLAME_EVENT_SLEEPERS);
}

/* Return: an option that needs the begin and the end of each wait; NULL if none was given */
static const char *for_each_wait(const struct record_options *o)
{
	if (o->wall)
		return "--wall";
	if (o->wakers)
		return "--wakers";
	if (o->min_block_ns)
		return "--min-block";
	return o->max_block_ns ? "--max-block" : NULL;
}

static void check_waits(struct argp_state *state, const struct record_options *o)
{
	const bool each = record_has_event(o, KFLAME_EVENT_OFFCPU), sampled = record_has_event(o, KFLAME_EVENT_SLEEPERS);
	const char *option = for_each_wait(o);

	if (sampled && option)
		argp_error(state, "%s needs the begin and the end of each wait, which off-cpu-sampled does not see: use --off-cpu, or leave out %s",
			   option, option);
	if (sampled && each)
		argp_error(state, "off-cpu and off-cpu-sampled measure the same waits: leave out one of them");
	if (option && !each)
		argp_error(state, "%s chooses waits by their length, and no waits are recorded: add --off-cpu", option);
	if (o->max_block_ns && o->max_block_ns < o->min_block_ns)
		argp_error(state, "--max-block is shorter than --min-block, so no wait would be recorded: change one of them");
}

/* Return: the option that leaves out all samples of such events, KFLAME_CF_EXCLUDE_*; 0 for none */
static uint64_t leaves_out_all(uint32_t kind)
{
	switch (kind) {
	case KFLAME_EVENT_TIMER:
	case KFLAME_EVENT_FAULTS:
		return 0;
	case KFLAME_EVENT_UPROBE:
	case KFLAME_EVENT_URETPROBE:
		return KFLAME_CF_EXCLUDE_USER;
	default: /* Other probes are in the kernel, and threads wait there. */
		return KFLAME_CF_EXCLUDE_KERNEL;
	}
}

/* The timer's samples would freeze the recorder at once */
static void check_freeze(struct argp_state *state, const struct record_options *o)
{
	uint32_t others = 0;

	for (uint32_t i = 0; i < o->nr_events; i++)
		others += o->events[i].kind != KFLAME_EVENT_TIMER;
	if (o->freeze && !others)
		argp_error(state, "--freeze: no event but cpu-clock is recorded: add one, such as -e kretprobe:vfs_read --weight latency --min 10ms");
}

/* -U and -K: an event that could never be recorded */
static void check_modes(struct argp_state *state, const struct record_options *o)
{
	for (uint32_t i = 0; i < o->nr_events; i++) {
		const struct record_event *e = &o->events[i];
		const uint64_t by = leaves_out_all(e->kind) & o->config_flags;

		if (by & KFLAME_CF_EXCLUDE_KERNEL)
			argp_error(state, "-U leaves out the kernel, and %s is recorded only there: leave out -U, or %s", e->name, e->name);
		if (by & KFLAME_CF_EXCLUDE_USER)
			argp_error(state, "-K leaves out user mode, and %s is recorded only there: leave out -K, or %s", e->name, e->name);
	}
}

/* Can a pair weigh bytes? Which tracepoints of memory do, the module checks. */
static bool has_bytes(const struct record_event *e)
{
	const char *system = strchr(e->name, ':') + 1, *end = strstr(e->name, "..");

	if (!strncmp(system, "kmem:", 5))
		return true;
	return !strncmp(system, "block:", 6) && end && !strcmp(end, "..block_rq_complete");
}

/* A value and a latency need the return of a function or of a system call */
static void check_probes(struct argp_state *state, const struct record_options *o)
{
	char why[CONDITION_WHY];
	bool any = false;

	if (hit_weight_check(o, why))
		argp_error(state, "%s", why);
	if (o->weight != KFLAME_WEIGHT_LATENCY && o->weight != KFLAME_WEIGHT_VALUE)
		return;
	for (uint32_t i = 0; i < o->nr_events; i++) {
		const struct record_event *e = &o->events[i];

		if (profile_event_is_probe(e->kind) && !record_has_weights(e->kind) && !e->of_preset)
			argp_error(state, "--weight %s is known when a function returns, and %s is no return: use kretprobe:FUNC, or leave out --weight",
				   o->weight == KFLAME_WEIGHT_LATENCY ? "latency" : "value", e->name);
		if (e->kind == KFLAME_EVENT_PAIR && hit_weight(o, e) == KFLAME_WEIGHT_VALUE && !has_bytes(e))
			argp_error(state, "--weight value is the bytes of kernel memory, or of a request of a block device that ends with block_rq_complete, and %s is about neither: use --block-io, or another weight",
				   e->name);
		any |= record_has_weights(e->kind);
	}
	if (!any)
		argp_error(state, "--weight chooses what returns and system calls weigh, and none are recorded: add -e kretprobe:FUNC or -e syscall:NAME");
}

/* Return: the weight of all events that do not weigh one; KFLAME_WEIGHT_OWN for none */
static uint32_t weight_of_all(struct argp_state *state, const struct record_options *o)
{
	uint32_t weight = KFLAME_WEIGHT_OWN;

	for (uint32_t i = 0; i < o->nr_events; i++) {
		uint32_t one = hit_weight(o, &o->events[i]);

		/* Both are numbers. */
		if (one == KFLAME_WEIGHT_OPERAND)
			one = KFLAME_WEIGHT_VALUE;
		if (one != KFLAME_WEIGHT_OWN && weight != KFLAME_WEIGHT_OWN && one != weight)
			argp_error(state, "--min and --max mean a time for some events and a value for others: choose one of both with --weight, or record twice");
		if (one != KFLAME_WEIGHT_OWN)
			weight = one;
	}
	return weight;
}

/* --min or --max: a latency, or a value */
static void take_bound(struct argp_state *state, const char *option, const char *text, bool is_latency, uint64_t *to)
{
	char *end;
	int err;

	if (is_latency) {
		err = parse_length(text, to);
		if (err == -EDOM)
			argp_error(state, "%s %s: the unit is missing: add ns, us, ms or s", option, text);
		else if (err)
			argp_error(state, "%s %s: this is no latency, such as 1us, 2.5ms or 1s", option, text);
		return;
	}
	errno = 0;
	*to = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || !*to || *to > RECORD_MAX_VALUE)
		argp_error(state, "%s %s: this is no value from 1 to %llu, such as 4096", option, text,
			   (unsigned long long)RECORD_MAX_VALUE);
}

/* --min, --max and --weight are for all probes, wherever they are on the command line */
static void take_bounds(struct argp_state *state, struct record_options *o)
{
	uint32_t weight;
	bool is_latency;

	if (!o->min_text && !o->max_text)
		return;
	weight = weight_of_all(state, o);
	is_latency = weight == KFLAME_WEIGHT_LATENCY;
	if (weight == KFLAME_WEIGHT_OWN)
		argp_error(state, "%s chooses hits by what they weigh, and each weighs one: add --weight latency, value, argN or a tracepoint's field",
			   o->min_text ? "--min" : "--max");
	if (o->min_text)
		take_bound(state, "--min", o->min_text, is_latency, &o->min_weight);
	if (o->max_text)
		take_bound(state, "--max", o->max_text, is_latency, &o->max_weight);
	if (o->max_weight && o->max_weight < o->min_weight)
		argp_error(state, "--max is less than --min, so no hit would be recorded: change one of them");
}

static void check_together(struct argp_state *state, const struct record_options *o)
{
	if (o->all_cpus && (o->pids.nr || o->tids.nr))
		argp_error(state, "-a is everything, -p and -t are some: give one of them");
	if ((o->config_flags & KFLAME_CF_EXCLUDE_USER) &&
	    (o->config_flags & KFLAME_CF_EXCLUDE_KERNEL))
		argp_error(state, "-K and -U together leave nothing: give one of them");
	if ((o->config_flags & KFLAME_CF_EXCLUDE_IDLE) && (o->config_flags & KFLAME_CF_IDLE_STACK))
		argp_error(state, "--no-idle and --idle-stack contradict each other: give one of them");
}

void record_check(struct argp_state *state, struct record_options *o)
{
	check_together(state, o);
	add_waits(state, o);
	check_waits(state, o);
	check_modes(state, o);
	check_probes(state, o);
	check_freeze(state, o);
	take_bounds(state, o);
}
