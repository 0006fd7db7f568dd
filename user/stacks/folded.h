/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded.h - FlameGraph's folded stacks: "comm;outer;inner count", a line a stack
 */
#ifndef KFLAME_STACKS_FOLDED_H
#define KFLAME_STACKS_FOLDED_H

#include <stdio.h>

#include "stacks/tree.h"

/**
 * struct folded_read - what came of reading folded stacks
 * @lines:	lines that held a stack
 * @bad:	lines that did not, and were skipped
 * @first_bad:	number of the first of them, from 1
 * @remarks:	lines that are remarks, such as "# duration: 23873", and were skipped
 */
struct folded_read {
	uint64_t lines;
	uint64_t bad;
	uint64_t first_bad;
	uint64_t remarks;
};

/**
 * folded_is_remark() - is a line a remark, not a stack?
 * @text:	the line; need not end in a NUL byte
 *
 * A remark is "# text" or "#key: value".  A thread may be called "#c": "#c;main 5" is a stack.
 */
bool folded_is_remark(const char *text, size_t len);

/**
 * folded_read() - adds the stacks of a folded file to a tree
 * @in:		read to its end
 * @name:	its name, for messages
 * @t:		gets the stacks; counts become samples, nanoseconds stay 0
 * @result:	what was read
 *
 * The first frame of a line becomes the thread.  "_[k]" at the end of a name
 * makes it a kernel frame, "_[i]" an inlined one, "_[j]" one of a just-in-time compiler; "[name]" is a note.  The first
 * few bad lines are reported on standard error with their numbers.
 *
 * Return: 0, also where lines were bad; a negative errno (read error, memory).
 */
int folded_read(FILE *in, const char *name, struct tree *t, struct folded_read *result);

/** folded_each_stack() - as folded_read(), and calls @fn for every stack */
int folded_each_stack(FILE *in, const char *name, stack_fn fn, void *ctx,
		      struct folded_read *result);

/** enum folded_suffixes - which kinds of frames get a suffix to their names */
enum folded_suffixes {
	FOLDED_NO_SUFFIX,
	FOLDED_KERNEL,		/* "_[k]" for the kernel's */
	FOLDED_KINDS,		/* and "_[i]" for inlined ones, "_[j]" for those of a JIT */
};

/** folded_clean() - makes a name fit in a line, in place: ';' becomes ':', what text_next() refuses '?' */
void folded_clean(char *name);

/**
 * folded_add() - adds a stack to a tree that is to be written as folded stacks
 * @t:		the tree
 * @suffixes:	what is appended to names
 *
 * Folded stacks know no files and kinds, so frames that look the same there
 * are made the same here.  In names, ';' becomes ':', and what text_next() refuses '?'.  Where a thread's
 * name would make the line a remark, '#' becomes '_'; a name of blanks becomes "[no name]".  Where the innermost
 * name would end in a second count, the blank before it becomes '_'.
 *
 * Return: 0, -ENOMEM or -EOVERFLOW.
 */
int folded_add(struct tree *t, enum folded_suffixes suffixes, const struct frame *frames, size_t nr,
	       uint64_t samples, uint64_t ns);

/**
 * folded_write() - writes a tree that is not finished, one line a stack, in the order of the bytes
 *
 * Stacks that weigh nothing in @unit are left out.  Errors of @out are left for
 * the caller to find.
 *
 * Return: 0 or -ENOMEM.
 */
int folded_write(FILE *out, const struct tree *t, enum tree_unit unit);

#endif
