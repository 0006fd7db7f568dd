/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapping_index.h - which file a user address is in, from the records about address spaces
 */
#ifndef KF_MAPPING_INDEX_H
#define KF_MAPPING_INDEX_H

#include <linux/types.h>

#include <kflame.h>

struct kf_records;

/**
 * struct kf_maps - a copy of a session's records, and indexes into it
 * @records:	whole records
 * @size:	their size in bytes
 * @map:	mappings, sorted by address space and start
 * @nr_maps:	number of mappings
 * @file:	files, by id; NULL if there is no record with that id
 * @nr_files:	one more than the highest id
 * @memory:	bytes reserved
 */
struct kf_maps {
	u8 *records;
	size_t size;
	const struct kflame_rec_mapping **map;
	u32 nr_maps;
	const struct kflame_rec_file **file;
	u64 nr_files;
	size_t memory;
};

int kf_maps_init(struct kf_maps *m, struct kf_records *records, size_t size);
void kf_maps_exit(struct kf_maps *m);
const struct kflame_rec_mapping *kf_maps_find(const struct kf_maps *m, u64 aspace, u64 ip);
const char *kf_maps_file(const struct kf_maps *m, u64 id);

#endif
