// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder.c - runs one recording, from opening the device to the end of the file
 *
 * One loop waits for the device, signals and the clock.  It writes the stream to the file at once. It keeps
 * the mappings and the addresses in memory, because the names at the end need them. If the file can be read
 * again, the latest samples are read from it only after the recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/signals.h"
#include "record/activate.h"
#include "record/recorder.h"
#include "sandbox/sandbox.h"

/* Small enough to stay in the CPU cache; a record takes at most a tenth of it, mostly */
#define BUFFER		(128u << 10)
/* Limit of the unread samples. They are read at the end, which must not take minutes after a day */
#define PUT_OFF		(64u << 20)
#define PUT_OFF_STEP	(1u << 20)
#define PROGRESS_NS	500000000ull
#define RINGS_NS	1000000000ull	/* how often CPUs that came online are looked for */
/* The module wakes the recorder every five seconds. Results of copies are written at least as often */
#define TELL_NS		4000000000ull

/* By default, copies of late stacks are optional: record without them if they cannot work */
static void do_without_copies(struct recorder *r)
{
	copies_destroy(r->copies);
	r->copies = NULL;
	r->graph.dump = KFLAME_DUMP_NONE;
}

static int prepare(struct recorder *r)
{
	struct kflame_config config;

	r->kernel = (struct kernel_naming){ .wish = r->o->inlines, .id = kernel_id_running() };
	if (r->o->vmlinux) {
		r->kernel.image = vmlinux_open(r->o->vmlinux, &r->kernel.id);
		if (!r->kernel.image)
			return -1;
	}
	r->device = device_open(r->o->device, &r->info);
	if (r->device < 0 || recorder_choose_way(r))
		return -1;
	/* Before the command is forked.  If this fails, the first user of a sandbox reports it */
	sandbox_prepare();
	r->buffer = malloc(BUFFER);
	r->profile = profile_create();
	/* An observer needs the stacks.  The names at the end need only their addresses */
	if (r->profile && !r->watch && profile_leave_out_stacks(r->profile)) {
		profile_destroy(r->profile);
		r->profile = NULL;
	}
	if (r->graph.dump && r->profile)
		r->copies = copies_create(r->profile, &r->held);
	if (!r->copies && r->graph.uway == KFLAME_UWAY_AUTO)
		do_without_copies(r);
	if (!r->buffer || !r->profile || (r->graph.dump && !r->copies)) {
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
	if (recorder_configure(r, &config))
		return -1;
	if (!config.dump)
		do_without_copies(r);
	recorder_prepare_tables(r);
	r->ring_bytes = config.ring_bytes;
	held_files_start(&r->held, config.flags & KFLAME_CF_HOLD_FILES ? r->device : -1, r->graph.dump,
			 recorder_offer_file, &r->tables);
	fcntl(r->device, F_SETFL, O_RDWR | O_NONBLOCK);
	if (record_output_open(&r->out, r->o->output, "kflame.data"))
		return -1;
	if (!r->watch && record_output_file(&r->out) >= 0)
		profile_put_off_samples(r->profile);
	return 0;
}

static void tell_unread(const struct recorder *r, int err)
{
	if (err == -ENOMEM)
		complain("there is not enough memory to add names to %s; the samples are in it",
			 r->out.path);
	else if (err == ENODATA || err == -EILSEQ)
		complain("%s was changed by somebody else while it was recorded: no names can be added to it",
			 r->out.path);
	else
		complain("%s cannot be read to add names to it: %s. What was written is kept",
			 r->out.path, strerror(err));
}

/* Read the deferred samples from the file, except those in its last @leave bytes: see prepare() */
static void take_samples(struct recorder *r, uint64_t leave)
{
	int err;

	if (r->deaf || r->out.failed || profile_put_off(r->profile) <= leave)
		return;
	err = profile_take_samples(r->profile, record_output_file(&r->out), r->out.bytes - leave);
	if (!err)
		return;
	r->deaf = true;
	r->failed = true;
	/* If syncing the output fails, it reports the error: the file never got all data */
	if ((err != ENODATA && err != -EILSEQ) || !record_output_sync(&r->out))
		tell_unread(r, err);
}

/* Add data of the module or of the tool to the file, and to the profile in memory */
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
	if (profile_put_off(r->profile) > PUT_OFF + PUT_OFF_STEP)
		take_samples(r, PUT_OFF);
}

