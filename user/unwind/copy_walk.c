// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_walk.c - unwinds a copy of a stack, by the unwind information of mapped files
 */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/libelf_section.h"
#include "unwind/copy_walk.h"
#include "unwind/dwarf_expression.h"
#include "unwind/jump_stubs.h"
#include "unwind/table.h"

/* The registers of an architecture */
struct arch {
	uint32_t nr, sp, pc, fp;
	uint64_t address;	/* mask of an address: the other bits may be a pointer signature */
	uint64_t kept;		/* registers that calls preserve; libdw 0.188 lacks rbx */
	uint8_t sigcontext[KFLAME_REGS_ARM64];	/* index of each in a signal frame, in words */
};

static const struct arch x86_64 = {
	KFLAME_REGS_X86_64, 7, 16, 6, UINT64_MAX, 0xf048,
	{ 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16 },
};

static const struct arch arm64 = {
	KFLAME_REGS_ARM64, 31, 32, 29, (1ull << 48) - 1, 0x3ff80000,
	{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
	  25, 26, 27, 28, 29, 30, 31, 32, 33 },
};

static const struct arch *arch_of(uint32_t nr_regs)
{
	return nr_regs == x86_64.nr ? &x86_64 : nr_regs == arm64.nr ? &arm64 : NULL;
}

#define LINK_REG	30	/* of arm64 */

/* KFLAME_BASE_REG of each machine: a profile may be of another one than this */
#define BASE_X86_64	3
#define BASE_ARM64	19

/* -------------------------------------------------------------------- files */

/* A cache entry: the frame at an address of a file.  Hot code is looked up again and again */
struct found {
	uint64_t at;
	Dwarf_Frame *frame;	/* NULL: nothing is known there */
	bool known;
};

#define FOUND	1024u		/* a power of two */

struct walk_file {
	int fd;
	Elf *elf;
	Dwarf_CFI *cfi;		/* of .eh_frame */
	Dwarf *dwarf;		/* for .debug_frame; read when it is first needed */
	Dwarf_CFI *debug;
	bool asked_debug;
	GElf_Phdr *loads;
	size_t nr_loads;
	struct found *found;	/* FOUND entries, by address; a later one replaces; NULL: no CFI */
	struct unwind_table gaps; /* for code without DWARF entries; read when it is first needed */
	bool has_gaps;
};

static bool is_ours(Elf *elf)
{
	GElf_Ehdr eh;

	return gelf_getehdr(elf, &eh) && eh.e_ident[EI_CLASS] == ELFCLASS64 &&
	       (eh.e_machine == EM_X86_64 || eh.e_machine == EM_AARCH64);
}

static bool read_loads(struct walk_file *f)
{
	size_t nr;

	if (elf_getphdrnum(f->elf, &nr) || !nr || nr > 4096)
		return false;
	f->loads = calloc(nr, sizeof(*f->loads));
	for (size_t i = 0; f->loads && i < nr; i++) {
		GElf_Phdr *ph = &f->loads[f->nr_loads];

		if (gelf_getphdr(f->elf, (int)i, ph) && ph->p_type == PT_LOAD)
			f->nr_loads++;
	}
	return f->loads;
}

/* Checks first: opening a file for libdw takes time and memory for all of its debug information */
static bool has_debug_frame(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;

	while ((scn = section_next(elf, scn, &sh, &name)))
		if (!strcmp(name, ".debug_frame") || !strcmp(name, ".zdebug_frame"))
			return sh.sh_type != SHT_NOBITS;
	return false;
}

/* Reads .debug_frame: Go describes its own functions there, while .eh_frame describes C functions */
static Dwarf_CFI *debug_frame(struct walk_file *f)
{
	if (!f->asked_debug && has_debug_frame(f->elf))
		f->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (!f->asked_debug && f->dwarf)
		f->debug = dwarf_getcfi(f->dwarf);
	f->asked_debug = true;
	return f->debug;
}

struct walk_file *walk_file_open(int fd)
{
	struct walk_file *f = calloc(1, sizeof(*f));

	if (!f) {
		close(fd);
		return NULL;
	}
	f->fd = fd;
	f->elf = section_open(fd);
	if (f->elf && is_ours(f->elf) && read_loads(f))
		f->cfi = dwarf_getcfi_elf(f->elf);
	if (f->cfi || (f->loads && debug_frame(f)))
		f->found = calloc(FOUND, sizeof(*f->found));
	if (f->found || (f->loads && !f->cfi && !f->debug))
		return f;
	walk_file_close(f);
	return NULL;
}

