// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * firefox.c - writes the Firefox Profiler's processed format
 *
 * Only the processed format has weights; Gecko's own format has none.  The version is 56, which newer
 * versions of profiler.firefox.com upgrade (docs-developer/CHANGELOG-formats.md of
 * firefox-devtools/profiler).  Every table is a set of columns.  The first thread has the call trees of all
 * threads, the others have one each. With --timeline, each sample has its time. Else a stack is one sample, whose time is
 * the sum of the weights before it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/json.h"
#include "convert/formats.h"
#include "convert/threads.h"
#include "convert/times.h"

#define FORMAT_VERSION	56

struct firefox {
	FILE *out;
	const struct tree *t;
	enum tree_unit unit;
	const char *title;
	struct intern files;	/* paths of the files of all frames */
	uint32_t *file;		/* by frame: index of its file, INDEX_NONE for none */
	uint32_t *above;	/* by depth: the row of the latest stack */
	struct part part;	/* the threads that are written now */
	uint32_t *used;		/* its frames */
	uint32_t nr_used;
	uint32_t *row;		/* by frame: index in .used */
	uint32_t *stack;	/* by node: index of its stack in the part */
	struct moment *moments;	/* NULL: there are no times */
	size_t nr_moments;
};

/* Colours close to those of the flame graph, from the format's own set.  The index is the kind of frame */
static const char *const categories[] = {
	[FRAME_COMM] = "{\"name\":\"Thread\",\"color\":\"grey\"",
	[FRAME_USER] = "{\"name\":\"User\",\"color\":\"orange\"",
	[FRAME_INLINED] = "{\"name\":\"Inlined\",\"color\":\"yellow\"",
	[FRAME_KERNEL] = "{\"name\":\"Kernel\",\"color\":\"blue\"",
	[FRAME_SOFTIRQ] = "{\"name\":\"Softirq\",\"color\":\"magenta\"",
	[FRAME_NOTE] = "{\"name\":\"Note\",\"color\":\"darkgrey\"",
	[FRAME_ROOT] = "{\"name\":\"Group\",\"color\":\"green\"",
	[FRAME_SCRIPT] = "{\"name\":\"Script\",\"color\":\"purple\"",
};

/* Return: whether a node of the part is a stack with a weight */
static bool is_row(const struct firefox *x, const struct tree_node *n)
{
	return n->depth > x->part.base && tree_weight(&n->total, x->unit);
}

static int number_files(struct firefox *x, const bool *is_thread)
{
	for (uint32_t i = 1; i < x->t->nr_frames; i++) {
		const char *file = x->t->frames[i].file;

		x->file[i] = INDEX_NONE;
		/* Of threads, it has the ids */
		if (!file || is_thread[i])
			continue;
		x->file[i] = intern_bytes(&x->files, file, strlen(file), NULL);
		if (x->file[i] == INDEX_NONE)
			return -ENOMEM;
	}
	return 0;
}

static void put_meta(const struct firefox *x, const struct source *s)
{
	const struct profile *p = s->profile;
	const char *before = "[";

	fputs("{\"meta\":{\"interval\":", x->out);
	json_milli(x->out, p && p->session.period_ns ? p->session.period_ns / 1000 : 1000);
	fputs(",\"startTime\":", x->out);
	json_milli(x->out, p ? p->session.start_realtime_ns / 1000 : 0);
	fputs(",\"processType\":0,\"product\":", x->out);
	json_string(x->out, x->title);
	fprintf(x->out, ",\"importedFrom\":\"kflame\",\"stackwalk\":1,\"debug\":false,\"version\":24,"
		"\"preprocessedProfileVersion\":%d,\"symbolicated\":true,\"markerSchema\":[],"
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},\n\"categories\":",
		FORMAT_VERSION);
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++, before = ",")
		fprintf(x->out, "%s%s,\"subcategories\":[\"Other\"]}", before, categories[i]);
	fputs("]},\n", x->out);
}

static void put_libs(const struct firefox *x)
{
	fputs("\"libs\":[", x->out);
	for (size_t i = 0; i < x->files.nr; i++) {
		static const char *const keys[] = { "name", "path", "debugName", "debugPath" };

		fputs(i ? ",\n{" : "\n{", x->out);
		for (size_t k = 0; k < 4; k++) {
			fprintf(x->out, "\"%s\":", keys[k]);
			json_string(x->out, x->files.all[i].bytes);
			putc(',', x->out);
		}
		fputs("\"arch\":\"\",\"breakpadId\":\"\",\"codeId\":null}", x->out);
	}
	fputs("],\n\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n", x->out);
}

/* Write the names of all frames, then those of files.  Frame 0 is the root of the tree, which has no file */
static void put_strings(const struct firefox *x)
{
	fputs("\"shared\":{\"stringArray\":[\"\"", x->out);
	for (uint32_t i = 1; i < x->t->nr_frames; i++) {
		fputs(",\n", x->out);
		json_string(x->out, x->t->frames[i].name);
	}
	for (size_t i = 0; i < x->files.nr; i++) {
		fputs(",\n", x->out);
		json_string(x->out, x->files.all[i].bytes);
	}
	fputs("]},\n", x->out);
}

