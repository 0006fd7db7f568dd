// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * held_files.c - mapped files, kept open from when they are told
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "held_files.h"
#include "light_copy.h"
#include "symbols/binary.h"
#include "thread.h"

#define MAX_HELD	16384	/* and no more, whatever the limit is */
#define SPARE		320	/* descriptors for everything else: perf maps, and debug files */
#define COPIES		((size_t)256 << 20)
#define PATIENCE	10	/* seconds */

/**
 * struct holder - what the thread and its master share
 * @lock:	guards all but @device, @copy_with, @room and @copies, which are the thread's
 * @changed:	there is a new file, or @over; or a file was done
 * @files:	what the profile says of them, in its order; path and record only
 * @fds:	what came of the first @done
 * @over:	no more are wanted
 * @left:	the thread was given up, and all this is left to it
 * @offer:	who is told of each file
 */
struct holder {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	struct profile_file *files;
	size_t nr, cap;
	int *fds;
	size_t done, cap_fds;
	bool over;
	bool left;
	held_fn *offer;
	void *ctx;
	int device;
	unsigned int copy_with;
	size_t open, room;
	size_t copies;
};

/* How many files may be held */
static size_t raise_limit(void)
{
	struct rlimit limit;
	rlim_t before;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	before = limit.rlim_cur;
	if (limit.rlim_cur < limit.rlim_max && limit.rlim_cur < MAX_HELD + SPARE) {
		limit.rlim_cur = limit.rlim_max < MAX_HELD + SPARE ? limit.rlim_max
								   : MAX_HELD + SPARE;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			limit.rlim_cur = before;
	}
	if (limit.rlim_cur <= SPARE)
		return 0;
	return limit.rlim_cur - SPARE < MAX_HELD ? (size_t)(limit.rlim_cur - SPARE) : MAX_HELD;
}

/* Of the same mount (Linux 5.8), or else at least of the same device? */
static bool same_place(const struct statx *a, const struct statx *b)
{
	if ((a->stx_mask & b->stx_mask & STATX_MNT_ID) && a->stx_mnt_id == b->stx_mnt_id)
		return true;
	return a->stx_dev_major == b->stx_dev_major && a->stx_dev_minor == b->stx_dev_minor;
}

/*
 * Is it on another file system than / and /usr, which nobody unmounts?  An overlay's files
 * are of other devices than its directories; in another mount namespace it is another mount.
 */
static bool is_elsewhere(int fd)
{
	static const char *const own[] = { "/", "/usr" };
	struct statx file, st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &file))
		return true;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!statx(AT_FDCWD, own[i], 0, STATX_MNT_ID, &st) && same_place(&file, &st))
			return false;
	return true;
}

/* The file that was mapped, from the module.  Return: a descriptor; -1 */
static int from_module(const struct holder *h, const struct profile_file *f)
{
	int fd = h->device < 0 ? -1 : device_file(h->device, f->rec.id);
	struct stat st;

	if (fd < 0)
		return -1;
	/* Overlayfs may open another layer's than the one that was mapped */
	if (!fstat(fd, &st) && binary_is_file(f, fd, &st))
		return fd;
	close(fd);
	return -1;
}

/* Before it is copied: a copy has no code.  Whoever gave the thread up is not there any more */
static void offer_file(struct holder *h, const struct profile_file *f, int fd)
{
	pthread_mutex_lock(&h->lock);
	if (h->offer && !h->left)
		h->offer(h->ctx, f, fd);
	pthread_mutex_unlock(&h->lock);
}

/* Return: a descriptor to keep; -1 where the file is not to be had, or must not be kept */
static int hold(struct holder *h, const struct profile_file *f)
{
	int fd = from_module(h, f), copy;
	uint32_t state;

	if (fd < 0)
		fd = binary_open_file(f, NULL, &state);
	offer_file(h, f, fd);
	if (fd < 0 || !is_elsewhere(fd))
		return fd;
	copy = light_copy(fd, &h->copies, h->copy_with);
	close(fd);
	return copy;
}

