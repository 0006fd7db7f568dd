/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_entries.h - the entries of an unwind table: .eh_frame or .debug_frame
 *
 * Read here and not by libdw: kflame runs as root and looks at whatever ran,
 * and libdw's interpreter takes a register's number from the file for the size
 * of an array (elfutils 0.188).
 */
#ifndef KFLAME_ELF_CFI_ENTRIES_H
#define KFLAME_ELF_CFI_ENTRIES_H

#include "base/bytes.h"

/** struct frame_table - a table, and where its entries (FDE) are */
struct frame_table {
	const unsigned char *data;	/* set by the user, as are the next four */
	size_t len;
	uint64_t address;		/* of data[0] */
	bool eh;			/* .eh_frame, not .debug_frame */
	size_t most;			/* entries to keep, of those that come first */
	struct frame_range {
		uint64_t start;
		uint64_t end;
		size_t at;
	} *all;				/* by start */
	size_t nr, cap;
	size_t left_out;		/* entries beyond .most */
};

/** struct frame_entry - an entry, with what its CIE says */
struct frame_entry {
	uint64_t start;			/* addresses as the file counts */
	uint64_t end;
	uint64_t code_align;
	uint64_t data_align;		/* two's complement */
	uint64_t ra;			/* number of the return address */
	uint8_t encoding;		/* DW_EH_PE_* of addresses */
	bool augmented;			/* lengths are there */
	bool signal;			/* of a signal frame */
	struct bytes initial;		/* instructions of the CIE */
	struct bytes program;		/* and of the entry */
};

/** frame_table_load() - finds the entries.  Return: 0, also of damage; -ENOMEM */
int frame_table_load(struct frame_table *t);

/** frame_table_exit() - frees what frame_table_load() took */
void frame_table_exit(struct frame_table *t);

/** frame_table_find() - the entry for an address.  Return: whether there is one */
bool frame_table_find(const struct frame_table *t, uint64_t address, struct frame_entry *e);

/** frame_table_entry() - the entry of a range of @t->all.  Return: whether it can be read */
bool frame_table_entry(const struct frame_table *t, const struct frame_range *range,
		       struct frame_entry *e);

/** frame_pointer() - Return: the next address in @b, which is in the table's data */
uint64_t frame_pointer(const struct frame_table *t, struct bytes *b, uint8_t encoding);

#endif
