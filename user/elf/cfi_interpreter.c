// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi_interpreter.c - run the instructions of an unwind table entry, row by row
 */
#include <dwarf.h>
#include <string.h>

#include "elf/cfi_interpreter.h"

const struct cfi_registers *cfi_registers(GElf_Half machine)
{
	static const struct cfi_registers x86_64 = { .sp = 7, .fp = 6, .ra = 16, .base = 3,
						      .last = 15 };
	static const struct cfi_registers aarch64 = { .sp = 31, .fp = 29, .ra = 30, .base = 19,
						       .last = 30 };

	switch (machine) {
	case EM_X86_64:
		return &x86_64;
	case EM_AARCH64:
		return &aarch64;
	}
	return NULL;
}

/* Return: the rule for a register; NULL if the interpreter does not track the register */
static struct cfi_place *place_of(struct cfi_row *row, const struct cfi_run *r, uint64_t reg)
{
	if (reg == r->registers->ra)
		return &row->ra;
	if (reg == r->registers->base)
		return &row->base;
	return reg == r->registers->fp ? &row->fp : NULL;
}

static void set_place(struct cfi_run *r, uint64_t reg, enum cfi_kind kind, uint64_t value)
{
	struct cfi_place *place = place_of(&r->row, r, reg);

	if (!place)
		return;
	place->kind = kind;
	place->value = value;
}

static void restore_place(struct cfi_run *r, uint64_t reg)
{
	struct cfi_place *place = place_of(&r->row, r, reg);

	if (place)
		*place = *place_of(&r->initial, r, reg);
}

static struct bytes take_block(struct cfi_run *r)
{
	uint64_t len = bytes_uleb(&r->b);
	const unsigned char *at = bytes_take(&r->b, len);

	return (struct bytes){ at, at ? at + len : NULL, !at };
}

static void set_expression(struct cfi_run *r, uint64_t reg, enum cfi_kind kind)
{
	struct bytes block = take_block(r);
	struct cfi_place *place = place_of(&r->row, r, reg);

	set_place(r, reg, kind, 0);
	if (place)
		place->block = block;
}

static uint64_t factored(struct cfi_run *r, bool with_sign)
{
	uint64_t n = with_sign ? bytes_sleb(&r->b) : bytes_uleb(&r->b);

	return n * r->entry->data_align;
}

/* Return: whether @op is an instruction that sets the rule of a register */
static bool says_place(unsigned int op)
{
	return (op >= DW_CFA_offset_extended && op <= DW_CFA_register) ||
	       op == DW_CFA_expression || op == DW_CFA_offset_extended_sf ||
	       (op >= DW_CFA_val_offset && op <= DW_CFA_val_expression) ||
	       op == DW_CFA_GNU_negative_offset_extended;
}

/* Return: whether @op was such an instruction */
static bool run_place(struct cfi_run *r, unsigned int op)
{
	uint64_t reg;

	if (!says_place(op))
		return false;
	reg = bytes_uleb(&r->b);
	switch (op) {
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
		set_place(r, reg, CFI_SAVED, factored(r, op == DW_CFA_offset_extended_sf));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_place(r, reg, CFI_SAVED, -factored(r, false));
		break;
	case DW_CFA_restore_extended:
		restore_place(r, reg);
		break;
	case DW_CFA_same_value:
		set_place(r, reg, CFI_SAME, 0);
		break;
	case DW_CFA_undefined:
		set_place(r, reg, CFI_UNDEFINED, 0);
		break;
	case DW_CFA_register:
		set_place(r, reg, CFI_REGISTER, bytes_uleb(&r->b));
		break;
	case DW_CFA_expression:
		set_expression(r, reg, CFI_EXPRESSION);
		break;
	case DW_CFA_val_expression:
		set_expression(r, reg, CFI_OTHER);
		break;
	default:	/* val_offset, val_offset_sf */
		bytes_uleb(&r->b);
		set_place(r, reg, CFI_OTHER, 0);
	}
	return true;
}

/* Return: whether @op is an instruction that defines the CFA */
static bool run_cfa(struct cfi_run *r, unsigned int op)
{
	struct cfi_row *row = &r->row;

	switch (op) {
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
		row->cfa_known = true;
		row->cfa_register = bytes_uleb(&r->b);
		row->cfa_offset = op == DW_CFA_def_cfa ? bytes_uleb(&r->b) : factored(r, true);
		return true;
	case DW_CFA_def_cfa_register:
		row->cfa_register = bytes_uleb(&r->b);
		return true;
	case DW_CFA_def_cfa_offset:
		row->cfa_offset = bytes_uleb(&r->b);
		return true;
	case DW_CFA_def_cfa_offset_sf:
		row->cfa_offset = factored(r, true);
		return true;
	case DW_CFA_def_cfa_expression:
		row->cfa_known = false;
		row->cfa_block = take_block(r);
		return true;
	}
	return false;
}

