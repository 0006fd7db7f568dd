/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - which stacks are shown: --include, --exclude, --focus
 *
 * A filter is a stack_fn that passes chosen stacks on to another one.
 */
#ifndef KFLAME_STACKS_FILTER_H
#define KFLAME_STACKS_FILTER_H

#include <stdbool.h>

#include "stacks/stacks.h"
#include "stacks/tree.h"

/** enum filter_rule - the effect of an expression; of several with one rule, one must match */
enum filter_rule {
	FILTER_INCLUDE,		/* only stacks with a name that matches */
	FILTER_EXCLUDE,		/* no stacks with a name that matches */
	FILTER_FOCUS,		/* as INCLUDE, without the callers of the outermost match; the thread and
				 * the root frame stay */
	FILTER_NR
};

struct filter;

/** filter_create() - Return: a filter without rules, which all stacks pass; NULL without memory */
struct filter *filter_create(void);

/** filter_destroy() - frees it; does nothing for NULL */
void filter_destroy(struct filter *f);

/**
 * filter_add() - adds an expression
 * @regex:	POSIX extended; case matters if it has a capital letter
 * @why:	out: what is wrong with @regex, if -EINVAL is returned
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int filter_add(struct filter *f, enum filter_rule rule, const char *regex, char *why,
	       size_t why_size);

/** filter_is_on() - Return: whether @f has a rule; false for NULL */
bool filter_is_on(const struct filter *f);

/** filter_passes_to() - sets the function that receives the stacks that pass */
void filter_passes_to(struct filter *f, stack_fn fn, void *ctx);

/** filter_stack() - a stack_fn; @filter is the struct filter */
int filter_stack(void *filter, const struct frame *frames, size_t nr, uint64_t samples,
		 uint64_t ns);

/**
 * filter_accepts() - does a stack pass?
 * @f:		NULL: all stacks pass
 *
 * Replaces the function that filter_passes_to() set.
 *
 * Return: 1, 0 or a negative errno.
 */
int filter_accepts(struct filter *f, const struct frame *frames, size_t nr);

/** filter_dropped() - Return: the weight of the stacks that did not pass */
struct weight filter_dropped(const struct filter *f);

#endif
