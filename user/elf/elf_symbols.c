// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf_symbols.c - find the functions of an ELF file by file offset
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/cfi_leaf.h"
#include "elf/dynamic_symbols.h"
#include "elf/elf_symbols.h"
#include "elf/libelf_section.h"
#include "elf/plt.h"
#include "uapi/kflame.h"

#define MAX_NAME	32768	/* bytes; symbols with longer names are skipped, as damage */
#define MAX_MADE	(16u << 20)	/* bytes of all names of jump stubs */
/* Linux runs no file with more program headers.  Each symbol lookup searches all segments */
#define MAX_PHDRS	(65536 / sizeof(Elf64_Phdr))

/* A symbol as it is in the symbol table */
struct raw {
	uint64_t start;		/* file offset */
	uint64_t end;		/* equal to .start: the table has no size */
	uint64_t limit;		/* end of its section: the symbol cannot extend past it */
	const char *name;
	unsigned int rank;	/* lower is better */
	bool guessed;		/* the table has no size: .end is not from the table */
};

struct raws {
	struct raw *all;
	size_t nr, cap;
};

static int load_segments(Elf *elf, struct elf_symbols *out)
{
	size_t nr;

	if (elf_getphdrnum(elf, &nr) || nr > MAX_PHDRS)
		return 0;
	out->segments = calloc(nr + 1, sizeof(*out->segments));
	if (!out->segments)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			break;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) ||
		    ph.p_offset + ph.p_filesz < ph.p_offset ||
		    ph.p_vaddr + ph.p_filesz < ph.p_vaddr)
			continue;
		out->segments[out->nr_segments++] = (struct elf_segment){
			ph.p_offset, ph.p_vaddr, ph.p_filesz };
	}
	return 0;
}

/*
 * Make a segment of each section that is executable in memory, at its address.  A debug file has sections,
 * but its segments have no bytes.
 */
static int load_sections(Elf *elf, struct elf_symbols *out)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t nr;

	if (elf_getshdrnum(elf, &nr))
		return 0;
	out->segments = calloc(nr + 1, sizeof(*out->segments));
	if (!out->segments)
		return -ENOMEM;
	while ((scn = elf_nextscn(elf, scn)) && out->nr_segments < nr)
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_ALLOC &&
		    sh.sh_flags & SHF_EXECINSTR && sh.sh_addr + sh.sh_size > sh.sh_addr)
			out->segments[out->nr_segments++] = (struct elf_segment){
				sh.sh_addr, sh.sh_addr, sh.sh_size };
	return 0;
}

/* Return: the segment that a file offset is in */
static const struct elf_segment *segment_of(const struct elf_symbols *s, uint64_t offset)
{
	for (size_t i = 0; i < s->nr_segments; i++)
		if (offset >= s->segments[i].offset &&
		    offset - s->segments[i].offset < s->segments[i].bytes)
			return &s->segments[i];
	return NULL;
}

bool elf_symbols_address(const struct elf_symbols *s, uint64_t offset, uint64_t *address)
{
	const struct elf_segment *g = segment_of(s, offset);

	if (g)
		*address = g->address + (offset - g->offset);
	return g;
}

/* Return: the segment that an address of the file is in */
static const struct elf_segment *segment_at(const struct elf_symbols *s, uint64_t address)
{
	for (size_t i = 0; i < s->nr_segments; i++)
		if (address >= s->segments[i].address &&
		    address - s->segments[i].address < s->segments[i].bytes)
			return &s->segments[i];
	return NULL;
}

#define RANK_UNTYPED	(6 * 16)	/* symbols without a type have this rank or a higher one */
#define RANK_OTHER	(~0u)		/* functions that are in no symbol table */

static unsigned int rank_of(const GElf_Sym *sym, const char *name)
{
	unsigned int bind = GELF_ST_BIND(sym->st_info), rank, underscores = 0;

	rank = bind == STB_LOCAL ? 2 : bind == STB_WEAK ? 1 : 0;
	/* An empty function of clang is at the address of the next function */
	if (!sym->st_size)
		rank += 3;
	while (underscores < 15 && name[underscores] == '_')
		underscores++;
	return rank * 16 + underscores +
	       (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? RANK_UNTYPED : 0);
}

