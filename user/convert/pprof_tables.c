// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof_tables.c - writes the tables of a pprof file: strings, functions, mappings, locations
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "convert/pprof_fields.h"
#include "convert/pprof_tables.h"
#include "profile/profile.h"

int pprof_begin(struct pprof *x, FILE *out)
{
	*x = (struct pprof){ 0 };
	if (gzip_begin(&x->gzip, out))
		return -ENOMEM;
	pprof_text(x, "");
	return 0;
}

int pprof_end(struct pprof *x)
{
	gzip_end(&x->gzip);
	intern_exit(&x->texts);
	intern_exit(&x->functions);
	intern_exit(&x->mappings);
	intern_exit(&x->locations);
	free(x->starts);
	free(x->key);
	free(x->piece.bytes);
	free(x->met);
	return x->error;
}

void pprof_put(struct pprof *x)
{
	if (x->piece.error)
		x->error = x->piece.error;
	else
		gzip_put(&x->gzip, x->piece.bytes, x->piece.len);
	x->piece.len = 0;
}

/* Return: the id of some bytes, from 0; @added as in intern_bytes() */
static uint64_t number(struct pprof *x, struct intern *in, const void *bytes, size_t len,
		       bool *added)
{
	uint32_t i = intern_bytes(in, bytes, len, added);

	if (i != INDEX_NONE)
		return i;
	x->error = -ENOMEM;
	*added = false;
	return 0;
}

/* Protobuf strings are UTF-8: other bytes become U+FFFD.  Return: NULL if memory is short */
static char *valid_text(const char *text)
{
	size_t len;
	char *valid;
	FILE *f = open_memstream(&valid, &len);

	if (!f)
		return NULL;
	text_put(f, text);
	if (!fclose(f))
		return valid;
	free(valid);
	return NULL;
}

uint64_t pprof_text(struct pprof *x, const char *text)
{
	uint64_t i;
	char *valid;
	bool added;

	if (!text)
		return 0;
	i = number(x, &x->texts, text, strlen(text), &added);
	if (!added)
		return i;
	valid = valid_text(text);
	if (!valid) {
		x->error = -ENOMEM;
		return 0;
	}
	protobuf_bytes(&x->piece, PPROF_PROFILE_STRING_TABLE, valid, strlen(valid));
	pprof_put(x);
	free(valid);
	return i;
}

static uint64_t function(struct pprof *x, const struct frame *f, const struct place *at)
{
	uint64_t key[] = {
		pprof_text(x, f->name), pprof_text(x, at->symbol), pprof_text(x, at->source),
	};
	bool added;
	uint64_t id = number(x, &x->functions, key, sizeof(key), &added) + 1;
	struct protobuf *m = &x->piece;
	size_t start;

	if (!added)
		return id;
	start = protobuf_begin(m, PPROF_PROFILE_FUNCTION);
	protobuf_number(m, PPROF_FUNCTION_ID, id);
	protobuf_number(m, PPROF_FUNCTION_NAME, key[0]);
	protobuf_number(m, PPROF_FUNCTION_SYSTEM_NAME, key[1]);
	protobuf_number(m, PPROF_FUNCTION_FILENAME, key[2]);
	protobuf_end(m, start);
	pprof_put(x);
	return id;
}

struct mapping_key {
	uint64_t offset;
	uint64_t bytes;
	uint64_t path;
	uint64_t build_id;
};

/* Find the mapping of a frame: a file, or a part of the kernel.  Return: whether it is known */
static bool find_mapping(struct pprof *x, const struct frame *f, const struct place *at,
			 struct mapping_key *key)
{
	bool kernel = f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ;
	static const char digits[] = "0123456789abcdef";
	char id[2 * KFLAME_BUILD_ID_MAX + 1] = "", name[256];

	*key = (struct mapping_key){ 0 };
	if (kernel && at->address) {
		snprintf(name, sizeof(name), "[%s]", f->file ? f->file : "kernel.kallsyms");
		key->path = pprof_text(x, name);
		key->build_id = f->file ? 0 : pprof_text(x, x->kernel_id);
		return true;
	}
	if (!at->path)
		return false;
	for (uint32_t i = 0; i < at->build_id_len && i < KFLAME_BUILD_ID_MAX; i++) {
		id[2 * i] = digits[at->build_id[i] >> 4];
		id[2 * i + 1] = digits[at->build_id[i] & 15];
	}
	key->path = pprof_text(x, at->path);
	key->build_id = pprof_text(x, id);
	if (at->map) {
		key->offset = at->map->offset;
		key->bytes = at->map->end - at->map->start;
	}
	return true;
}

