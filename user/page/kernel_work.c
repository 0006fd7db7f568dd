// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_work.c - finds what kind of work the kernel does on the paths of a call tree
 *
 * The names are those of kernels from 5.10 on, on x86-64 and arm64.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "page/kernel_work.h"

#define MOST_NAMES	12

/* @focus matches all of @names */
static const struct {
	const char *names[MOST_NAMES];
	const char *focus;
} works[NR_KERNEL_WORK] = {
	[WORK_PAGE_FAULTS] = {
		{ "asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault", "do_page_fault", "do_mem_abort",
		  "handle_mm_fault" },
		"--focus=^(asm_exc_page_fault|exc_page_fault|do_user_addr_fault|do_page_fault|do_mem_abort|handle_mm_fault)$" },
	[WORK_SWAP] = {
		{ "do_swap_page", "swap_readpage", "swap_read_folio", "swap_writepage", "swap_writeout",
		  "swapin_readahead", "zswap_frontswap_load", "zswap_load", "zswap_store" },
		"--focus=^(do_swap_page|swap_read.*|swap_write.*|swapin_readahead|zswap_.*)$" },
	[WORK_RECLAIM] = {
		{ "try_to_free_pages", "try_to_free_mem_cgroup_pages", "balance_pgdat", "shrink_node" },
		"--focus=^(try_to_free_pages|try_to_free_mem_cgroup_pages|balance_pgdat|shrink_node)$" },
	[WORK_COMPACTION] = {
		{ "compact_zone", "compact_zone_order", "try_to_compact_pages", "kcompactd" },
		"--focus=^(compact_zone.*|try_to_compact_pages|kcompactd)$" },
	[WORK_PROCESSES] = {
		{ "kernel_clone", "_do_fork", "copy_process", "do_execveat_common", "bprm_execve", "do_exit",
		  "exit_mmap" },
		"--focus=^(kernel_clone|_do_fork|copy_process|do_execveat_common|bprm_execve|do_exit|exit_mmap)$" },
	[WORK_OTHER_CPUS] = {
		{ "smp_call_function_many_cond", "smp_call_function_single", "on_each_cpu_cond_mask",
		  "flush_tlb_mm_range", "arch_tlbbatch_flush", "native_flush_tlb_multi", "native_flush_tlb_others" },
		"--focus=^(smp_call_function_.*|on_each_cpu_cond_mask|flush_tlb_mm_range|arch_tlbbatch_flush|native_flush_tlb_.*)$" },
	[WORK_CONSOLE] = {
		{ "console_unlock", "console_flush_all", "vprintk_emit", "serial8250_console_write",
		  "serial8250_console_putchar", "univ8250_console_write", "pl011_console_write" },
		"--focus=^(console_unlock|console_flush_all|vprintk_emit|.*_console_(write|putchar))$" },
};

static bool is_kernel(const struct frame *f)
{
	return f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ;
}

/* Is @name the name of @function, or of a copy that the compiler made, such as shrink_node.isra.0? */
static bool is_named(const char *name, const char *function)
{
	const size_t len = strlen(function);

	return !strncmp(name, function, len) && (!name[len] || name[len] == '.');
}

/* Return: bits 1 << enum kernel_work */
static unsigned int work_of(const struct frame *f)
{
	unsigned int bits = 0;

	for (unsigned int kind = 0; is_kernel(f) && kind < NR_KERNEL_WORK; kind++)
		for (unsigned int i = 0; i < MOST_NAMES && works[kind].names[i]; i++)
			if (is_named(f->name, works[kind].names[i]))
				bits |= 1u << kind;
	return bits;
}

