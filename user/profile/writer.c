// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * writer.c - makes the records that the tool adds to a profile
 */
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/writer.h"

void records_exit(struct records *r)
{
	free(r->data);
	memset(r, 0, sizeof(*r));
}

static bool make_room(struct records *r, size_t more)
{
	size_t cap = r->cap ? r->cap : 4096;
	unsigned char *data;

	if (r->failed)
		return false;
	while (cap - r->len < more)
		cap *= 2;
	if (cap == r->cap)
		return true;
	data = realloc(r->data, cap);
	if (!data) {
		r->failed = true;
		return false;
	}
	r->data = data;
	r->cap = cap;
	return true;
}

void records_add(struct records *r, void *fixed, size_t fixed_len, const void *tail,
		 size_t tail_len)
{
	struct kflame_rec *rec = fixed;
	size_t size = (fixed_len + tail_len + 7) & ~(size_t)7;
	unsigned char *at;

	/* No reader accepts a longer record. The callers limit names and texts to far less. */
	if (size > KFLAME_REC_MAX || !make_room(r, size))
		return;
	rec->size = (uint32_t)size;
	at = r->data + r->len;
	memcpy(at, fixed, fixed_len);
	if (tail_len)
		memcpy(at + fixed_len, tail, tail_len);
	memset(at + fixed_len + tail_len, 0, size - fixed_len - tail_len);
	r->len += size;
	r->nr++;
}

void records_file(struct records *r, const struct kflame_rec_file *f, const char *path)
{
	struct kflame_rec_file file = *f;

	file.rec.type = KFLAME_REC_FILE;
	file.path_len = (uint32_t)strlen(path);
	records_add(r, &file, offsetof(struct kflame_rec_file, path), path, file.path_len + 1);
}

void records_ksym(struct records *r, uint64_t start, uint64_t end, const char *name)
{
	size_t len = strlen(name);
	struct kflame_rec_ksym k = {
		.rec.type = KFLAME_REC_KSYM, .start = start, .end = end,
		.name_len = (uint32_t)len,
	};

	records_add(r, &k, offsetof(struct kflame_rec_ksym, name), name, len + 1);
}

void records_usym(struct records *r, uint64_t file, uint64_t start, uint64_t end,
		  const char *name)
{
	size_t len = strlen(name);
	struct kflame_rec_usym u = {
		.rec.type = KFLAME_REC_USYM, .file = file, .start = start, .end = end,
		.name_len = (uint32_t)len,
	};

	records_add(r, &u, offsetof(struct kflame_rec_usym, name), name, len + 1);
}

void records_jsym(struct records *r, uint64_t aspace, uint64_t start, uint64_t end,
		  const char *name)
{
	size_t len = strlen(name);
	struct kflame_rec_jsym j = {
		.rec.type = KFLAME_REC_JSYM, .aspace = aspace, .start = start, .end = end,
		.name_len = (uint32_t)len,
	};

	records_add(r, &j, offsetof(struct kflame_rec_jsym, name), name, len + 1);
}

void records_leaf(struct records *r, uint64_t file, uint64_t offset, bool keep)
{
	struct kflame_rec_leaf l = {
		.rec.type = KFLAME_REC_LEAF, .file = file, .offset = offset, .keep = keep,
	};

	records_add(r, &l, sizeof(l), NULL, 0);
}

void records_named(struct records *r, uint64_t file, uint32_t state, uint32_t flags)
{
	struct kflame_rec_named n = {
		.rec.type = KFLAME_REC_NAMED, .file = file, .state = state, .flags = flags,
	};

	records_add(r, &n, sizeof(n), NULL, 0);
}

void records_unwind(struct records *r, const struct kflame_rec_unwind *u)
{
	struct kflame_rec_unwind copy = *u;

	copy.rec.type = KFLAME_REC_UNWIND;
	records_add(r, &copy, sizeof(copy), NULL, 0);
}

void records_cgroup(struct records *r, uint64_t id, const char *path)
{
	size_t len = strlen(path);
	struct kflame_rec_cgroup c = {
		.rec.type = KFLAME_REC_CGROUP, .id = id, .path_len = (uint32_t)len,
	};

	records_add(r, &c, offsetof(struct kflame_rec_cgroup, path), path, len + 1);
}

void records_text(struct records *r, uint32_t id, const char *text)
{
	size_t len = strlen(text);
	struct kflame_rec_text t = {
		.rec.type = KFLAME_REC_TEXT, .id = id, .text_len = (uint32_t)len,
	};

	records_add(r, &t, sizeof(t), text, len + 1);
}

