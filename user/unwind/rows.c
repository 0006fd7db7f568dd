// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - reads all unwind information of a file, by file offset
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "elf/cfi_interpreter.h"
#include "elf/cfi_sections.h"
#include "unwind/arm64_leaves.h"
#include "unwind/code_rows.h"
#include "unwind/frame_pointer_prologues.h"
#include "unwind/go_stacks.h"
#include "unwind/jump_stubs.h"
#include "unwind/rows.h"
#include "unwind/signal_trampolines.h"
#include "unwind/thread_starts.h"

#define MAX_WINDOWS	64		/* a linker writes one to four */
#define MAX_PHDRS	65535u
#define MAX_OFFSET	((uint64_t)KFLAME_TABLE_PAGES * KFLAME_TABLE_PAGE)
#define MAX_BYTES	(128u << 20)	/* of CFI programs; a browser has some 30 MiB */
#define ENTRY_COST	32		/* bytes that each entry adds to the size of its program */
#define MAX_NS		5000000000ull	/* of CPU time: a browser takes 0.1 s */
#define ENTRY_BYTES	128		/* of code at the entry point: glibc has 80, musl 40 */
#define MAX_SILENT	(16u << 20)	/* bytes of code without unwind information that are read */

/* An executable segment: addresses from .from up to .to */
struct window {
	uint64_t from, to;
	uint64_t shift;			/* file offset minus address */
};

struct reader {
	const struct cfi_registers *registers;
	struct unwind_rows *out;
	struct window windows[MAX_WINDOWS];
	size_t nr_windows;
	uint64_t left;		/* bytes of programs that may still be run, with ENTRY_COST for each */
	uint64_t until;		/* limit for the CPU time of this thread, nanoseconds */
	unsigned int asked;	/* number of entries; the clock is read at every 64th */
};

/* ----------------------------------------------------------------- windows */

static uint64_t window_offset(const struct window *w)
{
	return w->from + w->shift;
}

static int by_offset(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	return window_offset(x) < window_offset(y) ? -1 : window_offset(x) > window_offset(y);
}

/* Clips the windows so that they do not overlap in the file: the offsets of rows must increase */
static void clip_windows(struct reader *r)
{
	uint64_t done = 0;

	for (size_t i = 0; i < r->nr_windows; i++) {
		struct window *w = &r->windows[i];
		uint64_t at = window_offset(w), end = w->to + w->shift;

		if (end > MAX_OFFSET)
			end = MAX_OFFSET;
		if (at < done)
			at = done;
		if (at > end)
			at = end;
		w->from = at - w->shift;
		w->to = end - w->shift;
		if (end > done)
			done = end;
	}
}

static void read_windows(struct reader *r, Elf *elf)
{
	GElf_Phdr ph;
	size_t nr;

	if (elf_getphdrnum(elf, &nr) || nr > MAX_PHDRS)
		return;
	for (size_t i = 0; i < nr && r->nr_windows < MAX_WINDOWS; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph))
			break;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || ph.p_offset >= MAX_OFFSET ||
		    ph.p_offset + ph.p_filesz <= ph.p_offset ||
		    ph.p_vaddr + ph.p_filesz < ph.p_vaddr)
			continue;
		r->windows[r->nr_windows++] = (struct window){
			ph.p_vaddr, ph.p_vaddr + ph.p_filesz, ph.p_offset - ph.p_vaddr };
	}
	qsort(r->windows, r->nr_windows, sizeof(*r->windows), by_offset);
	clip_windows(r);
}

/* ------------------------------------------------------------------- rules */

static bool same_rule(const void *ctx, uint32_t i, const void *key)
{
	const struct unwind_rules *rules = ctx;

	return !memcmp(&rules->all[i], key, sizeof(struct kflame_rule));
}

/* Finds the number of a rule, or assigns one.  @number: out: 0 if the table has no number left */
static int number_rule(struct unwind_rules *rules, const struct kflame_rule *rule,
		       uint32_t *number)
{
	uint64_t hash = hash_bytes(rules->seed, rule, sizeof(*rule));
	int err;

	*number = index_find(&rules->index, hash, same_rule, rules, rule);
	if (*number != INDEX_NONE)
		return 0;
	*number = 0;
	if (rules->nr >= KFLAME_TABLE_RULES)
		return 0;
	err = grow(&rules->all, rules->nr, &rules->cap, sizeof(*rules->all));
	if (!err)
		err = index_add(&rules->index, hash, (uint32_t)rules->nr);
	if (err)
		return err;
	*number = (uint32_t)rules->nr;
	rules->all[rules->nr++] = *rule;
	return 0;
}

