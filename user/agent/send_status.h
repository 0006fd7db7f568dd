/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_status.h - counters of the sender, in memory that it shares with the agent
 */
#ifndef KFLAME_AGENT_SEND_STATUS_H
#define KFLAME_AGENT_SEND_STATUS_H

#include <stdint.h>

#define SEND_TARGETS	8	/* most "send" lines of a configuration */

/** enum send_result - how an attempt to send a profile ended */
enum send_result {
	SEND_OK,
	SEND_UNREACHABLE,	/* no connection, or it broke */
	SEND_TIMEOUT,
	SEND_THROTTLED,		/* 429 or 503 */
	SEND_TOO_LARGE,		/* 413 */
	SEND_DENIED,		/* 401 or 403 */
	SEND_REFUSED,		/* another 4xx */
	SEND_FAILED,		/* 5xx, and what is none of these */
	SEND_UNREADABLE,	/* the profile could not be read or converted */
	SEND_RESULTS,
};

/** send_result_name() - Return: its name in the metrics */
const char *send_result_name(enum send_result result);

/**
 * struct send_status - counters since the sender began; the agent only reads them
 * @results:	attempts, by target and result
 * @given_up:	profiles that a target refused too often
 * @waiting:	profiles that the target does not have yet
 * @wait_ns:	the current back-off
 */
struct send_status {
	struct send_target_status {
		uint64_t results[SEND_RESULTS];
		uint64_t given_up;
		uint64_t waiting;
		uint64_t wait_ns;
	} targets[SEND_TARGETS];
};

#endif
