// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rights.c - open a file with another user's rights
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "base/rights.h"

#define NOBODY	65534

struct rights rights_nobody(void)
{
	return (struct rights){ NOBODY, NOBODY };
}

int rights_of_file(int fd, struct rights *r)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*r = (struct rights){ st.st_uid, st.st_gid };
	return 0;
}

/* Read the last of four ids: real, effective, saved, file system. See proc(5) */
static bool last_of_four(const char *text, const char *what, unsigned int *id)
{
	const char *line = strstr(text, what);

	return line && sscanf(line + strlen(what), "%*u %*u %*u %u", id) == 1;
}

int rights_of_process(pid_t pid, struct rights *r)
{
	char path[32], text[4096];
	unsigned int uid, gid;
	int len;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	len = root_read("", path, text, sizeof(text));
	if (len < 0)
		return len == -ENOENT ? -ESRCH : len;
	if (!last_of_four(text, "\nUid:", &uid) || !last_of_four(text, "\nGid:", &gid))
		return -EIO;
	*r = (struct rights){ uid, gid };
	return 0;
}

/*
 * The system call changes one thread; setgroups(3) would change all.  When the file system user changes from
 * root, the kernel drops the capabilities for files.  setfsuid(2) and setfsgid(2) report no error, so ask for the
 * ids afterwards.
 */
int rights_take(const struct rights *r)
{
	if (geteuid())
		return 0;
	if (syscall(SYS_setgroups, 0, NULL))
		return -errno;
	setfsgid(r->gid);
	setfsuid(r->uid);
	return setfsgid((gid_t)-1) == (int)r->gid && setfsuid((uid_t)-1) == (int)r->uid ? 0 : -EPERM;
}
