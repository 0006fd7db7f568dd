// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c - read the module's rings of stack copies, one ring a CPU
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/ring.h"

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Return: 0, also if the CPU has no ring yet; or a negative errno */
static int map_ring(struct rings *r, size_t cpu)
{
	size_t len = page_size() + r->bytes;
	void *page = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, r->device,
			  (off_t)(cpu * len));

	if (page == MAP_FAILED)
		return errno == ENODATA ? 0 : -errno;
	r->all[cpu].page = page;
	r->all[cpu].data = (unsigned char *)page + page_size();
	return 0;
}

int rings_update(struct rings *r)
{
	int err = 0;

	for (size_t cpu = 0; !err && cpu < r->nr; cpu++) {
		if (!r->all[cpu].page)
			err = map_ring(r, cpu);
		/* -EINVAL: no CPU can have this number.  CPU numbers may have gaps. */
		if (err == -EINVAL && r->nr > 1)
			err = 0;
	}
	return err;
}

int rings_open(struct rings *r, int device, size_t limit, uint32_t bytes)
{
	*r = (struct rings){ .device = device, .bytes = bytes, .nr = limit };
	r->all = calloc(limit ? limit : 1, sizeof(*r->all));
	return r->all ? rings_update(r) : -ENOMEM;
}

void rings_close(struct rings *r)
{
	for (size_t cpu = 0; cpu < r->nr; cpu++)
		if (r->all[cpu].page)
			munmap(r->all[cpu].page, page_size() + r->bytes);
	free(r->all);
	memset(r, 0, sizeof(*r));
}

static void give_back(struct ring *ring)
{
	/* Pairs with the module's acquire: the module may overwrite the copy only after it was read */
	__atomic_store_n(&ring->page->tail, ring->tail, __ATOMIC_RELEASE);
}

bool copy_is_sane(const struct kflame_rec_ustack *c)
{
	uint64_t words = (uint64_t)c->nr_kernel + c->nr_user + c->nr_regs;

	return c->rec.type == KFLAME_REC_USTACK && c->rec.size >= sizeof(*c) &&
	       c->copied % 8 == 0 && c->copied <= KFLAME_DUMP_MAX &&
	       words <= KFLAME_RING_MIN / 8 && (c->nr_regs == KFLAME_REGS_X86_64 ||
	       c->nr_regs == KFLAME_REGS_ARM64) &&
	       8 * words + c->copied == c->rec.size - sizeof(*c);
}

static bool explanation_is_sane(const struct kflame_rec_explain *x)
{
	return x->rec.size >= sizeof(*x) && x->nr_steps <= KFLAME_EXPLAIN_STEPS &&
	       x->rec.size == sizeof(*x) + x->nr_steps * sizeof(x->step[0]);
}

/* A record that is no copy is read past */
static void pass(struct rings *r, const struct ring *ring, const struct kflame_rec *rec)
{
	const struct kflame_rec_explain *x = (const void *)rec;
	bool sane = rec->type != KFLAME_REC_USTACK && (rec->type != KFLAME_REC_EXPLAIN || explanation_is_sane(x));

	r->damaged += !sane;
	if (sane && rec->type == KFLAME_REC_EXPLAIN && r->listen)
		r->listen(r->listen_ctx, (size_t)(ring - r->all), NULL, x);
}

/* Get the next copy of a CPU.  If the ring is damaged, skip all records that are in it now. */
static const struct kflame_rec_ustack *next_of(struct rings *r, struct ring *ring)
{
	/* Pairs with the module's release: records before the head are complete */
	uint64_t head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);

	while (ring->tail != head) {
		uint32_t at = (uint32_t)(ring->tail & (r->bytes - 1));
		const struct kflame_rec *rec = (const void *)(ring->data + at);

		if (head - ring->tail > r->bytes || rec->size < sizeof(*rec) || rec->size % 8 ||
		    rec->size > r->bytes - at || rec->size > head - ring->tail) {
			r->damaged++;
			ring->tail = head;
			break;
		}
		if (rec->type == KFLAME_REC_USTACK && copy_is_sane((const void *)rec))
			return (const void *)rec;
		pass(r, ring, rec);
		ring->tail += rec->size;
	}
	give_back(ring);
	return NULL;
}

const struct kflame_rec_ustack *rings_next(struct rings *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		struct ring *ring = &r->all[r->at];
		const struct kflame_rec_ustack *c = ring->page ? next_of(r, ring) : NULL;

		if (c)
			return c;
		r->at = (r->at + 1) % r->nr;
	}
	return NULL;
}

void rings_done(struct rings *r)
{
	struct ring *ring = &r->all[r->at];
	const struct kflame_rec *rec = (const void *)(ring->data + (ring->tail & (r->bytes - 1)));

	if (r->listen)
		r->listen(r->listen_ctx, r->at, (const void *)rec, NULL);
	ring->tail += rec->size;
	give_back(ring);
	r->at = (r->at + 1) % r->nr;
}