/* Write a column with the same value in all rows; or numbers that count up from @from, if @value is NULL */
static void put_column(const struct firefox *x, const char *name, const char *value, size_t from,
		       size_t nr)
{
	fprintf(x->out, ",\n\"%s\":[", name);
	for (size_t i = 0; i < nr; i++) {
		fputs(i ? "," : "", x->out);
		if (value)
			fputs(value, x->out);
		else
			fprintf(x->out, "%zu", from + i);
	}
	putc(']', x->out);
}

static void put_same(const struct firefox *x, const char *name, const char *value, size_t nr)
{
	put_column(x, name, value, 0, nr);
}

static void put_count(const struct firefox *x, const char *name, size_t from, size_t nr)
{
	put_column(x, name, NULL, from, nr);
}

/* Find the frames of a part, and give them rows.  Threads have tables of their own */
static void number_frames(struct firefox *x)
{
	x->nr_used = 0;
	memset(x->row, 0xff, x->t->nr_frames * sizeof(*x->row));
	for (uint32_t i = x->part.begin; i < x->part.end; i++) {
		const struct tree_node *n = &x->t->nodes[i];

		if (!is_row(x, n) || x->row[n->frame] != INDEX_NONE)
			continue;
		x->row[n->frame] = x->nr_used;
		x->used[x->nr_used++] = n->frame;
	}
}

/* Write each frame as a function */
static void put_frames(const struct firefox *x)
{
	size_t nr = x->nr_used;

	fprintf(x->out, "\"frameTable\":{\"length\":%zu,\n\"category\":[", nr);
	for (uint32_t i = 0; i < nr; i++)
		fprintf(x->out, i ? ",%d" : "%d", (int)x->t->frames[x->used[i]].kind);
	putc(']', x->out);
	put_count(x, "func", 0, nr);
	put_same(x, "address", "-1", nr);
	put_same(x, "inlineDepth", "0", nr);
	put_same(x, "subcategory", "0", nr);
	put_same(x, "nativeSymbol", "null", nr);
	put_same(x, "innerWindowID", "null", nr);
	put_same(x, "line", "null", nr);
	put_same(x, "column", "null", nr);
	fprintf(x->out, "},\n\"funcTable\":{\"length\":%zu,\n\"resource\":[", nr);
	for (uint32_t i = 0; i < nr; i++)
		fprintf(x->out, i ? ",%d" : "%d", (int)x->file[x->used[i]]);	/* INDEX_NONE is -1 */
	fputs("],\n\"name\":[", x->out);
	for (uint32_t i = 0; i < nr; i++)
		fprintf(x->out, i ? ",%" PRIu32 : "%" PRIu32, x->used[i]);
	putc(']', x->out);
	put_same(x, "isJS", "false", nr);
	put_same(x, "relevantForJS", "false", nr);
	put_same(x, "fileName", "null", nr);
	put_same(x, "lineNumber", "null", nr);
	put_same(x, "columnNumber", "null", nr);
	fprintf(x->out, "},\n\"resourceTable\":{\"length\":%zu", x->files.nr);
	put_count(x, "lib", 0, x->files.nr);
	put_count(x, "name", x->t->nr_frames, x->files.nr);
	put_same(x, "host", "null", x->files.nr);
	put_same(x, "type", "1", x->files.nr);
	fputs("},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
	      "\"functionSize\":[]},\n", x->out);
}

/* Rows are the part's nodes in the tree's order, callers first, without nodes of weight 0 */
static void put_stacks(struct firefox *x)
{
	uint32_t row = 0;

	fputs("\"stackTable\":{\"prefix\":[", x->out);
	for (uint32_t i = x->part.begin; i < x->part.end; i++) {
		const struct tree_node *n = &x->t->nodes[i];

		if (!is_row(x, n))
			continue;
		x->above[n->depth] = x->stack[i] = row;
		fputs(row++ ? "," : "", x->out);
		if (n->depth == x->part.base + 1)
			fputs("null", x->out);
		else
			fprintf(x->out, "%" PRIu32, x->above[n->depth - 1]);
	}
	fprintf(x->out, "],\n\"length\":%" PRIu32 ",\n\"frame\":[", row);
	row = 0;
	for (uint32_t i = x->part.begin; i < x->part.end; i++) {
		const struct tree_node *n = &x->t->nodes[i];

		if (is_row(x, n))
			fprintf(x->out, row++ ? ",%" PRIu32 : "%" PRIu32, x->row[n->frame]);
	}
	fputs("]},\n", x->out);
}

