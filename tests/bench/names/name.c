// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name.c - names a profile as 'kflame record' does at its end, and tells how long it took
 *
 * usage: name PROFILE no|all
 *
 * Prints seconds of reading the profile, of user names and of kernel names, and the number
 * of records they became.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "elf/source_lookup.h"
#include "profile/profile.h"
#include "symbols/lookup.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct profile *read_profile(const char *path)
{
	static char buffer[1 << 16];
	struct profile *p = profile_create();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (!p || fd < 0)
		err(1, "%s", path);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		if (profile_feed(p, buffer, (size_t)n))
			errx(1, "%s: is no profile", path);
	if (n < 0 || profile_finish(p))
		errx(1, "%s: cannot be read", path);
	close(fd);
	return p;
}

int main(int argc, char **argv)
{
	struct kernel_naming by = { .device = -1, .wish = SOURCE_INLINE_NO };
	enum source_inline inlines;
	struct records user = { 0 }, kernel = { 0 };
	double begin, read, named_user, named_kernel;
	struct profile *p;

	if (argc != 3)
		errx(2, "usage: name PROFILE no|all");
	begin = now();
	p = read_profile(argv[1]);
	read = now();
	inlines = strcmp(argv[2], "all") ? SOURCE_INLINE_NO : SOURCE_INLINE_ALL;
	if (naming_user(p, NULL, 0, NULL, inlines, NULL, &user))
		errx(1, "out of memory");
	named_user = now();
	if (naming_kernel(p, &by, &kernel))
		errx(1, "out of memory");
	named_kernel = now();
	printf("%.3f %.3f %.3f %" PRIu64 " %" PRIu64 "\n", read - begin, named_user - read,
	       named_kernel - named_user, user.nr, kernel.nr);
	records_exit(&user);
	records_exit(&kernel);
	profile_destroy(p);
	return 0;
}
