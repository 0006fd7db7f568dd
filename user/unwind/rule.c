// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rule.c - converts a row of DWARF's table to a rule of the module
 *
 * Expressions are recognised, not evaluated, because compilers and linkers write only a few forms.
 */
#include <dwarf.h>
#include <string.h>

#include "unwind/jump_stubs.h"
#include "unwind/rule.h"

const char *unwind_loss_name(enum unwind_loss loss)
{
	static const char *const names[UNWIND_LOSSES] = {
		[UNWIND_KEPT] = "kept",
		[UNWIND_CFA] = "CFA is computed otherwise",
		[UNWIND_PLACE] = "return address is elsewhere",
		[UNWIND_OFFSET] = "unsupported or far offset",
		[UNWIND_REGISTER] = "other registers",
		[UNWIND_SIGNAL] = "strange signal frame",
		[UNWIND_DAMAGED] = "damaged",
		[UNWIND_LIMIT] = "beyond a limit",
	};

	return names[loss];
}

/* ------------------------------------------------------------- expressions */

/* reg + offset, or with .deref the word at that address + add; numbers are two's complement */
struct sum {
	uint64_t reg;
	uint64_t offset;
	bool deref;
	uint64_t add;
};

/* Return: whether @op pushes a number */
static bool constant(unsigned int op, struct bytes *b, uint64_t *n)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		*n = op - DW_OP_lit0;
		return true;
	}
	switch (op) {
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
		*n = bytes_uint(b, 1u << (op - DW_OP_const1u) / 2);
		return true;
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
		*n = bytes_sint(b, 1u << (op - DW_OP_const1s) / 2);
		return true;
	case DW_OP_constu:
		*n = bytes_uleb(b);
		return true;
	case DW_OP_consts:
		*n = bytes_sleb(b);
		return true;
	}
	return false;
}

/* Reads the first operation, which must push a register + offset */
static bool read_base(struct bytes *b, struct sum *s)
{
	unsigned int op = (unsigned int)bytes_uint(b, 1);

	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		s->reg = op - DW_OP_breg0;
	else if (op == DW_OP_bregx)
		s->reg = bytes_uleb(b);
	else
		return false;
	s->offset = bytes_sleb(b);
	return !b->bad;
}

/* Return: whether an expression has the form of struct sum */
static bool read_sum(struct bytes b, struct sum *s)
{
	memset(s, 0, sizeof(*s));
	if (!read_base(&b, s))
		return false;
	while (!b.bad && b.at < b.end) {
		uint64_t *to = s->deref ? &s->add : &s->offset, n;
		unsigned int op = (unsigned int)bytes_uint(&b, 1);

		if (op == DW_OP_deref && !s->deref) {
			s->deref = true;
		} else if (op == DW_OP_plus_uconst) {
			*to += bytes_uleb(&b);
		} else if (constant(op, &b, &n)) {
			op = (unsigned int)bytes_uint(&b, 1);
			if (op != DW_OP_plus && op != DW_OP_minus)
				return false;
			*to += op == DW_OP_plus ? n : -n;
		} else if (op != DW_OP_nop) {
			return false;
		}
	}
	return !b.bad;
}

/* ------------------------------------------------------------------ places */

/* Return: whether an offset fits in a rule; @to: out: the offset */
static bool fit(uint64_t offset, __s32 *to)
{
	*to = (__s32)offset;
	return (uint64_t)(int64_t)*to == offset && !(offset & 7);
}

/* A rule can name only one register.  Return: whether it can name @reg. */
static bool name_register(const struct cfi_registers *g, uint64_t reg, struct kflame_rule *rule)
{
	bool other = rule->cfa == KFLAME_CFA_REG || rule->fp == KFLAME_IN_REG;

	if (reg > g->last || (other && rule->reg != reg))
		return false;
	rule->reg = (__u8)reg;
	return true;
}

static enum unwind_loss cfa_sum(const struct cfi_registers *g, const struct sum *s,
				struct kflame_rule *rule)
{
	bool sp = s->reg == g->sp, fp = s->reg == g->fp;

