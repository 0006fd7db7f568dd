// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * escape - test the tool's sandbox on this kernel
 *
 * usage: escape
 *
 * Runs attacks inside the sandbox.  Prints each attack that succeeded, and each property of the
 * sandboxed process that is wrong.  Exit status 1 if there was any.
 */
#include "escapes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sandbox/sandbox.h"

struct attempt {
	unsigned int may;
	pid_t stranger;
};

/* Set in the tool before it starts a sandbox: a secret in its memory */
static volatile int secret;

static void attempt(const struct sandbox_job *job)
{
	const struct attempt *a = job->question;

	if (secret)
		dprintf(job->out, "read the memory of the tool\n");
	escapes_try(job->out, a->may & CONFINEMENT_OPEN, a->stranger);
	for (;;)
		pause();
}

static const struct sandbox_work attempt_work = { .name = "attempt", .run = attempt };

/* Read the value of a line "Name:\tVALUE" of /proc/PID/status */
static void read_status(pid_t pid, const char *name, char *to, size_t size)
{
	char path[64], line[256];
	FILE *in;

	*to = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	in = fopen(path, "r");
	while (in && fgets(line, sizeof(line), in))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			snprintf(to, size, "%.*s", (int)strcspn(line + strlen(name) + 2, "\n"),
				 line + strlen(name) + 2);
	if (in)
		fclose(in);
}

static int check(pid_t pid, const char *name, const char *wanted)
{
	char is[256];

	read_status(pid, name, is, sizeof(is));
	if (!strcmp(is, wanted))
		return 0;
	printf("%s is '%s', not '%s'\n", name, is, wanted);
	return 1;
}

static int check_namespace(pid_t pid, const char *name)
{
	char path[64], its[64] = "", ours[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, name);
	if (readlink(path, its, sizeof(its) - 1) < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	if (readlink(path, ours, sizeof(ours) - 1) < 0 || strcmp(its, ours))
		return 0;
	printf("it is in our %s namespace\n", name);
	return 1;
}

/* @owner: file whose owner the sandbox runs as; @uid: the user expected for that */
static int run(unsigned int may, int owner, const char *uid)
{
	static const char *const none = "0000000000000000";
	const struct sandbox_limits limits = { .time_ns = 60000000000, .memory = 64 << 20, .files = 64,
					       .may = may };
	struct attempt a = { may, fork() };
	const struct sandbox_input input = { .fds = &owner, .nr_fds = owner >= 0, .question = &a, .len = sizeof(a),
					     .owner = owner >= 0 ? &owner : NULL };
	char text[4096] = "", uids[64];
	int bad = 0;
	struct sandbox s;
	ssize_t n = 0;

	if (!a.stranger) {
		pause();
		_exit(0);
	}
	if (sandbox_start(&s, &attempt_work, &limits, &input)) {
		printf("no sandbox\n");
		return 1;
	}
	while (!strstr(text, "tried\n")) {
		ssize_t got = sandbox_read(&s, text + n, 1, sizeof(text) - 1 - (size_t)n);

		if (got <= 0)
			break;
		n += got;
	}
	if (strcmp(text, "tried\n")) {
		printf("with %#x it could:\n%s", may, text);
		bad = 1;
	}
	snprintf(uids, sizeof(uids), "%s\t%s\t%s\t%s", uid, uid, uid, uid);
	bad |= check(s.pid, "Uid", uids) | check(s.pid, "Gid", uids) | check(s.pid, "Groups", " ");
	bad |= check(s.pid, "CapInh", none) | check(s.pid, "CapPrm", none) |
	       check(s.pid, "CapEff", none) | check(s.pid, "CapBnd", none) |
	       check(s.pid, "CapAmb", none) | check(s.pid, "NoNewPrivs", "1") |
	       check(s.pid, "Seccomp", "2");
	bad |= check_namespace(s.pid, "net") | check_namespace(s.pid, "ipc") |
	       check_namespace(s.pid, "user") | check_namespace(s.pid, "pid");
	if (!(may & CONFINEMENT_OPEN))
		bad |= check_namespace(s.pid, "mnt");
	sandbox_end(&s);
	kill(a.stranger, SIGKILL);
	waitpid(a.stranger, NULL, 0);
	return bad;
}

static void hang(const struct sandbox_job *job)
{
	(void)job;
	for (;;)
		pause();
}

static const struct sandbox_work hang_work = { .name = "hang", .run = hang };
static const struct sandbox_work *const works[] = { &attempt_work, &hang_work, NULL };

/* Does a sandbox end when the process that started it exits?  A pipe that only the sandbox can write to tells. */
static int outlives(void)
{
	const struct sandbox_limits limits = { .time_ns = 60000000000, .memory = 64 << 20, .files = 64 };
	int ends[2], status;
	const struct sandbox_input input = { .fds = &ends[1], .nr_fds = 1 };
	struct sandbox s;
	pid_t pid;
	char byte;

	if (pipe(ends))
		return 1;
	pid = fork();
	if (!pid)
		_exit(sandbox_start(&s, &hang_work, &limits, &input) ? 1 : 0);
	close(ends[1]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	/* If it survived, read() would block until the alarm kills this process */
	alarm(60);
	return read(ends[0], &byte, 1) != 0;
}

int main(void)
{
	FILE *file;
	int fd, bad;

	sandbox_main(works);
	secret = 1;
	file = tmpfile();
	fd = file ? fileno(file) : -1;
	if (fd < 0 || geteuid()) {
		fprintf(stderr, "escape: needs root, and /tmp\n");
		return 2;
	}
	bad = run(0, -1, "65534") | run(CONFINEMENT_OPEN, fd, "65534");
	bad |= fchown(fd, 1234, 1234) | run(CONFINEMENT_OPEN, fd, "1234") | run(0, fd, "1234");
	bad |= outlives();
	return bad;
}
