/* SPDX-License-Identifier: GPL-2.0-or-later */
/* by_hand.S - the function of task 1.  .cfi_ lines are what a compiler writes; the assembler makes .eh_frame of them. */
	.text
	.globl	by_hand
	.type	by_hand, @function
by_hand:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	push	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset %rbx, -24
	sub	$168, %rsp
	.cfi_def_cfa_offset 192
	mov	%rdi, %rbx
	lea	(%rbx,%rbx), %rax
	add	$168, %rsp
	.cfi_def_cfa_offset 24
	pop	%rbx
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	by_hand, . - by_hand
	.section .note.GNU-stack, "", @progbits