	if (s->deref && !sp && !fp)
		return UNWIND_CFA;
	if (!sp && !fp && !name_register(g, s->reg, rule))
		return UNWIND_REGISTER;
	if (s->deref)
		rule->cfa = sp ? KFLAME_CFA_AT_SP : KFLAME_CFA_AT_FP;
	else
		rule->cfa = sp ? KFLAME_CFA_SP : fp ? KFLAME_CFA_FP : KFLAME_CFA_REG;
	return fit(s->offset, &rule->cfa_offset) && fit(s->add, &rule->cfa_add) ?
		UNWIND_KEPT : UNWIND_OFFSET;
}

static enum unwind_loss cfa_rule(const struct cfi_registers *g, const struct cfi_row *row,
				 struct kflame_rule *rule)
{
	struct sum s = { .reg = row->cfa_register, .offset = row->cfa_offset };
	int push_end;

	if (row->cfa_known)
		return cfa_sum(g, &s, rule);
	push_end = g->sp == 7 ? cfi_push_end(&row->cfa_block) : -1;
	if (push_end >= 0) {
		rule->cfa = KFLAME_CFA_PLT;
		rule->cfa_offset = push_end;
		return UNWIND_KEPT;
	}
	return read_sum(row->cfa_block, &s) ? cfa_sum(g, &s, rule) : UNWIND_CFA;
}

/* A value in memory, whose address an expression computes */
static enum unwind_loss block_rule(const struct cfi_registers *g, const struct cfi_place *place,
				   __u8 *in, __s32 *offset)
{
	struct sum s;

	if (!read_sum(place->block, &s) || s.deref || (s.reg != g->sp && s.reg != g->fp))
		return UNWIND_PLACE;
	*in = s.reg == g->sp ? KFLAME_IN_SP : KFLAME_IN_FP;
	return fit(s.offset, offset) ? UNWIND_KEPT : UNWIND_OFFSET;
}

static enum unwind_loss fp_rule(const struct cfi_registers *g, const struct cfi_place *place,
				struct kflame_rule *rule)
{
	enum unwind_loss loss;

	switch (place->kind) {
	case CFI_UNSAID:
	case CFI_SAME:
		return UNWIND_KEPT;
	case CFI_SAVED:
		rule->fp = KFLAME_IN_CFA;
		return fit(place->value, &rule->fp_offset) ? UNWIND_KEPT : UNWIND_OFFSET;
	case CFI_REGISTER:
		if (place->value == g->fp)
			return UNWIND_KEPT;
		if (!name_register(g, place->value, rule))
			return UNWIND_REGISTER;
		rule->fp = KFLAME_IN_REG;
		return UNWIND_KEPT;
	case CFI_EXPRESSION:
		loss = block_rule(g, place, &rule->fp, &rule->fp_offset);
		if (loss != UNWIND_PLACE)
			return loss;
		break;
	default:
		break;
	}
	/* The walk continues without fp, because the caller may not use a frame pointer. */
	rule->fp = KFLAME_IN_LOST;
	return UNWIND_KEPT;
}

/* Sets the location of the base register. A failure does not lose the rule: hardly any code needs it. */
static void base_rule(const struct cfi_place *place, struct kflame_rule *rule)
{
	switch (place->kind) {
	case CFI_UNSAID:
	case CFI_SAME:
		return;
	case CFI_SAVED:
		if (place->value && fit(place->value, &rule->base_offset))
			return;
		break;
	default:
		break;
	}
	rule->base_offset = KFLAME_BASE_LOST;
}

static enum unwind_loss ra_rule(const struct cfi_registers *g, const struct cfi_place *place,
				struct kflame_rule *rule)
{
	bool link = g->ra <= g->last;

