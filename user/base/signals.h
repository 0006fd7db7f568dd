/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.h - signals that are read like a file
 *
 * What signalfd(2) does, on kernels that are built without it (CONFIG_SIGNALFD is for
 * experts to leave out, and makers of small systems do).
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>

struct signal_word {
	int number;
	bool from_kernel;	/* a terminal's Ctrl-C, say, and no kill(2) */
};

/*
 * From here on, SIGINT, SIGTERM, SIGHUP and SIGCHLD come by a descriptor, and SIGPIPE
 * is ignored. Called again, it takes the place of the descriptor before, and what was not taken
 * from that is there. A program that is executed has them as it should.
 *
 * Return: the descriptor, for poll() and signals_take(); -1 with errno.
 */
int signals_open(void);

/* Return: whether there was one; @word is filled then */
bool signals_take(int fd, struct signal_word *word);

#endif
