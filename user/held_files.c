// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * held_files.c - mapped files, kept open from when they are told
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "held_files.h"
#include "symbols/binary.h"

#define MAX_HELD	16384	/* and no more, whatever the limit is */
#define SPARE		320	/* descriptors for everything else: perf maps, and debug files */

void held_files_init(struct held_files *h)
{
	struct rlimit limit;

	memset(h, 0, sizeof(*h));
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_cur < limit.rlim_max && limit.rlim_cur < MAX_HELD + SPARE) {
		rlim_t before = limit.rlim_cur;

		limit.rlim_cur = limit.rlim_max < MAX_HELD + SPARE ? limit.rlim_max
								   : MAX_HELD + SPARE;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			limit.rlim_cur = before;
	}
	h->room = limit.rlim_cur > SPARE ? limit.rlim_cur - SPARE : 0;
	if (h->room > MAX_HELD)
		h->room = MAX_HELD;
}

bool held_files_update(struct held_files *h, const struct profile *p)
{
	uint32_t state;
	int fd = -1;

	if (h->nr >= p->nr_files || grow(&h->fds, h->nr, &h->cap, sizeof(*h->fds)))
		return false;
	/* One that does not fit is looked for again at the end, by its path */
	if (h->open < h->room)
		fd = binary_open_file(&p->files[h->nr], &state);
	if (fd >= 0)
		h->open++;
	h->fds[h->nr++] = fd;
	return h->nr < p->nr_files;
}

void held_files_free(struct held_files *h)
{
	for (size_t i = 0; i < h->nr; i++)
		if (h->fds[i] >= 0)
			close(h->fds[i]);
	free(h->fds);
	memset(h, 0, sizeof(*h));
}
