/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpython.h - a Python program: what cpython.c, which finds frames, and cpython_names.c share
 */
#ifndef KF_CPYTHON_H
#define KF_CPYTHON_H

#include "ustack/interpreters.h"

/* kf_iframe.at of a function that has not begun yet, where positions are numbers */
#define KF_CPYTHON_BEGINS	U32_MAX

/* The lowest bit of the kind in PyASCIIObject.state */
static inline u32 kf_cpython_character(const struct kflame_interpreter *is)
{
	return is->kind == KFLAME_INTERPRETER_CPYTHON_3_11 ? 2 : is->at[KFLAME_PY_CHARACTER];
}

void kf_cpython_read(const struct kf_interpreter *i, struct kf_icpu *c, const struct kf_iframe *f,
		     struct kf_iname *name);

#endif