void records_label(struct records *r, uint32_t id, const char *text)
{
	size_t len = strlen(text);
	struct kflame_rec_label l = {
		.rec.type = KFLAME_REC_LABEL, .id = id, .kind = KFLAME_LABEL_TEXT, .text_len = (uint32_t)len,
	};

	records_add(r, &l, offsetof(struct kflame_rec_label, text), text, len + 1);
}

void records_function(struct records *r, uint32_t id, const struct profile_function *function)
{
	const size_t name_len = strlen(function->name), len = name_len + strlen(function->file);
	struct kflame_rec_function f = {
		.rec.type = KFLAME_REC_FUNCTION, .id = id, .kind = function->kind, .line = function->line,
		.name_len = (uint32_t)name_len, .text_len = (uint32_t)len,
	};
	char *text = malloc(len + 1);

	if (!text) {
		r->failed = true;
		return;
	}
	memcpy(text, function->name, name_len);
	strcpy(text + name_len, function->file);
	records_add(r, &f, offsetof(struct kflame_rec_function, text), text, len + 1);
	free(text);
}

void records_source(struct records *r, uint64_t file, uint64_t offset,
		    const struct kflame_source_level *levels, uint32_t nr)
{
	struct kflame_rec_source s = {
		.rec.type = KFLAME_REC_SOURCE, .file = file, .offset = offset, .nr = nr,
	};

	records_add(r, &s, sizeof(s), levels, nr * sizeof(*levels));
}

void records_origin(struct records *r, uint32_t id, const char *text, size_t len)
{
	struct kflame_rec_origin o = {
		.rec.type = KFLAME_REC_ORIGIN, .id = id, .text_len = (uint32_t)len,
	};

	records_add(r, &o, sizeof(o), text, len);
}

void records_host(struct records *r, const char *text, size_t len)
{
	struct kflame_rec_host h = {
		.rec.type = KFLAME_REC_HOST, .text_len = (uint32_t)len,
	};

	records_add(r, &h, offsetof(struct kflame_rec_host, text), text, len);
}

void records_event(struct records *r, const struct profile_event *e, uint32_t id)
{
	struct kflame_rec_event rec = {
		.rec.type = KFLAME_REC_EVENT, .id = id, .kind = e->kind, .unit = e->unit, .arg = e->arg,
	};

	strcpy((char *)rec.full_name, e->name);
	if (strlen(e->name) < sizeof(rec.name))
		strcpy((char *)rec.name, e->name);
	else
		snprintf((char *)rec.name, sizeof(rec.name), "%.*s~%" PRIu32, (int)sizeof(rec.name) - 4, e->name, id);
	records_add(r, &rec, sizeof(rec), NULL, 0);
}

void records_event_count(struct records *r, uint32_t event, const struct kflame_rec_count *c, uint64_t id)
{
	struct kflame_rec_event_counts rec = {
		.rec.type = KFLAME_REC_EVENT_COUNTS, .aspace = c->aspace, .first = id, .cpu = c->cpu,
		.context = c->context, .tgid = c->tgid, .tid = c->tid, .event = event, .nr = 1,
	};
	const struct kflame_event_count count = {
		.weight = c->weight_ns, .samples = c->samples, .kstack = c->kstack, .ustack = c->ustack,
	};

	memcpy(rec.comm, c->comm, sizeof(rec.comm));
	records_add(r, &rec, sizeof(rec), &count, sizeof(count));
}

void records_waker(struct records *r, const struct kflame_rec_waker *w)
{
	struct kflame_rec_waker copy = *w;

	copy.rec.type = KFLAME_REC_WAKER;
	records_add(r, &copy, sizeof(copy), NULL, 0);
}

void records_wake_count(struct records *r, uint32_t event, const struct kflame_rec_count *c, uint64_t waker)
{
	struct kflame_rec_wake_counts rec = {
		.rec.type = KFLAME_REC_WAKE_COUNTS, .aspace = c->aspace, .cpu = c->cpu, .context = c->context,
		.tgid = c->tgid, .tid = c->tid, .event = event, .nr = 1,
	};
	const struct kflame_wake_count count = {
		.of = { .weight = c->weight_ns, .samples = c->samples, .kstack = c->kstack, .ustack = c->ustack },
		.waker = waker,
	};

	memcpy(rec.comm, c->comm, sizeof(rec.comm));
	records_add(r, &rec, sizeof(rec), &count, sizeof(count));
}

void records_end(struct records *r, uint64_t before)
{
	struct kflame_rec_end e = {
		.rec.type = KFLAME_REC_END, .records = before + r->nr,
	};

	records_add(r, &e, sizeof(e), NULL, 0);
}
