// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * otlp.c - writes a profile as a request of OTLP profiles
 *
 * All tables are in the dictionary of the request.  Entry 0 of each table is empty and stands for "none".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/otlp.h"
#include "agent/otlp_fields.h"
#include "agent/send_labels.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/version.h"
#include "stacks/stacks.h"

/* A table of the dictionary: the entries by their content, and encoded */
struct table {
	struct intern entries;
	struct protobuf bytes;
	unsigned int field;
};

struct writer {
	struct table strings, functions, mappings, locations, attributes, stacks;
	struct protobuf samples;	/* fields of the message Profile */
	uint64_t *list;			/* locations of the present stack */
	size_t nr, cap;
	uint64_t nr_samples;
	int error;
};

/* Find or add an entry.  Return: its index; 0 after an error */
static uint64_t find(struct writer *w, struct table *t, const void *key, size_t len, bool *added)
{
	uint32_t i = intern_bytes(&t->entries, key, len, added);

	if (i == INDEX_NONE) {
		w->error = -ENOMEM;
		*added = false;
		return 0;
	}
	return (uint64_t)i + 1;
}

static uint64_t text(struct writer *w, const char *s)
{
	bool added;
	uint64_t i;

	if (!s || !*s)
		return 0;
	i = find(w, &w->strings, s, strlen(s), &added);
	if (added)
		protobuf_bytes(&w->strings.bytes, w->strings.field, s, strlen(s));
	return i;
}

#define MAX_VALUE	4096	/* of an attribute: longer ones are cut */

/* @value: NULL: the attribute is a number */
static uint64_t attribute(struct writer *w, const char *name, const char *value, uint64_t number)
{
	struct protobuf *m = &w->attributes.bytes;
	struct {
		uint64_t name, number;
		char value[MAX_VALUE];
	} key = { .name = text(w, name), .number = number };
	size_t len = value ? strnlen(value, MAX_VALUE) : 0;
	bool added;
	uint64_t i;

	if (value && !len)
		return 0;
	if (len)
		memcpy(key.value, value, len);
	i = find(w, &w->attributes, &key, offsetof(__typeof__(key), value) + len, &added);
	if (added) {
		size_t entry = protobuf_begin(m, w->attributes.field), any;

		protobuf_number(m, OTLP_ATTRIBUTE_KEY, key.name);
		any = protobuf_begin(m, OTLP_ATTRIBUTE_VALUE);
		if (value)
			protobuf_bytes(m, OTLP_ANY_STRING, value, len);
		else
			protobuf_number(m, OTLP_ANY_INT, number);
		protobuf_end(m, any);
		protobuf_end(m, entry);
	}
	return i;
}

static uint64_t function(struct writer *w, const struct frame *f, const struct place *at)
{
	uint64_t key[3] = { text(w, f->name), text(w, at->symbol), text(w, at->source) }, i;
	struct protobuf *m = &w->functions.bytes;
	bool added;

	i = find(w, &w->functions, key, sizeof(key), &added);
	if (added) {
		size_t entry = protobuf_begin(m, w->functions.field);

		protobuf_number(m, OTLP_FUNCTION_NAME, key[0]);
		protobuf_number(m, OTLP_FUNCTION_SYSTEM_NAME, key[1]);
		protobuf_number(m, OTLP_FUNCTION_FILE, key[2]);
		protobuf_end(m, entry);
	}
	return i;
}

static bool is_kernel(const struct frame *f)
{
	return f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ;
}

static uint64_t build_id(struct writer *w, const struct place *at)
{
	static const char digits[] = "0123456789abcdef";
	char id[2 * KFLAME_BUILD_ID_MAX + 1] = "";

	for (uint32_t i = 0; i < at->build_id_len && i < KFLAME_BUILD_ID_MAX; i++) {
		id[2 * i] = digits[at->build_id[i] >> 4];
		id[2 * i + 1] = digits[at->build_id[i] & 15];
	}
	return id[0] ? attribute(w, "process.executable.build_id.gnu", id, 0) : 0;
}

/* The address in the file: the same in each process.  @address: out */
static uint64_t mapping(struct writer *w, const struct frame *f, const struct place *at, uint64_t *address)
{
	const struct profile_mapping *map = at->map;
	uint64_t key[5] = { 0 }, i;
	struct protobuf *m = &w->mappings.bytes;
	bool added;

	*address = at->address - at->caller;
	if (is_kernel(f) && at->address) {
		key[0] = text(w, f->file ? f->file : "[kernel]");
	} else if (at->path) {
		key[0] = text(w, at->path);
		key[1] = build_id(w, at);
		key[2] = map ? map->offset : 0;
		key[3] = map ? map->end - map->start : 0;
		*address = map ? *address - map->start + map->offset : *address;
	} else {
		return 0;
	}
	i = find(w, &w->mappings, key, sizeof(key), &added);
	if (added) {
		size_t entry = protobuf_begin(m, w->mappings.field);

		protobuf_number(m, OTLP_MAPPING_START, key[2]);
		protobuf_number(m, OTLP_MAPPING_LIMIT, key[2] + key[3]);
		protobuf_number(m, OTLP_MAPPING_OFFSET, key[2]);
		protobuf_number(m, OTLP_MAPPING_NAME, key[0]);
		protobuf_packed(m, OTLP_MAPPING_ATTRIBUTES, &key[1], key[1] != 0);
		protobuf_end(m, entry);
	}
	return i;
}

