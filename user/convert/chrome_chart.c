// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chrome_chart.c - Chrome's trace events of a profile that has the time of each sample
 *
 * A box of the chart is a complete event ("X"): it has a begin and a duration, in microseconds. Viewers nest events of
 * a thread by these.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "convert/chrome_chart.h"
#include "convert/formats.h"
#include "stacks/load.h"
#include "views/chart.h"

/* A CPU's lane, for idle time and gaps, is no thread. No thread has such ids: see PID_MAX_LIMIT of the kernel */
#define CPU_IDS	2000000000U

static void put_ids(FILE *out, const struct chart_lane *l)
{
	fprintf(out, "\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, l->pid ? l->pid : CPU_IDS,
		l->pid ? l->tid : CPU_IDS + l->cpu);
}

/* @what: "process_name" or "thread_name" */
static void put_name(FILE *out, const struct chart_lane *l, const char *what, const char *name)
{
	fputs(",\n{\"ph\":\"M\",", out);
	put_ids(out, l);
	fprintf(out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	json_string(out, name);
	fputs("}}", out);
}

static void put_box(FILE *out, const struct chart *c, const struct chart_lane *l, const struct chart_box *b)
{
	const struct frame *f = &c->frames[b->frame];

	fputs(",\n{\"ph\":\"X\",", out);
	put_ids(out, l);
	fputs(",\"ts\":", out);
	json_milli(out, b->from_ns);
	fputs(",\"dur\":", out);
	json_milli(out, b->to_ns - b->from_ns);
	fputs(",\"name\":", out);
	json_string(out, f->name);
	if (f->file) {
		fputs(",\"cat\":", out);
		json_string(out, f->file);
	}
	putc('}', out);
}

static void put_lane(FILE *out, const struct chart *c, const struct chart_lane *l)
{
	if (!l->nr)
		return;
	put_name(out, l, "process_name", l->pid ? l->comm : "[CPUs]");
	put_name(out, l, "thread_name", l->pid ? l->comm : l->name);
	for (size_t i = 0; i < l->nr; i++)
		put_box(out, c, l, &l->boxes[i]);
}

static void put_file(FILE *out, const struct chart *c, const char *title)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"kflame\",\"title\":", out);
	json_string(out, title);
	fputs(",\"note\":\"times are since the start of the recording\",\"unit\":\"moments\"},\n\"traceEvents\":[\n"
	      "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"trace_title\",\"args\":{\"name\":", out);
	json_string(out, title);
	fputs("}}", out);
	for (size_t i = 0; i < c->nr_lanes; i++)
		put_lane(out, c, &c->lanes[i]);
	fputs("]}\n", out);
}

int chrome_chart_write(FILE *out, struct source *s)
{
	const struct chart_options o = { .idle = !s->o->no_idle };
	const struct profile_range *range = &s->o->naming.range;
	char *title = source_title(s);
	struct chart c = { 0 };
	int err = -ENOMEM;

	/* With a range, this was done when the profile was opened */
	if (!profile_range_is_set(range) && profile_use_timeline(s->profile, s->o->path, range)) {
		free(title);
		return -ENODATA;
	}
	if (title)
		err = chart_make(&c, s->profile, &o);
	if (err)
		load_failed(err, "converting the samples of threads");
	else if (!c.nr_lanes)
		err = convert_nothing(TREE_SAMPLES, false);
	else
		put_file(out, &c, title);
	chart_exit(&c);
	free(title);
	return err;
}