/*
 * Read what the module has now.  Return: 1: more may follow; 0: end of the stream;
 * -1: error, after an error message.
 */
static int drain(struct recorder *r)
{
	for (;;) {
		ssize_t n = read(r->device, r->buffer, BUFFER);

		if (n > 0) {
			take(r, r->buffer, (size_t)n);
			if (r->out.failed)
				return -1;
			/* The buffer is not full: poll() reports when there is more */
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
		/* The terminal sends its signals to the command, too */
		if (!word.from_kernel)
			command_signal(&r->command, word.number);
	}
	return over;
}

/* Open what the names at the end need, while it exists */
static void hold(struct recorder *r)
{
	if (r->deaf)
		return;
	cgroups_update(&r->cgroups, r->profile);
	perf_maps_update(&r->maps, r->profile);
	held_files_update(&r->held, r->profile);
}

/* Write the results of the copies to the recording */
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
	records_exit(&records);
}

/* Call it after the device was read: the stream reports the mappings that unwinding needs */
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
	/* The last read may end within a record of the module: write only between two records */
	if ((copies_is_full(r->copies) || now - r->told_ns > TELL_NS) &&
	    (r->deaf || profile_between(r->profile))) {
		tell_copies(r);
		r->told_ns = now;
	}
}

/* Unwind the remaining copies, once the profile is complete */
static void unwind_rest(struct recorder *r)
{
	int err;

	if (!r->copies)
		return;
	/* A CPU may have come online since the last look, with copies in its ring */
	err = rings_update(&r->rings);
	if (err) {
		complain("the copies of stacks of a CPU that came online cannot be read: %s. Their samples are missing",
			 strerror(-err));
		r->failed = true;
	}
	do {
		copies_finish(r->copies, &r->rings);
		tell_copies(r);
	} while (rings_next(&r->rings));
}

/* Read the rest of the stream, after STOP.  Return: 0; -1, after an error message */
static int drain_rest(struct recorder *r)
{
	int err = device_stop(r->device), more;

	if (err)
		complain("the recording cannot be stopped: %s", strerror(-err));
	if (err || r->out.failed)
		return -1;
	fcntl(r->device, F_SETFL, O_RDWR);
	do
		more = drain(r);
	while (more > 0);
	hold(r);
	return more;
}

static uint64_t watch_left(const struct recorder *r)
{
	uint64_t now = now_ns();

	return now < r->watch_ns ? r->watch_ns - now : 0;
}

/*
 * Pass the new samples to the observer, if there is one.  The module returns a table when it is full or some
 * seconds old.  STOP makes it return all tables at once.  Return: whether the recording ends.
 */
static bool look_on(struct recorder *r)
{
	const struct recorder_watch *w = r->watch;
	int err;

	if (!w)
		return false;
	if (watch_left(r))
		return w->awake(w->ctx);
	err = w->gapless ? 0 : drain_rest(r);
	if (err)
		r->failed = true;
	if (err || w->fresh(w->ctx, r) || w->awake(w->ctx))
		return true;
	if (!w->gapless) {
		fcntl(r->device, F_SETFL, O_RDWR | O_NONBLOCK);
		r->failed = device_start(r->device);
	}
	r->watch_ns = now_ns() + w->every_ns;
	return r->failed;
}

