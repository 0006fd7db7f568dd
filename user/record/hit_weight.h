/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hit_weight.h - what the hits of a probe weigh, and which are wanted: --weight, --if, --min and --max
 */
#ifndef KFLAME_RECORD_HIT_WEIGHT_H
#define KFLAME_RECORD_HIT_WEIGHT_H

#include "record/options.h"

/** hit_weighs_by_field() - Return: whether the event is of a preset that weighs hits by a field, and does so here */
bool hit_weighs_by_field(const struct record_options *o, const struct record_event *event);

/** hit_weight() - Return: what hits of an event weigh, KFLAME_WEIGHT_* */
uint32_t hit_weight(const struct record_options *o, const struct record_event *event);

/** hit_max_weight() - Return: the largest weight of hits of an event, if it is not one; 0: no limit */
uint64_t hit_max_weight(const struct record_options *o, const struct record_event *event);

/** hit_has_operands() - Return: whether the module must look at arguments or fields for some event */
bool hit_has_operands(const struct record_options *o);

/**
 * hit_weight_fill() - configures what the hits of an event weigh, and which are wanted
 * @e:		the weight, operand, conditions, min and max of probes are set; refers to @o
 */
void hit_weight_fill(const struct record_options *o, const struct record_event *event, struct kflame_event *e);

/**
 * hit_weight_check() - do --weight and --if go together with the events?
 * @why:	out, if not: a message, CONDITION_WHY bytes
 *
 * Return: 0; -EINVAL.
 */
int hit_weight_check(const struct record_options *o, char *why);

#endif
