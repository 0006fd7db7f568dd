// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_profile.c - any bytes as a profile, through all that a command does with one
 *
 * Beyond not crashing: a profile is the same however its bytes are cut into
 * pieces, stacks are what stacks.h promises, and no sample is gained or lost on
 * the way to a picture.
 */
#include <errno.h>

#include "cmd/commands.h"
#include "fuzz.h"
#include "profile/addresses.h"
#include "profile/profile.h"
#include "profile/user_addresses.h"
#include "stacks/folded.h"
#include "stacks/names.h"
#include "stacks/open.h"
#include "stacks/stacks.h"
#include "stacks/tree.h"

struct sums {
	uint64_t samples;
	uint64_t ns;
};

static int check_stack(void *ctx, const struct frame *frames, size_t nr, uint64_t samples,
		       uint64_t ns)
{
	struct sums *sums = ctx;

	MUST(nr >= 1);
	MUST(frames[0].kind == FRAME_COMM || frames[0].kind == FRAME_NOTE);
	for (size_t i = 0; i < nr; i++) {
		MUST(frames[i].name && frames[i].name[0]);
		MUST(frames[i].kind <= FRAME_NOTE);
		MUST(!frames[i].file || strlen(frames[i].file) < KFLAME_REC_MAX);
	}
	sums->samples += samples;
	sums->ns += ns;
	return 0;
}

static int add_folded(void *ctx, const struct frame *frames, size_t nr, uint64_t samples,
		      uint64_t ns)
{
	return folded_add(ctx, FOLDED_KERNEL, frames, nr, samples, ns);
}

/* What is written as folded stacks is read back as as many samples */
static void check_folded(const struct profile *p)
{
	struct tree *t = tree_create(), *back = tree_create();
	struct folded_read read;
	size_t size;
	char *text;
	FILE *f;

	MUST(t && back);
	MUST(!profile_each_stack(p, add_folded, t));
	f = open_memstream(&text, &size);
	MUST(f && !folded_write(f, t, TREE_SAMPLES) && !fclose(f));
	if (size) {
		f = fmemopen(text, size, "r");
		MUST(f && !folded_read(f, "what was written", back, &read) && !fclose(f));
		MUST(!read.bad);
	}
	MUST(tree_sum(back).samples == p->samples);
	free(text);
	tree_destroy(t);
	tree_destroy(back);
}

/* Both have the same events, with the same sums */
static void check_events(const struct profile *p, const struct profile *whole)
{
	MUST(p->nr_events == whole->nr_events && p->nr_events <= PROFILE_MAX_EVENTS);
	for (size_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *a = &p->events[i], *b = &whole->events[i];

		MUST(a->id == b->id && a->unit == b->unit && !strcmp(a->name, b->name));
		MUST(a->samples == b->samples && a->weight == b->weight && a->nr_cpus == b->nr_cpus);
	}
}

/* Feeds it in pieces of an unaligned size, each in memory of just that size */
static void check_pieces(const struct profile *whole, const uint8_t *data, size_t size)
{
	struct profile *p = profile_create();
	size_t piece = 1 + size % 61;
	int err = 0;

	MUST(p);
	for (size_t at = 0; at < size && !err; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		void *copy = malloc(n);

		MUST(copy);
		memcpy(copy, data + at, n);
		err = profile_feed(p, copy, n);
		free(copy);
	}
	MUST(!err || err == -EILSEQ);
	profile_finish(p);
	if (whole) {
		check_events(p, whole);
		MUST(p->state == whole->state && p->records == whole->records);
		MUST(p->samples == whole->samples && p->weight_ns == whole->weight_ns);
		MUST(p->nr_stacks == whole->nr_stacks && p->nr_counts == whole->nr_counts);
		MUST(p->nr_files == whole->nr_files && p->nr_aspaces == whole->nr_aspaces);
	}
	profile_destroy(p);
}

static int take_any(void *ctx, const struct user_address *a)
{
	(void)ctx;
	MUST(!a->map || (a->at >= a->map->start && a->at < a->map->end));
	return 0;
}

/* As a recorder reads it: without stacks; @fd: the file to read the samples from afterwards, or -1 */
static struct profile *read_light(const uint8_t *data, size_t size, int fd)
{
	struct profile *p = profile_create();
	int err, again;

	MUST(p && !profile_leave_out_stacks(p));
	if (fd >= 0)
		profile_put_off_samples(p);
	err = profile_feed(p, data, size);
	again = profile_take_samples(p, fd, size / 3);
	if (!again)
		again = profile_take_samples(p, fd, size);
	MUST(!again || again == err);
	profile_finish(p);
	MUST(!each_user_address(p, take_any, NULL));
	return p;
}

static void check_light(const struct profile *whole, const uint8_t *data, size_t size, int fd)
{
	struct profile *p = read_light(data, size, -1), *later = read_light(data, size, fd);

	if (whole) {
		check_events(p, whole);
		MUST(p->samples == whole->samples && p->weight_ns == whole->weight_ns);
		MUST(p->records == whole->records && p->state == whole->state);
		/* It takes fewer numbers of stacks than there can be: see note_place() */
		MUST(p->damaged >= whole->damaged);
	}
	MUST(p->samples == later->samples && p->weight_ns == later->weight_ns);
	MUST(p->records == later->records && p->bytes == later->bytes && p->state == later->state);
	MUST(p->damaged == later->damaged && p->unknown == later->unknown);
	MUST(p->lost_stacks == later->lost_stacks && !strcmp(p->why, later->why));
	MUST(p->addresses->nr_kernel == later->addresses->nr_kernel);
	MUST(p->addresses->nr_user == later->addresses->nr_user);
	profile_destroy(p);
	profile_destroy(later);
}

