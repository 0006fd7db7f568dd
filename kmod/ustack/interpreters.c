// SPDX-License-Identifier: GPL-2.0-only
/*
 * interpreters.c - functions of interpreted programs in user stacks, see ustack/interpreters.h
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "base/memory.h"
#include "process/mapping_ring.h"
#include "ustack/interpreters.h"
#include "ustack/read_word.h"

/* A read that fails counts as so many bytes more. */
#define FAULT_BYTES	2048U

static const struct kf_walker *const walkers[] = {
	&kf_cpython_3_11,
	&kf_cpython,
	&kf_perl_5,
};

/* ------------------------------------------------------------------ descriptions */

static bool loops_are_sane(const struct kflame_interpreter *is)
{
	u32 i;

	if (!is->nr_loops || is->nr_loops > KFLAME_INTERPRETER_LOOPS)
		return false;
	for (i = 0; i < KFLAME_INTERPRETER_LOOPS; i++)
		if (i < is->nr_loops ? is->loop[i].start >= is->loop[i].end || is->loop[i].end > S64_MAX :
				       is->loop[i].start || is->loop[i].end)
			return false;
	return true;
}

static bool offsets_are_sane(const struct kflame_interpreter *is)
{
	u32 i;

	for (i = 0; i < KFLAME_INTERPRETER_AT; i++)
		if (is->at[i] > (i < is->nr_at ? KFLAME_INTERPRETER_AT_MAX : 0))
			return false;
	return true;
}

/**
 * kf_interpreter_check() - check a description whole
 * @is:		the description
 * @walker:	out: the walker of this kind
 *
 * Context: any.
 * Return: 0; -EINVAL; -EOPNOTSUPP if there is no walker.
 */
int kf_interpreter_check(const struct kflame_interpreter *is, const struct kf_walker **walker)
{
	u32 i;

	if (is->flags || !is->file)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(walkers); i++)
		if (walkers[i]->kind == is->kind)
			break;
	if (i == ARRAY_SIZE(walkers))
		return -EOPNOTSUPP;
	*walker = walkers[i];
	if (is->nr_at != walkers[i]->nr_at || !loops_are_sane(is) || !offsets_are_sane(is))
		return -EINVAL;
	return !walkers[i]->is_sane || walkers[i]->is_sane(is) ? 0 : -EINVAL;
}

/**
 * kf_interpreters_add() - add an interpreter; may sleep
 * @s:		the session's; calls are serialized
 * @is:		a description that was checked
 * @walker:	from kf_interpreter_check()
 *
 * Return: 0; -EEXIST if the file has one; -ENOSPC.
 */
int kf_interpreters_add(struct kf_interpreters *s, const struct kflame_interpreter *is,
			const struct kf_walker *walker)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		if (s->file[i] == is->file)
			return -EEXIST;
	if (s->nr == KFLAME_MAX_INTERPRETERS)
		return -ENOSPC;
	s->all[s->nr].walker = walker;
	s->all[s->nr].is = *is;
	s->file[s->nr] = is->file;
	/* Pairs with kf_interpreter_find(): a CPU that sees the number sees the description. */
	smp_store_release(&s->nr, s->nr + 1);
	return 0;
}

/* Return: no interpreters yet; NULL without memory. May sleep. */
struct kf_interpreters *kf_interpreters_create(void)
{
	const size_t bytes = sizeof(struct kf_interpreters) + kf_labels_bytes() +
			     sizeof(struct kf_icpu) * nr_cpu_ids;
	struct kf_interpreters *s;

	if (!kf_memory_reserve(bytes))
		return NULL;
	s = kvzalloc(sizeof(*s), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!s) {
		kf_memory_release(bytes);
		return NULL;
	}
	s->bytes = bytes;
	s->names = kf_labels_create();
	s->cpus = kvcalloc(nr_cpu_ids, sizeof(*s->cpus), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (s->names && s->cpus)
		return s;
	kf_interpreters_destroy(s);
	return NULL;
}

/* No sample uses it any more. Does nothing for NULL */
void kf_interpreters_destroy(struct kf_interpreters *s)
{
	size_t bytes;

	if (!s)
		return;
	bytes = s->bytes;
	kf_labels_destroy(s->names);
	kvfree(s->cpus);
	kvfree(s);
	kf_memory_release(bytes);
}

/* ------------------------------------------------------- which one a process has */

static const struct kf_interpreter *of_file(const struct kf_interpreters *s, u32 nr, u64 file)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (s->file[i] == file)
			return &s->all[i];
	return NULL;
}

