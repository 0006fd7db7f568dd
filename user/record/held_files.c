// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * held_files.c - keeps the mapped files open from the moment they are reported
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/rights.h"
#include "base/thread.h"
#include "device/device.h"
#include "elf/sparse_copy.h"
#include "record/held_files.h"
#include "symbols/mapped_file.h"

#define MAX_HELD	16384	/* limit of open files, whatever the process may open */
#define SPARE		320	/* descriptors left for everything else, such as perf maps and debug files */
#define COPIES		((size_t)256 << 20)

/**
 * struct holder - state that the threads and their master (the recorder) share
 * @lock:	guards all but two groups: @device and @copy_with never change; only the current thread uses
 *		@open and @copies
 * @changed:	signalled if there is a new file, or @over; or if a file is done
 * @files:	the files of the profile, in its order; path and record only
 * @fds:	descriptors of the first @done files
 * @turn:	turn of the current thread; a thread with an earlier turn was given up
 * @began_ns:	when the thread began with the present file; 0: it waits for a file
 * @hung:	how many files were given up
 * @over:	handle no more files
 * @users:	threads, and the master; the last one frees the holder
 * @offer:	called for each file; NULL once the master is gone
 */
struct holder {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct profile_file *files;
	size_t nr, cap;
	int *fds;
	size_t done, cap_fds;
	unsigned int turn;
	uint64_t began_ns;
	unsigned int hung;
	bool over;
	unsigned int users;
	held_fn *offer;
	void *ctx;
	int device;
	unsigned int copy_with;
	size_t open, room;
	size_t copies;
};

/* Raise the limit of descriptors.  Return: how many files may be held */
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

/* Are both on the same mount (Linux 5.8), or at least on the same device? */
static bool same_place(const struct statx *a, const struct statx *b)
{
	if ((a->stx_mask & b->stx_mask & STATX_MNT_ID) && a->stx_mnt_id == b->stx_mnt_id)
		return true;
	return a->stx_dev_major == b->stx_dev_major && a->stx_dev_minor == b->stx_dev_minor;
}

/*
 * Is the file on another file system than / and /usr, which nobody unmounts?  On overlayfs, a file may
 * report another device than its directory.  In another mount namespace, the mount id differs.
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

/* Get the mapped file from the module.  Return: a descriptor; -1 */
static int from_module(const struct holder *h, const struct profile_file *f)
{
	int fd = h->device < 0 ? -1 : device_file(h->device, f->rec.id);
	struct stat st;

	if (fd < 0)
		return -1;
	/* Overlayfs may open the file of another layer than the mapped one */
	if (!fstat(fd, &st) && binary_is_file(f, fd, &st))
		return fd;
	close(fd);
	return -1;
}

/* Offer the file before it is copied, because a copy has no code.  A thread that was given up offers none */
static void offer_file(struct holder *h, unsigned int turn, const struct profile_file *f, int fd,
		       uid_t owner)
{
	pthread_mutex_lock(&h->lock);
	if (h->offer && h->turn == turn)
		h->offer(h->ctx, f, fd, owner);
	pthread_mutex_unlock(&h->lock);
}

/* Return: a descriptor to keep; -1 if the file cannot be opened, or must not be kept */
static int hold(struct holder *h, unsigned int turn, const struct profile_file *f, size_t *copies)
{
	int fd = from_module(h, f), copy;
	struct rights owner;
	uint32_t state;

	if (fd < 0)
		fd = binary_open_file(f, NULL, &state);
	if (fd < 0 || rights_of_file(fd, &owner))
		owner = (struct rights){ 0 };
	offer_file(h, turn, f, fd, owner.uid);
	if (fd < 0 || !is_elsewhere(fd))
		return fd;
	copy = light_copy(fd, copies, h->copy_with);
	close(fd);
	return copy;
}

