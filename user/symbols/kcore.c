// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kcore.c - reads code and the address of _stext of the running kernel from /proc/kcore
 *
 * /proc/kcore is a core file of the kernel.  Its VMCOREINFO note exists for readers of crash dumps.  It
 * is lines of text, among them "SYMBOL(_stext)=ffffffff81000000".
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/kcore.h"

#define MAX_NOTES	(1u << 20)	/* bytes; real kernels have a few KiB */

/* The address of _stext in the NUL-terminated text of the note; 0 if it is not there */
static uint64_t find_stext(const char *text)
{
	static const char line[] = "\nSYMBOL(_stext)=";
	const char *at = strstr(text, line);

	return at ? strtoull(at + sizeof(line) - 1, NULL, 16) : 0;
}

/* The name and the contents of a note are padded to a multiple of 4 bytes */
static size_t words(uint32_t bytes)
{
	return ((size_t)bytes + 3) & ~(size_t)3;
}

static uint64_t look_through(const char *notes, size_t len)
{
	static const char wanted[] = "VMCOREINFO";
	Elf64_Nhdr note;
	uint64_t found = 0;

	while (!found && len >= sizeof(note)) {
		size_t name, content;

		memcpy(&note, notes, sizeof(note));
		notes += sizeof(note);
		len -= sizeof(note);
		name = words(note.n_namesz);
		content = words(note.n_descsz);
		if (name > len || content > len - name)
			break;
		if (note.n_namesz == sizeof(wanted) && !memcmp(notes, wanted, sizeof(wanted))) {
			char *text = strndup(notes + name, note.n_descsz);

			found = text ? find_stext(text) : 0;
			free(text);
		}
		notes += name + content;
		len -= name + content;
	}
	return found;
}

static uint64_t read_notes(int fd, const Elf64_Phdr *ph)
{
	char *notes = ph->p_filesz <= MAX_NOTES ? malloc(ph->p_filesz + 1) : NULL;
	ssize_t len = notes ? pread(fd, notes, ph->p_filesz, (off_t)ph->p_offset) : -1;
	uint64_t found = len > 0 ? look_through(notes, (size_t)len) : 0;

	free(notes);
	return found;
}

static bool read_head(int fd, Elf64_Ehdr *eh)
{
	return pread(fd, eh, sizeof(*eh), 0) == sizeof(*eh) &&
	       !memcmp(eh->e_ident, ELFMAG, SELFMAG) && eh->e_ident[EI_CLASS] == ELFCLASS64 &&
	       eh->e_phentsize == sizeof(Elf64_Phdr);
}

uint64_t kcore_stext_of(int fd)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!read_head(fd, &eh))
		return 0;
	for (unsigned int i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) != sizeof(ph))
			return 0;
		if (ph.p_type == PT_NOTE)
			return read_notes(fd, &ph);
	}
	return 0;
}

uint64_t kcore_stext(void)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	uint64_t found = fd < 0 ? 0 : kcore_stext_of(fd);

	if (fd >= 0)
		close(fd);
	return found;
}

static bool read_memory(int fd, uint64_t address, void *to, size_t len)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!read_head(fd, &eh))
		return false;
	for (unsigned int i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) != sizeof(ph))
			return false;
		if (ph.p_type == PT_LOAD && address >= ph.p_vaddr &&
		    address - ph.p_vaddr < ph.p_memsz && len <= ph.p_memsz - (address - ph.p_vaddr))
			return pread(fd, to, len, (off_t)(ph.p_offset + (address - ph.p_vaddr))) ==
			       (ssize_t)len;
	}
	return false;
}

bool kcore_read(uint64_t address, void *to, size_t len)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	bool whole = fd >= 0 && read_memory(fd, address, to, len);

	if (fd >= 0)
		close(fd);
	return whole;
}