static bool has_loop(const struct kf_interpreter *i, u64 offset, u64 bytes)
{
	return i->is.loop[0].start >= offset && i->is.loop[0].start - offset < bytes;
}

/* Look through the mappings of an address space. Return: false if they were overwritten meanwhile */
static bool search(const struct kf_interpreters *s, u32 nr, const struct kf_umaps *maps,
		   const struct kf_umap_run *run, struct kf_iaspace *out)
{
	const struct kf_interpreter *interpreter;
	const struct kf_umap *m;
	u64 start, offset;
	u32 i;

	out->interpreter = NULL;
	if (kf_umaps_gone(maps, run))
		return false;
	for (i = 0; i < run->nr && !out->interpreter; i++) {
		m = &maps->ring[(run->at + i) & maps->mask];
		interpreter = of_file(s, nr, READ_ONCE(m->file));
		if (!interpreter)
			continue;
		start = READ_ONCE(m->start);
		offset = READ_ONCE(m->offset);
		if (!has_loop(interpreter, offset, READ_ONCE(m->end) - start))
			continue;
		out->interpreter = interpreter;
		out->base = start - offset;
	}
	if (!kf_umaps_gone(maps, run))
		return true;
	out->interpreter = NULL;
	return false;
}

/**
 * kf_interpreter_find() - find the interpreter in the address space of current
 * @s:		the session's
 * @cpu:	this CPU
 * @maps:	the session's
 * @run:	mappings of the address space
 * @aspace:	its id; 0 for none
 *
 * Return: is there one? Then kf_interpreter_merge() may be called, in the same sample.
 */
bool kf_interpreter_find(struct kf_interpreters *s, u32 cpu, const struct kf_umaps *maps,
			 const struct kf_umap_run *run, u64 aspace)
{
	struct kf_icpu *c = &s->cpus[cpu];
	struct kf_iaspace *known = &c->aspaces[aspace & (KF_IASPACES - 1)], found = {};
	/* Pairs with kf_interpreters_add(). */
	const u32 nr = smp_load_acquire(&s->nr);

	c->interpreter = NULL;
	if (likely(known->aspace == aspace && known->run == run->at && known->nr == nr && run->known)) {
		c->interpreter = known->interpreter;
		c->base = known->base;
	} else if (run->known) {
		found.aspace = aspace;
		found.run = run->at;
		found.nr = nr;
		if (search(s, nr, maps, run, &found))
			*known = found;
		c->interpreter = found.interpreter;
		c->base = found.base;
	}
	c->aspace = aspace;
	return c->interpreter;
}

/* ------------------------------------------------------------------------- names */

bool kf_interpreter_read(struct kf_icpu *c, void *to, u64 from, u32 bytes)
{
	const unsigned long span = kf_user_span();

	if (kf_is_user(from, span) && kf_is_user(from + bytes, span) && bytes <= c->left) {
		c->left -= bytes;
		/* See copy_stack() in sample/stack_copy.c for why it is this function. */
		if (!raw_copy_from_user(to, (const void __user *)kf_user_nospec(from, span), bytes))
			return true;
		/* An exception costs more than the bytes that were asked for. */
		c->left -= min(c->left, FAULT_BYTES);
	}
	c->missed = true;
	return false;
}

/* Names of current's user take so much of the table. Root's own programs are not limited. */
static atomic_t *used_by_current(struct kf_interpreters *s)
{
	const u32 uid = __kuid_val(current_euid());

	return uid ? &s->used[hash_32(uid, ilog2(KF_INTERPRETER_USERS))] : NULL;
}

