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

bool cfi_row(const struct fde *fde, uint64_t address, struct row *row)
{
	/* TODO: run fde->cie.instructions, then fde->instructions up to the address */
	(void)fde;
	(void)address;
	(void)row;
	return false;
}
