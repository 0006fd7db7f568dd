/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * held_files.h - mapped files, held open until the reader takes them
 *
 * When the reader hears of a file, its process may have ended. The path may lead to another file,
 * to none, or lie in a mount namespace that is gone. So each reported file is held for a while, and
 * KFLAME_IOC_FILE opens it.
 *
 * A held file is what open(2) with O_PATH holds: mount and directory entry. The file system is not
 * asked, because it might not answer. The file may still be written to. The last reference is
 * dropped elsewhere (fput() from a kernel thread is deferred).
 *
 * A mount with a held file cannot be unmounted. Hence the age limit and the cap: a reader that
 * works takes a file within milliseconds, and a reader that does not must not keep a file system
 * busy.
 */
#ifndef KF_HELD_FILES_H
#define KF_HELD_FILES_H

#include <linux/mutex.h>
#include <linux/types.h>

struct file;

#define KF_HELD_MAX		1024U
#define KF_HELD_JIFFIES		(2 * HZ)

struct kf_held_file;

/**
 * struct kf_held - the held files of a session
 * @lock:	guards the rest; nothing is waited for under it
 * @files:	ring of KF_HELD_MAX, oldest at @head; NULL: none are ever held
 * @head:	index of the oldest file
 * @nr:		slots in use from @head on, including slots of files that were taken
 * @taken:	files that were taken
 * @expired:	files that were dropped, for their age or for newer ones
 */
struct kf_held {
	struct mutex lock;
	struct kf_held_file *files;
	u32 head, nr;
	u64 taken, expired;
};

size_t kf_held_bytes(void);
void kf_held_init(struct kf_held *h);
int kf_held_alloc(struct kf_held *h);
void kf_held_exit(struct kf_held *h);
void kf_held_add(struct kf_held *h, u64 id, struct file *mapped);
struct file *kf_held_take(struct kf_held *h, u64 id);
unsigned long kf_held_expire(struct kf_held *h);
void kf_held_count(struct kf_held *h, u64 *taken, u64 *expired);

#endif
