/* SPDX-License-Identifier: GPL-2.0-or-later */
/* states.S - one function for each rarer instruction.  It is never run: only its .eh_frame counts. */
	.text
	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm

/* An early return: the compiler remembers the row before the epilogue, and restores it behind */
	function early_return
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	test	%edi, %edi
	je	1f
	.cfi_remember_state
	pop	%rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
1:	.cfi_restore_state
	call	early_return
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

/* Code with long distances: 1, 2 and 4 bytes */
	function long_way
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	.skip	200, 0x90
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	.skip	3000, 0x90
	push	%r12
	.cfi_offset %r12, -24
	.skip	70000, 0x90
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc

/* A CFA that is computed: DW_CFA_def_cfa_expression is not part of the lab */
	function computed
	push	%rbp
	.cfi_escape 0x0f, 3, 0x77, 16, 0x06	/* the word at rsp + 16 */
	ret
	.cfi_endproc
	.globl	_start
_start:	ret
	.section .note.GNU-stack, "", @progbits
