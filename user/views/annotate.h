/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate.h - the samples of a function by source line and by instruction
 *
 * Both lists add up to the function's row in a table: its own samples (self), and its total. A sample with
 * the function innermost belongs to its program counter. Other samples belong to the outermost call of the
 * function on the stack.  Samples of inlined functions are not self: each instruction counts them separately.
 */
#ifndef KFLAME_VIEWS_ANNOTATE_H
#define KFLAME_VIEWS_ANNOTATE_H

#include "profile/profile.h"
#include "stacks/filter.h"
#include "stacks/open.h"
#include "stacks/tree.h"

/**
 * struct annotated_line - a line of source code
 * @source:	path; NULL: unknown
 * @line:	0: unknown
 * @file:	the program whose debug data has this line; NULL: the kernel, or several programs
 * @self:	samples of the function itself on this line
 * @total:	@self, and samples of the functions that this line calls or had inlined
 */
struct annotated_line {
	const char *source;
	uint32_t line;
	const struct profile_file *file;
	struct weight self;
	struct weight total;
};

/**
 * struct annotated_at - an instruction, or an address with samples
 * @offset:	offset in the file; in the kernel, and for code in no file, the address
 * @bytes:	length of the instruction; 0: no instruction is known to begin here
 * @text:	the instruction; NULL: unknown
 * @source:	path; NULL: unknown
 * @line:	0: unknown
 * @self:	samples of the function itself
 * @inlined:	samples of functions that were inlined into it
 * @total:	@self and @inlined, and samples of the functions called here
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
 * struct annotated_code - one range of code with samples of the function, by address
 *
 * A function has several ranges if the compiler split it, or inlined it into other functions.
 *
 * @file:	the file of the code; NULL: the kernel, or code in no file
 * @index:	index of @file in the profile
 * @kernel:	whether the code is the kernel's, or a module's
 * @symbol:	the symbol that the code belongs to; NULL: unknown
 * @move:	add it to an offset to get an address
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

/** struct annotation - the samples of one function in detail; annotation_exit() frees it */
struct annotation {
	uid_t owner;			/* owner of the profile */
	const char *symbols;		/* directory that is searched for sources first; NULL: none */
	struct frame function;		/* .name and .file belong to the tree */
	struct weight self;
	struct weight total;
	struct annotated_line *lines;	/* by path, then by line; NULL first */
	size_t nr_lines, cap_lines;
	struct annotated_code *codes;	/* the heaviest first */
	size_t nr_codes, cap_codes;
	char **texts;			/* strings that the profile does not own */
	size_t nr_texts, cap_texts;
	size_t last_code;		/* private: index of the code used last, which is likely the next one's */
};

/**
 * struct annotate_options - which function to annotate
 * @function:	a name as for butterfly_find(), or FILE:NAME
 * @frame:	a frame of the tree instead of a name; NULL: none
 * @naming:	options of naming for the profile
 * @filter:	which stacks count; NULL: all
 * @without_idle: stacks of idle tasks do not count
 */
struct annotate_options {
	const char *function;
	const struct frame *frame;
	const struct naming *naming;
	struct filter *filter;
	bool without_idle;
};

/**
 * annotate() - annotates a function
 * @t:		finished tree of @p; the tree and @p must outlive the annotation
 *
 * A wrong function name is reported on standard error.
 *
 * Return: 0; -ENOMEM; -ENOENT if there is no such function; -EINVAL if there are several.
 */
int annotate(struct annotation *a, const struct profile *p, const struct tree *t,
	     const struct annotate_options *o);

/** annotation_exit() - frees the contents of @a */
void annotation_exit(struct annotation *a);

/** annotate_find() - private: finds the function.  Return: as annotate() */
int annotate_find(const struct tree *t, const char *word, struct frame *out);

#endif
