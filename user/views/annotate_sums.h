/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_sums.h - how an annotation is made; private to views/annotate*.c
 *
 * First all samples are added, one by one. annotation_sum() adds up what has the same line or address. Then
 * annotate_instructions() puts the instructions between them, and annotate_lines() adds their lines.
 */
#ifndef KFLAME_VIEWS_ANNOTATE_SUMS_H
#define KFLAME_VIEWS_ANNOTATE_SUMS_H

#include "stacks/stacks.h"
#include "symbols/vmlinux.h"
#include "views/annotate.h"

/** annotated_code_at() - Return: the code that the address of a frame is in; @offset: gets the offset in it */
struct annotated_code annotated_code_at(const struct profile *p, const struct frame *f,
					const struct place *at, uint64_t *offset);

/** annotated_same_code() - Return: whether both are one range of code */
bool annotated_same_code(const struct annotated_code *a, const struct annotated_code *b);

/** annotated_same_program() - Return: whether the debug data of one program has both lines */
bool annotated_same_program(const struct annotated_line *x, const struct annotated_line *y);

/**
 * annotation_add_at() - adds the weights of @w to the address of a frame
 *
 * A return address is behind the call: the sample belongs to the call.
 *
 * Return: 0 or -ENOMEM.
 */
int annotation_add_at(struct annotation *a, const struct profile *p, const struct frame *f, const struct place *at,
		      const struct annotated_at *w);

/** annotation_add_line() - adds to the line of a frame.  Return: 0 or -ENOMEM */
int annotation_add_line(struct annotation *a, const struct profile *p, const struct place *at,
			const struct weight *self, const struct weight *total);

/** annotation_sum() - adds up lines and addresses, and sorts them */
void annotation_sum(struct annotation *a);

/** annotate_image() - opens the kernel's image if @a has code of the kernel and *@v is NULL.  Return: 0, -ENOMEM */
int annotate_image(const struct annotation *a, const struct profile *p, const struct naming *naming,
		   struct vmlinux **v);

/** annotation_keep() - keeps @text, which the annotation owns from here on.  Return: @text; NULL if memory is short */
const char *annotation_keep(struct annotation *a, char *text);

/** annotate_instructions() - adds the instructions; @v: the kernel's image; NULL: none.  Return: 0 or -ENOMEM */
int annotate_instructions(struct annotation *a, const struct profile *p, const struct naming *naming,
			  const struct vmlinux *v);

/**
 * annotate_lines() - adds the lines of all instructions
 * @all:	annotations that are freed together: the first one owns the texts of all
 * @v:		the kernel's image; NULL: none
 * @time_ns:	time limit; gets the time that is left
 *
 * Return: 0 or -ENOMEM.
 */
int annotate_lines(struct annotation *all, size_t nr_all, const struct naming *naming, const struct vmlinux *v,
		   uint64_t *time_ns);

#endif
