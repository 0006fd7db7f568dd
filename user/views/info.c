// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info.c - describes the contents of a profile for people
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "profile/accounting.h"
#include "profile/waits.h"
#include "stacks/unnamed.h"
#include "views/info.h"

#define FEW_CPUS	4	/* up to so many CPUs are always printed one by one */
#define FEW_FILES	40

static const char *const end_words[] = {
	[KFLAME_END_COMPLETE] = "complete",
	[KFLAME_END_FAULT] = "a page of the stack was absent",
	[KFLAME_END_BAD_FP] = "the frame pointer led nowhere",
	[KFLAME_END_DEPTH] = "more frames than asked for",
	[KFLAME_END_COMPAT] = "32-bit: program counter only",
	[KFLAME_END_EXEC] = "in the middle of exec",
	[KFLAME_END_IO_WORKER] = "I/O worker",
	[KFLAME_END_NO_MM] = "exiting",
	[KFLAME_END_FOREIGN_MM] = "other page tables were loaded",
	[KFLAME_END_NO_REGS] = "no user registers",
	[KFLAME_END_UNWIND] = "the unwinder gave up",
	[KFLAME_END_NOT_FOUND] = "interrupted address not in the trace",
	[KFLAME_END_PENDING] = "the unwind table was not there yet",
	[KFLAME_END_NO_RULE] = "no unwind information",
	[KFLAME_END_NO_MAP] = "a return address that is in no code",
	[KFLAME_END_BAD_CFA] = "the unwind information led nowhere",
	[KFLAME_END_CUT] = "the copy of the stack was too short",
	[KFLAME_END_UNWINDER] = "the copy could not be unwound",
};

const char *info_end_words(uint32_t end)
{
	return end < sizeof(end_words) / sizeof(end_words[0]) ? end_words[end] : "other reasons";
}

const char *info_named_words(const struct profile_file *f)
{
	static const char *const words[] = {
		[KFLAME_NAMED_SYMTAB] = "symbols",
		[KFLAME_NAMED_DYNSYM] = "stripped: dynamic symbols only",
		[KFLAME_NAMED_NONE] = "stripped: no symbols",
		[KFLAME_NAMED_GONE] = "gone",
		[KFLAME_NAMED_CHANGED] = "changed since",
		[KFLAME_NAMED_DAMAGED] = "not a readable ELF file",
		[KFLAME_NAMED_DEBUG] = "symbols of its debug data",
		[KFLAME_NAMED_MINI] = "symbols of its MiniDebugInfo",
		[KFLAME_NAMED_GO] = "symbols of Go's runtime",
	};

	if (!f->named)
		return "in no sample";
	return f->state < sizeof(words) / sizeof(words[0]) ? words[f->state] : "unknown";
}

void info_ends(const struct profile *p, uint32_t kind, struct info_end *ends)
{
	memset(ends, 0, INFO_ENDS * sizeof(*ends));
	for (size_t i = 0; i < p->nr_stacks; i++) {
		uint32_t end = p->stacks[i].end & KFLAME_END_MASK;

		if (p->stacks[i].kind == kind)
			ends[end < INFO_ENDS ? end : INFO_ENDS - 1].stacks++;
	}
	for (size_t i = 0; i < p->nr_counts; i++) {
		uint32_t s = kind == KFLAME_STACK_USER ? p->counts[i].ustack
						       : p->counts[i].kstack;
		uint32_t end;

		if (s >= p->nr_stacks)
			continue;
		end = p->stacks[s].end & KFLAME_END_MASK;
		ends[end < INFO_ENDS ? end : INFO_ENDS - 1].samples += p->counts[i].samples;
	}
}

static void line(FILE *out, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(out, "%-12s", label);
	text_put(out, value);
	fputc('\n', out);
}

static double hz(uint64_t period_ns)
{
	return period_ns ? 1e9 / (double)period_ns : 0;
}

