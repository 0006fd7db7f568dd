// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_state.c - what is known about registers and saved registers at an instruction
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/code_state.h"

const struct code_machine *code_machine(uint16_t machine)
{
	return machine == EM_X86_64 ? &code_x86_64 : machine == EM_AARCH64 ? &code_arm64 : NULL;
}

/* The CFA minus the stack pointer at the first instruction: x86-64's call has pushed the return address */
static int32_t pushed(const struct code_machine *m)
{
	return m->link ? 0 : 8;
}

enum code_kept code_kept(const struct code_machine *m, uint8_t reg)
{
	if (reg == m->fp)
		return CODE_KEPT_FP;
	if (reg == m->base)
		return CODE_KEPT_BASE;
	return m->link && reg == m->link ? CODE_KEPT_LINK : CODE_KEPT;
}

static bool is_offset(int32_t value)
{
	return value != CODE_UNKNOWN && value != CODE_SAME;
}

static int32_t add(int32_t value, int32_t number)
{
	int64_t sum = (int64_t)value + number;
	int64_t base = value > CODE_FP_BASE / 2 ? CODE_FP_BASE : 0;

	if (!is_offset(value) || sum - base > CODE_FAR || sum - base < -CODE_FAR)
		return CODE_UNKNOWN;
	return (int32_t)sum;
}

void code_state_begin(const struct code_machine *m, struct code_state *s)
{
	for (unsigned int i = 0; i < CODE_REGS; i++)
		s->value[i] = CODE_UNKNOWN;
	for (unsigned int i = 0; i < CODE_KEPT; i++)
		s->saved[i] = s->loaded[i] = CODE_UNKNOWN;
	s->value[m->sp] = -pushed(m);
	s->value[m->fp] = CODE_SAME;
	s->value[m->base] = CODE_SAME;
	if (m->link)
		s->value[m->link] = CODE_SAME;
}

void code_state_search(const struct code_machine *m, struct code_state *s)
{
	code_state_begin(m, s);
	s->value[m->sp] = 0;
	s->value[m->fp] = CODE_FP_BASE;
}

static void set(const struct code_machine *m, struct code_state *s, uint8_t reg, int32_t value)
{
	enum code_kept kept = code_kept(m, reg);

	if (kept != CODE_KEPT)
		s->loaded[kept] = CODE_UNKNOWN;
	if (m->followed >> reg & 1)
		s->value[reg] = value;
}

/* The value of a register that holds what it held at the beginning */
static int32_t first_value(enum code_kept kept, bool search)
{
	return search && kept == CODE_KEPT_FP ? CODE_FP_BASE : CODE_SAME;
}

static void load(const struct code_machine *m, struct code_state *s, const struct code_op *op, bool search)
{
	int32_t at = add(s->value[op->from], op->add);
	enum code_kept kept = code_kept(m, op->to);
	bool its = kept != CODE_KEPT && is_offset(at);

	if (its && s->saved[kept] == at) {
		set(m, s, op->to, first_value(kept, search));
	} else {
		set(m, s, op->to, CODE_UNKNOWN);
		if (its && search)
			s->loaded[kept] = at;
	}
}

static void store(const struct code_machine *m, struct code_state *s, const struct code_op *op, bool search)
{
	int32_t at = add(s->value[op->to], op->add);
	enum code_kept kept = code_kept(m, op->from);

	if (kept != CODE_KEPT && is_offset(at) && s->value[op->from] == first_value(kept, search) &&
	    s->saved[kept] == CODE_UNKNOWN)
		s->saved[kept] = at;
}

/* What is below the stack pointer is no longer saved */
static void forget_popped(const struct code_machine *m, struct code_state *s)
{
	int32_t sp = s->value[m->sp];

	for (unsigned int i = 0; i < CODE_KEPT; i++)
		if (is_offset(sp) && sp < CODE_FP_BASE / 2 && s->saved[i] < sp)
			s->saved[i] = CODE_UNKNOWN;
}

void code_state_apply(const struct code_machine *m, struct code_state *s, const struct code_insn *insn,
		      bool search)
{
	for (uint32_t i = 0; i < insn->nr_ops; i++) {
		const struct code_op *op = &insn->op[i];

		if (op->kind == CODE_LOAD)
			load(m, s, op, search);
		else if (op->kind == CODE_STORE)
			store(m, s, op, search);
		else if (op->to != op->from || op->add)
			set(m, s, op->to, add(s->value[op->from], op->add));
	}
	for (uint8_t reg = 0; insn->lost && reg < CODE_REGS; reg++)
		if (insn->lost >> reg & 1)
			set(m, s, reg, CODE_UNKNOWN);
	forget_popped(m, s);
}

void code_state_call(const struct code_machine *m, struct code_state *s)
{
	for (uint8_t reg = 0; reg < CODE_REGS; reg++)
		if (m->call_loses >> reg & 1)
			set(m, s, reg, CODE_UNKNOWN);
}

