/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hidden.S - entries that the grader asks about, and the student does not have */
	.text
	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm

/* Operands of two and three bytes */
	function long_operands
	sub	$20000, %rsp
	.cfi_def_cfa_offset 20008
	nop
	.cfi_offset %rbx, -2048
	nop
	.cfi_def_cfa %rbp, 3000000
	nop
	.cfi_endproc

/* States in states.  The CFA is part of a state. */
	function nested
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	nop
	.cfi_remember_state
	push	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset %rbp, -24
	nop
	.cfi_remember_state
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	.cfi_undefined %rbx
	nop
	.cfi_restore_state
	nop
	.cfi_restore_state
	nop
	.cfi_endproc

/* restore goes back to what the CIE has; the return address has a rule there */
	function restored
	nop
	.cfi_undefined %rip
	nop
	.cfi_same_value %r12
	nop
	.cfi_restore %rip
	.cfi_restore %r12
	nop
	.cfi_escape 0x2e, 0x90, 0x02	/* GNU_args_size */
	.cfi_def_cfa_offset 32
	nop
	.cfi_endproc

/* An expression for a register, in the middle: rows before it are supported */
	function expression
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	nop
	.cfi_escape 0x10, 0x0c, 2, 0x77, 8
	nop
	.cfi_endproc
	.globl	_start
_start:	ret
	.section .note.GNU-stack, "", @progbits