static u32 intern(struct kf_interpreters *s, const struct kf_label *label)
{
	atomic_t *used = used_by_current(s);
	/* A user may have many ids: a quarter is left for root. */
	const bool may_add = !used || (atomic_read(used) < s->names->max_bytes / 4 &&
				       atomic_read(&s->names->nr) < s->names->max / 4 * 3 &&
				       atomic_read(&s->names->bytes) < s->names->max_bytes / 4 * 3);
	const int before = atomic_read(&s->names->nr);
	const u32 id = may_add ? kf_labels_intern(s->names, label) : kf_labels_find(s->names, label);

	/* A label takes its text, and a part of the entries. Another CPU may have added one: no matter. */
	if (used && may_add && atomic_read(&s->names->nr) != before)
		atomic_add(max(label->len, s->names->max_bytes / s->names->max), used);
	return id;
}

/* Read and intern a frame's function. Return: the frame to record; *@lasts: it may be cached */
static u64 resolve(struct kf_interpreters *s, struct kf_icpu *c, const struct kf_iframe *f, bool *lasts)
{
	const struct kf_interpreter *i = c->interpreter;
	struct kf_iname name = {};
	struct kf_label label = { .kind = i->is.kind, .text = c->text };
	u32 id;

	c->missed = false;
	i->walker->read(i, c, f, &name);
	*lasts = name.name_len && !c->missed;
	label.root_len = name.name_len;
	label.len = name.len;
	label.minor = name.first_line;
	if (!name.name_len) {
		label.len = 0;
		label.minor = 0;
	}
	id = intern(s, &label);
	if (name.line > KFLAME_FUNCTION_MAX)
		name.line = 0;
	return KFLAME_FUNCTION | (u64)id << KFLAME_FUNCTION_SHIFT | name.line;
}

static bool is_answer(const struct kf_ifunction *k, u64 aspace, u64 function, u64 place)
{
	return k->aspace == aspace && k->function == function && k->place == place && aspace;
}

/* A frame is in one of two slots, so that two frames of one stack do not evict each other in each sample. */
static u64 function_of(struct kf_interpreters *s, struct kf_icpu *c, const struct kf_iframe *f)
{
	const u64 place = (u64)f->check << 32 | f->at;
	const u32 slot = hash_64(c->aspace ^ f->function ^ place, ilog2(KF_IFUNCTIONS));
	struct kf_ifunction *known = &c->functions[slot], *older = &c->functions[slot ^ 1];
	bool lasts;
	u64 ip;

	if (likely(is_answer(known, c->aspace, f->function, place)))
		return known->ip;
	if (is_answer(older, c->aspace, f->function, place))
		return older->ip;
	ip = resolve(s, c, f, &lasts);
	if (lasts && c->aspace) {
		*older = *known;
		*known = (struct kf_ifunction){
			.aspace = c->aspace, .function = f->function, .place = place, .ip = ip,
		};
	}
	return ip;
}

/* ------------------------------------------------------------------------- merge */

/* Is frame @n of the native stack in the interpreter's loop? */
static bool is_loop(const struct kf_icpu *c, u64 ip, u32 n)
{
	const struct kflame_interpreter *is = &c->interpreter->is;
	const u64 offset = ip - !!n - c->base;
	u32 i;

	for (i = 0; i < is->nr_loops; i++)
		if (offset >= is->loop[i].start && offset < is->loop[i].end)
			return true;
	return false;
}

/* Frame @n is in a loop. Return: how many frames further the tower has another loop; 0: at its end */
static u32 tower_step(const struct kf_icpu *c, const u64 *ip, u32 nr, u32 candidate, u32 n)
{
	u32 step;

	for (step = 1; c->interpreter->walker->has_towers && step <= 2 && n + step < nr; step++)
		if (n + step != candidate && is_loop(c, ip[n + step], n + step))
			return step;
	return 0;
}

static u32 count_loops(const struct kf_icpu *c, const struct kf_frames *f)
{
	u32 n, loops = 0;

	for (n = 0; n < f->is.nr; n++)
		loops += n != f->is.candidate && is_loop(c, f->ip[n], n) &&
			 !tower_step(c, f->ip, f->is.nr, f->is.candidate, n);
	return loops;
}

