// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mappings.c - the executable mappings of an address space
 *
 * Mappings are sorted and do not overlap.  The module walks a process again after dlopen(), and
 * reports most mappings again.  A repeated mapping changes nothing.  A new one replaces what it overlaps.
 */
#include <errno.h>
#include <string.h>

#include "profile/private.h"

/* Twice the number of mappings that Linux allows a process by default (vm.max_map_count) */
#define MAX_MAPS	(1u << 17)

/* Index of the first mapping that ends after @address */
static size_t first_after(const struct profile_aspace *as, uint64_t address)
{
	size_t low = 0, high = as->nr_maps;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (as->maps[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int insert_at(struct profile_aspace *as, size_t i, const struct profile_mapping *m)
{
	int err;

	if (as->nr_maps >= MAX_MAPS)
		return -ERANGE;
	err = grow(&as->maps, as->nr_maps, &as->cap_maps, sizeof(*as->maps));
	if (err)
		return err;
	memmove(as->maps + i + 1, as->maps + i, (as->nr_maps - i) * sizeof(*as->maps));
	as->maps[i] = *m;
	as->nr_maps++;
	return 0;
}

static bool same_mapping(const struct profile_mapping *a, const struct profile_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->file == b->file && a->flags == b->flags;
}

int profile_add_mapping(struct profile_aspace *as, const struct profile_mapping *m)
{
	size_t from = first_after(as, m->start), to;
	struct profile_mapping right;
	int err;

	if (from < as->nr_maps && same_mapping(&as->maps[from], m))
		return 0;
	if (from < as->nr_maps && as->maps[from].start < m->start) {
		struct profile_mapping *left = &as->maps[from];

		if (left->end > m->end) {
			/* In the middle of an old mapping: its two ends stay */
			right = *left;
			right.offset += m->end - left->start;
			right.start = m->end;
			err = insert_at(as, from + 1, &right);
			if (err)
				return err;
			left = &as->maps[from];
		}
		left->end = m->start;
		from++;
	}
	for (to = from; to < as->nr_maps && as->maps[to].end <= m->end; to++)
		;
	if (to < as->nr_maps && as->maps[to].start < m->end) {
		as->maps[to].offset += m->end - as->maps[to].start;
		as->maps[to].start = m->end;
	}
	if (to == from)
		return insert_at(as, from, m);
	as->maps[from] = *m;
	memmove(as->maps + from + 1, as->maps + to, (as->nr_maps - to) * sizeof(*as->maps));
	as->nr_maps -= to - from - 1;
	return 0;
}

const struct profile_mapping *profile_map(const struct profile *p, uint32_t aspace,
					  uint64_t address)
{
	const struct profile_aspace *as;
	size_t i;

	if (aspace >= p->nr_aspaces)
		return NULL;
	as = &p->aspaces[aspace];
	i = first_after(as, address);
	if (i < as->nr_maps && as->maps[i].start <= address)
		return &as->maps[i];
	return NULL;
}
