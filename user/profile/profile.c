// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - creates, queries and frees a profile
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/addresses.h"
#include "profile/private.h"
#include "profile/profile.h"
#include "profile/writer.h"

struct profile *profile_create(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->owner = geteuid();
	p->reader = calloc(1, sizeof(*p->reader));
	if (!p->reader) {
		free(p);
		return NULL;
	}
	return p;
}

void profile_keep_timeline(struct profile *p)
{
	p->reader->keeps_timeline = true;
}

void profile_keep_cpus(struct profile *p)
{
	p->reader->keeps_cpus = true;
}

int profile_leave_out_stacks(struct profile *p)
{
	p->addresses = profile_addresses_create();
	return p->addresses ? 0 : -ENOMEM;
}

void profile_symbols_exit(struct profile_symbols *syms)
{
	for (size_t i = 0; i < syms->nr; i++)
		free((char *)syms->all[i].name);
	free(syms->all);
}

static void free_reader(struct profile_reader *r)
{
	free(r->fed.buf);
	free(r->again.buf);
	idmap_exit(&r->aspaces);
	idmap_exit(&r->files);
	idmap_exit(&r->stacks[0]);
	idmap_exit(&r->stacks[1]);
	idmap_exit(&r->cgroups);
	idmap_exit(&r->origins);
	idmap_exit(&r->count_ids[0]);
	idmap_exit(&r->count_ids[1]);
	index_exit(&r->stack_index);
	index_exit(&r->count_index);
	idmap_exit(&r->wakers);
	index_exit(&r->waker_index);
	index_exit(&r->leaf_index);
	idmap_exit(&r->labels);
	idmap_exit(&r->texts);
	index_exit(&r->source_index);
	free(r);
}

void profile_destroy(struct profile *p)
{
	if (!p)
		return;
	if (p->free_shown)
		p->free_shown(p);
	free_reader(p->reader);
	profile_addresses_destroy(p->addresses);
	for (size_t i = 0; i < p->nr_aspaces; i++) {
		free(p->aspaces[i].maps);
		profile_symbols_exit(&p->aspaces[i].syms);
	}
	free(p->aspaces);
	for (size_t i = 0; i < p->nr_files; i++) {
		free(p->files[i].path);
		free(p->files[i].short_base);
		profile_symbols_exit(&p->files[i].syms);
	}
	free(p->files);
	for (size_t i = 0; i < p->nr_stacks; i++)
		if (!p->stacks[i].is_like)
			free(p->stacks[i].callers);
	free(p->stacks);
	free(p->counts);
	free(p->wakers);
	for (size_t i = 0; i < p->nr_labels; i++)
		free(p->labels[i].name);
	free(p->labels);
	profile_functions_exit(p);
	free(p->timeline);
	free(p->leaves);
	for (size_t i = 0; i < p->nr_cgroups; i++)
		free(p->cgroups[i].path);
	free(p->cgroups);
	for (size_t i = 0; i < p->nr_origins; i++)
		free(p->origins[i].text);
	free(p->origins);
	for (size_t i = 0; i < p->nr_texts; i++)
		free(p->texts[i]);
	free(p->texts);
	free(p->levels);
	free(p->sources);
	free(p->cpus);
	for (size_t i = 0; i < p->nr_events; i++) {
		free(p->events[i].cpus);
		profile_histograms_exit(&p->events[i]);
	}
	free(p->events);
	free(p->joint.cpus);
	profile_symbols_exit(&p->ksyms);
	for (size_t i = 0; i < p->nr_host; i++)
		free(p->host[i]);
	free(p->host);
	free(p);
}

int profile_status(const struct profile *p)
{
	return p->state != PROFILE_WHOLE || p->damaged || p->lost_stacks;
}

const char *profile_host(const struct profile *p, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < p->nr_host; i++)
		if (!strncmp(p->host[i], key, len) && p->host[i][len] == '=')
			return p->host[i] + len + 1;
	return NULL;
}

static uint64_t time_of(const struct profile *p, const char *key, uint64_t otherwise)
{
	const char *text = profile_host(p, key);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

uint64_t profile_began(const struct profile *p)
{
	return time_of(p, "cut-start", p->session.start_realtime_ns);
}

uint64_t profile_ended(const struct profile *p)
{
	const bool is_known = p->has_session && p->has_stats && p->stats.stop_ns > p->session.start_ns;

	return time_of(p, "cut-end",
		       p->session.start_realtime_ns + (is_known ? p->stats.stop_ns - p->session.start_ns : 0));
}

const char *profile_cgroup(const struct profile *p, uint64_t id)
{
	uint32_t i = idmap_find(&p->reader->cgroups, id);

	return i == INDEX_NONE ? NULL : p->cgroups[i].path;
}

bool profile_has_file(const struct profile *p, uint64_t id)
{
	return idmap_find(&p->reader->files, id) != INDEX_NONE;
}

uint32_t profile_find_aspace(const struct profile *p, uint64_t id)
{
	uint32_t i = idmap_find(&p->reader->aspaces, id);

	return i == INDEX_NONE ? PROFILE_NONE : i;
}

bool profile_between(const struct profile *p)
{
	const struct profile_framing *f = &p->reader->fed;

	return f->past_header && !f->have && !f->skip;
}

const struct profile_symbol *profile_symbol(const struct profile_symbols *syms, uint64_t at)
{
	size_t low = 0, high = syms->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (syms->all[mid].start <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || at >= syms->all[low - 1].end)
		return NULL;
	return &syms->all[low - 1];
}

int profile_verdict(const struct profile *p, uint32_t file, uint64_t offset)
{
	uint32_t i = profile_find_leaf(p, file, offset);

	return i == INDEX_NONE ? -1 : (int)p->leaves[i].keep;
}

int profile_take_records(struct profile *p, const struct records *r)
{
	uint64_t records = p->records;
	int err = 0;

	for (size_t at = 0; !err && at < r->len;) {
		const struct kflame_rec *rec = (const void *)(r->data + at);

		err = profile_take(p, rec);
		at += rec->size;
	}
	p->records = records;
	for (size_t i = 0; i < p->nr_files; i++)
		profile_sort_symbols(&p->files[i].syms);
	profile_sort_symbols(&p->ksyms);
	return err;
}