/* Addresses must not go back: otherwise one address could have two rows */
static void advance_to(struct cfi_run *r, uint64_t at)
{
	if (at < r->at)
		r->b.bad = true;
	else
		r->at = at;
}

static void advance(struct cfi_run *r, uint64_t steps)
{
	advance_to(r, r->at + steps * r->entry->code_align);
}

/* Return: whether @op is an instruction that advances the address */
static bool run_advance(struct cfi_run *r, unsigned int op)
{
	switch (op) {
	case DW_CFA_set_loc:
		advance_to(r, frame_pointer(r->table, &r->b, r->entry->encoding));
		return true;
	case DW_CFA_advance_loc1:
		advance(r, bytes_uint(&r->b, 1));
		return true;
	case DW_CFA_advance_loc2:
		advance(r, bytes_uint(&r->b, 2));
		return true;
	case DW_CFA_advance_loc4:
		advance(r, bytes_uint(&r->b, 4));
		return true;
	}
	return false;
}

static void run_other(struct cfi_run *r, unsigned int op)
{
	switch (op) {
	case DW_CFA_nop:
	/* Whether the return address is signed.  Users of the row strip the signature in any case */
	case DW_CFA_AARCH64_negate_ra_state:
		return;
	case DW_CFA_GNU_args_size:
		bytes_uleb(&r->b);
		return;
	case DW_CFA_remember_state:
		if (r->nr_saved < CFI_MAX_SAVED) {
			r->saved[r->nr_saved++] = r->row;
			return;
		}
		break;
	case DW_CFA_restore_state:
		if (r->nr_saved) {
			r->row = r->saved[--r->nr_saved];
			return;
		}
		break;
	}
	r->b.bad = true;
}

static void run_one(struct cfi_run *r)
{
	unsigned int op = (unsigned int)bytes_uint(&r->b, 1);

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		advance(r, op & 0x3f);
		return;
	case DW_CFA_offset:
		set_place(r, op & 0x3f, CFI_SAVED, factored(r, false));
		return;
	case DW_CFA_restore:
		restore_place(r, op & 0x3f);
		return;
	}
	if (!run_place(r, op) && !run_cfa(r, op) && !run_advance(r, op))
		run_other(r, op);
}

static bool too_long(const struct bytes *program)
{
	return program->end - program->at > CFI_MAX_PROGRAM;
}

void cfi_run_begin(struct cfi_run *r, const struct frame_table *table,
		   const struct frame_entry *entry, const struct cfi_registers *registers)
{
	/* Initialise all but .saved: it takes a kilobyte, and is read only where it was written */
	r->table = table;
	r->entry = entry;
	r->registers = registers;
	r->at = entry->start;
	r->done = false;
	r->nr_saved = 0;
	memset(&r->row, 0, sizeof(r->row));
	memset(&r->initial, 0, sizeof(r->initial));
	r->b = entry->initial;
	r->b.bad = too_long(&entry->initial) || too_long(&entry->program);
	while (!r->b.bad && r->b.at < r->b.end)
		run_one(r);
	r->initial = r->row;
	/* The CIE's instructions hold for all entries, so they must not advance the address */
	r->b = (struct bytes){ entry->program.at, entry->program.end,
			       r->b.bad || r->at != entry->start };
}

bool cfi_run_next(struct cfi_run *r, uint64_t *from, uint64_t *to)
{
	if (r->done)
		return false;
	*from = r->at;
	/* The row is complete when an instruction advances the address */
	while (!r->b.bad && r->at == *from && r->b.at < r->b.end)
		run_one(r);
	if (r->b.bad)
		return false;
	r->done = r->at == *from || r->at >= r->entry->end;
	*to = r->done ? r->entry->end : r->at;
	return *to > *from;
}

int cfi_push_end(const struct bytes *b)
{
	static const unsigned char before[] = {
		DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
	};
	static const unsigned char after[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const unsigned char *n;

	if (b->end - b->at != sizeof(before) + 1 + sizeof(after))
		return -1;
	n = b->at + sizeof(before);
	if (memcmp(b->at, before, sizeof(before)) || memcmp(n + 1, after, sizeof(after)) ||
	    *n < DW_OP_lit0 || *n > DW_OP_lit15)
		return -1;
	return *n - DW_OP_lit0;
}
