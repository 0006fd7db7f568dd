/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * take_apart.h - makes an explanation from a kept sample and the recording's profile
 */
#ifndef KFLAME_EXPLAIN_TAKE_APART_H
#define KFLAME_EXPLAIN_TAKE_APART_H

#include "explain/explanation.h"
#include "explain/kept_samples.h"
#include "profile/profile.h"

/**
 * struct explain_choice - which sample is wanted
 * @number:	the N-th of those that fit, from 1
 * @function:	its innermost function; NULL: any
 * @kernel:	it interrupted the kernel
 *
 * Samples whose user stack reaches the outermost frame come first. If there are not enough, others fit, too.
 */
struct explain_choice {
	size_t number;
	const char *function;
	bool kernel;
};

/**
 * explain_choose() - finds a sample
 * @k:		sorted by time
 *
 * Return: the sample; NULL if none fits.
 */
const struct kept_sample *explain_choose(const struct profile *p, const struct kept_samples *k,
					 const struct explain_choice *choice);

/**
 * take_apart() - makes an explanation
 * @p:		the profile of the recording, with its names
 * @s:		the sample
 * @uway:	KFLAME_UWAY_* of the session
 * @symbols:	as for binary_open_file()
 * @out:	to be freed with explanation_exit() whatever is returned
 *
 * Return: 0 or -ENOMEM.
 */
int take_apart(const struct profile *p, const struct kept_sample *s, uint32_t uway, const char *symbols,
	       struct explanation *out);

#endif
