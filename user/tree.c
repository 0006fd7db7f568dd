// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree.c - interned frames and the call tree
 *
 * Nodes live in one array, 48 bytes each: a million distinct stacks are some
 * millions of nodes.  Most have one callee, which they name themselves; only
 * the callees of the others are found by (parent, frame) in an open hash of
 * 32-bit indices, which so stays small enough for the processor's caches.
 * Callers are made before callees, so sums and depths are plain loops over the
 * array: nothing here recurses, however deep a stack is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#define ARENA_BLOCK	(256u << 10)

/* What tree_node.child is, if it is no node's index */
#define NO_CHILD	TREE_ROOT
#define MANY		TREE_NONE	/* they are in the hash */

/* A block of the string arena */
struct block {
	struct block *next;
	char bytes[];
};

/* Open addressing, linear probing; slots hold index + 1, 0 is free */
struct index_hash {
	uint32_t *slots;
	uint32_t mask;
	uint32_t used;
};

struct tree_private {
	struct block *blocks;
	size_t block_left;
	char *block_at;
	struct index_hash frame_hash;
	struct index_hash node_hash;
	uint32_t *frame_hashes;		/* by frame, for growing the table */
	uint32_t cap_frames;
	uint32_t cap_nodes;
	/* The stack added last: sorted input shares most of it with the next */
	uint32_t path[TREE_MAX_DEPTH];
	size_t path_len;
};

static uint32_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15ull;
	return (uint32_t)(x >> 32);
}