void walk_file_close(struct walk_file *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->found && i < FOUND; i++)
		free(f->found[i].frame);
	free(f->found);
	unwind_table_exit(&f->gaps);
	/* dwarf_end() frees the CFI of .debug_frame. */
	if (f->cfi)
		dwarf_cfi_end(f->cfi);
	if (f->dwarf)
		dwarf_end(f->dwarf);
	if (f->elf)
		elf_end(f->elf);
	free(f->loads);
	close(f->fd);
	free(f);
}

/* Converts a file offset to an address as linked */
static bool to_address(const struct walk_file *f, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < f->nr_loads; i++) {
		const GElf_Phdr *ph = &f->loads[i];

		if (offset >= ph->p_offset && offset - ph->p_offset < ph->p_filesz) {
			*address = offset - ph->p_offset + ph->p_vaddr;
			return true;
		}
	}
	return false;
}

/* --------------------------------------------------------------------- walk */

struct walker {
	const struct walk_space *space;
	const struct walk_copy *copy;
	const struct arch *arch;
	struct registers regs;
	bool beyond;		/* the walk needed memory beyond the copy */
	bool elsewhere;		/* the walk needed other memory that is not here */
	bool exact;		/* the program counter is not a return address */
};

static const struct walk_map *map_at(const struct walk_space *s, uint64_t at)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->maps[mid].end <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->nr && s->maps[low].start <= at ? &s->maps[low] : NULL;
}

/* Reads memory of the process: from the copy of its stack, or from a mapped executable file */
static bool read_memory(void *ctx, uint64_t at, void *to, size_t len)
{
	struct walker *w = ctx;
	uint64_t sp = w->copy->regs[w->arch->sp];
	const struct walk_map *m;
	struct walk_file *f;

	if (at >= sp && at - sp <= w->copy->bytes && len <= w->copy->bytes - (at - sp)) {
		memcpy(to, w->copy->stack + (at - sp), len);
		return true;
	}
	m = map_at(w->space, at);
	f = m && m->file ? w->space->file(w->space->ctx, m->file) : NULL;
	if (f && m->end - at >= len &&
	    pread(f->fd, to, len, (off_t)(m->offset + (at - m->start))) == (ssize_t)len)
		return true;
	if (at >= sp)
		w->beyond = true;
	else
		w->elsewhere = true;
	return false;
}

static bool word_at(struct walker *w, uint64_t at, uint64_t *word)
{
	return read_memory(w, at, word, sizeof(*word));
}

/* Why the memory that the walk needed is not here */
static uint32_t why_missing(const struct walker *w)
{
	if (!w->beyond)
		return w->elsewhere ? KFLAME_END_FAULT : KFLAME_END_BAD_CFA;
	return w->copy->flags & KFLAME_COPY_CUT ? KFLAME_END_CUT : KFLAME_END_FAULT;
}

/* Return: the frame at an address, which the caller frees; NULL if the CFI does not describe it */
static Dwarf_Frame *ask(Dwarf_CFI *cfi, uint64_t at)
{
	Dwarf_Frame *frame;

	return cfi && !dwarf_cfi_addrframe(cfi, at, &frame) ? frame : NULL;
}

/* Return: the frame at an address of a file, which owns it; NULL if nothing describes it */
static Dwarf_Frame *frame_at(struct walk_file *f, uint64_t at)
{
	struct found *found = &f->found[(at ^ at >> 12) & (FOUND - 1)];

	if (found->known && found->at == at)
		return found->frame;
	free(found->frame);
	*found = (struct found){ .at = at, .known = true, .frame = ask(f->cfi, at) };
	if (!found->frame)
		found->frame = ask(debug_frame(f), at);
	return found->frame;
}

/* A location in a file */
struct place {
	struct walk_file *file;	/* NULL: no file, or not readable */
	uint64_t offset;
};

static struct place place_of(struct walker *w, uint64_t pc)
{
	const struct walk_map *m = map_at(w->space, pc);
	struct walk_file *f = m && m->file ? w->space->file(w->space->ctx, m->file) : NULL;

	return (struct place){ f, f ? m->offset + (pc - m->start) : 0 };
}

