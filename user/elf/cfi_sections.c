// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi_sections.c - find the unwind tables of an untrusted file
 */
#include <string.h>

#include "elf/cfi_sections.h"
#include "elf/libelf_section.h"

#define MAX_TABLES	(128u << 20)	/* bytes of both tables; the largest known have about ten MiB */
#define MAX_ENTRIES	(2u << 20)	/* of both tables; an entry takes 24 bytes of memory */
#define MAX_RATIO	1032		/* the highest compression ratio of deflate */

/*
 * Get the bytes of a section, uncompressed.  The file claims an uncompressed size: check the claim before
 * libelf allocates memory for it.
 */
static Elf_Data *section_bytes(Elf_Scn *scn, const GElf_Shdr *sh, size_t most)
{
	GElf_Chdr ch;

	if (sh->sh_size > most)
		return NULL;
	if (sh->sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(scn, &ch) || ch.ch_type != ELFCOMPRESS_ZLIB ||
		    ch.ch_size > most || ch.ch_size / MAX_RATIO > sh->sh_size ||
		    elf_compress(scn, 0, 0) < 0)
			return NULL;
	}
	return elf_rawdata(scn, NULL);
}

/* Both tables share the limits: @other has already used some of them */
static int load_section(Elf_Scn *scn, const GElf_Shdr *sh, struct frame_table *t,
			const struct frame_table *other)
{
	Elf_Data *data;

	if (t->data || sh->sh_type == SHT_NOBITS || !sh->sh_size)
		return 0;
	data = section_bytes(scn, sh, MAX_TABLES - other->len);
	if (!data || !data->d_buf) {
		t->left_out++;
		return 0;
	}
	t->most = MAX_ENTRIES - other->nr;
	t->data = data->d_buf;
	t->len = data->d_size;
	t->address = sh->sh_addr;
	return frame_table_load(t);
}

int frame_sections_load(Elf *elf, struct frame_sections *out)
{
	Elf_Scn *scn = NULL;
	unsigned int word = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
	const char *name;
	GElf_Shdr sh;
	int err = 0;

	*out = (struct frame_sections){ .eh = { .eh = true, .word = word }, .debug = { .word = word } };
	while (!err && (scn = section_next(elf, scn, &sh, &name))) {
		if (!strcmp(name, ".eh_frame"))
			err = load_section(scn, &sh, &out->eh, &out->debug);
		else if (!strcmp(name, ".debug_frame"))
			err = load_section(scn, &sh, &out->debug, &out->eh);
	}
	return err;
}

void frame_sections_exit(struct frame_sections *s)
{
	frame_table_exit(&s->eh);
	frame_table_exit(&s->debug);
}