/* Assemblers and the arm64 ABI use labels, which are no functions.  Swift's functions with $ have a type */
static bool is_label(const char *name, unsigned int type)
{
	return (name[0] == '$' && type == STT_NOTYPE) || (name[0] == '.' && name[1] == 'L');
}

/* Add symbol @sym if it is a function.  Return: 0 or -ENOMEM. */
static int take_symbol(Elf *elf, const struct elf_symbols *out, const GElf_Sym *sym,
		       const char *name, struct raws *to)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	const struct elf_segment *g;
	uint64_t limit;
	GElf_Shdr sh;
	Elf_Scn *scn;
	bool inside;
	int err;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return 0;
	if (!name || !name[0] || is_label(name, type) || strnlen(name, MAX_NAME) == MAX_NAME)
		return 0;
	g = segment_at(out, sym->st_value);
	if (!g)
		return 0;
	limit = g->address + g->bytes;
	scn = elf_getscn(elf, sym->st_shndx);
	if (scn && gelf_getshdr(scn, &sh)) {
		if (!(sh.sh_flags & SHF_EXECINSTR))
			return 0;
		inside = sh.sh_addr <= sym->st_value && sym->st_value - sh.sh_addr < sh.sh_size;
		/* Such a symbol marks where the section ends.  What is there belongs to the next section */
		if (!inside && !sym->st_size)
			return 0;
		if (inside && limit - sh.sh_addr > sh.sh_size)
			limit = sh.sh_addr + sh.sh_size;
	} else if (type == STT_NOTYPE) {
		return 0;
	}
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (err)
		return err;
	to->all[to->nr++] = (struct raw){
		.start = sym->st_value - g->address + g->offset,
		.limit = limit - g->address + g->offset,
		.end = sym->st_value - g->address + g->offset +
		       (sym->st_size < limit - sym->st_value ? sym->st_size
							     : limit - sym->st_value),
		.name = name,
		.rank = rank_of(sym, name),
	};
	return 0;
}

/* Read the first symbol table of a type.  Return: 0 or -ENOMEM. */
static int load_table(Elf *elf, const struct elf_symbols *out, uint32_t type, struct raws *to)
{
	/* No limit for the string table: only the first symbol table is read */
	uint64_t left = UINT64_MAX;
	Elf_Scn *scn = NULL;
	int err = 0;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		GElf_Shdr sh;
		size_t nr;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !section_strings_end(elf, sh.sh_link, &left))
			break;
		nr = data->d_size / sh.sh_entsize;
		for (size_t i = 1; !err && i < nr && i < INT32_MAX; i++) {
			GElf_Sym sym;

			if (!gelf_getsym(data, (int)i, &sym))
				break;
			err = take_symbol(elf, out, &sym,
					  elf_strptr(elf, sh.sh_link, sym.st_name), to);
		}
		break;
	}
	return err;
}

/* Read the dynamic symbols of a file without section headers.  Return: 0 or -ENOMEM. */
static int load_dynamic(Elf *elf, const struct elf_symbols *out, struct raws *to)
{
	struct dynamic_symbols d;
	size_t sections;
	int err = 0;

	if (elf_getshdrnum(elf, &sections) || sections || !dynamic_symbols_find(elf, &d))
		return 0;
	for (size_t i = 1; !err && i < d.nr && i < INT32_MAX; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(d.symbols, (int)i, &sym))
			break;
		err = take_symbol(elf, out, &sym, sym.st_name < d.strings_len ? d.strings + sym.st_name : NULL, to);
	}
	return err;
}

/*
 * Return: "name@plt"; NULL if memory runs out.  Many stubs may name the same symbol, so the bytes of all
 * names are limited.
 */
static const char *stub_name(struct elf_symbols *out, const char *symbol)
{
	size_t len = symbol ? strnlen(symbol, MAX_NAME) : MAX_NAME;
	char *name;

	if (len == MAX_NAME || out->made_bytes > MAX_MADE)
		return "[plt]";
	out->made_bytes += len + sizeof("@plt");
	if (grow(&out->made, out->nr_made, &out->cap_made, sizeof(*out->made)) ||
	    asprintf(&name, "%s@plt", symbol) < 0)
		return NULL;
	out->made[out->nr_made++] = name;
	return name;
}

