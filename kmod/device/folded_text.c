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

/* A longer line is cut: it loses frames at its end, never the count. */
#define LINE_MAX	(64U << 10)
#define COUNT_ROOM	24U

/**
 * struct kf_text - state of writing folded text
 * @maps:	index of user addresses
 * @next:	the entry to write next
 * @next_file:	index in @maps of the file to write next, behind all entries
 */
struct kf_text {
	struct kf_maps maps;
	u32 next;
	u64 next_file;
};

/**
 * kf_text_create() - get ready to write folded text; may sleep
 * @out:	out, for kf_text_destroy()
 * @records:	of the session
 * @size:	how many bytes of them are used, whole records
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

/* @text may be NULL. */
void kf_text_destroy(struct kf_text *text)
{
	if (!text)
		return;
	kf_maps_exit(&text->maps);
	kfree(text);
}

/* Append to a line. Text that does not fit is left out. */
static __printf(3, 4) size_t put(char *line, size_t at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	at += vscnprintf(line + at, LINE_MAX - COUNT_ROOM - at, fmt, args);
	va_end(args);
	return at;
}

/* Names may hold any bytes. Replace those that would break the format. */
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
	/* Of "name+0x1a/0x2f0 [module]" only the name is written. It has no space. */
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
		/*
		 * Without unwind tables it is unknown whether a candidate is a frame, so leave it
		 * out.
		 */
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

/* Return: the length; a path that is too long is cut, and then it is none of a file */
static size_t add_file(const struct kflame_rec_file *f, char *line)
{
	size_t at = put(line, 0, "# file: %.*s", (int)min_t(u32, f->path_len, PATH_MAX), f->path);

	clean(line, 0, at);
	at += scnprintf(line + at, LINE_MAX - at, " size=%llu mtime_ns=%llu build-id=", f->bytes,
			f->mtime_ns);
	return at + scnprintf(line + at, LINE_MAX - at, "%*phN%s\n", (int)f->build_id_len, f->build_id,
			      f->build_id_len ? "" : "-");
}

/**
 * kf_text_fill() - write whole lines to the empty buffer
 * @text:	the text's state
 * @t:		the table to write
 * @st:		the buffer, larger than LINE_MAX; it stays empty at the end of the text
 */
void kf_text_fill(struct kf_text *text, const struct kf_table *t, struct kf_stream *st)
{
	for (; text->next < t->nr_entries && kf_stream_room(st) >= LINE_MAX &&
	     !fatal_signal_pending(current); text->next++) {
		st->len += add_entry(text, t, &t->entries[text->next], st->buf + st->len);
		cond_resched();
	}
	for (; text->next == t->nr_entries && text->next_file < text->maps.nr_files &&
	     kf_stream_room(st) >= LINE_MAX && !fatal_signal_pending(current); text->next_file++)
		if (text->maps.file[text->next_file])
			st->len += add_file(text->maps.file[text->next_file], st->buf + st->len);
}
