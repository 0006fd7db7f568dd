/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * builtin.h - insmod, then read: the session that runs without a tool
 *
 * Nobody reads it while it runs, so the module itself does: tables that pass their
 * mark are added up in an archive, one large table. Who reads the device without
 * having configured a session gets a snapshot: all CPUs' tables added to the
 * archive, a copy of that, and the end. So each `cat` is a whole profile, of all
 * the time since the module was loaded.
 *
 * What is told of address spaces is kept in full, up to KF_RECORDS_LIMIT: some ten thousand processes.
 * Of those that come later the stacks are counted, without names (KFLAME_STAT_MAP_DROPPED).
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
