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
#include "record/presets.h"

/*
 * Who submits I/O passes one of the first three: block_io_start on Linux 6.4 and newer. On an older one, a request that
 * is not sorted goes to the device at once.
 */
#define BLOCK_IO	"tracepoint:block:block_io_start|block_rq_insert|block_rq_issue..block_rq_complete"

static const struct preset {
	const char *name;
	const char *word;	/* NULL: none chooses it */
	const char *events;
	uint32_t weight;	/* of those that have weights: KFLAME_WEIGHT_* */
	const char *field;	/* its hits weigh by it; NULL: none */
	bool is_optional;	/* not all kernels have the events */
} presets[] = {
	{ "file-io", "read", "kretprobe:vfs_read", KFLAME_WEIGHT_VALUE, NULL, false },
	{ "file-io", "write", "kretprobe:vfs_write", KFLAME_WEIGHT_VALUE, NULL, false },
	{ "file-io", "sync", "kretprobe:vfs_fsync_range", KFLAME_WEIGHT_LATENCY, NULL, false },
	{ "net", "send", "kretprobe:tcp_sendmsg,kretprobe:udp_sendmsg", KFLAME_WEIGHT_VALUE, NULL, false },
	{ "net", "receive", "kretprobe:tcp_recvmsg,kretprobe:udp_recvmsg", KFLAME_WEIGHT_VALUE, NULL, false },
	{ "net", "retransmit", "tracepoint:tcp:tcp_retransmit_skb", 0, NULL, false },
	{ "alloc", "slab", "tracepoint:kmem:kmalloc,tracepoint:kmem:kmem_cache_alloc", 0, "bytes", false },
	{ "alloc", "slab", "tracepoint:kmem:kmalloc_node,tracepoint:kmem:kmem_cache_alloc_node", 0, "bytes", true },
	{ "alloc", "pages", "tracepoint:kmem:mm_page_alloc", 0, "bytes", false },
	{ "signals", NULL, "tracepoint:signal:signal_generate", 0, NULL, false },
	{ "exec", NULL, "tracepoint:sched:sched_process_fork,tracepoint:sched:sched_process_exec", 0, NULL, false },
	{ "faults", NULL, "page-faults", 0, NULL, false },
	{ "block-io", "latency", BLOCK_IO, KFLAME_WEIGHT_LATENCY, NULL, false },
	{ "block-io", "bytes", BLOCK_IO, KFLAME_WEIGHT_VALUE, NULL, false },
};

const struct preset_text preset_texts[] = {
	{ "--file-io[=read|write|sync]", "bytes read and written, by file; time of fsync()", "kretprobe:vfs_read,kretprobe:vfs_write" },
	{ "--block-io[=latency|bytes]", "requests of block devices", "tracepoint:block:block_rq_complete" },
	{ "--net[=send|receive|retransmit]", "bytes sent and received by TCP and UDP",
	  "kretprobe:tcp_sendmsg,kretprobe:tcp_recvmsg" },
	{ "--alloc[=slab|pages]", "bytes of kernel memory that is allocated",
	  "tracepoint:kmem:kmalloc,tracepoint:kmem:kmem_cache_alloc,tracepoint:kmem:mm_page_alloc" },
	{ "--syscalls[=NAME,...]", "time of system calls", "syscall:*" },
	{ "--signals", "signals, by who sends them", "tracepoint:signal:signal_generate" },
	{ "--exec", "processes and programs that start",
	  "tracepoint:sched:sched_process_fork,tracepoint:sched:sched_process_exec" },
	{ "--faults", "page faults", "page-faults" },
	{ "--off-cpu", "waits of threads; also --wakers, --wall", "off-cpu" },
	{ NULL, NULL, NULL }
};

/* @o: with events from @first on that a preset has added */
static void set_weight(struct record_options *o, uint32_t first, uint32_t weight)
{
	for (uint32_t i = first; i < o->nr_events; i++) {
		o->events[i].of_preset = true;
		o->events[i].weight = weight;
	}
}

/* @word: the name of a system call, or several with commas between them; NULL: all calls */
static int add_calls(struct record_options *o, const char *word)
{
	const uint32_t first = o->nr_events;
	char *names = strdup(word ? word : "*"), *rest = names, *name, event[KFLAME_EVENT_NAME];
	int err = names ? 0 : -ENOMEM;

	while (!err && (name = strsep(&rest, ","))) {
		if ((size_t)snprintf(event, sizeof(event), "syscall:%s", name) >= sizeof(event))
			err = -ENAMETOOLONG;
		else
			err = parse_events(event, o);
	}
	free(names);
	set_weight(o, first, KFLAME_WEIGHT_LATENCY);
	return err;
}

const char *preset_words(const char *name)
{
	if (!strcmp(name, "alloc"))
		return "slab and pages";
	if (!strcmp(name, "syscalls"))
		return "the system calls that 'kflame list syscall:' lists, and numbers of others";
	if (!strcmp(name, "block-io"))
		return "latency and bytes";
	return strcmp(name, "net") ? "read, write and sync" : "send, receive and retransmit";
}

/* Is it meant if no word is given?  Files are written to disk in no bytes. */
static bool is_usual(const struct preset *p)
{
	return !p->word || strcmp(p->word, "sync");
}

/* Remembers which preset the events from @first on are of */
static void mark(struct record_options *o, uint32_t first, const struct preset *p)
{
	for (uint32_t i = first; i < o->nr_events; i++) {
		o->events[i].of_preset = true;
		o->events[i].field = p->field;
		o->events[i].is_optional = p->is_optional;
		o->events[i].weight = p->weight;
	}
}

int preset_add(struct record_options *o, const char *name, const char *word)
{
	int err = -EINVAL;

	if (!strcmp(name, "syscalls"))
		return add_calls(o, word);
	if (!strcmp(name, "block-io") && !word)
		word = "latency";
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		const struct preset *p = &presets[i];
		const uint32_t first = o->nr_events;

		if (strcmp(p->name, name) || !(word ? p->word && !strcmp(p->word, word) : is_usual(p)))
			continue;
		err = parse_events(p->events, o);
		if (err)
			return err;
		mark(o, first, p);
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
