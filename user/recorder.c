// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder.c - one recording, from the device to the end of the file
 *
 * One loop waits for the device, signals and the clock.  Bytes go to the file
 * as they come; what they say is kept too, for the names at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cgroup_mount.h"
#include "clock.h"
#include "message.h"
#include "recorder.h"
#include "signals.h"

#define BUFFER		(512u << 10)
#define PROGRESS_NS	500000000ull
#define RINGS_NS	1000000000ull	/* for CPUs that came */

static void fill_config(struct recorder *r, struct kflame_config *c, uint32_t *self)
{
	const struct record_options *o = r->o;

	*c = (struct kflame_config){
		.kway = o->kway, .flags = o->config_flags, .period_ns = o->period_ns,
		.entries = o->entries, .budget_permille = o->budget_permille,
		.uway = r->graph.uway, .dump = r->graph.dump, .dump_bytes = r->graph.dump_bytes,
		.nr_pids = (uint32_t)o->pids.nr, .pids = (uintptr_t)o->pids.all,
		.nr_tids = (uint32_t)o->tids.nr, .tids = (uintptr_t)o->tids.all,
		.nr_cpus = (uint32_t)o->cpus.nr, .cpus = (uintptr_t)o->cpus.all,
	};
	if (!r->command.pid || o->all_cpus || o->pids.nr || o->tids.nr || o->cgroups.nr)
		return;
	/*
	 * The command and its children: descendants of this process.  As it is
	 * their subreaper, that holds for those whose parent has ended, too.
	 */
	if (c->flags & KFLAME_CF_NO_CHILDREN) {
		*self = (uint32_t)r->command.pid;
	} else {
		*self = (uint32_t)getpid();
		c->flags |= KFLAME_CF_CHILDREN_ONLY;
	}
	c->nr_pids = 1;
	c->pids = (uintptr_t)self;
}

/* Configures with the control groups that were asked for.  Return: 0; -1, which was told */
static int configure(struct recorder *r, struct kflame_config *config)
{
	const struct cgroup_list *groups = &r->o->cgroups;
	uint32_t fds[KFLAME_MAX_CGROUPS];
	int fd = 0, err = -1;

	if (groups->nr && !(r->info.features & KFLAME_FEAT_CGROUPS)) {
		complain("this kernel has no control groups, or the module is older than this tool: leave --cgroup away, or install both from one source");
		return -1;
	}
	while (config->nr_cgroups < groups->nr) {
		fd = cgroup_open(groups->all[config->nr_cgroups]);
		if (fd < 0)
			break;
		fds[config->nr_cgroups++] = (uint32_t)fd;
	}
	config->cgroups = (uintptr_t)fds;
	if (fd >= 0)
		err = device_configure(r->device, &r->info, config);
	for (uint32_t i = 0; i < config->nr_cgroups; i++)
		close((int)fds[i]);
	return err;
}

static int prepare(struct recorder *r)
{
	struct kflame_config config;
	uint32_t self;
	bool copy;

	r->kernel = (struct kernel_naming){ .wish = r->o->inlines, .id = kernel_id_running() };
	if (r->o->vmlinux) {
		r->kernel.image = vmlinux_open(r->o->vmlinux, &r->kernel.id);
		if (!r->kernel.image)
			return -1;
	}
	r->device = device_open(r->o->device, &r->info);
	if (r->device < 0 || recorder_choose_way(r))
		return -1;
	r->buffer = malloc(BUFFER);
	r->profile = profile_new();
	copy = r->graph.dump;
	if (copy && r->profile)
		r->copies = copies_new(r->profile, &r->held);
	if (!r->buffer || !r->profile || (copy && !r->copies)) {
		complain("there is not enough memory to record");
		return -1;
	}
	if (r->o->command && command_fork(&r->command, r->o->command))
		return -1;
	r->signals = signals_open();
	if (r->signals < 0) {
		complain("signals cannot be waited for: %s", strerror(errno));
		return -1;
	}
	fill_config(r, &config, &self);
	if (configure(r, &config))
		return -1;
	recorder_prepare_tables(r);
	r->ring_bytes = config.ring_bytes;
	held_files_start(&r->held, config.flags & KFLAME_CF_HOLD_FILES ? r->device : -1,
			 recorder_offer_file, &r->tables);
	fcntl(r->device, F_SETFL, O_RDWR | O_NONBLOCK);
	return record_output_open(&r->out, r->o->output);
}

