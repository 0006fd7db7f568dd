// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * finish.c - adds names and host to a recording, and prints the summary
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/text.h"
#include "base/version.h"
#include "profile/addresses.h"
#include "profile/stack_end.h"
#include "record/recorder.h"

#define MAX_COMMAND	4096	/* limit of the recorded command line, in bytes */

/* Record which kernel ran and where it was loaded, so that its image can be matched later */
static void add_kernel(const struct recorder *r, FILE *out)
{
	if (r->kernel.id.len)
		fprintf(out, "kernel-build-id=%s%c", kernel_id_show(&r->kernel.id).hex, 0);
	if (r->kernel.stext)
		fprintf(out, "kernel-base=%#" PRIx64 "%c", r->kernel.stext, 0);
}

/* "host=", "tool=" and so on, each with a NUL at its end: see struct kflame_rec_host */
static void add_host(struct recorder *r, struct records *to)
{
	char name[256] = "";
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out) {
		to->failed = true;
		return;
	}
	if (gethostname(name, sizeof(name) - 1))
		name[0] = 0;
	fprintf(out, "host=%s%c", name, 0);
	fprintf(out, "tool=%s%c", kflame_version, 0);
	add_kernel(r, out);
	if (r->o->command) {
		size_t room = MAX_COMMAND;

		fputs("command=", out);
		for (char **word = r->o->command; *word && room; word++) {
			size_t n = strnlen(*word, room - 1);

			fprintf(out, "%s%.*s", word == r->o->command ? "" : " ", (int)n, *word);
			room -= n + 1;
		}
		fputc(0, out);
		if (r->command.ended)
			fprintf(out, "exit=%d%c", command_status(&r->command), 0);
	}
	if (fclose(out))
		to->failed = true;
	else
		records_host(to, text, len);
	free(text);
}

/* Show progress on a terminal: a file with much debug data takes seconds */
static void show_naming(const char *path, size_t nr, size_t all)
{
	const char *slash = strrchr(path, '/');

	fprintf(stderr, "\rkflame: names: file %zu of %zu, ", nr + 1, all);
	text_put(stderr, slash ? slash + 1 : path);
	fputs("\033[K", stderr);
	fflush(stderr);
}

void recorder_finish(struct recorder *r)
{
	struct records more = { 0 };

	if (r->deaf || r->out.failed || r->failed)
		return;
	if (profile_finish(r->profile)) {
		complain("the module's stream makes no sense: %s", r->profile->why);
		r->failed = true;
		return;
	}
	r->kernel.device = r->device;
	if (naming_user(r->profile, r->held.fds, r->held.nr, NULL, r->o->inlines, r->terminal ? show_naming : NULL,
			&more) ||
	    perf_maps_name(&r->maps, r->profile, &more) ||
	    naming_kernel(r->profile, &r->kernel, &more))
		more.failed = true;
	tables_records(&r->tables, r->profile, &more);
	cgroups_name(&r->cgroups, r->profile, &more);
	mount_points_name(&r->mounts, r->profile, &more);
	add_host(r, &more);
	if (!more.failed)
		records_end(&more, r->profile->records);
	if (more.failed) {
		complain("there is not enough memory to add all names to %s; the samples are in it",
			 r->out.path);
		r->failed = true;
	}
	record_output_write(&r->out, more.data, more.len);
	records_exit(&more);
}

/* What a recording has so far: of each of its events, and in the order of -e */
struct figures {
	uint64_t counted[KFLAME_MAX_EVENTS];
	uint64_t weight[KFLAME_MAX_EVENTS];
	uint64_t lost;
};

static void add_lost(struct figures *f, const struct kflame_cpu *books)
{
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (i != KFLAME_LOST_FILTER && i != KFLAME_LOST_IDLE && i != KFLAME_LOST_LENGTH)
			f->lost += books->lost[i];
}

/* Id of an event by its index in the options, see struct kflame_event */
static uint32_t event_id(const struct record_options *o, uint32_t i)
{
	return !o->nr_events || o->events[i].kind == KFLAME_EVENT_TIMER ? 0 : i + 1;
}

