// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * presets.c - events for a purpose
 *
 * Functions are those that all kernels from 5.10 on have, and that compilers do not inline.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/tracefs.h"
#include "profile/profile.h"
#include "record/presets.h"

/*
 * Who submits I/O passes one of the first three: block_io_start on Linux 6.5 and newer. On an older one, a request that
 * is not sorted goes to the device at once.
 */
#define BLOCK_IO	"tracepoint:block:block_io_start|block_rq_insert|block_rq_issue..block_rq_complete"

/* Memory that is not freed again. Kernels from 6.1 on have no tracepoints with _node. */
#define OUTSTANDING	PROFILE_OUTSTANDING "kmem:kmalloc|kmalloc_node..kfree," \
			PROFILE_OUTSTANDING "kmem:kmem_cache_alloc|kmem_cache_alloc_node..kmem_cache_free," \
			PROFILE_OUTSTANDING "kmem:mm_page_alloc..mm_page_free"

const struct preset presets[] = {
	{ "file-io", "bytes read and written, by file; time of fsync()", NULL, {
		{ "read", "kretprobe:vfs_read", KFLAME_WEIGHT_VALUE, NULL, 0 },
		{ "write", "kretprobe:vfs_write", KFLAME_WEIGHT_VALUE, NULL, 0 },
		/* Files are written to disk in no bytes. Compilers may inline the function behind the calls. */
		{ "sync", "syscall:fsync,syscall:fdatasync,syscall:sync_file_range,syscall:syncfs,syscall:msync",
		  KFLAME_WEIGHT_LATENCY, NULL, PRESET_BY_WORD },
	} },
	{ "block-io", "requests of block devices", NULL, {
		{ "latency", BLOCK_IO, KFLAME_WEIGHT_LATENCY, NULL, 0 },
		{ "bytes", BLOCK_IO, KFLAME_WEIGHT_VALUE, NULL, PRESET_BY_WORD },
	} },
	{ "net", "bytes sent and received by TCP and UDP", NULL, {
		{ "send", "kretprobe:tcp_sendmsg,kretprobe:udp_sendmsg", KFLAME_WEIGHT_VALUE, NULL, 0 },
		{ "receive", "kretprobe:tcp_recvmsg,kretprobe:udp_recvmsg", KFLAME_WEIGHT_VALUE, NULL, 0 },
		{ "retransmit", "tracepoint:tcp:tcp_retransmit_skb", KFLAME_WEIGHT_OWN, NULL, 0 },
	} },
	{ "alloc", "bytes of kernel memory that is allocated", NULL, {
		{ "slab", "tracepoint:kmem:kmalloc,tracepoint:kmem:kmem_cache_alloc", KFLAME_WEIGHT_OWN, "bytes", 0 },
		{ "slab", "tracepoint:kmem:kmalloc_node,tracepoint:kmem:kmem_cache_alloc_node", KFLAME_WEIGHT_OWN, "bytes",
		  PRESET_OPTIONAL },
		{ "pages", "tracepoint:kmem:mm_page_alloc", KFLAME_WEIGHT_OWN, "bytes", 0 },
		{ "outstanding", OUTSTANDING, KFLAME_WEIGHT_VALUE, NULL, PRESET_BY_WORD },
	} },
	{ "syscalls", "time of system calls", "NAME,...", { { NULL, "syscall:*", KFLAME_WEIGHT_LATENCY, NULL, 0 } } },
	{ "signals", "signals, by who sends them", NULL, {
		{ NULL, "tracepoint:signal:signal_generate", KFLAME_WEIGHT_OWN, NULL, 0 },
	} },
	{ "exec", "processes and programs that start", NULL, {
		{ NULL, "tracepoint:sched:sched_process_fork,tracepoint:sched:sched_process_exec", KFLAME_WEIGHT_OWN, NULL, 0 },
	} },
	{ "faults", "page faults", NULL, { { NULL, "page-faults", KFLAME_WEIGHT_OWN, NULL, 0 } } },
	/* Here for the list alone: record_check() adds the event */
	{ "off-cpu", "waits of threads; also --wakers, --wall", NULL, { { NULL, "off-cpu", KFLAME_WEIGHT_OWN, NULL, 0 } } },
	{ 0 }
};

