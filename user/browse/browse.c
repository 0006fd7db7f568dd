// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * browse.c - report --tui: the terminal, keys and signals around the browser
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/signals.h"
#include "browse/browse.h"

int browse_keys(struct browser *b, struct terminal *t)
{
	int end = 0, key;

	browser_resize(b, terminal_screen(t)->rows);
	while (!end && (key = terminal_key(t)) != SCREEN_NO_KEY) {
		browser_resize(b, terminal_screen(t)->rows);
		end = browser_key(b, key);
	}
	if (!end && terminal_is_gone(t))
		end = 1;
	if (!end) {
		browser_draw(b, terminal_screen(t));
		terminal_show(t);
	}
	return end;
}

/* Return: the number of the signal that ended the view; 0: the user quit; a negative errno */
static int look(struct browser *b, struct terminal *t, int signals)
{
	struct pollfd fds[] = {
		{ .fd = terminal_fd(t, TERMINAL_KEYS), .events = POLLIN },
		{ .fd = terminal_fd(t, TERMINAL_RESIZED), .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	struct signal_word word;
	int end;

	while (!(end = browse_keys(b, t))) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return -errno;
		if (signals_take(signals, &word) && word.number != SIGCHLD)
			return word.number;
	}
	return end < 0 ? end : 0;
}

int browse(const struct browser_source *s, enum tree_unit unit, enum functions_sort sort)
{
	struct terminal *t = terminal_open();
	struct browser b;
	int signals, end;

	if (!t)
		return -1;
	signals = signals_open();
	end = signals < 0 ? -errno : browser_init(&b, s, unit, sort);
	if (!end) {
		end = look(&b, t, signals);
		browser_exit(&b);
	}
	terminal_close(t);
	if (signals >= 0)
		close(signals);
	if (end < 0)
		complain("looking at the profile failed: %s", strerror(-end));
	return end < 0 ? -1 : end ? 128 + end : 0;
}
