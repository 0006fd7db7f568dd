/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder_save.h - writes the flight recorder to a file
 */
#ifndef RECORDER_SAVE_H
#define RECORDER_SAVE_H

/**
 * recorder_save() - save it; a recorder that runs is frozen meanwhile
 * @fd:		of the device
 * @path:	NULL for the default, - for standard output
 *
 * Return: 0, or -1 after an error message
 */
int recorder_save(int fd, const char *path);

/** recorder_save_frozen() - the same of a frozen recorder, which stays frozen */
int recorder_save_frozen(const char *path);

#endif
