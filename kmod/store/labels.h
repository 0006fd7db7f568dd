/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labels.h - short texts that say what samples are about, such as the name of a file
 *
 * A session has one table of labels. Samples on all CPUs look labels up and add new ones, without a lock.
 * Nothing is ever removed, so an id stays valid until the session ends. When the table is full, further
 * labels are one: KF_LABEL_MORE.
 */
#ifndef KF_LABELS_H
#define KF_LABELS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#include <kflame.h>

#define KF_LABEL_LEN	400U	/* most bytes of a text */
#define KF_LABEL_MORE	1U	/* id of the label for all that found no room */

/**
 * struct kf_label - a label, as kf_labels_intern() looks it up
 * @kind:	KFLAME_LABEL_*
 * @major:	see struct kflame_rec_label
 * @minor:	the same
 * @root_len:	the same
 * @len:	bytes of @text, at most KF_LABEL_LEN
 * @text:	not terminated, no NUL in it
 */
struct kf_label {
	u16 kind;
	u16 root_len;
	u32 len;
	u32 major;
	u32 minor;
	const char *text;
};

/**
 * struct kf_labels_entry - a label of the table
 * @is:		the label. Its text is in the table, and does not move
 * @hash:	of all of it
 * @is_whole:	all members above are written
 */
struct kf_labels_entry {
	struct kf_label is;
	u32 hash;
	bool is_whole;
};

/**
 * struct kf_labels - the table
 * @entries:	the label with id N is entries[N - 1]
 * @texts:	arena of the texts
 * @slots:	open hash: 0, or the id of a label
 * @max:	room in @entries; there are twice as many slots
 * @max_bytes:	room in @texts
 * @nr:		used of @entries. A few more than @max if CPUs found no room at the same time
 * @bytes:	used of @texts, the same
 *
 * Ownership: the session allocates it before the first sample, and frees it after the last one. An entry is
 * written by the CPU that reserved it, before any slot has its id.
 */
struct kf_labels {
	struct kf_labels_entry *entries;
	char *texts;
	u32 *slots;
	u32 max;
	u32 max_bytes;
	atomic_t nr ____cacheline_aligned_in_smp;
	atomic_t bytes;
};

size_t kf_labels_bytes(void);
struct kf_labels *kf_labels_create(void);
void kf_labels_destroy(struct kf_labels *l);
u32 kf_labels_intern(struct kf_labels *l, const struct kf_label *label);
u32 kf_labels_find(struct kf_labels *l, const struct kf_label *label);
u32 kf_labels_mark(struct kf_labels *l, u32 id, u16 bit);
const struct kf_label *kf_labels_next(const struct kf_labels *l, u32 id);

#endif
