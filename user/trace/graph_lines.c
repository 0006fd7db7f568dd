// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graph_lines.c - one line of the tracer function_graph
 */
#include <string.h>

#include "trace/graph_lines.h"

#define DURATION_WIDTH	10	/* bytes that the field with the duration has at least */
#define INDENT		2	/* blanks for each depth */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* Read 1 to 15 digits.  Return: the byte behind them; NULL if there are none */
static const char *number(const char *at, const char *end, uint64_t *n)
{
	const char *from = at;

	for (*n = 0; at < end && is_digit(*at) && at - from < 15; at++)
		*n = *n * 10 + (uint64_t)(*at - '0');
	return at > from ? at : NULL;
}

const char *trace_time_parse(const char *at, const char *end, uint64_t *ns)
{
	uint64_t seconds, us;
	const char *point = number(at, end, &seconds), *behind;

	if (!point || point >= end || *point != '.' || seconds > UINT32_MAX)
		return NULL;
	behind = number(point + 1, end, &us);
	if (!behind || behind - point != 7)
		return NULL;
	*ns = seconds * 1000000000 + us * 1000;
	return behind;
}

bool lost_events_parse(const char *text, size_t len, uint64_t *lost)
{
	static const char events[] = "EVENTS]";
	const char *end = text + len, *at;
	uint64_t cpu;

	if (len < 4 || memcmp(text, "CPU:", 4))
		return false;
	at = number(text + 4, end, &cpu);
	if (!at || end - at < 7 || memcmp(at, " [LOST ", 7))
		return false;
	at += 7;
	*lost = 0;
	if (at < end && is_digit(*at)) {
		at = number(at, end, lost);
		if (at >= end || *at++ != ' ')
			return false;
	}
	return (size_t)(end - at) == sizeof(events) - 1 && !memcmp(at, events, sizeof(events) - 1);
}

/* "   63.452590 |   0) ".  Return: the byte behind it; NULL if it is not that */
static const char *parse_begin(struct graph_line *l, const char *at, const char *end)
{
	uint64_t cpu;

	at = trace_time_parse(skip_blanks(at, end), end, &l->time_ns);
	if (!at)
		return NULL;
	at = skip_blanks(at, end);
	if (at == end || *at != '|')
		return NULL;
	at = number(skip_blanks(at + 1, end), end, &cpu);
	if (!at || at == end || *at != ')' || cpu > UINT16_MAX)
		return NULL;
	l->cpu = (uint32_t)cpu;
	return at + 1;
}

/* "  cat-1234   ": any bytes, then a process id */
static bool parse_task(struct graph_line *l, const char *at, const char *end)
{
	const char *digits;
	uint64_t pid;
	size_t len;

	while (end > at && end[-1] == ' ')
		end--;
	for (digits = end; digits > at && is_digit(digits[-1]); digits--)
		;
	if (digits == at || digits[-1] != '-' || number(digits, end, &pid) != end || pid > INT32_MAX)
		return false;
	at = skip_blanks(at, digits - 1);
	len = (size_t)(digits - 1 - at);
	if (len >= GRAPH_COMM)
		len = GRAPH_COMM - 1;
	memcpy(l->comm, at, len);
	l->comm[len] = 0;
	l->pid = (int32_t)pid;
	return true;
}

/*
 * "   12.345 us   ", with one mark before the number if the call took long; blanks for a call that is not over.
 * Digits behind the point are as many as there is room for.  Return: whether it is one of these
 */
static bool parse_duration(struct graph_line *l, const char *at, const char *end, bool *is_there)
{
	uint64_t us, part = 0, unit = 1000;
	const char *digits;

	at = skip_blanks(at, end);
	*is_there = at < end;
	if (at == end)
		return true;
	if (memchr("+!#*@$", *at, 6))
		at = skip_blanks(at + 1, end);
	at = number(at, end, &us);
	if (!at || us > UINT64_MAX / 2000)
		return false;
	if (at < end && *at == '.') {
		digits = ++at;
		at = number(digits, end, &part);
		if (!at)
			return false;
		for (; digits < at; digits++)
			unit /= 10;
	}
	l->duration_ns = us * 1000 + part * unit;
	at = skip_blanks(at, end);
	return end - at >= 2 && !memcmp(at, "us", 2) && skip_blanks(at + 2, end) == end;
}

static bool ends_with(const char **at, const char *from, const char *what)
{
	size_t len = strlen(what);

	if ((size_t)(*at - from) < len || memcmp(*at - len, what, len))
		return false;
	*at -= len;
	return true;
}

/* "    vfs_read() {", "    read_hpet();", "    }", "    } [o] vfs_read [o]" with [o] for a comment's begin and end */
static enum graph_kind parse_function(struct graph_line *l, const char *at, const char *end, bool has_duration)
{
	const char *name;

	while (end > at && end[-1] == ' ')
		end--;
	name = skip_blanks(at, end);
	l->depth = (uint32_t)(name - at) / INDENT;
	l->name = name;
	if (name == end)
		return GRAPH_OTHER;
	if (*name == '}') {
		l->name = skip_blanks(name + 1, end);
		if (l->name < end && (end - l->name < 6 || memcmp(l->name, "/* ", 3) || !ends_with(&end, l->name, " */")))
			return GRAPH_OTHER;
		l->name += l->name < end ? 3 : 0;
		l->len = (size_t)(end - l->name);
		return has_duration ? GRAPH_EXIT : GRAPH_OTHER;
	}
	if (ends_with(&end, name, "();")) {
		l->len = (size_t)(end - name);
		return has_duration && l->len ? GRAPH_LEAF : GRAPH_OTHER;
	}
	if (!ends_with(&end, name, "() {"))
		return GRAPH_OTHER;
	l->len = (size_t)(end - name);
	return has_duration || !l->len ? GRAPH_OTHER : GRAPH_ENTRY;
}

/* Return: the last bar before @end; NULL if there is none */
static const char *last_bar(const char *from, const char *end)
{
	return end > from ? memrchr(from, '|', (size_t)(end - from)) : NULL;
}

static enum graph_kind parse(struct graph_line *l, const char *text, const char *end)
{
	const char *task = parse_begin(l, text, end), *second, *first;
	bool has_duration;

	if (!task)
		return lost_events_parse(text, (size_t)(end - text), &l->lost) ? GRAPH_LOST : GRAPH_OTHER;
	second = last_bar(task, end);
	first = second ? last_bar(task, second) : NULL;
	if (!first || second - first - 1 < DURATION_WIDTH || !parse_task(l, task, first))
		return GRAPH_PART;
	/* "==========>": an interrupt begins */
	if (!parse_duration(l, first + 1, second, &has_duration))
		return GRAPH_OTHER;
	return parse_function(l, second + 1, end, has_duration);
}

enum graph_kind graph_line_parse(struct graph_line *l, const char *text, size_t len)
{
	*l = (struct graph_line){ .name = text };
	l->kind = parse(l, text, text + len);
	return l->kind;
}
