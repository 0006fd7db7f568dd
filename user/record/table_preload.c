// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_preload.c - predicts which files will be sampled
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "elf/elf_summary.h"
#include "record/table_cache.h"
#include "record/table_preload.h"

#define MAX_FILES	512	/* limit, because each takes a descriptor */
#define PATIENCE_NS	(2 * NS_PER_S)	/* time limit of a dynamic loader */
#define MAX_SCRIPTS	4	/* limit of nested script interpreters; the kernel allows 5 */

extern char **environ;

static bool has(const struct likely *l, dev_t dev, ino_t inode)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->all[i].dev == dev && l->all[i].inode == inode)
			return true;
	return false;
}

/* Add @fd, which the function now owns.  Return: whether the file is in the set */
static bool add(struct likely *l, int fd)
{
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && l->nr < MAX_FILES) {
		if (!has(l, st.st_dev, st.st_ino) &&
		    !grow(&l->all, l->nr, &l->cap, sizeof(*l->all))) {
			l->all[l->nr++] = (struct likely_file){ fd, st.st_dev, st.st_ino };
			return true;
		}
	}
	close(fd);
	return false;
}

static int open_file(const char *path)
{
	/* O_NONBLOCK: opening a pipe or a device must not wait for its other side */
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* ------------------------------------------------------------------ a command */

/* Search for the program as execvp() does.  Return: a descriptor; -1 */
static int find_program(const char *name, char *path, size_t room)
{
	const char *dirs = getenv("PATH");

	if (strchr(name, '/')) {
		if ((size_t)snprintf(path, room, "%s", name) >= room || access(path, X_OK))
			return -1;
		return open_file(path);
	}
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs; dirs += *dirs == ':') {
		size_t len = strcspn(dirs, ":");

		if ((size_t)snprintf(path, room, "%.*s/%s", (int)len, len ? dirs : ".", name) < room &&
		    !access(path, X_OK))
			return open_file(path);
		dirs += len;
	}
	return -1;
}

/* Read the interpreter in the first line of a script.  Return: whether there is one */
static bool script_of(int fd, char *path, size_t room)
{
	char line[PATH_MAX];
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
	char *at;

	if (n < 3 || strncmp(line, "#!", 2))
		return false;
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	at = line + 2 + strspn(line + 2, " \t");
	at[strcspn(at, " \t")] = 0;
	return *at && (size_t)snprintf(path, room, "%s", at) < room;
}

/* Parse a line of the loader, such as "\tlibc.so.6 => /lib/libc.so.6 (0x...)" */
static void add_library(struct likely *l, char *line)
{
	char *path = strchr(line, '/');

	if (!path)
		return;
	path[strcspn(path, " ")] = 0;
	add(l, open_file(path));
}

/* Read up to @room bytes within the time limit.  Return: how many */
static size_t read_in_time(int fd, char *text, size_t room)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	uint64_t until = now_ns() + PATIENCE_NS;
	size_t len = 0;
	ssize_t n = 1;

	while (n && len < room && now_ns() < until) {
		if (poll(&ready, 1, 100) <= 0)
			continue;
		n = read(fd, text + len, room - len);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	return len;
}

/* Ask the loader which libraries it would load.  It may be any program, so there is a time limit */
static void add_libraries(struct likely *l, char *loader, char *program)
{
	char *argv[] = { loader, (char *)"--list", program, NULL };
	char text[1 << 16], *rest, *line;
	posix_spawn_file_actions_t actions;
	int out[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, loader, &actions, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	text[read_in_time(out[0], text, sizeof(text) - 1)] = 0;
	close(out[0]);
	if (pid > 0)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		add_library(l, line);
}

void likely_command(struct likely *l, char *const *argv)
{
	char path[PATH_MAX], loader[PATH_MAX];
	int fd = find_program(argv[0], path, sizeof(path));

	for (int i = 0; i < MAX_SCRIPTS && fd >= 0 && script_of(fd, path, sizeof(path)); i++) {
		close(fd);
		fd = open_file(path);
	}
	if (fd < 0)
		return;
	if (elf_summary_interpreter(fd, loader, sizeof(loader))) {
		add(l, open_file(loader));
		add_libraries(l, loader, path);
	}
	add(l, fd);
}

/* ------------------------------------------------------------------ processes */

/* Is the device that of / or /usr?  Others may not answer, and an operator may want to unmount them */
static bool is_own(dev_t dev)
{
	static const char *const own[] = { "/", "/usr" };
	struct stat st;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!stat(own[i], &st) && st.st_dev == dev)
			return true;
	return false;
}

static void add_mapping(struct likely *l, pid_t pid, const char *line)
{
	unsigned long long start, end, inode;
	unsigned int major, minor;
	char perms[8], path[64];
	dev_t dev;

	if (sscanf(line, "%llx-%llx %7s %*x %x:%x %llu", &start, &end, perms, &major, &minor,
		   &inode) != 6 || perms[2] != 'x' || !inode)
		return;
	dev = makedev(major, minor);
	if (has(l, dev, (ino_t)inode) || !is_own(dev))
		return;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid, start, end);
	add(l, open_file(path));
}

void likely_process(struct likely *l, pid_t pid)
{
	uint64_t until = now_ns() + PATIENCE_NS;
	char path[64], line[PATH_MAX + 256];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && l->nr < MAX_FILES && now_ns() < until && fgets(line, sizeof(line), maps))
		add_mapping(l, pid, line);
	if (maps)
		fclose(maps);
}

void likely_running(struct likely *l, uint64_t until_ns)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;

	while (proc && l->nr < MAX_FILES && now_ns() < until_ns && (e = readdir(proc)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			likely_process(l, (pid_t)atoi(e->d_name));
	if (proc)
		closedir(proc);
}

static void add_recent(void *ctx, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !is_own(st.st_dev)))
		close(fd);
	else
		add(ctx, fd);
}

void likely_recent(struct likely *l)
{
	table_cache_recent(add_recent, l);
}

void likely_exit(struct likely *l)
{
	for (size_t i = 0; i < l->nr; i++)
		close(l->all[i].fd);
	free(l->all);
	*l = (struct likely){ 0 };
}