static uint32_t hash_string(uint32_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

static uint32_t hash_frame(const struct frame *f)
{
	uint32_t h = hash_string(2166136261u + (uint32_t)f->kind, f->name);

	return mix(f->file ? hash_string(h * 31 + 1, f->file) : h);
}

static uint32_t hash_node(uint32_t parent, uint32_t frame)
{
	return mix((uint64_t)parent << 32 | frame);
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	if (a->kind != b->kind || !a->file != !b->file)
		return false;
	if (a->file && strcmp(a->file, b->file))
		return false;
	return !strcmp(a->name, b->name);
}

static int hash_init(struct index_hash *h, uint32_t slots)
{
	h->slots = calloc(slots, sizeof(*h->slots));
	h->mask = slots - 1;
	h->used = 0;
	return h->slots ? 0 : -ENOMEM;
}

static void hash_put(struct index_hash *h, uint32_t hash, uint32_t index)
{
	uint32_t i = hash & h->mask;

	while (h->slots[i])
		i = (i + 1) & h->mask;
	h->slots[i] = index + 1;
	h->used++;
}

static bool hash_is_full(const struct index_hash *h)
{
	return h->used >= h->mask / 4 * 3;
}

/* Makes room for one more element in an array that doubles */
static int grow(void **array, uint32_t *cap, uint32_t nr, size_t size)
{
	uint32_t want;
	void *bigger;

	if (nr < *cap)
		return 0;
	if (*cap >= UINT32_MAX / 4)
		return -ENOMEM;
	want = *cap ? *cap * 2 : 1024;
	bigger = reallocarray(*array, want, size);
	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	*cap = want;
	return 0;
}

static const char *arena_string(struct tree_private *p, const char *s)
{
	size_t len = strlen(s) + 1;
	char *copy;

	if (len > p->block_left) {
		size_t size = len > ARENA_BLOCK ? len : ARENA_BLOCK;
		struct block *b = malloc(sizeof(*b) + size);

		if (!b)
			return NULL;
		b->next = p->blocks;
		p->blocks = b;
		p->block_at = b->bytes;
		p->block_left = size;
	}
	copy = memcpy(p->block_at, s, len);
	p->block_at += len;
	p->block_left -= len;
	return copy;
}

/* Frame table: doubles its hash before it is crowded */
static int grow_frames(struct tree *t)
{
	struct tree_private *p = t->priv;
	uint32_t cap = p->cap_frames;
	struct index_hash bigger;

	if (grow((void **)&p->frame_hashes, &cap, t->nr_frames, sizeof(*p->frame_hashes)))
		return -ENOMEM;
	if (grow((void **)&t->frames, &p->cap_frames, t->nr_frames, sizeof(*t->frames)))
		return -ENOMEM;
	if (!hash_is_full(&p->frame_hash))
		return 0;
	if (hash_init(&bigger, (p->frame_hash.mask + 1) * 2))
		return -ENOMEM;
	for (uint32_t i = 1; i < t->nr_frames; i++)
		hash_put(&bigger, p->frame_hashes[i], i);
	free(p->frame_hash.slots);
	p->frame_hash = bigger;
	return 0;
}

static int add_frame(struct tree *t, const struct frame *f, uint32_t hash, uint32_t *out)
{
	struct frame copy = { .kind = f->kind };

	if (grow_frames(t))
		return -ENOMEM;
	copy.name = arena_string(t->priv, f->name);
	if (!copy.name)
		return -ENOMEM;
	if (f->file) {
		copy.file = arena_string(t->priv, f->file);
		if (!copy.file)
			return -ENOMEM;
	}
	*out = t->nr_frames;
	t->frames[t->nr_frames] = copy;
	t->priv->frame_hashes[t->nr_frames] = hash;
	t->nr_frames++;
	hash_put(&t->priv->frame_hash, hash, *out);
	return 0;
}

static int intern_frame(struct tree *t, const struct frame *f, uint32_t *out)
{
	const struct index_hash *h = &t->priv->frame_hash;
	uint32_t hash = hash_frame(f);
	uint32_t i;

	for (i = hash & h->mask; h->slots[i]; i = (i + 1) & h->mask) {
		*out = h->slots[i] - 1;
		if (t->priv->frame_hashes[*out] == hash && same_frame(&t->frames[*out], f))
			return 0;
	}
	return add_frame(t, f, hash, out);
}

/* Room for one more node, and in the hash for two: see adopt() */
static int grow_nodes(struct tree *t)
{
	struct tree_private *p = t->priv;
	struct index_hash bigger;

	if (grow((void **)&t->nodes, &p->cap_nodes, t->nr_nodes, sizeof(*t->nodes)))
		return -ENOMEM;
	if (!hash_is_full(&p->node_hash))
		return 0;
	if (hash_init(&bigger, (p->node_hash.mask + 1) * 2))
		return -ENOMEM;
	for (uint32_t i = 1; i < t->nr_nodes; i++)
		if (t->nodes[t->nodes[i].parent].child == MANY)
			hash_put(&bigger, hash_node(t->nodes[i].parent, t->nodes[i].frame), i);
	free(p->node_hash.slots);
	p->node_hash = bigger;
	return 0;
}

/* The child of @node that is @frame; NO_CHILD if there is none */
static uint32_t find_child(const struct tree *t, uint32_t node, uint32_t frame)
{
	const struct index_hash *h = &t->priv->node_hash;
	uint32_t child = t->nodes[node].child;

	if (child == NO_CHILD)
		return NO_CHILD;
	if (child != MANY)
		return t->nodes[child].frame == frame ? child : NO_CHILD;
	for (uint32_t i = hash_node(node, frame) & h->mask; h->slots[i]; i = (i + 1) & h->mask) {
		child = h->slots[i] - 1;
		if (t->nodes[child].parent == node && t->nodes[child].frame == frame)
			return child;
	}
	return NO_CHILD;
}

/* The second child of a node brings the first one into the hash, too */
static void adopt(struct tree *t, uint32_t node, uint32_t child)
{
	struct tree_node *n = &t->nodes[node];

	if (n->child == NO_CHILD) {
		n->child = child;
		return;
	}
	if (n->child != MANY) {
		hash_put(&t->priv->node_hash, hash_node(node, t->nodes[n->child].frame), n->child);
		n->child = MANY;
	}
	hash_put(&t->priv->node_hash, hash_node(node, t->nodes[child].frame), child);
}

/* The child of *@node that is @f becomes *@node; made if it is not there */
static int step(struct tree *t, uint32_t *node, const struct frame *f)
{
	uint32_t frame, child;
	int err;

	err = intern_frame(t, f, &frame);
	if (err)
		return err;
	child = find_child(t, *node, frame);
	if (child == NO_CHILD) {
		err = grow_nodes(t);
		if (err)
			return err;
		child = t->nr_nodes++;
		t->nodes[child] = (struct tree_node){
			.parent = *node,
			.frame = frame,
			.depth = t->nodes[*node].depth + 1,
		};
		adopt(t, *node, child);
	}
	*node = child;
	return 0;
}

int tree_add(struct tree *t, const struct frame *frames, size_t nr,
	     uint64_t samples, uint64_t ns)
{
	return tree_add_next(t, 0, frames, nr, samples, ns);
}

int tree_add_next(struct tree *t, size_t shared, const struct frame *frames, size_t nr,
		  uint64_t samples, uint64_t ns)
{
	static const struct frame deeper = { .name = TREE_DEEPER, .kind = FRAME_NOTE };
	struct tree_private *p = t->priv;
	uint32_t node = TREE_ROOT;
	struct weight sum;
	bool cut = nr > TREE_MAX_DEPTH;
	size_t i = 0;
	int err;

	if (__builtin_add_overflow(t->sum.samples, samples, &sum.samples) ||
	    __builtin_add_overflow(t->sum.ns, ns, &sum.ns))
		return -EOVERFLOW;
	if (cut)
		nr = TREE_MAX_DEPTH;

	/* The last one that is kept may be the note in one stack and a frame in the other */
	while (i < shared && i < nr && i < p->path_len && i < TREE_MAX_DEPTH - 1)
		node = p->path[i++];
	while (i < nr && i < p->path_len &&
	       same_frame(&t->frames[t->nodes[p->path[i]].frame],
			  cut && i == nr - 1 ? &deeper : &frames[i]))
		node = p->path[i++];
	p->path_len = i;
	for (; i < nr; i++) {
		err = step(t, &node, cut && i == nr - 1 ? &deeper : &frames[i]);
		if (err)
			return err;
		p->path[i] = node;
		p->path_len = i + 1;
	}
	t->nodes[node].self.samples += samples;
	t->nodes[node].self.ns += ns;
	t->sum = sum;
	return 0;
}

int tree_add_stack(void *tree, const struct frame *frames, size_t nr,
		   uint64_t samples, uint64_t ns)
{
	return tree_add(tree, frames, nr, samples, ns);
}

struct tree *tree_create(void)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->priv = calloc(1, sizeof(*t->priv));
	if (!t->priv || hash_init(&t->priv->frame_hash, 1024) ||
	    hash_init(&t->priv->node_hash, 4096) || grow_frames(t) || grow_nodes(t)) {
		tree_destroy(t);
		return NULL;
	}
	/* The root's frame is in no hash: a thread named "all" is another one */
	t->frames[TREE_ROOT] = (struct frame){ .name = "all", .kind = FRAME_COMM };
	t->priv->frame_hashes[TREE_ROOT] = 0;
	t->nr_frames = 1;
	t->nodes[TREE_ROOT] = (struct tree_node){ .parent = TREE_NONE, .frame = TREE_ROOT };
	t->nr_nodes = 1;
	return t;
}

void tree_destroy(struct tree *t)
{
	struct block *b, *next;

	if (!t)
		return;
	if (t->priv) {
		for (b = t->priv->blocks; b; b = next) {
			next = b->next;
			free(b);
		}
		free(t->priv->frame_hash.slots);
		free(t->priv->node_hash.slots);
		free(t->priv->frame_hashes);
		free(t->priv);
	}
	free(t->order);
	free(t->nodes);
	free(t->frames);
	free(t);
}
