// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_ids.c - ids of mapped files, see process/file_ids.h
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "compat/compat.h"
#include "process/build_id.h"
#include "process/file_ids.h"
#include "process/held_files.h"
#include "store/records.h"

#define SLOTS	(KF_FILES_IDS - 1)	/* a power of two */
#define WAYS	8U

struct file_key {
	u64 inode;
	u64 bytes;
	u64 mtime_ns;
	u32 dev;
	u32 generation;
};

struct kf_files {
	struct mutex lock;	/* guards the rest; nothing is waited for under it */
	struct kf_held *held;
	u64 next_id;
	u64 vdso;
	struct {
		struct file_key key;
		u64 id;		/* 0: free; the lowest id is the oldest */
	} slot[SLOTS];
	/* Scratch: one record is made at a time. */
	char path[PATH_MAX];
	u8 scratch[KF_BUILD_ID_SCRATCH];
	u8 rec[ALIGN(sizeof(struct kflame_rec_file) + PATH_MAX, 8)] __aligned(8);
};

size_t kf_files_bytes(void)
{
	return sizeof(struct kf_files);
}

/* @held: holds each reported file for the reader; outlives the result */
struct kf_files *kf_files_create(struct kf_held *held)
{
	struct kf_files *files = kvzalloc(sizeof(*files),
					  GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);

	if (!files)
		return NULL;
	mutex_init(&files->lock);
	files->held = held;
	return files;
}

void kf_files_destroy(struct kf_files *files)
{
	kvfree(files);
}

static bool tell(struct kf_files *files, struct kflame_rec_file *rec, const char *path,
		 struct kf_records *out, struct kf_walk *walk)
{
	size_t len = strnlen(path, PATH_MAX - 1);

	memcpy(rec->path, path, len);
	memset(rec->path + len, 0, ALIGN(len + 1, 8) - len);
	rec->path_len = len;
	rec->rec.type = KFLAME_REC_FILE;
	rec->rec.size = sizeof(*rec) + ALIGN(len + 1, 8);
	if (!kf_records_add(out, rec, rec->rec.size)) {
		walk->dropped++;
		return false;
	}
	walk->files++;
	return true;
}

static void key_of(struct file_key *key, struct file *file)
{
	struct inode *inode = file_inode(file);

	memset(key, 0, sizeof(*key));
	key->inode = inode->i_ino;
	key->bytes = i_size_read(inode);
	key->mtime_ns = kf_inode_mtime_ns(inode);
	key->dev = inode->i_sb->s_dev;
	key->generation = inode->i_generation;
}

static bool tell_file(struct kf_files *files, struct file *file, const struct file_key *key,
		      u64 id, struct kf_records *out, struct kf_walk *walk)
{
	struct kflame_rec_file *rec = (struct kflame_rec_file *)files->rec;
	char *path;

	memset(rec, 0, sizeof(*rec));
	rec->id = id;
	rec->inode = key->inode;
	rec->bytes = key->bytes;
	rec->mtime_ns = key->mtime_ns;
	rec->dev_major = MAJOR(key->dev);
	rec->dev_minor = MINOR(key->dev);
	rec->generation = key->generation;
	rec->build_id_len = kf_build_id(file, files->scratch, rec->build_id);
	path = d_path(kf_file_path(file), files->path, sizeof(files->path));
	return tell(files, rec, IS_ERR(path) ? "[path too long]" : path, out, walk);
}

static u64 file_id(struct kf_files *files, struct file *file, struct kf_records *out,
		   struct kf_walk *walk)
{
	struct file_key key;
	u32 i, set, victim;
	u64 id;

	lockdep_assert_held(&files->lock);
	key_of(&key, file);
	set = hash_64(key.inode ^ (u64)key.dev << 32 ^ key.mtime_ns, ilog2(SLOTS)) & ~(WAYS - 1);
	victim = set;
	for (i = set; i < set + WAYS; i++) {
		if (files->slot[i].id && !memcmp(&files->slot[i].key, &key, sizeof(key)))
			return files->slot[i].id;
		if (files->slot[i].id < files->slot[victim].id)
			victim = i;
	}
	/*
	 * The file is held before it is reported, because the reader asks for it as soon as it
	 * reads the record. So the id is used up even if there is no room for the record: another
	 * file must not get it later.
	 */
	id = ++files->next_id;
	kf_held_add(files->held, id, file);
	if (!tell_file(files, file, &key, id, out, walk))
		return 0;
	files->slot[victim].key = key;
	files->slot[victim].id = id;
	return id;
}

/**
 * kf_file_id() - get the id of a file; a new file is reported
 * @files:	the session's
 * @file:	the mapping's, held by the caller
 * @out:	where the record goes
 * @walk:	its counters are raised
 *
 * Return: the id, 0 if there was no room for the record.
 */
u64 kf_file_id(struct kf_files *files, struct file *file, struct kf_records *out,
	       struct kf_walk *walk)
{
	u64 id;

	mutex_lock(&files->lock);
	id = file_id(files, file, out, walk);
	mutex_unlock(&files->lock);
	return id;
}

static u64 vdso_id(struct kf_files *files, struct kf_records *out, struct kf_walk *walk)
{
	struct kflame_rec_file *rec = (struct kflame_rec_file *)files->rec;

	if (files->vdso)
		return files->vdso;
	memset(rec, 0, sizeof(*rec));
	rec->id = files->next_id + 1;
	if (!tell(files, rec, "[vdso]", out, walk))
		return 0;
	files->vdso = ++files->next_id;
	return files->vdso;
}

/*
 * The id of the vdso. One id is enough: stacks of 32-bit programs, with another vdso, are not
 * walked.
 */
u64 kf_vdso_id(struct kf_files *files, struct kf_records *out, struct kf_walk *walk)
{
	u64 id;

	mutex_lock(&files->lock);
	id = vdso_id(files, out, walk);
	mutex_unlock(&files->lock);
	return id;
}

/**
 * kf_files_ids() - the files that would not be reported again
 * @files:	the session's
 * @ids:	out
 * @room:	most ids
 *
 * Return: how many.
 */
size_t kf_files_ids(struct kf_files *files, u64 *ids, size_t room)
{
	size_t nr = 0;
	u32 i;

	mutex_lock(&files->lock);
	for (i = 0; i < SLOTS && nr < room; i++)
		if (files->slot[i].id)
			ids[nr++] = files->slot[i].id;
	if (files->vdso && nr < room)
		ids[nr++] = files->vdso;
	mutex_unlock(&files->lock);
	return nr;
}