	switch (place->kind) {
	case CFI_UNSAID:
	case CFI_SAME:
		/* In the link register, as after a call. x86-64 has no link register. */
		return link ? UNWIND_KEPT : UNWIND_PLACE;
	case CFI_SAVED:
		rule->ra = KFLAME_IN_CFA;
		return fit(place->value, &rule->ra_offset) ? UNWIND_KEPT : UNWIND_OFFSET;
	case CFI_REGISTER:
		if (link && place->value == g->ra)
			return UNWIND_KEPT;
		if (!name_register(g, place->value, rule))
			return UNWIND_REGISTER;
		rule->ra = KFLAME_IN_REG;
		return UNWIND_KEPT;
	case CFI_EXPRESSION:
		return block_rule(g, place, &rule->ra, &rule->ra_offset);
	default:
		return UNWIND_PLACE;
	}
}

/* ----------------------------------------------------------- whole rows */

/* Is a register saved at @offset from the stack pointer? */
static bool at_sp(const struct cfi_registers *g, const struct cfi_place *place, uint64_t offset)
{
	struct sum s;

	return place->kind == CFI_EXPRESSION && read_sum(place->block, &s) && !s.deref &&
	       s.reg == g->sp && s.offset == offset;
}

/*
 * On arm64, a return address beyond the CFA was pushed by a jump stub, with another word. The stub then
 * jumped to glibc's _dl_runtime_resolve(), whose CFA is below these two words
 * (sysdeps/aarch64/dl-trampoline.S). The caller's frame begins beyond them, so the CFA is moved there.
 */
static enum unwind_loss beyond_stub(const struct cfi_registers *g, struct kflame_rule *rule)
{
	if (g->ra > g->last || rule->ra != KFLAME_IN_CFA || rule->ra_offset < 0)
		return UNWIND_KEPT;
	if (rule->ra_offset >= STUB_PUSHES || rule->cfa_add || rule->cfa_offset > INT32_MAX / 2 ||
	    rule->fp_offset < INT32_MIN / 2 || rule->base_offset < INT32_MIN / 2)
		return UNWIND_OFFSET;
	rule->cfa_offset += STUB_PUSHES;
	rule->ra_offset -= STUB_PUSHES;
	if (rule->fp == KFLAME_IN_CFA)
		rule->fp_offset -= STUB_PUSHES;
	if (rule->base_offset && rule->base_offset != KFLAME_BASE_LOST)
		rule->base_offset -= STUB_PUSHES;
	return UNWIND_KEPT;
}

/*
 * glibc's __restore_rt describes where each register is.  The registers that are used must be where Linux
 * puts them, relative to one base.  The arm64 vdso describes the link register, which is not the
 * interrupted address.  There, the rule comes from the code (signal_trampolines.h).
 */
static bool signal_rule(const struct cfi_registers *g, const struct cfi_row *row,
			struct kflame_rule *rule)
{
	uint64_t base;
	struct sum s;

	if (g->sp != 7 || row->cfa_known || !read_sum(row->cfa_block, &s) || s.reg != g->sp ||
	    !s.deref || s.add)
		return false;
	base = s.offset - SIGCONTEXT_X86_64_SP;
	rule->cfa = KFLAME_CFA_SIGNAL;
	return fit(base, &rule->cfa_offset) &&
	       at_sp(g, &row->ra, base + SIGCONTEXT_X86_64_IP) &&
	       at_sp(g, &row->fp, base + SIGCONTEXT_X86_64_BP);
}

enum unwind_loss unwind_rule(const struct cfi_registers *g, const struct cfi_row *row,
			     bool signal, struct kflame_rule *rule)
{
	enum unwind_loss loss = UNWIND_KEPT;

	memset(rule, 0, sizeof(*rule));
	if (signal) {
		loss = signal_rule(g, row, rule) ? UNWIND_KEPT : UNWIND_SIGNAL;
	} else if (row->ra.kind == CFI_UNDEFINED) {
		rule->cfa = KFLAME_CFA_END;
	} else {
		loss = cfa_rule(g, row, rule);
		if (loss == UNWIND_KEPT)
			loss = fp_rule(g, &row->fp, rule);
		if (loss == UNWIND_KEPT)
			loss = ra_rule(g, &row->ra, rule);
		base_rule(&row->base, rule);
		if (loss == UNWIND_KEPT)
			loss = beyond_stub(g, rule);
	}
	if (loss != UNWIND_KEPT)
		memset(rule, 0, sizeof(*rule));
	return loss;
}
