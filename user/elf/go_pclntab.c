// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * go_pclntab.c - find the functions of a Go program by the table of its runtime
 *
 * For the layouts see Go's src/debug/gosym/pclntab.go and src/runtime/symtab.go.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "elf/go_pclntab.h"
#include "elf/libelf_section.h"

#define GO_1_2		0xfffffffbu
#define GO_1_16		0xfffffffau
#define GO_1_18		0xfffffff0u
#define GO_1_20		0xfffffff1u

#define WORD		8u
#define UNIT_AT		6		/* offset in the header: size of an instruction unit */
#define TEXT_AT		(8 + 2 * WORD)	/* offset in the header of Go 1.18: start of the code */
#define MAX_NAME	32768u		/* bytes */
#define DATA		".data.rel.ro"
#define MODULE		".go.module"	/* the runtime's moduledata: the address of the table comes first */
#define MODULE_TEXT	(22 * WORD)	/* offset of moduledata.text */

/* A table and the offsets of its parts */
struct layout {
	const unsigned char *data;
	uint64_t len;
	uint64_t address;	/* of data[0] */
	uint64_t nr;		/* number of functions */
	uint64_t text;		/* address that the functions' addresses in the table are relative to */
	uint64_t names;		/* this and the rest are offsets in the table: names of functions */
	uint64_t values;	/* values that change within functions */
	uint64_t functions;	/* base of the functions' entries */
	uint64_t index;		/* address and entry offset of each function, then the end of the last one */
	unsigned int width;	/* bytes of a number in the index */
};

/* Return: the number of @nr bytes at offset @at; 0 if it is not in the table */
static uint64_t number_at(const struct layout *l, uint64_t at, unsigned int nr)
{
	struct bytes b = { .at = l->data, .end = l->data + l->len };

	return bytes_take(&b, at) ? bytes_uint(&b, nr) : 0;
}

static bool find_section(Elf *elf, const char *wanted, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	const char *name;

	while ((scn = section_next(elf, scn, sh, &name)))
		if (!strcmp(name, wanted))
			return true;
	return false;
}

/* Return: the addend to which the dynamic linker adds the load address and writes it to @address; 0: none */
static uint64_t relocated(Elf *elf, uint64_t address)
{
	Elf_Data *data = section_data(elf, ".rela.dyn");
	struct bytes b = { 0 };

	if (!data || !data->d_buf)
		return 0;
	b.at = data->d_buf;
	b.end = b.at + data->d_size;
	while (!b.bad) {
		uint64_t at = bytes_uint(&b, WORD), addend;

		bytes_uint(&b, WORD);	/* skip type and symbol: a relative relocation has no symbol */
		addend = bytes_uint(&b, WORD);
		if (!b.bad && at == address)
			return addend;
	}
	return 0;
}

/* Return: the address at @at in a section at @sh, or that the dynamic linker writes there; 0: none */
static uint64_t pointer_at(Elf *elf, const Elf_Data *data, const GElf_Shdr *sh, uint64_t at)
{
	const struct layout l = { .data = data->d_buf, .len = data->d_size };
	uint64_t value = number_at(&l, at, WORD);

	return value ? value : relocated(elf, sh->sh_addr + at);
}

/* Return: start of the code, as the runtime's own description of the table @l says; 0: it does not say */
static uint64_t text_of_module(Elf *elf, const struct layout *l)
{
	Elf_Data *data = section_data(elf, MODULE);
	GElf_Shdr sh;

	if (!data || !data->d_buf || !find_section(elf, MODULE, &sh) ||
	    pointer_at(elf, data, &sh, 0) != l->address)
		return 0;
	return pointer_at(elf, data, &sh, MODULE_TEXT);
}

/*
 * Find the start of the code.  The header has it, unless a relocation or a variable of the runtime (Go 1.26)
 * provides it.  If that variable is not in a section of its own, the code begins with .text, if Go's own
 * linker linked the program.  Other linkers put startup code of the C library there first.
 */
static uint64_t find_text(Elf *elf, const struct layout *l)
{
	uint64_t text = number_at(l, TEXT_AT, WORD);
	GElf_Shdr sh;

	if (!text)
		text = relocated(elf, l->address + TEXT_AT);
	if (!text)
		text = text_of_module(elf, l);
	if (!text && !find_section(elf, ".init", &sh) && find_section(elf, ".text", &sh))
		text = sh.sh_addr;
	return text;
}

/* Return: whether the table has a known format */
static bool read_header(Elf *elf, struct layout *l)
{
	uint64_t words = 8;

	if (number_at(l, 7, 1) != WORD)
		return false;
	l->nr = number_at(l, words, WORD);
	switch (number_at(l, 0, 4)) {
	case GO_1_2:
		l->index = words + WORD;
		l->width = WORD;
		return true;
	case GO_1_16:
		l->names = number_at(l, words + 2 * WORD, WORD);
		l->values = number_at(l, words + 5 * WORD, WORD);
		l->functions = l->index = number_at(l, words + 6 * WORD, WORD);
		l->width = WORD;
		return true;
	case GO_1_18:
	case GO_1_20:
		l->names = number_at(l, words + 3 * WORD, WORD);
		l->values = number_at(l, words + 6 * WORD, WORD);
		l->functions = l->index = number_at(l, words + 7 * WORD, WORD);
		l->width = 4;
		l->text = find_text(elf, l);
		return l->text;
	default:
		return false;
	}
}

