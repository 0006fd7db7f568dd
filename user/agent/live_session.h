/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_session.h - a session of the module that is cut into whole profiles without being stopped
 *
 *	module -- records --> live_session_read()    counts of this cut, processes, files
 *	                      live_session_cut()     the profile of this cut
 *
 * A count is in exactly one cut.  The accounting of a cut has the samples that the cut holds, and what was lost
 * until then.  So the sum of all cuts is the accounting of the module, once the session has stopped.
 *
 * The module returns a table when it is full, or after five seconds.  So the last samples before a cut may be in the
 * next one.
 */
#ifndef KFLAME_AGENT_LIVE_SESSION_H
#define KFLAME_AGENT_LIVE_SESSION_H

#include "agent/config.h"
#include "agent/name_cache.h"
#include "agent/processes.h"
#include "device/device.h"
#include "profile/profile.h"
#include "profile/writer.h"
#include "record/cgroup_names.h"
#include "record/held_files.h"
#include "record/perf_maps.h"
#include "record/table_feeder.h"
#include "symbols/vmlinux.h"

#define LIVE_FILES	8192	/* mapped files of one session; then it is renewed */

/** struct live_cpu - the accounting of a CPU: what earlier cuts have, and what this cut counted */
struct live_cpu {
	struct kflame_cpu earlier;
	struct kflame_cpu last;		/* the module's own at the end of the session */
	bool ended;
	uint64_t counted, counted_ns;
};

/** struct live_moment - the same instant on two clocks */
struct live_moment {
	uint64_t mono_ns;
	uint64_t real_ns;
};

/**
 * struct live_session - private but for what is said here
 * @device:	readable when there are records
 * @files:	the files that the module reported, and nothing else
 * @counts:	STACK, LIKES, COUNT and COUNTS records of this cut, as the module wrote them
 * @used:	ids of address spaces in @counts
 * @part:	the begin of a record whose rest was not read yet
 * @cut:	number of this cut, from 1
 * @sums:	accounting of all cuts so far; may be read
 * @differs:	samples that the accounting of the module and the cuts did not agree on; 0, or something is wrong
 */
struct live_session {
	int device;
	struct kflame_info info;
	struct profile *files;
	struct idmap file_index;
	struct held_files held;
	struct tables tables;
	struct processes processes;
	struct name_cache names;
	struct cgroups cgroups;
	struct kernel_id kernel;
	struct kflame_file_header header;
	struct kflame_rec_session head;
	struct records counts;
	struct idmap used;
	struct live_cpu *cpus;
	struct kflame_rec_stats stats;	/* what earlier cuts have */
	struct kflame_rec_stats last_stats;
	unsigned char *buffer;
	struct records part;
	uint64_t cut;
	struct live_moment begin;
	struct kflame_cpu sums;
	uint64_t differs;
	bool headed;
	bool ended;
};

/**
 * live_session_start() - opens the device, and starts a session of all CPUs
 *
 * Return: 0; -1 after a message; live_session_exit() is needed in both cases.
 */
int live_session_start(struct live_session *s, const struct agent_config *c);

/** live_session_read() - reads all that the module has now.  Return: 0; 1 at the end of a stopped session; -1 after a message */
int live_session_read(struct live_session *s);

/** struct live_cut - a profile; @begin and @end: what it covers */
struct live_cut {
	struct records records;		/* without the END record: see live_cut_finish() */
	struct kflame_file_header header;
	struct live_moment begin, end;
	uint64_t samples;
	uint64_t counted;
};

/**
 * live_session_cut() - makes a profile of all that was read since the last cut
 * @out:	out: to be freed with records_exit()
 *
 * Call it when live_session_read() has read all.
 * Return: 0; -ENOMEM.
 */
int live_session_cut(struct live_session *s, const struct agent_config *c, struct live_cut *out);

/**
 * live_session_stop() - stops sampling, and reads the rest; then the last cut can be made
 *
 * Return: 0; -1 after a message.
 */
int live_session_stop(struct live_session *s);

/** live_session_is_full() - Return: whether the session should be renewed, because it has too many files */
bool live_session_is_full(const struct live_session *s);

/** live_session_exit() - closes the device, and frees all */
void live_session_exit(struct live_session *s);

#endif
