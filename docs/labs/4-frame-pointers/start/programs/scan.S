/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scan.S - leaf() written by hand: rbp is a pointer into a buffer on the stack, as fast code for strings and ciphers has it */
	.text
	.globl	leaf
	.type	leaf, @function
leaf:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	sub	$48, %rsp
	.cfi_def_cfa_offset 64
	lea	8(%rsp), %rbp
	movq	$0, (%rbp)
	lea	wrong(%rip), %rax	/* a table of functions is data that looks like return addresses */
	mov	%rax, 8(%rbp)
1:	mov	(%rbp), %rax
	add	%rdi, %rax
	mov	%rax, 16(%rbp)
	add	$48, %rsp
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size	leaf, . - leaf

	.type	wrong, @function
wrong:
	nop
	ret
	.size	wrong, . - wrong
	.section .note.GNU-stack, "", @progbits
