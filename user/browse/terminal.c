// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * terminal.c - a screen on a terminal, drawn by ncurses
 */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/message.h"
#include "browse/terminal.h"

#define ESCAPE_MS	50	/* all bytes of a key that begins with Escape arrive within this time */

struct terminal {
	struct screen screen;
	FILE *in, *out;
	SCREEN *curses;
	int resized[2];		/* both ends of a pipe */
	int said;		/* a file that collects standard error meanwhile */
	int standard_error;	/* the original one */
	bool colors;
	bool utf8;
	bool gone;
};

/* ------------------------------------------------------------------- end */

static const int deadly[] = { SIGQUIT, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE };

/* Restore the terminal as well as a signal handler can; ncurses does the same for SIGINT */
static void give_back(int number)
{
	endwin();
	signal(number, SIG_DFL);
	raise(number);
}

static void set_deadly(void (*handler)(int))
{
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		signal(deadly[i], handler);
}

static void hold_messages(struct terminal *t)
{
	fflush(stderr);
	t->said = memfd_create("kflame-said", MFD_CLOEXEC);
	t->standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (t->said >= 0 && t->standard_error >= 0)
		dup2(t->said, STDERR_FILENO);
}

static void tell_messages(struct terminal *t)
{
	char some[4096];
	ssize_t n;

	fflush(stderr);
	if (t->standard_error >= 0) {
		dup2(t->standard_error, STDERR_FILENO);
		close(t->standard_error);
	}
	if (t->said < 0)
		return;
	lseek(t->said, 0, SEEK_SET);
	while ((n = read(t->said, some, sizeof(some))) > 0)
		if (write(STDERR_FILENO, some, (size_t)n) != n)
			break;
	close(t->said);
}

/* ----------------------------------------------------------------- resizing */

/* For the handler, which gets no argument from this program */
static int resized = -1;
static void (*of_curses)(int);

/*
 * The handler of ncurses only notes the new size for the next getch(). If the signal arrives between getch()
 * and poll(), the new size would appear only after the next key. So the pipe wakes poll().
 */
static void note_size(int number)
{
	int saved = errno;
	ssize_t n;

	of_curses(number);
	/* A full pipe wakes poll(), too */
	n = write(resized, "", 1);
	(void)n;
	errno = saved;
}

/* If the parent process ignores the signal, ncurses and this program ignore it, too */
static bool watch_size(struct terminal *t)
{
	struct sigaction action;

	if (pipe2(t->resized, O_CLOEXEC | O_NONBLOCK) || sigaction(SIGWINCH, NULL, &action))
		return false;
	if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
		return true;
	of_curses = action.sa_handler;
	resized = t->resized[1];
	action.sa_handler = note_size;
	return !sigaction(SIGWINCH, &action, NULL);
}

static void leave_size(struct terminal *t)
{
	if (resized == t->resized[1] && resized >= 0)
		signal(SIGWINCH, SIG_DFL);
	resized = -1;
	for (unsigned int i = 0; i < 2; i++)
		if (t->resized[i] >= 0)
			close(t->resized[i]);
}

/* ------------------------------------------------------------------ drawing */

static attr_t look_of(const struct terminal *t, enum screen_look look)
{
	static const attr_t plain[NR_SCREEN_LOOKS] = {
		[SCREEN_HEADING] = A_REVERSE, [SCREEN_DIM] = A_DIM, [SCREEN_HOT] = A_BOLD,
	};
	static const short pairs[NR_SCREEN_LOOKS] = {
		[SCREEN_USER] = 1, [SCREEN_KERNEL] = 2, [SCREEN_SOFTIRQ] = 3, [SCREEN_WARM] = 4,
		[SCREEN_HOT] = 5,
	};

	return plain[look] | (t->colors ? COLOR_PAIR(pairs[look]) : 0);
}

static void put(void *ctx, unsigned int row, unsigned int col, const char *text,
		enum screen_look look, bool chosen)
{
	struct terminal *t = ctx;

	attrset(look_of(t, look) | (chosen ? A_REVERSE : 0));
	move((int)row, (int)col);
	/* On a terminal without UTF-8, other bytes than ASCII would be garbage */
	for (const char *at = text; !t->utf8 && *at; at++)
		if ((*at & 0xc0) != 0x80)
			addch(*at & 0x80 ? '?' : (chtype)*at);
	if (t->utf8)
		addstr(text);
	attrset(A_NORMAL);
}

