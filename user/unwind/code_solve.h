/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_solve.h - finds what must be known at instructions that no way leads to
 *
 * Such instructions are behind a return, a jump or a call that does not return: a case of a switch, or a
 * function that only a pointer names. Their frame follows from where they lead. A function returns with its
 * first stack pointer, so "add $24,%rsp; pop %rbx; ret" shows that the frame has 40 bytes here. Code that
 * jumps to walked code has the frame of that code. All ways that end must agree.
 */
#ifndef KFLAME_UNWIND_CODE_SOLVE_H
#define KFLAME_UNWIND_CODE_SOLVE_H

#include "unwind/code_walk.h"

/**
 * code_solve_rest() - walks the code that code_walk_run() did not reach, as far as it can be solved
 *
 * Return: 0, -ENOMEM or -E2BIG.
 */
int code_solve_rest(struct code_walk *w);

#endif
