// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_script_read.c - reads samples from the text that "perf script" prints
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"
#include "convert/perf_script_line.h"
#include "convert/perf_script_read.h"

#define TOLD_BAD_LINES	5
#define MAX_FRAMES	65536	/* limit for one sample: far more than perf ever records */

/* State of the reader, with the present sample; each of .lines has the strings of one frame */
struct reader {
	const char *name;
	char *event;		/* the event to read; NULL: none seen yet */
	bool chosen;		/* the user chose .event: skip other events */
	sample_fn fn;
	void *ctx;
	struct perf_script_result *result;
	uint64_t number;	/* of the present line, from 1 */
	bool inside;		/* within a sample */
	bool wanted;		/* the sample has the right event */
	bool one_line;		/* the only frame so far is from the first line */
	bool skipping;		/* the present lines belong to no sample */
	char *header;
	struct perf_header h;
	char **lines;
	struct frame *frames;
	struct place *places;
	size_t nr, cap_lines, cap_frames, cap_places;
};

static void tell_bad(struct reader *r, const char *why)
{
	if (!r->result->bad++)
		r->result->first_bad = r->number;
	if (r->result->bad <= TOLD_BAD_LINES)
		complain("%s: line %" PRIu64 " is not of perf script's text: %s", r->name, r->number,
			 why);
}

static void forget(struct reader *r)
{
	while (r->nr)
		free(r->lines[--r->nr]);
	free(r->header);
	r->header = NULL;
	r->inside = false;
	r->one_line = false;
}

/* Make room for one more frame at the end.  Return: 0 or -ENOMEM. */
static int room(struct reader *r)
{
	int err = grow(&r->lines, r->nr, &r->cap_lines, sizeof(*r->lines));

	if (!err)
		err = grow(&r->frames, r->nr, &r->cap_frames, sizeof(*r->frames));
	if (!err)
		err = grow(&r->places, r->nr, &r->cap_places, sizeof(*r->places));
	return err;
}

/* Texts begin with the innermost frame, behind the thread: turn the order round */
static void reverse(struct reader *r)
{
	bool caller = false;

	for (size_t i = 0, k = r->nr - 1; i < k; i++, k--) {
		struct frame f = r->frames[i];
		struct place at = r->places[i];

		r->frames[i] = r->frames[k];
		r->places[i] = r->places[k];
		r->frames[k] = f;
		r->places[k] = at;
	}
	/* All addresses but the innermost are return addresses; an inlined frame has that of its function */
	for (size_t i = r->nr; i-- > 0; caller |= !r->places[i].inlined)
		r->places[i].caller = caller && r->places[i].address;
}

/* Set the samples and the time that one event stands for */
static void weigh(const struct perf_header *h, struct sample *s)
{
	size_t len = strcspn(h->event, ":");
	bool clock = (len == 9 && !strncmp(h->event, "cpu-clock", len)) ||
		     (len == 10 && !strncmp(h->event, "task-clock", len));

	s->samples = 1;
	if (!strcmp(h->event, PERF_SCRIPT_SAMPLES)) {
		s->samples = h->period;
	} else if (!strcmp(h->event, PERF_SCRIPT_NS)) {
		s->samples = 0;
		s->ns = h->period;
	} else if (clock) {
		s->ns = h->period;
	}
}

/* Add the thread, which becomes the outermost frame */
static int add_thread(struct reader *r)
{
	size_t len = strlen(r->h.comm);
	bool note = !r->nr && len > 2 && r->h.comm[0] == '[' && r->h.comm[len - 1] == ']';
	int err = room(r);

	if (err)
		return err;
	r->lines[r->nr] = NULL;
	r->places[r->nr] = (struct place){ 0 };
	r->frames[r->nr++] = (struct frame){
		.name = len ? r->h.comm : "[no name]", .kind = note ? FRAME_NOTE : FRAME_COMM,
	};
	return 0;
}

/* The sample is complete: pass it on */
static int give(struct reader *r)
{
	struct sample s = { .tgid = r->h.tgid, .tid = r->h.tid };
	int err = 0;

	if (r->inside && r->wanted) {
		err = add_thread(r);
		if (!err) {
			reverse(r);
			weigh(&r->h, &s);
			s.frames = r->frames;
			s.places = r->places;
			s.nr = r->nr;
			r->result->samples++;
			err = r->fn(r->ctx, &s);
		}
	}
	forget(r);
	return err;
}

/* Does the sample have the event to read?  Return: 0 or a negative errno */
static int choose(struct reader *r)
{
	r->wanted = true;
	if (!r->event) {
		r->event = strdup(r->h.event);
		return r->event ? 0 : -ENOMEM;
	}
	r->wanted = !strcmp(r->event, r->h.event);
	r->result->others += !r->wanted;
	if (r->wanted || r->chosen)
		return 0;
	complain("%s: line %" PRIu64 ": after samples of '%s', one of '%s': these are not to be added up; choose one with --event",
		 r->name, r->number, r->event, r->h.event);
	return -EINVAL;
}