static void begin_colors(struct terminal *t)
{
	static const short colors[] = { COLOR_YELLOW, COLOR_BLUE, COLOR_MAGENTA, COLOR_GREEN,
					COLOR_RED };
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	for (short i = 0; i < (short)(sizeof(colors) / sizeof(*colors)); i++)
		init_pair((short)(i + 1), colors[i], -1);
	t->colors = true;
}

/* ------------------------------------------------------------ start, keys */

/* Open the terminal itself: standard input may be a profile, and standard output a file */
static bool open_files(struct terminal *t)
{
	bool both = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	int in, out;

	in = both ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open("/dev/tty", O_RDWR | O_CLOEXEC);
	out = both ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
		   : in < 0 ? -1 : fcntl(in, F_DUPFD_CLOEXEC, 3);
	t->in = in < 0 ? NULL : fdopen(in, "r");
	t->out = out < 0 ? NULL : fdopen(out, "w");
	return t->in && t->out;
}

static void free_terminal(struct terminal *t)
{
	leave_size(t);
	if (t->curses)
		delscreen(t->curses);
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	free(t);
}

struct terminal *terminal_open(void)
{
	struct terminal *t = calloc(1, sizeof(*t));
	const char *kind = getenv("TERM");

	if (!t) {
		complain("there is not enough memory for a screen");
		return NULL;
	}
	t->resized[0] = t->resized[1] = -1;
	setlocale(LC_CTYPE, "");
	t->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!open_files(t)) {
		complain("this needs a terminal, and there is none: leave --tui away, or give --once to kflame top");
		free_terminal(t);
		return NULL;
	}
	t->curses = newterm(NULL, t->out, t->in);
	if (!t->curses) {
		complain("the terminal '%s' (TERM) is not known here: set TERM to what it is, such as xterm or vt100",
			 kind ? kind : "");
		free_terminal(t);
		return NULL;
	}
	set_deadly(give_back);
	hold_messages(t);
	if (!watch_size(t)) {
		complain("a terminal's size cannot be followed: %s", strerror(errno));
		terminal_close(t);
		return NULL;
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	begin_colors(t);
	t->screen.ctx = t;
	t->screen.put = put;
	return t;
}

void terminal_close(struct terminal *t)
{
	if (!t)
		return;
	endwin();
	set_deadly(SIG_DFL);
	tell_messages(t);
	free_terminal(t);
}

const struct screen *terminal_screen(struct terminal *t)
{
	t->screen.rows = (unsigned int)LINES;
	t->screen.cols = (unsigned int)COLS;
	return &t->screen;
}

void terminal_show(struct terminal *t)
{
	(void)t;
	refresh();
}

int terminal_fd(const struct terminal *t, enum terminal_fd which)
{
	return which == TERMINAL_KEYS ? fileno(t->in) : t->resized[0];
}

bool terminal_is_gone(const struct terminal *t)
{
	return t->gone;
}

/* poll() reported input, but there is none: has the terminal gone? */
static void look_whether_gone(struct terminal *t)
{
	struct pollfd fd = { .fd = fileno(t->in), .events = POLLIN };

	if (poll(&fd, 1, 0) > 0 && fd.revents & (POLLHUP | POLLERR | POLLNVAL))
		t->gone = true;
}

int terminal_key(struct terminal *t)
{
	char some[64];
	int key;

	/* Empty the pipe before asking for the size: a later signal then wakes poll() again */
	while (read(t->resized[0], some, sizeof(some)) > 0)
		;
	key = getch();
	switch (key) {
	case ERR:
		look_whether_gone(t);
		return SCREEN_NO_KEY;
	case KEY_UP:
		return SCREEN_UP;
	case KEY_DOWN:
		return SCREEN_DOWN;
	case KEY_LEFT:
		return SCREEN_LEFT;
	case KEY_RIGHT:
		return SCREEN_RIGHT;
	case KEY_PPAGE:
		return SCREEN_PAGE_UP;
	case KEY_NPAGE:
		return SCREEN_PAGE_DOWN;
	case KEY_HOME:
		return SCREEN_HOME;
	case KEY_END:
		return SCREEN_END;
	case KEY_ENTER:
	case '\r':
	case '\n':
		return SCREEN_ENTER;
	case KEY_BACKSPACE:
	case 0x7f:
	case 0x08:
		return SCREEN_BACK;
	case 0x1b:
		return SCREEN_ESCAPE;
	case KEY_RESIZE:
		return SCREEN_RESIZED;
	}
	/* Ignore other keys; 0 is not used */
	return key > 0 && key < 0x7f ? key : 0;
}
