// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandbox.c - in place of the tool's sandboxes: each answers with the bytes that a target gives
 *
 * A search would start a process for each name otherwise.  Targets call what runs in sandboxes themselves.
 */
#include <errno.h>

#include "fuzz.h"
#include "sandbox.h"
#include "sandbox/sandbox.h"

static const uint8_t *bytes;
static size_t nr_bytes;

void fuzz_sandboxes_answer(const uint8_t *data, size_t size)
{
	bytes = data;
	nr_bytes = size;
}

void sandbox_main(const struct sandbox_work *const *works)
{
	(void)works;
}

int sandbox_prepare(void)
{
	return 0;
}

int sandbox_start(struct sandbox *s, const struct sandbox_work *work,
		  const struct sandbox_limits *limits, const struct sandbox_input *input)
{
	(void)work;
	(void)limits;
	MUST(input->nr_fds <= SANDBOX_MOST_FDS);
	if (!bytes)
		return -ECHILD;
	*s = (struct sandbox){ .fd = fuzz_file(bytes, nr_bytes) };
	return 0;
}

ssize_t sandbox_read(struct sandbox *s, void *to, size_t least, size_t most)
{
	MUST(least <= most);
	return read(s->fd, to, most);
}

uint64_t sandbox_memory(int fd, uint64_t most)
{
	(void)fd;
	return most;
}

uint64_t sandbox_left(const struct sandbox *s)
{
	(void)s;
	return 1000000000;
}

void sandbox_end(struct sandbox *s)
{
	close(s->fd);
}
