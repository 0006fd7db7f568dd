// SPDX-License-Identifier: GPL-2.0-only
/*
 * folded_text.c - folded text, see device/folded_text.h
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "device/folded_text.h"
#include "device/mapping_index.h"
#include "device/stream.h"

/* A line longer than this is cut at its end, frames first, the count never. */
#define LINE_MAX	(64U << 10)
#define COUNT_ROOM	24U

/**
 * struct kf_text - folded text on its way
 * @maps:	where user addresses are
 * @next:	entry to write next
 */
struct kf_text {
	struct kf_maps maps;
	u32 next;
};

/**
 * kf_text_create() - make it; may sleep
 * @out:	out, for kf_text_destroy()
 * @records:	of the session
 * @size:	bytes of them to look at, whole records
 *
 * Return: 0 or a negative errno.
 */
int kf_text_create(struct kf_text **out, struct kf_records *records, size_t size)
{
	struct kf_text *text = kzalloc(sizeof(*text), GFP_KERNEL);
	int err;

	if (!text)
		return -ENOMEM;
	err = kf_maps_init(&text->maps, records, size);
	if (err) {
		kf_text_destroy(text);
		return err;
	}
	*out = text;
	return 0;
}

/* Takes NULL. */
void kf_text_destroy(struct kf_text *text)
{
	if (!text)
		return;
	kf_maps_exit(&text->maps);
	kfree(text);
}

/* Add to a line; what does not fit is left out. */
static __printf(3, 4) size_t put(char *line, size_t at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	at += vscnprintf(line + at, LINE_MAX - COUNT_ROOM - at, fmt, args);
	va_end(args);
	return at;
}

/* Names may hold anything; what would break the format is replaced. */
static void clean(char *line, size_t from, size_t to)
{
	for (; from < to; from++)
		if (line[from] == ';' || (u8)line[from] < ' ')
			line[from] = '_';
}

static size_t add_user_frame(const struct kf_text *text, char *line, size_t at, u64 aspace,
		       u64 ip)
{
	const struct kflame_rec_mapping *m = kf_maps_find(&text->maps, aspace, ip);
	size_t begin;

	line[at++] = ';';
	begin = at;
	if (!m)
		at = put(line, at, "[unmapped]");
	else if (m->flags & KFLAME_MAP_ANON)
		at = put(line, at, "[anonymous memory]");
	else
		at = put(line, at, "%s+0x%llx", kf_maps_file(&text->maps, m->file),
			 ip - m->start + m->offset);
	clean(line, begin, at);
	return at;
}

static size_t add_kernel_frame(char *line, size_t at, u64 ip)
{
	char symbol[KSYM_SYMBOL_LEN];
	char *plus;

	sprint_symbol(symbol, ip);
	/* "name+0x1a/0x2f0 [module]": the name will do, and has no space in it. */
	plus = strrchr(symbol, '+');
	if (plus)
		*plus = '\0';
	return put(line, at, ";%s", symbol);
}

static size_t add_stack(const struct kf_text *text, const struct kf_table *t, u32 number,
			u64 aspace, char *line, size_t at)
{
	const struct kf_stack *s;
	u32 i;
	u64 ip;

	if (!number)
		return at;
	s = &t->stacks[number - 1];
	for (i = s->is.nr; i-- > 0 && at + 256 < LINE_MAX - COUNT_ROOM;) {
		/* Unwind information is missing here, which would show whether a candidate is a frame. */
		if (i == s->is.candidate)
			continue;
		ip = kf_stack_frame(t, s, i) - !!i;
		at = s->is.kind == KFLAME_STACK_KERNEL ? add_kernel_frame(line, at, ip) :
						     add_user_frame(text, line, at, aspace, ip);
	}
	return at;
}

static size_t add_entry(const struct kf_text *text, const struct kf_table *t,
			const struct kf_entry *e, char *line)
{
	size_t at = 0;

	if (e->key.context == KFLAME_CTX_GAP)
		at = put(line, at, "[gap]");
	else if (e->key.context == KFLAME_CTX_IDLE)
		at = put(line, at, "swapper;[idle]");
	else
		at = put(line, at, "%s", e->key.comm);
	if (e->key.context != KFLAME_CTX_IDLE)
		clean(line, 0, at);
	at = add_stack(text, t, e->key.ustack, e->key.aspace, line, at);
	at = add_stack(text, t, e->key.kstack, 0, line, at);
	return at + scnprintf(line + at, LINE_MAX - at, " %llu\n", e->samples);
}

/**
 * kf_text_fill() - put whole lines into the empty buffer
 * @text:	the text
 * @t:		what it is about
 * @st:		the buffer, of more than LINE_MAX; still empty at the end
 */
void kf_text_fill(struct kf_text *text, const struct kf_table *t, struct kf_stream *st)
{
	for (; text->next < t->nr_entries && kf_stream_room(st) >= LINE_MAX &&
	       !fatal_signal_pending(current); text->next++) {
		st->len += add_entry(text, t, &t->entries[text->next], st->buf + st->len);
		cond_resched();
	}
}
