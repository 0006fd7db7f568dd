/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * operands.h - values that a hit of a probe has: what it weighs by them, and whether it is wanted
 *
 * A value is an argument, or a field that source/fields.h computes from arguments. CONFIGURE turns the
 * operands of the ABI into struct kf_operands. Sources call the functions below at each hit, before the
 * stack is walked. So a hit that is not wanted costs a few comparisons.
 */
#ifndef KF_OPERANDS_H
#define KF_OPERANDS_H

#include <linux/types.h>

#include <kflame.h>

struct kf_event;
struct kf_source;
struct pt_regs;

/**
 * struct kf_operand - a value of a hit
 * @read:	of a field: computes it from the arguments; NULL: the value is the argument @arg itself
 * @arg:	index of the argument
 * @shift:	how many bits of the register do not belong to the argument; these are the upper ones
 * @is_signed:	the argument's highest bit is a sign
 */
struct kf_operand {
	u64 (*read)(const unsigned long *args);
	u8 arg;
	u8 shift;
	bool is_signed;
};

/* A condition on a value: @op is KFLAME_OP_* */
struct kf_condition {
	struct kf_operand operand;
	u32 op;
	u64 value;
};

/**
 * struct kf_operands - what an event needs of the arguments of its hits
 * @weight:	what a hit weighs, with KFLAME_WEIGHT_OPERAND
 * @unit:	KFLAME_UNIT_* of @weight
 * @arg:	kflame_operand.arg of @weight, for the stream
 * @nr:		number of @conditions
 * @conditions:	all must be true of a hit
 *
 * Ownership: part of struct kf_event. CONFIGURE writes it, and then nothing does.
 */
struct kf_operands {
	struct kf_operand weight;
	u32 unit;
	u32 arg;
	u32 nr;
	struct kf_condition conditions[KFLAME_MAX_CONDITIONS];
};

int kf_operands_init(struct kf_operands *o, const struct kf_source *source,
		     const struct kflame_event *event, const struct kflame_condition *conditions,
		     const char *name);
bool kf_has_operands(const struct kf_event *e);
u64 kf_lost_weight(const struct kf_event *e);
u64 kf_operand_weight(const struct kf_event *e, const unsigned long *args);
bool kf_conditions_hold(const struct kf_event *e, const unsigned long *args);
bool kf_weight_is_wanted(const struct kf_event *e, u64 weight);
void kf_call_args(const struct pt_regs *regs, unsigned long *args);
u64 kf_weigh(struct kf_event *e, const unsigned long *args);
u64 kf_weigh_call(struct kf_event *e, const struct pt_regs *regs);
u64 kf_weigh_user_call(struct kf_event *e, struct pt_regs *regs);

#endif
