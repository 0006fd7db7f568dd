// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * presets.c - events for a purpose
 *
 * Functions are those that all kernels from 5.10 on have, and that compilers do not inline.
 */
#include <errno.h>
#include <string.h>

#include "base/message.h"
#include "catalog/tracefs.h"
#include "record/presets.h"

static const struct preset {
	const char *name;
	const char *word;	/* NULL: none chooses it */
	const char *events;
	const char *field;	/* its hits weigh by it; NULL: none */
	bool is_optional;	/* not all kernels have the events */
} presets[] = {
	{ "file-io", "read", "kretprobe:vfs_read", NULL, false },
	{ "file-io", "write", "kretprobe:vfs_write", NULL, false },
	{ "net", "send", "kretprobe:tcp_sendmsg,kretprobe:udp_sendmsg", NULL, false },
	{ "net", "receive", "kretprobe:tcp_recvmsg,kretprobe:udp_recvmsg", NULL, false },
	{ "net", "retransmit", "tracepoint:tcp:tcp_retransmit_skb", NULL, false },
	{ "alloc", "slab", "tracepoint:kmem:kmalloc,tracepoint:kmem:kmem_cache_alloc", "bytes", false },
	{ "alloc", "slab", "tracepoint:kmem:kmalloc_node,tracepoint:kmem:kmem_cache_alloc_node", "bytes", true },
	{ "alloc", "pages", "tracepoint:kmem:mm_page_alloc", "bytes", false },
	{ "signals", NULL, "tracepoint:signal:signal_generate", NULL, false },
	{ "exec", NULL, "tracepoint:sched:sched_process_fork,tracepoint:sched:sched_process_exec", NULL, false },
	{ "faults", NULL, "page-faults", NULL, false },
};

const char *preset_words(const char *name)
{
	if (!strcmp(name, "alloc"))
		return "slab and pages";
	return strcmp(name, "net") ? "read and write" : "send, receive and retransmit";
}

/* Remembers which preset the events from @first on are of */
static void mark(struct record_options *o, uint32_t first, const struct preset *p)
{
	for (uint32_t i = first; i < o->nr_events; i++) {
		o->events[i].of_preset = true;
		o->events[i].field = p->field;
		o->events[i].is_optional = p->is_optional;
		if (o->events[i].kind == KFLAME_EVENT_KRETPROBE && !o->weight_given)
			o->weight = KFLAME_WEIGHT_VALUE;
	}
}

int preset_add(struct record_options *o, const char *name, const char *word)
{
	int err = -EINVAL;

	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		const struct preset *p = &presets[i];
		const uint32_t first = o->nr_events;

		if (strcmp(p->name, name) || (word && (!p->word || strcmp(p->word, word))))
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
