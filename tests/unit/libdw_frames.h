/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdw_frames.h - unwind tables as libdw reads them, compared with ours
 *
 * Both say where the CFA, the return address and the caller's frame pointer are. What they say
 * is worked out for a machine whose registers, and words of memory, all have different contents:
 * the results are the same only if the places are.
 */
#ifndef LIBDW_FRAMES_H
#define LIBDW_FRAMES_H

#include <dwarf.h>
#include <errno.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unwind/table.h"

/* How a frame's caller is found; all zero: not at all */
struct found {
	bool known, end;
	uint64_t cfa, ra, fp, base;
	bool fp_known, base_known;
};

/* One file, read by both */
struct both {
	Elf *elf;
	Dwarf_CFI *cfi, *debug;
	const struct unwind_table *table;
	const char *name;
	bool arm;
	/* places; .none: we have no rule, or do not know the frame pointer, and libdw does */
	unsigned long compared, same, none, differ, printed;
	/* where the program begins, if libdw knows nothing of it: the outermost frame */
	uint64_t entry;
	unsigned long begins, clones, behind; /* behind: of the code of signal trampolines */
	unsigned long padding;	/* before a function, which a fiber may begin with */
	unsigned long by_code;	/* of jump stubs and, of arm64, leaves */
};

static inline uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

static inline uint64_t reg_value(uint64_t reg)
{
	return mix(reg + 1000) & ~7ull;
}

static inline uint64_t word_at(uint64_t address)
{
	return mix(address * 3 + 77);
}

/* ---------------------------------------------------------------- by libdw */

/* Return: whether the operations are ones that this knows; *@value of the last one */
static inline bool run_ops(const Dwarf_Op *ops, size_t nr, uint64_t pc, uint64_t cfa, bool arm,
			   uint64_t *value)
{
	uint64_t stack[32] = { 0 };
	size_t n = 1;

	for (size_t i = 0; i < nr && n < 30; i++) {
		const Dwarf_Op *o = &ops[i];
		uint64_t reg = o->atom == DW_OP_bregx ? o->number :
			       (uint64_t)o->atom - DW_OP_breg0;
		uint64_t add = o->atom == DW_OP_bregx ? o->number2 : o->number;

		if (o->atom == DW_OP_bregx || (o->atom >= DW_OP_breg0 && o->atom <= DW_OP_breg31))
			stack[n++] = (!arm && reg == 16 ? pc : reg_value(reg)) + add;
		else if (o->atom >= DW_OP_lit0 && o->atom <= DW_OP_lit31)
			stack[n++] = o->atom - DW_OP_lit0;
		else if (o->atom >= DW_OP_const1u && o->atom <= DW_OP_consts)
			stack[n++] = o->number;
		else if (o->atom == DW_OP_call_frame_cfa)
			stack[n++] = cfa;
		else if (o->atom == DW_OP_plus_uconst)
			stack[n - 1] += o->number;
		else if (o->atom == DW_OP_deref)
			stack[n - 1] = word_at(stack[n - 1]);
		else if (o->atom == DW_OP_plus && n--)
			stack[n - 1] += stack[n];
		else if (o->atom == DW_OP_minus && n--)
			stack[n - 1] -= stack[n];
		else if (o->atom == DW_OP_and && n--)
			stack[n - 1] &= stack[n];
		else if (o->atom == DW_OP_shl && n--)
			stack[n - 1] <<= stack[n];
		else if (o->atom == DW_OP_ge && n--)
			stack[n - 1] = (int64_t)stack[n - 1] >= (int64_t)stack[n];
		else
			return false;
	}
	*value = stack[n - 1];
	return n > 1;
}

/* Return: 1 with the caller's value of a register, 0 if nobody knows it, -1 on error */
static inline int ask_register(Dwarf_Frame *f, int reg, uint64_t pc, uint64_t cfa, bool arm,
			       uint64_t *value)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(f, reg, mem, &ops, &nr))
		return -1;
	if (!nr && ops == mem)
		return 0;
	*value = reg_value((uint64_t)reg);
	if (!nr)
		return 1;
	if (ops[0].atom == DW_OP_regx || (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)) {
		*value = reg_value(ops[0].atom == DW_OP_regx ? ops[0].number :
				   (uint64_t)ops[0].atom - DW_OP_reg0);
		return 1;
	}
	if (ops[nr - 1].atom == DW_OP_stack_value)
		return run_ops(ops, nr - 1, pc, cfa, arm, value) ? 1 : -1;
	if (!run_ops(ops, nr, pc, cfa, arm, value))
		return -1;
	*value = word_at(*value);
	return 1;
}

/* The row of an address, up to *@end.  Return: NULL where libdw knows none. */
static inline Dwarf_Frame *libdw_frame(const struct both *b, uint64_t address, uint64_t *end)
{
	Dwarf_Frame *f = NULL;
	Dwarf_Addr from, to;
	bool signal;

	if ((!b->cfi || dwarf_cfi_addrframe(b->cfi, address, &f)) &&
	    (!b->debug || dwarf_cfi_addrframe(b->debug, address, &f)))
		return NULL;
	dwarf_frame_info(f, &from, &to, &signal);
	*end = to;
	return f;
}

