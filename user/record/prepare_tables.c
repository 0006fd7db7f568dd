// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prepare_tables.c - chooses how user stacks are unwound, and prepares the unwind tables
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/message.h"
#include "device/module_features.h"
#include "record/recorder.h"

#define PREPARE_NS	(4 * NS_PER_S)	/* limit: the recording must begin */

int recorder_choose_way(struct recorder *r)
{
	bool tables = r->info.features & KFLAME_FEAT_TABLES;
	bool dump = r->info.features & KFLAME_FEAT_DUMP;
	bool timeline = r->info.features & KFLAME_FEAT_TIMELINE;
	bool timed_copies = r->info.features & KFLAME_FEAT_TIMED_COPIES ||
			    !(r->o->config_flags & KFLAME_CF_TIMELINE);
	char lacks[FEATURES_TEXT];

	if (!r->watch && features_missing(r->info.features, lacks))
		complain("the module is older than this tool, and lacks: %s. Install both from one source",
			 lacks);
	r->graph = r->o->graph;
	/* The default falls back to frame pointers.  An explicit -g gets an error message */
	if (!tables && !r->graph.asked)
		r->graph.uway = KFLAME_UWAY_FP;
	if ((!tables && r->graph.uway != KFLAME_UWAY_FP) || (!dump && r->graph.dump)) {
		complain("the module is older than this tool and does not support this -g: leave -g out, or install both from one source");
		return -1;
	}
	if (!timeline && (r->o->config_flags & KFLAME_CF_TIMELINE)) {
		complain("the module is older than this tool and does not support --timeline: leave it out, or install both from one source");
		return -1;
	}
	if (!timed_copies && r->graph.dump && r->graph.dump != KFLAME_DUMP_BOTH) {
		complain("the module is older than this tool, and --timeline does not go with copies of stacks there: leave dump out of -g, or install both from one source");
		return -1;
	}
	if (r->o->config_flags & KFLAME_CF_NO_USTACK)
		r->graph = (struct call_graph){ .uway = KFLAME_UWAY_FP };
	/* Not for an observer: it reads the samples at once, and copies are unwound later */
	else if (r->graph.uway == KFLAME_UWAY_AUTO && r->info.features & KFLAME_FEAT_LATE && dump &&
		 !r->watch && timed_copies)
		r->graph.dump = KFLAME_DUMP_REST;
	return 0;
}

void recorder_offer_file(void *ctx, const struct profile_file *f, int fd, uid_t owner)
{
	tables_offer(ctx, f, fd, owner);
}

/* Find the files that will be sampled: of the command, of the processes, or of all running processes */
static void find_likely(struct recorder *r, uint64_t until)
{
	const struct record_options *o = r->o;

	if (o->command)
		likely_command(&r->likely, o->command);
	for (size_t i = 0; i < o->pids.nr; i++)
		likely_process(&r->likely, (pid_t)o->pids.all[i]);
	for (size_t i = 0; i < o->tids.nr; i++)
		likely_process(&r->likely, (pid_t)o->tids.all[i]);
	if (!o->command && !o->pids.nr && !o->tids.nr)
		likely_running(&r->likely, until);
	/* A recent recording mostly had the programs that start during this one */
	if (!o->pids.nr && !o->tids.nr)
		likely_recent(&r->likely);
}

void recorder_prepare_tables(struct recorder *r)
{
	uint64_t until = now_ns() + PREPARE_NS;

	if (r->graph.uway == KFLAME_UWAY_FP)
		return;
	find_likely(r, until);
	tables_prepare(&r->tables, -1);
	for (size_t i = 0; i < r->likely.nr && now_ns() < until; i++) {
		if (r->terminal)
			fprintf(stderr, "\rkflame: unwind tables: %zu of %zu files ", i, r->likely.nr);
		tables_prepare(&r->tables, r->likely.all[i].fd);
	}
	if (r->terminal && r->likely.nr)
		fprintf(stderr, "\r\033[K");
}

void recorder_start_tables(struct recorder *r)
{
	if (r->graph.uway != KFLAME_UWAY_FP)
		tables_start(&r->tables, r->device);
	likely_exit(&r->likely);
}
