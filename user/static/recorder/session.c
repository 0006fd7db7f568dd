// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session.c - one recording of the static recorder
 *
 * The stream goes to the file as it comes.  The profile in memory keeps only addresses: names of kernel functions
 * are added at the end, because no other machine has them.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/signals.h"
#include "base/stream_file.h"
#include "base/version.h"
#include "device/device.h"
#include "profile/addresses.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "record/child_command.h"
#include "recorder/session.h"
#include "symbols/kallsyms.h"

#define BUFFER	(64u << 10)

struct session {
	const struct session_options *o;
	struct kflame_info info;
	struct command_run command;
	struct record_output out;
	struct profile *profile;
	unsigned char *buffer;
	int device;
	int signals;
	uint64_t until_ns;	/* 0: no limit */
	bool deaf;		/* the profile could not be kept in memory: no names */
	bool failed;		/* an error was reported */
};

/* Samples the command and its children, as the tool does: this process is their subreaper */
static int configure(struct session *s)
{
	const struct session_options *o = s->o;
	uint32_t self = (uint32_t)getpid();
	struct kflame_config c = {
		.flags = o->flags, .period_ns = o->period_ns, .entries = o->entries, .uway = KFLAME_UWAY_FP,
		.budget_permille = 50, .nr_pids = o->nr_pids, .pids = (uintptr_t)o->pids,
	};

	if (s->command.pid && !o->all_cpus && !o->nr_pids) {
		c.flags |= KFLAME_CF_CHILDREN_ONLY;
		c.nr_pids = 1;
		c.pids = (uintptr_t)&self;
	}
	return device_configure(s->device, &s->info, &c);
}

/* Return: 0; -1 after a message */
static int prepare(struct session *s)
{
	s->device = device_open(KFLAME_DEVICE, &s->info);
	if (s->device < 0)
		return -1;
	s->buffer = malloc(BUFFER);
	s->profile = profile_create();
	if (!s->buffer || !s->profile || profile_leave_out_stacks(s->profile)) {
		complain("there is not enough memory to record");
		return -1;
	}
	if (s->o->command && command_fork(&s->command, s->o->command))
		return -1;
	s->signals = signals_open();
	if (s->signals < 0) {
		complain("signals cannot be waited for: %s", strerror(errno));
		return -1;
	}
	if (configure(s))
		return -1;
	fcntl(s->device, F_SETFL, O_RDWR | O_NONBLOCK);
	return record_output_open(&s->out, s->o->output, "kflame.data");
}

