/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded.h - FlameGraph's folded stacks: one line "comm;outer;inner count" for each stack
 */
#ifndef KFLAME_STACKS_FOLDED_H
#define KFLAME_STACKS_FOLDED_H

#include <stdio.h>

#include "stacks/tree.h"

/**
 * struct folded_read - the result of reading folded stacks
 * @lines:	lines with a stack
 * @bad:	malformed lines, which were skipped
 * @first_bad:	line number of the first malformed line, from 1
 * @remarks:	lines with a remark, such as "# duration: 23873", which were skipped
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
 * A remark is "# text" or "#key: value".  A thread may be called "#c": "#c;main 5" is a stack.  A reader also
 * skips "#text" without a count.
 */
bool folded_is_remark(const char *text, size_t len);

/**
 * folded_read() - adds the stacks of a folded file to a tree
 * @in:		the file, read to its end
 * @name:	its name, for messages
 * @t:		receives the stacks; counts become samples, nanoseconds stay 0
 * @result:	out: how many lines were read and skipped
 *
 * The first frame of a line becomes the thread.  The end of a name determines the kind of the frame:
 * "_[k]" kernel, "_[i]" inlined, "_[j]" just-in-time compiled.  "[name]" is a note.  The first few malformed
 * lines are reported on standard error with their numbers.
 *
 * Return: 0, even if lines were malformed; a negative errno (read error, memory).
 */
int folded_read(FILE *in, const char *name, struct tree *t, struct folded_read *result);

/** folded_each_stack() - as folded_read(), but calls @fn for every stack */
int folded_each_stack(FILE *in, const char *name, stack_fn fn, void *ctx,
		      struct folded_read *result);

/** enum folded_suffixes - which kinds of frames get a suffix to their names */
enum folded_suffixes {
	FOLDED_NO_SUFFIX,
	FOLDED_KERNEL,		/* "_[k]" for kernel frames */
	FOLDED_KINDS,		/* also "_[i]" for inlined frames, "_[j]" for frames of a JIT */
};

/**
 * folded_clean() - changes a name in place so that it fits in a line
 *
 * ';' becomes ':'.  A character that text_next() refuses becomes '?'.
 */
void folded_clean(char *name);

/**
 * folded_add() - adds a stack to a tree that will be written as folded stacks
 * @t:		the tree
 * @suffixes:	which frames get a suffix
 *
 * Folded stacks have no files and kinds.  So frames that look the same in a line become one frame here.
 * Names are changed so that the line can be read again:
 * - folded_clean() replaces single characters.
 * - If the name of the thread would make the line a remark, '#' becomes '_'.
 * - A name of blanks becomes "[no name]".
 * - If the innermost name would end in a second count, the blank before that count becomes '_'.
 *
 * Return: 0, -ENOMEM or -EOVERFLOW.
 */
int folded_add(struct tree *t, enum folded_suffixes suffixes, const struct frame *frames, size_t nr,
	       uint64_t samples, uint64_t ns);

/**
 * folded_write() - writes a tree before tree_finish(), one line for each stack, sorted by bytes
 * @out:	the caller checks it for write errors
 *
 * Stacks whose weight in @unit is 0 are left out.
 *
 * Return: 0 or -ENOMEM.
 */
int folded_write(FILE *out, const struct tree *t, enum tree_unit unit);

#endif
