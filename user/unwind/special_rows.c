// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * special_rows.c - finds rows of special code, which unwind information describes wrongly or not at all
 */
#include "unwind/arm64_leaves.h"
#include "unwind/code_rows.h"
#include "unwind/frame_pointer_prologues.h"
#include "unwind/go_stacks.h"
#include "unwind/jump_stubs.h"
#include "unwind/row_reader.h"
#include "unwind/signal_trampolines.h"
#include "unwind/thread_starts.h"

#define ENTRY_BYTES	128		/* of code at the entry point: glibc has 80, musl 40 */
#define MAX_SILENT	(16u << 20)	/* bytes of code without unwind information that are read */

int rows_add_trampolines(struct row_reader *r, Elf *elf, struct row_list *to,
			   struct row_list *behind)
{
	bool arm = r->out->machine == EM_AARCH64;
	const struct kflame_rule rule = {
		.cfa = KFLAME_CFA_SIGNAL,
		.cfa_offset = arm ? SIGCONTEXT_ARM64 : SIGCONTEXT_X86_64,
	};
	uint32_t number;
	int err = unwind_rules_number(&r->out->rules, &rule, &number);

	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct row_window *w = &r->windows[i];

		err = trampolines_find(elf, r->out->machine, row_window_offset(w), w->to - w->from,
				       number, to, behind);
	}
	return err;
}

int rows_add_stubs(struct row_reader *r, Elf *elf, struct row_list *to)
{
	static const struct kflame_rule arm64[STUB_PLACES] = {
		[STUB_PLAIN] = { .cfa = KFLAME_CFA_SP },
		[STUB_PUSHED] = { .cfa = KFLAME_CFA_SP, .cfa_offset = STUB_PUSHES,
				  .ra = KFLAME_IN_CFA, .ra_offset = -8 },
		[STUB_MADE_ROOM] = { .cfa = KFLAME_CFA_SP, .cfa_offset = STUB_PUSHES },
	};
	static const struct kflame_rule x86_64[STUB_PLACES] = {
		[STUB_PLAIN] = { .cfa = KFLAME_CFA_SP, .cfa_offset = 8,
				 .ra = KFLAME_IN_CFA, .ra_offset = -8 },
		[STUB_ENTRY] = { .cfa = KFLAME_CFA_PLT, .cfa_offset = 11,
				 .ra = KFLAME_IN_CFA, .ra_offset = -8 },
		[STUB_ENTRY_IBT] = { .cfa = KFLAME_CFA_PLT, .cfa_offset = 9,
				     .ra = KFLAME_IN_CFA, .ra_offset = -8 },
		[STUB_FIRST] = { .cfa = KFLAME_CFA_SP, .cfa_offset = 16,
				 .ra = KFLAME_IN_CFA, .ra_offset = -8 },
		[STUB_FIRST_PUSHED] = { .cfa = KFLAME_CFA_SP, .cfa_offset = 24,
					.ra = KFLAME_IN_CFA, .ra_offset = -8 },
	};
	const struct kflame_rule *rules = r->out->machine == EM_AARCH64 ? arm64 : x86_64;
	uint32_t numbers[STUB_PLACES] = { 0 };
	int err = 0;

	for (size_t i = 0; i < STUB_PLACES && !err; i++)
		if (rules[i].cfa)
			err = unwind_rules_number(&r->out->rules, &rules[i], &numbers[i]);
	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct row_window *w = &r->windows[i];

		err = stubs_find(elf, r->out->machine, row_window_offset(w), w->to - w->from, numbers, to);
	}
	return err;
}

int rows_add_leaves(struct row_reader *r, Elf *elf, struct row_list *to)
{
	const struct kflame_rule rule = { .cfa = KFLAME_CFA_SP };
	uint32_t number;
	int err;

	if (r->out->machine != EM_AARCH64)
		return 0;
	err = unwind_rules_number(&r->out->rules, &rule, &number);
	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct row_window *w = &r->windows[i];

		err = leaves_find(elf, row_window_offset(w), w->to - w->from, w->shift, number, to);
	}
	return err;
}

static const struct kflame_rule by_frame_pointer = {
	.cfa = KFLAME_CFA_FP, .cfa_offset = 16, .fp = KFLAME_IN_CFA, .fp_offset = -16,
	.ra = KFLAME_IN_CFA, .ra_offset = -8,
};

