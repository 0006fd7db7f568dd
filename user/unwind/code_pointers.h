/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_pointers.h - finds functions that only a pointer in data names
 */
#ifndef KFLAME_UNWIND_CODE_POINTERS_H
#define KFLAME_UNWIND_CODE_POINTERS_H

#include <gelf.h>

#include "unwind/code_walk.h"

/**
 * code_pointers_add() - x86-64: notes functions that pointers in data name, and that were not walked yet
 * @elf:	may be hostile; elf_sections_sane() has checked its headers
 *
 * Return: 0 or -ENOMEM.
 */
int code_pointers_add(struct code_walk *w, Elf *elf);

#endif
