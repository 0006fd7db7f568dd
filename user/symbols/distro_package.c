// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * distro_package.c - finds the distribution package with the symbols of a file
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/distro_package.h"

extern char **environ;

/* Starts a program with its standard output in a pipe.  Its stdin and stderr are /dev/null.
 * Return: 0 or an errno
 */
static int start(const char *const argv[], pid_t *pid, int *from)
{
	posix_spawn_file_actions_t actions;
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	err = posix_spawn_file_actions_init(&actions);
	if (!err) {
		err = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		if (!err)
			err = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
		if (!err)
			err = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY,
							       0);
		if (!err)
			err = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv,
					   environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (err)
		close(ends[0]);
	*from = ends[0];
	return err;
}

/*
 * Runs a program.  Return: the first line of its output that does not begin with @but, to be freed; NULL
 * if the program fails.
 */
static char *first_line(const char *const argv[], const char *but)
{
	char *line = NULL;
	size_t cap = 0;
	int from = -1, status;
	FILE *in;
	pid_t pid;

	if (start(argv, &pid, &from))
		return NULL;
	in = fdopen(from, "r");
	do
		if (!in || getline(&line, &cap, in) < 0) {
			free(line);
			line = NULL;
		}
	while (line && !strncmp(line, but, strlen(but)));
	/* Read the rest of the output. Otherwise the program could block on a full pipe. */
	while (in && fgetc(in) != EOF)
		;
	if (in)
		fclose(in);
	else
		close(from);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (line && WIFEXITED(status) && !WEXITSTATUS(status)) {
		line[strcspn(line, "\n")] = 0;
		return line;
	}
	free(line);
	return NULL;
}

/* dpkg-query prints "libc6:amd64: /usr/lib/..." */
static char *ask_dpkg(const char *path)
{
	char *line = first_line((const char *const[]){ "dpkg-query", "-S", "--", path, NULL },
				"diversion by ");
	char *result = NULL;

	if (!line)
		return NULL;
	line[strcspn(line, ":, ")] = 0;
	/* libc6 is the exception: its debug package does not end in -dbgsym. */
	if (!strcmp(line, "libc6"))
		result = strdup("libc6-dbg");
	else if (*line && asprintf(&result, "%s-dbgsym", line) < 0)
		result = NULL;
	free(line);
	return result;
}

static char *ask_rpm(const char *path)
{
	char *line = first_line((const char *const[]){ "rpm", "-qf", "--qf", "%{NAME}\n", "--",
						       path, NULL }, "file ");
	char *result = NULL;

	if (line && *line && asprintf(&result, "%s-debuginfo", line) < 0)
		result = NULL;
	free(line);
	return result;
}

char *package_with_symbols(const char *path)
{
	char *name;

	/* dpkg would treat these characters as a pattern. */
	if (*path != '/' || strpbrk(path, "*?[\\"))
		return NULL;
	name = ask_dpkg(path);
	/* If /lib is a link to /usr/lib, the package may list either path. */
	if (!name && !strncmp(path, "/usr/", 5))
		name = ask_dpkg(path + 4);
	return name ? name : ask_rpm(path);
}
