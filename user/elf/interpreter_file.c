// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interpreter_file.c - what the searches for interpreters need of an ELF file
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/cfi_sections.h"
#include "elf/interpreter_file.h"
#include "elf/libelf_section.h"
#include "elf/loaded_bytes.h"

#define LOOP_MOST	(4u << 20)	/* bytes; a loop has 50 to 500 KB */
#define LEAST_JUMPS	3u		/* into the middle of another part of the loop */

static void take_symbols(const struct interpreter_file *f, Elf_Data *data, const GElf_Shdr *sh,
			 const char *const *names, GElf_Sym *out, size_t nr)
{
	GElf_Sym sym;

	for (size_t i = 1; i < data->d_size / sh->sh_entsize && i < INT32_MAX; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(f->elf, sh->sh_link, sym.st_name);
		for (size_t k = 0; name && k < nr; k++)
			if (!strcmp(name, names[k]))
				out[k] = sym;
	}
}

static void take_needed(struct interpreter_file *f, Elf_Data *data, const GElf_Shdr *sh)
{
	GElf_Dyn dyn;

	for (int i = 0; gelf_getdyn(data, i, &dyn); i++) {
		const char *name = dyn.d_tag == DT_NEEDED ? elf_strptr(f->elf, sh->sh_link, dyn.d_un.d_val) : NULL;

		f->is_glibc |= name && !strcmp(name, "libc.so.6");
	}
}

/* Read the next section of a type, whose names can be read, too. @scn: the one before. Return: NULL for none */
static Elf_Data *next_of(Elf *elf, Elf_Scn **scn, GElf_Word type, uint64_t *left, GElf_Shdr *sh)
{
	while ((*scn = elf_nextscn(elf, *scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(*scn, sh) || !sh->sh_entsize || sh->sh_type != type)
			continue;
		data = elf_getdata(*scn, NULL);
		if (data && section_strings_end(elf, sh->sh_link, left))
			return data;
	}
	return NULL;
}

int interpreter_file_open(int fd, struct interpreter_file *f)
{
	uint64_t left = UINT64_MAX;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Ehdr eh;
	GElf_Shdr sh;

	*f = (struct interpreter_file){ .elf = section_open(fd) };
	if (!f->elf || !gelf_getehdr(f->elf, &eh))
		return -ENOENT;
	if (eh.e_ident[EI_CLASS] == ELFCLASS64)
		f->machine = eh.e_machine;
	while ((data = next_of(f->elf, &scn, SHT_DYNAMIC, &left, &sh)))
		take_needed(f, data, &sh);
	return elf_symbols_segments(f->elf, false, &f->code);
}

void interpreter_file_close(struct interpreter_file *f)
{
	elf_symbols_exit(&f->code);
	if (f->elf)
		elf_end(f->elf);
}

void interpreter_symbols(const struct interpreter_file *f, const char *const *names, GElf_Sym *out, size_t nr)
{
	uint64_t left = UINT64_MAX;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	memset(out, 0, nr * sizeof(*out));
	while ((data = next_of(f->elf, &scn, SHT_DYNSYM, &left, &sh)))
		take_symbols(f, data, &sh, names, out, nr);
}

bool interpreter_read(const struct interpreter_file *f, uint64_t address, void *to, size_t len)
{
	Elf_Data *data = loaded_bytes(f->elf, address, len, ELF_T_BYTE);

	if (data)
		memcpy(to, data->d_buf, len);
	return data;
}

static const struct elf_segment *segment_of(const struct interpreter_file *f, uint64_t address)
{
	for (size_t i = 0; i < f->code.nr_segments; i++)
		if (address - f->code.segments[i].address < f->code.segments[i].bytes)
			return &f->code.segments[i];
	return NULL;
}

uint64_t interpreter_place(const struct interpreter_file *f, const GElf_Sym *loop, uint64_t address)
{
	const struct elf_segment *g = segment_of(f, loop->st_value);

	return g ? address - g->address + g->offset : 0;
}

/* The range of unwind information that has an address in its middle; NULL for none */
static const struct frame_range *middle_of(const struct frame_table *t, uint64_t address)
{
	const struct frame_range *range = frame_table_range(t, address);

	return range && address > range->start ? range : NULL;
}

/* Where a jump of x86 leads whose bytes are at @code, which is at @address; 0 if these bytes are none */
static uint64_t jump_target(const unsigned char *code, uint64_t address)
{
	size_t len = code[0] == 0xe9 ? 1 : code[0] == 0x0f && (code[1] & 0xf0) == 0x80 ? 2 : 0;
	int32_t by;

	if (!len)
		return 0;
	memcpy(&by, code + len, sizeof(by));
	return address + len + sizeof(by) + (uint64_t)(int64_t)by;
}

/* The part of the loop that the compiler has split off: where most jumps out of the loop lead */
static const struct frame_range *find_part(const GElf_Sym *loop, const struct frame_table *t,
					   const unsigned char *code)
{
	uint32_t *jumps = calloc(t->nr + 1, sizeof(*jumps));
	const struct frame_range *best = NULL;

	for (size_t i = 0; jumps && i + 6 <= loop->st_size; i++) {
		const uint64_t to = jump_target(code + i, loop->st_value + i);
		const struct frame_range *r = to ? middle_of(t, to) : NULL;

		if (!r || to - loop->st_value < loop->st_size)
			continue;
		jumps[r - t->all]++;
		if (!best || jumps[r - t->all] > jumps[best - t->all])
			best = r;
	}
	if (best && jumps[best - t->all] < LEAST_JUMPS)
		best = NULL;
	free(jumps);
	return best;
}

static bool put_loop(const struct interpreter_file *f, uint64_t start, uint64_t end, struct kflame_interpreter *out)
{
	const struct elf_segment *g = segment_of(f, start);

	if (!g || end <= start || end - g->address > g->bytes || out->nr_loops == KFLAME_INTERPRETER_LOOPS)
		return false;
	out->loop[out->nr_loops].start = start - g->address + g->offset;
	out->loop[out->nr_loops++].end = end - g->address + g->offset;
	return true;
}

/* Return: 0, also if there is no further part, or -ENOMEM */
static int put_parts(const struct interpreter_file *f, const GElf_Sym *loop, struct kflame_interpreter *out)
{
	unsigned char *code = malloc(loop->st_size);
	struct frame_sections frames;
	const struct frame_range *part;
	int err = code ? 0 : -ENOMEM;

	if (err || !interpreter_read(f, loop->st_value, code, loop->st_size)) {
		free(code);
		return err;
	}
	err = frame_sections_load(f->elf, &frames);
	part = err ? NULL : find_part(loop, &frames.eh, code);
	if (part)
		put_loop(f, part->start, part->end, out);
	frame_sections_exit(&frames);
	free(code);
	return err;
}

int interpreter_loop(const struct interpreter_file *f, const GElf_Sym *loop, struct kflame_interpreter *out)
{
	if (!loop->st_size || loop->st_size > LOOP_MOST ||
	    !put_loop(f, loop->st_value, loop->st_value + loop->st_size, out))
		return -ENOENT;
	return put_parts(f, loop, out);
}
