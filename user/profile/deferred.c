// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deferred.c - reads the samples of a recording from its file, after all other records
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "profile/private.h"
#include "profile/profile.h"

#define CHUNK	(256u << 10)

void profile_put_off_samples(struct profile *p)
{
	p->reader->part = PROFILE_BUT_SAMPLES;
}

uint64_t profile_put_off(const struct profile *p)
{
	return p->reader->part == PROFILE_BUT_SAMPLES ? p->bytes - p->reader->taken : 0;
}

/* Return: 0, a positive errno, -ENOMEM, or -EILSEQ */
static int feed_file(struct profile *p, int fd, uint64_t end)
{
	const uint64_t *at = &p->reader->taken;
	void *chunk = malloc(CHUNK);
	int err = chunk ? 0 : -ENOMEM;

	while (!err && *at < end) {
		ssize_t n = pread(fd, chunk, end - *at < CHUNK ? end - *at : CHUNK, (off_t)*at);

		if (n < 0 && errno == EINTR)
			continue;
		err = n < 0 ? errno : n ? profile_feed_samples(p, chunk, (size_t)n) : ENODATA;
	}
	free(chunk);
	return err;
}

/* Do the bytes read from the file have the same records as the bytes that were fed? */
static bool is_the_same(const struct profile *p)
{
	const struct profile_framing *was = &p->reader->fed, *is = &p->reader->again;

	if (p->reader->taken < p->bytes)
		return was->stuck || !is->stuck;
	return is->records == was->records && is->have == was->have && is->skip == was->skip &&
	       is->stuck == was->stuck && is->past_header == was->past_header;
}

int profile_take_samples(struct profile *p, int fd, uint64_t end)
{
	int err;

	if (!profile_put_off(p) || p->reader->refused)
		return 0;
	err = feed_file(p, fd, end < p->bytes ? end : p->bytes);
	return err || is_the_same(p) ? err : -EILSEQ;
}
