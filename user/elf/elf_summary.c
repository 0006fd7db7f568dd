// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elf_summary.c - what the tool itself reads from an untrusted ELF file
 */
#include <endian.h>
#include <string.h>
#include <unistd.h>

#include "elf/build_id.h"
#include "elf/elf_sections.h"
#include "elf/elf_summary.h"

#define NOTES		4096	/* bytes to read of notes: linkers put the build-id first */

/* Read a part of the file to @to.  Return: bytes read; 0 after an error, and at the end of the file */
static size_t read_part(int fd, void *to, size_t room, uint64_t at, uint64_t len)
{
	ssize_t n = pread(fd, to, len < room ? (size_t)len : room, (off_t)at);

	return n > 0 ? (size_t)n : 0;
}

static void take_notes(int fd, uint64_t at, uint64_t len, uint64_t align, struct elf_summary *out)
{
	unsigned char notes[NOTES];
	const unsigned char *id;
	size_t id_len;

	id = build_id_in_notes(notes, read_part(fd, notes, sizeof(notes), at, len), align, &id_len);
	if (!id || id_len > sizeof(out->id))
		return;
	memcpy(out->id, id, id_len);
	out->id_len = id_len;
}

/* .gnu_debuglink has a file name, a NUL, up to three more bytes, and the checksum in the file's byte order */
static void take_link(int fd, const Elf64_Shdr *sh, struct elf_summary *out)
{
	char link[sizeof(out->link) + 4 + sizeof(out->crc)];
	size_t len = read_part(fd, link, sizeof(link), sh->sh_offset, sh->sh_size);
	size_t name = strnlen(link, len), crc = (name + 4) & ~(size_t)3;

	if (!name || name >= sizeof(out->link) || crc + sizeof(out->crc) > len || memchr(link, '/', name))
		return;
	memcpy(out->link, link, name + 1);
	memcpy(&out->crc, link + crc, sizeof(out->crc));
}

/* Return: uncompressed size of a section, as its compression header claims */
static uint64_t unpacked(int fd, const Elf64_Shdr *sh, bool wide)
{
	Elf32_Chdr narrow;
	Elf64_Chdr ch;

	if (!(sh->sh_flags & SHF_COMPRESSED))
		return sh->sh_size;
	if (wide)
		return read_part(fd, &ch, sizeof(ch), sh->sh_offset, sh->sh_size) == sizeof(ch) ? ch.ch_size : 0;
	return read_part(fd, &narrow, sizeof(narrow), sh->sh_offset, sh->sh_size) == sizeof(narrow) ? narrow.ch_size : 0;
}

/* GNU's older format: "ZLIB", then the uncompressed size in big-endian order */
static uint64_t unpacked_old(int fd, const Elf64_Shdr *sh)
{
	uint64_t bytes;
	char head[4 + sizeof(bytes)];

	if (read_part(fd, head, sizeof(head), sh->sh_offset, sh->sh_size) != sizeof(head))
		return 0;
	memcpy(&bytes, head + 4, sizeof(bytes));
	return be64toh(bytes);
}

static void take_section(int fd, const struct elf_sections *s, const Elf64_Shdr *sh, struct elf_summary *out)
{
	const char *name = elf_section_name(s, sh);

	out->has_symtab |= sh->sh_type == SHT_SYMTAB;
	if (sh->sh_type == SHT_NOBITS)
		return;
	if (sh->sh_type == SHT_NOTE && !out->id_len)
		take_notes(fd, sh->sh_offset, sh->sh_size, sh->sh_addralign, out);
	else if (!strcmp(name, ".gnu_debuglink"))
		take_link(fd, sh, out);
	else if (!strcmp(name, ".gnu_debugdata"))
		out->has_mini_debug = true;
	else if (!strcmp(name, ".debug_info") && !out->debug_bytes)
		out->debug_bytes = unpacked(fd, sh, s->wide);
	else if (!strcmp(name, ".zdebug_info") && !out->debug_bytes)
		out->debug_bytes = unpacked_old(fd, sh);
}

/* Read note segments: the section headers, or those of the notes, may have been removed */
static void take_note_segments(int fd, const struct elf_sections *s, struct elf_summary *out)
{
	Elf64_Phdr ph;

	for (size_t i = 0; !out->id_len && elf_segment_read(fd, s, i, &ph); i++)
		if (ph.p_type == PT_NOTE)
			take_notes(fd, ph.p_offset, ph.p_filesz, ph.p_align, out);
}

bool elf_summary_read(int fd, struct elf_summary *out)
{
	struct elf_sections s;

	memset(out, 0, sizeof(*out));
	out->is_elf = !elf_sections_read(fd, &s) && elf_sections_stored(fd, &s);
	if (out->is_elf) {
		for (size_t i = 0; i < s.nr; i++)
			take_section(fd, &s, &s.all[i], out);
		take_note_segments(fd, &s, out);
	}
	elf_sections_exit(&s);
	return out->is_elf;
}

bool elf_summary_symbols_elsewhere(const struct elf_summary *s)
{
	return !s->has_symtab || *s->link || s->has_mini_debug;
}

bool elf_summary_interpreter(int fd, char *path, size_t room)
{
	struct elf_sections s;
	bool found = false;
	Elf64_Phdr ph;
	size_t len;
	int err;

	err = elf_sections_read(fd, &s);
	for (size_t i = 0; !err && !found && elf_segment_read(fd, &s, i, &ph); i++) {
		if (ph.p_type != PT_INTERP || ph.p_filesz < 2 || ph.p_filesz >= room)
			continue;
		len = read_part(fd, path, room - 1, ph.p_offset, ph.p_filesz);
		path[len] = 0;
		found = len == ph.p_filesz;
	}
	elf_sections_exit(&s);
	return found;
}