/* Add a frame; owns @line from here on */
static int add_frame(struct reader *r, char *line, const struct frame *f, const struct place *at)
{
	int err;

	/* A stack follows, so the address on the first line is the address of data: drop it */
	if (r->one_line)
		free(r->lines[--r->nr]);
	r->one_line = false;
	err = room(r);
	if (err || r->nr >= MAX_FRAMES) {
		if (!err)
			tell_bad(r, "the stack is deeper than any");
		free(line);
		return err;
	}
	r->lines[r->nr] = line;
	r->places[r->nr] = *at;
	r->frames[r->nr++] = *f;
	return 0;
}

/* Begin a sample with its first line; owns @line from here on */
static int begin(struct reader *r, char *line, const struct perf_header *h)
{
	struct place at;
	struct frame f;
	char *rest;
	int err = give(r);

	r->skipping = h->is_record;
	if (h->is_record || perf_header_is_branch(h)) {
		if (!h->is_record)
			tell_bad(r, "it is a branch (FROM => TO), not a stack. "
				 "Record with perf record -g, without -b");
		r->skipping = true;
		free(line);
		return err;
	}
	r->header = line;
	r->h = *h;
	r->inside = true;
	if (!err)
		err = choose(r);
	if (err || !*h->rest || !perf_header_has_frame(h))
		return err;
	rest = strdup(h->rest);
	if (!rest)
		return -ENOMEM;
	if (!perf_frame_parse(rest, &f, &at)) {
		free(rest);		/* these are a tracepoint's values */
		return 0;
	}
	err = add_frame(r, rest, &f, &at);
	r->one_line = !err;
	return err;
}

/* Is it "  file.c:12"?  perf script -F +srcline prints it after a frame */
static bool is_source_line(const char *text)
{
	const char *colon = strrchr(text, ':'), *open = strrchr(text, '[');

	if (colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")])
		return true;
	return open && text[strlen(text) - 1] == ']';
}

/* Has it no thread: "PERF_RECORD_FINISHED_ROUND", or "0x1a8 [0x50]: PERF_RECORD_MMAP2 ..." of -D? */
static bool is_bare_record(const char *text)
{
	const char *record = strstr(text, "PERF_RECORD_"), *at = text;

	while (at != record && record && strchr(" \t-0123456789abcdefx[]:!", *at))
		at++;
	return record && at == record;
}

static int take_line(struct reader *r, const char *text)
{
	bool indented = text[0] == ' ' || text[0] == '\t';
	struct perf_header h;
	struct place at;
	struct frame f;
	char *line;

	if (text[0] == '#')
		return 0;
	if (!text[strspn(text, " \t")]) {
		r->skipping = false;
		return give(r);
	}
	if (is_bare_record(text)) {
		r->skipping = true;
		return give(r);
	}
	/* An indented line may be a frame.  So may another line, if the text was pasted somewhere */
	for (int pass = 0; pass < 2; pass++) {
		bool frame = pass == (text[0] != '\t');

		line = strdup(text);
		if (!line)
			return -ENOMEM;
		if (frame && r->inside && (indented || text[strlen(text) - 1] == ')') &&
		    perf_frame_parse(line, &f, &at))
			return add_frame(r, line, &f, &at);
		if (!frame && perf_header_parse(line, &h) && (!indented || h.has_time || !r->inside))
			return begin(r, line, &h);
		free(line);
	}
	if (r->skipping)
		return 0;
	if (!r->inside)
		tell_bad(r, "a sample should begin here: COMM PID TIME: EVENT:");
	else if (!indented || !is_source_line(text))
		tell_bad(r, "a frame should be here: ADDRESS SYMBOL (FILE)");
	return 0;
}

static int take_bytes(struct reader *r, char *line, size_t len)
{
	if (strlen(line) != len) {
		tell_bad(r, "it holds a NUL byte");
		return 0;
	}
	while (len && strchr("\r\n", line[len - 1]))
		line[--len] = 0;
	return take_line(r, line);
}

int perf_script_read(FILE *in, const char *name, const char *event, sample_fn fn, void *ctx,
		     struct perf_script_result *result)
{
	struct reader r = {
		.name = name, .chosen = event, .fn = fn, .ctx = ctx, .result = result,
		.event = event ? strdup(event) : NULL,
	};
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int err = event && !r.event ? -ENOMEM : 0;

	*result = (struct perf_script_result){ 0 };
	errno = 0;
	while (!err && (len = getline(&line, &cap, in)) >= 0) {
		/* Editors on Windows begin a file with a byte order mark */
		if (!r.number++ && len >= 3 && !memcmp(line, "\xef\xbb\xbf", 3))
			memmove(line, line + 3, (size_t)(len -= 3) + 1);
		err = take_bytes(&r, line, (size_t)len);
		errno = 0;
	}
	if (!err && !feof(in))
		err = errno ? -errno : -EIO;
	if (!err)
		err = give(&r);
	forget(&r);
	free(line);
	free(r.lines);
	free(r.frames);
	free(r.places);
	free(r.event);
	return err;
}
