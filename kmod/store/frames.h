/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.h - a stack while it is being captured
 */
#ifndef KF_FRAMES_H
#define KF_FRAMES_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#include <kflame.h>

#define KF_MAX_DEPTH	127U	/* of a kernel stack */
#define KF_MAX_UDEPTH	512U	/* of a user stack */
#define KF_DEFAULT_DEPTH 127U	/* of kernel stacks, and of user stacks by frame pointers */

/**
 * union kf_shape - what describes a stack beside its addresses
 * @nr:		number of frames
 * @kind:	KFLAME_STACK_*
 * @end:	KFLAME_END_*, and KFLAME_BY_*
 * @candidate:	index of the frame that is only a candidate, or KF_NO_CANDIDATE
 * @word:	all fields as one word, to write, compare and hash them at once
 */
union kf_shape {
	struct {
#ifdef __LITTLE_ENDIAN
		u16 nr, kind, end, candidate;
#else
		u16 candidate, end, kind, nr;
#endif
	};
	u64 word;
};

#define KF_NO_CANDIDATE	((u16)~0U)

static __always_inline union kf_shape kf_shape(u32 kind, u32 nr, u32 end, u32 candidate)
{
	BUILD_BUG_ON(KF_MAX_UDEPTH >= KF_NO_CANDIDATE || KF_MAX_DEPTH >= KF_NO_CANDIDATE);
	/* One write: after four narrow writes, a read of the whole word would stall. */
	return (union kf_shape){
		.word = nr | kind << 16 | (u64)end << 32 | (u64)(u16)candidate << 48,
	};
}

/**
 * struct kf_frames - frames of one stack, innermost first
 * @is:		number of frames, and the rest of the stack's shape
 * @ip:		addresses
 */
struct kf_frames {
	union kf_shape is;
	u64 ip[KF_MAX_UDEPTH];
};

bool kf_frames_are_same(const struct kf_frames *a, const struct kf_frames *b);
void kf_frames_copy(struct kf_frames *to, const struct kf_frames *from);
void kf_frames_log(const char *how, const struct kf_frames *f);

#endif
