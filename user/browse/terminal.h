/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal.h - a screen on a terminal, drawn by ncurses
 *
 * Messages on standard error would spoil the picture: they appear when the terminal is closed.  The terminal
 * is restored however the program ends, except by SIGKILL.
 */
#ifndef KFLAME_BROWSE_TERMINAL_H
#define KFLAME_BROWSE_TERMINAL_H

#include "browse/screen.h"

struct terminal;

/**
 * terminal_open() - takes over the terminal of this process
 *
 * NO_COLOR is respected.  Install handlers for SIGINT, SIGTERM and SIGHUP after this call.
 *
 * Return: an object for terminal_close(); NULL, after an error message that says what to do.
 */
struct terminal *terminal_open(void);

/** terminal_close() - restores the terminal; NULL is allowed */
void terminal_close(struct terminal *t);

/** terminal_screen() - Return: the screen to draw on, with the present size */
const struct screen *terminal_screen(struct terminal *t);

/** terminal_show() - makes the drawn rows visible */
void terminal_show(struct terminal *t);

/** enum - descriptors for poll(): if one is readable, call terminal_key() */
enum terminal_fd {
	TERMINAL_KEYS,
	TERMINAL_RESIZED,
};

/** terminal_fd() - Return: the descriptor */
int terminal_fd(const struct terminal *t, enum terminal_fd which);

/** terminal_key() - Return: a character, or enum screen_key; SCREEN_NO_KEY if no key waits */
int terminal_key(struct terminal *t);

/** terminal_is_gone() - Return: whether the terminal was closed or hung up */
bool terminal_is_gone(const struct terminal *t);

#endif
