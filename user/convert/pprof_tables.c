// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof_tables.c - writes the tables of a pprof file: strings, functions, mappings, locations
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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
	free(x->packed);
	free(x->met);
	return x->error;
}

void pprof_put(struct pprof *x, const Pprof__Profile *piece)
{
	size_t len = pprof__profile__get_packed_size(piece);

	if (len > x->cap_packed) {
		uint8_t *bigger = realloc(x->packed, len);

		if (!bigger) {
			x->error = -ENOMEM;
			return;
		}
		x->packed = bigger;
		x->cap_packed = len;
	}
	pprof__profile__pack(piece, x->packed);
	gzip_put(&x->gzip, x->packed, len);
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

int64_t pprof_text(struct pprof *x, const char *text)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	uint64_t i;
	char *valid;
	bool added;

	if (!text)
		return 0;
	i = number(x, &x->texts, text, strlen(text), &added);
	if (!added)
		return (int64_t)i;
	valid = valid_text(text);
	if (!valid) {
		x->error = -ENOMEM;
		return 0;
	}
	piece.n_string_table = 1;
	piece.string_table = &valid;
	pprof_put(x, &piece);
	free(valid);
	return (int64_t)i;
}

static uint64_t function(struct pprof *x, const struct frame *f, const struct place *at)
{
	int64_t key[] = {
		pprof_text(x, f->name), pprof_text(x, at->symbol), pprof_text(x, at->source),
	};
	bool added;
	uint64_t id = number(x, &x->functions, key, sizeof(key), &added) + 1;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Function entry = PPROF__FUNCTION__INIT, *entries = &entry;

	if (!added)
		return id;
	entry.id = id;
	entry.name = key[0];
	entry.system_name = key[1];
	entry.filename = key[2];
	piece.n_function = 1;
	piece.function = &entries;
	pprof_put(x, &piece);
	return id;
}

struct mapping_key {
	uint64_t offset;
	uint64_t bytes;
	int64_t path;
	int64_t build_id;
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
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Mapping entry = PPROF__MAPPING__INIT, *entries = &entry;

	entry.id = id;
	entry.memory_start = start;
	entry.memory_limit = start + key->bytes;
	entry.file_offset = key->offset;
	entry.filename = key->path;
	entry.build_id = key->build_id;
	/* Names are complete as far as possible: pprof must not look again, perhaps in other files */
	entry.has_functions = true;
	entry.has_filenames = true;
	entry.has_line_numbers = true;
	entry.has_inline_frames = true;
	piece.n_mapping = 1;
	piece.mapping = &entries;
	pprof_put(x, &piece);
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
	Pprof__Line *lines = calloc(nr_levels, sizeof(*lines));
	Pprof__Line **entries = calloc(nr_levels, sizeof(*entries));
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Location entry = PPROF__LOCATION__INIT, *locations = &entry;

	if (lines && entries) {
		for (size_t i = 0; i < nr_levels; i++) {
			pprof__line__init(&lines[i]);
			lines[i].function_id = key[2 + 2 * i];
			lines[i].line = (int64_t)key[3 + 2 * i];
			entries[i] = &lines[i];
		}
		entry.id = id;
		entry.mapping_id = key[0];
		entry.address = key[1];
		entry.n_line = nr_levels;
		entry.line = entries;
		piece.n_location = 1;
		piece.location = &locations;
		pprof_put(x, &piece);
	} else {
		x->error = -ENOMEM;
	}
	free(lines);
	free(entries);
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