/* Keeps what was read, or made here: in the file, and in memory */
static void take(struct recorder *r, const void *data, size_t len)
{
	record_output_write(&r->out, data, len);
	if (r->deaf)
		return;
	if (profile_feed(r->profile, data, len)) {
		r->deaf = true;
		complain("the recording goes on, but its names cannot be added: %s",
			 r->profile->why[0] ? r->profile->why : "there is not enough memory");
	}
}

/*
 * Reads what there is.  Return: 1 for more to come, 0 at the end of the stream,
 * -1 for an error, which was told.
 */
static int drain(struct recorder *r)
{
	for (;;) {
		ssize_t n = read(r->device, r->buffer, BUFFER);

		if (n > 0) {
			take(r, r->buffer, (size_t)n);
			if (r->out.failed)
				return -1;
			/* Not full: what is left can wait until poll() says so */
			if ((size_t)n < BUFFER)
				return 1;
			continue;
		}
		if (!n)
			return 0;
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return 1;
		complain("%s cannot be read further: %s. What was read is kept", r->o->device,
			 strerror(errno));
		r->failed = true;
		return -1;
	}
}

/* Return: whether a signal, or the end of the command, ends the recording */
static bool take_signals(struct recorder *r)
{
	struct signal_word word;
	bool over = false;

	while (signals_take(r->signals, &word)) {
		if (word.number == SIGCHLD) {
			if (command_reap(&r->command))
				over = true;
			continue;
		}
		over = true;
		/* What the terminal sends, it sends to the command as well */
		if (!word.from_kernel)
			command_signal(&r->command, word.number);
	}
	return over;
}

/* What will be needed for names and may go away */
static void hold(struct recorder *r)
{
	if (r->deaf)
		return;
	cgroups_update(&r->cgroups, r->profile);
	perf_maps_update(&r->maps, r->profile);
	held_files_update(&r->held, r->profile);
}

/* Adds to the recording what was unwound */
static void tell_copies(struct recorder *r)
{
	struct records records = { 0 };

	copies_tell(r->copies, &records);
	if (records.failed) {
		complain("there is not enough memory for all stacks: some samples are missing");
		r->failed = true;
	}
	if (records.len)
		take(r, records.data, records.len);
	records_free(&records);
}

/* After the device was read, which tells what is mapped where */
static void unwind(struct recorder *r)
{
	uint64_t now = now_ns();

	if (!r->copies)
		return;
	if (now - r->rings_ns > RINGS_NS) {
		rings_update(&r->rings);
		r->rings_ns = now;
	}
	r->copies_ns = copies_pump(r->copies, &r->rings);
	/* A record of the module's may be cut in two by the end of what was read */
	if (copies_is_full(r->copies) && (r->deaf || profile_between(r->profile)))
		tell_copies(r);
}

/* What is left of the copies, once all is known */
static void unwind_rest(struct recorder *r)
{
	if (!r->copies)
		return;
	do {
		copies_finish(r->copies, &r->rings);
		tell_copies(r);
	} while (rings_next(&r->rings));
}