static bool meet(int32_t *value, int32_t other)
{
	if (*value == other || *value == CODE_UNKNOWN)
		return false;
	*value = CODE_UNKNOWN;
	return true;
}

bool code_state_meet(const struct code_machine *m, struct code_state *s, const struct code_state *other,
		     bool *clash)
{
	int32_t sp = s->value[m->sp], fp = s->value[m->fp];
	bool changed = false;

	*clash = is_offset(fp) && is_offset(other->value[m->fp]) && fp != other->value[m->fp];
	/* alloca in a loop: the frame pointer knows */
	if (is_offset(sp) && is_offset(other->value[m->sp]) && sp != other->value[m->sp])
		*clash |= !is_offset(fp) || fp == CODE_FP_BASE || fp != other->value[m->fp];
	for (unsigned int i = 0; i < CODE_REGS; i++)
		changed |= meet(&s->value[i], other->value[i]);
	for (unsigned int i = 0; i < CODE_KEPT; i++) {
		changed |= meet(&s->saved[i], other->saved[i]);
		changed |= meet(&s->loaded[i], other->loaded[i]);
	}
	return changed;
}

bool code_state_returns(const struct code_machine *m, const struct code_state *s)
{
	int32_t sp = s->value[m->sp], fp = s->value[m->fp];

	if (sp != CODE_UNKNOWN && sp != -pushed(m))
		return false;
	if (m->link && s->value[m->link] != CODE_UNKNOWN && s->value[m->link] != CODE_SAME)
		return false;
	return fp == CODE_UNKNOWN || fp == CODE_SAME;
}

bool code_state_is_above(const struct code_machine *m, const struct code_state *s)
{
	return s->value[m->sp] != CODE_UNKNOWN && s->value[m->sp] > -pushed(m);
}

bool code_state_begins(const struct code_machine *m, const struct code_state *s)
{
	return s->value[m->sp] == -pushed(m) && s->value[m->fp] == CODE_SAME &&
	       (!m->link || s->value[m->link] == CODE_SAME);
}

/* Sets where the caller's value of a register is.  Return: false if it is lost */
static bool find_kept(const struct code_state *s, enum code_kept kept, uint8_t reg, __u8 *in, __s32 *offset)
{
	if (s->saved[kept] != CODE_UNKNOWN && !(s->saved[kept] & 7)) {
		*in = KFLAME_IN_CFA;
		*offset = s->saved[kept];
		return true;
	}
	*in = KFLAME_IN_SAME;
	return s->value[reg] == CODE_SAME;
}

void code_state_rule(const struct code_machine *m, const struct code_state *s, struct kflame_rule *rule)
{
	int32_t sp = s->value[m->sp], fp = s->value[m->fp];
	bool by_sp = is_offset(sp) && sp <= 0 && !(sp & 7), by_fp = is_offset(fp) && fp < 0 && !(fp & 7);
	__s32 base = 0;
	__u8 in = 0;

	memset(rule, 0, sizeof(*rule));
	if (!by_sp && !by_fp)
		return;
	/* Compilers prefer fp on x86-64, and sp on arm64. The module has its fastest step for that. */
	if (m->link ? !by_sp : by_fp) {
		rule->cfa = KFLAME_CFA_FP;
		rule->cfa_offset = -fp;
	} else {
		rule->cfa = KFLAME_CFA_SP;
		rule->cfa_offset = -sp;
	}
	if (!m->link) {
		rule->ra = KFLAME_IN_CFA;
		rule->ra_offset = -8;
	} else if (!find_kept(s, CODE_KEPT_LINK, m->link, &rule->ra, &rule->ra_offset)) {
		memset(rule, 0, sizeof(*rule));
		return;
	}
	if (!find_kept(s, CODE_KEPT_FP, m->fp, &rule->fp, &rule->fp_offset))
		rule->fp = KFLAME_IN_LOST;
	if (!find_kept(s, CODE_KEPT_BASE, m->base, &in, &base))
		base = KFLAME_BASE_LOST;
	rule->base_offset = base;
}

/* -------------------------------------------------------------- sets of states */

static bool same_state(const void *ctx, uint32_t i, const void *key)
{
	const struct code_states *all = ctx;

	return !memcmp(&all->all[i], key, sizeof(struct code_state));
}

int code_states_put(struct code_states *all, const struct code_state *s, uint32_t *number)
{
	uint64_t hash = hash_bytes(0, s, sizeof(*s));
	int err;

	*number = index_find(&all->index, hash, same_state, all, s);
	if (*number != INDEX_NONE)
		return 0;
	if (all->nr >= CODE_MOST_STATES)
		return -E2BIG;
	err = grow(&all->all, all->nr, &all->cap, sizeof(*all->all));
	if (!err)
		err = index_add(&all->index, hash, (uint32_t)all->nr);
	if (err)
		return err;
	*number = (uint32_t)all->nr;
	all->all[all->nr++] = *s;
	return 0;
}

void code_states_exit(struct code_states *all)
{
	free(all->all);
	index_exit(&all->index);
	memset(all, 0, sizeof(*all));
}