/* Called under the lock, which the function releases */
static void leave(struct holder *h)
{
	bool last = !--h->users;

	pthread_mutex_unlock(&h->lock);
	if (!last)
		return;
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

/* Called under the lock, which is released meanwhile.  Return: false if this thread was given up */
static bool hold_next(struct holder *h, unsigned int turn)
{
	/* The path is valid as long as the holder */
	struct profile_file f = h->files[h->done];
	size_t copies = h->copies;
	bool fits = h->open < h->room;
	int fd = -1;

	h->began_ns = now_ns();
	pthread_mutex_unlock(&h->lock);
	/* Without room, the file is opened again at the end, by its path */
	if (fits)
		fd = hold(h, turn, &f, &copies);
	else
		offer_file(h, turn, &f, -1, 0);
	pthread_mutex_lock(&h->lock);
	if (h->turn != turn) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	h->began_ns = 0;
	h->copies = copies;
	h->open += fd >= 0;
	h->fds[h->done++] = fd;
	pthread_cond_broadcast(&h->changed);
	return true;
}

static void *run(void *arg)
{
	struct holder *h = arg;
	unsigned int turn;

	pthread_mutex_lock(&h->lock);
	turn = h->turn;
	while (!h->over && h->turn == turn) {
		if (h->done == h->nr)
			pthread_cond_wait(&h->changed, &h->lock);
		else if (!hold_next(h, turn))
			break;
	}
	leave(h);
	return NULL;
}

/* Called under the lock.  Return: whether a thread was started */
static bool start_thread(struct holder *h)
{
	pthread_t thread;

	h->users++;
	if (thread_start(&thread, run, h)) {
		h->users--;
		return false;
	}
	pthread_detach(thread);
	return true;
}

/* Called under the lock: skip a file that takes too long, and let a new thread continue with the next file */
static void give_up_late(struct holder *h)
{
	if (!h->began_ns || now_ns() - h->began_ns < BUDGET_PATIENCE_NS(h->hung))
		return;
	h->turn++;
	h->hung++;
	h->began_ns = 0;
	h->fds[h->done++] = NAMING_SKIP;
	h->over |= !start_thread(h);
	pthread_cond_broadcast(&h->changed);
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
	pthread_mutex_lock(&holder->lock);
	holder->users = 1;
	if (start_thread(holder)) {
		h->holder = holder;
		pthread_mutex_unlock(&holder->lock);
	} else {
		leave(holder);
	}
}

/* Return: whether there was memory */
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
	if (!h->holder)
		return;
	pthread_mutex_lock(&h->holder->lock);
	give_up_late(h->holder);
	while (h->passed < p->nr_files && add(h->holder, &p->files[h->passed]))
		h->passed++;
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

/* Called under the lock: wait until one more file is done or given up */
static void wait_for_one(struct holder *h)
{
	size_t before = h->done;
	struct timespec until;
	uint64_t ns = h->began_ns ? h->began_ns : now_ns();
	int err = 0;

	ns += BUDGET_PATIENCE_NS(h->hung);
	until.tv_sec = (time_t)(ns / NS_PER_S);
	until.tv_nsec = (long)(ns % NS_PER_S);
	while (!err && h->done == before)
		err = pthread_cond_timedwait(&h->changed, &h->lock, &until);
	give_up_late(h);
}

void held_files_finish(struct held_files *h)
{
	struct holder *holder = h->holder;

	if (!holder)
		return;
	pthread_mutex_lock(&holder->lock);
	while (!holder->over && holder->done < holder->nr)
		wait_for_one(holder);
	holder->over = true;
	holder->offer = NULL;
	h->fds = holder->fds;
	h->nr = holder->done;
	pthread_cond_broadcast(&holder->changed);
	pthread_mutex_unlock(&holder->lock);
}

void held_files_exit(struct held_files *h)
{
	if (h->holder && !h->holder->over)
		held_files_finish(h);
	if (h->holder) {
		pthread_mutex_lock(&h->holder->lock);
		leave(h->holder);
	}
	memset(h, 0, sizeof(*h));
}
