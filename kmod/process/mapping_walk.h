/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapping_walk.h - records about the executable mappings of one address space
 *
 * Context: the session's work, which never runs twice at a time. kf_mapwalk_one() runs in the
 * reader, on the reader's own address space. Nothing else here does I/O or waits without bound: the
 * mmap lock is only tried, and under it the code copies fields and takes references to files.
 */
#ifndef KF_MAPPING_WALK_H
#define KF_MAPPING_WALK_H

#include <linux/types.h>

#include <kflame.h>
#include "process/mapping_ring.h"

struct kf_aspace_job;
struct kf_files;
struct kf_held;
struct kf_records;
struct kf_vmas;

/**
 * struct kf_walk - result of a walk
 * @state:	KFLAME_ASPACE_*
 * @exec_vm:	mm->exec_vm at that time
 * @changes:	kf_mm_changes() before the walk
 * @hash:	of all executable mappings: their addresses and files
 * @mappings:	mappings reported
 * @files:	files reported for the first time
 * @dropped:	records that found no room
 * @left_out:	mappings beyond the most that are reported
 * @dead:	all threads of the process had ended
 * @run:	its mappings for the sample path, if they are kept
 */
struct kf_walk {
	u32 state;
	unsigned long exec_vm;
	unsigned long changes;
	u64 hash;
	u32 mappings, files, dropped, left_out;
	bool dead;
	struct kf_umap_run run;
};

bool kf_mapwalk_look(struct kf_aspace_job *job, struct kf_vmas *vmas, struct kf_walk *walk);
void kf_mapwalk_report(struct kf_aspace_job *job, struct kf_vmas *vmas,
		       struct kf_files *files, struct kf_umaps *umaps, struct kf_records *out,
		       struct kf_walk *walk);
void kf_mapwalk_forget(struct kf_vmas *vmas);
bool kf_mapwalk_one(unsigned long address, struct kf_files *files, struct kf_records *out,
		    struct kf_walk *walk, u64 *id);
void kf_mapwalk_let_go(struct kf_aspace_job *job, struct kf_walk *walk);
void kf_mapwalk_give_up(struct kf_aspace_job *job, struct kf_records *out,
			struct kf_walk *walk);

size_t kf_vmas_bytes(void);
struct kf_vmas *kf_vmas_create(void);
void kf_vmas_destroy(struct kf_vmas *vmas);

size_t kf_files_bytes(void);
struct kf_files *kf_files_create(struct kf_held *held);
void kf_files_destroy(struct kf_files *files);

#endif