/* How long to wait for the device or a signal; false: the recording is over */
static bool time_left(const struct recorder *r, struct timespec *t)
{
	uint64_t ns = r->terminal ? PROGRESS_NS : UINT64_MAX;
	uint64_t gone = now_ns() - r->start_ns;
	uint64_t maps = perf_maps_wait(&r->maps);

	if (maps < ns)
		ns = maps;
	if (r->copies && r->copies_ns < ns)
		ns = r->copies_ns;
	if (r->o->duration_ns) {
		if (gone >= r->o->duration_ns)
			return false;
		if (r->o->duration_ns - gone < ns)
			ns = r->o->duration_ns - gone;
	}
	t->tv_sec = (time_t)(ns / 1000000000);
	t->tv_nsec = (long)(ns % 1000000000);
	return true;
}

static void record(struct recorder *r)
{
	struct pollfd fds[] = {
		{ .fd = r->device, .events = POLLIN },
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
	};
	struct timespec left;

	while (time_left(r, &left)) {
		int n;

		if (r->copies)
			fds[2].fd = copies_fd(r->copies);
		n = ppoll(fds, 3, &left, NULL);

		if (n < 0 && errno != EINTR)
			break;
		if (n > 0 && fds[0].revents && drain(r) <= 0)
			break;
		if (n > 0 && fds[1].revents && take_signals(r))
			break;
		hold(r);
		unwind(r);
		if (r->terminal)
			recorder_progress(r);
	}
}

/* The rest of the stream, after STOP */
static void drain_rest(struct recorder *r)
{
	int err = device_stop(r->device);

	if (err)
		complain("the recording cannot be stopped: %s", strerror(-err));
	if (err || r->out.failed)
		return;
	fcntl(r->device, F_SETFL, O_RDWR);
	while (drain(r) > 0)
		;
	hold(r);
}

/* A second signal leaves the command to itself */
static void wait_for_command(struct recorder *r)
{
	struct pollfd fd = { .fd = r->signals, .events = POLLIN };

	while (r->command.pid && !command_reap(&r->command)) {
		if (poll(&fd, 1, -1) < 0 && errno != EINTR)
			break;
		if (take_signals(r) && !r->command.ended)
			break;
	}
}

static int open_rings(struct recorder *r)
{
	int err = 0;

	if (r->copies)
		err = rings_open(&r->rings, r->device, r->info.nr_cpu_ids, r->ring_bytes);
	if (err)
		complain("the copies of stacks cannot be had: %s", strerror(-err));
	return err;
}

static int run(struct recorder *r)
{
	int status = 0;

	if (prepare(r))
		return 1;
	if (device_start(r->device)) {
		record_output_abandon(&r->out);
		return 1;
	}
	r->start_ns = now_ns();
	if (open_rings(r)) {
		record_output_abandon(&r->out);
		return 1;
	}
	recorder_start_tables(r);
	if (r->command.pid)
		status = command_go(&r->command);
	if (status) {
		record_output_abandon(&r->out);
		return status;
	}
	record(r);
	drain_rest(r);
	wait_for_command(r);
	held_files_finish(&r->held);
	unwind_rest(r);
	recorder_finish(r);
	r->made = !record_output_close(&r->out);
	if (!r->made)
		r->failed = true;
	recorder_summary(r);
	return r->failed ? 1 : command_status(&r->command);
}

int recorder_run(const struct record_options *o, bool *made)
{
	struct recorder r = {
		.o = o, .device = -1, .signals = -1, .out.fd = -1,
		.command = { .go = -1, .failed = -1 },
		.terminal = isatty(STDERR_FILENO),
	};
	int status = run(&r);

	if (made)
		*made = r.made;
	command_drop(&r.command);
	copies_free(r.copies);
	rings_close(&r.rings);
	held_files_free(&r.held);
	tables_stop(&r.tables);
	likely_free(&r.likely);
	perf_maps_free(&r.maps);
	cgroups_free(&r.cgroups);
	vmlinux_close(r.kernel.image);
	profile_free(r.profile);
	free(r.buffer);
	if (r.device >= 0)
		close(r.device);
	if (r.signals >= 0)
		close(r.signals);
	return status;
}
