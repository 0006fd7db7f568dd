// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol_search.c - find where in a file a function is, by its name or its address
 */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "elf/elf_symbols.h"
#include "elf/libelf_section.h"
#include "elf/mini_debug.h"
#include "elf/symbol_search.h"
#include "sandbox/answer.h"

#define TIME_NS		(60 * NS_PER_S)
#define MEMORY		(2ull << 30)
#define FILES		16

/* ------------------------------------------------------------- in the sandbox */

struct search {
	const char *name;
	struct elf_symbols code;	/* only its segments */
	bool is_global;			/* the function that was found */
	bool has_data, has_ifunc, has_import;
	struct symbol_place *out;
};

/* Return: the segment with an address; NULL if it is in no code */
static const struct elf_segment *segment_of(const struct search *s, uint64_t address)
{
	for (size_t i = 0; i < s->code.nr_segments; i++)
		if (address >= s->code.segments[i].address &&
		    address - s->code.segments[i].address < s->code.segments[i].bytes)
			return &s->code.segments[i];
	return NULL;
}

/* A function with the wanted name */
static void take_function(struct search *s, const GElf_Sym *sym)
{
	const bool is_global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	struct symbol_place *out = s->out;

	if (out->state == SYMBOL_MISSING || (is_global && !s->is_global && out->address != sym->st_value)) {
		out->state = SYMBOL_FOUND;
		out->address = sym->st_value;
		out->bytes = sym->st_size;
		s->is_global = is_global;
	} else if (out->address != sym->st_value && is_global == s->is_global) {
		out->state = SYMBOL_SEVERAL;
		out->other = sym->st_value;
	}
}

static void take_symbol(struct search *s, const GElf_Sym *sym, const char *name)
{
	const unsigned int type = GELF_ST_TYPE(sym->st_info);
	const bool is_code = type == STT_FUNC || (type == STT_NOTYPE && segment_of(s, sym->st_value));
	const bool is_here = sym->st_shndx != SHN_UNDEF;

	if (!name || !name[0] || type == STT_SECTION || type == STT_FILE)
		return;
	if (strcmp(name, s->name)) {
		if (is_code && is_here)
			near_names_offer(&s->out->near, s->name, name);
	} else if (!is_here) {
		s->has_import = true;
	} else if (type == STT_GNU_IFUNC) {
		s->has_ifunc = true;
	} else if (is_code && segment_of(s, sym->st_value)) {
		take_function(s, sym);
	} else {
		s->has_data = true;
	}
}

/* Look through all symbol tables of a file; NULL: no file */
static void search_file(struct search *s, Elf *elf)
{
	uint64_t left = UINT64_MAX;
	Elf_Scn *scn = NULL;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		GElf_Shdr sh;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &sh) || !sh.sh_entsize || (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !section_strings_end(elf, sh.sh_link, &left))
			continue;
		for (size_t i = 1; i < data->d_size / sh.sh_entsize && i < INT32_MAX; i++) {
			if (!gelf_getsym(data, (int)i, &sym))
				break;
			take_symbol(s, &sym, elf_strptr(elf, sh.sh_link, sym.st_name));
		}
	}
}

/* The place that the function and the offset @by, or the address, mean */
static void find_place(struct search *s, uint64_t by)
{
	const struct elf_segment *g = segment_of(s, s->out->address + by);

	if (!g || (s->out->bytes && by >= s->out->bytes) || s->out->address + by < by) {
		s->out->state = SYMBOL_OUTSIDE;
		return;
	}
	s->out->offset = s->out->address + by - g->address + g->offset;
}

