// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * function_client.c - ask a sandbox for the functions of a file
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/function_protocol.h"
#include "sandbox/answer.h"
#include "symbols/function_client.h"

#define MEMORY	(2ull << 30)	/* limit for each file */
#define FILES	16

struct listener {
	struct binary *binary;
	const struct name_place *places;
	size_t nr;
	size_t next;		/* the first place that has no answer yet */
	uint64_t left;		/* bytes of names that the sandbox may still send */
	const struct name_taker *taker;
	struct file_names *out;
	struct answer answer;
};

/* Is this an answer for one of our places?  Advances to that place. */
static bool is_asked(struct listener *l, uint64_t start, uint64_t end, bool leaf)
{
	while (l->next < l->nr && (l->places[l->next].at < start || l->places[l->next].leaf != leaf))
		l->next++;
	return l->next < l->nr && l->places[l->next].at < end;
}

static int take_function(struct listener *l, const struct name_say *s, uint64_t *named_to)
{
	char name[NAME_MOST + 1];
	const void *bytes;
	int err = -EIO;

	/* Refuse a function that holds none of our places, or overlaps the previous function. */
	if (!s->nr || s->nr > NAME_MOST || s->start >= s->end || s->start < *named_to ||
	    !is_asked(l, s->start, s->end, false))
		return -EIO;
	if (s->nr > l->left && s->nr >= NAME_CUT)
		return -EIO;
	l->left -= s->nr < l->left ? s->nr : l->left;
	bytes = answer_read(&l->answer, s->nr, &err);
	if (!bytes)
		return err;
	if (memchr(bytes, 0, s->nr))
		return -EIO;
	memcpy(name, bytes, s->nr);
	name[s->nr] = 0;
	*named_to = s->end;
	l->taker->function(l->taker->ctx, s->start, s->end, name);
	return 0;
}

static int take_leaf(struct listener *l, const struct name_say *s)
{
	if (s->nr > 1 || s->start == UINT64_MAX || !is_asked(l, s->start, s->start + 1, true))
		return -EIO;
	l->taker->leaf(l->taker->ctx, s->start, s->nr);
	l->next++;
	return 0;
}

static int read_say(struct listener *l, struct name_say *s)
{
	int err = -EIO;
	const void *bytes = answer_read(&l->answer, sizeof(*s), &err);

	if (!bytes)
		return err;
	memcpy(s, bytes, sizeof(*s));
	return 0;
}

/* Return: 0; -EAGAIN to ask again, because a debug file was found now */
static int take_state(struct listener *l)
{
	struct name_say s;
	int err = read_say(l, &s);

	if (err)
		return err;
	if (s.what != NAME_SAY_STATE || s.nr > KFLAME_NAMED_GO)
		return -EIO;
	if (s.start & NAME_STATE_PARTIAL && binary_look_for_debug(l->binary))
		return -EAGAIN;
	l->out->state = s.nr;
	l->out->packed = s.start & NAME_STATE_PACKED;
	return 0;
}

static int listen_to(struct listener *l)
{
	uint64_t named_to = 0;
	struct name_say s;
	int err = take_state(l);

	while (!err) {
		err = read_say(l, &s);
		if (err)
			break;
		if (s.what == NAME_SAY_END) {
			l->out->cut = s.nr;
			return 0;
		}
		if (s.what == NAME_SAY_FUNCTION)
			err = take_function(l, &s, &named_to);
		else
			err = s.what == NAME_SAY_LEAF ? take_leaf(l, &s) : -EIO;
	}
	return err;
}

static struct name_question *make_question(const struct listener *l, size_t *len)
{
	struct name_question *q;

	*len = sizeof(*q) + l->nr * sizeof(*l->places);
	q = calloc(1, *len);
	if (!q)
		return NULL;
	snprintf(q->base, sizeof(q->base), "%s", binary_base(l->binary));
	q->nr = l->nr;
	memcpy(q->places, l->places, l->nr * sizeof(*l->places));
	return q;
}

static int ask(struct listener *l, uint64_t *time_ns)
{
	const int fds[] = { binary_fd(l->binary), binary_debug_fd(l->binary) };
	struct sandbox_limits limits = { .time_ns = *time_ns, .files = FILES };
	struct sandbox_input input = { .fds = fds, .nr_fds = fds[1] < 0 ? 1 : 2, .owner = fds };
	struct name_question *q = make_question(l, &input.len);
	struct sandbox child;
	int err;

	if (!q)
		return -ENOMEM;
	input.question = q;
	limits.memory = sandbox_memory(fds[0], MEMORY);
	if (fds[1] >= 0)
		limits.memory += sandbox_memory(fds[1], MEMORY);
	err = sandbox_start(&child, &name_work, &limits, &input);
	free(q);
	if (err)
		return err;
	err = answer_begin(&l->answer, &child);
	if (!err)
		err = listen_to(l);
	answer_end(&l->answer);
	*time_ns = sandbox_left(&child);
	sandbox_end(&child);
	return err;
}

int file_names_ask(struct binary *b, const struct name_place *places, size_t nr, uint64_t *time_ns,
		   const struct name_taker *taker, struct file_names *out)
{
	struct listener l = { .binary = b, .places = places, .nr = nr, .left = NAME_BUDGET(nr),
			      .taker = taker, .out = out };
	int err;

	*out = (struct file_names){ .state = binary_state(b) };
	if (binary_fd(b) < 0)
		return 0;
	err = *time_ns ? ask(&l, time_ns) : -ETIMEDOUT;
	/* The first attempt delivered nothing to @taker. The second cannot return -EAGAIN. */
	if (err == -EAGAIN)
		err = ask(&l, time_ns);
	out->late = err == -ETIMEDOUT;
	return err;
}
