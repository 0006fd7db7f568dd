/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_names.h - the kernel's own names of kernel addresses
 */
#ifndef KF_KERNEL_NAMES_H
#define KF_KERNEL_NAMES_H

#include <linux/types.h>

struct kf_stream;
struct kf_table;

/**
 * struct kf_knames - distinct kernel addresses of tables, and how far they were written
 * @ip:		the addresses, ascending
 * @nr:		how many
 * @next:	index of the next one to be written
 * @named_to:	end of the last function written
 * @memory:	bytes reserved
 */
struct kf_knames {
	u64 *ip;
	u32 nr;
	u32 next;
	u64 named_to;
	size_t memory;
};

int kf_knames_init(struct kf_knames *k, struct kf_table *const *tables, u32 nr);
void kf_knames_exit(struct kf_knames *k);
bool kf_knames_fill(struct kf_knames *k, struct kf_stream *st);

#endif
