// SPDX-License-Identifier: GPL-2.0-only
/*
 * unwind_tables.c - the unwind tables that the reader uploaded, see ustack/unwind_tables.h
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "base/memory.h"
#include "ustack/unwind_tables.h"

#ifdef CONFIG_X86_64
#define NR_REGS		16U	/* DWARF numbers of the psABI: rax to r15 */
#define HAS_LINK	false
#else
#define NR_REGS		31U	/* x0 to x30 */
#define HAS_LINK	true
#endif

/* ------------------------------------------------------------- is a table sane? */

static bool cfa_is_sane(const struct kflame_rule *r)
{
	bool adds = r->cfa == KFLAME_CFA_AT_SP || r->cfa == KFLAME_CFA_AT_FP;

	if (r->cfa > KFLAME_CFA_LAST || (!adds && r->cfa_add))
		return false;
	switch (r->cfa) {
	case KFLAME_CFA_NONE:
	case KFLAME_CFA_END:
		return !r->cfa_offset && !r->base_offset;
	case KFLAME_CFA_PLT:
		return IS_ENABLED(CONFIG_X86_64) && r->cfa_offset >= 0 && r->cfa_offset < 16;
	default:
		return !(r->cfa_offset & 7) && !(r->cfa_add & 7);
	}
}

static bool place_is_sane(u8 in, s32 offset)
{
	bool in_memory = in == KFLAME_IN_CFA || in == KFLAME_IN_SP || in == KFLAME_IN_FP;

	return in <= KFLAME_IN_LAST && (in_memory ? !(offset & 7) : !offset);
}

static bool base_is_sane(const struct kflame_rule *r)
{
	if (r->cfa == KFLAME_CFA_SIGNAL)
		return !r->base_offset;
	return !(r->base_offset & 7) || r->base_offset == KFLAME_BASE_LOST;
}

static bool rule_is_sane(const struct kflame_rule *r)
{
	bool names_reg = r->cfa == KFLAME_CFA_REG || r->fp == KFLAME_IN_REG ||
			 r->ra == KFLAME_IN_REG;

	if (!cfa_is_sane(r) || !base_is_sane(r) || !place_is_sane(r->fp, r->fp_offset) ||
	    !place_is_sane(r->ra, r->ra_offset) || (names_reg ? r->reg >= NR_REGS : r->reg))
		return false;
	switch (r->cfa) {
	case KFLAME_CFA_NONE:
	case KFLAME_CFA_END:
	case KFLAME_CFA_SIGNAL:
		return !r->fp && !r->ra;
	}
	return r->ra != KFLAME_IN_LOST && (HAS_LINK || r->ra != KFLAME_IN_SAME);
}

static bool rules_are_sane(const struct kf_utable *t, u32 nr_rules)
{
	u32 i;

	for (i = 0; i < nr_rules; i++)
		if (!rule_is_sane(&t->rule[i]))
			return false;
	return true;
}

/* Do the offsets of a page's rows rise, and does each row have a rule? */
static bool page_is_sane(const struct kf_utable *t, u32 page, u32 nr_rules)
{
	u32 i, first = t->page[page];

	for (i = first; i < t->page[page + 1]; i++) {
		if (KFLAME_ROW_RULE(t->row[i]) >= nr_rules)
			return false;
		if (i > first && KFLAME_ROW_OFFSET(t->row[i]) <= KFLAME_ROW_OFFSET(t->row[i - 1]))
			return false;
	}
	return true;
}

static bool table_is_sane(const struct kf_utable *t, const struct kflame_table *req)
{
	u32 i;

	if (t->page[0] || t->page[t->nr_pages] != req->nr_rows || !rules_are_sane(t, req->nr_rules))
		return false;
	/* Check all page indexes first, so that page_is_sane() reads no row beyond the last one. */
	for (i = 0; i < t->nr_pages; i++)
		if (t->page[i] > t->page[i + 1])
			return false;
	for (i = 0; i < t->nr_pages; i++) {
		if (!page_is_sane(t, i, req->nr_rules))
			return false;
		cond_resched();
	}
	return true;
}

static bool request_is_sane(const struct kflame_table *req)
{
	bool has_rows = req->nr_pages || req->nr_rows || req->nr_rules ||
			req->pages || req->rows || req->rules;

	if ((req->flags & ~KFLAME_TABLE_ALL) || req->pad || !req->file)
		return false;
	if (req->same_as)
		return !has_rows && !req->flags;
	if (req->flags & KFLAME_TABLE_NONE)
		return !has_rows && req->flags == KFLAME_TABLE_NONE;
	return req->nr_pages && req->nr_pages <= KFLAME_TABLE_PAGES &&
	       req->nr_rows && req->nr_rows <= KFLAME_TABLE_ROWS &&
	       req->nr_rules && req->nr_rules <= KFLAME_TABLE_RULES;
}

/* -------------------------------------------------------------- add a table */

static size_t bytes_of(const struct kflame_table *req)
{
	if (!req->nr_rows)
		return sizeof(struct kf_utable);
	return sizeof(struct kf_utable) + sizeof(u32) * (req->nr_pages + 1UL + req->nr_rows) +
	       sizeof(struct kflame_rule) * req->nr_rules;
}

static void destroy(struct kf_utable *t)
{
	kvfree(t);
}

/* A table is one block of memory: the struct, rules, page indexes, rows. */
static struct kf_utable *copy_table(const struct kflame_table *req)
{
	struct kf_utable *t = kvmalloc(bytes_of(req), GFP_KERNEL_ACCOUNT | __GFP_NORETRY |
						      __GFP_NOWARN);

