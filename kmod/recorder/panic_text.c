// SPDX-License-Identifier: GPL-2.0-only
/*
 * panic_text.c - the heaviest stacks as text, see recorder/panic_text.h
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "recorder/panic_text.h"
#include "session/epochs.h"
#include "session/session.h"
#include "store/table.h"

/* Stacks that have no room are left out. The heaviest ones are met early and often, and have room. */
#define ENTRIES	2048U

size_t kf_panic_text_bytes(void)
{
	return kf_table_bytes(ENTRIES, 0);
}

/* May sleep. The caller has reserved the memory. Return: 0 or -ENOMEM */
int kf_panic_text_init(struct kf_panic_text *p)
{
	p->table = kf_table_create(ENTRIES, 0, NUMA_NO_NODE);
	return p->table ? 0 : -ENOMEM;
}

void kf_panic_text_exit(struct kf_panic_text *p)
{
	kf_table_destroy(p->table);
	p->table = NULL;
}

/* Add a kernel stack of @t. Return: its id in @p->table; 0 if it is damaged, or if there is no room */
static u32 add_stack(struct kf_panic_text *p, const struct kf_table *t, u32 id)
{
	struct kf_stack s;

	if (id > t->max_stacks)
		return 0;
	/* A copy: its CPU may still write to it. */
	s = t->stacks[id - 1];
	if (s.is.nr > KF_MAX_DEPTH || s.first > t->max_frames || t->max_frames - s.first < s.is.nr)
		return 0;
	kf_stack_copy(t, &s, p->frames);
	return kf_table_find_stack(p->table, s.is, p->frames);
}

static void add_entry(struct kf_panic_text *p, const struct kf_table *t, const struct kf_entry *e)
{
	/* The user stack is only there or not. */
	struct kf_key key = {
		.context = kf_key_only_context(&e->key), .ustack = !!e->key.ustack,
	};
	u32 id;

	memcpy(key.comm, e->key.comm, sizeof(key.comm));
	if (e->key.kstack) {
		key.kstack = add_stack(p, t, e->key.kstack);
		if (!key.kstack)
			return;
	}
	id = kf_table_find_entry(p->table, &key);
	if (!id)
		return;
	p->table->entries[id - 1].samples += e->samples;
	p->table->entries[id - 1].weight_ns += e->weight_ns;
}

static void add_table(struct kf_panic_text *p, const struct kf_table *t)
{
	const u32 nr = min(READ_ONCE(t->nr_entries), t->max_entries);
	u32 i;

	for (i = 0; i < nr; i++)
		add_entry(p, t, &t->entries[i]);
}

static void add_cpu(struct kf_panic_text *p, const struct kf_epochs *e)
{
	u32 i;

	for (i = 0; i < e->nr; i++)
		add_table(p, e->epoch[i].table);
}

static u64 weight(const struct kf_panic_text *p, u32 id)
{
	return p->table->entries[id - 1].weight_ns;
}

/* Choose the heaviest entries, by insertion. */
static void choose(struct kf_panic_text *p)
{
	u32 id, at;

	p->nr = 0;
	for (id = 1; id <= p->table->nr_entries; id++) {
		if (p->nr == KF_PANIC_PATHS && weight(p, p->top[p->nr - 1]) >= weight(p, id))
			continue;
		at = p->nr < KF_PANIC_PATHS ? p->nr++ : p->nr - 1;
		for (; at && weight(p, p->top[at - 1]) < weight(p, id); at--)
			p->top[at] = p->top[at - 1];
		p->top[at] = id;
	}
}

/* Put text in front of the line, of which @at is the begin. Return: the new begin; @at if there is no room */
static u32 put_before(struct kf_panic_text *p, u32 at, const char *text, u32 len)
{
	if (len > at)
		return at;
	memcpy(p->line + at - len, text, len);
	return at - len;
}

/* Room for the name of the command, and for the frames that are always there */
#define HEAD_ROOM	(KFLAME_COMM_LEN + sizeof(";[user];[...]"))

static u32 put_frames(struct kf_panic_text *p, u32 at, const struct kf_stack *s)
{
	u32 i, len;

	for (i = 0; i < s->is.nr; i++) {
		sprint_symbol_no_offset(p->symbol, kf_stack_frame(p->table, s, i) - !!i);
		/* Of "name [module]" only the name is written. */
		len = strcspn(p->symbol, " ");
		if (len + 1 + HEAD_ROOM > at)
			return put_before(p, at, ";[...]", 6);
		at = put_before(p, at, p->symbol, len);
		at = put_before(p, at, ";", 1);
	}
	return at;
}

/* Names may hold any bytes. Replace those that would break the format. */
static u32 put_comm(struct kf_panic_text *p, u32 at, const char *comm)
{
	const u32 len = strnlen(comm, KFLAME_COMM_LEN);
	u32 i;

	at = put_before(p, at, comm, len);
	for (i = at; i < at + len; i++)
		if (p->line[i] == ';' || (u8)p->line[i] < ' ')
			p->line[i] = '_';
	return at;
}

static void print_entry(struct kf_panic_text *p, const struct kf_entry *e)
{
	u32 at = sizeof(p->line) - 1, len;

	p->line[at] = '\0';
	len = scnprintf(p->symbol, sizeof(p->symbol), " %llu", div_u64(e->weight_ns, NSEC_PER_USEC));
	at = put_before(p, at, p->symbol, len);
	if (e->key.kstack)
		at = put_frames(p, at, &p->table->stacks[e->key.kstack - 1]);
	if (e->key.ustack)
		at = put_before(p, at, ";[user]", 7);
	if (e->key.context == KFLAME_CTX_IDLE)
		at = put_before(p, at, "swapper;[idle]", 14);
	else if (e->key.context == KFLAME_CTX_GAP)
		at = put_before(p, at, "[gap]", 5);
	else
		at = put_comm(p, at, e->key.comm);
	pr_emerg("kflame: %s\n", p->line + at);
}

/**
 * kf_panic_text_print() - print the heaviest stacks to the kernel's log
 * @p:	as kf_panic_text_init() left it; it can be printed once
 * @s:	a session with epochs, frozen
 *
 * Context: see the head of recorder/panic_text.h
 */
void kf_panic_text_print(struct kf_panic_text *p, const struct kf_session *s)
{
	unsigned int cpu;
	u32 i;

	for_each_possible_cpu(cpu)
		if (per_cpu_ptr(s->cpu, cpu)->epochs)
			add_cpu(p, per_cpu_ptr(s->cpu, cpu)->epochs);
	choose(p);
	pr_emerg("kflame: the %u heaviest stacks, in microseconds, the heaviest last:\n", p->nr);
	for (i = p->nr; i; i--)
		print_entry(p, &p->table->entries[p->top[i - 1] - 1]);
	pr_emerg("kflame: end of the stacks\n");
}
