/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains_parts.h - what main() of chains calls
 */
#ifndef CHAINS_PARTS_H
#define CHAINS_PARTS_H

#include "chains.h"

/* chains_frames.c */
uint64_t plain_user(uint64_t x);
uint64_t short_user(uint64_t x);
uint64_t alloca_user(uint64_t x);
uint64_t vla_user(uint64_t x);
uint64_t aligned_user(uint64_t x);
uint64_t jump_user(uint64_t x);
uint64_t tail_user(uint64_t x);

/* chains_calls.c */
void lazy_find(void);
uint64_t stub_user(uint64_t x);
uint64_t lazy_user(uint64_t x);
uint64_t sort_user(uint64_t x);
uint64_t find_user(uint64_t x);
uint64_t phdr_user(uint64_t x);
uint64_t pointer_user(uint64_t x);
uint64_t plugin_user(uint64_t x);

/* chains_signals.c; @ticks counts what ticks returned */
extern volatile uint64_t ticks;
void prepare(void);
uint64_t trap_user(uint64_t x);
uint64_t ill_user(uint64_t x);
uint64_t escape_user(uint64_t x);
uint64_t thread_user(uint64_t x);

#endif
