/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_pointer_prologues.h - code without unwind information that keeps frame pointers, by its looks
 *
 * A just-in-time compiler can also be run when a program is built: V8's builtins are linked into
 * node and Chromium so, in one piece of more than a megabyte. They have frame pointers and no unwind
 * information, and most of JavaScript's stacks go through them. Assembler code without unwind
 * information has rarely any of either, and is not taken for such.
 */
#ifndef KFLAME_UNWIND_FRAME_POINTER_PROLOGUES_H
#define KFLAME_UNWIND_FRAME_POINTER_PROLOGUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROLOGUES_MIN_BYTES	4096u	/* less code says too little */

/**
 * prologues_found() - do most of the functions there begin with making a frame pointer?
 * @code:	of @bytes, at least PROLOGUES_MIN_BYTES
 * @machine:	EM_X86_64, else arm64 is meant: then @code is at a multiple of 4
 */
bool prologues_found(const unsigned char *code, size_t bytes, uint16_t machine);

#endif
