/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder_request.h - requests to the flight recorder, and its answers as text
 */
#ifndef RECORDER_REQUEST_H
#define RECORDER_REQUEST_H

#include <stdint.h>

struct kflame_recorder;

/**
 * recorder_request() - ask the module
 * @verb:	for messages: the action of the command line
 * @op:		KFLAME_RECORDER_*
 * @a:		the request, without .size and .op; out: the answer
 *
 * Return: 0, or -1 after an error message
 */
int recorder_request(int fd, const char *verb, uint32_t op, struct kflame_recorder *a);

/** recorder_print_status() - print an answer to standard output */
void recorder_print_status(const struct kflame_recorder *a);

#endif