static void print_flags(FILE *out, const struct kflame_rec_session *s)
{
	static const struct {
		uint64_t flag;
		const char *words;
	} words[] = {
		{ KFLAME_CF_EXCLUDE_USER, "not in user mode" },
		{ KFLAME_CF_EXCLUDE_KERNEL, "not in the kernel" },
		{ KFLAME_CF_EXCLUDE_IDLE, "not idle" },
		{ KFLAME_CF_NO_KSTACK, "no kernel stacks" },
		{ KFLAME_CF_NO_USTACK, "no user stacks" },
		{ KFLAME_CF_IDLE_STACK, "stacks of idle CPUs" },
		{ KFLAME_CF_PER_THREAD, "threads counted separately" },
		{ KFLAME_CF_NO_CHILDREN, "without children" },
		{ KFLAME_CF_CHILDREN_ONLY, "a command and its children" },
		{ KFLAME_CF_TIMELINE, "with the times of samples" },
	};
	const char *before = "";

	fprintf(out, "%-12s", "options");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!(s->flags & words[i].flag))
			continue;
		fprintf(out, "%s%s", before, words[i].words);
		before = ", ";
	}
	fprintf(out, "%s%u frames of the kernel, %u of user mode, ", *before ? "; " : "",
		s->kdepth, s->udepth);
	if (s->budget_permille)
		fprintf(out, "budget %u.%u%%\n", s->budget_permille / 10, s->budget_permille % 10);
	else
		fputs("no budget\n", out);
}

/* The events that the kernel did not have. An older module did not record which it had. */
static void print_missing(FILE *out, uint64_t events)
{
	const char *before = "missing     ";

	for (uint32_t kind = 0; events && kind < KFLAME_NR_EVENTS; kind++) {
		if (events >> kind & 1)
			continue;
		fprintf(out, "%s%s", before, profile_event_name(kind));
		before = ", ";
	}
	if (*before == ',')
		fputs(": this kernel does not let modules have these events\n", out);
}

