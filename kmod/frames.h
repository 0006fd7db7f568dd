/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.h - a stack while it is being captured
 */
#ifndef KF_FRAMES_H
#define KF_FRAMES_H

#include <linux/types.h>

#define KF_MAX_DEPTH	127U	/* of a kernel stack */
#define KF_MAX_UDEPTH	512U	/* of a user stack */
#define KF_DEFAULT_DEPTH 127U	/* of kernel stacks, and of those by frame pointers */

/**
 * struct kf_frames - frames of one stack, innermost first
 * @nr:		number of frames
 * @end:	KFLAME_END_*, and KFLAME_BY_*
 * @candidate:	index of a frame that is only a candidate, KFLAME_NO_CANDIDATE
 * @ip:		addresses
 */
struct kf_frames {
	u32 nr;
	u32 end;
	u32 candidate;
	u64 ip[KF_MAX_UDEPTH];
};

#endif
