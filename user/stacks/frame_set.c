// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_set.c - a set of distinct frames, each with an id
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/frame_set.h"

#define BLOCK_SIZE	(256u << 10)

/* Strings are stored one after the other, and never move */
struct string_block {
	struct string_block *next;
	char bytes[];
};

bool frame_is_same(const struct frame *a, const struct frame *b)
{
	if (a->kind != b->kind || !a->file != !b->file)
		return false;
	if (a->file && strcmp(a->file, b->file))
		return false;
	return !strcmp(a->name, b->name);
}

int frame_compare(const struct frame *a, const struct frame *b)
{
	int d = strcmp(a->name, b->name);

	if (!d)
		d = strcmp(a->file ? a->file : "", b->file ? b->file : "");
	if (!d)
		d = !!a->file - !!b->file;
	return d ? d : (int)a->kind - (int)b->kind;
}

static uint64_t hash_frame(const struct frame *f)
{
	uint64_t hash = hash_bytes(f->kind, f->name, strlen(f->name));

	return f->file ? hash_bytes(hash, f->file, strlen(f->file)) : hash;
}

static bool same(const void *all, uint32_t i, const void *key)
{
	return frame_is_same((const struct frame *)all + i, key);
}

static const char *copy_string(struct frame_set *t, const char *s)
{
	size_t len = strlen(s) + 1;
	char *copy;

	if (len > t->nr_free) {
		size_t size = len > BLOCK_SIZE ? len : BLOCK_SIZE;
		struct string_block *b = malloc(sizeof(*b) + size);

		if (!b)
			return NULL;
		b->next = t->blocks;
		t->blocks = b;
		t->free_bytes = b->bytes;
		t->nr_free = size;
	}
	copy = memcpy(t->free_bytes, s, len);
	t->free_bytes += len;
	t->nr_free -= len;
	return copy;
}

int frame_set_add(struct frame_set *t, const struct frame *f, uint32_t *number)
{
	struct frame copy = { .kind = f->kind };

	if (grow(&t->all, t->nr, &t->cap, sizeof(*t->all)))
		return -ENOMEM;
	copy.name = copy_string(t, f->name);
	if (!copy.name)
		return -ENOMEM;
	if (f->file) {
		copy.file = copy_string(t, f->file);
		if (!copy.file)
			return -ENOMEM;
	}
	*number = t->nr;
	t->all[t->nr++] = copy;
	return 0;
}

int frame_set_number(struct frame_set *t, const struct frame *f, uint32_t *number)
{
	uint64_t hash = hash_frame(f);
	int err;

	*number = index_find(&t->index, hash, same, t->all, f);
	if (*number != INDEX_NONE)
		return 0;
	err = frame_set_add(t, f, number);
	return err ? err : index_add(&t->index, hash, *number);
}

void frame_set_exit(struct frame_set *t)
{
	struct string_block *next;

	for (struct string_block *b = t->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	index_exit(&t->index);
	free(t->all);
	*t = (struct frame_set){ 0 };
}