static inline struct found ask_libdw(const struct both *b, uint64_t address, uint64_t *end)
{
	Dwarf_Frame *f = libdw_frame(b, address, end);
	struct found r = { 0 };
	Dwarf_Op *ops;
	size_t nr;
	int ra, fp, base;

	if (!f)
		return r;
	if (!dwarf_frame_cfa(f, &ops, &nr) && nr && run_ops(ops, nr, address, 0, b->arm, &r.cfa)) {
		ra = ask_register(f, b->arm ? 30 : 16, address, r.cfa, b->arm, &r.ra);
		fp = ask_register(f, b->arm ? 29 : 6, address, r.cfa, b->arm, &r.fp);
		base = ask_register(f, b->arm ? 19 : 3, address, r.cfa, b->arm, &r.base);
		r.base_known = base == 1;
		r.end = ra == 0;
		r.known = ra == 1;
		r.fp_known = fp == 1;
	}
	free(f);
	return r;
}

/* ------------------------------------------------------------------ by us */

static inline struct found apply(const struct kflame_rule *u, uint64_t pc, bool arm)
{
	uint64_t sp = reg_value(arm ? 31 : 7), fp = reg_value(arm ? 29 : 6);
	struct found r = { .known = true, .fp_known = true, .base_known = true };
	uint64_t base[] = {
		[KFLAME_IN_CFA] = 0, [KFLAME_IN_SP] = sp, [KFLAME_IN_FP] = fp,
	};

	switch (u->cfa) {
	case KFLAME_CFA_NONE:
		return (struct found){ 0 };
	case KFLAME_CFA_END:
		return (struct found){ .end = true };
	case KFLAME_CFA_SP:
		r.cfa = sp + u->cfa_offset;
		break;
	case KFLAME_CFA_FP:
	case KFLAME_CFA_FP_ELSEWHERE:
		r.cfa = fp + u->cfa_offset;
		break;
	case KFLAME_CFA_REG:
		r.cfa = reg_value(u->reg) + u->cfa_offset;
		break;
	case KFLAME_CFA_AT_SP:
		r.cfa = word_at(sp + u->cfa_offset) + u->cfa_add;
		break;
	case KFLAME_CFA_AT_FP:
		r.cfa = word_at(fp + u->cfa_offset) + u->cfa_add;
		break;
	case KFLAME_CFA_PLT:
		r.cfa = sp + 8 + ((pc & 15) >= (uint64_t)u->cfa_offset ? 8 : 0);
		break;
	case KFLAME_CFA_SIGNAL:
		r.cfa = word_at(sp + u->cfa_offset + (arm ? 8 + 31 * 8 : 120));
		r.ra = word_at(sp + u->cfa_offset + (arm ? 8 + 32 * 8 : 128));
		r.fp = word_at(sp + u->cfa_offset + (arm ? 8 + 29 * 8 : 80));
		r.base = word_at(sp + u->cfa_offset + (arm ? 8 + 19 * 8 : 88));
		return r;
	}
	base[KFLAME_IN_CFA] = r.cfa;
	r.fp = u->fp == KFLAME_IN_SAME ? fp : u->fp == KFLAME_IN_REG ? reg_value(u->reg) :
	       u->fp == KFLAME_IN_LOST ? 0 : word_at(base[u->fp] + u->fp_offset);
	r.fp_known = u->fp != KFLAME_IN_LOST;
	r.base = !u->base_offset ? reg_value(arm ? 19 : 3) : word_at(r.cfa + u->base_offset);
	r.base_known = u->base_offset != KFLAME_BASE_LOST;
	r.ra = u->ra == KFLAME_IN_SAME ? reg_value(30) : u->ra == KFLAME_IN_REG ?
	       reg_value(u->reg) : word_at(base[u->ra] + u->ra_offset);
	return r;
}

static inline bool same_found(const struct found *x, const struct found *y)
{
	if (x->end || y->end || !x->known || !y->known)
		return x->end == y->end && x->known == y->known;
	/* libdw's table of the ABI does not have that calls preserve rbx (0.188) */
	if (x->base_known && y->base_known && x->base != y->base)
		return false;
	return x->cfa == y->cfa && x->ra == y->ra && x->fp_known == y->fp_known &&
	       (!x->fp_known || x->fp == y->fp);
}

/* The same, but for a frame pointer that only they know */
static inline bool forgets_fp(const struct found *theirs, const struct found *ours)
{
	struct found known = *ours;

	if (!ours->known || ours->fp_known)
		return false;
	known.fp_known = true;
	known.fp = theirs->fp;
	return same_found(theirs, &known);
}

/* ------------------------------------------------------------- whole files */

