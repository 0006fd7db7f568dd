// SPDX-License-Identifier: GPL-2.0-only
/*
 * labels.c - the table of labels, see store/labels.h
 */
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/memory.h"
#include "store/labels.h"

/* The texts take this part of the cap, within limits. An average text is expected to be that long. */
#define SHARE_OF_CAP	64U
#define LEAST_BYTES	SZ_64K
#define MOST_BYTES	SZ_1M
#define TEXT_BYTES	64U

/* How many slots are looked at */
#define PROBES		16U

static u32 text_bytes(void)
{
	const size_t share = kf_memory_cap() / SHARE_OF_CAP;

	return clamp_t(size_t, rounddown_pow_of_two(share + 1), LEAST_BYTES, MOST_BYTES);
}

/* Memory of a table */
size_t kf_labels_bytes(void)
{
	const u32 max = text_bytes() / TEXT_BYTES;

	return sizeof(struct kf_labels) + text_bytes() +
	       max * (sizeof(struct kf_labels_entry) + 2 * sizeof(u32));
}

static void *zeroed(size_t bytes)
{
	return kvzalloc(bytes, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
}

/**
 * kf_labels_create() - allocate a table of kf_labels_bytes(), which the caller has reserved; may sleep
 *
 * Return: the table, which has KF_LABEL_MORE; NULL without memory.
 */
struct kf_labels *kf_labels_create(void)
{
	static const struct kf_label more = { .text = "[more]", .len = 6 };
	struct kf_labels *l = kzalloc(sizeof(*l), GFP_KERNEL);

	if (!l)
		return NULL;
	l->max_bytes = text_bytes();
	l->max = l->max_bytes / TEXT_BYTES;
	l->entries = zeroed(l->max * sizeof(l->entries[0]));
	l->texts = zeroed(l->max_bytes);
	l->slots = zeroed(2 * l->max * sizeof(l->slots[0]));
	if (!l->entries || !l->texts || !l->slots || kf_labels_intern(l, &more) != KF_LABEL_MORE) {
		kf_labels_destroy(l);
		return NULL;
	}
	return l;
}

/* No sample uses the table any more. Does nothing for NULL */
void kf_labels_destroy(struct kf_labels *l)
{
	if (!l)
		return;
	kvfree(l->entries);
	kvfree(l->texts);
	kvfree(l->slots);
	kfree(l);
}

/* The last @nr bytes at @text as a word; @nr is less than 8 */
static u64 short_word(const char *text, u32 nr)
{
	u64 word = 0;

	while (nr--)
		word = word << 8 | (u8)text[nr];
	return word;
}

static u64 whole_word(const char *text)
{
	u64 word;

	__builtin_memcpy(&word, text, sizeof(word));
	return word;
}

static u64 mix(u64 hash, u64 word)
{
	return rol64((hash ^ word) * 0x9e3779b97f4a7c15ULL, 31);
}

static u32 hash_of(const struct kf_label *l)
{
	u64 hash = mix((u64)l->kind << 32 | l->root_len, (u64)l->major << 32 | l->minor);
	u32 i;

	for (i = 0; i + sizeof(u64) <= l->len; i += sizeof(u64))
		hash = mix(hash, whole_word(l->text + i));
	hash = mix(mix(hash, short_word(l->text + i, l->len - i)), l->len);
	return hash ^ hash >> 32;
}

static bool same_text(const char *a, const char *b, u32 len)
{
	u32 i;

	for (i = 0; i + sizeof(u64) <= len; i += sizeof(u64))
		if (whole_word(a + i) != whole_word(b + i))
			return false;
	return short_word(a + i, len - i) == short_word(b + i, len - i);
}

static bool is_same(const struct kf_labels_entry *e, const struct kf_label *l, u32 hash)
{
	return e->hash == hash && e->is.len == l->len && e->is.kind == l->kind &&
	       e->is.root_len == l->root_len && e->is.major == l->major && e->is.minor == l->minor &&
	       same_text(e->is.text, l->text, l->len);
}

/* Reserve @more of @max. Return: where they begin; -1 if there is no room */
static int reserve(atomic_t *used, u32 max, u32 more)
{
	int at;

	/* Without this a full table would count until it wraps. */
	if (atomic_read(used) + more > max)
		return -1;
	at = atomic_fetch_add(more, used);
	return at + more > max ? -1 : at;
}

/* Add an entry, which no slot has yet. Return: its id; 0 if there is no room */
static u32 add(struct kf_labels *l, const struct kf_label *label, u32 hash)
{
	struct kf_labels_entry *e;
	int at, text;

	/* The text first: an entry that was reserved is always written. */
	text = reserve(&l->bytes, l->max_bytes, label->len);
	if (text < 0)
		return 0;
	at = reserve(&l->nr, l->max, 1);
	if (at < 0)
		return 0;
	memcpy(l->texts + text, label->text, label->len);
	e = &l->entries[at];
	e->is = *label;
	e->is.text = l->texts + text;
	e->hash = hash;
	/* Pairs with kf_labels_next(). */
	smp_store_release(&e->is_whole, true);
	return at + 1;
}

/* Two CPUs that add the same label at once may both reserve an entry. Only one of these gets a slot. */
static u32 look_up(struct kf_labels *l, const struct kf_label *label, bool may_add)
{
	const u32 hash = hash_of(label);
	u32 added = 0, i, id, *slot;

	for (i = 0; i < PROBES; i++) {
		slot = &l->slots[(hash + i) & (2 * l->max - 1)];
		/* Pairs with cmpxchg(), which is ordered: a CPU that reads the id reads the entry. */
		id = smp_load_acquire(slot);
		if (!id) {
			if (may_add)
				added = added ? : add(l, label, hash);
			if (!added)
				return KF_LABEL_MORE;
			id = cmpxchg(slot, 0, added);
			if (!id)
				return added;
		}
		if (is_same(&l->entries[id - 1], label, hash))
			return id;
	}
	return KF_LABEL_MORE;
}

/**
 * kf_labels_intern() - look a label up, and add it if it is new
 * @l:		the table
 * @label:	the label; its text is copied
 *
 * Context: any but an NMI. Takes no lock, and looks at PROBES slots at most.
 * Return: the label's id; KF_LABEL_MORE if there is no room.
 */
u32 kf_labels_intern(struct kf_labels *l, const struct kf_label *label)
{
	return look_up(l, label, true);
}

/* kf_labels_intern() that adds nothing. Return: KF_LABEL_MORE if there is no such label */
u32 kf_labels_find(struct kf_labels *l, const struct kf_label *label)
{
	return look_up(l, label, false);
}

/* The same label with a bit set in its kind. @id: of kf_labels_intern(). Return: as that */
u32 kf_labels_mark(struct kf_labels *l, u32 id, u16 bit)
{
	struct kf_label label;

	if (id == KF_LABEL_MORE)
		return id;
	label = l->entries[id - 1].is;
	label.kind |= bit;
	return kf_labels_intern(l, &label);
}

/**
 * kf_labels_next() - the label after those with ids up to @id, for a reader of the table
 * @l:	the table; NULL for none
 * @id:	0 at first
 *
 * Return: the label; NULL if there is none, or if its CPU is just writing it.
 */
const struct kf_label *kf_labels_next(const struct kf_labels *l, u32 id)
{
	if (!l || id >= min_t(u32, atomic_read(&l->nr), l->max))
		return NULL;
	/* Pairs with add(): the label is whole. */
	return smp_load_acquire(&l->entries[id].is_whole) ? &l->entries[id].is : NULL;
}