static uint64_t location(struct writer *w, const struct frame *f, const struct place *at)
{
	uint64_t key[5] = { 0 }, address, i;
	struct protobuf *m = &w->locations.bytes;
	bool added;

	key[0] = mapping(w, f, at, &address);
	key[1] = address;
	key[2] = function(w, f, at);
	key[3] = at->line;
	key[4] = at->address ? attribute(w, "profile.frame.type", is_kernel(f) ? "kernel" : "native", 0) : 0;
	i = find(w, &w->locations, key, sizeof(key), &added);
	if (added) {
		size_t entry = protobuf_begin(m, w->locations.field), line;

		protobuf_number(m, OTLP_LOCATION_MAPPING, key[0]);
		protobuf_number(m, OTLP_LOCATION_ADDRESS, key[1]);
		line = protobuf_begin(m, OTLP_LOCATION_LINE);
		protobuf_number(m, OTLP_LINE_FUNCTION, key[2]);
		protobuf_number(m, OTLP_LINE_LINE, key[3]);
		protobuf_end(m, line);
		protobuf_packed(m, OTLP_LOCATION_ATTRIBUTES, &key[4], key[4] != 0);
		protobuf_end(m, entry);
	}
	return i;
}

/* The stack without its thread, which is an attribute, innermost first */
static uint64_t stack(struct writer *w, const struct sample *s, size_t first)
{
	struct protobuf *m = &w->stacks.bytes;
	bool added;
	uint64_t i;

	w->nr = 0;
	for (size_t k = s->nr; k-- > first;) {
		if (grow(&w->list, w->nr, &w->cap, sizeof(*w->list))) {
			w->error = -ENOMEM;
			return 0;
		}
		w->list[w->nr++] = location(w, &s->frames[k], &s->places[k]);
	}
	i = find(w, &w->stacks, w->list, w->nr * sizeof(*w->list), &added);
	if (added) {
		size_t entry = protobuf_begin(m, w->stacks.field);

		protobuf_packed(m, OTLP_STACK_LOCATIONS, w->list, w->nr);
		protobuf_end(m, entry);
	}
	return i;
}

static int take_sample(void *ctx, const struct sample *s)
{
	struct writer *w = ctx;
	struct protobuf *m = &w->samples;
	const bool has_thread = s->nr && s->frames[0].kind == FRAME_COMM;
	uint64_t attributes[3], of, value = s->ns;
	size_t nr = 0, entry;

	if (!s->samples && !s->ns)
		return 0;
	if (s->ns > INT64_MAX)
		return -EOVERFLOW;
	if (has_thread)
		attributes[nr++] = attribute(w, "thread.name", s->frames[0].name, 0);
	if (s->tgid)
		attributes[nr++] = attribute(w, "process.pid", NULL, s->tgid);
	if (s->cgroup && *s->cgroup)
		attributes[nr++] = attribute(w, "linux.cgroup.path", s->cgroup, 0);
	of = stack(w, s, has_thread && s->nr > 1);
	entry = protobuf_begin(m, OTLP_PROFILE_SAMPLE);
	protobuf_number(m, OTLP_SAMPLE_STACK, of);
	protobuf_packed(m, OTLP_SAMPLE_ATTRIBUTES, attributes, nr);
	protobuf_packed(m, OTLP_SAMPLE_VALUES, &value, 1);
	protobuf_end(m, entry);
	w->nr_samples++;
	return w->error ? w->error : m->error;
}

/* --------------------------------------------------------------- the request */

static void put_key_value(struct protobuf *m, unsigned int field, const char *key, size_t key_len,
			  const char *value)
{
	size_t entry = protobuf_begin(m, field), any;

	protobuf_bytes(m, OTLP_KV_KEY, key, key_len);
	any = protobuf_begin(m, OTLP_KV_VALUE);
	protobuf_bytes(m, OTLP_ANY_STRING, value, strlen(value));
	protobuf_end(m, any);
	protobuf_end(m, entry);
}

/* OTLP calls the service service.name */
static void put_resource(struct protobuf *m, const struct profile *p)
{
	const char *host = profile_host(p, "host"), *service = send_labels_service(p);
	struct send_label label;
	size_t resource = protobuf_begin(m, OTLP_RP_RESOURCE);

	put_key_value(m, OTLP_RESOURCE_ATTRIBUTE, "service.name", strlen("service.name"), service);
	if (host)
		put_key_value(m, OTLP_RESOURCE_ATTRIBUTE, "host.name", strlen("host.name"), host);
	for (size_t at = 0; send_labels_next(p, &at, &label);)
		put_key_value(m, OTLP_RESOURCE_ATTRIBUTE, label.name, label.name_len, label.value);
	protobuf_end(m, resource);
}