/* Add a function at @address that is in no symbol table.  Return: 0 or -ENOMEM */
static int add_other(const struct elf_symbols *out, uint64_t address, uint64_t bytes,
		     const char *name, struct raws *to)
{
	const struct elf_segment *g = segment_at(out, address);
	uint64_t start;
	int err;

	if (!g || bytes > g->bytes - (address - g->address))
		return 0;
	err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
	if (err)
		return err;
	start = address - g->address + g->offset;
	to->all[to->nr++] = (struct raw){ .start = start, .end = start + bytes,
					  .limit = start + bytes, .name = name, .rank = RANK_OTHER };
	return 0;
}

/* Add the functions of a Go program, and record in @out if nothing better names them */
static int add_go(Elf *elf, struct elf_symbols *out, struct raws *to)
{
	int err = go_table_load(elf, &out->go);

	for (size_t i = 0; !err && i < out->go.nr; i++) {
		const struct go_function *f = &out->go.all[i];

		err = add_other(out, f->start, f->end - f->start, f->name, to);
	}
	if (out->go.nr && (out->state == KFLAME_NAMED_NONE || out->state == KFLAME_NAMED_DYNSYM))
		out->state = KFLAME_NAMED_GO;
	return err;
}

static bool has_symtab(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

/* Without .symtab, add the functions that debug data names: of the debug file, or of the file itself */
static int add_dwarf(Elf *elf, Elf *debug, struct elf_symbols *out, struct raws *to)
{
	size_t nr = to->nr;
	int err = 0;

	if (has_symtab(elf) || (debug && has_symtab(debug)))
		return 0;
	if (debug)
		err = dwarf_functions_load(debug, &out->dwarf);
	if (!err && !out->dwarf.dwarf)
		err = dwarf_functions_load(elf, &out->dwarf);
	for (size_t i = 0; !err && i < out->dwarf.nr; i++) {
		const struct dwarf_function *f = &out->dwarf.all[i];

		err = add_other(out, f->start, f->end - f->start, f->name, to);
	}
	if (to->nr > nr)
		out->state = KFLAME_NAMED_DEBUG;
	return err;
}

/* Jump stubs have no symbols.  Name each part of their sections that no symbol covers as a stub */
static int add_stubs(Elf *elf, struct elf_symbols *out, struct raws *to)
{
	struct plt plt;
	int err = plt_load(elf, &plt);

	for (size_t i = 0; !err && i < plt.nr; i++) {
		const struct plt_stub *stub = &plt.all[i];
		const char *name = stub_name(out, stub->symbol);

		err = name ? add_other(out, stub->address, stub->bytes, name, to) : -ENOMEM;
	}
	plt_exit(&plt);
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sort outer ranges before the ranges inside them */
static int outer_first(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

/*
 * Of the symbols at an address, keep the best one, and those that extend further than all better ones.  A
 * symbol without a size gets the size of a worse one.
 */
static void drop_aliases(struct raws *r)
{
	bool nested = false;
	size_t to = 0;

	for (size_t i = 0; i < r->nr; i++) {
		struct raw *last = to ? &r->all[to - 1] : NULL, s = r->all[i];

		if (last && last->start == s.start) {
			if (last->end == last->start)
				last->end = s.end;
			if (s.end <= last->end || s.rank == RANK_OTHER)
				continue;
			nested = true;
		}
		r->all[to++] = s;
	}
	r->nr = to;
	if (nested)
		qsort(r->all, r->nr, sizeof(*r->all), outer_first);
}

static bool has_sizeless(const struct raws *r)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->all[i].end == r->all[i].start)
			return true;
	return false;
}

/* Return: where a symbol without a size ends according to the unwind information */
static uint64_t end_by_frames(const struct elf_symbols *out, const struct cfi *frames,
			      const struct raw *s)
{
	uint64_t address, limit;

	if (!elf_symbols_address(out, s->start, &address))
		return s->limit;
	limit = cfi_limit(frames, address);
	return limit - address < s->limit - s->start ? s->start + (limit - address) : s->limit;
}

/* Return: whether unwind information says that the function of a symbol begins there */
static bool begins_by_frames(const struct elf_symbols *out, const struct cfi *frames,
			     const struct raw *s)
{
	uint64_t address, start, end;

	return s->rank < RANK_UNTYPED && elf_symbols_address(out, s->start, &address) &&
	       cfi_function(frames, address, &start, &end) && start == address;
}

/* Labels inside a function that has a size are no functions */
static void drop_labels(struct raws *r, const struct elf_symbols *out, const struct cfi *frames)
{
	uint64_t covered = 0;
	size_t to = 0;

	for (size_t i = 0; i < r->nr; i++) {
		const struct raw s = r->all[i];

		if (s.end == s.start && s.start < covered && !begins_by_frames(out, frames, &s))
			continue;
		if (s.end > covered)
			covered = s.end;
		r->all[to++] = s;
	}
	r->nr = to;
}

/*
 * Set the sizes of symbols without one.  Such a symbol ends at the next symbol, at the end of its section, or
 * where the unwind information says, whichever is first.
 */
static void settle_sizes(struct raws *r, const struct elf_symbols *out, const struct cfi *frames)
{
	for (size_t i = 0; i < r->nr; i++) {
		struct raw *s = &r->all[i];

		if (s->end != s->start)
			continue;
		s->guessed = true;
		s->end = end_by_frames(out, frames, s);
		if (i + 1 < r->nr && s[1].start < s->end)
			s->end = s[1].start;
	}
}

/*
 * A signal handler returns to a system call with no code after it.  While the system call runs, the program
 * counter is just past the end of the function.
 */
static bool is_trampoline(const char *name)
{
	return !strcmp(name, "__kernel_rt_sigreturn") || !strcmp(name, "__restore_rt");
}

static void widen_trampolines(struct elf_symbols *out)
{
	for (size_t i = 0; i < out->nr; i++) {
		struct elf_function *f = &out->functions[i];

		if (is_trampoline(f->name) && (i + 1 == out->nr || f[1].start > f->end))
			f->end++;
	}
}

static int emit(struct elf_symbols *out, uint64_t start, uint64_t end, const struct raw *s)
{
	int err;

	if (start >= end)
		return 0;
	err = grow(&out->functions, out->nr, &out->cap, sizeof(*out->functions));
	if (!err)
		out->functions[out->nr++] = (struct elf_function){ start, end, s->name,
								       s->guessed };
	return err;
}

/*
 * Turn nested ranges into ranges side by side.  An inner function keeps its range.  The outer function gets
 * what is left before and after it.
 */
static int flatten(const struct raws *r, struct elf_symbols *out)
{
	size_t *open = malloc((r->nr + 1) * sizeof(*open)), depth = 0;
	uint64_t at = 0;
	int err = 0;

	if (!open)
		return -ENOMEM;
	for (size_t i = 0; !err && i <= r->nr; i++) {
		uint64_t next = i < r->nr ? r->all[i].start : UINT64_MAX;

		while (!err && depth) {
			const struct raw *top = &r->all[open[depth - 1]];
			uint64_t end = top->end < next ? top->end : next;

			err = emit(out, at, end, top);
			if (end > at)
				at = end;
			if (top->end > next)
				break;
			depth--;
		}
		if (i < r->nr) {
			open[depth++] = i;
			at = next;
		}
	}
	free(open);
	return err;
}

/* Load all symbol tables that exist, and record the best one of them in @out */
static int load_tables(Elf *elf, const struct elf_more *more, struct elf_symbols *out,
		       struct raws *to)
{
	size_t nr;
	int err;

	out->state = KFLAME_NAMED_NONE;
	err = load_table(elf, out, SHT_DYNSYM, to);
	if (!err)
		err = load_dynamic(elf, out, to);
	if (to->nr)
		out->state = KFLAME_NAMED_DYNSYM;
	nr = to->nr;
	if (!err && more && more->mini)
		err = load_table(more->mini, out, SHT_SYMTAB, to);
	if (to->nr > nr)
		out->state = KFLAME_NAMED_MINI;
	nr = to->nr;
	if (!err)
		err = load_table(elf, out, SHT_SYMTAB, to);
	if (to->nr > nr)
		out->state = KFLAME_NAMED_SYMTAB;
	nr = to->nr;
	if (!err && more && more->debug)
		err = load_table(more->debug, out, SHT_SYMTAB, to);
	if (to->nr > nr)
		out->state = KFLAME_NAMED_DEBUG;
	if (!err)
		err = add_dwarf(elf, more ? more->debug : NULL, out, to);
	/* .symtab may be partial.  Go's table has no functions in C */
	if (!err)
		err = add_go(elf, out, to);
	return err;
}

/* Return: whether the file can have symbols */
static bool begin(Elf *elf, struct elf_symbols *out)
{
	GElf_Ehdr eh;

	memset(out, 0, sizeof(*out));
	out->state = KFLAME_NAMED_DAMAGED;
	return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh);
}

