/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - the kernel functions of an event that has several
 */
#ifndef KF_FUNCTIONS_H
#define KF_FUNCTIONS_H

#include <linux/refcount.h>
#include <linux/types.h>

/**
 * struct kf_function - a function of the list
 * @name:	part of the list's memory
 * @address:	where it may be, 0 if that is unknown. It moves if its module is loaded again
 * @err:	why it is left out, a negative errno; 0: it is probed
 */
struct kf_function {
	const char *name;
	unsigned long address;
	int err;
};

/**
 * struct kf_functions - a list of functions
 * @refs:	the configuration that is copied in has one reference, and the event another one
 * @bytes:	reserved of the module's memory
 * @nr:		how many
 * @all:	the functions. Their names follow in the same memory
 *
 * CONFIGURE writes @all.err. CONFIGURE and START of the session that has the list write @all.address. Only
 * one of them runs at a time.
 */
struct kf_functions {
	refcount_t refs;
	size_t bytes;
	u32 nr;
	struct kf_function all[];
};

struct kf_functions *kf_functions_create(u32 nr, u32 len);
char *kf_functions_text(struct kf_functions *f);
int kf_functions_split(struct kf_functions *f, u32 len);
struct kf_functions *kf_functions_get(struct kf_functions *f);
void kf_functions_put(struct kf_functions *f);
unsigned long kf_function_start(const char *name, unsigned long address);

#endif
