/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.h - samples without an end, and writes a profile to the spool directory every minute
 *
 *	live_session -> profile -> spool directory -> sender, a process of its own
 *
 * The sender only reads the spool directory.  So it cannot delay sampling, whatever a server does.
 */
#ifndef KFLAME_AGENT_AGENT_H
#define KFLAME_AGENT_AGENT_H

#include <stddef.h>

/**
 * struct agent_options - the command line
 * @config:	the configuration file; NULL: AGENT_CONFIG
 * @settings:	"key=value" of -o
 */
struct agent_options {
	const char *config;
	char **settings;
	size_t nr_settings;
};

/** agent_run() - runs until SIGTERM or SIGINT.  Return: the exit status */
int agent_run(const struct agent_options *o);

/**
 * agent_check() - checks the configuration, and prints what it means
 *
 * Return: the exit status: 0; 1 if there is something wrong.
 */
int agent_check(const struct agent_options *o);

#endif