	if (!t)
		return ERR_PTR(-ENOMEM);
	memset(t, 0, sizeof(*t));
	t->flags = req->flags;
	if (!req->nr_rows)
		return t;
	t->nr_pages = req->nr_pages;
	t->rule = (struct kflame_rule *)(t + 1);
	t->page = (u32 *)(t->rule + req->nr_rules);
	t->row = t->page + req->nr_pages + 1;
	if (copy_from_user(t->rule, u64_to_user_ptr(req->rules), sizeof(*t->rule) * req->nr_rules) ||
	    copy_from_user(t->page, u64_to_user_ptr(req->pages),
			   sizeof(*t->page) * (req->nr_pages + 1UL)) ||
	    copy_from_user(t->row, u64_to_user_ptr(req->rows), sizeof(*t->row) * req->nr_rows)) {
		destroy(t);
		return ERR_PTR(-EFAULT);
	}
	if (table_is_sane(t, req))
		return t;
	destroy(t);
	return ERR_PTR(-EINVAL);
}

/* The slot of a file, or a free slot for it; NULL if there is no room. */
static struct kf_utable_slot *place_of(struct kf_utables *u, u64 file)
{
	u32 i, at = hash_64(file, KF_UTABLE_BITS);
	struct kf_utable_slot *s;

	lockdep_assert_held(&u->lock);
	for (i = 0; i < KF_UTABLE_PROBES; i++) {
		s = &u->slot[(at + i) % KF_UTABLE_SLOTS];
		if (!s->file || s->file == file)
			return s;
	}
	return NULL;
}

static int put(struct kf_utables *u, u64 file, const struct kf_utable *t)
{
	struct kf_utable_slot *s = place_of(u, file);

	if (!s)
		return -ENOSPC;
	if (s->file)
		return -EEXIST;
	s->table = t;
	/* Pairs with kf_utables_find(): a CPU that sees the file sees its table. */
	smp_store_release(&s->file, file);
	u->nr++;
	return 0;
}

static int share(struct kf_utables *u, const struct kflame_table *req)
{
	const struct kf_utable *t;
	int err = -ENOENT;

	mutex_lock(&u->lock);
	t = kf_utables_find(u, req->same_as);
	if (t)
		err = put(u, req->file, t);
	mutex_unlock(&u->lock);
	return err;
}

/*
 * Reserve memory within the session's limit and the cap of all sessions. The last part of the cap
 * is left to records about processes: a stack without a table is more useful than one without
 * names.
 */
static int reserve(struct kf_utables *u, size_t bytes)
{
	int err = 0;

	mutex_lock(&u->lock);
	if (bytes > u->limit - u->bytes) {
		err = -ENOSPC;
	} else if (!kf_memory_reserve(bytes + KF_UTABLES_LEAVE)) {
		err = -ENOMEM;
	} else {
		kf_memory_release(KF_UTABLES_LEAVE);
		u->bytes += bytes;
	}
	mutex_unlock(&u->lock);
	return err;
}

static void give_back(struct kf_utables *u, size_t bytes)
{
	mutex_lock(&u->lock);
	u->bytes -= bytes;
	mutex_unlock(&u->lock);
	kf_memory_release(bytes);
}

/**
 * kf_utables_add() - add a file's unwind table; may sleep
 * @u:		kf_utables_alloc() was successful
 * @req:	the reader's request
 *
 * Return: 0 or an error, see struct kflame_table. On an error nothing is added.
 */
int kf_utables_add(struct kf_utables *u, const struct kflame_table *req)
{
	size_t bytes = bytes_of(req);
	struct kf_utable *t;
	int err;

	if (!request_is_sane(req))
		return -EINVAL;
	if (req->same_as)
		return share(u, req);
	err = reserve(u, bytes);
	if (err)
		return err;
	t = copy_table(req);
	if (IS_ERR(t)) {
		give_back(u, bytes);
		return PTR_ERR(t);
	}
	mutex_lock(&u->lock);
	err = put(u, req->file, t);
	if (!err)
		list_add(&t->list, &u->all);
	mutex_unlock(&u->lock);
	if (err) {
		destroy(t);
		give_back(u, bytes);
	}
	return err;
}

/* How many files have a table, and how many bytes all tables take. */
void kf_utables_count(struct kf_utables *u, u64 *tables, u64 *bytes)
{
	mutex_lock(&u->lock);
	*tables = u->nr;
	*bytes = u->bytes;
	mutex_unlock(&u->lock);
}

/* --------------------------------------------------------------- lifetime */

/* Memory that kf_utables_alloc() takes. Memory for tables is reserved at each upload. */
size_t kf_utables_bytes(void)
{
	return sizeof(struct kf_utable_slot) * KF_UTABLE_SLOTS;
}

void kf_utables_init(struct kf_utables *u)
{
	mutex_init(&u->lock);
	INIT_LIST_HEAD(&u->all);
}

/**
 * kf_utables_alloc() - get ready for uploads of tables; may sleep
 * @u:		kf_utables_init() was called
 * @limit:	most bytes that all tables may take
 *
 * Return: 0 or -ENOMEM. The caller calls kf_utables_exit() in both cases.
 */
int kf_utables_alloc(struct kf_utables *u, size_t limit)
{
	u->limit = limit;
	u->slot = kvcalloc(KF_UTABLE_SLOTS, sizeof(*u->slot),
			   GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	return u->slot ? 0 : -ENOMEM;
}

/* Sampling has stopped, and no table is uploaded any more. */
void kf_utables_exit(struct kf_utables *u)
{
	struct kf_utable *t, *next;

	list_for_each_entry_safe(t, next, &u->all, list)
		destroy(t);
	INIT_LIST_HEAD(&u->all);
	kf_memory_release(u->bytes);
	u->bytes = 0;
	u->nr = 0;
	kvfree(u->slot);
	u->slot = NULL;
}
