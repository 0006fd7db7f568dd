// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path_id.c - ids of the nodes of a call tree
 *
 * The hash is FNV-1a, byte by byte.  base/hash.h has a faster one, which differs between machines and may change.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "stacks/tree_stacks.h"
#include "views/path_id.h"

#define FNV_OFFSET	0xcbf29ce484222325ull
#define FNV_PRIME	0x100000001b3ull
#define LEAST_DIGITS	4
#define HASH_SHIFT	(64 - 4 * PATH_ID_DIGITS)	/* an id has the upper bits */

static const struct {
	char letter;
	uint32_t kind;	/* KFLAME_EVENT_* */
} letters[] = {
	{ 't', KFLAME_EVENT_TIMER }, { 'w', KFLAME_EVENT_OFFCPU }, { 's', KFLAME_EVENT_SLEEPERS },
	{ 'f', KFLAME_EVENT_FAULTS },
};

#define NR_LETTERS	(sizeof(letters) / sizeof(letters[0]))
#define OTHER_LETTER	'e'	/* probes: --event names one */

static uint64_t add_byte(uint64_t hash, unsigned char c)
{
	return (hash ^ c) * FNV_PRIME;
}

static uint64_t add_text(uint64_t hash, const char *s)
{
	for (; s && *s; s++)
		hash = add_byte(hash, (unsigned char)*s);
	return add_byte(hash, 0);
}

static uint64_t add_frame(uint64_t hash, const struct frame *f)
{
	if (f->kind == FRAME_ROOT)
		return hash;
	return add_byte(add_text(add_text(hash, f->name), f->file), (unsigned char)f->kind);
}

uint64_t *path_hashes(const struct tree *t)
{
	uint64_t *hashes = calloc(t->nr_nodes, sizeof(*hashes));

	if (!hashes)
		return NULL;
	hashes[TREE_ROOT] = FNV_OFFSET;
	for (uint32_t i = 1; i < t->nr_nodes; i++)
		hashes[i] = add_frame(hashes[t->nodes[i].parent], &t->frames[t->nodes[i].frame]);
	return hashes;
}

const char *path_id_text(char *buf, uint32_t kind, uint64_t hash)
{
	char letter = OTHER_LETTER;

	for (size_t i = 0; i < NR_LETTERS; i++)
		if (letters[i].kind == kind)
			letter = letters[i].letter;
	snprintf(buf, PATH_ID, "%c%0*" PRIx64, letter, PATH_ID_DIGITS, hash >> HASH_SHIFT);
	return buf;
}

bool path_id_is(const char *text)
{
	size_t digits = *text ? strspn(text + 1, "0123456789abcdef") : 0;
	bool known = *text == OTHER_LETTER;

	for (size_t i = 0; i < NR_LETTERS; i++)
		known |= letters[i].letter == *text;
	return known && digits >= LEAST_DIGITS && digits <= PATH_ID_DIGITS && !text[1 + digits];
}

const char *path_id_event(const char *id)
{
	for (size_t i = 0; i < NR_LETTERS; i++)
		if (letters[i].letter == *id)
			return profile_event_name(letters[i].kind);
	return NULL;
}

/* The paths whose ids begin with the digits of an id */
struct wanted {
	uint64_t digits;
	unsigned int shift;	/* of a hash, to compare it */
	uint64_t hash;		/* of the first path that was found */
	bool found;
	bool several;
};

/* Marks the nodes of the path and all below them.  Root frames do not end a path */
static void mark(const struct tree *t, const uint64_t *hashes, struct wanted *w, bool *is_in)
{
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		is_in[i] = is_in[n->parent];
		if (hashes[i] >> w->shift != w->digits || t->frames[n->frame].kind == FRAME_ROOT)
			continue;
		w->several |= w->found && hashes[i] != w->hash;
		w->found = true;
		w->hash = hashes[i];
		is_in[i] = true;
	}
}

static int add_marked(struct tree *to, const struct tree *t, const bool *is_in)
{
	struct frame *frames = calloc(TREE_MAX_DEPTH + 1, sizeof(*frames));
	int err = frames ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < t->nr_nodes && !err; i++) {
		const struct weight *self = &t->nodes[i].self;

		if (is_in[i] && (self->samples || self->ns))
			err = tree_add(to, frames, tree_stack(t, i, frames), self->samples, self->ns);
	}
	free(frames);
	return err ? err : tree_finish(to);
}

static int refuse(const struct wanted *w, const char *id)
{
	if (!w->found) {
		complain("no path has the id %s here: take ids from 'kflame summary' of the same profile, with the same options for names",
			 id);
		return -ENOENT;
	}
	complain("several paths have ids that begin with %s: give all %d digits", id, PATH_ID_DIGITS);
	return -EINVAL;
}

int path_at(const struct tree *t, const char *id, struct tree **out)
{
	struct wanted w = { .digits = strtoull(id + 1, NULL, 16),
			    .shift = 64 - 4 * (unsigned int)strlen(id + 1) };
	bool *is_in = calloc(t->nr_nodes, sizeof(*is_in));
	uint64_t *hashes = path_hashes(t);
	struct tree *to = tree_create();
	int err = is_in && hashes && to ? 0 : -ENOMEM;

	if (!err)
		mark(t, hashes, &w, is_in);
	if (!err && (!w.found || w.several))
		err = refuse(&w, id);
	if (!err)
		err = add_marked(to, t, is_in);
	if (err) {
		tree_destroy(to);
		to = NULL;
	}
	free(is_in);
	free(hashes);
	*out = to;
	return err;
}