static uint32_t nr_events(const struct record_options *o)
{
	return o->nr_events ? o->nr_events : 1;
}

/* Ask the module.  Return: 0 or a negative errno. */
static int ask_figures(const struct recorder *r, struct figures *f)
{
	struct kflame_stats stats;
	int err;

	*f = (struct figures){ .lost = 0 };
	for (uint32_t i = 0; i < nr_events(r->o); i++) {
		err = device_stats(r->device, event_id(r->o, i), &stats);
		if (err)
			return err;
		f->counted[i] = stats.books.counted;
		f->weight[i] = stats.books.counted_ns;
		add_lost(f, &stats.books);
	}
	return 0;
}

/* From the profile, which was read whole */
static void read_figures(const struct recorder *r, struct figures *f)
{
	const struct profile *p = r->profile;

	*f = (struct figures){ .lost = 0 };
	for (size_t i = 0; i < p->nr_cpus; i++)
		add_lost(f, &p->cpus[i]);
	for (uint32_t i = 0; i < nr_events(r->o); i++) {
		const uint32_t id = event_id(r->o, i);
		const struct profile_event *e = profile_find_event(p, id);

		f->counted[i] = !id ? p->samples : e ? e->samples : 0;
		f->weight[i] = !id ? p->weight_ns : e ? e->weight : 0;
		for (size_t c = 0; id && e && c < e->nr_cpus; c++)
			add_lost(f, &e->cpus[c]);
	}
}

static void print_event(const struct figures *f, uint32_t i, const struct record_options *o)
{
	const uint32_t kind = o->nr_events ? o->events[i].kind : KFLAME_EVENT_TIMER;
	char buf[TEXT_NUMBER];

	if (kind == KFLAME_EVENT_OFFCPU || kind == KFLAME_EVENT_SLEEPERS)
		fprintf(stderr, "%s %s, ", text_seconds(buf, f->weight[i]), o->events[i].name);
	else
		fprintf(stderr, "%s %s, ", text_count(buf, f->counted[i]),
			kind == KFLAME_EVENT_TIMER ? "samples" : o->events[i].name);
}

/* "12,345 samples, 678 page-faults, 9.0 s off-cpu, 0 lost, 1.2 MB" */
static void print_figures(const struct recorder *r, const struct figures *f)
{
	const struct record_options *o = r->o;
	char buf[TEXT_NUMBER];

	for (uint32_t i = 0; i < nr_events(o); i++)
		print_event(f, i, o);
	fprintf(stderr, "%s lost, ", text_count(buf, f->lost));
	if (r->out.bytes < 1000000)
		fprintf(stderr, "%" PRIu64 ".%" PRIu64 " kB", r->out.bytes / 1000,
			r->out.bytes / 100 % 10);
	else
		fprintf(stderr, "%" PRIu64 ".%" PRIu64 " MB", r->out.bytes / 1000000,
			r->out.bytes / 100000 % 10);
}

void recorder_progress(struct recorder *r)
{
	struct figures figures;
	uint64_t seconds;

	if (ask_figures(r, &figures))
		return;
	seconds = (now_ns() - r->start_ns) / NS_PER_S;
	fprintf(stderr, "\rkflame: %" PRIu64 ":%02" PRIu64 "  ", seconds / 60, seconds % 60);
	print_figures(r, &figures);
	fputs("\033[K", stderr);
	fflush(stderr);
}

/* Report copies that gave no complete stack, with advice */
static void tell_copies(const struct copies_sums *s, bool asked)
{
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	/* In a default recording, only late stacks are copied: few are cut, and those are the deepest */
	if (s->cut && asked)
		fprintf(stderr, "kflame: %s of %s stacks are longer than their copies: record with -g dump,BYTES, up to %uK, for whole ones\n",
			text_count(a, s->cut), text_count(b, s->unwound), KFLAME_DUMP_MAX / 1024);
	if (s->both.stacks)
		both_print(&s->both, stderr);
	if (s->given_up)
		fprintf(stderr, "kflame: %s stacks could not be unwound: their callers are missing\n",
			text_count(a, s->given_up));
}

