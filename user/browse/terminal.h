/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal.h - a screen that is a terminal, by ncurses
 *
 * What is said on standard error meanwhile would spoil the picture: it comes when the terminal is
 * closed.  It is left as it was found however the program ends, but for SIGKILL.
 */
#ifndef KFLAME_BROWSE_TERMINAL_H
#define KFLAME_BROWSE_TERMINAL_H

#include "browse/screen.h"

struct terminal;

/**
 * terminal_open() - takes over the terminal of this process
 *
 * NO_COLOR is heeded.  Signals that end the program should be handled after this: SIGINT,
 * SIGTERM, SIGHUP.
 *
 * Return: for terminal_close(); NULL, after an error message that says what to do.
 */
struct terminal *terminal_open(void);

/** terminal_close() - gives it back; takes NULL */
void terminal_close(struct terminal *t);

/** terminal_screen() - Return: what to draw on; as large as it is now */
const struct screen *terminal_screen(struct terminal *t);

/** terminal_show() - what was drawn is to be seen */
void terminal_show(struct terminal *t);

/** enum - descriptors for poll(): when one can be read, terminal_key() is to be called */
enum terminal_fd {
	TERMINAL_KEYS,
	TERMINAL_RESIZED,
};

/** terminal_fd() - Return: that one */
int terminal_fd(const struct terminal *t, enum terminal_fd which);

/** terminal_key() - Return: a character, or enum screen_key; SCREEN_NO_KEY where none waits */
int terminal_key(struct terminal *t);

/** terminal_is_gone() - Return: whether nobody is there any more who types */
bool terminal_is_gone(const struct terminal *t);

#endif
