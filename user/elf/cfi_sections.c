// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cfi_sections.c - find the unwind tables of an untrusted file
 */
#include <dwarf.h>
#include <endian.h>
#include <string.h>

#include "elf/cfi_sections.h"
#include "elf/libelf_section.h"
#include "elf/loaded_bytes.h"

#define MAX_TABLES	(128u << 20)	/* bytes of both tables; the largest known have about ten MiB */
#define MAX_ENTRIES	(2u << 20)	/* of both tables; an entry takes 24 bytes of memory */
#define ZDEBUG_HEAD	12		/* bytes before the compressed data of a .zdebug section */
#define EH_FRAME_HDR	16		/* bytes of .eh_frame_hdr up to the end of its first pointer, at most */
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

/* As section_bytes(), of .zdebug_frame, which begins with "ZLIB" and the size, most significant byte first */
static Elf_Data *zdebug_bytes(Elf_Scn *scn, const GElf_Shdr *sh, size_t most)
{
	Elf_Data *data = sh->sh_size > ZDEBUG_HEAD && sh->sh_size <= most ? elf_rawdata(scn, NULL) : NULL;
	uint64_t size;

	if (!data || !data->d_buf || data->d_size <= ZDEBUG_HEAD || memcmp(data->d_buf, "ZLIB", 4))
		return NULL;
	memcpy(&size, (const char *)data->d_buf + 4, sizeof(size));
	size = be64toh(size);
	if (size > most || size / MAX_RATIO > sh->sh_size || elf_compress_gnu(scn, 0, 0) < 0)
		return NULL;
	return elf_rawdata(scn, NULL);
}

static int load_bytes(const Elf_Data *data, uint64_t address, struct frame_table *t, const struct frame_table *other)
{
	t->most = MAX_ENTRIES - other->nr;
	t->data = data->d_buf;
	t->len = data->d_size;
	t->address = address;
	return frame_table_load(t);
}

/* Both tables share the limits: @other has already used some of them */
static int load_section(Elf_Scn *scn, const GElf_Shdr *sh, bool zdebug, struct frame_table *t,
			const struct frame_table *other)
{
	const size_t most = MAX_TABLES - other->len;
	Elf_Data *data;

	if (t->data || sh->sh_type == SHT_NOBITS || !sh->sh_size)
		return 0;
	data = zdebug ? zdebug_bytes(scn, sh, most) : section_bytes(scn, sh, most);
	if (!data || !data->d_buf) {
		t->left_out++;
		return 0;
	}
	return load_bytes(data, sh->sh_addr, t, other);
}

/*
 * Find .eh_frame as the C++ runtime does: PT_GNU_EH_FRAME is .eh_frame_hdr, whose first pointer leads to .eh_frame.
 * Nothing has the length of .eh_frame.  An entry of length 0 ends it, or the segment does.
 */
static int load_by_header(Elf *elf, struct frame_table *t, const struct frame_table *other)
{
	struct frame_table head = { .word = t->word };
	uint64_t address, most = MAX_TABLES - other->len, room;
	Elf_Data *data = NULL;
	struct bytes b;
	GElf_Phdr ph;
	int64_t at;

	if (loaded_header(elf, PT_GNU_EH_FRAME, &ph))
		data = loaded_bytes(elf, ph.p_vaddr, ph.p_filesz < EH_FRAME_HDR ? ph.p_filesz : EH_FRAME_HDR, ELF_T_BYTE);
	if (!data || data->d_size < 4)
		return 0;
	head.data = data->d_buf;
	head.len = data->d_size;
	head.address = ph.p_vaddr;
	b = (struct bytes){ head.data + 4, head.data + head.len, head.data[0] != 1 };
	address = head.data[1] == DW_EH_PE_omit ? 0 : frame_pointer(&head, &b, head.data[1]);
	room = b.bad ? 0 : loaded_room(elf, address, &at);
	data = room ? loaded_bytes(elf, address, room < most ? room : most, ELF_T_BYTE) : NULL;
	return data ? load_bytes(data, address, t, other) : 0;
}

int frame_sections_load(Elf *elf, struct frame_sections *out)
{
	Elf_Scn *scn = NULL;
	unsigned int word = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
	const char *name;
	GElf_Shdr sh;
	bool has_eh = false;
	int err = 0;

	*out = (struct frame_sections){ .eh = { .eh = true, .word = word }, .debug = { .word = word } };
	while (!err && (scn = section_next(elf, scn, &sh, &name))) {
		has_eh |= !strcmp(name, ".eh_frame");
		if (!strcmp(name, ".eh_frame"))
			err = load_section(scn, &sh, false, &out->eh, &out->debug);
		else if (!strcmp(name, ".debug_frame") || !strcmp(name, ".zdebug_frame"))
			err = load_section(scn, &sh, name[1] == 'z', &out->debug, &out->eh);
	}
	/* Without section headers (sstrip), or with other names of sections */
	if (!err && !has_eh)
		err = load_by_header(elf, &out->eh, &out->debug);
	return err;
}

void frame_sections_exit(struct frame_sections *s)
{
	frame_table_exit(&s->eh);
	frame_table_exit(&s->debug);
}