/* Turn symbols into functions, and free the symbols */
static int settle(Elf *elf, struct raws *raws, struct elf_symbols *out)
{
	struct cfi *frames;
	int err = 0;

	if (raws->nr) {
		qsort(raws->all, raws->nr, sizeof(*raws->all), by_start);
		drop_aliases(raws);
		frames = has_sizeless(raws) ? cfi_create(elf) : NULL;
		drop_labels(raws, out, frames);
		settle_sizes(raws, out, frames);
		cfi_destroy(frames);
		err = flatten(raws, out);
		widen_trampolines(out);
	}
	free(raws->all);
	return err;
}

int elf_symbols_segments(Elf *elf, bool linked, struct elf_symbols *out)
{
	if (!begin(elf, out))
		return 0;
	return linked ? load_sections(elf, out) : load_segments(elf, out);
}

int elf_symbols_load(Elf *elf, const struct elf_more *more, struct elf_symbols *out)
{
	struct raws raws = { 0 };
	int err;

	if (!begin(elf, out))
		return 0;
	err = load_segments(elf, out);
	if (err || !out->nr_segments)
		return err;
	err = load_tables(elf, more, out, &raws);
	if (!err)
		err = add_stubs(elf, out, &raws);
	if (!err)
		return settle(elf, &raws, out);
	free(raws.all);
	return err;
}

