/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explanation.h - one sample, taken apart
 *
 * A sample is small: the registers of an interrupted thread, and the words on its stack. All else follows from
 * them. This folder shows how:
 *
 *	registers, words ----> frames ----> names
 *	   (memory)      rules        files
 *	                   |
 *	                 table: which bucket, and the count before and after
 *
 * Where each part comes from:
 *  - registers and words: the module copied them in the interrupt (KFLAME_REC_USTACK)
 *  - rules, and which of them were cached: the module's own walk in the same interrupt (KFLAME_REC_EXPLAIN)
 *  - canonical frame addresses and where return addresses are: computed here, from words and rules. Each result
 *    is compared with the next step of the module's walk (.agrees)
 *  - rows of .eh_frame: read here from the file. They are what readelf --debug-dump=frames-interp prints
 *  - functions: names as nm prints them, from the symbol tables of the files
 *  - bucket and counts: the module (KFLAME_REC_EXPLAIN)
 *
 * The module cannot say which unwind information (ORC) each kernel frame was found by, because the kernel's
 * unwinder does not tell. So kernel frames have addresses and names only.
 */
#ifndef KFLAME_EXPLAIN_EXPLANATION_H
#define KFLAME_EXPLAIN_EXPLANATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "explain/words.h"
#include "uapi/kflame.h"

/**
 * struct explained_place - the way of one address to its name
 * @address:	what is looked up; of a return address, the byte before it, which is in the call
 * @start, @end, @offset: the mapping around it, and the mapping's offset in the file; 0: none
 * @path:	the mapped file; NULL: none
 * @build_id:	of the file, in hexadecimal; empty: not known
 * @file_offset: of the address
 * @in_file:	the address as the file has it, which readelf and addr2line take; 0: not known
 * @function:	the symbol; NULL: not known
 * @into:	bytes from the symbol to @address; of a return address, to the return address
 */
struct explained_place {
	uint64_t address;
	uint64_t start, end, offset;
	char *path;
	char build_id[2 * KFLAME_BUILD_ID_MAX + 1];
	uint64_t file_offset;
	uint64_t in_file;
	char *function;
	uint64_t into;
};

/** struct explained_row - a row of unwind information, in readelf's notation: "rsp+16", "c-8", "u", "exp" */
struct explained_row {
	char section[16];	/* ".eh_frame", ".debug_frame"; empty: no entry describes the address */
	uint64_t entry;		/* offset of the entry (FDE) in the section */
	uint64_t start, end;	/* addresses in the file that the entry describes */
	uint64_t from, to;	/* addresses of the row */
	char cfa[24], fp[24], base[24], ra[24];
};

/**
 * struct explained_frame - one frame of the user stack, and the step to its caller
 * @ip:		program counter, or return address
 * @exact:	@ip was interrupted; else it is a return address
 * @sp, @fp:	stack pointer and frame pointer of this frame
 * @how:	KFLAME_STEP_RULE, KFLAME_STEP_FP, or KFLAME_END_*: the walk ended here
 * @cached:	the module had cached the answer for this address at an earlier sample
 * @rule:	the module's rule, with KFLAME_STEP_RULE
 * @cfa:	the canonical frame address; 0: not computed
 * @ra_at:	address of the word with the return address; 0: it is in a register, or not known
 * @ra:		the return address
 * @fp_at:	address of the word with the caller's frame pointer; 0: unchanged, or lost
 * @is_last:	no step was made: the walk ended
 * @agrees:	the computed caller is the module's next frame
 * @place:	the way to the name
 * @row:	the row of the file's unwind information for .place.in_file
 */
struct explained_frame {
	uint64_t ip, sp, fp;
	bool exact;
	bool fp_lost;
	uint32_t how;
	bool cached;
	struct kflame_rule rule;
	uint64_t cfa, ra_at, ra, fp_at;
	bool is_last;
	bool agrees;
	struct explained_place place;
	struct explained_row row;
};

/** struct explained_kernel - a frame of the kernel stack */
struct explained_kernel {
	uint64_t ip;
	char *function;
	uint64_t into;
};

/**
 * struct explained_skip - a caller that a walk by frame pointers misses
 *
 * A function without a frame record, or one that has not made it yet, returns to its caller; the frame pointer is
 * still its caller's. So the walk by frame pointers finds the caller's caller. The unwind information of the
 * interrupted function shows the caller.
 */
struct explained_skip {
	uint64_t at;		/* address of the word with the return address; 0: nothing was missed */
	uint64_t ra;
	struct explained_place place;
};

/** struct explanation - one sample; explanation_exit() frees what it points at */
struct explanation {
	uint16_t machine;		/* EM_X86_64 or EM_AARCH64 */
	struct kflame_rec_ustack sample;	/* without .data */
	struct kflame_rec_explain table;	/* without .step */
	uint32_t uway;			/* KFLAME_UWAY_* */
	size_t number;			/* which of the samples it is, from 1 */
	uint64_t regs[KFLAME_REGS_ARM64];
	uint64_t sp;			/* address of words[0] */
	uint64_t *words;
	size_t nr_words;
	struct explained_kernel *kernel;
	size_t nr_kernel;
	struct explained_frame *frames;
	size_t nr_frames;
	struct explained_skip skip;
};

void explanation_exit(struct explanation *x);

/** explained_sp() - Return: the stack pointer of user mode */
uint64_t explained_sp(const struct explanation *x);

/** explained_fp() - Return: the frame pointer of user mode */
uint64_t explained_fp(const struct explanation *x);

/** explained_pc() - Return: the program counter of user mode */
uint64_t explained_pc(const struct explanation *x);

/** explained_delay() - Return: nanoseconds from when the sample was due to when it was taken */
uint64_t explained_delay(const struct explanation *x);

/** explain_registers() - write the registers of user mode, three a line */
void explain_registers(FILE *out, const struct explanation *x);

#define STEP_TEXT	(RULE_TEXT + 64)	/* bytes that any step fits in */

/** explain_step() - write how the caller of a frame was found: by which rule, or why not.  Return: @text */
const char *explain_step(char *text, const struct explanation *x, const struct explained_frame *f);

/** explained_word() - Return: whether the copy has the word at @address */
bool explained_word(const struct explanation *x, uint64_t address, uint64_t *value);

/** struct explained_use - what a word of the stack is for */
struct explained_use {
	bool is_ra, is_fp;
	size_t frame;		/* of this frame */
};

/** explained_word_use() - what the walk used a word for.  Return: whether it used the word */
bool explained_word_use(const struct explanation *x, uint64_t address, struct explained_use *use);

/** explain_text() - write it as text */
void explain_text(FILE *out, const struct explanation *x);

/** explain_svg() - draw it: one picture without scripts, for a slide or for print */
void explain_svg(FILE *out, const struct explanation *x);

/** explain_json() - write it as JSON, see docs/explain.schema.json.  Return: 0 or -ENOMEM */
int explain_json(FILE *out, const struct explanation *x);

#endif
