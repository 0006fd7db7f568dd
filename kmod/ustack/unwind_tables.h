/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind_tables.h - unwind tables that the reader uploaded, by file
 *
 * A table is checked whole when it is uploaded (include/uapi/kflame-unwind.h has the rules): every
 * row has a rule, rows rise, and every rule can be followed. So a walk need not check. Tables are
 * never changed or freed before the session ends. So the sample path needs no lock and may cache
 * rules.
 */
#ifndef KF_UNWIND_TABLES_H
#define KF_UNWIND_TABLES_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <asm/barrier.h>

#include <kflame.h>

/**
 * struct kf_utable - one table, see struct kflame_table
 * @list:	in kf_utables.all
 * @flags:	KFLAME_TABLE_*
 * @nr_pages:	0 with KFLAME_TABLE_NONE
 * @page:	index of each page's first row, and the number of rows: @nr_pages + 1 values
 * @row:	KFLAME_ROW()
 * @rule:	rules
 */
struct kf_utable {
	struct list_head list;
	u32 flags;
	u32 nr_pages;
	u32 *page;
	u32 *row;
	struct kflame_rule *rule;
};

struct kf_utable_slot {
	u64 file;		/* 0: free; written after @table */
	const struct kf_utable *table;
};

#define KF_UTABLE_BITS		13
#define KF_UTABLE_SLOTS		(1U << KF_UTABLE_BITS)
#define KF_UTABLE_PROBES	16U
#define KF_UTABLE_DEFAULT_BYTES	(64UL << 20)
#define KF_UTABLES_LEAVE	(1UL << 20)	/* tables leave so much of the cap to others */

/**
 * struct kf_utables - all tables of a session
 * @lock:	serializes uploads of tables; user memory is not read under it
 * @slot:	hash of KF_UTABLE_SLOTS from file to table; NULL: the session has no tables
 * @all:	each table once
 * @nr:		files that have a table
 * @bytes:	bytes that tables take; they are reserved
 * @limit:	most bytes that tables may take
 */
struct kf_utables {
	struct mutex lock;
	struct kf_utable_slot *slot;
	struct list_head all;
	u64 nr;
	size_t bytes, limit;
};

size_t kf_utables_bytes(void);
void kf_utables_init(struct kf_utables *u);
int kf_utables_alloc(struct kf_utables *u, size_t limit);
void kf_utables_exit(struct kf_utables *u);
int kf_utables_add(struct kf_utables *u, const struct kflame_table *req);
void kf_utables_count(struct kf_utables *u, u64 *tables, u64 *bytes);

/**
 * kf_utables_find() - find a file's table
 * @u:		the session's
 * @file:	id of the file
 *
 * Context: any; inlined, since user access may be open.
 * Return: NULL if the file has no table (yet).
 */
static __always_inline const struct kf_utable *kf_utables_find(const struct kf_utables *u,
							       u64 file)
{
	u32 i, at = hash_64(file, KF_UTABLE_BITS);
	u64 there;

	for (i = 0; i < KF_UTABLE_PROBES; i++) {
		struct kf_utable_slot *s = &u->slot[(at + i) % KF_UTABLE_SLOTS];

		/* Pairs with the release in put(): a CPU that sees the file sees its table. */
		there = smp_load_acquire(&s->file);
		/*
		 * Id 0 means a file without an id: it has no table, even while a slot is being
		 * filled.
		 */
		if (!there)
			break;
		if (there == file)
			return s->table;
	}
	return NULL;
}

/**
 * kf_utable_rule() - find the rule for an address in a file
 * @t:		has rows
 * @offset:	file offset of an instruction
 *
 * Context: as kf_utables_find().
 * Return: NULL if the table has no rule for the address.
 */
static __always_inline const struct kflame_rule *kf_utable_rule(const struct kf_utable *t,
								u64 offset)
{
	u64 page = offset / KFLAME_TABLE_PAGE;
	u32 low, high, first;

	if (page >= t->nr_pages)
		return NULL;
	/* The address comes from user memory: see kf_user_nospec(). */
	page = array_index_nospec(page, t->nr_pages);
	first = t->page[page];
	low = first;
	high = t->page[page + 1];
	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (KFLAME_ROW_OFFSET(t->row[mid]) <= offset % KFLAME_TABLE_PAGE)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == first)
		return NULL;
	return &t->rule[KFLAME_ROW_RULE(t->row[low - 1])];
}

#endif
