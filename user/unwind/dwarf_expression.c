// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwarf_expression.c - evaluates the DWARF expressions of unwind information (DWARF 5, section 2.5)
 *
 * Unwind information has no calls, types or pieces, so these operations are not supported. Steps are
 * counted and limited, because a jump may go backwards.
 */
#include <dwarf.h>
#include <string.h>

#include "unwind/dwarf_expression.h"

#define DEPTH	64
#define STEPS	1024

struct run {
	const struct machine *m;
	uint64_t stack[DEPTH];
	size_t nr;
	bool bad;
	bool is_value;
};

static void push(struct run *r, uint64_t value)
{
	if (r->nr == DEPTH)
		r->bad = true;
	else
		r->stack[r->nr++] = value;
}

static uint64_t pop(struct run *r)
{
	if (!r->nr) {
		r->bad = true;
		return 0;
	}
	return r->stack[--r->nr];
}

static uint64_t reg(struct run *r, uint64_t number)
{
	if (number < FRAME_REGS && r->m->regs->known >> number & 1)
		return r->m->regs->value[number];
	r->bad = true;
	return 0;
}

static uint64_t deref(struct run *r, uint64_t at, size_t len)
{
	uint64_t word = 0;

	if (!len || len > sizeof(word) || !r->m->read(r->m->ctx, at, &word, len))
		r->bad = true;
	return word;
}

static void pick(struct run *r, uint64_t depth)
{
	if (depth >= r->nr)
		r->bad = true;
	else
		push(r, r->stack[r->nr - 1 - depth]);
}

static void rotate(struct run *r, size_t n)
{
	uint64_t top;

	if (r->nr < n) {
		r->bad = true;
		return;
	}
	top = r->stack[r->nr - 1];
	memmove(&r->stack[r->nr - n + 1], &r->stack[r->nr - n], (n - 1) * sizeof(top));
	r->stack[r->nr - n] = top;
}

/* Operations on the two topmost words; @a was below @b.  Return: whether @atom is such an operation */
static bool binary(struct run *r, unsigned int atom, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (atom) {
	case DW_OP_and:		*result = a & b; break;
	case DW_OP_or:		*result = a | b; break;
	case DW_OP_xor:		*result = a ^ b; break;
	case DW_OP_plus:	*result = a + b; break;
	case DW_OP_minus:	*result = a - b; break;
	case DW_OP_mul:		*result = a * b; break;
	case DW_OP_shl:		*result = b < 64 ? a << b : 0; break;
	case DW_OP_shr:		*result = b < 64 ? a >> b : 0; break;
	case DW_OP_shra:	*result = (uint64_t)((int64_t)a >> (b < 64 ? b : 63)); break;
	case DW_OP_eq:		*result = a == b; break;
	case DW_OP_ne:		*result = a != b; break;
	case DW_OP_ge:		*result = (int64_t)a >= (int64_t)b; break;
	case DW_OP_gt:		*result = (int64_t)a > (int64_t)b; break;
	case DW_OP_le:		*result = (int64_t)a <= (int64_t)b; break;
	case DW_OP_lt:		*result = (int64_t)a < (int64_t)b; break;
	case DW_OP_mod:
		r->bad |= !b;
		*result = b ? a % b : 0;
		break;
	case DW_OP_div:
		/* Division by zero, and the only quotient that overflows */
		r->bad |= !b || (a == 1ull << 63 && b == UINT64_MAX);
		*result = r->bad ? 0 : (uint64_t)((int64_t)a / (int64_t)b);
		break;
	default:
		return false;
	}
	return true;
}

static void step(struct run *r, const Dwarf_Op *op)
{
	unsigned int atom = op->atom;
	uint64_t a, b, result;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		push(r, atom - DW_OP_lit0);
		return;
	}
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		push(r, reg(r, atom - DW_OP_breg0) + op->number);
		return;
	}
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		push(r, reg(r, atom - DW_OP_reg0));
		r->is_value = true;
		return;
	}
	switch (atom) {
	case DW_OP_regx:
		push(r, reg(r, op->number));
		r->is_value = true;
		break;
	case DW_OP_bregx:
		push(r, reg(r, op->number) + op->number2);
		break;
	case DW_OP_call_frame_cfa:
		r->bad |= !r->m->has_cfa;
		push(r, r->m->cfa);
		break;
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		push(r, op->number);
		break;
	case DW_OP_plus_uconst:
		push(r, pop(r) + op->number);
		break;
	case DW_OP_deref:
		push(r, deref(r, pop(r), 8));
		break;
	case DW_OP_deref_size:
		push(r, deref(r, pop(r), op->number));
		break;
	case DW_OP_dup:		pick(r, 0); break;
	case DW_OP_over:	pick(r, 1); break;
	case DW_OP_pick:	pick(r, op->number); break;
	case DW_OP_drop:	pop(r); break;
	case DW_OP_swap:	rotate(r, 2); break;
	case DW_OP_rot:		rotate(r, 3); break;
	case DW_OP_neg:		push(r, -pop(r)); break;
	case DW_OP_not:		push(r, ~pop(r)); break;
	case DW_OP_abs:
		a = pop(r);
		push(r, (int64_t)a < 0 ? -a : a);
		break;
	case DW_OP_nop:
		break;
	case DW_OP_stack_value:
		r->is_value = true;
		break;
	default:
		b = pop(r);
		a = pop(r);
		if (binary(r, atom, a, b, &result))
			push(r, result);
		else
			r->bad = true;
	}
}

/* The target of a jump at @i, which libdw gives as a byte offset.  Return: @nr + 1 if it is invalid */
static size_t target(const Dwarf_Op *ops, size_t nr, size_t i)
{
	uint64_t to = ops[i].offset + 3 + (uint64_t)(int64_t)(int16_t)ops[i].number;

	for (size_t k = 0; k < nr; k++)
		if (ops[k].offset == to)
			return k;
	return to > ops[nr - 1].offset ? nr : nr + 1;
}

bool expression_run(const struct machine *m, const Dwarf_Op *ops, size_t nr, uint64_t *value,
		    bool *is_value)
{
	struct run r = { .m = m };
	unsigned int steps = 0;

	/* A jump goes over all of them */
	if (nr > STEPS)
		return false;
	for (size_t i = 0; i < nr && !r.bad; steps++) {
		bool jump = ops[i].atom == DW_OP_skip ||
			    (ops[i].atom == DW_OP_bra && pop(&r));

		if (jump)
			i = target(ops, nr, i);
		else if (ops[i].atom == DW_OP_bra)
			i++;
		else
			step(&r, &ops[i++]);
		if (i > nr || steps > STEPS)
			return false;
	}
	*value = pop(&r);
	*is_value = r.is_value;
	return !r.bad;
}
