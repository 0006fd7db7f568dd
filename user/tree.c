// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree.c - interned frames and the call tree
 *
 * Nodes live in one array, 48 bytes each: a million distinct stacks are some
 * millions of nodes.  Most have one callee, which they name themselves; only
 * the callees of the others are found by (parent, frame) in an open hash.
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

/*
 * Open addressing, linear probing.  A slot has the whole hash: what is not looked for is known
 * from it, and a node or frame, which mostly is not in the processor's caches, is hardly ever
 * read in vain.
 */
struct slot {
	uint32_t hash;
	uint32_t number;	/* index + 1; 0: it is free */
};

struct index_hash {
	struct slot *slots;
	uint32_t mask;
	uint32_t used;
};

struct tree_private {
	struct block *blocks;
	size_t block_left;
	char *block_at;
	struct index_hash frame_hash;
	struct index_hash node_hash;
	uint32_t cap_frames;
	uint32_t cap_nodes;
	/* The stack added last: sorted input shares most of it with the next */
	uint32_t path[TREE_MAX_DEPTH];
	uint32_t hashes[TREE_MAX_DEPTH];	/* of its frames from the outermost to this one */
	size_t path_len;
	uint32_t frames[TREE_MAX_DEPTH];	/* of the stack that is being added */
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

/* Of the stack that @frame is the innermost of; @callers: that of the others */
static uint32_t hash_node(uint32_t callers, uint32_t frame)
{
	return mix((uint64_t)callers << 32 | frame);
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

	while (h->slots[i].number)
		i = (i + 1) & h->mask;
	h->slots[i] = (struct slot){ .hash = hash, .number = index + 1 };
	h->used++;
}

/* Room for two more: see adopt() */
static int hash_grow(struct index_hash *h)
{
	struct index_hash bigger;

	if (h->used < h->mask / 4 * 3)
		return 0;
	if (hash_init(&bigger, (h->mask + 1) * 2))
		return -ENOMEM;
	for (uint32_t i = 0; i <= h->mask; i++)
		if (h->slots[i].number)
			hash_put(&bigger, h->slots[i].hash, h->slots[i].number - 1);
	free(h->slots);
	*h = bigger;
	return 0;
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

static int grow_frames(struct tree *t)
{
	if (grow((void **)&t->frames, &t->priv->cap_frames, t->nr_frames, sizeof(*t->frames)))
		return -ENOMEM;
	return hash_grow(&t->priv->frame_hash);
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
	t->nr_frames++;
	hash_put(&t->priv->frame_hash, hash, *out);
	return 0;
}

static int intern_frame(struct tree *t, const struct frame *f, uint32_t *out)
{
	const struct index_hash *h = &t->priv->frame_hash;
	uint32_t hash = hash_frame(f);
	uint32_t i;

	for (i = hash & h->mask; h->slots[i].number; i = (i + 1) & h->mask) {
		*out = h->slots[i].number - 1;
		if (h->slots[i].hash == hash && same_frame(&t->frames[*out], f))
			return 0;
	}
	return add_frame(t, f, hash, out);
}

static int grow_nodes(struct tree *t)
{
	if (grow((void **)&t->nodes, &t->priv->cap_nodes, t->nr_nodes, sizeof(*t->nodes)))
		return -ENOMEM;
	return hash_grow(&t->priv->node_hash);
}

/* The child of @node that is @frame, and has @hash; NO_CHILD if there is none */
static uint32_t find_child(const struct tree *t, uint32_t node, uint32_t frame, uint32_t hash)
{
	const struct index_hash *h = &t->priv->node_hash;
	uint32_t child = t->nodes[node].child;

	if (child == NO_CHILD)
		return NO_CHILD;
	if (child != MANY)
		return t->nodes[child].frame == frame ? child : NO_CHILD;
	for (uint32_t i = hash & h->mask; h->slots[i].number; i = (i + 1) & h->mask) {
		if (h->slots[i].hash != hash)
			continue;
		child = h->slots[i].number - 1;
		if (t->nodes[child].parent == node && t->nodes[child].frame == frame)
			return child;
	}
	return NO_CHILD;
}

/*
 * The second child of a node brings the first one into the hash, too.  @of_node, @of_child: their
 * hashes
 */
static void adopt(struct tree *t, uint32_t node, uint32_t of_node, uint32_t child, uint32_t of_child)
{
	struct tree_node *n = &t->nodes[node];

	if (n->child == NO_CHILD) {
		n->child = child;
		return;
	}
	if (n->child != MANY) {
		hash_put(&t->priv->node_hash, hash_node(of_node, t->nodes[n->child].frame), n->child);
		n->child = MANY;
	}
	hash_put(&t->priv->node_hash, of_child, child);
}

static uint32_t hash_at(const struct tree_private *p, size_t depth)
{
	return depth ? p->hashes[depth - 1] : 0;
}

/* The child of *@node that is frame @i of the stack becomes *@node; made if it is not there */
static int step(struct tree *t, uint32_t *node, size_t i)
{
	const struct tree_private *p = t->priv;
	uint32_t child = find_child(t, *node, p->frames[i], p->hashes[i]);

	if (child == NO_CHILD) {
		int err = grow_nodes(t);

		if (err)
			return err;
		child = t->nr_nodes++;
		t->nodes[child] = (struct tree_node){
			.parent = *node,
			.frame = p->frames[i],
			.depth = t->nodes[*node].depth + 1,
		};
		adopt(t, *node, hash_at(p, i), child, p->hashes[i]);
	}
	*node = child;
	return 0;
}

/*
 * Looks up frames @from to @nr of a stack, and begins to load what the steps to them will read:
 * places of the hash and nodes are anywhere in memory, and to wait for one after the other is what
 * a tree of unsorted stacks would take most of its time for.
 */
static int look_ahead(struct tree *t, const struct frame *frames, size_t from, size_t nr, bool cut)
{
	static const struct frame deeper = { .name = TREE_DEEPER, .kind = FRAME_NOTE };
	struct tree_private *p = t->priv;
	const struct index_hash *h = &p->node_hash;
	int err;

	for (size_t i = from; i < nr; i++) {
		err = intern_frame(t, cut && i == nr - 1 ? &deeper : &frames[i], &p->frames[i]);
		if (err)
			return err;
		p->hashes[i] = hash_node(hash_at(p, i), p->frames[i]);
		__builtin_prefetch(&h->slots[p->hashes[i] & h->mask]);
	}
	for (size_t i = from; i < nr; i++) {
		const struct slot *s = &h->slots[p->hashes[i] & h->mask];

		if (!s->number || s->hash != p->hashes[i])
			break;
		__builtin_prefetch(&t->nodes[s->number - 1]);
	}
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
	while (i < nr - cut && i < p->path_len &&
	       same_frame(&t->frames[t->nodes[p->path[i]].frame], &frames[i]))
		node = p->path[i++];
	p->path_len = i;
	err = look_ahead(t, frames, i, nr, cut);
	if (err)
		return err;
	for (; i < nr; i++) {
		err = step(t, &node, i);
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
		free(t->priv);
	}
	free(t->order);
	free(t->nodes);
	free(t->frames);
	free(t);
}
