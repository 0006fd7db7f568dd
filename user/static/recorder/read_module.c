// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read_module.c - what doctor does by libelf, without it
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "doctor/doctor.h"
#include "elf/elf_sections.h"

/* Return: the bytes of a section, and a NUL behind them, to be freed; NULL if they cannot be read */
static char *load(int fd, const Elf64_Shdr *sh)
{
	char *bytes = sh->sh_type == SHT_NOBITS || sh->sh_size > DOCTOR_MAX_MODULE ? NULL : malloc(sh->sh_size + 1);

	if (!bytes)
		return NULL;
	if (pread(fd, bytes, sh->sh_size, (off_t)sh->sh_offset) != (ssize_t)sh->sh_size) {
		free(bytes);
		return NULL;
	}
	bytes[sh->sh_size] = 0;
	return bytes;
}

/* Collect the undefined symbols.  Return: 0 or -ENOMEM */
static int read_uses(struct doctor_file *f, const char *symbols, size_t nr, const char *names, size_t names_len)
{
	f->uses = calloc(DOCTOR_MAX_USES, sizeof(*f->uses));
	if (!f->uses)
		return -ENOMEM;
	for (size_t i = 1; i < nr && f->nr_uses < DOCTOR_MAX_USES; i++) {
		Elf64_Sym sym;

		memcpy(&sym, symbols + i * sizeof(sym), sizeof(sym));
		if (sym.st_shndx != SHN_UNDEF || ELF64_ST_BIND(sym.st_info) == STB_WEAK ||
		    sym.st_name >= names_len || !names[sym.st_name])
			continue;
		f->uses[f->nr_uses] = strdup(names + sym.st_name);
		if (!f->uses[f->nr_uses])
			return -ENOMEM;
		f->nr_uses++;
	}
	return 0;
}

static int read_section(struct doctor_file *f, int fd, const struct elf_sections *s, const Elf64_Shdr *sh)
{
	bool symbols = sh->sh_type == SHT_SYMTAB && s->wide && sh->sh_link < s->nr && !f->uses;
	char *bytes = symbols || !strcmp(elf_section_name(s, sh), ".modinfo") ? load(fd, sh) : NULL, *names;
	int err = 0;

	if (bytes && !symbols)
		doctor_file_modinfo(f, bytes, sh->sh_size);
	names = bytes && symbols ? load(fd, &s->all[sh->sh_link]) : NULL;
	if (names)
		err = read_uses(f, bytes, sh->sh_size / sizeof(Elf64_Sym), names, s->all[sh->sh_link].sh_size);
	free(names);
	free(bytes);
	return err;
}

static bool is_signed(int fd, off_t len)
{
	char end[sizeof(DOCTOR_SIGNATURE) - 1];

	return len > (off_t)sizeof(end) &&
	       pread(fd, end, sizeof(end), len - (off_t)sizeof(end)) == (ssize_t)sizeof(end) &&
	       !memcmp(end, DOCTOR_SIGNATURE, sizeof(end));
}

int doctor_file_read(struct doctor *d)
{
	struct doctor_file *f = &d->file;
	int fd = root_open_file(d->root, f->path), err;
	struct elf_sections s = { 0 };
	struct stat st;

	if (fd < 0) {
		f->error = fd;
		return 0;
	}
	/* A packed module is fine, but cannot be read here */
	if (strcmp(strrchr(f->path, '.'), ".ko"))
		f->error = -EOPNOTSUPP;
	else if (fstat(fd, &st) || st.st_size > DOCTOR_MAX_MODULE)
		f->error = -EFBIG;
	err = f->error ? 0 : elf_sections_read(fd, &s);
	if (!f->error && !err)
		f->is_signed = is_signed(fd, st.st_size);
	for (size_t i = 0; !f->error && !err && i < s.nr; i++)
		err = read_section(f, fd, &s, &s.all[i]);
	elf_sections_exit(&s);
	close(fd);
	if (err == -ENOEXEC)
		f->error = -EIO;
	return err == -ENOMEM ? err : 0;
}

/* Only the host has what makes unwind tables, so there is none of these findings */

void check_libc(const struct doctor *d, struct finding *f)
{
	(void)d;
	find(f, VERDICT_LIMIT, "kflame-record walks by frame pointers: stacks through code without them end early");
	fix(f, "build programs and libraries with -fno-omit-frame-pointer");
}

void check_table_cache(const struct doctor *d, struct finding *f)
{
	(void)d;
	(void)f;
}

void check_sandbox(const struct doctor *d, struct finding *f)
{
	(void)d;
	(void)f;
}

/* Only for another root than this machine's, which this program has no option for */
void doctor_libc_machine(struct doctor *d)
{
	(void)d;
}