/* @t: how long to wait for the device or a signal.  Return: false if the time is up */
static bool time_left(const struct recorder *r, struct timespec *t)
{
	uint64_t ns = r->terminal ? PROGRESS_NS : UINT64_MAX;
	uint64_t gone = now_ns() - r->start_ns;
	uint64_t maps = perf_maps_wait(&r->maps);

	if (maps < ns)
		ns = maps;
	if (r->copies && r->copies_ns < ns)
		ns = r->copies_ns;
	if (r->chosen.nr && ns > CHOSEN_CGROUPS_NS)
		ns = CHOSEN_CGROUPS_NS;
	if (r->watch && watch_left(r) < ns)
		ns = watch_left(r);
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
		{ .fd = r->watch ? r->watch->fds[0] : -1, .events = POLLIN },
		{ .fd = r->watch ? r->watch->fds[1] : -1, .events = POLLIN },
	};
	struct timespec left;

	while (time_left(r, &left)) {
		int n;

		if (r->copies)
			fds[2].fd = copies_fd(r->copies);
		n = ppoll(fds, sizeof(fds) / sizeof(*fds), &left, NULL);

		if (n < 0 && errno != EINTR)
			break;
		if (n > 0 && fds[0].revents && drain(r) <= 0)
			break;
		if (n > 0 && fds[1].revents && take_signals(r))
			break;
		chosen_cgroups_follow(&r->chosen, r->device, r->info.features, now_ns());
		hold(r);
		unwind(r);
		if (look_on(r))
			break;
		if (r->terminal)
			recorder_progress(r);
	}
}

/* Wait for the command to end; a second signal stops the wait */
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
		err = rings_open(&r->rings, r->device, r->info.cpu_limit, r->ring_bytes);
	if (err)
		complain("the copies of stacks cannot be read: %s", strerror(-err));
	r->rings.listen = r->o->listen;
	r->rings.listen_ctx = r->o->listen_ctx;
	return err;
}

static int run(struct recorder *r)
{
	int status = 0;

	if (prepare(r))
		return 1;
	if (activate_wait(r->o->activate_ns) || device_start(r->device)) {
		record_output_abandon(&r->out);
		return 1;
	}
	r->start_ns = now_ns();
	r->watch_ns = r->watch ? r->start_ns + r->watch->every_ns : 0;
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
	/* The observer has seen all samples: write no file */
	if (r->watch)
		return r->failed;
	r->stop_ns = now_ns();
	chosen_cgroups_look(&r->chosen, r->device, r->info.features, r->stop_ns);
	drain_rest(r);
	wait_for_command(r);
	held_files_finish(&r->held);
	unwind_rest(r);
	take_samples(r, 0);
	recorder_finish(r);
	r->made = !record_output_close(&r->out);
	if (!r->made)
		r->failed = true;
	if (!r->o->quiet)
		recorder_summary(r);
	return r->failed ? 1 : command_status(&r->command);
}

static int record_for(const struct record_options *o, const struct recorder_watch *w, bool *made)
{
	struct recorder r = {
		.o = o, .device = -1, .signals = -1, .out.fd = -1,
		.command = { .go = -1, .failed = -1 },
		.terminal = !w && !o->quiet && isatty(STDERR_FILENO), .watch = w,
	};
	int status = run(&r);

	if (made)
		*made = r.made;
	command_drop(&r.command);
	copies_destroy(r.copies);
	rings_close(&r.rings);
	held_files_exit(&r.held);
	tables_stop(&r.tables);
	likely_exit(&r.likely);
	perf_maps_exit(&r.maps);
	cgroups_exit(&r.cgroups);
	mount_points_exit(&r.mounts);
	vmlinux_close(r.kernel.image);
	profile_destroy(r.profile);
	free(r.buffer);
	if (r.device >= 0)
		close(r.device);
	if (r.signals >= 0)
		close(r.signals);
	return status;
}

int recorder_run(const struct record_options *o, bool *made)
{
	return record_for(o, NULL, made);
}

int recorder_watch(const struct record_options *o, const struct recorder_watch *w)
{
	return record_for(o, w, NULL);
}
