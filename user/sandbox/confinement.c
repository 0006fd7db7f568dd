// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * confinement.c - drop the privileges of a process that parses untrusted input
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#include "sandbox/confinement.h"

/* ------------------------------------------------------------------- rights */

/*
 * Replace / by an empty file system and detach all others.  Otherwise this namespace would keep them
 * busy, and nobody could unmount them while a recording runs.  On an initramfs pivot_root(2) fails.
 * Then the process keeps /, but Landlock and seccomp still keep it from opening files.
 */
static void leave_files(void)
{
	if (!mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	    !mount("none", "/tmp", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
		   "size=4k,mode=0") &&
	    !chdir("/tmp") && !syscall(SYS_pivot_root, ".", "."))
		umount2(".", MNT_DETACH);
}

static bool write_line(const char *path, const char *format, unsigned int id)
{
	char line[64];
	int fd = open(path, O_WRONLY | O_CLOEXEC), len = snprintf(line, sizeof(line), format, id, id);
	bool done = fd >= 0 && write(fd, line, (size_t)len) == len;

	if (fd >= 0)
		close(fd);
	return done;
}

/* Map the user's own id in a new user namespace.  Without the mapping the user could not create more. */
static void enter_user_namespace(void)
{
	unsigned int uid = geteuid(), gid = getegid();

	if (!unshare(CLONE_NEWUSER) && write_line("/proc/self/uid_map", "%u %u 1\n", uid) &&
	    write_line("/proc/self/setgroups", "deny", 0))
		write_line("/proc/self/gid_map", "%u %u 1\n", gid);
}

void confinement_spaces(void)
{
	if (geteuid())
		enter_user_namespace();
	unshare(CLONE_NEWPID);
	unshare(CLONE_NEWNET);
	unshare(CLONE_NEWIPC);
}

/* Root can enter a mount namespace directly.  Other users need a new user namespace for it. */
static void leave_mounts(void)
{
	if (!unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS))
		leave_files();
}

static bool become(struct rights as)
{
	if (geteuid())
		return true;
	if (!as.uid)
		as = rights_nobody();
	return !setgroups(0, NULL) && !setresgid(as.gid, as.gid, as.gid) &&
	       !setresuid(as.uid, as.uid, as.uid);
}

/* Drop the bounding set: needs CAP_SETPCAP */
static void drop_bounds(void)
{
	for (int i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
}

/*
 * Drop all capabilities.  A user who is not root may have some from the tool's file (setcap).  The kernel
 * drops ambient capabilities with the inheritable ones.
 */
static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capset, &head, none);
}

bool confinement_rights(struct rights as, unsigned int may, bool *changed)
{
	if (!(may & CONFINEMENT_OPEN))
		leave_mounts();
	drop_bounds();
	*changed = become(as);
	/* A new user namespace grants all capabilities inside it, so drop them afterwards */
	unshare(CLONE_NEWUSER);
	drop_bounds();
	return drop_capabilities() && !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* -------------------------------------------------------------------- calls */

#if defined(LANDLOCK_ACCESS_FS_EXECUTE) && defined(SYS_landlock_create_ruleset)
/* All rights that the first version of Landlock handles */
#define ALL_OF_LANDLOCK		((uint64_t)LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1)
#define READS_OF_LANDLOCK	((uint64_t)LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

static void restrict_files(unsigned int may)
{
	struct landlock_ruleset_attr all = { .handled_access_fs = ALL_OF_LANDLOCK };
	struct landlock_path_beneath_attr read = { .allowed_access = READS_OF_LANDLOCK };
	long rules = syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	bool made = true;

	if (rules < 0)
		return;
	if (may & CONFINEMENT_OPEN) {
		read.parent_fd = open("/", O_PATH | O_CLOEXEC);
		made = !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &read, 0);
		close(read.parent_fd);
	}
	if (made)
		syscall(SYS_landlock_restrict_self, rules, 0);
	close((int)rules);
}
#else
static void restrict_files(unsigned int may)
{
	(void)may;
}
#endif

/* Calls for memory, time, open descriptors and exit */
static const int calculates[] = {
	SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(futex), SCMP_SYS(futex_time64),
	SCMP_SYS(getrandom), SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64),
	SCMP_SYS(gettimeofday), SCMP_SYS(sysinfo), SCMP_SYS(sched_yield), SCMP_SYS(getpid),
	SCMP_SYS(getppid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
	SCMP_SYS(getegid), SCMP_SYS(getgroups), SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(readv),
	SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(close),
	SCMP_SYS(fstat), SCMP_SYS(fstat64), SCMP_SYS(fcntl), SCMP_SYS(fcntl64), SCMP_SYS(dup),
	SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack), SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

/* Calls to find a file that debug data names */
static const int looks[] = {
	SCMP_SYS(stat), SCMP_SYS(stat64), SCMP_SYS(lstat), SCMP_SYS(lstat64), SCMP_SYS(newfstatat),
	SCMP_SYS(fstatat64), SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
};

static const int talks[] = {
	SCMP_SYS(recvmsg), SCMP_SYS(recvfrom), SCMP_SYS(recv), SCMP_SYS(sendmsg), SCMP_SYS(sendto),
	SCMP_SYS(send), SCMP_SYS(socketcall),
};

/* libseccomp skips calls that the architecture does not have */
static void allow(scmp_filter_ctx filter, const int *calls, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
}

static void allow_reading(scmp_filter_ctx filter)
{
	const uint64_t others = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

	seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
			 SCMP_A1(SCMP_CMP_MASKED_EQ, others, 0));
	seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
			 SCMP_A2(SCMP_CMP_MASKED_EQ, others, 0));
	allow(filter, looks, sizeof(looks) / sizeof(looks[0]));
}

static bool restrict_calls(unsigned int may)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool loaded;

	if (!filter)
		return false;
	allow(filter, calculates, sizeof(calculates) / sizeof(calculates[0]));
	/* Newer C libraries call this for fstat() */
	seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
			 SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH));
	if (may & CONFINEMENT_OPEN)
		allow_reading(filter);
	if (may & CONFINEMENT_TALK)
		allow(filter, talks, sizeof(talks) / sizeof(talks[0]));
	loaded = !seccomp_load(filter);
	seccomp_release(filter);
	return loaded;
}

bool confinement_calls(unsigned int may)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_NPROC, &none);
	restrict_files(may);
	return restrict_calls(may);
}