int rows_complete_go(struct row_reader *r, Elf *elf)
{
	struct unwind_rules *rules = &r->out->rules;
	struct row_list *rows = &r->out->rows;
	int err = 0;

	if (r->out->machine != EM_X86_64 || !go_is_program(elf))
		return 0;
	for (size_t i = 0; i < rows->nr && !err; i++) {
		struct kflame_rule rule;

		if (rows->all[i].rule == UNWIND_GAP)
			continue;
		rule = rules->all[rows->all[i].rule];
		go_complete_rule(&rule);
		err = unwind_rules_number(rules, &rule, &rows->all[i].rule);
	}
	return err;
}

int rows_add_go_stacks(struct row_reader *r, Elf *elf, struct row_list *to)
{
	const struct kflame_rule end = { .cfa = KFLAME_CFA_END };
	struct kflame_rule over = by_frame_pointer;
	struct go_stacks_rules rules;
	int err;

	if (!go_is_program(elf))
		return 0;
	err = unwind_rules_number(&r->out->rules, &end, &rules.end);
	over.cfa = KFLAME_CFA_FP_ELSEWHERE;
	if (!err)
		err = unwind_rules_number(&r->out->rules, &over, &rules.over);
	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct row_window *w = &r->windows[i];

		err = go_stacks_find(elf, r->out->machine, w->from, w->to, w->shift, &rules, to);
	}
	return err;
}

/* Adds a frame pointer rule for the undescribed code at file offsets @from to @to, if it has prologues */
static int add_silent(struct row_reader *r, Elf *elf, uint64_t from, uint64_t to, uint64_t *left,
		      struct row_list *out)
{
	Elf_Data *data;
	uint32_t number;
	int err;

	from = (from + 3) & ~3ull;
	if (to < from + PROLOGUES_MIN_BYTES || to - from > *left)
		return 0;
	*left -= to - from;
	data = elf_getdata_rawchunk(elf, (int64_t)from, (size_t)(to - from), ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size != to - from ||
	    !prologues_found(data->d_buf, data->d_size, r->out->machine))
		return 0;
	err = unwind_rules_number(&r->out->rules, &by_frame_pointer, &number);
	if (!err)
		err = row_list_put(out, from, number);
	return err ? err : row_list_put(out, to, UNWIND_GAP);
}

/*
 * Does the same for all undescribed code. If that is most of a file, this is not needed: the module then
 * walks by frame pointer anyway (KFLAME_TABLE_PART).
 */
int rows_add_prologues(struct row_reader *r, Elf *elf, struct row_list *out)
{
	const struct row_list *rows = &r->out->rows;
	uint64_t left = MAX_SILENT;
	bool silent = true;
	size_t at = 0;
	int err = 0;

	rows_measure(r);
	if (r->out->covered < r->out->code / 2)
		return 0;
	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct row_window *w = &r->windows[i];
		uint64_t from = row_window_offset(w), end = w->to + w->shift;

		for (; at < rows->nr && rows->all[at].offset < end && !err; at++) {
			if (silent)
				err = add_silent(r, elf, from, rows->all[at].offset, &left, out);
			from = rows->all[at].offset;
			silent = rows->all[at].rule == UNWIND_GAP;
		}
		if (!err && silent)
			err = add_silent(r, elf, from, end, &left, out);
	}
	return err;
}

