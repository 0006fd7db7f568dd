/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_pointer_proof.h - does a file's frame pointer lead to the frame wherever a call returns to?
 *
 * Then the module may walk by it (KFLAME_TABLE_FP), which reads two words and no table. On arm64 it does not,
 * as long as the table has a rule: sp would be lost (kmod/ustack/walk_state.h).
 *
 * At the instruction after a call the table says where the caller's frame is. If that is
 *
 *	x86-64:	CFA = fp + 16, fp at CFA - 16, ra at CFA - 8
 *	arm64:	CFA = fp + n, fp at CFA - n, ra at CFA - n + 8
 *
 * then fp points at the caller's fp and return address: what the walk by frame pointers takes
 * for granted. So it is enough that all rows are such rows, save those at which no call returns:
 *
 * - x86-64: the entry state (CFA = sp + 8), which is a function's first instructions, its last
 *   ones after "leave" or "pop", and all of one that calls nothing. The ABI wants sp to be a
 *   multiple of 16 at each call, and in the entry state it is 8 off.
 * - x86-64: after "push %rbp" (CFA = sp + 16, fp at CFA - 16). There sp would be right for a
 *   call, and a function that only saves rbp calls others in just that state. So it must lead
 *   into "mov %rsp,%rbp": the row after it, where it ends, is one with CFA = fp + 16.
 * - x86-64: a row of one byte. The shortest call has two.
 * - x86-64: the first entry of a PLT, which pushes and jumps, and the other ones.
 * - arm64: wherever the return address is in the link register: a call has written to that.
 * - arm64: after "stp x29,x30" a row of one instruction before one with CFA = fp + n: that is
 *   "mov x29,sp", or the CFA would not be known to be there.
 * - KFLAME_CFA_END: nobody called this frame, the walk ends in either way.
 *
 * Any other row is a counterexample, and so is what DWARF says and rules cannot.
 *
 * Where it does not reach:
 *
 * - It believes the table, as every unwinder must.
 * - Assembly that calls with sp 8 off, and compilers' calls of __fentry__, return in the entry
 *   state. From there a walk by frame pointers misses one frame.
 * - What no entry describes (crt's _init, padding) is not looked at: a walk by the table would
 *   end there, so a frame pointer can but do better.
 * - A function that pushes and calls nothing, as libgcc's __divti3 does in programs linked with it,
 *   is a counterexample all the same: that it calls nothing is not in the table.
 * - gcc for arm64 leaves the CFA at sp. Then the table does not say that x29 was set, and nothing
 *   is proved, whatever the code does. A frame realigned by gcc (CFA = word at fp - n) does have a
 *   copy of the return address where the walk looks, but the table does not say so either.
 */
#ifndef KFLAME_UNWIND_FRAME_POINTER_PROOF_H
#define KFLAME_UNWIND_FRAME_POINTER_PROOF_H

#include <stdbool.h>

#include "unwind/rows.h"

/** unwind_proves_fp() - Return: whether it does; false of a file without entries */
bool unwind_proves_fp(const struct unwind_rows *r);

#endif
