// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * own_descriptor.c - recognise paths that name a descriptor of this process
 */
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_descriptor.h"

#define MAX_LINKS	8

/* Return: the descriptor of a path such as "/dev/fd/3", which the kernel provides as a link; else -1 */
static int number_of(const char *path)
{
	static const char *const places[] = {
		"/proc/self/fd/%9u%n", "/proc/thread-self/fd/%9u%n", "/dev/fd/%9u%n",
	};
	unsigned int number;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int end = 0;

		if (sscanf(path, places[i], &number, &end) == 1 && end && !path[end])
			return (int)number;
	}
	return -1;
}

/* Replace @path by the target of the link at @path.  Return: false if it is no link that may be followed */
static bool follow(char path[PATH_MAX])
{
	char says[PATH_MAX], copy[PATH_MAX], next[2 * PATH_MAX];
	ssize_t len = readlink(path, says, sizeof(says) - 1);
	struct stat st;

	if (len < 0 || lstat(path, &st) || (st.st_uid && st.st_uid != geteuid()))
		return false;
	says[len] = 0;
	strcpy(copy, path);
	snprintf(next, sizeof(next), "%s%s%s", says[0] == '/' ? "" : dirname(copy),
		 says[0] == '/' ? "" : "/", says);
	if (strlen(next) >= PATH_MAX)
		return false;
	strcpy(path, next);
	return true;
}

int own_descriptor(const char *path)
{
	char at[PATH_MAX];
	int links = 0, number;

	if (strlen(path) >= sizeof(at))
		return -1;
	strcpy(at, path);
	do {
		number = number_of(at);
	} while (number < 0 && links++ < MAX_LINKS && follow(at));
	return number;
}
