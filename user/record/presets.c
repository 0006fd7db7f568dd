// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * presets.c - events for a purpose
 *
 * Functions are those that all kernels from 5.10 on have, and that compilers do not inline.
 */
#include <errno.h>
#include <string.h>

#include "record/presets.h"

static const struct preset {
	const char *name;
	const char *word;	/* NULL: none chooses it */
	const char *events;
} presets[] = {
	{ "file-io", "read", "kretprobe:vfs_read" },
	{ "file-io", "write", "kretprobe:vfs_write" },
	{ "net", "send", "kretprobe:tcp_sendmsg,kretprobe:udp_sendmsg" },
	{ "net", "receive", "kretprobe:tcp_recvmsg,kretprobe:udp_recvmsg" },
	{ "net", "retransmit", "tracepoint:tcp:tcp_retransmit_skb" },
	{ "signals", NULL, "tracepoint:signal:signal_generate" },
	{ "exec", NULL, "tracepoint:sched:sched_process_fork,tracepoint:sched:sched_process_exec" },
	{ "faults", NULL, "page-faults" },
};

const char *preset_words(const char *name)
{
	return strcmp(name, "net") ? "read and write" : "send, receive and retransmit";
}

int preset_add(struct record_options *o, const char *name, const char *word)
{
	const uint32_t first = o->nr_events;
	int err = -EINVAL;

	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		const struct preset *p = &presets[i];

		if (strcmp(p->name, name) || (word && (!p->word || strcmp(p->word, word))))
			continue;
		err = parse_events(p->events, o);
		if (err)
			return err;
	}
	for (uint32_t i = first; i < o->nr_events; i++) {
		o->events[i].of_preset = true;
		if (o->events[i].kind == KFLAME_EVENT_KRETPROBE && !o->weight_given)
			o->weight = KFLAME_WEIGHT_VALUE;
	}
	return err;
}