/* Return: 1: more may follow; 0: end of the stream; -1: error, after a message */
static int drain(struct session *s)
{
	ssize_t n;

	do {
		n = read(s->device, s->buffer, BUFFER);
		if (n > 0 && record_output_write(&s->out, s->buffer, (size_t)n))
			return -1;
		if (n > 0 && !s->deaf && profile_feed(s->profile, s->buffer, (size_t)n)) {
			s->deaf = true;
			complain("the recording goes on, but its kernel functions will have no names: %s",
				 s->profile->why[0] ? s->profile->why : "there is not enough memory");
		}
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (!n || errno == EAGAIN)
		return n ? 1 : 0;
	complain("%s cannot be read further: %s. What was read is kept", KFLAME_DEVICE, strerror(errno));
	s->failed = true;
	return -1;
}

/* Return: whether a signal, or the end of the command, ends the recording */
static bool take_signals(struct session *s)
{
	struct signal_word word;
	bool over = false;

	while (signals_take(s->signals, &word)) {
		if (word.number == SIGCHLD) {
			over |= command_reap(&s->command);
			continue;
		}
		over = true;
		/* The terminal sends its signals to the command, too */
		if (!word.from_kernel)
			command_signal(&s->command, word.number);
	}
	return over;
}

/* Milliseconds to wait for the device; -1: without end.  Return: false if the time is up */
static bool time_left(const struct session *s, int *ms)
{
	uint64_t now = now_ns(), most = 1000000 * NS_PER_S;

	*ms = -1;
	if (!s->until_ns)
		return true;
	if (now >= s->until_ns)
		return false;
	if (s->until_ns - now < most)
		most = s->until_ns - now;
	*ms = (int)(most / 1000000) + 1;
	return true;
}

static void record(struct session *s)
{
	struct pollfd fds[] = {
		{ .fd = s->device, .events = POLLIN },
		{ .fd = s->signals, .events = POLLIN },
	};
	int ms;

	while (time_left(s, &ms)) {
		int n = poll(fds, 2, ms);

		if (n < 0 && errno != EINTR)
			break;
		if (n > 0 && fds[0].revents && drain(s) <= 0)
			break;
		if (n > 0 && fds[1].revents && take_signals(s))
			break;
	}
}

static void drain_rest(struct session *s)
{
	int err = device_stop(s->device);

	if (err) {
		complain("the recording cannot be stopped: %s", strerror(-err));
		s->failed = true;
		return;
	}
	fcntl(s->device, F_SETFL, O_RDWR);
	while (!s->out.failed && drain(s) > 0)
		;
}

/* Adds the names of kernel functions.  Return: 0 or -ENOMEM */
static int name_kernel(struct session *s, struct records *to)
{
	struct profile_addresses *a = s->profile->addresses;
	struct kernel_symbols *k;
	uint64_t start, end = 0;

	profile_addresses_settle(a);
	if (!a->nr_kernel)
		return 0;
	if (kernel_symbols_load(s->device, &k))
		return -ENOMEM;
	for (size_t i = 0; i < a->nr_kernel; i++) {
		const char *name = a->kernel[i] < end ? NULL : kernel_symbols_find(k, a->kernel[i], &start, &end);

		if (name)
			records_ksym(to, start, end, name);
	}
	kernel_symbols_destroy(k);
	return 0;
}

/* "host=" and "tool=", each with a NUL at its end: see struct kflame_rec_host */
static void add_host(struct records *to)
{
	char name[256] = "", text[512];
	int len;

	if (gethostname(name, sizeof(name) - 1))
		name[0] = 0;
	len = snprintf(text, sizeof(text), "host=%s%ctool=%s (kflame-record)", name, 0, kflame_version);
	if (len > 0 && (size_t)len < sizeof(text))
		records_host(to, text, (size_t)len + 1);
}

static void finish(struct session *s)
{
	struct records more = { 0 };

	if (s->deaf || s->out.failed || s->failed)
		return;
	if (profile_finish(s->profile)) {
		complain("the module's stream makes no sense: %s", s->profile->why);
		s->failed = true;
		return;
	}
	if (name_kernel(s, &more))
		more.failed = true;
	add_host(&more);
	if (!more.failed)
		records_end(&more, s->profile->records);
	if (more.failed) {
		complain("there is not enough memory to add names to %s; the samples are in it", s->out.path);
		s->failed = true;
	}
	record_output_write(&s->out, more.data, more.len);
	records_exit(&more);
}

static void summary(const struct session *s)
{
	struct kflame_stats stats;
	uint64_t lost = 0;

	if (device_stats(s->device, 0, &stats))
		return;
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (i != KFLAME_LOST_FILTER && i != KFLAME_LOST_IDLE && i != KFLAME_LOST_LENGTH)
			lost += stats.books.lost[i];
	fprintf(stderr, "kflame: %" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64 " kB in %s%s\n",
		(uint64_t)stats.books.counted, lost, s->out.bytes / 1000, s->out.path,
		s->out.failed ? ": not all of them" : "");
}

static int run(struct session *s)
{
	int status = 0;

	if (prepare(s))
		return 1;
	if (device_start(s->device)) {
		record_output_abandon(&s->out);
		return 1;
	}
	s->until_ns = s->o->duration_ns ? now_ns() + s->o->duration_ns : 0;
	if (s->command.pid)
		status = command_go(&s->command);
	if (status) {
		record_output_abandon(&s->out);
		return status;
	}
	record(s);
	drain_rest(s);
	finish(s);
	if (record_output_close(&s->out))
		s->failed = true;
	summary(s);
	return s->failed ? 1 : s->command.ended ? command_status(&s->command) : 0;
}

int session_run(const struct session_options *o)
{
	struct session s = { .o = o, .device = -1, .signals = -1, .out.fd = -1,
			     .command = { .go = -1, .failed = -1 } };
	int status = run(&s);

	command_drop(&s.command);
	profile_destroy(s.profile);
	free(s.buffer);
	if (s.device >= 0)
		close(s.device);
	if (s.signals >= 0)
		close(s.signals);
	return status;
}

/* Return: what to do about an error of read(2) */
static const char *help_read(int error)
{
	if (error == ENODATA)
		return "The module samples by itself only if it was loaded with autostart=1";
	if (error == ENOMEM)
		return "The sampling itself takes most of what the module may take: load it with a smaller entries=, or a larger memory_cap=";
	return "What was read is kept";
}

int session_cat(const char *output)
{
	struct record_output out = { .fd = -1 };
	int device = open(KFLAME_DEVICE, O_RDONLY | O_CLOEXEC), status = 0;
	char buffer[4096];
	ssize_t n;

	if (device < 0) {
		complain("cannot open %s: %s. Load the module as root: insmod kflame.ko autostart=1", KFLAME_DEVICE,
			 strerror(errno));
		return 1;
	}
	if (record_output_open(&out, output, "kflame.data")) {
		close(device);
		return 1;
	}
	do {
		n = read(device, buffer, sizeof(buffer));
		if (n > 0 && record_output_write(&out, buffer, (size_t)n))
			break;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0) {
		complain("cannot read %s: %s. %s", KFLAME_DEVICE, strerror(errno), help_read(errno));
		status = 1;
	}
	close(device);
	return record_output_close(&out) || status ? 1 : 0;
}