/* The frame that unwind information describes at a place; NULL for none */
static Dwarf_Frame *find_frame(const struct place *p)
{
	uint64_t at;

	if (!p->file || !p->file->found || !to_address(p->file, p->offset, &at))
		return NULL;
	return frame_at(p->file, at);
}

/* The rule that the tool's own table has for a place; NULL if the table of the file is empty */
static const struct kflame_rule *rule_by_code(const struct place *p)
{
	struct walk_file *f = p->file;

	if (!f->has_gaps && elf_table_read(f->fd, &f->gaps, NULL))
		unwind_table_exit(&f->gaps);
	f->has_gaps = true;
	return f->gaps.nr_rows ? unwind_table_find(&f->gaps, p->offset) : NULL;
}

/* Does the unwind information say that the caller's value of a register is lost? */
static bool is_undefined(const struct walker *w, uint32_t number, const Dwarf_Op *ops, size_t nr)
{
	return !nr && ops && number < 64 && !(w->arch->kept >> number & 1);
}

/* Is this the outermost frame, which has no caller? */
static bool is_outermost(const struct walker *w, Dwarf_Frame *frame, uint32_t ra)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	return !dwarf_frame_register(frame, (int)ra, mem, &ops, &nr) &&
	       is_undefined(w, ra, ops, nr);
}

/*
 * Finds the caller's value of a register.  @at: out: its address if it is in memory, else unchanged.
 * Return: false if the value is not known
 */
static bool caller_register(struct walker *w, const struct machine *m, Dwarf_Frame *frame,
			    uint32_t number, uint64_t *value, uint64_t *at)
{
	Dwarf_Op mem[3], *ops;
	bool is_value;
	size_t nr;

	if (dwarf_frame_register(frame, (int)number, mem, &ops, &nr) ||
	    is_undefined(w, number, ops, nr))
		return false;
	if (!nr) {
		*value = number < FRAME_REGS ? w->regs.value[number] : 0;
		return number < FRAME_REGS && w->regs.known >> number & 1;
	}
	if (!expression_run(m, ops, nr, value, &is_value))
		return false;
	if (is_value)
		return true;
	*at = *value;
	return word_at(w, *at, value);
}

/* On arm64, a return address at @at beyond the CFA was pushed by a jump stub: see rule.c */
static uint64_t pushed_cfa(const struct walker *w, uint64_t cfa, uint64_t at)
{
	return w->arch == &arm64 && at >= cfa && at - cfa < STUB_PUSHES ? cfa + STUB_PUSHES : cfa;
}

static uint64_t strip(const struct walker *w, uint64_t pc)
{
	return pc & w->arch->address;
}

/*
 * Is sp unknown?  That is so after a step by frame pointer on arm64, where the frame record may be anywhere
 * in its frame.  The value of sp is then a lower limit for the end of the frame.
 */
static bool is_sp_lost(const struct walker *w)
{
	return !(w->regs.known >> w->arch->sp & 1);
}

/* Computes the canonical frame address in @m.  Return: false if its base register is not known */
static bool find_cfa(struct machine *m, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	bool is_value;
	size_t nr;

	m->has_cfa = !dwarf_frame_cfa(frame, &ops, &nr) && nr &&
		     expression_run(m, ops, nr, &m->cfa, &is_value);
	return m->has_cfa;
}

/*
 * Recovers a lost sp, from which the CFA is counted.  The frame pointer shows a frame record.  If the rules
 * have the record of this frame at the same distance, sp follows from it.  The module does the same.
 */
static bool find_sp(struct walker *w, struct machine *m, Dwarf_Frame *frame, uint32_t ra)
{
	uint64_t *sp = &w->regs.value[w->arch->sp], lowest = *sp, unused, fp_at = 0, ra_at = 0;

	w->regs.known |= 1ull << w->arch->sp;
	if (find_cfa(m, frame)) {
		/* Only the addresses matter: the memory there may be missing. */
		caller_register(w, m, frame, w->arch->fp, &unused, &fp_at);
		caller_register(w, m, frame, ra, &unused, &ra_at);
	}
	*sp += w->regs.value[w->arch->fp] - fp_at;
	if (fp_at && ra_at == fp_at + 8 && *sp >= lowest && !(*sp & 15))
		return find_cfa(m, frame);
	*sp = lowest;
	w->regs.known &= ~(1ull << w->arch->sp);
	return false;
}