/* Return: advice for unwind tables that came too late, with the time when the last one was loaded */
static const char *help_late(struct recorder *r, char *text, size_t size)
{
	uint64_t last = tables_last(&r->tables);
	char seconds[TEXT_NUMBER];

	if (last <= r->start_ns || last >= r->stop_ns)
		return "unwind tables came too late; they are kept, so record again";
	snprintf(text, size, "unwind tables came too late, the last one after %s; they are kept, so record again",
		 text_seconds(seconds, last - r->start_ns));
	return text;
}

/* Report stacks that lack their callers, with advice; an observer (kflame top) gets no message */
static void tell_cut(struct recorder *r)
{
	const struct profile_addresses *a = r->profile->addresses;
	const char *help = "kflame info says why";
	char text[TEXT_NUMBER], late[160];

	if (!a || !a->samples || scale(a->cut, 1000, a->samples) < STACKS_CUT_MUCH)
		return;
	if (r->graph.uway == KFLAME_UWAY_FP)
		help = r->info.features & KFLAME_FEAT_TABLES ?
		       "those programs have no frame pointers: record without -g fp" :
		       "those programs have no frame pointers";
	else if (a->late > a->cut / 2)
		help = help_late(r, late, sizeof(late));
	fprintf(stderr, "kflame: %s of the user stacks end early, without their callers: %s\n",
		text_percent(text, a->cut, a->samples, 1), help);
}

/* Scripts of these interpreters have the interpreter's own functions only */
static void tell_interpreters(struct recorder *r)
{
	const size_t nr = tables_no_room(&r->tables);

	if (nr)
		fprintf(stderr, "kflame: the module has no room for %zu more interpreter%s: functions of %s programs are missing. Record fewer programs at once: -p\n",
			nr, nr == 1 ? "" : "s", nr == 1 ? "its" : "their");
}

#define HARDLY		20	/* at most 1/HARDLY of the recorded time on a CPU */

static bool has_timer(const struct record_options *o)
{
	return !o->nr_events || record_has_event(o, KFLAME_EVENT_TIMER);
}

/* A task that waits is not on a CPU, so it gets hardly any samples */
static void tell_waiting(const struct recorder *r)
{
	const struct record_options *o = r->o;
	uint64_t gone = r->stop_ns - r->start_ns;
	char text[TEXT_NUMBER];

	if (!(o->pids.nr || o->tids.nr || o->cgroups.nr) || !has_timer(o) || r->profile->weight_ns > gone / HARDLY)
		return;
	if (record_has_event(o, KFLAME_EVENT_OFFCPU) || record_has_event(o, KFLAME_EVENT_SLEEPERS))
		return;
	/* A removed group is the reason, and chosen_cgroups_tell() reported it */
	for (size_t i = 0; i < r->chosen.nr; i++)
		if (r->chosen.all[i].removed)
			return;
	fprintf(stderr, "kflame: what was chosen ran for %s of the time. For the rest it waited, which samples of CPU time do not show: --off-cpu records the waits\n",
		text_percent(text, r->profile->weight_ns, gone, 1));
}

void recorder_summary(struct recorder *r)
{
	const struct profile *p = r->profile;
	struct figures figures;

	fprintf(stderr, "%skflame: ", r->terminal ? "\r\033[K" : "");
	/* If the tool has not read all samples, use the module's counts. */
	if (!(r->deaf || profile_put_off(p)) || ask_figures(r, &figures))
		read_figures(r, &figures);
	print_figures(r, &figures);
	fprintf(stderr, "%s in %s\n", r->out.failed ? ": not all of them" : "", r->out.path);
	chosen_cgroups_tell(&r->chosen, r->stop_ns);
	if (!r->deaf && !profile_put_off(p)) {
		tell_cut(r);
		tell_waiting(r);
	}
	tell_interpreters(r);
	if (r->copies)
		tell_copies(copies_sums(r->copies), r->graph.uway != KFLAME_UWAY_AUTO);
}