static void search_elf(struct search *s, Elf *elf, Elf *debug, uint64_t by)
{
	void *image = NULL;
	Elf *mini;

	s->out->state = s->name ? SYMBOL_MISSING : SYMBOL_FOUND;
	if (s->name) {
		mini = mini_debug_open(elf, &image);
		search_file(s, elf);
		search_file(s, debug);
		search_file(s, mini);
		if (mini)
			elf_end(mini);
		free(image);
	}
	if (s->out->state == SYMBOL_FOUND)
		find_place(s, by);
	else if (s->out->state == SYMBOL_MISSING && s->has_ifunc)
		s->out->state = SYMBOL_IFUNC;
	else if (s->out->state == SYMBOL_MISSING && s->has_data)
		s->out->state = SYMBOL_DATA;
	else if (s->out->state == SYMBOL_MISSING && s->has_import)
		s->out->state = SYMBOL_IMPORTED;
}

void symbol_search(int fd, int debug, const char *name, uint64_t by, struct symbol_place *out)
{
	struct search s = { .name = name, .out = out };
	Elf *elf = section_open(fd), *more = section_open(debug);

	*out = (struct symbol_place){ .state = SYMBOL_DAMAGED };
	if (elf && !elf_symbols_segments(elf, false, &s.code))
		search_elf(&s, elf, more, by);
	elf_symbols_exit(&s.code);
	if (more)
		elf_end(more);
	if (elf)
		elf_end(elf);
}

/* The question is the offset or address, and the name with its NUL; no name: an address */
static void run(const struct sandbox_job *job)
{
	const char *name = (const char *)job->question + sizeof(uint64_t);
	struct symbol_place out;
	uint64_t by;

	memcpy(&by, job->question, sizeof(by));
	symbol_search(job->fds[0], job->nr_fds > 1 ? job->fds[1] : -1, *name ? name : NULL, by, &out);
	if (write(job->out, &out, sizeof(out)) != sizeof(out))
		return;
}

const struct sandbox_work symbol_work = { .name = "symbol", .run = run };

/* ----------------------------------------------------------------- in the tool */

static bool is_printable(const char *name)
{
	for (; *name; name++)
		if (*name < ' ' || *name > '~')
			return false;
	return true;
}

/* Remove from the answer what the tool could not use or print */
static int check_answer(struct symbol_place *out)
{
	struct near_names *n = &out->near;
	uint32_t kept = 0;

	if (out->state >= SYMBOL_NR_STATES || n->nr > NEAR_NAMES)
		return -EIO;
	for (uint32_t i = 0; i < n->nr; i++) {
		n->name[i][NEAR_NAMES_BYTES - 1] = 0;
		if (n->name[i][0] && is_printable(n->name[i]))
			memmove(n->name[kept++], n->name[i], NEAR_NAMES_BYTES);
	}
	n->nr = kept;
	return 0;
}

static int read_answer(struct sandbox *child, struct symbol_place *out)
{
	struct answer a;
	const void *bytes;
	int err = answer_begin(&a, child);

	if (err)
		return err;
	bytes = answer_read(&a, sizeof(*out), &err);
	if (bytes)
		memcpy(out, bytes, sizeof(*out));
	answer_end(&a);
	return bytes ? check_answer(out) : err;
}

int symbol_ask(int fd, int debug, const char *name, uint64_t by, struct symbol_place *out)
{
	const int fds[] = { fd, debug };
	const size_t len = sizeof(by) + (name ? strlen(name) : 0) + 1;
	struct sandbox_limits limits = { .time_ns = TIME_NS, .files = FILES };
	struct sandbox_input input = { .fds = fds, .nr_fds = debug < 0 ? 1 : 2, .len = len, .owner = fds };
	char *question = calloc(1, len);
	struct sandbox child;
	int err;

	if (!question)
		return -ENOMEM;
	memcpy(question, &by, sizeof(by));
	if (name)
		strcpy(question + sizeof(by), name);
	input.question = question;
	limits.memory = sandbox_memory(fd, MEMORY) + (debug < 0 ? 0 : sandbox_memory(debug, MEMORY));
	err = sandbox_start(&child, &symbol_work, &limits, &input);
	free(question);
	if (err)
		return err;
	err = read_answer(&child, out);
	sandbox_end(&child);
	return err;
}
