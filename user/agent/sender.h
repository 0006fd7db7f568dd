/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sender.h - sends the profiles of a spool directory to servers, in a process without privileges
 *
 * Each target gets each profile, the oldest first.  A target that cannot be reached, or that is busy, is tried again
 * later, with pauses that double up to a ceiling.  Profiles stay in the spool directory, whether they were sent or not,
 * until its limits remove them.
 *
 * A profile is sent again only if no answer said that the target has it.  After a timeout the target may have it
 * nevertheless: it then sees the same id twice.
 */
#ifndef KFLAME_AGENT_SENDER_H
#define KFLAME_AGENT_SENDER_H

#include <stdbool.h>

#include "agent/agent.h"

/**
 * sender_run() - runs until a signal ends it
 * @status_fd:	memory of a struct send_status; -1: none
 * @once:	end when each target has all profiles, or has refused them for good
 *
 * Return: the exit status.
 */
int sender_run(const struct agent_options *o, int status_fd, bool once);

#endif
