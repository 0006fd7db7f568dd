/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pair_points.h - the tracepoints of a pair, by its name
 */
#ifndef KF_PAIR_POINTS_H
#define KF_PAIR_POINTS_H

#include <linux/types.h>

#include "compat/traced_objects.h"
#include "compat/tracepoints.h"

#ifdef KF_UNTYPED_PROBES

#define KF_MOST_STAGES	4

struct kf_field;

/**
 * struct kf_pair_point - a tracepoint that a pair watches
 * @point:	the kernel's or a module's
 * @stage:	of those that begin: its index
 * @argument:	which argument is an object, from 1; 0: none
 * @bytes:	how large its object is; NULL if that is not known
 */
struct kf_pair_point {
	struct kf_tracepoint point;
	u32 stage;
	u32 argument;
	const struct kf_field *bytes;
};

/**
 * struct kf_pair_points - the tracepoints of a pair
 * @begin:	those that begin a span
 * @end:	the one that ends it
 * @gone:	the one at which a span ends uncounted
 * @object:	what spans are about; KF_OBJECT_NONE: the current task
 * @by_complete: @end is block_rq_complete, where a request's bytes are known
 */
struct kf_pair_points {
	struct kf_pair_point begin[KF_MOST_STAGES], end, gone;
	enum kf_object object;
	bool by_complete;
};

int kf_pair_points_find(struct kf_pair_points *p, const char *name);
void kf_pair_points_put(struct kf_pair_points *p);
bool kf_pair_has_bytes(const struct kf_pair_points *p);

#endif
#endif
