/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.h - the configuration file of the agent: lines of "key = value"
 *
 * A line that begins with # is a comment.  man/kflame-agent.1 lists the keys.
 */
#ifndef KFLAME_AGENT_CONFIG_H
#define KFLAME_AGENT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_CONFIG	"/etc/kflame/agent.conf"

enum send_kind {
	SEND_PYROSCOPE,		/* push.v1 of Pyroscope, JSON with pprof in it */
	SEND_OTLP,		/* OTLP profiles over HTTP */
	SEND_DIRECTORY,		/* a copy of the file in a directory */
};

/** struct send_target - where profiles are sent; @where: URL or path */
struct send_target {
	enum send_kind kind;
	char *where;
};

/** struct agent_label - what the operator says about this host, such as its zone */
struct agent_label {
	char *name;
	char *value;
};

/**
 * struct agent_config - the configuration; strings are allocated
 * @period_ns:	from "rate"
 * @interval_ns: a profile is cut this often
 * @level:	of zstd; 0: the profiles are not compressed
 * @spool:	directory of the profiles
 * @spool_bytes: largest sum of the sizes of its files
 * @spool_ns:	oldest age of its files
 * @off_file:	sampling stops while this file exists
 * @metrics:	file for the metrics; NULL: none
 * @user:	who sends; NULL: the user of the agent
 * @processes_bytes: limit of what is known about processes
 * @names_bytes: limit of the cached names of functions
 * @retry_ns:	ceiling of the back-off
 * @timeout_ns:	limit of one request
 */
struct agent_config {
	uint64_t period_ns;
	uint64_t interval_ns;
	uint32_t budget_permille;
	bool idle;
	char *device;
	char *host;
	int level;
	char *spool;
	uint64_t spool_bytes;
	uint64_t spool_ns;
	char *off_file;
	char *metrics;
	uint64_t processes_bytes;
	uint64_t names_bytes;
	struct agent_label *labels;
	size_t nr_labels, cap_labels;
	char *user;
	struct send_target *targets;
	size_t nr_targets, cap_targets;
	char *tenant;
	char *bearer_file;
	char *ca_file, *cert_file, *key_file;
	uint64_t retry_ns;
	uint64_t timeout_ns;
};

/**
 * agent_config_read() - reads a configuration file, then settings of the command line
 * @path:	the file; NULL: AGENT_CONFIG, which may be missing
 * @more:	"key=value", each replaces a setting of the file
 * @c:		out: to be freed with agent_config_exit(), also after an error
 *
 * Return: 0; -1 after a message for each wrong line.
 */
int agent_config_read(const char *path, char *const *more, size_t nr, struct agent_config *c);

/** agent_config_exit() - frees the strings */
void agent_config_exit(struct agent_config *c);

#endif
