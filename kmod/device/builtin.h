/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * builtin.h - insmod, then read: the session that runs without a tool
 *
 * No process reads it while it runs, so the module does: it adds tables that are half full to an archive,
 * one large table. A reader of the device that has configured no session gets a snapshot: all CPUs'
 * tables are added to the archive, the reader gets a copy, and then the end. So each `cat` is a whole
 * profile since the module was loaded.
 *
 * Records about address spaces are kept up to KF_RECORDS_LIMIT: some ten thousand processes. The stacks
 * of later processes are counted, without names (KFLAME_STAT_MAP_DROPPED).
 */
#ifndef KF_BUILTIN_H
#define KF_BUILTIN_H

#include <linux/types.h>

struct kf_session;
struct kf_snapshot;
struct kf_stream;

int kf_builtin_start(u32 freq, u32 entries, bool text);
void kf_builtin_stop(void);
bool kf_builtin_runs(void);

int kf_snapshot_create(struct kf_snapshot **out);
void kf_snapshot_destroy(struct kf_snapshot *snap);
void kf_snapshot_fill(struct kf_snapshot *snap, struct kf_stream *st);

#endif
