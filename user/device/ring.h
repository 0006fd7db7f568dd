/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - read the module's rings of stack copies, one ring a CPU
 */
#ifndef KFLAME_DEVICE_RING_H
#define KFLAME_DEVICE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/** struct ring - the ring of one CPU */
struct ring {
	struct kflame_ring *page;	/* mapped; NULL while the CPU has no ring */
	const unsigned char *data;
	uint64_t tail;			/* position of the next record to read */
};

/**
 * ring_fn - sees each copy, and each explanation of the copy before it on that CPU (KFLAME_CF_EXPLAIN)
 * @copy:	NULL with @why
 * @why:	its steps are within the record; NULL with @copy
 */
typedef void ring_fn(void *ctx, size_t cpu, const struct kflame_rec_ustack *copy,
		     const struct kflame_rec_explain *why);

/** struct rings - the rings of all CPUs; all zero is none */
struct rings {
	int device;
	uint32_t bytes;			/* bytes of data in a ring */
	struct ring *all;
	size_t nr;
	size_t at;			/* index of the ring to read next */
	uint64_t damaged;		/* malformed records; the rest of the ring may be lost, too */
	ring_fn *listen;		/* NULL: nobody listens; set after rings_open() */
	void *listen_ctx;
};

/**
 * rings_open() - map the rings that exist now
 * @device:	a session that was started
 * @limit:	highest number of CPUs
 * @bytes:	kflame_config.ring_bytes
 *
 * Return: 0 or a negative errno.
 */
int rings_open(struct rings *r, int device, size_t limit, uint32_t bytes);

/** rings_update() - map the rings of CPUs that came online since.  Return: 0 or a negative errno. */
int rings_update(struct rings *r);

/** rings_close() - unmap all rings and make the struct empty */
void rings_close(struct rings *r);

/**
 * rings_next() - get the next copy, from each CPU in turn
 *
 * Return: the copy, valid until rings_done(); NULL if there is none now.
 */
const struct kflame_rec_ustack *rings_next(struct rings *r);

/** rings_done() - release the copy that rings_next() returned, so that the module can reuse its space */
void rings_done(struct rings *r);

/** copy_is_sane() - Return: whether the sizes in a record are consistent.  Tests use this, too. */
bool copy_is_sane(const struct kflame_rec_ustack *c);

#endif