static u32 count_entries(const struct kf_icpu *c)
{
	u32 n, entries = 0;

	for (n = 0; n < c->nr; n++)
		entries += c->frame[n].is_entry;
	return entries;
}

static bool put(struct kf_frames *f, u32 *to, u32 depth, u64 ip)
{
	if (*to == depth)
		return false;
	f->ip[(*to)++] = ip;
	return true;
}

/* Put the program's frames from @from on, up to an entry, into @f. Return: the frame after them */
static u32 put_group(const struct kf_icpu *c, struct kf_frames *f, u32 *to, u32 depth, u32 from, bool *cut)
{
	while (from < c->nr) {
		*cut |= !put(f, to, depth, c->ip[from]);
		if (c->frame[from++].is_entry)
			break;
	}
	return from;
}

/* Return: the first frame that is left if the innermost @entries loops have none in the native stack */
static u32 frames_of_entries(const struct kf_icpu *c, u32 entries)
{
	u32 n;

	for (n = 0; entries && n < c->nr; n++)
		entries -= c->frame[n].is_entry;
	return n;
}

/*
 * @next: the first frame of the program
 * @skip: so many of the innermost loops have no frame yet, or none any more: they are in the begin or the
 * end of their function
 */
static void merge(struct kf_icpu *c, u32 depth, u32 next, u32 skip, struct kf_frames *f)
{
	const u32 nr = f->is.nr, candidate = f->is.candidate;
	const u32 end = f->is.end & KFLAME_END_MASK;
	u32 n, step, to = 0;
	bool cut = false;

	f->is.candidate = KF_NO_CANDIDATE;
	for (n = 0; n < nr && to < depth; n++) {
		if (n == candidate) {
			f->is.candidate = to;
		} else if (is_loop(c, c->native[n], n)) {
			step = tower_step(c, c->native, nr, candidate, n);
			if (step) {
				n += step - 1;
				continue;
			}
			if (skip) {
				skip--;
			} else if (next < c->nr) {
				next = put_group(c, f, &to, depth, next, &cut);
				continue;
			}
		}
		/* A frame that becomes the innermost one, or is it no longer, keeps its form. */
		cut |= !put(f, &to, depth, c->native[n]);
	}
	/* Where the native stack could not be walked to its end, the program's frames go on. */
	if (end != KFLAME_END_COMPLETE)
		while (next < c->nr)
			next = put_group(c, f, &to, depth, next, &cut);
	if (n < nr || cut)
		f->is.end = KFLAME_END_DEPTH | (f->is.end & ~KFLAME_END_MASK);
	f->is.nr = to;
}

/**
 * kf_interpreter_merge() - put the frames of the program into a native stack of current
 * @s:		the session's
 * @cpu:	this CPU; kf_interpreter_find() has found an interpreter
 * @depth:	most frames, at most KF_MAX_UDEPTH
 * @bytes:	most bytes of names and lines to read
 * @f:		the native stack, walked from user mode's registers
 */
void kf_interpreter_merge(struct kf_interpreters *s, u32 cpu, u32 depth, u32 bytes, struct kf_frames *f)
{
	struct kf_icpu *c = &s->cpus[cpu];
	u32 n, loops = count_loops(c, f), entries, next = 0, skip = 0;

	if (!loops)
		return;
	c->nr = 0;
	c->complete = false;
	c->left = bytes;
	pagefault_disable();
	c->interpreter->walker->walk(c->interpreter, c);
	for (n = 0; n < c->nr; n++)
		c->ip[n] = function_of(s, c, &c->frame[n]);
	pagefault_enable();
	if (!c->nr)
		return;
	entries = count_entries(c);
	if (c->complete && (f->is.end & KFLAME_END_MASK) == KFLAME_END_COMPLETE) {
		skip = loops - min(loops, entries);
		next = frames_of_entries(c, entries - min(loops, entries));
	}
	memcpy(c->native, f->ip, f->is.nr * sizeof(f->ip[0]));
	merge(c, depth, next, skip, f);
}
