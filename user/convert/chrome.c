// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chrome.c - Chrome's trace events (the "JSON Object Format" of its Trace Event Format)
 *
 * chrome_chart.c writes profiles that have the time and the duration of each sample. Other input has counts, so this file invents
 * durations. It writes the call tree: each node begins
 * ("B") where the previous one ended ("E"), and is as wide as its weight.  Most viewers draw such events
 * well, but do not read stack samples (the format's "samples").  A sample becomes a microsecond. Nanoseconds
 * stay nanoseconds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "convert/chrome_chart.h"
#include "convert/formats.h"
#include "convert/times.h"

/* An event that has begun and not ended; by depth: the node, and where its next child begins */
struct open_node {
	uint32_t node;
	uint64_t at;
};

struct trace {
	FILE *out;
	const struct tree *t;
	enum tree_unit unit;
	struct open_node *open;
	uint32_t depth;
};

static void put_time(const struct trace *x, uint64_t at)
{
	if (x->unit == TREE_NS)
		json_milli(x->out, at);
	else
		fprintf(x->out, "%" PRIu64, at);
}

static const struct frame *frame_of(const struct trace *x, uint32_t node)
{
	return &x->t->frames[x->t->nodes[node].frame];
}

/* @again: the next event has the same name, see end_to() */
static void put_event(const struct trace *x, char phase, uint32_t node, uint64_t at, bool again)
{
	const struct frame *f = frame_of(x, node);

	fprintf(x->out, ",\n{\"ph\":\"%c\",\"pid\":1,\"tid\":1,\"ts\":", phase);
	put_time(x, at);
	fputs(",\"name\":", x->out);
	json_string(x->out, f->name);
	if (phase == 'B' && f->file) {
		fputs(",\"cat\":", x->out);
		json_string(x->out, f->file);
	}
	fputs(again ? ",\"args\":{}}" : "}", x->out);
}

/*
 * End all events at @depth or deeper. Then @next begins, or nothing if it is TREE_ROOT.
 *
 * speedscope has a problem if a frame ends and an equal one begins at the same time, with the same name and
 * arguments: it takes them for one frame without duration, and so nests siblings (src/import/trace-event.ts,
 * selectQueueToTakeFromNext()).  Different arguments distinguish them, even if one has none.
 */
static void end_to(struct trace *x, uint32_t depth, uint32_t next)
{
	for (; x->depth >= depth; x->depth--) {
		uint32_t node = x->open[x->depth].node;
		uint64_t begin = x->open[x->depth - 1].at;
		uint64_t end = begin + tree_weight(&x->t->nodes[node].total, x->unit);

		put_event(x, 'E', node, end, next != TREE_ROOT &&
			  !strcmp(frame_of(x, node)->name, frame_of(x, next)->name));
		x->open[x->depth - 1].at = end;
	}
}

static void put_nodes(struct trace *x)
{
	for (uint32_t node = 1; node < x->t->nr_nodes; node++) {
		uint32_t depth = x->t->nodes[node].depth;

		if (!tree_weight(&x->t->nodes[node].total, x->unit))
			continue;
		end_to(x, depth, node);
		x->depth = depth;
		x->open[depth] = (struct open_node){ node, x->open[depth - 1].at };
		put_event(x, 'B', node, x->open[depth].at, false);
	}
	end_to(x, 1, TREE_ROOT);
}

static int put_file(FILE *out, const struct tree *t, enum tree_unit unit, const char *title,
		    struct source *s)
{
	struct trace x = { .out = out, .t = t, .unit = unit };

	(void)s;
	x.open = calloc(TREE_MAX_DEPTH + 2, sizeof(*x.open));
	if (!x.open)
		return -ENOMEM;
	fprintf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"kflame\","
		"\"note\":\"durations are weights, one after another, no moments\",\"unit\":\"%s\"},\n"
		"\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":",
		unit == TREE_NS ? "time" : "a microsecond is a sample");
	json_string(out, title);
	fputs("}}", out);
	put_nodes(&x);
	fputs("]}\n", out);
	free(x.open);
	return 0;
}

/* Calls overlap, and hits of an event have no duration */
static bool has_durations(const struct source *s)
{
	return source_has_times(s) && !profile_counted(s->profile) && !profile_shows_latency(s->profile);
}

int convert_chrome(FILE *out, struct source *s, enum tree_unit unit)
{
	return has_durations(s) ? chrome_chart_write(out, s) : convert_by_tree(out, s, unit, put_file);
}
