/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - what the agent says about itself: OpenMetrics text in a file
 */
#ifndef KFLAME_AGENT_METRICS_H
#define KFLAME_AGENT_METRICS_H

#include "agent/config.h"
#include "agent/live_session.h"
#include "agent/send_status.h"
#include "agent/spool.h"

/**
 * struct agent_totals - counters since the agent began; sessions that ended are included
 * @books:	accounting of all cuts
 * @lost_cuts:	samples of cuts that could not be written
 */
struct agent_totals {
	struct kflame_cpu books;
	uint64_t cuts;
	uint64_t cut_ns;	/* time spent on making them */
	uint64_t sessions;
	uint64_t lost_cut_samples;
	uint64_t differs;
	uint64_t forgotten, forgotten_alive;
	uint64_t names_asked, names_dropped;
	uint64_t process_bytes, name_bytes;
	bool off;		/* the off-file is there */
	uint64_t sender_starts;
};

/** metrics_write() - replaces the file; a failure is reported once */
void metrics_write(const struct agent_config *c, const struct agent_totals *t, const struct spool *spool,
		   const struct send_status *sender);

#endif