static void free_holder(struct holder *h)
{
	for (size_t i = 0; i < h->nr; i++)
		free(h->files[i].path);
	for (size_t i = 0; i < h->done; i++)
		if (h->fds[i] >= 0)
			close(h->fds[i]);
	free(h->files);
	free(h->fds);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* Under the lock, which is let go meanwhile */
static void hold_next(struct holder *h)
{
	struct profile_file f = h->files[h->done];
	int fd = -1;

	pthread_mutex_unlock(&h->lock);
	/* One that does not fit is looked for again at the end, by its path */
	if (h->open < h->room)
		fd = hold(h, &f);
	else
		offer_file(h, &f, -1);
	h->open += fd >= 0;
	pthread_mutex_lock(&h->lock);
	h->fds[h->done++] = fd;
	pthread_cond_broadcast(&h->changed);
}

static void *run(void *arg)
{
	struct holder *h = arg;

	pthread_mutex_lock(&h->lock);
	while (!h->over) {
		if (h->done < h->nr)
			hold_next(h);
		else
			pthread_cond_wait(&h->changed, &h->lock);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

void held_files_start(struct held_files *h, int device, bool code, held_fn *offer, void *ctx)
{
	struct holder *holder = calloc(1, sizeof(*holder));
	pthread_condattr_t clock;

	memset(h, 0, sizeof(*h));
	if (!holder)
		return;
	holder->device = device;
	holder->copy_with = code ? LIGHT_COPY_CODE : 0;
	holder->offer = offer;
	holder->ctx = ctx;
	holder->room = raise_limit();
	holder->copies = COPIES;
	pthread_mutex_init(&holder->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&holder->changed, &clock);
	pthread_condattr_destroy(&clock);
	if (thread_start(&holder->thread, run, holder))
		free_holder(holder);
	else
		h->holder = holder;
}

/* Return: whether there was the memory */
static bool add(struct holder *h, const struct profile_file *f)
{
	struct profile_file copy = { .rec = f->rec, .path = strdup(f->path) };

	if (!copy.path || grow(&h->files, h->nr, &h->cap, sizeof(*h->files)) ||
	    grow(&h->fds, h->nr, &h->cap_fds, sizeof(*h->fds))) {
		free(copy.path);
		return false;
	}
	h->files[h->nr++] = copy;
	return true;
}

void held_files_update(struct held_files *h, const struct profile *p)
{
	if (!h->holder || h->told >= p->nr_files)
		return;
	pthread_mutex_lock(&h->holder->lock);
	while (h->told < p->nr_files && add(h->holder, &p->files[h->told]))
		h->told++;
	pthread_cond_broadcast(&h->holder->changed);
	pthread_mutex_unlock(&h->holder->lock);
}

int held_files_fd(const struct held_files *h, size_t i)
{
	struct holder *holder = h->holder;
	int fd = -1;

	if (!holder)
		return -1;
	pthread_mutex_lock(&holder->lock);
	if (i < holder->done)
		fd = holder->fds[i];
	else if (!holder->over)
		fd = HELD_NOT_YET;
	pthread_mutex_unlock(&holder->lock);
	return fd;
}

/* Waits for one more file.  Return: whether one was done in time */
static bool wait_for_one(struct holder *h)
{
	size_t before = h->done;
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE;
	while (!err && h->done == before)
		err = pthread_cond_timedwait(&h->changed, &h->lock, &until);
	return h->done > before;
}

void held_files_finish(struct held_files *h)
{
	struct holder *holder = h->holder;

	if (!holder)
		return;
	pthread_mutex_lock(&holder->lock);
	while (holder->done < holder->nr && wait_for_one(holder))
		;
	holder->over = true;
	/* What comes of the file it is at, it writes where nobody looks any more */
	holder->left = holder->done < holder->nr;
	h->fds = holder->fds;
	h->nr = holder->done;
	pthread_cond_broadcast(&holder->changed);
	pthread_mutex_unlock(&holder->lock);
	if (!holder->left)
		pthread_join(holder->thread, NULL);
}

void held_files_free(struct held_files *h)
{
	if (h->holder && !h->holder->over)
		held_files_finish(h);
	if (h->holder && !h->holder->left)
		free_holder(h->holder);
	memset(h, 0, sizeof(*h));
}
