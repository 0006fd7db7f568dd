/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - one recording, from the device to the end of the file
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
#include "record/options.h"
#include "record/perf_maps.h"
#include "record/table_feeder.h"
#include "record/table_preload.h"
#include "symbols/lookup.h"

struct recorder;

/**
 * struct recorder_watch - somebody who looks on while it is recorded
 * @every_ns:	how often @fresh is called
 * @fresh:	all samples up to now are in .profile.  Return: whether it is enough
 * @awake:	one of @fds is readable.  Return: whether it is enough
 * @fds:	wake the recording when there is something to be read; -1: nothing does
 */
struct recorder_watch {
	uint64_t every_ns;
	bool (*fresh)(void *ctx, struct recorder *r);
	bool (*awake)(void *ctx);
	void *ctx;
	int fds[2];
};

/**
 * struct recorder - a recording
 * @o:		what was asked for, the caller's
 * @command:	pid 0 for none
 * @profile:	everything written so far, for the names at the end
 * @kernel:	.image is of --vmlinux, NULL without
 * @copies:	NULL unless stacks are copied
 * @copies_ns:	copies_pump() is due after so long; UINT64_MAX: nothing waits
 * @ring_bytes:	of a ring of theirs
 * @deaf:	it could not be kept in memory, or read again: the file gets no names
 * @watch:	NULL: nobody looks on
 * @watch_ns:	when it is refreshed next
 * @made:	the profile is written
 * @failed:	something went wrong and was reported: exit status 1
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
	struct kernel_naming kernel;
	struct rings rings;
	struct copies *copies;
	uint64_t copies_ns;
	uint64_t rings_ns;	/* when they were last looked for */
	uint64_t told_ns;	/* when their samples were last written */
	uint32_t ring_bytes;
	void *buffer;
	int device;
	struct call_graph graph;	/* what was asked for, or what there is */
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
 * recorder_run() - records, and tells on standard error what came of it
 * @made:	gets whether there is a profile, whatever the command did; may be NULL
 *
 * Return: the exit status.
 */
int recorder_run(const struct record_options *o, bool *made);

/** recorder_watch() - records for somebody who looks on; a signal ends it, too.  Return: as recorder_run() */
int recorder_watch(const struct record_options *o, const struct recorder_watch *w);

/**
 * recorder_finish() - adds names, host and end to what was recorded
 * @r:		.profile holds all of it
 */
void recorder_finish(struct recorder *r);

/**
 * recorder_configure() - tells the module what to sample; once
 * @config:	gets what it will use
 *
 * Return: 0; -1, after an error message.
 */
int recorder_configure(struct recorder *r, struct kflame_config *config);

/** recorder_choose_way() - how user stacks are walked.  Return: 0; -1, after an error message */
int recorder_choose_way(struct recorder *r);

/** recorder_prepare_tables() - makes the tables of what will be sampled; before START */
void recorder_prepare_tables(struct recorder *r);

/** recorder_start_tables() - gives them to the module, and begins to make others; after START */
void recorder_start_tables(struct recorder *r);

/** recorder_offer_file() - a held_fn: that file wants a table.  @ctx: the struct tables */
void recorder_offer_file(void *ctx, const struct profile_file *f, int fd, uid_t owner);

/** recorder_progress() - the line on a terminal that says how it goes */
void recorder_progress(struct recorder *r);

/** recorder_summary() - the last line: how much there is, and where */
void recorder_summary(struct recorder *r);

#endif