static void put_mapping(struct pprof *x, const struct mapping_key *key, uint64_t id, uint64_t start)
{
	struct protobuf *m = &x->piece;
	size_t begin = protobuf_begin(m, PPROF_PROFILE_MAPPING);

	protobuf_number(m, PPROF_MAPPING_ID, id);
	protobuf_number(m, PPROF_MAPPING_MEMORY_START, start);
	protobuf_number(m, PPROF_MAPPING_MEMORY_LIMIT, start + key->bytes);
	protobuf_number(m, PPROF_MAPPING_FILE_OFFSET, key->offset);
	protobuf_number(m, PPROF_MAPPING_FILENAME, key->path);
	protobuf_number(m, PPROF_MAPPING_BUILD_ID, key->build_id);
	/* Names are complete as far as possible: pprof must not look again, perhaps in other files */
	protobuf_number(m, PPROF_MAPPING_HAS_FUNCTIONS, true);
	protobuf_number(m, PPROF_MAPPING_HAS_FILENAMES, true);
	protobuf_number(m, PPROF_MAPPING_HAS_LINE_NUMBERS, true);
	protobuf_number(m, PPROF_MAPPING_HAS_INLINE_FRAMES, true);
	protobuf_end(m, begin);
	pprof_put(x);
}

/*
 * Find the mapping of a frame.  Return: its id; 0 for none.  @address: out: the address of the frame. Each
 * process may map a file at another address. All addresses are converted to the first such mapping.
 * Otherwise one position in a file would become one location for each process.
 */
static uint64_t place_in_mapping(struct pprof *x, const struct frame *f, const struct place *at,
				 uint64_t *address)
{
	uint64_t i, start = at->map ? at->map->start : 0;
	struct mapping_key key;
	bool added;

	*address = at->address - at->caller;
	if (!find_mapping(x, f, at, &key))
		return 0;
	i = number(x, &x->mappings, &key, sizeof(key), &added);
	if (added && grow(&x->starts, i, &x->cap_starts, sizeof(*x->starts)))
		x->error = -ENOMEM;
	if (x->error)
		return 0;
	if (added) {
		x->starts[i] = start;
		put_mapping(x, &key, i + 1, start);
	}
	*address += x->starts[i] - start;
	return i + 1;
}

static void add_key(struct pprof *x, uint64_t value)
{
	if (grow(&x->key, x->nr_key, &x->cap_key, sizeof(*x->key)))
		x->error = -ENOMEM;
	else
		x->key[x->nr_key++] = value;
}

/* @key: mapping and address, then the function and line of each level, innermost first */
static void put_location(struct pprof *x, uint64_t id, const uint64_t *key, size_t nr_levels)
{
	struct protobuf *m = &x->piece;
	size_t start = protobuf_begin(m, PPROF_PROFILE_LOCATION);

	protobuf_number(m, PPROF_LOCATION_ID, id);
	protobuf_number(m, PPROF_LOCATION_MAPPING_ID, key[0]);
	protobuf_number(m, PPROF_LOCATION_ADDRESS, key[1]);
	for (size_t i = 0; i < nr_levels; i++) {
		size_t line = protobuf_begin(m, PPROF_LOCATION_LINE);

		protobuf_number(m, PPROF_LINE_FUNCTION_ID, key[2 + 2 * i]);
		protobuf_number(m, PPROF_LINE_LINE, key[3 + 2 * i]);
		protobuf_end(m, line);
	}
	protobuf_end(m, start);
	pprof_put(x);
}

static uint64_t make_location(struct pprof *x, const struct frame *frames,
			      const struct place *places, size_t nr)
{
	uint64_t address, where = place_in_mapping(x, frames, places, &address), i;
	bool added;

	x->nr_key = 0;
	add_key(x, where);
	add_key(x, address);
	for (i = nr; i-- > 0;) {
		add_key(x, function(x, &frames[i], &places[i]));
		add_key(x, places[i].line);
	}
	if (x->error)
		return 0;
	i = number(x, &x->locations, x->key, x->nr_key * sizeof(*x->key), &added);
	if (added)
		put_location(x, i + 1, x->key, nr);
	return i + 1;
}

static bool is_same(const struct pprof_met *m, const struct frame *f, const struct place *at)
{
	return m->location && m->frame.name == f->name && m->frame.file == f->file &&
	       m->frame.kind == f->kind && m->place.address == at->address &&
	       m->place.caller == at->caller && m->place.map == at->map &&
	       m->place.build_id == at->build_id && m->place.path == at->path &&
	       m->place.symbol == at->symbol && m->place.source == at->source &&
	       m->place.line == at->line;
}

uint64_t pprof_location(struct pprof *x, const struct frame *frames, const struct place *places,
			size_t nr)
{
	struct pprof_met *m;

	if (!x->met || nr != 1)
		return make_location(x, frames, places, nr);
	m = &x->met[hash_u64(places->address, (uintptr_t)frames->name) & (PPROF_MET - 1)];
	if (!is_same(m, frames, places))
		*m = (struct pprof_met){ *frames, *places, make_location(x, frames, places, nr) };
	return m->location;
}