int elf_symbols_load_linked(Elf *elf, struct elf_symbols *out)
{
	struct raws raws = { 0 };
	int err;

	if (!begin(elf, out))
		return 0;
	err = load_sections(elf, out);
	if (err)
		return err;
	err = load_table(elf, out, SHT_SYMTAB, &raws);
	out->state = raws.nr ? KFLAME_NAMED_SYMTAB : KFLAME_NAMED_NONE;
	if (!err)
		return settle(elf, &raws, out);
	free(raws.all);
	return err;
}

void elf_symbols_exit(struct elf_symbols *s)
{
	go_table_exit(&s->go);
	dwarf_functions_exit(&s->dwarf);
	free(s->segments);
	free(s->functions);
	for (size_t i = 0; i < s->nr_made; i++)
		free(s->made[i]);
	free(s->made);
	memset(s, 0, sizeof(*s));
}

/* Return: how many functions begin at @offset or before it */
static size_t functions_before(const struct elf_symbols *s, uint64_t offset)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->functions[mid].start <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct elf_function *elf_symbols_find(const struct elf_symbols *s, uint64_t offset)
{
	size_t before = functions_before(s, offset);

	if (!before || offset >= s->functions[before - 1].end)
		return NULL;
	return &s->functions[before - 1];
}

bool elf_symbols_gap(const struct elf_symbols *s, uint64_t offset, uint64_t *start, uint64_t *end)
{
	size_t before = functions_before(s, offset);
	const struct elf_segment *g = segment_of(s, offset);

	if (!g)
		return false;
	*start = g->offset;
	*end = g->offset + g->bytes;
	if (before && s->functions[before - 1].end > *start)
		*start = s->functions[before - 1].end;
	if (before < s->nr && s->functions[before].start < *end)
		*end = s->functions[before].start;
	return true;
}
