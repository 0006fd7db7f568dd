// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sparse_copy.c - copy the parts of an ELF file that naming needs, to memory
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_sections.h"
#include "elf/go_pclntab.h"
#include "elf/sparse_copy.h"

#define CHUNK		(64u << 10)
/* Copying debug information takes time, and a recording needs names first */
#define MOST_DEBUG	((uint64_t)32 << 20)
#define MOST		((uint64_t)96 << 20)

/* A copy that is being made */
struct copy {
	int from, to;
	struct stat st;
	uint64_t bytes;		/* size of the whole file */
	unsigned char *chunk;
	struct elf_sections sections;
	bool debug;		/* copy debug information */
	bool code;		/* copy all code */
	bool go;		/* a Go program: the table of its runtime has names */
};

/* Return: whether a section has DWARF data other than unwind information */
static bool is_debug(const char *name)
{
	return (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8)) &&
	       strcmp(name, ".debug_frame");
}

/* Return: whether names, leaf functions or lines need the section */
static bool is_wanted(const struct copy *c, const Elf64_Shdr *sh)
{
	static const char *const loaded[] = { ".eh_frame", ".plt", ".iplt", ".got", ".gopclntab",
					      ".go.module" };
	static const char relocated[] = ".data.rel.ro";
	const char *name = elf_section_name(&c->sections, sh);

	if (sh->sh_type == SHT_NOBITS || sh->sh_type == SHT_NULL)
		return false;
	if (!(sh->sh_flags & SHF_ALLOC))
		return c->debug || !is_debug(name);
	if (sh->sh_flags & SHF_EXECINSTR && c->code)
		return true;
	/* Of the other sections in memory, keep those with symbols, and those that refer to symbols */
	if (sh->sh_type != SHT_PROGBITS)
		return sh->sh_type != SHT_INIT_ARRAY && sh->sh_type != SHT_FINI_ARRAY;
	for (size_t i = 0; i < sizeof(loaded) / sizeof(*loaded); i++)
		if (!strncmp(name, loaded[i], strlen(loaded[i])))
			return true;
	return c->go && !strncmp(name, relocated, sizeof(relocated) - 1);
}

static bool is_go(const struct elf_sections *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(elf_section_name(s, &s->all[i]), GO_BUILD_INFO))
			return true;
	return false;
}

/* Add @len to @sum.  Return: false if the sum would exceed @most, or the bytes are not in the file */
static bool add_up(const struct copy *c, uint64_t *sum, uint64_t at, uint64_t len, uint64_t most)
{
	if (at > c->bytes || len > c->bytes - at || len > most - *sum)
		return false;
	*sum += len;
	return true;
}

/* Return: whether the debug information is small enough to copy */
static bool little_debug(const struct copy *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->sections.nr; i++) {
		const Elf64_Shdr *sh = &c->sections.all[i];

		if (sh->sh_type != SHT_NOBITS && is_debug(elf_section_name(&c->sections, sh)) &&
		    !add_up(c, &sum, sh->sh_offset, sh->sh_size, MOST_DEBUG))
			return false;
	}
	return true;
}

/* Count the bytes to copy, before any is copied.  Return: false if there are more than @most */
static bool count_as_it_is(const struct copy *c, uint64_t most, uint64_t *sum)
{
	const struct elf_sections *s = &c->sections;

	*sum = 0;
	if (!add_up(c, sum, 0, s->header_bytes, most) ||
	    !add_up(c, sum, s->phdr_at, s->phdr_bytes, most) ||
	    !add_up(c, sum, s->shdr_at, s->shdr_bytes, most))
		return false;
	/* Without section headers, nothing says what can be left out */
	if (!s->nr)
		return add_up(c, sum, 0, c->bytes, most);
	for (size_t i = 0; i < s->nr; i++)
		if (is_wanted(c, &s->all[i]) &&
		    !add_up(c, sum, s->all[i].sh_offset, s->all[i].sh_size, most))
			return false;
	return true;
}

/* As count_as_it_is().  A copy with code may take only half of @most: later files need room for names, too */
static bool count(struct copy *c, uint64_t most, uint64_t *sum)
{
	if (count_as_it_is(c, c->code ? most / 2 : most, sum))
		return true;
	if (!c->code)
		return false;
	c->code = false;
	return count_as_it_is(c, most, sum);
}

static bool write_at(int fd, const unsigned char *from, size_t len, uint64_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, from, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static bool is_zero(const unsigned char *p, size_t len)
{
	return !len || (!*p && !memcmp(p, p + 1, len - 1));
}

/* Copy a part of the file.  Return: false if reading or writing fails */
static bool take(const struct copy *c, uint64_t at, uint64_t len)
{
	while (len) {
		size_t want = len < CHUNK ? (size_t)len : CHUNK;
		ssize_t n = pread(c->from, c->chunk, want, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		/* Do not write zeros: a hole takes no memory */
		if (!is_zero(c->chunk, (size_t)n) && !write_at(c->to, c->chunk, (size_t)n, at))
			return false;
		at += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return true;
}

static bool take_all(const struct copy *c)
{
	const struct elf_sections *s = &c->sections;

	if (!take(c, 0, s->header_bytes) || !take(c, s->phdr_at, s->phdr_bytes) ||
	    !take(c, s->shdr_at, s->shdr_bytes))
		return false;
	if (!s->nr)
		return take(c, 0, c->bytes);
	for (size_t i = 0; i < s->nr; i++)
		if (is_wanted(c, &s->all[i]) &&
		    !take(c, s->all[i].sh_offset, s->all[i].sh_size))
			return false;
	return true;
}

/* Make the copy.  Return: a descriptor or -1 */
static int make(struct copy *c)
{
	c->to = memfd_create("kflame-names", MFD_CLOEXEC);
	if (c->to < 0)
		return -1;
	/*
	 * A sandbox reads debug data with the rights of the file's owner, see sandbox/sandbox.h.  So the copy
	 * needs the same owner.  A user who is not root reads it with their own rights
	 */
	if ((!fchown(c->to, c->st.st_uid, c->st.st_gid) || geteuid()) &&
	    !ftruncate(c->to, (off_t)c->bytes) && take_all(c))
		return c->to;
	close(c->to);
	return -1;
}

int light_copy(int fd, size_t *room, unsigned int with)
{
	struct copy c = { .from = fd, .code = with & LIGHT_COPY_CODE };
	int copy = -1;
	uint64_t sum;

	if (fstat(fd, &c.st))
		return -1;
	c.bytes = (uint64_t)c.st.st_size;
	c.chunk = malloc(CHUNK);
	if (c.chunk && !elf_sections_read(fd, &c.sections)) {
		c.debug = with & LIGHT_COPY_DEBUG || little_debug(&c);
		c.go = is_go(&c.sections);
		if (count(&c, *room < MOST ? *room : MOST, &sum)) {
			/* Also if the copy fails later: the attempt took its time */
			*room -= (size_t)sum;
			copy = make(&c);
		}
	}
	elf_sections_exit(&c.sections);
	free(c.chunk);
	return copy;
}