int kernel_work_sum(struct work_sum *sums, const struct tree *t, enum tree_unit unit)
{
	unsigned int *of_frame = calloc(t->nr_frames, sizeof(*of_frame));
	unsigned int *above = calloc(t->nr_nodes, sizeof(*above));	/* kinds of a node and its callers */
	int err = of_frame && above ? 0 : -ENOMEM;

	memset(sums, 0, NR_KERNEL_WORK * sizeof(*sums));
	for (uint32_t i = 0; !err && i < t->nr_frames; i++)
		of_frame[i] = work_of(&t->frames[i]);
	for (uint32_t i = 1; !err && i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		const unsigned int begin = of_frame[n->frame] & ~above[n->parent];

		above[i] = above[n->parent] | begin;
		for (unsigned int kind = 0; begin && kind < NR_KERNEL_WORK; kind++) {
			struct work_sum *sum = &sums[kind];

			if (!(begin & 1u << kind))
				continue;
			weight_add(&sum->weight, &n->total);
			if (!sum->node || tree_weight(&n->total, unit) > tree_weight(&t->nodes[sum->node].total, unit))
				sum->node = i;
		}
	}
	free(of_frame);
	free(above);
	return err;
}

const char *kernel_work_focus(enum kernel_work kind)
{
	return works[kind].focus;
}

/* ------------------------------------------------------------- system calls */

static bool begins_with_one(const char *name, const char *const *prefixes, size_t nr, size_t *len)
{
	for (size_t i = 0; i < nr; i++) {
		*len = strlen(prefixes[i]);
		if (!strncmp(name, prefixes[i], *len))
			return true;
	}
	return false;
}

/* Functions that call the one of a system call */
static bool is_dispatcher(const struct frame *f)
{
	static const char *const names[] = { "do_syscall_64", "do_syscall_x64", "x64_sys_call", "invoke_syscall",
					     "el0_svc_common", "do_el0_svc" };

	for (size_t i = 0; f->kind == FRAME_KERNEL && i < sizeof(names) / sizeof(names[0]); i++)
		if (is_named(f->name, names[i]))
			return true;
	return false;
}

/* What else dispatchers call, and what interrupts them */
static bool is_entry_code(const char *name)
{
	static const char *const prefixes[] = { "syscall_", "exit_to_user_mode", "asm_", "sysvec_", "trace_", "__audit_",
						"audit_", "el1_", "irqentry_", "fpregs_", "switch_fpu_" };
	size_t len;

	return begins_with_one(name, prefixes, sizeof(prefixes) / sizeof(prefixes[0]), &len);
}

/* Return: the name of a function without what the kernel puts before the name of a system call; NULL: nothing is there */
static const char *bare_name(const char *name)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__ia32_sys_", "__se_sys_", "__do_sys_",
						"ksys_" };
	size_t len;

	return begins_with_one(name, prefixes, sizeof(prefixes) / sizeof(prefixes[0]), &len) && name[len] ? name + len : NULL;
}

/*
 * Does a system call begin at node @i?  __x64_sys_read() calls ksys_read() last, so it is not on the stack: then the
 * function below the dispatcher stands for the call.
 */
static bool is_call(const struct tree *t, uint32_t i)
{
	const struct frame *f = &t->frames[t->nodes[i].frame];
	const struct frame *caller = &t->frames[t->nodes[t->nodes[i].parent].frame];

	if (f->kind != FRAME_KERNEL || is_dispatcher(f))
		return false;
	return bare_name(f->name) || (is_dispatcher(caller) && !is_entry_code(f->name));
}

const char *system_calls_find(const struct tree *t, enum tree_unit unit, uint32_t *node, struct weight *weight)
{
	struct weight *sums = calloc(t->nr_frames, sizeof(*sums));
	bool *is_in = calloc(t->nr_nodes, sizeof(*is_in));
	uint32_t best = 0;

	*node = 0;
	*weight = (struct weight){ 0 };
	for (uint32_t i = 1; sums && is_in && i < t->nr_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		is_in[i] = is_in[n->parent];
		if (is_in[i] || !is_call(t, i))
			continue;
		is_in[i] = true;
		weight_add(&sums[n->frame], &n->total);
		if (tree_weight(&sums[n->frame], unit) > tree_weight(weight, unit)) {
			best = n->frame;
			*weight = sums[best];
		}
	}
	for (uint32_t i = 1; best && i < t->nr_nodes; i++)
		if (t->nodes[i].frame == best &&
		    (!*node || tree_weight(&t->nodes[i].total, unit) > tree_weight(&t->nodes[*node].total, unit)))
			*node = i;
	free(sums);
	free(is_in);
	if (!best)
		return NULL;
	return bare_name(t->frames[best].name) ? bare_name(t->frames[best].name) : t->frames[best].name;
}
