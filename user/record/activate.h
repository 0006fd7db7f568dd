/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * activate.h - begin at an instant of the wall clock that many hosts share
 */
#ifndef ACTIVATE_H
#define ACTIVATE_H

#include <stdint.h>

/**
 * activate_parse() - parse "/10s": each time that is a multiple of 10 seconds since 1970
 * @every_ns:	out
 *
 * Return: 0; -EINVAL if it is malformed, shorter than a millisecond or longer than a day.
 */
int activate_parse(const char *text, uint64_t *every_ns);

/** activate_next() - Return: the first multiple of @every_ns after @now_ns */
uint64_t activate_next(uint64_t now_ns, uint64_t every_ns);

/**
 * activate_wait() - sleep until the next such instant, also if somebody sets the clock meanwhile
 * @every_ns:	0: do not wait
 *
 * Return: 0; -1 if SIGINT, SIGTERM or SIGHUP came (base/signals.h), without a message.
 */
int activate_wait(uint64_t every_ns);

#endif