static const struct {
	int (*run)(int argc, char **argv);
	const char *option;
	bool writes;
} commands[] = {
	{ cmd_info, "--cpus", false },
	{ cmd_info, "--raw", false },
	{ cmd_fold, "--time", true },
	{ cmd_fold, "--lines", true },
	{ cmd_fold, "--no-inline", true },
	{ cmd_report, "--time", true },
	{ cmd_report, "--sort=total", true },
	{ cmd_flame, "--time", true },
	{ cmd_flame, "--idle", true },
	{ cmd_flame, "--heatmap", true },
	{ cmd_flame, "--chart", true },
	{ cmd_fold, "--from=10%", true },
	{ cmd_fold, "--event=page-faults", true },
	{ cmd_fold, "--root=container", true },
	{ cmd_report, "--root=tid", true },
	{ cmd_fold, "--wakers", true },
	{ cmd_report, "--wakers", true },
	{ cmd_fold, "--labels", true },
	{ cmd_report, "--root=label", true },
	{ cmd_report, "--json", true },
	{ cmd_report, "--tree", true },
	{ cmd_report, "--callers", true },
	{ cmd_report, "--callees", true },
	{ cmd_report, "--by=all", true },
	{ cmd_report, "--annotate=main", true },
	{ cmd_flame, "--reverse", true },
	{ cmd_view, NULL, true },
	{ cmd_view, "--from=10%", true },
	{ cmd_convert, "--to=pprof", true },
	{ cmd_convert, "--to=speedscope", true },
	{ cmd_convert, "--to=firefox", true },
	{ cmd_convert, "--to=chrome", true },
	{ cmd_convert, "--to=perf-script", true },
	{ cmd_convert, "--to=collapsed", true },
	{ cmd_archive, NULL, true },
	{ cmd_fold, "--wall", true },
	{ cmd_report, "--runq", true },
	{ cmd_report, "--locks", true },
	{ cmd_report, "--latency", true },
	{ cmd_report, "--at=t0000", true },
	{ cmd_summary, NULL, true },
	{ cmd_summary, "--json", true },
	{ cmd_summary, "--pid=101", true },
};

/* Commands that take two profiles: the same one twice, since a command line has one input */
static const struct {
	int (*run)(int argc, char **argv);
	const char *option;
} pairs[] = {
	{ cmd_merge, NULL },
	{ cmd_summary, NULL },
	{ cmd_diff, "--json" },
	{ cmd_diff, "--sort=total" },
	{ cmd_diff, "--flame" },
	{ cmd_view, NULL },
};

#define NR_PAIRS	(sizeof(pairs) / sizeof(pairs[0]))

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

/* What a command exits with is its own business */
static void run(size_t i, char *path)
{
	char name[] = "kflame fuzz", in[] = "-i", out[] = "-o", nowhere[] = "/dev/null";
	char *argv[8] = { name, in, path };
	int argc = 3;

	if (commands[i].writes) {
		argv[argc++] = out;
		argv[argc++] = nowhere;
	}
	if (commands[i].option)
		argv[argc++] = (char *)commands[i].option;
	commands[i].run(argc, argv);
}

static void run_pair(size_t i, char *path)
{
	char name[] = "kflame fuzz", out[] = "-o", nowhere[] = "/dev/null";
	char *argv[8] = { name, path, path, out, nowhere, (char *)pairs[i].option };

	pairs[i].run(pairs[i].option ? 6 : 5, argv);
}

/* One of them when searching, which is thrice as fast; all when replaying */
static void run_some(size_t size, char *path)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (fuzz_replays || i == size / 8 % (NR_COMMANDS + NR_PAIRS))
			run(i, path);
	for (size_t i = 0; i < NR_PAIRS; i++)
		if (fuzz_replays || NR_COMMANDS + i == size / 8 % (NR_COMMANDS + NR_PAIRS))
			run_pair(i, path);
}

/* Views show one event */
static void check_shown(char *path)
{
	struct profile *p = open_profile(path, NULL);
	struct sums sums = { 0 };

	MUST(p && p->event);
	MUST(!profile_each_stack(p, check_stack, &sums));
	MUST(sums.samples == p->samples && sums.ns == p->weight_ns);
	MUST(!profile_counted(p) || !p->weight_ns);
	check_folded(p);
	profile_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct naming every_event = { .every_event = true };
	int fd = fuzz_file(data, size);
	char path[FUZZ_PATH];
	struct profile *p;

	fuzz_path(path, fd);
	p = open_profile(path, &every_event);
	check_pieces(p, data, size);
	check_light(p, data, size, fd);
	if (p) {
		check_shown(path);
		run_some(size, path);
	}
	profile_destroy(p);
	close(fd);
	return 0;
}
