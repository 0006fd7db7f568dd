// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi.c - what a file's unwind information says about one address
 *
 * Instructions are run only for what is asked: where the CFA is, and where the
 * return address is.  What they say of other registers is read over.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/cfi.h"
#include "symbols/frames.h"
#include "symbols/section.h"

#define X86_64_RSP	7
#define X86_64_RA	16
#define AARCH64_LR	30

#define MAX_SAVED	8		/* states remembered; compilers nest them once */
#define MAX_PROGRAM	(256u << 10)	/* bytes; each question runs them anew */
#define MAX_TABLE	(1u << 30)	/* bytes of a table that was compressed */
#define MAX_RATIO	1032		/* deflate makes nothing smaller than by that */

struct cfi {
	struct frame_table eh;
	struct frame_table debug;
	GElf_Half machine;
};

/* ------------------------------------------------------------------- tables */

/*
 * The bytes of a section as they are in the file, or as they were before they
 * were compressed; the file says how many those are, so they are counted first.
 */
static Elf_Data *section_bytes(Elf_Scn *scn, const GElf_Shdr *sh)
{
	GElf_Chdr ch;

	if (sh->sh_type == SHT_NOBITS)
		return NULL;
	if (sh->sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(scn, &ch) || ch.ch_type != ELFCOMPRESS_ZLIB ||
		    ch.ch_size > MAX_TABLE || ch.ch_size / MAX_RATIO > sh->sh_size ||
		    elf_compress(scn, 0, 0) < 0)
			return NULL;
	}
	return elf_rawdata(scn, NULL);
}

static int load_section(Elf_Scn *scn, const GElf_Shdr *sh, struct frame_table *t)
{
	Elf_Data *data = t->data ? NULL : section_bytes(scn, sh);

	if (!data || !data->d_buf)
		return 0;
	t->data = data->d_buf;
	t->len = data->d_size;
	t->address = sh->sh_addr;
	return frame_table_load(t);
}

/* Finds both tables.  Return: 0 or -ENOMEM. */
static int load_tables(struct cfi *c, Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	int err = 0;

	while (!err && (scn = section_next(elf, scn, &sh, &name))) {
		if (!strcmp(name, ".eh_frame"))
			err = load_section(scn, &sh, &c->eh);
		else if (!strcmp(name, ".debug_frame"))
			err = load_section(scn, &sh, &c->debug);
	}
	return err;
}

struct cfi *cfi_new(Elf *elf)
{
	struct cfi *c;
	GElf_Ehdr eh;

	if (!gelf_getehdr(elf, &eh) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->machine = eh.e_machine;
	c->eh.eh = true;
	if (!load_tables(c, elf) && (c->eh.nr || c->debug.nr))
		return c;
	cfi_free(c);
	return NULL;
}

void cfi_free(struct cfi *c)
{
	if (!c)
		return;
	frame_table_free(&c->eh);
	frame_table_free(&c->debug);
	free(c);
}

/* ------------------------------------------------------------- instructions */

enum rule {
	RULE_NONE,	/* nothing is said: as the ABI has it */
	RULE_SAME,	/* it has what it had at the call */
	RULE_SAVED,	/* it is in memory at .offset from the CFA */
	RULE_OTHER,
};

/* A row of the table that the instructions describe, as far as it is asked for */
struct row {
	bool cfa_known;		/* it is a register and an offset */
	uint64_t cfa_register;
	uint64_t cfa_offset;	/* two's complement, as .offset */
	enum rule rule;		/* of the register asked for */
	uint64_t offset;
};

struct run {
	const struct frame_table *table;
	const struct frame_entry *entry;
	struct bytes b;
	uint64_t asked;		/* the register */
	uint64_t at;		/* the row is that of this address and on */
	struct row row;
	struct row initial;
	struct row saved[MAX_SAVED];
	unsigned int nr_saved;
};

static void set_rule(struct run *r, uint64_t reg, enum rule rule, uint64_t offset)
{
	if (reg != r->asked)
		return;
	r->row.rule = rule;
	r->row.offset = offset;
}

static void restore_rule(struct run *r, uint64_t reg)
{
	set_rule(r, reg, r->initial.rule, r->initial.offset);
}

static void skip_block(struct run *r)
{
	bytes_take(&r->b, bytes_uleb(&r->b));
}

static uint64_t factored(struct run *r, bool with_sign)
{
	uint64_t n = with_sign ? bytes_sleb(&r->b) : bytes_uleb(&r->b);

	return n * r->entry->data_align;
}

/* Return: whether it is an instruction that says where a register is */
static bool run_rule(struct run *r, unsigned int op)
{
	uint64_t reg;

	if (!(op >= DW_CFA_offset_extended && op <= DW_CFA_register) &&
	    op != DW_CFA_expression && op != DW_CFA_offset_extended_sf &&
	    !(op >= DW_CFA_val_offset && op <= DW_CFA_val_expression) &&
	    op != DW_CFA_GNU_negative_offset_extended)
		return false;
	reg = bytes_uleb(&r->b);
	switch (op) {
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
		set_rule(r, reg, RULE_SAVED, factored(r, op == DW_CFA_offset_extended_sf));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_rule(r, reg, RULE_SAVED, -factored(r, false));
		break;
	case DW_CFA_restore_extended:
		restore_rule(r, reg);
		break;
	case DW_CFA_same_value:
		set_rule(r, reg, RULE_SAME, 0);
		break;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		skip_block(r);
		set_rule(r, reg, RULE_OTHER, 0);
		break;
	default:	/* undefined, register, val_offset, val_offset_sf */
		if (op != DW_CFA_undefined)
			bytes_uleb(&r->b);
		set_rule(r, reg, RULE_OTHER, 0);
	}
	return true;
}

/* Return: whether it is an instruction that says where the CFA is */
static bool run_cfa(struct run *r, unsigned int op)
{
	struct row *row = &r->row;

	switch (op) {
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
		row->cfa_known = true;
		row->cfa_register = bytes_uleb(&r->b);
		row->cfa_offset = op == DW_CFA_def_cfa ? bytes_uleb(&r->b) : factored(r, true);
		return true;
	case DW_CFA_def_cfa_register:
		row->cfa_register = bytes_uleb(&r->b);
		return true;
	case DW_CFA_def_cfa_offset:
		row->cfa_offset = bytes_uleb(&r->b);
		return true;
	case DW_CFA_def_cfa_offset_sf:
		row->cfa_offset = factored(r, true);
		return true;
	case DW_CFA_def_cfa_expression:
		row->cfa_known = false;
		skip_block(r);
		return true;
	}
	return false;
}

/* Return: whether it is an instruction that goes on to another address */
static bool run_advance(struct run *r, unsigned int op)
{
	uint64_t align = r->entry->code_align;

	switch (op) {
	case DW_CFA_set_loc:
		r->at = frame_pointer(r->table, &r->b, r->entry->encoding);
		return true;
	case DW_CFA_advance_loc1:
		r->at += bytes_uint(&r->b, 1) * align;
		return true;
	case DW_CFA_advance_loc2:
		r->at += bytes_uint(&r->b, 2) * align;
		return true;
	case DW_CFA_advance_loc4:
		r->at += bytes_uint(&r->b, 4) * align;
		return true;
	}
	return false;
}

static void run_other(struct run *r, unsigned int op)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_AARCH64_negate_ra_state:
		return;
	case DW_CFA_GNU_args_size:
		bytes_uleb(&r->b);
		return;
	case DW_CFA_remember_state:
		if (r->nr_saved < MAX_SAVED) {
			r->saved[r->nr_saved++] = r->row;
			return;
		}
		break;
	case DW_CFA_restore_state:
		if (r->nr_saved) {
			r->row = r->saved[--r->nr_saved];
			return;
		}
		break;
	}
	r->b.bad = true;
}