/* Return: name of the function whose entry is at @at; NULL if it has no valid name */
static const char *name_of(const struct layout *l, uint64_t at)
{
	uint64_t name = l->names + number_at(l, l->functions + at + l->width, 4);
	size_t left;

	if (name >= l->len)
		return NULL;
	left = l->len - name < MAX_NAME ? l->len - name : MAX_NAME;
	if (!l->data[name] || !memchr(l->data + name, 0, left))
		return NULL;
	return (const char *)l->data + name;
}

static int load_functions(const struct layout *l, struct go_table *out)
{
	uint64_t pair = 2 * l->width;
	int err = 0;

	if (l->index > l->len || l->nr > (l->len - l->index) / pair)
		return 0;
	for (uint64_t i = 0; !err && i < l->nr; i++) {
		uint64_t at = l->index + i * pair, found = number_at(l, at + l->width, l->width);
		struct go_function f = {
			.start = l->text + number_at(l, at, l->width),
			.end = l->text + number_at(l, at + pair, l->width),
			.name = name_of(l, found),
			/* after the address: name, arguments, deferreturn, then the frame sizes */
			.frames = l->values +
				  number_at(l, l->functions + found + l->width + 12, 4),
		};

		if (f.start >= f.end || !f.name || (out->nr && f.start < out->all[out->nr - 1].end))
			continue;
		err = grow(&out->all, out->nr, &out->cap, sizeof(*out->all));
		if (!err)
			out->all[out->nr++] = f;
	}
	return err;
}

/* Find the table in a section with other data.  Return: its offset; the size of the section if not found */
static size_t find_header(const Elf_Data *data)
{
	size_t at = 0;

	for (; data->d_size - at >= WORD; at += WORD) {
		const unsigned char *b = (const unsigned char *)data->d_buf + at;

		/* the magic number, two zero bytes, the instruction unit, bytes of an address */
		if ((b[0] == (GO_1_20 & 0xff) || b[0] == (GO_1_18 & 0xff)) && b[1] == 0xff &&
		    b[2] == 0xff && b[3] == 0xff && !b[4] && !b[5] && b[6] <= 4 && b[7] == WORD)
			return at;
	}
	return data->d_size;
}

/* Return: whether the section @section has a table of a known format */
static bool find_table(Elf *elf, const char *section, struct layout *l)
{
	Elf_Data *data = section_data(elf, section);
	size_t at = 0;
	GElf_Shdr sh;

	if (!data || !data->d_buf)
		return false;
	/* This section can be large: search it only in Go programs */
	if (!strcmp(section, DATA)) {
		if (!find_section(elf, GO_BUILD_INFO, &sh))
			return false;
		at = find_header(data);
	}
	if (!find_section(elf, section, &sh))
		return false;
	*l = (struct layout){ .data = (const unsigned char *)data->d_buf + at,
			      .len = data->d_size - at, .address = sh.sh_addr + at };
	return read_header(elf, l);
}

int go_table_load(Elf *elf, struct go_table *out)
{
	struct layout l;
	GElf_Ehdr eh;

	*out = (struct go_table){ 0 };
	if (!gelf_getehdr(elf, &eh) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	/* The table is in .data.rel.ro if another linker than Go's made a position-independent program */
	if (!find_table(elf, ".gopclntab", &l) && !find_table(elf, DATA ".gopclntab", &l) &&
	    !find_table(elf, DATA, &l))
		return 0;
	out->data = l.data;
	out->len = l.len;
	return load_functions(&l, out);
}

static int in_function(const void *address, const void *function)
{
	const struct go_function *f = function;
	uint64_t at = *(const uint64_t *)address;

	return at < f->start ? -1 : at >= f->end;
}

/*
 * The table has pairs of numbers: how much the frame size changes, and for how many instruction units the
 * frame keeps that size (step() in Go's src/runtime/symtab.go).  The frame size does not include the word
 * with the return address.
 */
bool go_table_leaf(const struct go_table *t, uint64_t address)
{
	const struct go_function *f = t->nr ? bsearch(&address, t->all, t->nr, sizeof(*t->all),
						      in_function) : NULL;
	uint64_t size = (uint64_t)-1, at;
	struct bytes b;

	if (!f)
		return false;
	b = (struct bytes){ .at = t->data, .end = t->data + t->len };
	if (!bytes_take(&b, f->frames))
		return false;
	for (at = f->start; at <= address && !b.bad;) {
		uint64_t change = bytes_uleb(&b), unit = t->data[UNIT_AT];

		if (!change && at != f->start)
			return false;
		size += change & 1 ? ~(change >> 1) : change >> 1;
		at += bytes_uleb(&b) * unit;
	}
	return !b.bad && !size;
}

void go_table_exit(struct go_table *t)
{
	free(t->all);
	*t = (struct go_table){ 0 };
}
