/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * panic_text.h - the heaviest stacks of a recorder as folded text, printed during a panic
 *
 * The kernel hands its log to pstore after the panic notifiers have run. So what a notifier prints is kept
 * there. pstore keeps the end of the log (pstore.kmsg_bytes, by default 10 KiB). So the heaviest stack is
 * printed last.
 *
 * A line is "comm;frame;...;frame N": the outermost frame first, N microseconds. A stack is a command's
 * name and its kernel frames: during a panic nothing can name user code, which is one frame, "[user]".
 *
 * Context: any, also an NMI. It takes no lock and allocates nothing: the stacks are added up in a table
 * that was made at start. The other CPUs are mostly stopped, maybe in the middle of a sample. So ids and
 * counts of their tables are checked before they are used.
 */
#ifndef KF_PANIC_TEXT_H
#define KF_PANIC_TEXT_H

#include <linux/kallsyms.h>
#include <linux/types.h>

#include "kstack/kstack.h"

struct kf_session;
struct kf_table;

/* Most stacks that are printed */
#define KF_PANIC_PATHS	100U
/* A longer line loses its outermost frames: the kernel cuts lines of its log at about 1,000 characters. */
#define KF_PANIC_LINE	900U

/**
 * struct kf_panic_text - memory for the text
 * @table:	sums of all tables, by command, context and kernel stack
 * @top:	the heaviest entries of @table, the heaviest first; ids from 1
 * @nr:		how many
 * @frames:	scratch: a stack
 * @symbol:	scratch
 * @line:	scratch, filled from its end
 */
struct kf_panic_text {
	struct kf_table *table;
	u32 top[KF_PANIC_PATHS];
	u32 nr;
	u64 frames[KF_MAX_DEPTH];
	char symbol[KSYM_SYMBOL_LEN];
	char line[KF_PANIC_LINE];
};

size_t kf_panic_text_bytes(void);
int kf_panic_text_init(struct kf_panic_text *p);
void kf_panic_text_exit(struct kf_panic_text *p);
void kf_panic_text_print(struct kf_panic_text *p, const struct kf_session *s);

#endif
