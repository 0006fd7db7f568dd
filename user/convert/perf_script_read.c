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
	uint64_t number_header;	/* of the line with the header */
	bool inside;		/* within a sample */
	bool one_line;		/* the only frame so far is from the first line */
	bool skipping;		/* the present lines belong to no sample */
	char *header;
	struct perf_header h;
	char **lines;
	struct frame *frames;
	struct place *places;
	size_t nr, cap_lines, cap_frames, cap_places;
};

static const char no_header[] = "a sample should begin here: COMM PID TIME: EVENT:";
static const char no_stack[] =
	"it is a branch (FROM => TO), not a stack. Record with perf record -g, without -b";

static void tell_bad_line(struct reader *r, uint64_t number, const char *why)
{
	if (!r->result->bad++)
		r->result->first_bad = number;
	if (r->result->bad <= TOLD_BAD_LINES)
		complain("%s: line %" PRIu64 " is not of perf script's text: %s", r->name, number, why);
}

static void tell_bad(struct reader *r, const char *why)
{
	tell_bad_line(r, r->number, why);
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

/* Does the sample have the event to read?  Return: 1, 0, or a negative errno */
static int choose(struct reader *r)
{
	if (!r->event) {
		r->event = strdup(r->h.event);
		return r->event ? 1 : -ENOMEM;
	}
	if (!strcmp(r->event, r->h.event))
		return 1;
	r->result->others++;
	if (r->chosen)
		return 0;
	complain("%s: line %" PRIu64 ": after samples of '%s', one of '%s': these are not to be added up; choose one with --event",
		 r->name, r->number_header, r->event, r->h.event);
	return -EINVAL;
}

/* Pass the sample on */
static int pass_on(struct reader *r)
{
	struct sample s = { .tgid = r->h.tgid, .tid = r->h.tid };
	int err = add_thread(r);

	if (err)
		return err;
	reverse(r);
	weigh(&r->h, &s);
	s.frames = r->frames;
	s.places = r->places;
	s.nr = r->nr;
	r->result->samples++;
	return r->fn(r->ctx, &s);
}

/* The sample is complete: pass it on, if it has the right event */
static int give(struct reader *r)
{
	int ret = 0;

	if (r->inside && r->h.is_bare && !r->nr)
		tell_bad_line(r, r->number_header, no_header);
	else if (r->inside)
		ret = choose(r);
	if (ret > 0)
		ret = pass_on(r);
	forget(r);
	return ret;
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
	char *rest, *frame;
	int err = give(r);

	r->skipping = h->is_record;
	if (h->is_record || perf_header_is_branch(h)) {
		if (!h->is_record)
			tell_bad(r, no_stack);
		r->skipping = true;
		free(line);
		return err;
	}
	r->header = line;
	r->h = *h;
	r->inside = true;
	r->number_header = r->number;
	frame = err ? NULL : perf_header_frame(h);
	if (!frame)
		return err;
	rest = strdup(frame);
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

/*
 * Is it "  file.c:12" or "  libc.so[27b25]"?  perf script -F +srcline prints it after a frame, and
 * " (inlined)" or " (discriminator 3)" behind it.
 */
static bool is_source_line(const char *text)
{
	const char *colon = strrchr(text, ':'), *open = strrchr(text, '[');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	if (digits && (!colon[1 + digits] || !strncmp(colon + 1 + digits, " (", 2)))
		return true;
	return open && text[strlen(text) - 1] == ']';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), tail = strlen(end);

	return len >= tail && !strcmp(text + len - tail, end);
}

/* Has it all of a header?  A thread may have the name of a record, or of a comment */
static bool is_whole_header(const char *text)
{
	struct perf_header h;
	char *copy = strdup(text);
	bool whole = copy && perf_header_parse(copy, &h) && h.has_time && *h.event &&
		     strlen(h.comm) < KFLAME_COMM_LEN;

	free(copy);
	return whole;
}

/*
 * perf writes comments as "# text".  A thread may be called "# x", and its name begins the line if a stack
 * follows.  But no comment of perf is a header after a name that is short enough for a thread.
 */
static bool is_comment(const char *text)
{
	return text[0] == '#' && !is_whole_header(text);
}

/* Has it no thread: "PERF_RECORD_FINISHED_ROUND", or "0x1a8 [0x50]: PERF_RECORD_MMAP2 ..." of -D? */
static bool is_bare_record(const char *text)
{
	const char *record = strstr(text, "PERF_RECORD_"), *at = text;

	while (at != record && record && strchr(" \t-0123456789abcdefx[]:!", *at))
		at++;
	return record && at == record;
}

/* A line that is neither a header nor a frame */
static void take_other(struct reader *r, const char *text)
{
	if (r->skipping || perf_line_is_extra(text))
		return;
	if (!r->inside)
		tell_bad(r, no_header);
	else if (!is_blank(text[0]) || !is_source_line(text))
		tell_bad(r, "a frame should be here: ADDRESS SYMBOL (FILE)");
	else if (r->nr && ends_in(text, " (inlined)"))
		perf_frame_inlined(&r->frames[r->nr - 1], &r->places[r->nr - 1]);
}

/*
 * Without a time, a frame may look like a header. So an indented header must have a known event.  If a header
 * is only a thread and its id, a frame must follow, see give().
 */
static bool is_doubtful(const struct reader *r, const struct perf_header *h, bool indented)
{
	if (h->is_bare)
		return r->inside || indented;
	return r->inside && indented && !h->has_time && !h->is_record && !r->chosen &&
	       strcmp(h->event, r->h.event);
}

/* Take a header; owns @line if it is one.  Return: 1; 0 if it is none; a negative errno */
static int take_header(struct reader *r, char *line)
{
	struct perf_header h;
	int err;

	if (!perf_header_parse(line, &h) || is_doubtful(r, &h, is_blank(line[0])))
		return 0;
	err = begin(r, line, &h);
	return err ? err : 1;
}

/* Take a frame; owns @line if it is one.  Return: 1; 0 if it is none; a negative errno */
static int take_frame(struct reader *r, char *line)
{
	struct place at;
	struct frame f;
	int err;

	if (!r->inside || (!is_blank(line[0]) && !ends_in(line, ")")) || perf_line_is_extra(line))
		return 0;
	if (perf_line_is_branch(line)) {
		tell_bad(r, no_stack);
		forget(r);
		r->skipping = true;
		free(line);
		return 1;
	}
	if (!perf_frame_parse(line, &f, &at))
		return 0;
	err = add_frame(r, line, &f, &at);
	return err ? err : 1;
}

static int take_sample_line(struct reader *r, const char *text)
{
	int taken = 0;

	/* An indented line may be a frame.  So may another line, if the text was pasted somewhere */
	for (int pass = 0; !taken && pass < 2; pass++) {
		char *line = strdup(text);

		if (!line)
			return -ENOMEM;
		taken = pass == (text[0] != '\t') ? take_frame(r, line) : take_header(r, line);
		if (!taken)
			free(line);
	}
	if (!taken)
		take_other(r, text);
	return taken < 0 ? taken : 0;
}

static int take_line(struct reader *r, const char *text)
{
	if (is_comment(text) || (perf_line_is_code(text) && !is_whole_header(text)))
		return 0;
	if (!text[strspn(text, " \t")]) {
		r->skipping = false;
		return give(r);
	}
	if (is_bare_record(text) && !is_whole_header(text)) {
		r->skipping = true;
		return give(r);
	}
	return take_sample_line(r, text);
}

static int take_bytes(struct reader *r, char *line, size_t len)
{
	if (strlen(line) != len) {
		tell_bad(r, "it holds a NUL byte");
		return 0;
	}
	while (len && strchr("\r\n \t", line[len - 1]))
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
