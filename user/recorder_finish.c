// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_finish.c - what the tool adds to a recording, and says about it
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "recorder.h"
#include "views/text.h"

#define MAX_COMMAND	4096	/* bytes of the command line that are told */

/* Which kernel it was, and where it was loaded, for who has its image */
static void add_kernel(const struct recorder *r, FILE *out)
{
	if (r->kernel.id.len)
		fprintf(out, "kernel-build-id=%s%c", kernel_id_show(&r->kernel.id).hex, 0);
	if (r->kernel.stext)
		fprintf(out, "kernel-base=%#" PRIx64 "%c", r->kernel.stext, 0);
}

/* "host=", "tool=", ...: see struct kflame_rec_host, a NUL after each */
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
	fprintf(out, "tool=%s%c", KFLAME_VERSION, 0);
	fprintf(out, "recorder-pid=%d%c", (int)getpid(), 0);
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

void recorder_finish(struct recorder *r)
{
	const struct profile_naming how = { .inlines = r->o->inlines };
	struct records more = { 0 };

	if (r->deaf || r->out.failed || r->failed)
		return;
	if (profile_finish(r->profile)) {
		complain("the module's stream makes no sense: %s", r->profile->why);
		r->failed = true;
		return;
	}
	r->kernel.device = r->device;
	if (naming_user(r->profile, r->held.fds, r->held.nr, &how, &more) ||
	    perf_maps_name(&r->maps, r->profile, &more) ||
	    naming_kernel(r->profile, &r->kernel, &more))
		more.failed = true;
	tables_records(&r->tables, r->profile, &more);
	cgroups_name(&r->cgroups, r->profile, &more);
	add_host(r, &more);
	if (!more.failed)
		records_end(&more, r->profile->records);
	if (more.failed) {
		complain("there is not enough memory to add all names to %s; the samples are in it",
			 r->out.path);
		r->failed = true;
	}
	record_output_write(&r->out, more.data, more.len);
	records_free(&more);
}

/* "12,345 samples, 0 lost, 1.2 MB" */
static void print_figures(struct recorder *r, uint64_t samples, const __u64 *lost_by)
{
	char a[TEXT_NUMBER], b[TEXT_NUMBER];
	uint64_t lost = 0;

	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (i != KFLAME_LOST_FILTER && i != KFLAME_LOST_IDLE)
			lost += lost_by[i];
	fprintf(stderr, "%s samples, %s lost, ", text_count(a, samples), text_count(b, lost));
	if (r->out.bytes < 1000000)
		fprintf(stderr, "%" PRIu64 ".%" PRIu64 " kB", r->out.bytes / 1000,
			r->out.bytes / 100 % 10);
	else
		fprintf(stderr, "%" PRIu64 ".%" PRIu64 " MB", r->out.bytes / 1000000,
			r->out.bytes / 100000 % 10);
}

void recorder_progress(struct recorder *r)
{
	struct kflame_stats stats;
	uint64_t seconds;

	if (device_stats(r->device, &stats))
		return;
	seconds = (now_ns() - r->start_ns) / NS_PER_S;
	fprintf(stderr, "\rkflame: %" PRIu64 ":%02" PRIu64 "  ", seconds / 60, seconds % 60);
	print_figures(r, stats.books.counted, stats.books.lost);
	fputs("\033[K", stderr);
	fflush(stderr);
}

/* What became of copies that did not become whole stacks, and what would help */
static void tell_copies(const struct copies_sums *s)
{
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	if (s->cut)
		fprintf(stderr, "kflame: %s of %s stacks are longer than their copies: record with -g dump,BYTES, up to %uK, for whole ones\n",
			text_count(a, s->cut), text_count(b, s->unwound), KFLAME_DUMP_MAX / 1024);
	if (s->both.stacks)
		both_print(&s->both, stderr);
	if (s->given_up)
		fprintf(stderr, "kflame: %s stacks could not be unwound: only where they were is known\n",
			text_count(a, s->given_up));
}

void recorder_summary(struct recorder *r)
{
	const struct profile *p = r->profile;
	uint64_t samples = p->samples;
	struct kflame_stats stats;
	__u64 lost[KFLAME_NR_LOST] = { 0 };

	for (size_t i = 0; i < p->nr_cpus; i++)
		for (unsigned int k = 0; k < KFLAME_NR_LOST; k++)
			lost[k] += p->cpus[i].lost[k];
	fprintf(stderr, "%skflame: ", r->terminal ? "\r\033[K" : "");
	/* Not all were looked at: as the module counted them */
	if ((r->deaf || profile_put_off(p)) && !device_stats(r->device, &stats))
		samples = stats.books.counted;
	print_figures(r, samples, lost);
	fprintf(stderr, "%s in %s\n", r->out.failed ? ": not all of them" : "", r->out.path);
	if (r->copies)
		tell_copies(copies_sums(r->copies));
}
