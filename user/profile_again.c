// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile_again.c - takes the samples of a recording from its file, once it is over
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "profile.h"
#include "profile_reader.h"

#define CHUNK	(256u << 10)

void profile_put_off_samples(struct profile *p)
{
	p->reader->part = PROFILE_BUT_SAMPLES;
}

/* Feeds @len bytes of a file.  Return: 0, a positive errno, -ENOMEM, or -EILSEQ */
static int feed_file(struct profile *p, int fd, uint64_t len, const struct profile_watch *w)
{
	void *chunk = malloc(CHUNK);
	int err = chunk ? 0 : -ENOMEM;

	for (uint64_t at = 0; !err && at < len;) {
		ssize_t n = pread(fd, chunk, len - at < CHUNK ? len - at : CHUNK, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		err = n < 0 ? errno : n ? profile_feed(p, chunk, (size_t)n) : ENODATA;
		if (n > 0)
			at += (uint64_t)n;
		if (w)
			w->read(w->ctx, at);
	}
	free(chunk);
	return err;
}

int profile_take_samples(struct profile *p, int fd, uint64_t len, const struct profile_watch *w)
{
	struct profile_reader *r = p->reader;
	const uint64_t bytes = p->bytes, records = p->records;
	const struct profile_reader is = *r;
	int err;

	if (is.part != PROFILE_BUT_SAMPLES || is.refused)
		return 0;
	/* From the first byte on, as if there had been none */
	r->part = PROFILE_SAMPLES;
	r->past_header = false;
	r->stuck = false;
	r->have = 0;
	r->skip = 0;
	err = feed_file(p, fd, len < bytes ? len : bytes, w);
	r->part = PROFILE_ALL;
	r->past_header = is.past_header;
	r->stuck = is.stuck;
	r->have = is.have;
	r->skip = is.skip;
	p->bytes = bytes;
	p->records = records;
	return err;
}
