// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge_kernel.c - kernel addresses of many machines in one profile
 *
 * Machines have different code at one kernel address: they run different kernels, and each boot moves the kernel
 * and its modules.  So a function is shared by its kernel, name and size, and has a range of addresses of its own
 * in the sum.  The functions of the first input keep their addresses, so that its kernel can be named again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/merge.h"
#include "profile/private.h"

/* The ranges of the sum: no kernel has code there */
#define FIRST_RANGE	(1ULL << 48)
#define LAST_RANGE	(1ULL << 63)
/* Space after a function: a return address may be one past its end */
#define SPACE		16
/* No function is larger. A malformed profile may say so. */
#define MAX_SIZE	(1ULL << 32)

uint32_t merge_kernel_of(struct merge *m, const struct profile *p)
{
	const struct kflame_rec_session *s = &p->session;
	const char *build_id = profile_host(p, "kernel-build-id");
	char key[sizeof(s->release) + sizeof(s->machine) + sizeof(s->version) + 160];
	int len = snprintf(key, sizeof(key), "%s %s %s %.96s", s->release, s->machine, s->version,
			   build_id ? build_id : "");

	/* A profile of several kernels does not say which function is of which one: do not mix source lines. */
	if (m->in.has_kernel_lines && !build_id)
		len += snprintf(key + len, sizeof(key) - (size_t)len, " %" PRIu64, m->inputs);
	return intern_bytes(&m->kernels, key, (size_t)len, NULL);
}

struct key {
	struct merge_ksym of;
	const char *name;
};

static bool same_ksym(const void *ctx, uint32_t i, const void *key)
{
	const struct merge *m = ctx;
	const struct key *k = key;
	const struct merge_ksym *s = &m->ksyms[i];

	return s->kernel == k->of.kernel && s->size == k->of.size && s->at == k->of.at &&
	       !strcmp(m->sum->ksyms.all[i].name, k->name);
}

static int add_ksym(struct merge *m, const struct key *k, uint64_t hash, uint64_t keep)
{
	const size_t nr = m->sum->ksyms.nr;
	uint64_t start = keep;
	int err = grow(&m->ksyms, nr, &m->cap_ksyms, sizeof(*m->ksyms));

	if (err)
		return err;
	if (!start) {
		start = m->ksym_next;
		m->ksym_next += (k->of.size + 2 * SPACE - 1) / SPACE * SPACE;
	}
	m->ksyms[nr] = k->of;
	records_ksym(&m->r, start, start + k->of.size, k->name);
	err = merge_take(m);
	if (err)
		return err;
	/* A name that is no valid text cannot be in a profile. */
	return m->sum->ksyms.nr == nr ? -EOVERFLOW : index_add(&m->ksym_index, hash, (uint32_t)nr);
}

/*
 * Finds or adds a function.
 *
 * @keep: its address in the sum if it is new; 0: any
 * @start: out: its address in the sum
 */
static int find_ksym(struct merge *m, const struct key *k, uint64_t keep, uint64_t *start)
{
	uint64_t hash = hash_u64(hash_u64(k->of.kernel, k->of.size), k->of.at);
	uint32_t i;
	int err = 0;

	hash = hash_bytes(hash, k->name, strlen(k->name));
	i = index_find(&m->ksym_index, hash, same_ksym, m, k);
	if (i == INDEX_NONE) {
		i = (uint32_t)m->sum->ksyms.nr;
		err = add_ksym(m, k, hash, keep);
	}
	if (!err)
		*start = m->sum->ksyms.all[i].start;
	return err;
}

/* Kernel code without a name: a range of its own, with its address as the name */
static int unnamed(struct merge *m, uint64_t ip, uint64_t *to)
{
	char name[40];
	struct key k = { .of = { .kernel = m->in.kernel, .size = SPACE }, .name = name };
	int err;

	snprintf(name, sizeof(name), "[kernel %#" PRIx64 "]", ip);
	err = find_ksym(m, &k, 0, to);
	/* The middle of the range: of a caller, the byte before the address is looked up. */
	*to += SPACE / 2;
	return err;
}

static bool stays(const struct merge *m, uint64_t start)
{
	return !m->inputs && (start < FIRST_RANGE || start >= LAST_RANGE);
}

int merge_kernel_address(struct merge *m, uint64_t ip, bool caller, uint64_t *to)
{
	const uint64_t code = caller && ip ? ip - 1 : ip;
	const struct profile *p = m->in.p;
	const struct profile_symbol *s = profile_symbol(&p->ksyms, code);
	const struct profile_source *lines;
	struct key k = { .of.kernel = m->in.kernel };
	uint64_t start, size;
	int err;

	if (!m->ksym_next)
		m->ksym_next = FIRST_RANGE;
	if (!s && stays(m, ip)) {
		*to = ip;
		return 0;
	}
	if (!s)
		return unnamed(m, ip, to);
	size = s->end - s->start;
	k.name = s->name;
	k.of.size = size < MAX_SIZE ? size : MAX_SIZE;
	k.of.at = m->in.has_kernel_lines ? s->start - m->in.kernel_base : 0;
	err = find_ksym(m, &k, stays(m, s->start) && s->start && size < MAX_SIZE ? s->start : 0, &start);
	if (err)
		return err;
	*to = start + (code - s->start < k.of.size ? code - s->start : 0) + caller;
	lines = profile_source(p, PROFILE_KERNEL, code);
	return lines ? merge_source(m, lines, PROFILE_KERNEL, *to - caller) : 0;
}
