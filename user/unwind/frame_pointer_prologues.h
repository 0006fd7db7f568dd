/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_pointer_prologues.h - recognizes code that has frame pointers but no unwind information
 *
 * V8 compiles its builtins when node or Chromium is built. They are linked in as one piece of more than
 * a megabyte, with frame pointers and without unwind information. Most JavaScript stacks go through them.
 * Assembler code without unwind information rarely has frame pointers, and must not be mistaken for it.
 */
#ifndef KFLAME_UNWIND_FRAME_POINTER_PROLOGUES_H
#define KFLAME_UNWIND_FRAME_POINTER_PROLOGUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROLOGUES_MIN_BYTES	4096u	/* less code is no reliable sample */

/** prologues_count() - Return: how many prologues the code has; for its parameters, see prologues_found() */
size_t prologues_count(const unsigned char *code, size_t bytes, uint16_t machine);

/**
 * prologues_found() - does the code have enough prologues that set up a frame pointer?
 * @code:	the code
 * @bytes:	its size, at least PROLOGUES_MIN_BYTES
 * @machine:	EM_X86_64; any other value means arm64, then @code is at a multiple of 4
 */
bool prologues_found(const unsigned char *code, size_t bytes, uint16_t machine);

#endif
