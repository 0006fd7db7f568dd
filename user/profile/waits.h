/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.h - the states in which threads wait: the contexts of KFLAME_EVENT_OFFCPU; and those of other samples
 */
#ifndef KFLAME_PROFILE_WAITS_H
#define KFLAME_PROFILE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "uapi/kflame.h"

/** wait_state() - Return: the context without KFLAME_CTX_STILL */
static inline uint32_t wait_state(uint32_t context)
{
	return context & ~KFLAME_CTX_STILL;
}

/** wait_is_for_cpu() - Return: whether the thread could run, and waited for a CPU */
static inline bool wait_is_for_cpu(uint32_t context)
{
	return wait_state(context) == KFLAME_CTX_RUNNABLE || wait_state(context) == KFLAME_CTX_PREEMPTED;
}

/** wait_name() - Return: the state of a waiting thread, such as "I/O wait"; NULL if it did not wait */
const char *wait_name(uint32_t context);

/** state_name() - Return: the state of a thread in any sample, such as "running" or "I/O wait" */
const char *state_name(uint32_t context);

/** wait_key() - Return: the same as one word for programs, such as "iowait" */
const char *wait_key(uint32_t context);

#endif
