/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escapes.h - what an attacker would try after taking over a parser process
 *
 * A test calls escapes_try() inside the sandbox, in place of a parser.
 */
#ifndef ESCAPES_H
#define ESCAPES_H

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static bool escapes_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The child exits at once: that it exists is the finding */
static bool escapes_fork(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(0);
	return pid > 0;
}

static bool escapes_read_memory(pid_t of)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { &byte, 1 };

	return process_vm_readv(of, &to, 1, &from, 1, 0) == 1;
}

/*
 * Write a line to @out for each attempt that succeeds, then "tried".
 * @may_open: opening world-readable files is allowed
 * @stranger: an unrelated process
 */
static void escapes_try(int out, bool may_open, pid_t stranger)
{
	const pid_t parent = getppid();
	const struct {
		const char *what;
		bool done;
	} all[] = {
		{ "read /etc/shadow", escapes_open("/etc/shadow", O_RDONLY) },
		{ "read /etc/passwd", !may_open && escapes_open("/etc/passwd", O_RDONLY) },
		{ "read its own memory's file", escapes_open("/proc/self/mem", O_RDWR) },
		{ "read the parent's memory", escapes_read_memory(parent) },
		{ "trace its parent", !ptrace(PTRACE_ATTACH, parent, NULL, NULL) },
		{ "trace a stranger", !ptrace(PTRACE_ATTACH, stranger, NULL, NULL) },
		{ "signal its parent", !kill(parent, 0) },
		{ "signal a stranger", !kill(stranger, 0) },
		{ "open a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0 },
		{ "open a local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0 },
		{ "open a netlink socket", socket(AF_NETLINK, SOCK_RAW, 0) >= 0 },
		{ "fork", escapes_fork() },
		{ "write a file", escapes_open("/tmp/kflame-escape", O_WRONLY | O_CREAT) },
		{ "make a file without a name", escapes_open("/tmp", O_RDWR | O_TMPFILE) },
		{ "make a file of memory", memfd_create("escape", 0) >= 0 },
		{ "make a directory", !mkdir("/tmp/kflame-escape.d", 0700) },
		{ "mount", !mount("none", "/tmp", "tmpfs", 0, NULL) },
		{ "have a user namespace", !unshare(CLONE_NEWUSER) },
		{ "become root", !setuid(0) },
		{ "outlive its parent", !prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) },
		{ "leave its session", setsid() >= 0 },
		{ "use keys", syscall(SYS_keyctl, 0, -3, 1, 0, 0) >= 0 },
		{ "load a program into the kernel", syscall(SYS_bpf, 5, NULL, 0) >= 0 },
		{ "run a program", execl("/bin/true", "true", NULL) >= 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].done)
			dprintf(out, "%s\n", all[i].what);
	dprintf(out, "tried\n");
}

#endif