/* Steps to the caller by unwind information.  Return: KFLAME_END_*, or -1 to continue */
static int step_by_rules(struct walker *w, Dwarf_Frame *frame)
{
	struct machine m = { .regs = &w->regs, .read = read_memory, .ctx = w };
	struct registers caller = { .known = 0 };
	bool has_pc, is_signal = false;
	uint64_t sp = w->regs.value[w->arch->sp], pc, at = 0, unused;
	int ra = dwarf_frame_info(frame, NULL, NULL, &is_signal);

	if (ra < 0)
		return (int)why_missing(w);
	if (is_outermost(w, frame, (uint32_t)ra))
		return KFLAME_END_COMPLETE;
	if (!find_cfa(&m, frame) && (!is_sp_lost(w) || !find_sp(w, &m, frame, (uint32_t)ra)))
		return (int)why_missing(w);
	w->beyond = w->elsewhere = false;
	has_pc = caller_register(w, &m, frame, (uint32_t)ra, &pc, &at);
	/* A signal handler may run on another stack. */
	if (!is_signal && (m.cfa < sp || (m.cfa == sp && !w->exact)))
		return KFLAME_END_BAD_CFA;
	if (!has_pc)
		return (int)why_missing(w);
	for (uint32_t i = 0; i < w->arch->nr; i++)
		if (caller_register(w, &m, frame, i, &caller.value[i], &unused))
			caller.known |= 1ull << i;
	/* By the ABI, the CFA is the caller's sp, unless a signal frame says otherwise. */
	if (!is_signal || !(caller.known >> w->arch->sp & 1))
		caller.value[w->arch->sp] = pushed_cfa(w, m.cfa, at);
	caller.value[w->arch->pc] = strip(w, pc);
	caller.known |= 1ull << w->arch->sp | 1ull << w->arch->pc;
	w->regs = caller;
	w->exact = is_signal;
	return -1;
}

/* Reads all registers from a signal frame */
static int step_signal(struct walker *w, int32_t offset)
{
	uint64_t at = w->regs.value[w->arch->sp] + (uint64_t)(int64_t)offset;

	for (uint32_t i = 0; i < w->arch->nr; i++)
		if (!word_at(w, at + 8ull * w->arch->sigcontext[i], &w->regs.value[i]))
			return (int)why_missing(w);
	w->regs.known = (1ull << w->arch->nr) - 1;
	w->exact = true;
	return -1;
}

/* Offset from sp to the caller's frame */
static int32_t stack_begins(const struct walker *w, const struct kflame_rule *rule)
{
	if (rule->cfa != KFLAME_CFA_PLT)
		return rule->cfa_offset;
	return (int32_t)(w->regs.value[w->arch->pc] & 15) >= rule->cfa_offset ? 16 : 8;
}

/* Reads a register's caller's value at @offset from the CFA; without the memory, it is not known */
static void read_saved(struct walker *w, uint64_t cfa, int32_t offset, uint32_t number)
{
	if (word_at(w, cfa + (uint64_t)(int64_t)offset, &w->regs.value[number]))
		w->regs.known |= 1ull << number;
	else
		w->regs.known &= ~(1ull << number);
}

/* Sets the caller's frame pointer and base register, as a rule says */
static void restore_kept(struct walker *w, const struct kflame_rule *rule, uint64_t cfa)
{
	uint32_t base = w->arch == &arm64 ? BASE_ARM64 : BASE_X86_64;

	if (rule->fp == KFLAME_IN_CFA)
		read_saved(w, cfa, rule->fp_offset, w->arch->fp);
	else if (rule->fp != KFLAME_IN_SAME)
		w->regs.known &= ~(1ull << w->arch->fp);
	if (rule->base_offset == KFLAME_BASE_LOST)
		w->regs.known &= ~(1ull << base);
	else if (rule->base_offset)
		read_saved(w, cfa, rule->base_offset, base);
}

/*
 * Steps to the caller by a rule relative to sp or fp; the return address is in memory or in the link
 * register.  @by_code: the rule says nothing of other registers
 */
