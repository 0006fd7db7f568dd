// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare_walks.c - compares the results of two unwinders for the same sample
 */
#include <inttypes.h>

#include "record/compare_walks.h"
#include "uapi/kflame.h"

static bool is_whole(const struct tally_frames *f)
{
	return (f->end & KFLAME_END_MASK) == KFLAME_END_COMPLETE;
}

bool both_add(struct both_sums *s, const struct tally_frames *first,
	      const struct tally_frames *second)
{
	uint32_t least = first->nr < second->nr ? first->nr : second->nr, same = 0;

	while (same < least && first->ip[same] == second->ip[same])
		same++;
	s->stacks++;
	s->frames += least;
	s->frames_same += same;
	if (same == least && first->nr == second->nr && is_whole(first) == is_whole(second)) {
		s->same++;
	} else if (same == least && first->nr <= second->nr && !is_whole(first)) {
		s->first_cut++;
	} else if (same == least && second->nr <= first->nr && !is_whole(second)) {
		s->second_cut++;
	} else {
		s->different++;
		return true;
	}
	return false;
}

void both_print(const struct both_sums *s, FILE *out)
{
	fprintf(out, "kflame: %" PRIu64 " stacks by tables and by libdw: %" PRIu64 " the same, %" PRIu64
		" where the tables end first, %" PRIu64 " where the copy does, %" PRIu64
		" different; of %" PRIu64 " frames %" PRIu64 " the same\n",
		s->stacks, s->same, s->first_cut, s->second_cut, s->different, s->frames,
		s->frames_same);
}

static void show(const char *by, const struct tally_frames *f, FILE *out)
{
	fprintf(out, "  %s, end %u:", by, f->end & KFLAME_END_MASK);
	for (uint32_t i = 0; i < f->nr; i++)
		fprintf(out, " %" PRIx64, f->ip[i]);
	fputc('\n', out);
}

void both_show(const struct tally_frames *first, const struct tally_frames *second, FILE *out)
{
	show("by tables", first, out);
	show("by libdw", second, out);
}