/* Adds rule 0, which says nothing.  The hashes are seeded, so that no file can choose colliding rules */
static int begin_rules(struct unwind_rules *rules)
{
	const struct kflame_rule none = { .cfa = KFLAME_CFA_NONE };
	uint32_t number;

	if (getrandom(&rules->seed, sizeof(rules->seed), GRND_NONBLOCK) < 0)
		rules->seed = (uintptr_t)rules;

	return number_rule(rules, &none, &number);
}

/* ----------------------------------------------------------------- entries */

/* Adds a row from file offset @at on; rule 0 if the row cannot be expressed as a rule */
static int add_row(struct reader *r, const struct cfi_row *row, bool signal, uint64_t at,
		   struct row_list *to)
{
	struct kflame_rule rule;
	enum unwind_loss loss = unwind_rule(r->registers, row, signal, &rule);
	uint32_t number = 0;
	int err = 0;

	if (loss == UNWIND_KEPT) {
		err = number_rule(&r->out->rules, &rule, &number);
		loss = number ? UNWIND_KEPT : UNWIND_LIMIT;
	}
	r->out->lost[loss]++;
	return err ? err : row_list_put(to, at, number);
}

/*
 * Does a row describe what a jump stub has pushed (rule.c)?  Then the stub had pushed it at the beginning
 * of the entry already, although the entry's first rows do not say so.
 */
static bool tells_of_push(const struct reader *r, const struct cfi_row *row)
{
	return r->out->machine == EM_AARCH64 && row->ra.kind == CFI_SAVED &&
	       (int64_t)row->ra.value >= 0;
}

/* Does no row begin after @offset yet? */
static bool first_of(const struct row_list *to, uint64_t offset)
{
	return !to->nr || to->all[to->nr - 1].offset <= offset;
}

/* Return: UNWIND_KEPT if the program of an entry may be run, else why not */
static enum unwind_loss may_run(struct reader *r, const struct frame_entry *e)
{
	uint64_t bytes = ENTRY_COST + (uint64_t)(e->initial.end - e->initial.at) +
			 (uint64_t)(e->program.end - e->program.at);

	if (e->ra != r->registers->ra)
		return UNWIND_REGISTER;
	if (++r->asked % 64 == 0 && clock_ns(CLOCK_THREAD_CPUTIME_ID) > r->until)
		r->left = 0;
	if (bytes > CFI_MAX_PROGRAM + ENTRY_COST || bytes > r->left)
		return UNWIND_LIMIT;
	r->left -= bytes;
	return UNWIND_KEPT;
}

/* Adds the rows of an entry in @part, which is within the entry */
static int add_entry(struct reader *r, const struct frame_table *t, const struct frame_entry *e,
		     const struct window *part, struct row_list *to)
{
	enum unwind_loss loss = may_run(r, e);
	uint64_t from, until, done = part->from;
	bool pushed = false;
	struct cfi_run run;
	int err = 0;

	r->out->entries++;
	if (loss == UNWIND_KEPT) {
		cfi_run_begin(&run, t, e, r->registers);
		while (!err && !to->full && done < part->to && cfi_run_next(&run, &from, &until)) {
			if (until <= done)
				continue;
			if (!pushed && tells_of_push(r, &run.row)) {
				pushed = true;
				done = first_of(to, part->from + part->shift) ? part->from : done;
			}
			err = add_row(r, &run.row, e->signal, done + part->shift, to);
			done = until;
		}
		loss = UNWIND_DAMAGED;
	}
	if (!err && done < part->to) {
		r->out->lost[loss]++;
		err = row_list_put(to, done + part->shift, 0);
	}
	return err;
}

/* Adds the entries in one window */
static int add_window(struct reader *r, const struct frame_table *t, const struct window *w,
		      struct row_list *to)
{
	struct window part = { .to = w->from, .shift = w->shift };
	struct frame_entry e;
	int err = 0;

	for (size_t i = 0; i < t->nr && t->all[i].start < w->to && !err; i++) {
		const struct frame_range *range = &t->all[i];

		/* Entries may overlap: this one begins after the end of the one before. */
		part.from = range->start > part.to ? range->start : part.to;
		if (range->end <= part.from || !frame_table_entry(t, range, &e))
			continue;
		part.to = range->end < w->to ? range->end : w->to;
		err = add_entry(r, t, &e, &part, to);
		if (!err)
			err = row_list_put(to, part.to + w->shift, UNWIND_GAP);
	}
	return err;
}