static int step_by_offset(struct walker *w, const struct kflame_rule *rule, bool by_code)
{
	uint32_t from = rule->cfa == KFLAME_CFA_FP ? w->arch->fp : w->arch->sp;
	uint64_t cfa = w->regs.value[from] + (uint64_t)(int64_t)stack_begins(w, rule);
	uint64_t ra = w->regs.value[LINK_REG];

	if (!(w->regs.known >> from & 1) || cfa < w->regs.value[w->arch->sp])
		return KFLAME_END_BAD_CFA;

	if (rule->ra == KFLAME_IN_CFA) {
		if (!word_at(w, cfa + (uint64_t)(int64_t)rule->ra_offset, &ra))
			return (int)why_missing(w);
	} else if (rule->ra != KFLAME_IN_SAME || w->arch != &arm64 || !w->exact) {
		return KFLAME_END_NO_RULE;
	}
	restore_kept(w, rule, cfa);
	w->beyond = w->elsewhere = false;
	if (by_code)
		w->regs.known &= 1ull << w->arch->fp | 1ull << w->arch->sp | 1ull << w->arch->pc |
				 1ull << (w->arch == &arm64 ? BASE_ARM64 : BASE_X86_64);
	w->regs.value[w->arch->sp] = cfa;
	w->regs.value[w->arch->pc] = strip(w, ra);
	w->exact = false;
	return -1;
}

/* Steps to the caller by frame pointer: for code without unwind information (JIT), or if sp is lost */
static int step_by_pointer(struct walker *w, bool elsewhere)
{
	uint64_t sp = w->regs.value[w->arch->sp], fp = w->regs.value[w->arch->fp], next, pc;

	/* By the ABI, fp and the return address are 0 in the outermost frame record. */
	if (!fp && w->regs.known >> w->arch->fp & 1)
		return KFLAME_END_COMPLETE;
	if (!(w->regs.known >> w->arch->fp & 1) || (fp < sp && !elsewhere) || fp & 7)
		return KFLAME_END_NO_RULE;
	if (!word_at(w, fp, &next) || !word_at(w, fp + 8, &pc))
		return (int)why_missing(w);
	if (!strip(w, pc))
		return KFLAME_END_COMPLETE;
	if (!map_at(w->space, strip(w, pc) - 1))
		return KFLAME_END_NO_RULE;
	/* The values of all other registers are unknown now. */
	w->regs.known = 1ull << w->arch->pc | 1ull << w->arch->fp;
	if (w->arch == &x86_64)
		w->regs.known |= 1ull << w->arch->sp;
	w->regs.value[w->arch->fp] = next;
	w->regs.value[w->arch->sp] = fp + 16;
	w->regs.value[w->arch->pc] = strip(w, pc);
	w->exact = false;
	return -1;
}

/*
 * Steps to the caller by rules that the tool found in the code, if unwind information has none.  Such code:
 * - the entry point of a program
 * - code after the system call that makes a thread
 * - signal trampolines and jump stubs
 * - functions whose prologues set up frame pointers (frame_pointer_prologues.h)
 * - all code of a file that has no unwind information (code_rows.h)
 *
 * Return: KFLAME_END_*, or -1 to continue
 */
static int step_by_code(struct walker *w, const struct place *p)
{
	const struct kflame_rule *rule = rule_by_code(p);
	bool by_code = p->file->gaps.flags & KFLAME_TABLE_CODE;

	if (rule && rule->cfa != KFLAME_CFA_END && is_sp_lost(w))
		return KFLAME_END_BAD_CFA;
	switch (rule ? rule->cfa : KFLAME_CFA_NONE) {
	case KFLAME_CFA_END:
		return KFLAME_END_COMPLETE;
	case KFLAME_CFA_SIGNAL:
		return step_signal(w, rule->cfa_offset);
	case KFLAME_CFA_CLONE:
		if (!w->exact || !w->regs.value[0])
			return KFLAME_END_COMPLETE;
		return step_by_offset(w, rule, by_code);
	case KFLAME_CFA_SP:
	case KFLAME_CFA_PLT:
		return step_by_offset(w, rule, by_code);
	case KFLAME_CFA_FP:
		if (by_code)
			return step_by_offset(w, rule, by_code);
		return step_by_pointer(w, false);
	case KFLAME_CFA_FP_ELSEWHERE:
		return step_by_pointer(w, rule->cfa == KFLAME_CFA_FP_ELSEWHERE);
	default:
		return KFLAME_END_NO_RULE;
	}
}

