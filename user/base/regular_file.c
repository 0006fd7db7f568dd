// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regular_file.c - open regular files only, by paths that other users or files chose
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/chroot_open.h"
#include "base/regular_file.h"
#include "base/thread.h"

#define FUSE	0x65735546

/*
 * File systems that store files: on disks, in memory, on servers.  Reading a file of any other kind
 * may have side effects, and each kernel adds such file systems: so this is a list of allowed ones.
 * The numbers are from statfs(2) and linux/magic.h, or else from the file systems' sources.
 */
static bool keeps_files(unsigned long type)
{
	static const unsigned long kinds[] = {
		0x0000ef53,	/* ext2, ext3, ext4 */
		0x58465342,	/* XFS */
		0x9123683e,	/* Btrfs */
		0xf2f52010,	/* F2FS */
		0x794c7630,	/* overlayfs */
		0x01021994,	/* tmpfs */
		0x858458f6,	/* ramfs */
		0x958458f6,	/* hugetlbfs */
		0x73717368,	/* SquashFS */
		0xe0f5e1e2,	/* EROFS */
		0x28cd3d45,	/* cramfs */
		0x00007275,	/* romfs */
		0x000072b6,	/* JFFS2 */
		0x52654973,	/* ReiserFS */
		0x00003434,	/* NILFS2 */
		0x0000137f,	/* MINIX */
		0x00002468,	/* MINIX 2 */
		0x00004d5a,	/* MINIX 3 */
		0x00004d44,	/* FAT */
		0x2011bab0,	/* exFAT */
		0x00009660,	/* ISO 9660 */
		0x15013346,	/* UDF */
		0x00006969,	/* NFS */
		0x01021997,	/* 9P */
		0x00c36400,	/* Ceph */
		0x5346414f,	/* AFS */
		0x6b414653,	/* AFS of the kernel */
		0x0000517b,	/* SMB of old */
		0xff534d42,	/* CIFS */
		0xfe534d42,	/* SMB */
		0x7461636f,	/* OCFS2 */
		0x0000f15f,	/* eCryptfs */
		0x5a4f4653,	/* zonefs */
		0x2fc12fc1,	/* ZFS */
		0xca451a4e,	/* bcachefs */
		0x24051905,	/* UBIFS */
		0x5941ff53,	/* YAFFS */
		0x3153464a,	/* JFS */
		0x01161970,	/* GFS2 */
		0x0bd00bd0,	/* Lustre */
		0x47504653,	/* GPFS */
		0x19830326,	/* BeeGFS */
		0xbacbacbc,	/* vmhgfs */
		0x786f4256,	/* vboxsf */
		0x7366746e,	/* ntfs3 */
		0x5346544e,	/* NTFS */
		0x0000482b,	/* HFS+ */
		0x00004244,	/* HFS */
		0x5dca2df5,	/* sdcardfs */
		0x61756673,	/* aufs */
		0x00011954,	/* UFS */
		0x19540119,	/* UFS 2 */
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (type == kinds[i])
			return true;
	return false;
}

/* virtiofs has the magic number of FUSE, but the host of the virtual machine serves it */
static bool is_virtiofs(int fd)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	unsigned int major_nr, minor_nr;
	bool found = false;
	char *line = NULL;
	size_t room = 0;
	struct stat st;

	if (!in || fstat(fd, &st))
		st.st_dev = 0;
	while (in && !found && getline(&line, &room, in) > 0)
		found = sscanf(line, "%*d %*d %u:%u", &major_nr, &minor_nr) == 2 &&
			makedev(major_nr, minor_nr) == st.st_dev && strstr(line, " - virtiofs ");
	free(line);
	if (in)
		fclose(in);
	return found;
}

/* A FUSE server is a process that may never answer.  Only paths that the tool chose may lead to one. */
static bool may_be_read(int fd, const struct rights *as)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	if ((uint32_t)fs.f_type == FUSE)
		return !as || is_virtiofs(fd);
	return keeps_files((uint32_t)fs.f_type);
}

/*
 * Reopen the file of the O_PATH descriptor @place for reading.  No other file can take its place in between.
 * Closes @place.
 */