static int add_table(struct reader *r, const struct frame_table *t, struct row_list *to)
{
	int err = 0;

	for (size_t i = 0; i < r->nr_windows && !err; i++)
		err = add_window(r, t, &r->windows[i], to);
	return err;
}

/* ------------------------------------------------------------------- whole */

static int add_trampolines(struct reader *r, Elf *elf, struct row_list *to,
			   struct row_list *behind)
{
	bool arm = r->out->machine == EM_AARCH64;
	const struct kflame_rule rule = {
		.cfa = KFLAME_CFA_SIGNAL,
		.cfa_offset = arm ? SIGCONTEXT_ARM64 : SIGCONTEXT_X86_64,
	};
	uint32_t number;
	int err = number_rule(&r->out->rules, &rule, &number);

	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct window *w = &r->windows[i];

		err = trampolines_find(elf, r->out->machine, window_offset(w), w->to - w->from,
				       number, to, behind);
	}
	return err;
}

static int add_stubs(struct reader *r, Elf *elf, struct row_list *to)
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
			err = number_rule(&r->out->rules, &rules[i], &numbers[i]);
	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct window *w = &r->windows[i];

		err = stubs_find(elf, r->out->machine, window_offset(w), w->to - w->from, numbers, to);
	}
	return err;
}

static int add_leaves(struct reader *r, Elf *elf, struct row_list *to)
{
	const struct kflame_rule rule = { .cfa = KFLAME_CFA_SP };
	uint32_t number;
	int err;

	if (r->out->machine != EM_AARCH64)
		return 0;
	err = number_rule(&r->out->rules, &rule, &number);
	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct window *w = &r->windows[i];

		err = leaves_find(elf, window_offset(w), w->to - w->from, w->shift, number, to);
	}
	return err;
}

static const struct kflame_rule by_frame_pointer = {
	.cfa = KFLAME_CFA_FP, .cfa_offset = 16, .fp = KFLAME_IN_CFA, .fp_offset = -16,
	.ra = KFLAME_IN_CFA, .ra_offset = -8,
};

/* Completes the rules of Go's .debug_frame, which are the only rows so far */
static int complete_go(struct reader *r, Elf *elf)
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
		err = number_rule(rules, &rule, &rows->all[i].rule);
	}
	return err;
}

static int add_go_stacks(struct reader *r, Elf *elf, struct row_list *to)
{
	const struct kflame_rule end = { .cfa = KFLAME_CFA_END };
	struct kflame_rule over = by_frame_pointer;
	struct go_stacks_rules rules;
	int err;

	if (!go_is_program(elf))
		return 0;
	err = number_rule(&r->out->rules, &end, &rules.end);
	over.cfa = KFLAME_CFA_FP_ELSEWHERE;
	if (!err)
		err = number_rule(&r->out->rules, &over, &rules.over);
	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct window *w = &r->windows[i];

		err = go_stacks_find(elf, r->out->machine, w->from, w->to, w->shift, &rules, to);
	}
	return err;
}

/* Adds a frame pointer rule for the undescribed code at file offsets @from to @to, if it has prologues */
static int add_silent(struct reader *r, Elf *elf, uint64_t from, uint64_t to, uint64_t *left,
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
	err = number_rule(&r->out->rules, &by_frame_pointer, &number);
	if (!err)
		err = row_list_put(out, from, number);
	return err ? err : row_list_put(out, to, UNWIND_GAP);
}

/* Measures how much of the code has rules */
static void measure(struct reader *r)
{
	const struct row_list *rows = &r->out->rows;

	r->out->code = r->out->covered = 0;
	for (size_t i = 0; i < r->nr_windows; i++)
		r->out->code += r->windows[i].to - r->windows[i].from;
	for (size_t i = 0; i + 1 < rows->nr; i++)
		if (rows->all[i].rule && rows->all[i].rule != UNWIND_GAP)
			r->out->covered += rows->all[i + 1].offset - rows->all[i].offset;
}

/*
 * Does the same for all undescribed code. If that is most of a file, this is not needed: the module then
 * walks by frame pointer anyway (KFLAME_TABLE_PART).
 */
