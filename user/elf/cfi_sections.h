/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_sections.h - finds the unwind tables of a file that nobody vouches for
 */
#ifndef KFLAME_ELF_CFI_SECTIONS_H
#define KFLAME_ELF_CFI_SECTIONS_H

#include <gelf.h>

#include "elf/cfi_entries.h"

/** struct frame_sections - both tables; one that a file has not got has no entries */
struct frame_sections {
	struct frame_table eh;		/* .eh_frame */
	struct frame_table debug;	/* .debug_frame, which may be compressed */
};

/**
 * frame_sections_load() - finds the entries of both
 * @elf:	64 bits wide and little-endian; must outlive @out: the bytes are in it
 * @out:	to be freed with frame_sections_exit() whatever is returned
 *
 * Both have 128 MiB at most, and 2 million entries; .left_out counts entries beyond that, and one
 * for a section that is too long or cannot be read.
 *
 * Return: 0, also where there are none, and of damage; -ENOMEM.
 */
int frame_sections_load(Elf *elf, struct frame_sections *out);

/** frame_sections_exit() - frees what frame_sections_load() took */
void frame_sections_exit(struct frame_sections *s);

#endif
