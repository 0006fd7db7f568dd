// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trust.c - tells an operator whether a profile can be trusted
 */
#include "base/text.h"
#include "profile/stack_end.h"
#include "views/trust.h"

#define FEW_SAMPLES	100u
/* Shares from which on the line mentions them, 1/1000 */
#define MUCH_LOST	10u
#define MUCH_LATE	200u

void trust_count_cut(const struct profile *p, uint64_t *all, uint64_t *cut)
{
	*all = *cut = 0;
	for (size_t i = 0; i < p->nr_counts; i++) {
		const struct profile_count *c = &p->counts[i];

		if (c->ustack >= p->nr_stacks || !p->stacks[c->ustack].nr)
			continue;
		*all += c->samples;
		*cut += stack_is_cut(p->stacks[c->ustack].end) ? c->samples : 0;
	}
}

static bool is_much(uint64_t part, uint64_t whole, unsigned int per_mille)
{
	return part && scale(part, 1000, whole ? whole : 1) >= per_mille;
}

/* Return: whether single waits were not measured, but waiting threads were sampled */
static bool samples_waits(const struct profile *p, const struct summary *s)
{
	return s->waits && p->event->kind == KFLAME_EVENT_SLEEPERS;
}

/* Return: samples of work, or of waiting threads. A wait that was measured is no sample */
static uint64_t sampled_work(const struct profile *p, const struct summary *s)
{
	uint64_t work = s->counted.samples - s->idle.samples;

	if (samples_waits(p, s))
		return work;
	for (unsigned int i = KFLAME_CTX_INTERRUPTIBLE; i <= KFLAME_CTX_PREEMPTED; i++)
		work -= s->contexts[i].samples;
	return work;
}

void trust_put(FILE *out, const struct profile *p, const struct summary *s)
{
	uint64_t lost = summary_lost(s), busy = sampled_work(p, s), stacks, cut;
	const char *comma = "with care: ", *what = s->waits ? "waits" : s->wall ? "samples and waits" : "samples";
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	trust_count_cut(p, &stacks, &cut);
	fputs("trust    ", out);
	/* Waits and calls that were measured are exact, even if they are few. */
	if (busy < FEW_SAMPLES && !s->latency && (!s->waits || samples_waits(p, s))) {
		fprintf(out, "%s%s %s are few: record for longer%s", comma, text_count(a, busy),
			s->what ? s->what : s->waits ? "samples of waits" : "samples of work",
			s->what || s->waits ? "" : ", or at a higher rate (-F)");
		comma = "; ";
	}
	if (is_much(lost, lost + s->counted.samples, MUCH_LOST)) {
		fprintf(out, "%s%s of the %s are lost (see below)", comma,
			text_percent(a, lost, lost + s->counted.samples, 1), what);
		comma = "; ";
	}
	if (is_much(cut, stacks, STACKS_CUT_MUCH)) {
		fprintf(out, "%s%s of the user stacks end early, so callers are missing ('kflame info' says why)",
			comma, text_percent(a, cut, stacks, 1));
		comma = "; ";
	}
	if (is_much(s->late_ns, s->counted.ns, MUCH_LATE)) {
		fprintf(out, "%sof %s of the time it is not known where it was spent: interrupts were off, or a "
			"hypervisor had taken the CPU", comma,
			text_percent(a, s->late_ns, s->counted.ns, 1));
		comma = "; ";
	}
	if (*comma == ';')
		fputs("\n", out);
	else
		fprintf(out, "yes: %s of the %s lost, %s of the user stacks end early\n",
			text_percent(a, lost, lost + s->counted.samples, 1), what,
			text_percent(b, cut, stacks, 1));
}
