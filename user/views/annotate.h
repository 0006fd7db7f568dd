/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - a function's samples by source line and by instruction
 *
 * Sums of either are what the function weighs in a table: its own samples, and in total.  A sample
 * is where its program counter is, or where the function's outermost call is that is on the
 * stack.  What was inlined into the function is not its own: at an instruction it stands apart.
 */
#ifndef KFLAME_VIEWS_ANNOTATE_H
#define KFLAME_VIEWS_ANNOTATE_H

#include "profile/profile.h"
#include "stacks/filter.h"
#include "stacks/open.h"
#include "stacks/tree.h"

/**
 * struct annotated_line - a line of source code
 * @source:	path; NULL: not known
 * @line:	0: not known
 * @file:	the program whose debug data has this line; NULL: the kernel, or several programs
 * @self:	samples of the function whose instruction is of this line
 * @total:	and those of what it called, or had inlined, there
 */
struct annotated_line {
	const char *source;
	uint32_t line;
	const struct profile_file *file;
	struct weight self;
	struct weight total;
};

/**
 * struct annotated_at - an instruction, or an address that samples are at
 * @offset:	in the file; in the kernel, and of code in no file, the address
 * @bytes:	how long it is; 0: no instruction begins there, as far as is known
 * @text:	the instruction; NULL: not known
 * @source:	path; NULL: not known
 * @line:	0: not known
 * @self:	samples of the function itself, here
 * @inlined:	samples of functions that were inlined into it
 * @total:	and those of what was called here
 */
struct annotated_at {
	uint64_t offset;
	uint32_t bytes;
	const char *text;
	const char *source;
	uint32_t line;
	struct weight self;
	struct weight inlined;
	struct weight total;
};

/**
 * struct annotated_code - code that has samples of the function, by address
 *
 * There are several where the function is in several parts, or was inlined into others.
 *
 * @file:	what it is of; NULL: the kernel, or code in no file
 * @index:	of @file in the profile
 * @kernel:	which
 * @symbol:	whose code it is; NULL: not known
 * @move:	what makes an address of an offset
 * @missing:	why there are no instructions; NULL: there are
 * @total:	sum of all rows
 */
struct annotated_code {
	const struct profile_file *file;
	uint32_t index;
	bool kernel;
	const struct profile_symbol *symbol;
	uint64_t move;
	const char *missing;
	struct annotated_at *all;
	size_t nr, cap;
	struct weight total;
};

/** struct annotation - all of it; annotation_exit() frees it */
struct annotation {
	uid_t owner;			/* of the profile */
	struct frame function;		/* .name and .file are the tree's */
	struct weight self;
	struct weight total;
	struct annotated_line *lines;	/* by path, then by line; NULL first */
	size_t nr_lines, cap_lines;
	struct annotated_code *codes;	/* the heaviest first */
	size_t nr_codes, cap_codes;
	char **texts;			/* storage of what is not the profile's */
	size_t nr_texts, cap_texts;
};

/**
 * struct annotate_options - what to annotate, and of what
 * @function:	a name as butterfly_find() takes it, or FILE:NAME
 * @frame:	a frame of the tree instead; NULL: none
 * @naming:	of the profile
 * @filter:	which stacks count; NULL: all
 * @without_idle: those of idle tasks do not
 */
struct annotate_options {
	const char *function;
	const struct frame *frame;
	const struct naming *naming;
	struct filter *filter;
	bool without_idle;
};

/**
 * annotate() - makes it
 * @t:		finished, of @p; must outlive it, and so must @p
 *
 * What went wrong with the name is reported on standard error.
 *
 * Return: 0, -ENOMEM, -ENOENT where there is no such function, -EINVAL where there are several.
 */
int annotate(struct annotation *a, const struct profile *p, const struct tree *t,
	     const struct annotate_options *o);

/** annotation_exit() - frees what is in @a */
void annotation_exit(struct annotation *a);

/** annotated_same_program() - Return: whether two lines are from the same program's debug data */
bool annotated_same_program(const struct annotated_line *x, const struct annotated_line *y);

/** annotate_find() - private: finds the function.  Return: as annotate() */
int annotate_find(const struct tree *t, const char *word, struct frame *out);

/** annotate_instructions() - private: adds the instructions, and their lines.  Return: 0, -ENOMEM */
int annotate_instructions(struct annotation *a, const struct profile *p,
			  const struct naming *naming);

#endif
