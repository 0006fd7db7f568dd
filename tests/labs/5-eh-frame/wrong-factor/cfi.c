// SPDX-License-Identifier: GPL-2.0-or-later
/* cfi.c - task 3: an interpreter for call frame instructions */
#include "eh.h"

/* The upper two bits of these have the operation, the lower six an operand */
enum {
	DW_CFA_advance_loc = 0x40, /* delta in the lower bits */
	DW_CFA_offset = 0x80,	   /* register in the lower bits; ULEB offset */
	DW_CFA_restore = 0xc0,	   /* register in the lower bits */
};

enum {
	DW_CFA_nop = 0x00,
	DW_CFA_advance_loc1 = 0x02,	/* delta of 1 byte */
	DW_CFA_advance_loc2 = 0x03,	/* of 2 bytes */
	DW_CFA_advance_loc4 = 0x04,	/* of 4 bytes */
	DW_CFA_undefined = 0x07,	/* ULEB register */
	DW_CFA_same_value = 0x08,	/* ULEB register */
	DW_CFA_remember_state = 0x0a,	/* push the row */
	DW_CFA_restore_state = 0x0b,	/* pop the row */
	DW_CFA_def_cfa = 0x0c,		/* ULEB register, ULEB offset */
	DW_CFA_def_cfa_register = 0x0d, /* ULEB register */
	DW_CFA_def_cfa_offset = 0x0e,	/* ULEB offset */
	DW_CFA_GNU_args_size = 0x2e,	/* ULEB size, of no interest here */
};

enum { MAX_STATES = 16 };

struct machine {
	const struct cie *cie;
	uint64_t at;   /* the address that the row begins at */
	uint64_t stop; /* run up to the row for this address */
	struct row row;
	struct row initial; /* what the CIE has: what restore goes back to */
	struct row states[MAX_STATES];
	unsigned int nr_states;
};

static uint64_t read_fixed(struct bytes *bytes, unsigned int nr)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < nr && bytes->at < bytes->end; i++)
		value |= (uint64_t)*bytes->at++ << 8 * i;
	return value;
}

static void set_rule(struct machine *m, uint64_t reg, struct rule rule)
{
	/* Vector registers have numbers beyond the table, and nobody asks for them */
	if (reg < NR_RULES)
		m->row.rules[reg] = rule;
}

/* Those with an operand in the lower six bits.  Return: false for the others. */
static bool run_short(struct machine *m, uint8_t op, struct bytes *bytes, uint64_t *advance)
{
	uint8_t low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		*advance = low;
		return true;
	case DW_CFA_offset:
		set_rule(m, low, (struct rule){ AT_CFA, (int64_t)read_uleb(bytes) });
		return true;
	case DW_CFA_restore:
		if (low < NR_RULES)
			m->row.rules[low] = m->initial.rules[low];
		return true;
	}
	return false;
}

/* Return: false if the instruction is not part of the lab */
static bool run_long(struct machine *m, uint8_t op, struct bytes *bytes, uint64_t *advance)
{
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		*advance = read_fixed(bytes, 1);
		return true;
	case DW_CFA_advance_loc2:
		*advance = read_fixed(bytes, 2);
		return true;
	case DW_CFA_advance_loc4:
		*advance = read_fixed(bytes, 4);
		return true;
	case DW_CFA_undefined:
		set_rule(m, read_uleb(bytes), (struct rule){ .how = UNDEFINED });
		return true;
	case DW_CFA_same_value:
		set_rule(m, read_uleb(bytes), (struct rule){ .how = SAME });
		return true;
	case DW_CFA_remember_state:
		if (m->nr_states == MAX_STATES)
			return false;
		m->states[m->nr_states++] = m->row;
		return true;
	case DW_CFA_restore_state:
		if (!m->nr_states)
			return false;
		m->row = m->states[--m->nr_states];
		return true;
	case DW_CFA_def_cfa:
		m->row.cfa_register = read_uleb(bytes);
		m->row.cfa_offset = (int64_t)read_uleb(bytes);
		return true;
	case DW_CFA_def_cfa_register:
		m->row.cfa_register = read_uleb(bytes);
		return true;
	case DW_CFA_def_cfa_offset:
		m->row.cfa_offset = (int64_t)read_uleb(bytes);
		return true;
	case DW_CFA_GNU_args_size:
		read_uleb(bytes);
		return true;
	}
	return false;
}

static bool run(struct machine *m, struct bytes bytes)
{
	while (bytes.at < bytes.end) {
		uint8_t op = *bytes.at++;
		uint64_t advance = 0;

		if (!run_short(m, op, &bytes, &advance) && !run_long(m, op, &bytes, &advance))
			return false;
		advance *= m->cie->code_factor;
		/* The next row begins behind the address: this one is it */
		if (advance > m->stop - m->at)
			break;
		m->at += advance;
	}
	return true;
}

bool cfi_row(const struct fde *fde, uint64_t address, struct row *row)
{
	struct machine m = { .cie = &fde->cie, .at = fde->begin, .stop = address };

	if (!run(&m, fde->cie.instructions))
		return false;
	m.initial = m.row;
	if (!run(&m, fde->instructions))
		return false;
	*row = m.row;
	return true;
}
