/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forget.h - drop the records of processes that no sample refers to any more
 *
 * A session with epochs has no reader that takes records away. So the session's work drops them, when there
 * are twice as many as were left the last time, and 1 MiB at least. What stays: address spaces that a table
 * of the ring names, or that may still be sampled because they are in a cache of address spaces; their
 * mappings; the files of these mappings; and files that would not be reported again.
 *
 * Context: the session's work, the only one that appends to the list. kf_session.take keeps readers of a
 * frozen session away meanwhile.
 */
#ifndef KF_FORGET_H
#define KF_FORGET_H

struct kf_session;

void kf_session_forget(struct kf_session *s);

#endif
