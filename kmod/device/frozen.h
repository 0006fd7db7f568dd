/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frozen.h - the flight recorder as a stream, once it is frozen
 *
 * The profile is of the last seconds before the freeze. On each CPU it begins with an epoch, and its
 * accounting is of the time since then. So what was overwritten is in neither, and the profile balances as
 * any other. Tables are read where they are. So until the end of reading the recorder cannot go on or stop.
 */
#ifndef KF_FROZEN_H
#define KF_FROZEN_H

#include <linux/types.h>

struct kf_frozen;
struct kf_stream;

int kf_frozen_create(struct kf_frozen **out);
void kf_frozen_destroy(struct kf_frozen *f);
void kf_frozen_fill(struct kf_frozen *f, struct kf_stream *st);

#endif
