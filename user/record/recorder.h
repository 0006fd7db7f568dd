/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - runs one recording, from opening the device to the end of the file
 */
#ifndef KFLAME_RECORD_RECORDER_H
#define KFLAME_RECORD_RECORDER_H

#include "base/stream_file.h"
#include "device/device.h"
#include "profile/profile.h"
#include "record/cgroup_names.h"
#include "record/cgroup_paths.h"
#include "record/child_command.h"
#include "record/copies.h"
#include "record/held_files.h"
#include "record/mount_points.h"
#include "record/options.h"
#include "record/perf_maps.h"
#include "record/table_feeder.h"
#include "record/table_preload.h"
#include "symbols/lookup.h"

struct recorder;

/**
 * struct recorder_watch - an observer (kflame top) that reads the samples during the recording
 * @every_ns:	how often @fresh is called
 * @fresh:	called when .profile has all samples up to now.  Return: whether to end the recording
 * @awake:	called when one of @fds may be readable.  Return: whether to end the recording
 * @fds:	descriptors that wake the recording when they are readable; -1: unused
 * @gapless:	do not stop the session to get the newest samples: a wait that is cut there is not counted
 *		whole. .profile then has what the module returned by itself, which it does within 5 seconds
 */
struct recorder_watch {
	uint64_t every_ns;
	bool (*fresh)(void *ctx, struct recorder *r);
	bool (*awake)(void *ctx);
	void *ctx;
	int fds[2];
	bool gapless;
};

/**
 * struct recorder - a recording
 * @o:		the options, owned by the caller
 * @command:	.pid is 0 if no command is recorded
 * @profile:	everything written so far, to find the names at the end
 * @kernel:	.image is the file of --vmlinux; NULL without that option
 * @copies:	NULL unless stacks are copied
 * @copies_ns:	copies_pump() is due after so long; UINT64_MAX: nothing waits
 * @ring_bytes:	size of one ring of stack copies
 * @deaf:	the profile could not be kept in memory, or read again: the file gets no names
 * @watch:	NULL: no observer
 * @watch_ns:	when @watch is called next
 * @made:	the profile is written
 * @failed:	an error was reported: the exit status is 1
 */
struct recorder {
	const struct record_options *o;
	struct kflame_info info;
	struct record_output out;
	struct command_run command;
	struct profile *profile;
	struct held_files held;
	struct tables tables;
	struct likely likely;
	struct perf_maps maps;
	struct cgroups cgroups;
	struct chosen_cgroups chosen;
	struct mount_points mounts;	/* when the recording began, if there are labels */
	struct kernel_naming kernel;
	struct rings rings;
	struct copies *copies;
	uint64_t copies_ns;
	uint64_t rings_ns;	/* when the rings were last updated */
	uint64_t told_ns;	/* when results of .copies were last written */
	uint32_t ring_bytes;
	void *buffer;
	int device;
	struct call_graph graph;	/* the option -g, adapted to what the module supports */
	int signals;
	uint64_t start_ns, stop_ns;
	const struct recorder_watch *watch;
	uint64_t watch_ns;
	bool terminal;
	bool deaf;
	bool made;
	bool failed;
};

/**
 * recorder_run() - records, and reports the result on standard error
 * @made:	out: whether there is a profile, whatever the command returned; may be NULL
 *
 * Return: the exit status.
 */
int recorder_run(const struct record_options *o, bool *made);

/** recorder_watch() - records for an observer, which or a signal ends it.  Return: as recorder_run() */
int recorder_watch(const struct record_options *o, const struct recorder_watch *w);

/**
 * recorder_finish() - adds the names, the host and the end record to the file
 * @r:		.profile has the complete stream
 */
void recorder_finish(struct recorder *r);

/**
 * recorder_configure() - configures the session: which tasks to sample, and how; call it once
 * @config:	out: the configuration, as the module adapted it
 *
 * Return: 0; -1, after an error message.
 */
int recorder_configure(struct recorder *r, struct kflame_config *config);

/** recorder_choose_way() - chooses how user stacks are unwound.  Return: 0; -1, after an error message */
int recorder_choose_way(struct recorder *r);

/** recorder_prepare_tables() - compiles tables of files likely to be sampled, before START */
void recorder_prepare_tables(struct recorder *r);

/** recorder_start_tables() - uploads the prepared tables, and starts to compile others, after START */
void recorder_start_tables(struct recorder *r);

/** recorder_offer_file() - a held_fn that requests an unwind table for a file.  @ctx: the struct tables */
void recorder_offer_file(void *ctx, const struct profile_file *f, int fd, uid_t owner);

/** recorder_progress() - updates the progress line on a terminal */
void recorder_progress(struct recorder *r);

/** recorder_summary() - prints the last lines: how many samples there are, in which file, and any trouble */
void recorder_summary(struct recorder *r);

#endif
