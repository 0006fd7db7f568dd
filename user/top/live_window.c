// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_window.c - recent samples, as a decaying sum
 */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "top/live_window.h"

#define SCALE	1024u	/* fixed-point factor of samples, so that small counts decay, too */

/* Rounding keeps the order of two values: late time stays at most the total time */
static void fade(uint64_t *value)
{
	*value -= *value / 8;
}

static void update(struct live_sum *s, const struct profile_count *c)
{
	fade(&s->samples);
	fade(&s->ns);
	fade(&s->late);
	s->samples += (c->samples - s->seen_samples) * SCALE;
	s->ns += c->weight_ns - s->seen_ns;
	s->late += c->late_ns - s->seen_late;
	s->seen_samples = c->samples;
	s->seen_ns = c->weight_ns;
	s->seen_late = c->late_ns;
	/* Less than half a sample counts as none */
	if (s->samples < SCALE / 2)
		s->samples = s->ns = s->late = 0;
}

int live_window_update(struct live_window *w, const struct profile *p)
{
	w->nr = 0;
	w->samples = 0;
	for (size_t i = 0; i < p->nr_counts; i++) {
		struct profile_count c = p->counts[i];
		struct live_sum *s;

		if (i == w->nr_sums) {
			if (grow(&w->sums, w->nr_sums, &w->cap_sums, sizeof(*w->sums)))
				return -ENOMEM;
			w->sums[w->nr_sums++] = (struct live_sum){ 0 };
		}
		s = &w->sums[i];
		w->samples += c.samples - s->seen_samples;
		update(s, &c);
		if (!s->samples)
			continue;
		c.samples = (s->samples + SCALE / 2) / SCALE;
		c.weight_ns = s->ns;
		c.late_ns = s->late;
		if (grow(&w->counts, w->nr, &w->cap, sizeof(*w->counts)))
			return -ENOMEM;
		w->counts[w->nr++] = c;
	}
	return 0;
}

void live_window_exit(struct live_window *w)
{
	free(w->counts);
	free(w->sums);
	*w = (struct live_window){ 0 };
}
