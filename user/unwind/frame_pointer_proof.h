/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_pointer_proof.h - does a file's frame pointer lead to the frame wherever a call returns to?
 *
 * If it does, the module may walk by frame pointer (KFLAME_TABLE_FP), which reads two words and no table.
 * On arm64, the module still prefers a rule of the table, because a frame pointer step loses sp
 * (kmod/ustack/walk_state.h).
 *
 * At the instruction after a call, the table says where the caller's frame is. If the table says
 *
 *	x86-64:	CFA = fp + 16, fp at CFA - 16, ra at CFA - 8
 *	arm64:	CFA = fp + n, fp at CFA - n, ra at CFA - n + 8
 *
 * then fp points at the caller's fp and return address, as the walk by frame pointers assumes. So it is
 * enough that every row has this form, except for rows at which no call returns:
 *
 * - x86-64: the entry state (CFA = sp + 8). It covers a function's first instructions, its last ones after
 *   "leave" or "pop", and all of a function that calls nothing. The ABI requires sp to be a multiple of 16
 *   at each call, and in the entry state sp is 8 off.
 * - x86-64: after "push %rbp" (CFA = sp + 16, fp at CFA - 16). Here sp is aligned for a call, and a
 *   function that only saves rbp makes calls in this state. So this row must be followed by
 *   "mov %rsp,%rbp": the next row must have CFA = fp + 16.
 * - x86-64: a row of one byte. The shortest call has two bytes.
 * - x86-64: the entries of a PLT, which push and jump.
 * - arm64: a row with the return address in the link register. A call would have overwritten it.
 * - arm64: a row of one instruction after "stp x29,x30", before a row with CFA = fp + n. The instruction
 *   is "mov x29,sp", because otherwise the CFA could not be fp + n.
 * - KFLAME_CFA_END: this frame has no caller, so the walk ends either way.
 *
 * Any other row is a counterexample. A row that DWARF describes and rules cannot is one, too.
 *
 * The limits of the proof:
 *
 * - It trusts the table, as every unwinder must.
 * - Assembler code that calls with sp 8 off, and calls of __fentry__ by compilers, return in the entry
 *   state. From there, a walk by frame pointers misses one frame.
 * - Code that no entry describes (_init of crt, padding) is ignored. A walk by the table would end there,
 *   so a frame pointer is no worse.
 * - A function that pushes registers and calls nothing is a counterexample, such as libgcc's __divti3. The
 *   table does not say that the function calls nothing.
 * - gcc for arm64 leaves the CFA at sp. Then the table does not say that x29 was set, so nothing is proved.
 *   A frame that gcc realigned (CFA = word at fp - n) has a copy of the return address where the walk
 *   looks. The table does not say so.
 */
#ifndef KFLAME_UNWIND_FRAME_POINTER_PROOF_H
#define KFLAME_UNWIND_FRAME_POINTER_PROOF_H

#include <stdbool.h>

#include "unwind/rows.h"

/** unwind_proves_fp() - Return: whether the table proves it; false for a file without entries */
bool unwind_proves_fp(const struct unwind_rows *r);

#endif