static void print_session(FILE *out, const struct profile *p)
{
	static const char *const ways[] = { "auto", "stack_trace_save()", "unwinder from registers" };
	const struct kflame_rec_session *s = &p->session;
	time_t at = (time_t)(s->start_realtime_ns / 1000000000);
	char buf[TEXT_NUMBER], date[64];
	struct tm tm;

	fprintf(out, "%-12s%s", "kernel", "");
	text_put(out, (const char *)s->release);
	fprintf(out, " (%s), module ", (const char *)s->machine);
	text_put(out, (const char *)s->version);
	fputc('\n', out);
	if (s->start_realtime_ns && localtime_r(&at, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S %z", &tm))
		line(out, "date", date);
	if (p->has_stats && p->stats.stop_ns > s->start_ns)
		line(out, "duration", text_seconds(buf, p->stats.stop_ns - s->start_ns));
	if (profile_find_event(p, 0))
		fprintf(out, "%-12s%.7g Hz asked for, %.7g Hz used (a sample every %s ns)\n", "rate",
			hz(s->asked_period_ns), hz(s->period_ns), text_count(buf, s->period_ns));
	fprintf(out, "%-12s%s\n", "timers",
		s->resolution_ns >= 1000000 ? "low resolution: no rates above that of the tick"
					    : "high resolution");
	fprintf(out, "%-12s%s\n", "unwinder",
		s->kway < sizeof(ways) / sizeof(ways[0]) ? ways[s->kway] : "unknown");
	print_missing(out, s->events);
	print_flags(out, s);
	fprintf(out, "%-12s%u online, %u table entries each\n", "CPUs", s->nr_cpus, s->entries);
}

static void print_count(FILE *out, uint64_t n, const char *words)
{
	char buf[TEXT_NUMBER];

	fprintf(out, "%16s  %s\n", text_count(buf, n), words);
}

static void print_fates(FILE *out, const struct books *sum)
{
	print_count(out, sum->samples, "taken");
	print_count(out, sum->counted, "counted");
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (sum->lost[i])
			print_count(out, sum->lost[i], books_lost_words(i) ? : "lost, other causes");
}

void info_waits(const struct profile *p, uint32_t event, struct info_waits *w)
{
	*w = (struct info_waits){ 0 };
	for (size_t i = 0; i < p->nr_counts; i++) {
		const struct profile_count *c = &p->counts[i];

		if (c->event != event || !wait_name(c->context))
			continue;
		w->state_ns[wait_state(c->context)] += c->weight_ns;
		w->all_ns += c->weight_ns;
		w->still_ns += c->context & KFLAME_CTX_STILL ? c->weight_ns : 0;
		if (c->context & KFLAME_CTX_STILL || wait_is_for_cpu(c->context))
			continue;
		w->ended += c->samples;
		w->woken += c->waker < p->nr_wakers ? c->samples : 0;
	}
}

/* How long threads waited in all, and in each state */
static void print_waits(FILE *out, const struct profile *p, const struct profile_event *e)
{
	struct info_waits w;
	char buf[TEXT_NUMBER];

	info_waits(p, e->id, &w);
	fprintf(out, "%16s  waited in all\n", text_ms(buf, w.all_ns));
	for (uint32_t i = 0; i < INFO_STATES; i++)
		if (w.state_ns[i])
			fprintf(out, "%16s  %s\n", text_ms(buf, w.state_ns[i]), wait_name(i));
	if (w.still_ns)
		fprintf(out, "%16s  of it in waits that had not ended\n", text_ms(buf, w.still_ns));
	if (p->nr_wakers)
		fprintf(out, "%16" PRIu64 "  waits ended; of %" PRIu64 " of them the waker is known\n", w.ended, w.woken);
}

/* What the returns of a function weigh together, if that is not their number */
static void print_weight(FILE *out, const struct profile_event *e)
{
	char buf[TEXT_NUMBER];

	if (e->unit == KFLAME_UNIT_NS)
		fprintf(out, "%16s  in calls\n", text_ms(buf, e->weight));
	else if (e->unit == KFLAME_UNIT_BYTES)
		fprintf(out, "%16s  bytes\n", text_count(buf, e->weight));
	else if (e->unit == KFLAME_UNIT_VALUE)
		fprintf(out, "%16s  %s\n", text_count(buf, e->weight), e->counted);
}

/* Events other than the timer */
static void print_events(FILE *out, const struct profile *p)
{
	struct books sum;

	for (size_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *e = &p->events[i];

		if (!e->id)
			continue;
		books_sum(e->cpus, e->nr_cpus, &sum);
		fprintf(out, "\n%s\n", e->name);
		print_fates(out, &sum);
		if (e->unit == KFLAME_UNIT_NS && !profile_event_is_probe(e->kind))
			print_waits(out, p, e);
		else
			print_weight(out, e);
		if (sum.samples)
			fprintf(out, "%13" PRIu64 " ns  in the handler for a sample, %" PRIu64
				" ns the longest\n", sum.handler_ns / sum.samples, sum.handler_max_ns);
	}
}

static void print_books(FILE *out, const struct profile *p)
{
	char buf[TEXT_NUMBER];
	struct books sum;

	books_sum(p->cpus, p->nr_cpus, &sum);
	fputs("\nsamples\n", out);
	print_fates(out, &sum);
	print_count(out, sum.missed, "expiries without a sample, for which a later one stands");
	print_count(out, sum.stretches, "times the budget made the period longer");
	fprintf(out, "%16s  CPU time covered, ", text_seconds(buf, sum.counted_ns));
	fprintf(out, "%s of it came late\n", text_ms(buf, p->late_ns));
	if (sum.samples)
		fprintf(out, "%13" PRIu64 " ns  in the handler for a sample, %" PRIu64
			" ns the longest\n", sum.handler_ns / sum.samples, sum.handler_max_ns);
}

static void print_cpus(FILE *out, const struct profile *p)
{
	fputs("\nCPU      samples      counted       missed       active ms    period ns\n", out);
	for (size_t i = 0; i < p->nr_cpus; i++) {
		const struct kflame_cpu *c = &p->cpus[i];

		fprintf(out, "%3u %12llu %12llu %12llu %15.3f %12llu\n", c->cpu, c->samples,
			c->counted, c->missed, (double)c->active_ns / 1e6, c->period_ns);
	}
}

static void print_stats(FILE *out, const struct profile *p)
{
	fputs("\nsession\n", out);
	if (!p->has_stats) {
		fputs("  its counters are missing: the profile ends before them\n", out);
		return;
	}
	for (unsigned int i = 0; i < KFLAME_NR_STATS; i++)
		if (p->stats.count[i])
			print_count(out, p->stats.count[i], books_stat_words(i) ? : "other");
}

static void print_ends(FILE *out, const struct profile *p)
{
	struct info_end ends[INFO_ENDS];
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	fprintf(out, "\nstacks      %s different\n", text_count(a, p->nr_stacks));
	for (uint32_t kind = KFLAME_STACK_KERNEL; kind <= KFLAME_STACK_USER; kind++) {
		info_ends(p, kind, ends);
		for (uint32_t i = 0; i < INFO_ENDS; i++)
			if (ends[i].stacks)
				fprintf(out, "%16s  %s stack%s, %s sample%s: %s\n",
					text_count(a, ends[i].stacks),
					kind == KFLAME_STACK_USER ? "user" : "kernel", text_plural(ends[i].stacks),
					text_count(b, ends[i].samples), text_plural(ends[i].samples),
					info_end_words(i));
	}
}

static void print_files(FILE *out, const struct profile *p)
{
	const char *foreign = unnamed_foreign(p);
	size_t shown = 0, packed = 0;

	fprintf(out, "\nfiles       %zu mapped, by %zu address space%s; %zu kernel function%s\n", p->nr_files,
		p->nr_aspaces, text_plural(p->nr_aspaces), p->ksyms.nr, text_plural(p->ksyms.nr));
	if (foreign) {
		fputs("  an ", out);
		text_put(out, foreign);
		fputs(" profile: name its root with --symbols DIR\n", out);
		return;
	}
	for (size_t i = 0; i < p->nr_files; i++) {
		const struct profile_file *f = &p->files[i];

		if (!f->named)
			continue;
		packed += f->named_flags & KFLAME_NF_PACKED;
		if (shown++ == FEW_FILES)
			fputs("  and more (--raw prints all)\n", out);
		if (shown > FEW_FILES)
			continue;
		fprintf(out, "  %-32s ", info_named_words(f));
		text_put(out, f->path);
		fputs(f->named_flags & KFLAME_NF_TIME ? " (time limit)" : "", out);
		fputs(f->named_flags & KFLAME_NF_PACKED ? " (debug data: zstd)\n" : "\n", out);
	}
	if (packed)
		fprintf(out, "  Of %zu file%s the debug data is compressed with zstd, which the elfutils that named them cannot read.\n"
			"  Lines and inlined functions are missing there: use elfutils 0.189 or newer with zstd, or unpack a file\n"
			"  with objcopy --decompress-debug-sections\n", packed, text_plural(packed));
}

unsigned int info_print(FILE *out, const struct profile *p, bool each_cpu, bool packages)
{
	unsigned int wrong;

	line(out, "host", profile_host(p, "host"));
	line(out, "command", profile_host(p, "command"));
	line(out, "exit status", profile_host(p, "exit"));
	line(out, "tool", profile_host(p, "tool"));
	if (p->has_session)
		print_session(out, p);
	else
		fputs("the description of the recording is missing\n", out);
	if (p->nr_cpus)
		print_books(out, p);
	else if (!books_are_there(p))
		fputs("\nsamples\n  the CPUs' accounting is missing: the profile ends before it\n", out);
	print_events(out, p);
	if (p->nr_cpus && (each_cpu || p->nr_cpus <= FEW_CPUS))
		print_cpus(out, p);
	print_stats(out, p);
	print_ends(out, p);
	info_print_unwinding(out, p);
	print_files(out, p);
	if (info_print_cgroups(out, p))
		fputs("\nsamples by cgroup: not enough memory\n", out);
	if (unnamed_print(out, p, packages))
		fputs("\nframes without a name: not enough memory\n", out);
	if (p->state != PROFILE_WHOLE)
		fprintf(out, "\nnot complete: %s; %" PRIu64 " sample%s in it\n", p->why, p->samples,
			p->samples == 1 ? " is" : "s are");
	if (p->damaged || p->lost_stacks || p->unknown)
		fprintf(out, "\nrecords     %" PRIu64 " damaged, %" PRIu64 " of unknown types, %"
			PRIu64 " count%s without their stack\n", p->damaged, p->unknown,
			p->lost_stacks, text_plural(p->lost_stacks));
	if (!books_are_there(p)) {
		fputs("\nbooks: missing\n", out);
		return 0;
	}
	wrong = books_check(p, NULL);
	fputs(wrong ? "\nbooks: not balanced\n" : "\nbooks: balanced\n", out);
	books_check(p, out);
	return wrong;
}