static int reopen(int place, const struct rights *as, struct stat *st)
{
	char path[40];
	int fd = -1;

	if (fstat(place, st) || !S_ISREG(st->st_mode) || !may_be_read(place, as)) {
		errno = S_ISDIR(st->st_mode) ? EISDIR : ENOENT;
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	close(place);
	return fd;
}

/*
 * A file to open, shared with the thread that opens it.  A file server may never answer.  Then the tool stops
 * waiting, and the thread frees this struct if the open ever returns.
 */
struct wanted {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char *root;		/* NULL: symbolic links may lead anywhere */
	char *path;
	bool has_rights;
	struct rights rights;
	struct stat st;
	int fd;
	int error;
	bool done;
	bool left;		/* the tool has stopped waiting */
};

static void free_wanted(struct wanted *w)
{
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w->root);
	free(w->path);
	free(w);
}

static struct wanted *make_wanted(const char *root, const char *path, const struct rights *as)
{
	struct wanted *w = calloc(1, sizeof(*w));
	pthread_condattr_t clock;

	if (!w)
		return NULL;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &clock);
	pthread_condattr_destroy(&clock);
	w->root = root ? strdup(root) : NULL;
	w->path = strdup(path);
	w->has_rights = as;
	if (as)
		w->rights = *as;
	if (w->path && (w->root || !root))
		return w;
	free_wanted(w);
	return NULL;
}

static void open_wanted(struct wanted *w)
{
	const struct rights *as = w->has_rights ? &w->rights : NULL;
	int place, err = as ? rights_take(as) : 0;

	w->fd = -1;
	w->error = -err;
	if (err)
		return;
	if (w->root) {
		place = root_open(w->root, w->path, O_PATH | (as ? O_NOFOLLOW : 0));
		errno = place < 0 ? -place : 0;
	} else {
		place = open(w->path, O_PATH | O_CLOEXEC);
	}
	w->fd = place < 0 ? -1 : reopen(place, as, &w->st);
	w->error = errno;
}

static void *run(void *arg)
{
	struct wanted *w = arg;
	bool left;

	open_wanted(w);
	pthread_mutex_lock(&w->lock);
	w->done = true;
	left = w->left;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (left) {
		if (w->fd >= 0)
			close(w->fd);
		free_wanted(w);
	}
	return NULL;
}

/* Return: whether the open finished or failed in time; if not, the thread owns @w */
static bool wait_for(struct wanted *w, pthread_t thread)
{
	static atomic_uint hung;
	uint64_t until_ns = now_ns() + BUDGET_PATIENCE_NS(hung);
	struct timespec until = { .tv_sec = (time_t)(until_ns / NS_PER_S),
				  .tv_nsec = (long)(until_ns % NS_PER_S) };
	int err = 0;
	bool done;

	pthread_mutex_lock(&w->lock);
	while (!err && !w->done)
		err = pthread_cond_timedwait(&w->changed, &w->lock, &until);
	done = w->done;
	w->left = !done;
	pthread_mutex_unlock(&w->lock);
	if (done) {
		pthread_join(thread, NULL);
		return true;
	}
	pthread_detach(thread);
	hung++;
	return false;
}

static int open_as(const char *root, const char *path, const struct rights *as, struct stat *st)
{
	struct wanted *w = make_wanted(root, path, as);
	pthread_t thread;
	int fd, err;

	errno = ENOMEM;
	if (!w)
		return -1;
	err = thread_start(&thread, run, w);
	if (err) {
		free_wanted(w);
		errno = err;
		return -1;
	}
	errno = ETIMEDOUT;
	if (!wait_for(w, thread))
		return -1;
	*st = w->st;
	fd = w->fd;
	err = w->error;
	free_wanted(w);
	errno = err;
	return fd;
}

int regular_file_open(const char *path, const struct rights *as, struct stat *st)
{
	return open_as(NULL, path, as, st);
}

int regular_file_open_outside(const char *path, const struct rights *as, struct stat *st)
{
	int fd = regular_file_open(path, as, st);
	char *below;

	if (fd >= 0 || asprintf(&below, "/proc/1/root%s", path) < 0)
		return fd;
	fd = regular_file_open(below, as, st);
	free(below);
	return fd;
}

int regular_file_open_inside(const char *root, const char *path, const struct rights *as,
			     struct stat *st)
{
	return open_as(root, path, as, st);
}
