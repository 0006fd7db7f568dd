/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.h - read the answer of a sandbox, message by message
 *
 * The file that a sandbox parses may have taken over the sandbox.  So the caller checks each number that it
 * reads here before it uses the number.
 */
#ifndef KFLAME_SANDBOX_ANSWER_H
#define KFLAME_SANDBOX_ANSWER_H

#include "sandbox/sandbox.h"

#define ANSWER_BUFFER	(256u << 10)	/* bytes; no part of a message is larger */

/** struct answer - a buffer for what a sandbox wrote */
struct answer {
	struct sandbox *child;
	unsigned char *buffer;
	size_t at, have;
};

/** answer_begin() - Return: 0 or -ENOMEM; answer_end() frees the buffer */
int answer_begin(struct answer *a, struct sandbox *child);

/**
 * answer_read() - read the next part of the answer
 * @len:	at most ANSWER_BUFFER
 * @err:	set if there is no more: -EIO; -ETIMEDOUT past the deadline
 *
 * Return: @len bytes, not aligned, valid until the next call; NULL with @err.
 */
const void *answer_read(struct answer *a, size_t len, int *err);

/** answer_end() - free the buffer */
void answer_end(struct answer *a);

#endif