static void put_ms(const struct firefox *x, uint64_t ns)
{
	fprintf(x->out, "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
}

enum column { STACK, TIME, WEIGHT };

/* @at: the time, in nanoseconds; or the sum of the weights before it */
static void put_sample(const struct firefox *x, enum column what, uint32_t node, uint64_t at, uint64_t weight)
{
	if (what == STACK)
		fprintf(x->out, "%" PRIu32, x->stack[node]);
	else if (x->unit == TREE_NS || (what == TIME && x->moments))
		put_ms(x, what == TIME ? at : weight);
	else
		fprintf(x->out, "%" PRIu64, what == TIME ? at : weight);
}

/* Return: number of rows */
static size_t put_moments(const struct firefox *x, enum column what)
{
	size_t row = 0;

	for (size_t i = 0; i < x->nr_moments; i++) {
		const struct moment *m = &x->moments[i];

		if (m->node < x->part.begin || m->node >= x->part.end)
			continue;
		fputs(row++ ? "," : "", x->out);
		put_sample(x, what, m->node, m->time_ns, m->weight);
	}
	return row;
}

static size_t put_sums(const struct firefox *x, enum column what)
{
	uint64_t at = 0;
	size_t row = 0;

	for (uint32_t i = x->part.begin; i < x->part.end; i++) {
		uint64_t weight = tree_weight(&x->t->nodes[i].self, x->unit);

		if (!is_row(x, &x->t->nodes[i]) || !weight)
			continue;
		fputs(row++ ? "," : "", x->out);
		put_sample(x, what, i, at, weight);
		at += weight;
	}
	return row;
}

/* Return: number of rows */
static size_t put_samples(const struct firefox *x, enum column what)
{
	static const char *const names[] = { "stack", "time", "weight" };
	size_t nr;

	fprintf(x->out, "\"%s\":[", names[what]);
	nr = x->moments ? put_moments(x, what) : put_sums(x, what);
	fputs("],\n", x->out);
	return nr;
}

/* Write who the part is: all threads, or one of them */
static void put_who(const struct firefox *x)
{
	unsigned int pid, tid;

	threads_id(&x->part, &pid, &tid);
	fputs("{\"name\":", x->out);
	json_string(x->out, x->part.thread ? x->part.thread->name : "all");
	fputs(",\"processName\":", x->out);
	json_string(x->out, x->part.thread ? x->part.thread->name : x->title);
	fprintf(x->out, ",\"processType\":\"default\",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":%u,",
		pid == tid ? "true" : "false", pid, tid);
}

static void put_thread(struct firefox *x)
{
	number_frames(x);
	put_who(x);
	fputs("\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
	      "\"unregisterTime\":null,\"pausedRanges\":[],\n"
	      "\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
	      "\"phase\":[],\"category\":[]},\n", x->out);
	put_frames(x);
	put_stacks(x);
	fputs("\"samples\":{", x->out);
	put_samples(x, STACK);
	put_samples(x, TIME);
	fprintf(x->out, "\"length\":%zu,\"weightType\":\"%s\"}}",
		put_samples(x, WEIGHT), x->unit == TREE_NS ? "tracing-ms" : "samples");
}

static void put_threads(struct firefox *x)
{
	fputs("\"threads\":[", x->out);
	put_thread(x);
	while (threads_next(x->t, x->unit, &x->part)) {
		fputs(",\n", x->out);
		put_thread(x);
	}
	fputs("]}\n", x->out);
}

/* Return: for each frame, whether it is a thread's, to be freed; NULL without memory */
static bool *find_threads(const struct firefox *x)
{
	bool *is_thread = calloc(x->t->nr_frames, sizeof(*is_thread));

	for (uint32_t i = 1; is_thread && x->part.base && i < x->t->nr_nodes; i++)
		is_thread[x->t->nodes[i].frame] |= x->t->nodes[i].depth == 1;
	return is_thread;
}

static int put_file(FILE *out, const struct tree *t, enum tree_unit unit, const char *title,
		    struct source *s)
{
	struct firefox x = { .out = out, .t = t, .unit = unit, .title = title, .part = threads_all(s, t) };
	bool *is_thread = find_threads(&x);
	int err = -ENOMEM;

	x.file = calloc(t->nr_frames, sizeof(*x.file));
	x.used = calloc(t->nr_frames, sizeof(*x.used));
	x.row = calloc(t->nr_frames, sizeof(*x.row));
	x.above = calloc(TREE_MAX_DEPTH + 2, sizeof(*x.above));
	x.stack = calloc(t->nr_nodes, sizeof(*x.stack));
	if (is_thread && x.file && x.used && x.row && x.above && x.stack)
		err = number_files(&x, is_thread);
	if (!err)
		err = moments_read(s, t, unit, &x.moments, &x.nr_moments);
	if (!err) {
		put_meta(&x, s);
		put_libs(&x);
		put_strings(&x);
		put_threads(&x);
	}
	intern_exit(&x.files);
	free(is_thread);
	free(x.file);
	free(x.used);
	free(x.row);
	free(x.above);
	free(x.stack);
	free(x.moments);
	return err;
}

int convert_firefox(FILE *out, struct source *s, enum tree_unit unit)
{
	return convert_by_threads(out, s, unit, put_file);
}
