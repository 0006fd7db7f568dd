// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_root_walk.c - symbolic links below a directory that stands for /
 *
 * root_walk() must open what openat2() opens with RESOLVE_IN_ROOT, where the kernel of this machine has it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/chroot_open.h"
#include "base/root_walk.h"

static char dir[] = "/tmp/kflame-test-XXXXXX";
static char root[64];

/* What is read from the file at @path: its first word; or why it cannot be read */
static void check(const char *path, int flags, const char *expected)
{
	char text[64] = "";
	int fd = root_walk(root, path, flags), other = root_open(root, path, flags);

	assert_int_equal(fd < 0 ? fd : 0, other < 0 ? other : 0);
	if (fd >= 0) {
		ssize_t n = read(fd, text, sizeof(text) - 1);

		if (n < 0)
			strcpy(text, strerrorname_np(errno));
		close(fd);
	} else {
		strcpy(text, strerrorname_np(-fd));
	}
	if (other >= 0)
		close(other);
	assert_string_equal(text, expected);
}

static int set_up(void **state)
{
	char command[1024];
	(void)state;

	assert_non_null(mkdtemp(dir));
	snprintf(root, sizeof(root), "%s/root", dir);
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p root/a/b root/tmp && printf outside >secret && printf inside >root/a/b/file &&"
		 "printf decoy >root/secret && cd root && ln -s /a/b absolute && ln -s ../../a/b/file a/b/again &&"
		 "ln -s %s/secret out && ln -s ../../../../../../secret up && ln -s .. a/parent && ln -s loop loop &&"
		 "ln -s absolute/file file && ln -s / a/top && ln -s nowhere dangling", dir, dir);
	return system(command);
}

static int tear_down(void **state)
{
	char command[64];
	(void)state;

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void inside(void **state)
{
	(void)state;
	check("/a/b/file", O_RDONLY, "inside");
	check("a//b/./file", O_RDONLY, "inside");
	check("/absolute/file", O_RDONLY, "inside");
	check("/file", O_RDONLY, "inside");
	check("/a/b/again", O_RDONLY, "inside");
	check("/a/top/a/parent/absolute/../b/file", O_RDONLY, "inside");
	check("/file", O_RDONLY | O_NOFOLLOW, "ELOOP");
	check("/file", O_PATH | O_NOFOLLOW, "EBADF");
	check("/absolute/file", O_RDONLY | O_NOFOLLOW, "inside");
	check("/", O_RDONLY | O_DIRECTORY, "EISDIR");
	check("/absolute", O_RDONLY | O_DIRECTORY, "EISDIR");
	check("/a/b/file", O_RDONLY | O_DIRECTORY, "ENOTDIR");
}

/* Each would read the file "secret" beside the root, if it led out */
static void never_outside(void **state)
{
	(void)state;
	check("/out", O_RDONLY, "ENOENT");
	check("/up", O_RDONLY, "decoy");
	check("/../secret", O_RDONLY, "decoy");
	check("/a/parent/../../secret", O_RDONLY, "decoy");
	check("/absolute/../../../secret", O_RDONLY, "decoy");
}

static void errors(void **state)
{
	char name[300] = "/";
	(void)state;

	check("/loop", O_RDONLY, "ELOOP");
	check("/dangling", O_RDONLY, "ENOENT");
	check("/a/none/file", O_RDONLY, "ENOENT");
	check("/a/b/file/more", O_RDONLY, "ENOTDIR");
	memset(name + 1, 'x', sizeof(name) - 2);
	check(name, O_RDONLY, "ENAMETOOLONG");
	assert_int_equal(root_walk("/nowhere/at/all", "/x", O_RDONLY), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inside),
		cmocka_unit_test(never_outside),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests_name("root walk", tests, set_up, tear_down);
}