/* Between functions, where nothing is but what fills up to the next multiple of 16 */
static inline bool is_padding(const struct both *b, uint64_t offset)
{
	const struct kflame_rule *next = unwind_table_find(b->table, (offset + 15) / 16 * 16);

	return offset % 16 && next && next->cfa != KFLAME_CFA_NONE;
}

/* Compares one place.  Return: where libdw's row ends; 0 without one. */
static inline uint64_t compare_at(struct both *b, uint64_t address, uint64_t offset)
{
	const struct kflame_rule *u = unwind_table_find(b->table, offset);
	uint64_t end = 0;
	struct found theirs = ask_libdw(b, address, &end), ours = apply(u, address, b->arm);

	b->compared++;
	if (same_found(&theirs, &ours)) {
		b->same++;
	} else if (ours.end && !theirs.known && !theirs.end && b->entry &&
		   address - b->entry < 128) {
		b->begins++;
	} else if (ours.end && !theirs.known && !theirs.end && is_padding(b, offset)) {
		b->padding++;
	} else if (u->cfa == KFLAME_CFA_SIGNAL && !theirs.known && !theirs.end) {
		b->behind++;
	} else if (u->cfa == KFLAME_CFA_CLONE && !theirs.known) {
		b->clones++;
	} else if ((u->cfa == KFLAME_CFA_SP || u->cfa == KFLAME_CFA_PLT ||
		    (u->cfa == KFLAME_CFA_FP && !b->arm)) && !theirs.known && !end) {
		b->by_code++;
	} else if (u->cfa == KFLAME_CFA_NONE || forgets_fp(&theirs, &ours)) {
		b->none++;
	} else {
		b->differ++;
		if (b->printed++ < 5)
			print_message("# %s at %#llx: cfa %d fp %d ra %d reg %d, offsets %d %d %d %d; libdw "
				      "known %d end %d cfa %d ra %d fp %d\n", b->name,
				      (unsigned long long)address, u->cfa, u->fp, u->ra, u->reg,
				      u->cfa_offset, u->cfa_add, u->fp_offset, u->ra_offset,
				      theirs.known, theirs.end, theirs.cfa == ours.cfa,
				      theirs.ra == ours.ra, theirs.fp == ours.fp);
	}
	return end;
}

/* Each of libdw's rows at its first two bytes and its last one; what is in none, at each byte */
static inline void compare_segment(struct both *b, const GElf_Phdr *ph)
{
	uint64_t at = ph->p_vaddr, last = ph->p_vaddr + ph->p_filesz, end;
	uint64_t shift = ph->p_offset - ph->p_vaddr;

	while (at < last) {
		end = compare_at(b, at, at + shift);
		if (end > at + 1 && at + 1 < last)
			compare_at(b, at + 1, at + 1 + shift);
		if (end > at + 2 && end <= last)
			compare_at(b, end - 1, end - 1 + shift);
		at = end > at ? end : at + 1;
	}
}

/* Each of our rows, and the bytes before and after */
static inline void compare_rows(struct both *b, const GElf_Phdr *ph)
{
	for (uint32_t page = 0; page < b->table->nr_pages; page++)
		for (uint32_t i = b->table->pages[page]; i < b->table->pages[page + 1]; i++) {
			uint64_t offset = (uint64_t)page * KFLAME_TABLE_PAGE +
					  KFLAME_ROW_OFFSET(b->table->rows[i]);

			for (uint64_t at = offset ? offset - 1 : 0; at <= offset + 1; at++)
				if (at >= ph->p_offset && at < ph->p_offset + ph->p_filesz)
					compare_at(b, at - ph->p_offset + ph->p_vaddr, at);
		}
}

static inline bool begins_untold(const struct both *b, uint64_t entry)
{
	uint64_t end;
	Dwarf_Frame *f = entry ? libdw_frame(b, entry, &end) : NULL;

	free(f);
	return entry && !f;
}

static inline void compare_elf(struct both *b)
{
	GElf_Ehdr eh;
	GElf_Phdr ph;
	Dwarf *dw;
	size_t nr;

	assert_non_null(gelf_getehdr(b->elf, &eh));
	b->arm = eh.e_machine == EM_AARCH64;
	b->cfi = dwarf_getcfi_elf(b->elf);
	dw = dwarf_begin_elf(b->elf, DWARF_C_READ, NULL);
	b->debug = dw ? dwarf_getcfi(dw) : NULL;
	b->entry = begins_untold(b, eh.e_entry) ? eh.e_entry : 0;
	assert_int_equal(elf_getphdrnum(b->elf, &nr), 0);
	for (size_t i = 0; i < nr; i++) {
		assert_non_null(gelf_getphdr(b->elf, (int)i, &ph));
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		compare_segment(b, &ph);
		compare_rows(b, &ph);
	}
	if (b->cfi)
		dwarf_cfi_end(b->cfi);
	if (dw)
		dwarf_end(dw);
}

#endif
