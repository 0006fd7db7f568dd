// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sender_process.c - the agent's side of the sender, which is a process of its own
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/sender_process.h"
#include "base/clock.h"
#include "base/message.h"

#define FIRST_PAUSE_NS	NS_PER_S
#define LONGEST_PAUSE_NS (60 * NS_PER_S)
#define STATUS_FD	3		/* in the sender */

extern char **environ;

/* kflame agent --send --status-fd=3 [-c FILE] [-o SETTING]... */
static char **make_arguments(const struct agent_options *o)
{
	char **argv = calloc(8 + 2 * o->nr_settings, sizeof(*argv));
	size_t n = 0;

	if (!argv)
		return NULL;
	argv[n++] = (char *)"kflame";
	argv[n++] = (char *)"agent";
	argv[n++] = (char *)"--send";
	argv[n++] = (char *)"--status-fd=3";
	if (o->config) {
		argv[n++] = (char *)"-c";
		argv[n++] = (char *)o->config;
	}
	for (size_t i = 0; i < o->nr_settings; i++) {
		argv[n++] = (char *)"-o";
		argv[n++] = o->settings[i];
	}
	return argv;
}

/* Return: 0 or a positive errno */
static int spawn(struct sender_process *s)
{
	char **argv = make_arguments(s->o);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int err;

	if (!argv)
		return ENOMEM;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	err = posix_spawn_file_actions_adddup2(&files, s->status_fd, STATUS_FD);
	if (!err)
		err = posix_spawn(&s->pid, "/proc/self/exe", &files, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	free(argv);
	if (err)
		s->pid = 0;
	else
		s->starts++;
	return err;
}

static void start_later(struct sender_process *s)
{
	s->pause_ns = s->pause_ns ? 2 * s->pause_ns : FIRST_PAUSE_NS;
	if (s->pause_ns > LONGEST_PAUSE_NS)
		s->pause_ns = LONGEST_PAUSE_NS;
	s->again_ns = now_ns() + s->pause_ns;
}

static void start(struct sender_process *s)
{
	int err = s->wanted ? spawn(s) : 0;

	s->again_ns = UINT64_MAX;
	if (!err)
		return;
	complain("the sender cannot be started: %s", strerror(err));
	start_later(s);
}

int sender_process_start(struct sender_process *s, const struct agent_options *o, const struct agent_config *c)
{
	*s = (struct sender_process){ .o = o, .wanted = c->nr_targets, .again_ns = UINT64_MAX };
	s->status_fd = memfd_create("kflame-sender", MFD_CLOEXEC);
	if (s->status_fd >= 0 && !ftruncate(s->status_fd, sizeof(*s->status)))
		s->status = mmap(NULL, sizeof(*s->status), PROT_READ | PROT_WRITE, MAP_SHARED, s->status_fd, 0);
	if (!s->status || s->status == MAP_FAILED) {
		s->status = NULL;
		complain("memory for the sender cannot be shared: %s", strerror(errno));
		return -1;
	}
	start(s);
	return 0;
}

static void end(struct sender_process *s)
{
	if (!s->pid)
		return;
	kill(s->pid, SIGTERM);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
}

void sender_process_reload(struct sender_process *s, const struct agent_config *c)
{
	end(s);
	s->wanted = c->nr_targets;
	s->pause_ns = 0;
	start(s);
}

void sender_process_reap(struct sender_process *s)
{
	int status;

	if (!s->pid || waitpid(s->pid, &status, WNOHANG) != s->pid)
		return;
	s->pid = 0;
	if (WIFSIGNALED(status))
		complain("the sender was ended by signal %d. It is started again", WTERMSIG(status));
	else
		complain("the sender ended with status %d. It is started again", WEXITSTATUS(status));
	start_later(s);
}

void sender_process_keep(struct sender_process *s)
{
	if (!s->pid && now_ns() >= s->again_ns)
		start(s);
}

uint64_t sender_process_wake(const struct sender_process *s)
{
	return s->pid ? UINT64_MAX : s->again_ns;
}

const struct send_status *sender_process_status(const struct sender_process *s)
{
	static const struct send_status none;

	return s->status ? s->status : &none;
}

void sender_process_stop(struct sender_process *s)
{
	end(s);
	if (s->status)
		munmap(s->status, sizeof(*s->status));
	if (s->status_fd > 0)
		close(s->status_fd);
	*s = (struct sender_process){ .o = NULL };
}