static void put_type(struct writer *w, struct protobuf *m, unsigned int field)
{
	uint64_t type = text(w, "cpu"), unit = text(w, "nanoseconds");
	size_t entry = protobuf_begin(m, field);

	protobuf_number(m, OTLP_TYPE_TYPE, type);
	protobuf_number(m, OTLP_TYPE_UNIT, unit);
	protobuf_end(m, entry);
}

static void put_raw(struct protobuf *m, const struct protobuf *from)
{
	if (from->error) {
		m->error = from->error;
		return;
	}
	while (!m->error && m->cap - m->len < from->len)
		m->error = grow_full(&m->bytes, &m->cap, sizeof(*m->bytes));
	if (m->error || !from->len)
		return;
	memcpy(m->bytes + m->len, from->bytes, from->len);
	m->len += from->len;
}

static void put_profile(struct writer *w, struct protobuf *m, const struct profile *p, const char *id)
{
	const uint64_t profile_id[2] = { hash_bytes(1, id, strlen(id)), hash_bytes(2, id, strlen(id)) };
	size_t profile = protobuf_begin(m, OTLP_SP_PROFILE);

	put_type(w, m, OTLP_PROFILE_SAMPLE_TYPE);
	put_raw(m, &w->samples);
	protobuf_fixed64(m, OTLP_PROFILE_TIME, p->session.start_realtime_ns);
	if (p->has_stats && p->stats.stop_ns > p->session.start_ns)
		protobuf_number(m, OTLP_PROFILE_DURATION, p->stats.stop_ns - p->session.start_ns);
	put_type(w, m, OTLP_PROFILE_PERIOD_TYPE);
	protobuf_number(m, OTLP_PROFILE_PERIOD, p->session.period_ns);
	protobuf_bytes(m, OTLP_PROFILE_ID, profile_id, sizeof(profile_id));
	protobuf_end(m, profile);
}

/* A table with its empty first entry */
static void put_table(struct protobuf *m, unsigned int field, const struct table *t)
{
	protobuf_bytes(m, field, NULL, 0);
	if (t)
		put_raw(m, &t->bytes);
}

static void put_dictionary(struct writer *w, struct protobuf *m)
{
	size_t dictionary = protobuf_begin(m, OTLP_REQUEST_DICTIONARY);

	put_table(m, OTLP_DICTIONARY_MAPPING, &w->mappings);
	put_table(m, OTLP_DICTIONARY_LOCATION, &w->locations);
	put_table(m, OTLP_DICTIONARY_FUNCTION, &w->functions);
	put_table(m, OTLP_DICTIONARY_LINK, NULL);
	put_table(m, OTLP_DICTIONARY_STRING, &w->strings);
	put_table(m, OTLP_DICTIONARY_ATTRIBUTE, &w->attributes);
	put_table(m, OTLP_DICTIONARY_STACK, &w->stacks);
	protobuf_end(m, dictionary);
}

static void put_request(struct writer *w, struct protobuf *m, const struct profile *p, const char *id)
{
	size_t resource = protobuf_begin(m, OTLP_REQUEST_RESOURCE_PROFILES), scopes, scope;

	put_resource(m, p);
	scopes = protobuf_begin(m, OTLP_RP_SCOPE_PROFILES);
	scope = protobuf_begin(m, OTLP_SP_SCOPE);
	protobuf_bytes(m, OTLP_SCOPE_NAME, "kflame", strlen("kflame"));
	protobuf_bytes(m, OTLP_SCOPE_VERSION, kflame_version, strlen(kflame_version));
	protobuf_end(m, scope);
	put_profile(w, m, p, id);
	protobuf_end(m, scopes);
	protobuf_end(m, resource);
	put_dictionary(w, m);
}

static void table_exit(struct table *t)
{
	intern_exit(&t->entries);
	free(t->bytes.bytes);
}

int otlp_encode(struct source *s, const char *id, struct protobuf *out)
{
	struct writer w = {
		.strings.field = OTLP_DICTIONARY_STRING, .functions.field = OTLP_DICTIONARY_FUNCTION,
		.mappings.field = OTLP_DICTIONARY_MAPPING, .locations.field = OTLP_DICTIONARY_LOCATION,
		.attributes.field = OTLP_DICTIONARY_ATTRIBUTE, .stacks.field = OTLP_DICTIONARY_STACK,
	};
	int err = source_each(s, take_sample, &w);

	if (!err && !w.nr_samples)
		err = -ENODATA;
	if (!err) {
		put_request(&w, out, s->profile, id);
		err = w.error ? w.error : out->error;
	}
	table_exit(&w.strings);
	table_exit(&w.functions);
	table_exit(&w.mappings);
	table_exit(&w.locations);
	table_exit(&w.attributes);
	table_exit(&w.stacks);
	free(w.samples.bytes);
	free(w.list);
	return err;
}
