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
} presets[] = {
	{ "file-io", "read", "kretprobe:vfs_read", KFLAME_WEIGHT_VALUE },
	{ "file-io", "write", "kretprobe:vfs_write", KFLAME_WEIGHT_VALUE },
	{ "net", "send", "kretprobe:tcp_sendmsg,kretprobe:udp_sendmsg", KFLAME_WEIGHT_VALUE },
	{ "net", "receive", "kretprobe:tcp_recvmsg,kretprobe:udp_recvmsg", KFLAME_WEIGHT_VALUE },
	{ "net", "retransmit", "tracepoint:tcp:tcp_retransmit_skb", 0 },
	{ "signals", NULL, "tracepoint:signal:signal_generate", 0 },
	{ "exec", NULL, "tracepoint:sched:sched_process_fork,tracepoint:sched:sched_process_exec", 0 },
	{ "faults", NULL, "page-faults", 0 },
	{ "block-io", "latency", BLOCK_IO, KFLAME_WEIGHT_LATENCY },
	{ "block-io", "bytes", BLOCK_IO, KFLAME_WEIGHT_VALUE },
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
	if (!strcmp(name, "syscalls"))
		return "the system calls that 'kflame list syscall:' lists, and numbers of others";
	if (!strcmp(name, "block-io"))
		return "latency and bytes";
	return strcmp(name, "net") ? "read and write" : "send, receive and retransmit";
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

		if (strcmp(p->name, name) || (word && (!p->word || strcmp(p->word, word))))
			continue;
		err = parse_events(p->events, o);
		if (err)
			return err;
		set_weight(o, first, p->weight);
	}
	return err;
}
