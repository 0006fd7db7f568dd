// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hit_weight.c - what the hits of a probe weigh, and which are wanted
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "record/condition_parse.h"
#include "record/hit_weight.h"

/* Arguments of a tracepoint that the module can read */
#define TRACEPOINT_ARGS	5

bool hit_weighs_by_field(const struct record_options *o, const struct record_event *event)
{
	return event->field && (!o->weight_given || o->weight == KFLAME_WEIGHT_LATENCY || o->weight == KFLAME_WEIGHT_VALUE);
}

/* Is --weight argN or --weight FIELD for the event? */
static bool takes_operand(const struct record_options *o, const struct record_event *event)
{
	return o->weight == KFLAME_WEIGHT_OPERAND && profile_event_is_probe(event->kind) &&
	       !hit_weighs_by_field(o, event) && (!event->of_preset || event->field);
}

uint32_t hit_weight(const struct record_options *o, const struct record_event *event)
{
	if (hit_weighs_by_field(o, event) || takes_operand(o, event))
		return KFLAME_WEIGHT_OPERAND;
	if (!record_has_weights(event->kind))
		return KFLAME_WEIGHT_OWN;
	return o->weight_given && o->weight != KFLAME_WEIGHT_OPERAND ? o->weight : event->weight;
}

uint64_t hit_max_weight(const struct record_options *o, const struct record_event *event)
{
	const uint32_t weight = hit_weight(o, event);

	if (!o->max_weight && (weight == KFLAME_WEIGHT_VALUE || weight == KFLAME_WEIGHT_OPERAND))
		return RECORD_MAX_VALUE;
	return o->max_weight;
}

bool hit_has_operands(const struct record_options *o)
{
	bool any = o->nr_conditions || o->weight == KFLAME_WEIGHT_OPERAND;

	for (uint32_t i = 0; i < o->nr_events; i++)
		any |= hit_weighs_by_field(o, &o->events[i]);
	return any;
}

void hit_weight_fill(const struct record_options *o, const struct record_event *event, struct kflame_event *e)
{
	const bool by_field = hit_weighs_by_field(o, event);

	if (!profile_event_is_probe(event->kind))
		return;
	if (o->nr_conditions) {
		e->conditions = (uintptr_t)o->conditions;
		e->nr_conditions = o->nr_conditions;
	}
	e->weight = hit_weight(o, event);
	if (by_field) {
		e->operand.kind = KFLAME_OPERAND_FIELD;
		memcpy(e->operand.field, event->field, strlen(event->field));
	} else if (e->weight == KFLAME_WEIGHT_OPERAND) {
		e->operand = o->operand;
	}
	if (e->weight != KFLAME_WEIGHT_OWN) {
		e->min = o->min_weight;
		e->max = hit_max_weight(o, event);
	}
}

/* Return: why a kind of probe has no arguments and fields, and what to use instead; NULL if it has some */
static const char *without_operands(uint32_t kind)
{
	if (kind == KFLAME_EVENT_SYSCALL)
		return "because events of system calls have no arguments: use kprobe:FUNC";
	if (kind == KFLAME_EVENT_PAIR)
		return "because a pair of tracepoints has no arguments: use one of both, tracepoint:SYSTEM:NAME";
	return NULL;
}

/* @option: what names the value */
static int check_operand(const char *option, const struct kflame_operand *operand, const struct record_event *event, char *why)
{
	const bool is_tracepoint = event->kind == KFLAME_EVENT_TRACEPOINT;
	const char *lacks = without_operands(event->kind);
	char text[64];

	operand_text(operand, text, sizeof(text));
	if (lacks)
		return condition_wrong(why, "%s: '%s' is unknown of %.*s, %s, or leave out %s", option, text, KFLAME_EVENT_NAME,
				       event->name, lacks, option);
	if (event->kind == KFLAME_EVENT_URETPROBE)
		return condition_wrong(why, "%s: '%s' is known when a function is called, and %.*s is its return: use uprobe:FILE:SYMBOL, or leave out %s",
				       option, text, KFLAME_EVENT_NAME, event->name, option);
	if (operand->kind == KFLAME_OPERAND_FIELD && !is_tracepoint)
		return condition_wrong(why, "%s: '%s' is a field of tracepoints, and %.*s is none: there are %sarg1 to arg%d", option,
				       text, KFLAME_EVENT_NAME, event->name, strcmp(option, "--if") ? "count, latency, value and " : "",
				       KFLAME_MAX_ARG);
	if (is_tracepoint && operand->arg > TRACEPOINT_ARGS)
		return condition_wrong(why, "%s: '%s' cannot be read, because the sixth argument of a tracepoint is in memory: %.*s has arg1 to arg%d at most",
				       option, text, KFLAME_EVENT_NAME, event->name, TRACEPOINT_ARGS);
	return 0;
}

int hit_weight_check(const struct record_options *o, char *why)
{
	bool any_weight = false, any_condition = false;

	for (uint32_t i = 0; i < o->nr_events; i++) {
		const struct record_event *event = &o->events[i];
		int err = 0;

		if (!profile_event_is_probe(event->kind))
			continue;
		any_condition = true;
		any_weight |= takes_operand(o, event);
		if (takes_operand(o, event))
			err = check_operand("--weight", &o->operand, event, why);
		for (uint32_t k = 0; !err && k < o->nr_conditions; k++)
			err = check_operand("--if", &o->conditions[k].operand, event, why);
		if (err)
			return err;
	}
	if (o->weight == KFLAME_WEIGHT_OPERAND && !any_weight)
		return condition_wrong(why, "--weight chooses what hits weigh, and no probes are recorded: add -e kprobe:FUNC or -e tracepoint:SYSTEM:NAME");
	if (o->nr_conditions && !any_condition)
		return condition_wrong(why, "--if chooses among hits, and no probes are recorded: add -e kprobe:FUNC or -e tracepoint:SYSTEM:NAME");
	return 0;
}