static void run_one(struct run *r)
{
	unsigned int op = (unsigned int)bytes_uint(&r->b, 1);

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		r->at += (op & 0x3f) * r->entry->code_align;
		return;
	case DW_CFA_offset:
		set_rule(r, op & 0x3f, RULE_SAVED, factored(r, false));
		return;
	case DW_CFA_restore:
		restore_rule(r, op & 0x3f);
		return;
	}
	if (!run_rule(r, op) && !run_cfa(r, op) && !run_advance(r, op))
		run_other(r, op);
}

/* Runs @program up to the row of @address.  Return: whether it made sense so far. */
static bool run_to(struct run *r, struct bytes program, uint64_t address)
{
	r->b = program;
	while (!r->b.bad && r->b.at < r->b.end) {
		struct row before = r->row;

		run_one(r);
		if (r->at <= address)
			continue;
		r->row = before;
		break;
	}
	return !r->b.bad;
}

static bool row_at(const struct frame_table *t, const struct frame_entry *e, uint64_t asked,
		   uint64_t address, struct row *row)
{
	struct run r = { .table = t, .entry = e, .asked = asked, .at = e->start };

	if (e->program.end - e->program.at > MAX_PROGRAM ||
	    e->initial.end - e->initial.at > MAX_PROGRAM || !run_to(&r, e->initial, address))
		return false;
	r.initial = r.row;
	if (!run_to(&r, e->program, address))
		return false;
	*row = r.row;
	return true;
}

/* ----------------------------------------------------------------- verdicts */

/* CFA == rsp + 8, and the return address is at CFA - 8 */
static bool leaf_x86_64(const struct row *row)
{
	return row->cfa_known && row->cfa_register == X86_64_RSP && row->cfa_offset == 8 &&
	       row->rule == RULE_SAVED && row->offset == (uint64_t)-8;
}

/* The link register has what it had at the call, which is so where nothing is said */
static bool leaf_aarch64(const struct row *row)
{
	return row->rule == RULE_NONE || row->rule == RULE_SAME;
}

/* Return: whether the table says something of that address */
static bool leaf_at(const struct cfi *c, const struct frame_table *t, uint64_t address,
		    bool *leaf)
{
	bool x86 = c->machine == EM_X86_64;
	struct frame_entry e;
	struct row row;

	if (!frame_table_find(t, address, &e) ||
	    !row_at(t, &e, x86 ? X86_64_RA : AARCH64_LR, address, &row))
		return false;
	/* A signal frame's "caller" is the interrupted code, which called nothing */
	if (e.signal)
		*leaf = false;
	else if (x86)
		*leaf = leaf_x86_64(&row);
	else if (c->machine == EM_AARCH64)
		*leaf = leaf_aarch64(&row);
	return true;
}

bool cfi_leaf(const struct cfi *c, uint64_t address)
{
	bool leaf = false;

	if (!c)
		return false;
	if (!leaf_at(c, &c->eh, address, &leaf))
		leaf_at(c, &c->debug, address, &leaf);
	return leaf;
}