/* Number of the rule at a file offset, UNWIND_GAP if nothing describes it */
static uint32_t rule_at(const struct row_list *rows, uint64_t offset)
{
	size_t low = 0, high = rows->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (rows->all[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? rows->all[low - 1].rule : UNWIND_GAP;
}

/* Adds rule @number for @bytes from @from on, but only for the thread that made the system call */
static int put_clone(struct row_reader *r, uint32_t number, uint64_t from, uint64_t bytes,
		     struct row_list *to)
{
	struct kflame_rule rule = r->out->rules.all[number];
	int err;

	if (rule.cfa != KFLAME_CFA_SP)
		return 0;
	rule.cfa = KFLAME_CFA_CLONE;
	err = unwind_rules_number(&r->out->rules, &rule, &number);
	if (!err)
		err = row_list_put(to, from, number);
	return err ? err : row_list_put(to, from + bytes, UNWIND_GAP);
}

/* x86-64: extends the rule past a system call that makes a thread, if the rule ends at that call */
static int add_clone(struct row_reader *r, uint64_t call, struct row_list *to)
{
	const struct row_list *rows = &r->out->rows;
	uint32_t number = rule_at(rows, call - 1);

	if (number == UNWIND_GAP || rule_at(rows, call) != UNWIND_GAP)
		return 0;
	return put_clone(r, number, call, CLONES_BYTES, to);
}

/* arm64: the rule continues past the system call, so replace it for two instructions */
static int change_clone(struct row_reader *r, Elf *elf, uint64_t behind, struct row_list *to)
{
	uint32_t number = rule_at(&r->out->rows, behind), there;
	uint64_t target = clones_target(elf, behind);

	there = target ? rule_at(&r->out->rows, target) : UNWIND_GAP;
	if (number == UNWIND_GAP || there == UNWIND_GAP ||
	    r->out->rules.all[there].cfa != KFLAME_CFA_END)
		return 0;
	return put_clone(r, number, behind, CLONES_BRANCH, to);
}

int rows_add_clones(struct row_reader *r, Elf *elf, struct row_list *under, struct row_list *over)
{
	bool arm = r->out->machine == EM_AARCH64;
	uint64_t calls[CLONES_MOST];
	int err = 0;

	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct row_window *w = &r->windows[i];
		size_t nr = clones_find(elf, r->out->machine, row_window_offset(w), w->to - w->from,
					calls);

		for (size_t k = 0; k < nr && !err; k++)
			err = arm ? change_clone(r, elf, calls[k] + 4, over) :
				    add_clone(r, calls[k], under);
	}
	return err;
}

/*
 * The entry point of a program has no caller, and mostly an entry says so. The dynamic loader's entry
 * point, which is assembler and jumps to the program's, has no such entry.
 */
int rows_add_entry_point(struct row_reader *r, uint64_t entry, struct row_list *to)
{
	const struct kflame_rule rule = { .cfa = KFLAME_CFA_END };
	uint32_t number;
	int err = unwind_rules_number(&r->out->rules, &rule, &number);

	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct row_window *w = &r->windows[i];
		uint64_t end = w->to - entry > ENTRY_BYTES ? entry + ENTRY_BYTES : w->to;

		if (!entry || entry < w->from || entry >= w->to ||
		    rule_at(&r->out->rows, entry + w->shift) != UNWIND_GAP)
			continue;
		err = row_list_put(to, entry + w->shift, number);
		if (!err)
			err = row_list_put(to, end + w->shift, UNWIND_GAP);
		break;
	}
	return err;
}

/* What take_code() needs */
struct code_taker {
	struct row_reader *r;
	const struct code_walk *walk;
	const struct row_window *window;
	uint64_t entry;
	struct row_list *to;
};

static int take_code(void *ctx, uint64_t address, const struct kflame_rule *rule)
{
	static const struct kflame_rule end = { .cfa = KFLAME_CFA_END };
	const struct code_taker *t = ctx;
	uint32_t number = UNWIND_GAP;
	int err = 0;

	/* The entry point of a program has no caller. */
	if (rule && t->entry && code_walk_owner(t->walk, address)->start == t->entry)
		rule = &end;
	if (rule)
		err = unwind_rules_number(&t->r->out->rules, rule, &number);
	return err ? err : row_list_put(t->to, address + t->window->shift, number);
}

int rows_add_code(struct row_reader *r, Elf *elf, uint64_t entry, const struct frame_table *entries,
		  struct row_list *to)
{
	const struct code_hints hints = { .symbols = true, .entries = entries };
	struct code_walk walk;
	int err = 0;

	r->out->by_code = !code_walk_file(elf, &hints, &walk);
	for (size_t i = 0; i < r->nr_windows && !err && r->out->by_code; i++) {
		const struct row_window *w = &r->windows[i];
		struct code_taker taker = { r, &walk, w, entry, to };

		err = code_rows_each(&walk, w->from, w->to, take_code, &taker);
	}
	code_walk_exit(&walk);
	return err;
}
