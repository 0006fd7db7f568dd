// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * answer.c - read the answer of a sandbox, message by message
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/answer.h"

int answer_begin(struct answer *a, struct sandbox *child)
{
	*a = (struct answer){ .child = child, .buffer = malloc(ANSWER_BUFFER) };
	return a->buffer ? 0 : -ENOMEM;
}

const void *answer_read(struct answer *a, size_t len, int *err)
{
	const void *bytes = a->buffer + a->at;
	ssize_t n;

	if (a->have - a->at < len) {
		memmove(a->buffer, bytes, a->have - a->at);
		a->have -= a->at;
		a->at = 0;
		n = sandbox_read(a->child, a->buffer + a->have, len - a->have,
				 ANSWER_BUFFER - a->have);
		*err = n < 0 ? -ETIMEDOUT : -EIO;
		if (n > 0)
			a->have += (size_t)n;
		if (a->have < len)
			return NULL;
		bytes = a->buffer;
	}
	a->at += len;
	return bytes;
}

void answer_end(struct answer *a)
{
	free(a->buffer);
	a->buffer = NULL;
}