static const struct preset *find(const char *name)
{
	const struct preset *p = presets;

	while (strcmp(p->name, name))
		p++;
	return p;
}

/* Does a part have a word that no part before it has? */
static bool has_new_word(const struct preset *p, size_t part)
{
	return p->parts[part].word && (!part || strcmp(p->parts[part].word, p->parts[part - 1].word));
}

void preset_option(const struct preset *p, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	if (!out)
		return;
	fprintf(out, "--%s", p->name);
	if (p->list)
		fprintf(out, "[=%s]", p->list);
	for (size_t i = 0; i < PRESET_PARTS; i++)
		if (has_new_word(p, i))
			fprintf(out, "%s%s", i ? "|" : "[=", p->parts[i].word);
	fputs(p->parts[0].word ? "]" : "", out);
	fclose(out);
}

void preset_words(const char *name, char *text, size_t size)
{
	const struct preset *p = find(name);
	size_t last = 0, len = 0;

	if (p->list) {
		snprintf(text, size, "the system calls that 'kflame list syscall:' lists, and numbers of others");
		return;
	}
	for (size_t i = 0; i < PRESET_PARTS; i++)
		if (has_new_word(p, i))
			last = i;
	for (size_t i = 0; i <= last && len < size; i++)
		if (has_new_word(p, i))
			len += (size_t)snprintf(text + len, size - len, "%s%s", !i ? "" : i == last ? " and " : ", ", p->parts[i].word);
}

/* Remembers which part of a preset the events from @first on are of */
static void mark(struct record_options *o, uint32_t first, const struct preset_part *part)
{
	for (uint32_t i = first; i < o->nr_events; i++) {
		o->events[i].of_preset = true;
		o->events[i].field = part->field;
		o->events[i].is_optional = part->flags & PRESET_OPTIONAL;
		o->events[i].weight = part->weight;
	}
}

/* @names: of system calls, with commas between them */
static int add_calls(struct record_options *o, const char *names)
{
	char *copy = strdup(names), *rest = copy, *name, event[KFLAME_EVENT_NAME];
	int err = copy ? 0 : -ENOMEM;

	while (!err && (name = strsep(&rest, ","))) {
		if ((size_t)snprintf(event, sizeof(event), "syscall:%s", name) >= sizeof(event))
			err = -ENAMETOOLONG;
		else
			err = parse_events(event, o);
	}
	free(copy);
	return err;
}

int preset_add(struct record_options *o, const char *name, const char *word)
{
	const struct preset *p = find(name);
	int err = -EINVAL;

	for (size_t i = 0; i < PRESET_PARTS && p->parts[i].events; i++) {
		const struct preset_part *part = &p->parts[i];
		const uint32_t first = o->nr_events;
		const bool takes_names = word && p->list;

		if (!takes_names && (word ? !part->word || strcmp(part->word, word) : part->flags & PRESET_BY_WORD))
			continue;
		err = takes_names ? add_calls(o, word) : parse_events(part->events, o);
		if (err)
			return err;
		mark(o, first, part);
	}
	return err;
}

void preset_leave_out_missing(struct record_options *o)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < o->nr_events; i++) {
		const struct record_event *e = &o->events[i];
		const int has = e->is_optional ? tracefs_has_event(strchr(e->name, ':') + 1) : 1;

		if (has > 0)
			o->events[nr++] = *e;
		else if (has < 0)
			complain("%s is left out: whether this kernel has it cannot be seen without tracefs (%s). To record it, run 'mount -t tracefs tracefs /sys/kernel/tracing'",
				 e->name, strerror(-has));
	}
	o->nr_events = nr;
}
