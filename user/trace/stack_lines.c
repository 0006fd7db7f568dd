// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack_lines.c - text of the tracer function with stacks becomes hits
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "trace/graph_lines.h"
#include "trace/stack_lines.h"

#define COMM_WIDTH	16u		/* bytes that the kernel prints a name in */
#define LONGEST		(64u << 10)	/* bytes of a stack; what is longer is no text of the tracer */
#define STACK		"<stack trace>"

/* A line of a task */
struct task_line {
	const char *dash;	/* between name and pid */
	uint64_t time_ns;
	uint32_t cpu;
	int32_t pid;
	const char *what;	/* "vfs_read <-ksys_read" or STACK */
	size_t len;
};

void stack_reader_init(struct stack_reader *r, stack_hit_fn done, void *ctx)
{
	*r = (struct stack_reader){ .done = done, .ctx = ctx, .own_pid = -1 };
}

/* -------------------------------------------------------------------- lines */

/* Read digits.  Return: the byte behind them; NULL if there are none, or too many */
static const char *number(const char *at, const char *end, uint32_t *n)
{
	const char *from = at;
	uint64_t value = 0;

	for (; at < end && *at >= '0' && *at <= '9' && value <= INT32_MAX; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	*n = (uint32_t)value;
	return at > from && value <= INT32_MAX ? at : NULL;
}

static const char *skip(const char *at, const char *end, bool blanks)
{
	while (at < end && (*at == ' ') == blanks)
		at++;
	return at;
}

/* "-1234    [001] .....    63.452590: vfs_read <-ksys_read"; the flags may be missing */
static bool parse_behind_name(struct task_line *l, const char *at, const char *end)
{
	const char *word;
	uint32_t pid;

	l->dash = at;
	at = number(at + 1, end, &pid);
	if (!at || at == end || *at != ' ')
		return false;
	at = skip(at, end, true);
	if (at == end || *at != '[')
		return false;
	at = number(at + 1, end, &l->cpu);
	if (!at || at == end || *at != ']' || l->cpu >= STACK_CPUS)
		return false;
	at = skip(at + 1, end, true);
	word = trace_time_parse(at, end, &l->time_ns);
	if (!word) {
		at = skip(skip(at, end, false), end, true);
		word = trace_time_parse(at, end, &l->time_ns);
	}
	if (!word || end - word < 3 || word[0] != ':' || word[1] != ' ')
		return false;
	l->pid = (int32_t)pid;
	l->what = word + 2;
	l->len = (size_t)(end - l->what);
	return true;
}

/* Search the line of a task, where it is not known where the name ends */
static bool parse_task_line(struct task_line *l, const char *from, const char *end)
{
	for (const char *at = from; at < end && (at = memchr(at, '-', (size_t)(end - at))); at++)
		if (parse_behind_name(l, at, end))
			return true;
	return false;
}

/* ------------------------------------------------------------------- a stack */

static void free_hit(struct stack_hit *h)
{
	if (!h)
		return;
	free(h->function);
	for (size_t i = 0; i < h->nr; i++)
		free(h->frames[i]);
	free(h);
}

static int add_frame(struct stack_hit *h, const char *name, size_t len)
{
	if (h->nr == STACK_FRAMES)
		return 0;
	h->frames[h->nr] = strndup(name, len);
	return h->frames[h->nr] ? (h->nr++, 0) : -ENOMEM;
}

/* Drop the frames before the function: they are of the tracer */
static void drop_tracer(struct stack_hit *h)
{
	size_t first = 0;

	while (first < h->nr && strcmp(h->frames[first], h->function))
		first++;
	if (first == h->nr)
		return;
	for (size_t i = 0; i < first; i++)
		free(h->frames[i]);
	h->nr -= first;
	memmove(h->frames, h->frames + first, h->nr * sizeof(h->frames[0]));
}

/* Report a hit, and free it */
static int emit(struct stack_reader *r, struct stack_hit *h)
{
	int err;

	if (!h)
		return 0;
	drop_tracer(h);
	r->hits++;
	r->without_stack += !h->has_stack;
	err = r->done(r->ctx, h);
	free_hit(h);
	return err;
}

/* Return: where the hit of a CPU waits; NULL if memory is short */
static struct stack_hit **waiting_of(struct stack_reader *r, uint32_t cpu)
{
	struct stack_hit **more;

	if (cpu < r->nr_cpus)
		return &r->waiting[cpu];
	more = realloc(r->waiting, (cpu + 1) * sizeof(*more));
	if (!more)
		return NULL;
	memset(more + r->nr_cpus, 0, (cpu + 1 - r->nr_cpus) * sizeof(*more));
	r->waiting = more;
	r->nr_cpus = cpu + 1;
	return &r->waiting[cpu];
}

/* " => vfs_read" of the stack that waits, or lost events */
static int take_line(struct stack_reader *r, const char *line, size_t len)
{
	static const char arrow[] = " => ";
	uint64_t lost;

	if (lost_events_parse(line, len, &lost)) {
		r->lost += lost;
		r->losses++;
		return 0;
	}
	if (!r->current || len < sizeof(arrow) || memcmp(line, arrow, sizeof(arrow) - 1))
		return 0;
	return add_frame(r->current, line + sizeof(arrow) - 1, len - (sizeof(arrow) - 1));
}

static int take_lines(struct stack_reader *r, const char *text, const char *end)
{
	int err = 0;

	while (!err && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		err = take_line(r, text, (size_t)((newline ? newline : end) - text));
		text = newline ? newline + 1 : end;
	}
	return err;
}

/* "vfs_read <-ksys_read".  The caller is kept until a stack comes.  Return: the hit; NULL if memory is short */
static struct stack_hit *make_hit(const struct task_line *l, const char *comm)
{
	static const char from[] = " <-";
	const char *arrow = memmem(l->what, l->len, from, sizeof(from) - 1);
	size_t len = arrow ? (size_t)(arrow - l->what) : l->len;
	struct stack_hit *h = calloc(1, sizeof(*h));
	int err;

	if (!h)
		return NULL;
	h->time_ns = l->time_ns;
	h->cpu = l->cpu;
	h->pid = l->pid;
	while (comm < l->dash && *comm == ' ')
		comm++;
	memcpy(h->comm, comm, (size_t)(l->dash - comm));
	h->function = strndup(l->what, len);
	err = h->function ? add_frame(h, l->what, len) : -ENOMEM;
	if (!err && arrow)
		err = add_frame(h, arrow + sizeof(from) - 1, l->len - len - (sizeof(from) - 1));
	if (!err)
		return h;
	free_hit(h);
	return NULL;
}

/* The stack of the hit that waits on this CPU begins */
static void begin_stack(struct stack_reader *r, struct stack_hit **waiting, const struct task_line *l)
{
	struct stack_hit *h = *waiting;

	if (!h || h->pid != l->pid)
		return;
	for (size_t i = 0; i < h->nr; i++)
		free(h->frames[i]);
	h->nr = 0;
	h->has_stack = true;
	r->current = h;
	*waiting = NULL;
}

/* A line of a task.  All before the name belongs to the current stack, which ends */
static int take_task(struct stack_reader *r, const struct task_line *l)
{
	size_t before = (size_t)(l->dash - r->text);
	const char *comm = l->dash - (before < COMM_WIDTH ? before : COMM_WIDTH);
	int err = take_lines(r, r->text, comm);
	struct stack_hit **waiting, *h = r->current;

	r->current = NULL;
	if (err) {
		free_hit(h);
		return err;
	}
	err = emit(r, h);
	waiting = waiting_of(r, l->cpu);
	if (err || !waiting)
		return err ? err : -ENOMEM;
	if (l->len == sizeof(STACK) - 1 && !memcmp(l->what, STACK, l->len)) {
		begin_stack(r, waiting, l);
		return 0;
	}
	h = *waiting;
	*waiting = NULL;
	err = emit(r, h);
	if (err || l->pid == r->own_pid)
		return err;
	*waiting = make_hit(l, comm);
	return *waiting ? 0 : -ENOMEM;
}

static int end_line(struct stack_reader *r)
{
	struct task_line l;
	int err;

	if (parse_task_line(&l, r->text + r->line, r->text + r->len)) {
		err = take_task(r, &l);
		r->len = 0;
	} else {
		r->text[r->len++] = '\n';
		err = 0;
		if (r->len > LONGEST)
			r->len = 0;
	}
	r->line = r->len;
	return err;
}

int stack_reader_feed(struct stack_reader *r, const char *text, size_t len)
{
	const char *end = text + len;
	int err = 0;

	for (; !err && text < end; text++) {
		/* One more byte than is used: end_line() adds a newline */
		if (grow(&r->text, r->len + 1, &r->cap, 1))
			return -ENOMEM;
		if (*text == '\n')
			err = end_line(r);
		else if (r->len <= LONGEST)
			r->text[r->len++] = *text;
	}
	return err;
}

int stack_reader_finish(struct stack_reader *r)
{
	int err = r->len ? take_lines(r, r->text, r->text + r->len) : 0;
	struct stack_hit *h = r->current;

	r->len = r->line = 0;
	r->current = NULL;
	if (err)
		free_hit(h);
	else
		err = emit(r, h);
	for (size_t i = 0; !err && i < r->nr_cpus; i++) {
		h = r->waiting[i];
		r->waiting[i] = NULL;
		err = emit(r, h);
	}
	return err;
}

void stack_reader_exit(struct stack_reader *r)
{
	free_hit(r->current);
	for (size_t i = 0; i < r->nr_cpus; i++)
		free_hit(r->waiting[i]);
	free(r->waiting);
	free(r->text);
}
