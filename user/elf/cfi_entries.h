/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_entries.h - find the entries of an unwind table: .eh_frame or .debug_frame
 *
 * kflame runs as root and reads the files of all users, so it does not use libdw here.  libdw's interpreter
 * sizes an array by a register number that comes from the file (elfutils 0.188).
 */
#ifndef KFLAME_ELF_CFI_ENTRIES_H
#define KFLAME_ELF_CFI_ENTRIES_H

#include "base/bytes.h"

/** struct frame_table - an unwind table and the ranges of its entries (FDE) */
struct frame_table {
	const unsigned char *data;	/* the caller sets this and the next five members */
	size_t len;
	uint64_t address;		/* of data[0] */
	bool eh;			/* .eh_frame, not .debug_frame */
	unsigned int word;		/* bytes of an address: 8, or 4 in a 32-bit file */
	size_t most;			/* most entries to keep: the first ones of the table */
	struct frame_range {
		uint64_t start;
		uint64_t end;
		size_t at;
	} *all;				/* sorted by start */
	size_t nr, cap;
	size_t left_out;		/* number of entries beyond .most */
};

/** struct frame_entry - an entry, combined with its CIE */
struct frame_entry {
	uint64_t start;			/* address in the file */
	uint64_t end;
	uint64_t code_align;
	uint64_t data_align;		/* two's complement */
	uint64_t ra;			/* column of the return address */
	uint8_t encoding;		/* DW_EH_PE_* of addresses */
	bool augmented;			/* has augmentation data, with its length */
	bool signal;			/* a signal frame */
	struct bytes initial;		/* instructions of the CIE */
	struct bytes program;		/* instructions of the entry */
};

/** frame_table_load() - find the entries.  Return: 0, also if the table is damaged; -ENOMEM */
int frame_table_load(struct frame_table *t);

/** frame_table_exit() - free what frame_table_load() allocated */
void frame_table_exit(struct frame_table *t);

/** frame_table_after() - Return: index of the first range in @t->all that begins after @address */
size_t frame_table_after(const struct frame_table *t, uint64_t address);

/** frame_table_range() - Return: the last range that begins at or before @address, if it has the address; NULL */
const struct frame_range *frame_table_range(const struct frame_table *t, uint64_t address);

/** frame_table_find() - get the entry for an address.  Return: whether there is one */
bool frame_table_find(const struct frame_table *t, uint64_t address, struct frame_entry *e);

/** frame_table_entry() - get the entry of a range of @t->all.  Return: whether it can be read */
bool frame_table_entry(const struct frame_table *t, const struct frame_range *range,
		       struct frame_entry *e);

/** frame_pointer() - Return: the next encoded address in @b, which must point into the table's data */
uint64_t frame_pointer(const struct frame_table *t, struct bytes *b, uint8_t encoding);

#endif
