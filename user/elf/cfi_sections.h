/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi_sections.h - find the unwind tables of an untrusted file
 */
#ifndef KFLAME_ELF_CFI_SECTIONS_H
#define KFLAME_ELF_CFI_SECTIONS_H

#include <gelf.h>

#include "elf/cfi_entries.h"

/** struct frame_sections - both tables of a file; a missing table has no entries */
struct frame_sections {
	struct frame_table eh;		/* .eh_frame */
	struct frame_table debug;	/* .debug_frame, or .zdebug_frame of older tools; may be compressed */
};

/**
 * frame_sections_load() - find the entries of both tables: by section, or .eh_frame by PT_GNU_EH_FRAME
 * @elf:	64-bit and little-endian; must outlive @out, which points into it
 * @out:	the caller frees it with frame_sections_exit(), whatever is returned
 *
 * Both tables together have at most 128 MiB and 2 million entries.  .left_out counts further entries, and one
 * for a section that is too long or cannot be read.
 *
 * Return: 0, also if there are no tables or they are damaged; -ENOMEM.
 */
int frame_sections_load(Elf *elf, struct frame_sections *out);

/** frame_sections_exit() - free what frame_sections_load() allocated */
void frame_sections_exit(struct frame_sections *s);

#endif
