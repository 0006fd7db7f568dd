/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - the module's rings of stack copies, one a CPU, as the reader sees them
 */
#ifndef KFLAME_DEVICE_RING_H
#define KFLAME_DEVICE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/** struct ring - of one CPU */
struct ring {
	struct kflame_ring *page;	/* mapped; NULL while that CPU has none */
	const unsigned char *data;
	uint64_t tail;			/* of the record to be read next */
};

/** struct rings - those of all CPUs; all zero is none */
struct rings {
	int device;
	uint32_t bytes;			/* of a ring's data */
	struct ring *all;
	size_t nr;
	size_t at;			/* whose turn it is */
	uint64_t damaged;		/* records that made no sense: what followed is lost */
};

/**
 * rings_open() - maps the rings that there are
 * @device:	a session that was started
 * @bytes:	kflame_config.ring_bytes
 *
 * Return: 0 or a negative errno.
 */
int rings_open(struct rings *r, int device, size_t limit, uint32_t bytes);

/** rings_update() - maps those of CPUs that came since.  Return: 0 or a negative errno. */
int rings_update(struct rings *r);

/** rings_close() - unmaps all, and makes it none */
void rings_close(struct rings *r);

/**
 * rings_next() - the next copy, of one CPU after the other
 *
 * Return: it, valid until rings_done(); NULL: there is none now.
 */
const struct kflame_rec_ustack *rings_next(struct rings *r);

/** rings_done() - gives the place of what rings_next() gave back to the module */
void rings_done(struct rings *r);

/** copy_is_sane() - Return: whether a record holds what it says.  For tests, too. */
bool copy_is_sane(const struct kflame_rec_ustack *c);

#endif
