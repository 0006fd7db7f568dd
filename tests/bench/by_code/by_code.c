// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * by_code.c - compares rules that are made from code with unwind information
 *
 * usage: by_code [--no-symbols] [--show N] FILE...
 *
 * All instructions of functions that .eh_frame describes are compared, one after the other. Unwind
 * information is not used to make the rules: not even the beginnings of its functions. With --no-symbols,
 * symbols are not used either, as in a stripped program. With --show, the first N differences of each
 * file are listed.
 *
 * An instruction is "answered" if there is a rule. It is "wrong" if the rule has another CFA, or another
 * place of the return address or of the caller's frame pointer. "fp lost" are right answers without the
 * caller's frame pointer.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "elf/libelf_section.h"
#include "unwind/code_rows.h"
#include "unwind/encode.h"

struct result {
	uint64_t instructions;	/* that .eh_frame has a rule for */
	uint64_t answered, wrong, fp_lost;
	uint64_t bad;		/* in functions that contradict themselves */
	uint64_t unreached;
	double ms;
};

static long show;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* File offset minus address, of the segment with an address */
static bool find_shift(Elf *elf, uint64_t address, uint64_t *shift)
{
	GElf_Phdr ph;
	size_t nr = 0;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && address >= ph.p_vaddr &&
		    address - ph.p_vaddr < ph.p_filesz) {
			*shift = ph.p_offset - ph.p_vaddr;
			return true;
		}
	return false;
}

static bool same_cfa(const struct code_machine *m, const struct code_state *s, const struct kflame_rule *eh,
		     const struct kflame_rule *by_code)
{
	if (eh->cfa == KFLAME_CFA_SP && s->value[m->sp] != CODE_UNKNOWN)
		return s->value[m->sp] == -eh->cfa_offset;
	if (eh->cfa == KFLAME_CFA_FP && s->value[m->fp] != CODE_UNKNOWN)
		return s->value[m->fp] == -eh->cfa_offset;
	return eh->cfa == by_code->cfa && eh->cfa_offset == by_code->cfa_offset;
}

static bool same_ra(const struct code_machine *m, const struct code_state *s, const struct kflame_rule *eh,
		    const struct kflame_rule *by_code)
{
	/* The word on the stack and the register are the same if the register is unchanged. */
	if (m->link && s->value[m->link] == CODE_SAME)
		return true;
	return eh->ra == by_code->ra && eh->ra_offset == by_code->ra_offset;
}

static bool same_fp(const struct code_machine *m, const struct code_state *s, const struct kflame_rule *eh,
		    const struct kflame_rule *by_code)
{
	if (s->value[m->fp] == CODE_SAME)
		return true;
	return eh->fp == by_code->fp && eh->fp_offset == by_code->fp_offset;
}

static void compare(const struct code_walk *w, uint64_t address, const struct kflame_rule *eh, struct result *r)
{
	const struct code_state *s = code_walk_state(w, address);
	struct kflame_rule rule;

	r->instructions++;
	if (!s) {
		r->unreached++;
		return;
	}
	if (code_walk_owner(w, address)->bad) {
		r->bad++;
		return;
	}
	code_state_rule(w->m, s, &rule);
	if (rule.cfa == KFLAME_CFA_NONE)
		return;
	r->answered++;
	r->fp_lost += rule.fp == KFLAME_IN_LOST;
	if (same_cfa(w->m, s, eh, &rule) && same_ra(w->m, s, eh, &rule) &&
	    (rule.fp == KFLAME_IN_LOST || same_fp(w->m, s, eh, &rule)))
		return;
	if (r->wrong++ < (uint64_t)show)
		printf("  %" PRIx64 ": cfa %u%+d ra %u%+d fp %u%+d, by code %u%+d ra %u%+d fp %u%+d (function %" PRIx64 ")\n",
		       address, eh->cfa, eh->cfa_offset, eh->ra, eh->ra_offset, eh->fp, eh->fp_offset,
		       rule.cfa, rule.cfa_offset, rule.ra, rule.ra_offset, rule.fp, rule.fp_offset,
		       code_walk_owner(w, address)->start);
}

static void compare_function(const struct code_walk *w, const struct unwind_table *t,
			     const struct frame_range *range, uint64_t shift, struct result *r)
{
	struct code_insn insn;

	for (uint64_t at = range->start; at < range->end; at += insn.bytes) {
		const struct kflame_rule *eh = unwind_table_find(t, at + shift);

		if (!code_walk_decode(w, at, &insn)) {
			if (show > 1)
				printf("  %" PRIx64 ": not decoded\n", at);
			return;
		}
		if (eh->cfa == KFLAME_CFA_SP || eh->cfa == KFLAME_CFA_FP || eh->cfa == KFLAME_CFA_AT_FP)
			compare(w, at, eh, r);
	}
}

static void print_unreached(const struct code_walk *w, const struct frame_range *range)
{
	static long shown;

	if (shown < show && !code_walk_state(w, range->start) && shown++ < show)
		printf("  %" PRIx64 ": function not reached\n", range->start);
}

static void compare_file(const char *path, bool symbols)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : section_open(fd);
	const struct code_hints hints = { .symbols = symbols };
	struct frame_sections tables;
	struct unwind_table table;
	struct unwind_rows rows;
	struct result r = { 0 };
	struct code_walk w;
	uint64_t shift;
	double begin;

	if (!elf || unwind_rows_read(elf, &rows) || unwind_table_pack(&rows, &table) ||
	    frame_sections_load(elf, &tables))
		errx(1, "%s: it cannot be read", path);
	begin = now();
	if (code_walk_file(elf, &hints, &w))
		errx(1, "%s: its code cannot be walked", path);
	r.ms = now() - begin;
	for (size_t i = 0; i < tables.eh.nr; i++)
		if (find_shift(elf, tables.eh.all[i].start, &shift)) {
			compare_function(&w, &table, &tables.eh.all[i], shift, &r);
			print_unreached(&w, &tables.eh.all[i]);
		}
	printf("%-36.36s %10" PRIu64 " %8.2f %8.3f %8.2f %8.2f %8.2f %8.0f %s\n", path, r.instructions,
	       100.0 * (double)r.answered / (double)r.instructions,
	       r.answered ? 100.0 * (double)r.wrong / (double)r.answered : 0,
	       r.answered ? 100.0 * (double)r.fp_lost / (double)r.answered : 0,
	       100.0 * (double)r.unreached / (double)r.instructions,
	       100.0 * (double)r.bad / (double)r.instructions, r.ms, w.over ? "limit" : "");
	code_walk_exit(&w);
	frame_sections_exit(&tables);
	unwind_table_exit(&table);
	unwind_rows_exit(&rows);
	elf_end(elf);
	close(fd);
}

int main(int argc, char **argv)
{
	bool symbols = true;

	elf_version(EV_CURRENT);
	printf("%-36s %10s %8s %8s %8s %8s %8s %8s\n", "file", "instr.", "answer %", "wrong %", "fp lost", "unseen %",
	       "contra %", "ms");
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--no-symbols"))
			symbols = false;
		else if (!strcmp(argv[i], "--show") && i + 1 < argc)
			show = strtol(argv[++i], NULL, 10);
		else
			compare_file(argv[i], symbols);
	}
	return 0;
}
