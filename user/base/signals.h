/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h - read signals from a descriptor
 *
 * This does what signalfd(2) does.  Kernels for small systems may be built without signalfd
 * (CONFIG_SIGNALFD).
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>

struct signal_word {
	int number;
	bool from_kernel;	/* for example Ctrl-C in a terminal; false for kill(2) */
};

/**
 * signals_open() - read SIGINT, SIGTERM, SIGHUP and SIGCHLD from a descriptor, and ignore SIGPIPE and SIGXFSZ
 *
 * A second call replaces the first descriptor.  Signals that were not taken from the first descriptor are
 * then in the second one.  execve(2) resets the handlers, but SIGPIPE and SIGXFSZ stay ignored.  So fork a
 * command before this call.
 *
 * Return: a descriptor for poll() and signals_take(); -1 with errno.
 */
int signals_open(void);

/** signals_take() - take the next signal.  Return: whether there was one, in @word */
bool signals_take(int fd, struct signal_word *word);

/** signals_end() - Return: whether SIGINT, SIGTERM or SIGHUP came and was not taken */
bool signals_end(void);

#endif
