// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waits.c - names of the states in which threads wait
 */
#include <stddef.h>

#include "profile/waits.h"

static const struct {
	const char *key, *name;
} states[KFLAME_CTX_PREEMPTED + 1] = {
	[KFLAME_CTX_INTERRUPTIBLE] = { "interruptible", "interruptible" },
	[KFLAME_CTX_UNINTERRUPTIBLE] = { "uninterruptible", "uninterruptible (D)" },
	[KFLAME_CTX_IOWAIT] = { "iowait", "I/O wait" },
	[KFLAME_CTX_STOPPED] = { "stopped", "stopped" },
	[KFLAME_CTX_RUNNABLE] = { "runnable", "runnable" },
	[KFLAME_CTX_PREEMPTED] = { "preempted", "preempted" },
};

const char *wait_name(uint32_t context)
{
	const uint32_t state = wait_state(context);

	return state <= KFLAME_CTX_PREEMPTED ? states[state].name : NULL;
}

const char *state_name(uint32_t context)
{
	static const char *const names[] = {
		[KFLAME_CTX_TASK] = "running", [KFLAME_CTX_SOFTIRQ] = "in softirq", [KFLAME_CTX_IDLE] = "idle",
		[KFLAME_CTX_GAP] = "[gap]", [KFLAME_CTX_GUEST] = "running a guest",
	};
	const char *name = wait_name(context);

	if (name)
		return name;
	return context < sizeof(names) / sizeof(names[0]) ? names[context] : "[unknown]";
}

const char *wait_key(uint32_t context)
{
	const uint32_t state = wait_state(context);

	return state <= KFLAME_CTX_PREEMPTED ? states[state].key : NULL;
}
