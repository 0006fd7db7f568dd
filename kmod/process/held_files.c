// SPDX-License-Identifier: GPL-2.0-only
/*
 * held_files.c - mapped files, held until the reader takes them, see process/held_files.h
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "process/held_files.h"

struct kf_held_file {
	struct file *file;	/* opened with O_PATH; NULL: the reader took it */
	u64 id;
	unsigned long until;	/* jiffies */
};

size_t kf_held_bytes(void)
{
	return sizeof(struct kf_held_file) * KF_HELD_MAX;
}

void kf_held_init(struct kf_held *h)
{
	memset(h, 0, sizeof(*h));
	mutex_init(&h->lock);
}

/* From now on files are held. Return: 0 or -ENOMEM. */
int kf_held_alloc(struct kf_held *h)
{
	h->files = kvcalloc(KF_HELD_MAX, sizeof(*h->files),
			    GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	return h->files ? 0 : -ENOMEM;
}

static struct kf_held_file *oldest(struct kf_held *h)
{
	lockdep_assert_held(&h->lock);
	return h->nr ? &h->files[h->head] : NULL;
}

static void drop_oldest(struct kf_held *h)
{
	struct kf_held_file *first = oldest(h);

	if (first->file) {
		fput(first->file);
		first->file = NULL;
		h->expired++;
	}
	h->head = (h->head + 1) % KF_HELD_MAX;
	h->nr--;
}

/* Drop all files. Nothing uses @h any more. */
void kf_held_exit(struct kf_held *h)
{
	mutex_lock(&h->lock);
	while (h->nr)
		drop_oldest(h);
	mutex_unlock(&h->lock);
	kvfree(h->files);
	h->files = NULL;
}

/**
 * kf_held_add() - hold a file
 * @h:		the session's
 * @id:		id of the file, higher than all ids before
 * @mapped:	the file, held by the caller
 *
 * Only regular files are held, because opening a device may have side effects. Files that the
 * kernel made, such as shared anonymous memory, have no path and are not held.
 *
 * On overlayfs since 6.7 the held file is the one in the layer (def3ae83da02 "fs: store real path
 * instead of fake path in backing file f_path"). On older kernels it is the file that its path
 * leads to: the reader must verify that this file was mapped. Without memory the file is not held,
 * and the reader uses its path.
 * Context: the session's work, or the thread of a reader that asks for an id.
 */
void kf_held_add(struct kf_held *h, u64 id, struct file *mapped)
{
	struct inode *inode = file_inode(mapped);
	struct file *file;

	if (!h->files || !S_ISREG(inode->i_mode) || IS_PRIVATE(inode))
		return;
	file = dentry_open(&mapped->f_path, O_PATH | O_CLOEXEC, current_cred());
	if (IS_ERR(file))
		return;
	mutex_lock(&h->lock);
	if (h->nr == KF_HELD_MAX)
		drop_oldest(h);
	h->files[(h->head + h->nr++) % KF_HELD_MAX] = (struct kf_held_file){
		.file = file, .id = id, .until = jiffies + KF_HELD_JIFFIES,
	};
	mutex_unlock(&h->lock);
}

/**
 * kf_held_take() - take a file; may sleep
 * @h:		the session's
 * @id:		id of the file
 *
 * Return: the O_PATH file, which the caller owns now; NULL if it is not held.
 */
struct file *kf_held_take(struct kf_held *h, u64 id)
{
	struct kf_held_file *held;
	struct file *file = NULL;
	u32 i;

	mutex_lock(&h->lock);
	for (i = 0; i < h->nr && !file; i++) {
		held = &h->files[(h->head + i) % KF_HELD_MAX];
		if (held->id == id)
			swap(file, held->file);
	}
	h->taken += !!file;
	while (h->nr && !oldest(h)->file)
		drop_oldest(h);
	mutex_unlock(&h->lock);
	return file;
}

/**
 * kf_held_expire() - drop files that were not taken in time
 * @h:	the session's
 *
 * Context: the session's work.
 * Return: jiffies until the next call is due; 0: no call is needed.
 */
unsigned long kf_held_expire(struct kf_held *h)
{
	unsigned long now = jiffies, wait = 0;

	mutex_lock(&h->lock);
	while (h->nr && (!oldest(h)->file || time_after_eq(now, oldest(h)->until)))
		drop_oldest(h);
	if (h->nr)
		wait = oldest(h)->until - now;
	mutex_unlock(&h->lock);
	return wait;
}

/* How many files were taken, and how many were dropped */
void kf_held_count(struct kf_held *h, u64 *taken, u64 *expired)
{
	mutex_lock(&h->lock);
	*taken = h->taken;
	*expired = h->expired;
	mutex_unlock(&h->lock);
}