/*
 * Is the unwind information wrong here?  Known cases:
 * - arm64, after the system call that makes a thread: it describes the calling thread (thread_starts.h)
 * - arm64, where a jump stub has pushed the return address: it ignores the push (rule.c)
 * - .debug_frame, which Go writes, at signal trampolines (signal_trampolines.h) and where stacks begin
 *   (go_stacks.h)
 */
static bool is_misled(const struct walker *w, const struct place *p)
{
	const struct kflame_rule *rule;

	if (p->file->debug) {
		rule = rule_by_code(p);
		if (rule && (rule->cfa == KFLAME_CFA_SIGNAL || rule->cfa == KFLAME_CFA_END ||
			     rule->cfa == KFLAME_CFA_FP_ELSEWHERE))
			return true;
	}
	if (w->arch != &arm64 || !w->exact)
		return false;
	rule = rule_by_code(p);
	if (!rule)
		return false;
	return (rule->cfa == KFLAME_CFA_CLONE && !w->regs.value[0]) ||
	       (rule->cfa == KFLAME_CFA_SP && rule->cfa_offset == STUB_PUSHES &&
		rule->ra == KFLAME_IN_CFA && rule->ra_offset == -8 &&
		rule->fp == KFLAME_IN_SAME && !rule->base_offset);
}

/* Return: KFLAME_END_*, or -1 to continue; sets KFLAME_BY_FP in @by for a step by frame pointer */
static int step(struct walker *w, uint32_t *by)
{
	/* Look up a return address minus 1: a call may be the last instruction of its function. */
	struct place p = place_of(w, w->regs.value[w->arch->pc] - !w->exact);
	Dwarf_Frame *frame = find_frame(&p);
	bool by_rules = frame && !is_misled(w, &p);
	int end = KFLAME_END_NO_RULE, further;

	w->beyond = w->elsewhere = false;
	if (by_rules)
		end = step_by_rules(w, frame);
	else if (p.file)
		end = step_by_code(w, &p);
	if (end < 0 || end == KFLAME_END_COMPLETE)
		return end;
	if (by_rules ? !is_sp_lost(w) : end != KFLAME_END_NO_RULE || (p.file && p.file->found))
		return end;
	/* The last resort: a file without unwind information, or a frame whose sp is lost. */
	further = step_by_pointer(w, false);
	if (further < 0)
		*by |= KFLAME_BY_FP;
	return by_rules && further >= 0 ? end : further;
}

uint64_t walk_pc(const struct walk_copy *c)
{
	const struct arch *arch = arch_of(c->nr_regs);

	return arch ? c->regs[arch->pc] : 0;
}

/*
 * Adds a frame.  The address that a signal interrupted is stored plus 1, and also the address that the
 * signal handler returns to: see kflame_rec_stack.ip.
 */
static void put_frame(const struct walker *w, struct walk_stack *out, uint64_t pc, bool before)
{
	if (w->exact && !before)
		out->ip[out->nr - 1]++;
	out->ip[out->nr++] = pc + w->exact;
}

void walk(const struct walk_space *space, const struct walk_copy *copy, struct walk_stack *out)
{
	struct walker w = { .space = space, .copy = copy, .arch = arch_of(copy->nr_regs),
			    .exact = true };
	uint32_t by = KFLAME_BY_COPY;
	int end = -1;

	out->nr = 1;
	out->ip[0] = walk_pc(copy);
	if (!w.arch) {
		out->end = KFLAME_END_UNWINDER | by;
		return;
	}
	memcpy(w.regs.value, copy->regs, w.arch->nr * sizeof(copy->regs[0]));
	w.regs.known = (1ull << w.arch->nr) - 1;
	if (!map_at(space, out->ip[0]))
		end = KFLAME_END_NO_MAP;
	while (end < 0) {
		bool before = w.exact;
		uint64_t pc;

		end = step(&w, &by);
		if (end >= 0)
			break;
		pc = w.regs.value[w.arch->pc];
		if (!pc)
			end = KFLAME_END_COMPLETE;
		else if (!map_at(space, pc - !w.exact))
			end = KFLAME_END_NO_MAP;
		else if (out->nr == WALK_DEPTH)
			end = KFLAME_END_DEPTH;
		else
			put_frame(&w, out, pc, before);
	}
	out->end = (uint32_t)end | by;
}
