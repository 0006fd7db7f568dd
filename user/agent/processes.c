// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * processes.c - the address spaces that the module reported, kept from one cut to the next
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "agent/processes.h"

struct process *processes_find(struct processes *p, uint64_t id)
{
	uint32_t i = idmap_find(&p->ids, id);

	if (i != INDEX_NONE)
		return &p->all[i];
	if (grow(&p->all, p->nr, &p->cap, sizeof(*p->all)) || idmap_set(&p->ids, id, (uint32_t)p->nr))
		return NULL;
	p->all[p->nr] = (struct process){ .id = id };
	p->bytes += sizeof(struct process) + sizeof(struct idmap_entry) + 2 * sizeof(struct index_slot);
	return &p->all[p->nr++];
}

int processes_report(struct processes *p, const struct kflame_rec_aspace *rec)
{
	struct process *one = processes_find(p, rec->id);
	size_t len = rec->rec.size < sizeof(*rec) ? rec->rec.size : sizeof(*rec);

	if (!one)
		return -ENOMEM;
	memset(&one->rec, 0, sizeof(one->rec));
	memcpy(&one->rec, rec, len);
	return 0;
}

int processes_map(struct processes *p, const struct kflame_rec_mapping *rec)
{
	struct process *one = processes_find(p, rec->aspace);

	if (!one)
		return -ENOMEM;
	/* The module may report a mapping again */
	for (size_t i = 0; i < one->nr_maps; i++)
		if (one->maps[i].start == rec->start && one->maps[i].end == rec->end) {
			one->maps[i] = *rec;
			return 0;
		}
	p->bytes -= one->cap_maps * sizeof(*one->maps);
	if (grow(&one->maps, one->nr_maps, &one->cap_maps, sizeof(*one->maps))) {
		p->bytes += one->cap_maps * sizeof(*one->maps);
		return -ENOMEM;
	}
	p->bytes += one->cap_maps * sizeof(*one->maps);
	one->maps[one->nr_maps++] = *rec;
	return 0;
}

static bool is_alive(const struct process *one)
{
	return one->rec.tgid && (!kill((pid_t)one->rec.tgid, 0) || errno == EPERM);
}

/* An order in which to forget: dead ones and earlier address spaces of a process, by their last cut; then the rest */
struct victim {
	uint32_t i;
	bool needed;
	uint64_t cut;
};

static int by_worth(const void *a, const void *b)
{
	const struct victim *x = a, *y = b;

	if (x->needed != y->needed)
		return x->needed ? 1 : -1;
	return x->cut < y->cut ? -1 : x->cut > y->cut;
}

/* An address space that execve() or dlopen() replaced gets no more samples: the last one of a process counts */
static int find_victims(const struct processes *p, struct victim *to)
{
	struct idmap last = { .nr = 0 };
	int err = 0;

	for (size_t i = 0; !err && i < p->nr; i++) {
		uint32_t other = idmap_find(&last, p->all[i].rec.tgid);

		if (other == INDEX_NONE || p->all[other].id < p->all[i].id)
			err = idmap_set(&last, p->all[i].rec.tgid, (uint32_t)i);
	}
	for (size_t i = 0; !err && i < p->nr; i++)
		to[i] = (struct victim){
			.i = (uint32_t)i, .cut = p->all[i].cut,
			.needed = idmap_find(&last, p->all[i].rec.tgid) == i && is_alive(&p->all[i]),
		};
	idmap_exit(&last);
	if (!err)
		qsort(to, p->nr, sizeof(*to), by_worth);
	return err;
}

static uint64_t bytes_of(const struct process *one)
{
	return sizeof(*one) + one->cap_maps * sizeof(*one->maps) + sizeof(struct idmap_entry) +
	       2 * sizeof(struct index_slot);
}

static void forget(struct processes *p, struct process *one)
{
	p->bytes -= bytes_of(one);
	free(one->maps);
	one->maps = NULL;
	one->id = 0;
}

/* Close the holes, and make the index again.  Without memory for the index all are forgotten */
static void close_up(struct processes *p)
{
	size_t nr = 0;

	idmap_exit(&p->ids);
	for (size_t i = 0; i < p->nr; i++) {
		if (!p->all[i].id)
			continue;
		p->all[nr] = p->all[i];
		if (idmap_set(&p->ids, p->all[nr].id, (uint32_t)nr))
			forget(p, &p->all[nr]);
		else
			nr++;
	}
	p->nr = nr;
}

void processes_shrink(struct processes *p, uint64_t limit, uint64_t cut)
{
	struct victim *victims;

	if (p->bytes <= limit)
		return;
	victims = calloc(p->nr + 1, sizeof(*victims));
	if (!victims || find_victims(p, victims)) {
		free(victims);
		return;
	}
	for (size_t i = 0; i < p->nr && p->bytes > limit / 2; i++) {
		if (victims[i].cut == cut)
			continue;
		/* Running ones stay while they fit */
		if (victims[i].needed && p->bytes <= limit)
			break;
		p->forgotten += !victims[i].needed;
		p->forgotten_alive += victims[i].needed;
		forget(p, &p->all[victims[i].i]);
	}
	free(victims);
	close_up(p);
}

void processes_exit(struct processes *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->all[i].maps);
	free(p->all);
	idmap_exit(&p->ids);
	memset(p, 0, sizeof(*p));
}
