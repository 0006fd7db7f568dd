// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_code.c - reads the machine code of a function in a recorded file or kernel
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/build_id.h"
#include "elf/elf_sections.h"
#include "symbols/archive_layout.h"
#include "symbols/kallsyms.h"
#include "symbols/kcore.h"
#include "symbols/machine_code.h"
#include "symbols/mapped_file.h"

#define MOST_CODE	(4u << 20)	/* bytes of a function; real functions have some 100 KB at most */

static const char too_long[] = "the function is too long";

/* Allocates memory for the code.  Return: 0 or -ENOMEM; .bytes is NULL if the function is too long */
static int make_room(struct code *c, uint64_t start, uint64_t end)
{
	if (end <= start || end - start > MOST_CODE) {
		c->missing = too_long;
		return 0;
	}
	c->len = end - start;
	c->bytes = malloc(c->len);
	return c->bytes ? 0 : -ENOMEM;
}

static void drop(struct code *c, const char *why)
{
	free(c->bytes);
	c->bytes = NULL;
	c->missing = why;
}

/* Finds the linked address of a file offset.  Return: whether the offset is in executable code */
static bool find_address(int fd, const struct elf_sections *s, uint64_t offset, uint64_t *address)
{
	Elf64_Phdr ph;

	for (size_t i = 0; elf_segment_read(fd, s, i, &ph); i++) {
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		if (offset < ph.p_offset || offset - ph.p_offset >= ph.p_filesz)
			continue;
		*address = ph.p_vaddr + (offset - ph.p_offset);
		return true;
	}
	return false;
}

/* Are all bytes zero?  A sparse copy of a file has zeros in place of code (elf/sparse_copy.h). */
static bool is_nothing(const struct code *c)
{
	for (size_t i = 0; i < c->len; i++)
		if (c->bytes[i])
			return false;
	return true;
}

static void read_file(struct code *c, int fd, uint64_t start)
{
	struct elf_sections s;

	if (elf_sections_read(fd, &s) || !find_address(fd, &s, start, &c->address) ||
	    pread(fd, c->bytes, c->len, (off_t)start) != (ssize_t)c->len)
		drop(c, "the file cannot be read there");
	else if (is_nothing(c))
		drop(c, "the archive has no code: it is for names. Look where the program itself is");
	else
		c->machine = s.machine;
	elf_sections_exit(&s);
}

/* Opens the file itself first, and only then its copy in the archive, which may lack the code */
static int open_file(const struct profile_file *f, const char *symbols, const char **why)
{
	uint32_t state = KFLAME_NAMED_GONE, packed;
	int fd = packed_is_vdso(f) ? binary_copy_vdso(f) : binary_open_file(f, NULL, &state);

	if (fd < 0 && symbols)
		fd = binary_open_file(f, symbols, &packed);
	*why = state == KFLAME_NAMED_CHANGED ?
		"another file has its path now: its build-id, or its size and time, are not the recorded ones" :
		"the file is not here; look on the machine that has it, with the same build-id";
	return fd;
}

int code_of_file(const struct profile_file *f, const char *symbols, uint64_t start, uint64_t end,
		 struct code *out)
{
	const char *why;
	int fd, err;

	*out = (struct code){ 0 };
	fd = open_file(f, symbols, &why);
	if (fd < 0) {
		out->missing = why;
		return 0;
	}
	err = make_room(out, start, end);
	if (out->bytes)
		read_file(out, fd, start);
	close(fd);
	return err;
}

/* Does the recorded kernel run here, with that function at the same address? */
static bool runs_here(const struct profile *p, const struct profile_symbol *s)
{
	struct kernel_id was = kernel_id_parse(profile_host(p, "kernel-build-id"));
	struct kernel_id is = kernel_id_running();
	struct kernel_symbols *k;
	uint64_t start, end;
	const char *name;
	bool same;

	if (!kernel_id_same(&was, &is) || kernel_symbols_load(-1, &k))
		return false;
	name = kernel_symbols_find(k, s->start, &start, &end);
	same = name && start == s->start && !strcmp(name, s->name);
	kernel_symbols_destroy(k);
	return same;
}

static unsigned int machine_of(const struct profile *p)
{
	const char *machine = (const char *)p->session.machine;

	return !strcmp(machine, "x86_64") ? EM_X86_64 : !strcmp(machine, "aarch64") ? EM_AARCH64
									      : EM_NONE;
}

int code_of_kernel(const struct profile *p, const struct vmlinux *v,
		   const struct profile_symbol *s, struct code *out)
{
	int err;

	*out = (struct code){ .address = s->start, .machine = machine_of(p) };
	err = make_room(out, s->start, s->end);
	if (!out->bytes)
		return err;
	if (runs_here(p, s) && kcore_read(s->start, out->bytes, out->len))
		return 0;
	if (!v || !vmlinux_code(v, s->start, out->bytes, out->len))
		drop(out, "that kernel does not run here, or /proc/kcore cannot be read (be root), and no image of it with code is here (--vmlinux FILE)");
	return 0;
}

void code_exit(struct code *c)
{
	free(c->bytes);
	c->bytes = NULL;
}
