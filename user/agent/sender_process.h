/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sender_process.h - the agent's side of the sender, which is a process of its own
 */
#ifndef KFLAME_AGENT_SENDER_PROCESS_H
#define KFLAME_AGENT_SENDER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/agent.h"
#include "agent/config.h"
#include "agent/send_status.h"

/** struct sender_process - private */
struct sender_process {
	const struct agent_options *o;
	pid_t pid;		/* 0: it does not run */
	bool wanted;		/* there is somebody to send to */
	int status_fd;
	struct send_status *status;
	uint64_t again_ns;	/* when a sender that ended is started again */
	uint64_t pause_ns;
	uint64_t starts;
};

/** sender_process_start() - starts the sender, if there is a target.  Return: 0; -1 after a message */
int sender_process_start(struct sender_process *s, const struct agent_options *o, const struct agent_config *c);

/** sender_process_reload() - starts it again with another configuration */
void sender_process_reload(struct sender_process *s, const struct agent_config *c);

/** sender_process_reap() - after SIGCHLD */
void sender_process_reap(struct sender_process *s);

/** sender_process_keep() - starts it again if that is due */
void sender_process_keep(struct sender_process *s);

/** sender_process_wake() - Return: when sender_process_keep() has something to do; UINT64_MAX */
uint64_t sender_process_wake(const struct sender_process *s);

/** sender_process_status() - Return: its counters, never NULL */
const struct send_status *sender_process_status(const struct sender_process *s);

/** sender_process_stop() - ends it */
void sender_process_stop(struct sender_process *s);

#endif