static int add_prologues(struct reader *r, Elf *elf, struct row_list *out)
{
	const struct row_list *rows = &r->out->rows;
	uint64_t left = MAX_SILENT;
	bool silent = true;
	size_t at = 0;
	int err = 0;

	measure(r);
	if (r->out->covered < r->out->code / 2)
		return 0;
	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct window *w = &r->windows[i];
		uint64_t from = window_offset(w), end = w->to + w->shift;

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
static int put_clone(struct reader *r, uint32_t number, uint64_t from, uint64_t bytes,
		     struct row_list *to)
{
	struct kflame_rule rule = r->out->rules.all[number];
	int err;

	if (rule.cfa != KFLAME_CFA_SP)
		return 0;
	rule.cfa = KFLAME_CFA_CLONE;
	err = number_rule(&r->out->rules, &rule, &number);
	if (!err)
		err = row_list_put(to, from, number);
	return err ? err : row_list_put(to, from + bytes, UNWIND_GAP);
}

/* x86-64: extends the rule past a system call that makes a thread, if the rule ends at that call */
static int add_clone(struct reader *r, uint64_t call, struct row_list *to)
{
	const struct row_list *rows = &r->out->rows;
	uint32_t number = rule_at(rows, call - 1);

	if (number == UNWIND_GAP || rule_at(rows, call) != UNWIND_GAP)
		return 0;
	return put_clone(r, number, call, CLONES_BYTES, to);
}

/* arm64: the rule continues past the system call, so replace it for two instructions */
static int change_clone(struct reader *r, Elf *elf, uint64_t behind, struct row_list *to)
{
	uint32_t number = rule_at(&r->out->rows, behind), there;
	uint64_t target = clones_target(elf, behind);

	there = target ? rule_at(&r->out->rows, target) : UNWIND_GAP;
	if (number == UNWIND_GAP || there == UNWIND_GAP ||
	    r->out->rules.all[there].cfa != KFLAME_CFA_END)
		return 0;
	return put_clone(r, number, behind, CLONES_BRANCH, to);
}

/* @under: receives rows for undescribed code; @over: receives rows that replace existing rows */
static int add_clones(struct reader *r, Elf *elf, struct row_list *under, struct row_list *over)
{
	bool arm = r->out->machine == EM_AARCH64;
	uint64_t calls[CLONES_MOST];
	int err = 0;

	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct window *w = &r->windows[i];
		size_t nr = clones_find(elf, r->out->machine, window_offset(w), w->to - w->from,
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
static int add_entry_point(struct reader *r, uint64_t entry, struct row_list *to)
{
	const struct kflame_rule rule = { .cfa = KFLAME_CFA_END };
	uint32_t number;
	int err = number_rule(&r->out->rules, &rule, &number);

	for (size_t i = 0; i < r->nr_windows && !err; i++) {
		const struct window *w = &r->windows[i];
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
	struct reader *r;
	const struct code_walk *walk;
	const struct window *window;
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
		err = number_rule(&t->r->out->rules, rule, &number);
	return err ? err : row_list_put(t->to, address + t->window->shift, number);
}

/* Adds rules that are made from code.  A failure costs only these rules */
static int add_code(struct reader *r, Elf *elf, uint64_t entry, const struct frame_sections *tables,
		    struct row_list *to)
{
	const struct code_hints hints = { .symbols = true, .entries = &tables->eh };
	struct code_walk walk;
	int err = 0;

	r->out->by_code = !code_walk_file(elf, &hints, &walk);
	for (size_t i = 0; i < r->nr_windows && !err && r->out->by_code; i++) {
		const struct window *w = &r->windows[i];
		struct code_taker taker = { r, &walk, w, entry, to };

		err = code_rows_each(&walk, w->from, w->to, take_code, &taker);
	}
	code_walk_exit(&walk);
	return err;
}

/* Adds the rows of @under where @rows has gaps, and empties @under */
static int put_under(struct row_list *under, struct row_list *rows)
{
	struct row_list merged = { 0 };
	int err = 0;

	if (under->nr) {
		err = row_list_merge(rows, under, &merged);
		row_list_exit(rows);
		*rows = merged;
	}
	row_list_exit(under);
	return err;
}

/* Replaces rows of @rows with the rows of @over, and empties @over */
static int put_over(struct row_list *over, struct row_list *rows)
{
	struct row_list merged = { 0 };
	int err = 0;

	if (over->nr) {
		err = row_list_merge(over, rows, &merged);
		row_list_exit(rows);
		*rows = merged;
	}
	row_list_exit(over);
	return err;
}

/* Replaces UNWIND_GAP with rule 0, which says that nothing is known */
static void close_gaps(struct row_list *rows)
{
	size_t to = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		struct unwind_row row = rows->all[i];

		if (row.rule == UNWIND_GAP)
			row.rule = 0;
		if (to ? rows->all[to - 1].rule != row.rule : row.rule)
			rows->all[to++] = row;
	}
	rows->nr = to;
}

/*
 * The first function of a fiber, a coroutine or a thread may have no caller.  The code that makes a fiber
 * puts the address of the function on the stack, and enters it by a return (makecontext(), libco).  A
 * return address is looked up minus 1.  For the first byte of a function, that is in the padding before
 * it, to which no call returns.  Functions begin at multiples of 16.
 */
static int end_in_padding(struct unwind_rows *out)
{
	const struct kflame_rule rule = { .cfa = KFLAME_CFA_END };
	struct row_list *rows = &out->rows;
	size_t kept = 0;
	uint32_t number;
	int err = number_rule(&out->rules, &rule, &number);

	for (size_t i = 0; !err && i < rows->nr; i++) {
		struct unwind_row row = rows->all[i];
		uint64_t next = i + 1 < rows->nr ? rows->all[i + 1].offset : row.offset;

		if (!row.rule && row.offset % 16 && !(next % 16) && next - row.offset < 16 &&
		    rows->all[i + 1].rule)
			row.rule = number;
		/* Leave out a row with the same rule as the row before, as row_list_put() does. */
		if (!kept || rows->all[kept - 1].rule != row.rule)
			rows->all[kept++] = row;
	}
	rows->nr = err ? rows->nr : kept;
	return err;
}

static int add_all(struct reader *r, Elf *elf, uint64_t entry,
		   const struct frame_sections *tables)
{
	struct row_list over = { 0 }, under = { 0 }, *rows = &r->out->rows;
	int err = add_table(r, &tables->debug, rows);
	bool by_code;

	if (!err)
		err = complete_go(r, elf);
	if (!err)
		err = add_table(r, &tables->eh, &over);
	if (!err)
		err = put_over(&over, rows);
	if (!err && rows->nr)
		err = add_prologues(r, elf, &under);
	if (!err)
		err = put_under(&under, rows);
	measure(r);
	by_code = !err && code_is_wanted(elf, r->out->machine, r->out->covered);
	if (!err && rows->nr)
		err = add_entry_point(r, entry, &under);
	if (!err)
		err = put_under(&under, rows);
	if (!err && (rows->nr || by_code))
		err = add_stubs(r, elf, &under);
	if (!err)
		err = put_under(&under, rows);
	/* The arm64 vdso has no unwind information, so use its code. */
	if (!err && !rows->nr)
		err = add_leaves(r, elf, rows);
	if (!err && by_code)
		err = add_code(r, elf, entry, tables, &under);
	if (!err)
		err = put_under(&under, rows);
	if (!err && rows->nr)
		err = add_clones(r, elf, &under, &over);
	if (!err)
		err = put_over(&over, rows);
	if (!err)
		err = put_under(&under, rows);
	if (!err)
		err = add_go_stacks(r, elf, &over);
	if (!err)
		err = put_over(&over, rows);
	if (!err)
		err = add_trampolines(r, elf, &over, &under);
	if (!err)
		err = put_over(&over, rows);
	if (!err)
		err = put_under(&under, rows);
	row_list_exit(&over);
	row_list_exit(&under);
	close_gaps(rows);
	measure(r);
	if (!err && rows->nr)
		err = end_in_padding(r->out);
	r->out->lost[UNWIND_LIMIT] += rows->full + tables->eh.left_out + tables->debug.left_out;
	return err;
}

int unwind_rows_read(Elf *elf, struct unwind_rows *out)
{
	struct reader r = {
		.out = out, .left = MAX_BYTES,
		.until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + MAX_NS,
	};
	struct frame_sections tables;
	GElf_Ehdr eh;
	int err;

	memset(out, 0, sizeof(*out));
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	r.registers = cfi_registers(eh.e_machine);
	if (!r.registers)
		return -ENOEXEC;
	out->machine = eh.e_machine;
	read_windows(&r, elf);
	err = begin_rules(&out->rules);
	if (err)
		return err;
	err = frame_sections_load(elf, &tables);
	if (!err)
		err = add_all(&r, elf, eh.e_entry, &tables);
	frame_sections_exit(&tables);
	return err;
}

void unwind_rows_exit(struct unwind_rows *r)
{
	row_list_exit(&r->rows);
	free(r->rules.all);
	index_exit(&r->rules.index);
	memset(r, 0, sizeof(*r));
}
