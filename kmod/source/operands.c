// SPDX-License-Identifier: GPL-2.0-only
/*
 * operands.c - values that a hit of a probe has; see source/operands.h
 *
 * Everything below the first part only calculates, with registers that were copied. It runs in any context,
 * also in the exception of a breakpoint, which x86 enters as an NMI.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/ptrace.h>
#ifdef CONFIG_ARM64
#include <asm/compat.h>
#endif

#include "source/fields.h"
#include "source/operands.h"
#include "source/source.h"

/* ------------------------------------------------------------ at CONFIGURE */

static bool has_no_field(const struct kflame_operand *from)
{
	return !memchr_inv(from->field, 0, sizeof(from->field));
}

static int init_arg(struct kf_operand *o, const struct kf_source *source, const struct kflame_operand *from)
{
	if (!from->arg || from->arg > source->args || from->is_signed > 1 || !has_no_field(from))
		return -EINVAL;
	if (from->bytes != 1 && from->bytes != 2 && from->bytes != 4 && from->bytes != 8)
		return -EINVAL;
	o->arg = from->arg - 1;
	o->shift = 64 - 8 * from->bytes;
	o->is_signed = from->is_signed;
	return 0;
}

/* @unit: out. Return: 0; -EINVAL; -ENODATA if the source has no such field */
static int init_field(struct kf_operand *o, const struct kf_source *source,
		      const struct kflame_operand *from, const char *name, u32 *unit)
{
	const size_t len = strnlen(from->field, sizeof(from->field));
	const struct kf_field *field;

	if (from->arg || from->bytes || from->is_signed || !len || len == sizeof(from->field) ||
	    memchr_inv(from->field + len, 0, sizeof(from->field) - len))
		return -EINVAL;
	field = source->find_field ? source->find_field(name, from->field) : NULL;
	if (!field)
		return -ENODATA;
	o->read = field->read;
	*unit = field->unit;
	return 0;
}

static int init_operand(struct kf_operand *o, const struct kf_source *source,
			const struct kflame_operand *from, const char *name, u32 *unit)
{
	*unit = KFLAME_UNIT_VALUE;
	switch (from->kind) {
	case KFLAME_OPERAND_ARG:
		return init_arg(o, source, from);
	case KFLAME_OPERAND_FIELD:
		return init_field(o, source, from, name, unit);
	default:
		return -EINVAL;
	}
}

/**
 * kf_operands_init() - take over what an event's configuration says of operands
 * @o:		out: whole, zero if the configuration says nothing
 * @source:	of the event
 * @event:	its configuration
 * @conditions:	kflame_event.conditions, copied in: at least as many as are allowed
 * @name:	the event's, as kf_source.check gets it
 *
 * Return: 0; -EINVAL; -ENODATA if the source knows no such field of that event
 */
int kf_operands_init(struct kf_operands *o, const struct kf_source *source,
		     const struct kflame_event *event, const struct kflame_condition *conditions,
		     const char *name)
{
	u32 i, unit;
	int err = 0;

	memset(o, 0, sizeof(*o));
	if (event->weight == KFLAME_WEIGHT_OPERAND)
		err = init_operand(&o->weight, source, &event->operand, name, &o->unit);
	else if (memchr_inv(&event->operand, 0, sizeof(event->operand)))
		err = -EINVAL;
	o->arg = event->operand.arg;
	if (event->nr_conditions > KFLAME_MAX_CONDITIONS || (event->conditions && !event->nr_conditions))
		return -EINVAL;
	for (i = 0; i < event->nr_conditions && !err; i++) {
		const struct kflame_condition *from = &conditions[i];

		if (from->op >= KFLAME_NR_OPS || from->pad)
			return -EINVAL;
		o->conditions[i].op = from->op;
		o->conditions[i].value = from->value;
		err = init_operand(&o->conditions[i].operand, source, &from->operand, name, &unit);
	}
	o->nr = event->nr_conditions;
	return err;
}

/* ------------------------------------------------------------ at each hit */

/* Must a source read the arguments of the event's hits? */
bool kf_has_operands(const struct kf_event *e)
{
	return e->weight == KFLAME_WEIGHT_OPERAND || e->operands.nr;
}

NOKPROBE_SYMBOL(kf_has_operands);

/* The weight of a hit of which nothing else is known */
u64 kf_lost_weight(const struct kf_event *e)
{
	return e->weight == KFLAME_WEIGHT_OWN;
}

