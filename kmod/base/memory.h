/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - the memory that all sessions together may take
 *
 * Memory is reserved here before it is allocated, and released after it was freed. So a request that is
 * too large fails with an error instead of the OOM killer. Context: any; nothing is locked, nothing
 * sleeps.
 */
#ifndef KF_MEMORY_H
#define KF_MEMORY_H

#include <linux/types.h>

void kf_memory_init(unsigned long cap_mib);
bool kf_memory_reserve(size_t bytes);
void kf_memory_release(size_t bytes);
size_t kf_memory_cap(void);
size_t kf_memory_used(void);

#endif
