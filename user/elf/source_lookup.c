// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_lookup.c - look up source lines and inlined functions in the debug data of a file
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/source_lookup.h"
#include "elf/source_protocol.h"

#define MEMORY	(4ull << 30)	/* of the sandbox: 256 MiB of .debug_info take a third of it */
#define FILES	8192		/* split debug data has one file for each unit */

int sources_ask(const struct source_file *f, const uint64_t *offsets, size_t nr,
		uint64_t *time_ns, const struct source_taker *taker)
{
	const struct sandbox_limits limits = { .time_ns = *time_ns, .files = FILES,
					       .memory = sandbox_memory(f->debug, MEMORY),
					       .may = CONFINEMENT_OPEN };
	const int fds[] = { f->fd, f->debug };
	struct source_question *q;
	struct sandbox_input input = { .fds = fds, .nr_fds = 2, .owner = &fds[1],
				       .len = sizeof(*q) + nr * sizeof(*offsets) };
	struct sandbox child;
	int err;

	if (!*time_ns)
		return -ETIMEDOUT;
	q = malloc(input.len);
	if (!q)
		return -ENOMEM;
	q->linked = f->linked;
	q->nr = nr;
	memcpy(q->offsets, offsets, nr * sizeof(*offsets));
	input.question = q;
	err = sandbox_start(&child, &source_work, &limits, &input);
	free(q);
	if (err)
		return err;
	err = source_hear(&child, nr, taker);
	*time_ns = sandbox_left(&child);
	sandbox_end(&child);
	return err;
}
