/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * push.h - sends one profile to one target
 */
#ifndef KFLAME_AGENT_PUSH_H
#define KFLAME_AGENT_PUSH_H

#include "agent/config.h"
#include "agent/http.h"
#include "agent/send_status.h"

/**
 * struct push - a profile on its way
 * @dir:	the spool directory, and @spool its path
 * @name:	of the file
 * @id:		of the profile
 */
struct push {
	const struct agent_config *c;
	struct http *http;
	int dir;
	const char *spool;
	const char *name;
	const char *id;
};

/**
 * push_profile() - sends a profile
 * @retry_s:	out: how long the target asks to wait; 0
 * @why:	out: why it was not sent
 *
 * A profile without samples counts as sent.
 */
enum send_result push_profile(const struct push *p, const struct send_target *target, uint64_t *retry_s, char *why,
			      size_t size);

#endif
