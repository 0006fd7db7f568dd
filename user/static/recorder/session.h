/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - one recording of the static recorder, from opening the device to the end of the file
 */
#ifndef KFLAME_RECORDER_SESSION_H
#define KFLAME_RECORDER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/**
 * struct session_options - what the operator asked for
 * @pids:	processes to sample; none: the command, or all CPUs
 * @command:	NULL terminated, part of argv; NULL for none
 */
struct session_options {
	uint64_t period_ns;
	uint64_t duration_ns;	/* 0: until a signal, or the end of the command */
	uint64_t flags;		/* KFLAME_CF_* */
	uint32_t entries;	/* 0: the module's default */
	uint32_t pids[KFLAME_MAX_FILTER];
	uint32_t nr_pids;
	bool all_cpus;		/* sample all CPUs even if there is a command */
	const char *output;
	char **command;
};

/** session_run() - records, and reports the result on standard error.  Return: the exit status */
int session_run(const struct session_options *o);

/** session_cat() - copies the device's stream to a file: all since insmod.  Return: the exit status */
int session_cat(const char *output);

#endif
