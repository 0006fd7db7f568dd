/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder_watch.h - waits until the flight recorder is frozen, and saves it
 */
#ifndef RECORDER_WATCH_H
#define RECORDER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"

/** struct recorder_watch - what to freeze the recorder for, besides the triggers of the module and SIGUSR1 */
struct recorder_watch {
	uint32_t pressure_ms[KFLAME_NR_PRESSURES];	/* by KFLAME_PRESSURE_*, waits in each second; 0: any */
	bool again;					/* continue after each profile */
};

/** recorder_watch_pressure() - parse "io:150".  Return: 0; -1 if it is malformed, or there already */
int recorder_watch_pressure(struct recorder_watch *w, const char *text);

/** recorder_watch_has_pressure() - Return: whether a pressure is watched */
bool recorder_watch_has_pressure(const struct recorder_watch *w);

/**
 * recorder_watch_run() - wait, freeze and save
 * @fd:		of the device
 * @path:	of the profile; NULL for the default
 *
 * Ends after the first profile, or with .again at SIGINT, SIGTERM or SIGHUP.
 * Return: 0, or -1 after an error message
 */
int recorder_watch_run(int fd, const struct recorder_watch *w, const char *path);

#endif
