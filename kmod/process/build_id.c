// SPDX-License-Identifier: GPL-2.0-only
/*
 * build_id.c - the GNU build-id of a mapped file, without I/O
 *
 * Nearly every ELF file has its program headers and the note in its first page.
 * That page is nearly always in the page cache, because the kernel or ld.so has
 * just read it. Otherwise there is no build-id here, and the tool reads it from the
 * file. Reading the file here could hang for ever (FUSE, NFS).
 *
 * The page is untrusted, and may change while it is parsed. So it is copied first,
 * and then each value is checked.
 */
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include <kflame.h>
#include "process/build_id.h"

#define NOTE_GNU_BUILD_ID	3	/* NT_GNU_BUILD_ID */

/* How much of the file is parsed */
#define HEAD	KF_BUILD_ID_SCRATCH

/* Parse the note at @at. Return: offset of the next note, or SIZE_MAX. */
static size_t parse_note(const u8 *head, size_t at, size_t end, u8 *id, u32 *len)
{
	Elf64_Nhdr nhdr;
	size_t name, desc;

	if (end - at < sizeof(nhdr))
		return SIZE_MAX;
	memcpy(&nhdr, head + at, sizeof(nhdr));
	if (nhdr.n_namesz > HEAD || nhdr.n_descsz > HEAD)
		return SIZE_MAX;
	name = at + sizeof(nhdr);
	desc = name + ALIGN(nhdr.n_namesz, 4);
	if (desc > end || nhdr.n_descsz > end - desc)
		return SIZE_MAX;
	if (nhdr.n_type == NOTE_GNU_BUILD_ID && nhdr.n_namesz == 4 &&
	    !memcmp(head + name, "GNU", 4) && nhdr.n_descsz &&
	    nhdr.n_descsz <= KFLAME_BUILD_ID_MAX) {
		memcpy(id, head + desc, nhdr.n_descsz);
		*len = nhdr.n_descsz;
	}
	desc += ALIGN(nhdr.n_descsz, 4);
	return desc < end ? desc : SIZE_MAX;
}

static u32 parse_head(const u8 *head, u8 *id)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	size_t at, ph;
	u32 i, len = 0;

	memcpy(&ehdr, head, sizeof(ehdr));
	if (memcmp(ehdr.e_ident, ELFMAG, SELFMAG) ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_phentsize != sizeof(phdr))
		return 0;
	for (i = 0; i < ehdr.e_phnum && !len; i++) {
		if (ehdr.e_phoff > HEAD)
			break;
		ph = ehdr.e_phoff + i * sizeof(phdr);
		if (ph > HEAD - sizeof(phdr))
			break;
		memcpy(&phdr, head + ph, sizeof(phdr));
		if (phdr.p_type != PT_NOTE || phdr.p_offset >= HEAD ||
		    phdr.p_filesz > HEAD - phdr.p_offset)
			continue;
		at = phdr.p_offset;
		while (at != SIZE_MAX && !len)
			at = parse_note(head, at, phdr.p_offset + phdr.p_filesz, id, &len);
	}
	return len;
}

/**
 * kf_build_id() - get the build-id of a file, if its first page is in the page cache
 * @file:	the file, held by the caller
 * @scratch:	KF_BUILD_ID_SCRATCH bytes
 * @id:		out: up to KFLAME_BUILD_ID_MAX bytes
 *
 * Context: process context; does no I/O.
 * Return: length of @id in bytes, 0 if there is none.
 */
u32 kf_build_id(struct file *file, u8 *scratch, u8 *id)
{
	struct page *page;
	u32 len = 0;

	if (!S_ISREG(file_inode(file)->i_mode))
		return 0;
	page = find_get_page(file->f_mapping, 0);
	if (!page)
		return 0;
	/*
	 * 64-bit kernels map all of their memory, so no kmap is needed. Secret memory is
	 * removed from that map, so the copy must survive a fault.
	 */
	if (PageUptodate(page) &&
	    !copy_from_kernel_nofault(scratch, page_address(page), HEAD))
		len = parse_head(scratch, id);
	put_page(page);
	return len;
}
