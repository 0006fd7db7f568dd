// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi_leaf.c - look up one address in the unwind information of a file
 */
#include <stdlib.h>

#include "elf/cfi_interpreter.h"
#include "elf/cfi_leaf.h"
#include "elf/cfi_sections.h"

struct cfi {
	struct frame_sections tables;
	const struct cfi_registers *registers;	/* NULL: a 32-bit file, of which only ranges are read */
	bool x86;
};

struct cfi *cfi_create(Elf *elf)
{
	const struct cfi_registers *registers = NULL;
	struct cfi *c;
	GElf_Ehdr eh;

	if (!gelf_getehdr(elf, &eh) || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	if (eh.e_ident[EI_CLASS] == ELFCLASS64)
		registers = cfi_registers(eh.e_machine);
	c = registers || eh.e_ident[EI_CLASS] == ELFCLASS32 ? calloc(1, sizeof(*c)) : NULL;
	if (!c)
		return NULL;
	c->registers = registers;
	c->x86 = eh.e_machine == EM_X86_64;
	if (!frame_sections_load(elf, &c->tables) && (c->tables.eh.nr || c->tables.debug.nr))
		return c;
	cfi_destroy(c);
	return NULL;
}

void cfi_destroy(struct cfi *c)
{
	if (!c)
		return;
	frame_sections_exit(&c->tables);
	free(c);
}

/* In a leaf, CFA == rsp + 8 and the return address is at CFA - 8 */
static bool leaf_x86_64(const struct cfi *c, const struct cfi_row *row, uint64_t address)
{
	if (row->ra.kind != CFI_SAVED || row->ra.value != (uint64_t)-8)
		return false;
	if (!row->cfa_known)
		return (int)(address & 15) < cfi_push_end(&row->cfa_block);
	return row->cfa_register == c->registers->sp && row->cfa_offset == 8;
}

/* In a leaf, the link register is unchanged since the call.  This is so if no instruction mentions it, too */
static bool leaf_aarch64(const struct cfi_row *row)
{
	return row->ra.kind == CFI_UNSAID || row->ra.kind == CFI_SAME;
}

/* Return: whether the table has a row for the address */
static bool leaf_at(const struct cfi *c, const struct frame_table *t, uint64_t address,
		    bool *leaf)
{
	struct frame_entry e;
	uint64_t from, to;
	struct cfi_run r;

	if (!frame_table_find(t, address, &e))
		return false;
	cfi_run_begin(&r, t, &e, c->registers);
	do {
		if (!cfi_run_next(&r, &from, &to))
			return false;
	} while (to <= address);
	/* A signal frame's "caller" is the interrupted code, which called nothing */
	if (e.signal)
		*leaf = false;
	else
		*leaf = c->x86 ? leaf_x86_64(c, &r.row, address) : leaf_aarch64(&r.row);
	return true;
}

bool cfi_leaf(const struct cfi *c, uint64_t address)
{
	bool leaf = false;

	if (!c || !c->registers)
		return false;
	if (!leaf_at(c, &c->tables.eh, address, &leaf))
		leaf_at(c, &c->tables.debug, address, &leaf);
	return leaf;
}

/* Find the entry for an address in either table */
static bool find_entry(const struct cfi *c, uint64_t address, struct frame_entry *e)
{
	return frame_table_find(&c->tables.eh, address, e) ||
	       frame_table_find(&c->tables.debug, address, e);
}

bool cfi_function(const struct cfi *c, uint64_t address, uint64_t *start, uint64_t *end)
{
	struct frame_entry e;

	if (!c)
		return false;
	/*
	 * A signal handler returns to a system call with no code after it.  While the system call runs, the
	 * program counter is just past the end of the entry.
	 */
	if (!find_entry(c, address, &e) &&
	    !(address && find_entry(c, address - 1, &e) && e.signal))
		return false;
	*start = e.start;
	*end = e.end > address ? e.end : address + 1;
	return true;
}

static uint64_t limit_of(const struct frame_table *t, uint64_t address)
{
	const struct frame_range *range = frame_table_range(t, address);
	const size_t after = frame_table_after(t, address);
	const uint64_t limit = after < t->nr ? t->all[after].start : UINT64_MAX;

	return range && range->end < limit ? range->end : limit;
}

uint64_t cfi_limit(const struct cfi *c, uint64_t address)
{
	uint64_t eh, debug;

	if (!c)
		return UINT64_MAX;
	eh = limit_of(&c->tables.eh, address);
	debug = limit_of(&c->tables.debug, address);
	return eh < debug ? eh : debug;
}
