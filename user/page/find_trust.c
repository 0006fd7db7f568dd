// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * find_trust.c - is something missing: records, samples, names?
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/page.h"
#include "page/words.h"

#define MUCH_LOST	10000u	/* millionths of all samples, as in views/trust.c */
#define MUCH_OWN	100000u	/* millionths of the time that is not idle */
#define MUCH_NAMELESS	200000u	/* millionths of the samples */

static int find_incomplete(struct page *page)
{
	const struct profile *p = page->p;
	const struct finding f = { .kind = FINDING_INCOMPLETE, .share = FINDING_NO_SHARE, .weight = UINT64_MAX,
				   .count = p->damaged + p->lost_stacks, .command = { "info" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	if (p->state != PROFILE_WHOLE)
		return findings_add(&page->findings, &f, "the profile is not complete: %s", p->why);
	if (!f.count)
		return 0;
	return findings_add(&page->findings, &f, "the profile is damaged: %s records were skipped, %s stacks are missing",
			    text_count(a, p->damaged), text_count(b, p->lost_stacks));
}

static unsigned int main_cause(const struct summary *s)
{
	unsigned int best = 0;
	uint64_t most = 0;

	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (!summary_is_chosen(i) && s->lost[i] > most) {
			most = s->lost[i];
			best = i;
		}
	return best;
}

static const char *advice(unsigned int cause)
{
	switch (cause) {
	case KFLAME_LOST_TABLE:
	case KFLAME_LOST_STACKS:
		return ": record with more --entries";
	case KFLAME_LOST_RING:
		return ": record with a larger --ring";
	default:
		return "";
	}
}

static int find_lost(struct page *page, const struct page_event *e)
{
	const uint64_t lost = summary_lost(&e->summary), all = lost + e->summary.counted.samples;
	const unsigned int cause = main_cause(&e->summary);
	const struct finding f = { .kind = FINDING_LOST, .share = scale(lost, MILLION, all), .count = lost,
				   .weight = UINT64_MAX, .command = { "info" } };
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	if (f.share < MUCH_LOST)
		return 0;
	return findings_add(&page->findings, &f, "%s of the samples of %s are lost (%s), mostly by \"%s\"%s",
			    text_percent(a, lost, all, 1), e->e->name, text_count(b, lost), summary_lost_name(cause),
			    advice(cause));
}

static bool is_nameless(const struct frame *f)
{
	static const char *const begins[] = { "[stripped: ", "[gone: ", "[changed: ", "[damaged: ", "[time limit: ",
					      "[not named: ", "[unmapped]", "[anonymous memory]", "[kernel 0x" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(f->name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static int find_names(struct page *page)
{
	const struct page_event *e = page->main;
	const uint64_t whole = heavy_paths_whole(&e->paths);
	struct finding f = { .kind = FINDING_NO_NAMES, .command = { "info", "--packages" } };
	const struct function *most = NULL;
	char share[TEXT_NUMBER], name[WORD_BYTES];
	uint64_t sum = 0;

	for (size_t i = 0; i < page->functions.nr; i++) {
		const struct function *row = &page->functions.rows[i];

		if (!is_nameless(row->frame))
			continue;
		sum += tree_weight(&row->self, e->paths.unit);
		if (!most)
			most = row;
	}
	f.share = scale(sum, MILLION, whole);
	f.weight = f.share;
	if (!most || f.share < MUCH_NAMELESS)
		return 0;
	return findings_add(&page->findings, &f, "%s of the samples end in code without a name, mostly of %s: symbols are missing",
			    text_percent(share, sum, whole, 1),
			    word_cut(name, most->frame->file ? most->frame->file : most->frame->name));
}

/* The recorder takes most on small machines, as long as it makes unwind tables */
static int find_own(struct page *page)
{
	const struct summary *s = page->timer ? &page->timer->summary : NULL;
	const uint64_t own = s ? s->own.ns : 0, busy = s ? s->counted.ns - s->idle.ns : 0;
	const struct finding f = { .kind = FINDING_OWN, .ns = own, .share = scale(own, MILLION, busy),
				   .weight = scale(own, MILLION, page_capacity(page)),
				   .command = { "report", "--no-self" } };
	char a[TEXT_NUMBER];

	if (f.share < MUCH_OWN || page_is_part(page))
		return 0;
	return findings_add(&page->findings, &f, "kflame itself takes %s of the CPU time that is not idle; a second recording has less, because unwind tables are cached",
			    text_percent(a, own, busy, 1));
}

int find_trust(struct page *page)
{
	int err = find_incomplete(page);

	/* Lost samples have no time: they are of the whole recording */
	for (size_t i = 0; !err && i < page->nr_events && !page->main->summary.to_ns; i++)
		err = find_lost(page, &page->events[i]);
	if (!err)
		err = find_own(page);
	return err ? err : find_names(page);
}
