/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_command.h - runs a command as main() does, in the current directory, and catches what it says
 */
#ifndef KFLAME_RUN_COMMAND_H
#define KFLAME_RUN_COMMAND_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "children.h"
#include "cmd/commands.h"
#include "golden.h"
#include "hush.h"

/* What the last one said on standard error; it is in the file "said" as well */
static char said[8192];

/** run() - "kflame ARGUMENTS", which blanks separate.  Return: its exit status */
static inline int run(int (*cmd)(int, char **), const char *arguments)
{
	char line[512], *argv[32] = { NULL }, *save;
	int argc = 0, status, saved, fd;
	ssize_t len;

	snprintf(line, sizeof(line), "kflame %s", arguments);
	for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	saved = hush();
	fd = open("said", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	dup2(fd, STDERR_FILENO);
	status = cmd(argc, argv);
	unhush(saved);
	len = pread(fd, said, sizeof(said) - 1, 0);
	close(fd);
	assert_true(len >= 0);
	said[len] = 0;
	return status;
}

static inline void write_file(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static inline void assert_out(const char *path, const char *want)
{
	char *text = golden_read(path);

	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

static inline void assert_has(const char *path, const char *part, bool wanted)
{
	char *text = golden_read(path);

	assert_non_null(text);
	if (!strstr(text, part) == wanted)
		fail_msg("%s %s: %s", path, wanted ? "lacks" : "has", part);
	free(text);
}

/** assert_refused() - another process parses a wrong command line, and says @why */
static inline void assert_refused(int (*cmd)(int, char **), const char *arguments, const char *why)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(run(cmd, arguments));
	assert_int_equal(exit_status(pid), 2);
	assert_has("said", why, true);
}

static char scratch[] = "/tmp/kflame-test-XXXXXX";

/** enter_scratch() - makes a directory for the files of the test, which becomes the current one */
static inline void enter_scratch(void)
{
	assert_non_null(mkdtemp(scratch));
	assert_int_equal(chdir(scratch), 0);
}

/** leave_scratch() - a teardown: removes that directory */
static inline int leave_scratch(void **state)
{
	char line[64];

	*state = NULL;
	snprintf(line, sizeof(line), "rm -rf %s", scratch);
	return chdir("/") || system(line);
}

#endif