NOKPROBE_SYMBOL(kf_lost_weight);

/* Signed values are extended to 64 bits. */
static u64 value_of(const struct kf_operand *o, const unsigned long *args)
{
	u64 value;

	if (o->read)
		return o->read(args);
	value = (u64)args[o->arg] << o->shift;
	return o->is_signed ? (u64)((s64)value >> o->shift) : value >> o->shift;
}

NOKPROBE_SYMBOL(value_of);

static bool holds(const struct kf_condition *c, const unsigned long *args)
{
	const u64 value = value_of(&c->operand, args);
	const int order = c->operand.is_signed ?
		((s64)value > (s64)c->value) - ((s64)value < (s64)c->value) :
		(value > c->value) - (value < c->value);

	switch (c->op) {
	case KFLAME_OP_EQ:
		return !order;
	case KFLAME_OP_NE:
		return order;
	case KFLAME_OP_LT:
		return order < 0;
	case KFLAME_OP_LE:
		return order <= 0;
	case KFLAME_OP_GT:
		return order > 0;
	case KFLAME_OP_GE:
		return order >= 0;
	default:
		return value & c->value;
	}
}

NOKPROBE_SYMBOL(holds);

/* What a hit weighs by its operand. A negative value weighs nothing. */
u64 kf_operand_weight(const struct kf_event *e, const unsigned long *args)
{
	const u64 value = value_of(&e->operands.weight, args);

	return e->operands.weight.is_signed && (s64)value < 0 ? 0 : value;
}

NOKPROBE_SYMBOL(kf_operand_weight);

/* Are all conditions true of a hit? */
bool kf_conditions_hold(const struct kf_event *e, const unsigned long *args)
{
	u32 i;

	for (i = 0; i < e->operands.nr; i++)
		if (!holds(&e->operands.conditions[i], args))
			return false;
	return true;
}

NOKPROBE_SYMBOL(kf_conditions_hold);

bool kf_weight_is_wanted(const struct kf_event *e, u64 weight)
{
	return weight && weight >= e->min && weight <= e->max;
}

NOKPROBE_SYMBOL(kf_weight_is_wanted);

/*
 * Copy the arguments of a function that has just been called: KFLAME_MAX_ARG of them. A register without an
 * argument has any value.
 */
void kf_call_args(const struct pt_regs *regs, unsigned long *args)
{
	u32 i;

	for (i = 0; i < KFLAME_MAX_ARG; i++)
		args[i] = regs_get_kernel_argument((struct pt_regs *)regs, i);
}

NOKPROBE_SYMBOL(kf_call_args);

/**
 * kf_weigh() - weigh a hit, or lose it if it is not wanted
 * @e:		the event
 * @args:	the arguments of the hit, KFLAME_MAX_ARG of them
 *
 * Context: interrupts off, no NMI.
 * Return: its weight; 0 if it is accounted for as lost
 */
u64 kf_weigh(struct kf_event *e, const unsigned long *args)
{
	const u64 weight = e->weight == KFLAME_WEIGHT_OPERAND ? kf_operand_weight(e, args) : 1;

	if (kf_weight_is_wanted(e, weight) && kf_conditions_hold(e, args))
		return weight;
	e->sample->missed(e, KFLAME_LOST_LENGTH, 1, weight);
	return 0;
}

NOKPROBE_SYMBOL(kf_weigh);

/* The same for a function of the kernel that has just been called */
u64 kf_weigh_call(struct kf_event *e, const struct pt_regs *regs)
{
	unsigned long args[KFLAME_MAX_ARG];

	if (!kf_has_operands(e))
		return 1;
	kf_call_args(regs, args);
	return kf_weigh(e, args);
}

NOKPROBE_SYMBOL(kf_weigh_call);

/* Is it a 32-bit program? These pass arguments on the stack, or in other registers. */
static bool is_compat(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return !user_64bit_mode(regs);
#else
	return compat_user_mode(regs);
#endif
}

/* The same for a function of a program. No condition is true of a hit in a 32-bit program. */
u64 kf_weigh_user_call(struct kf_event *e, struct pt_regs *regs)
{
	if (!kf_has_operands(e) || !is_compat(regs))
		return kf_weigh_call(e, regs);
	e->sample->missed(e, KFLAME_LOST_LENGTH, 1, kf_lost_weight(e));
	return 0;
}
