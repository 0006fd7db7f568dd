// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_module_file.c - reads the module file by libelf and libdw, which unpack it
 */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "doctor/doctor.h"

/* Collect the undefined symbols.  Return: 0 or -ENOMEM */
static int read_uses(struct doctor_file *f, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 1; data && f->nr_uses < DOCTOR_MAX_USES && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (sym.st_shndx != SHN_UNDEF || GELF_ST_BIND(sym.st_info) == STB_WEAK || !name || !*name)
			continue;
		if (!f->uses)
			f->uses = calloc(DOCTOR_MAX_USES, sizeof(*f->uses));
		if (!f->uses || !(f->uses[f->nr_uses] = strdup(name)))
			return -ENOMEM;
		f->nr_uses++;
	}
	return 0;
}

static int read_elf(struct doctor_file *f, Elf *elf)
{
	const size_t mark = sizeof(DOCTOR_SIGNATURE) - 1;
	size_t names, bytes;
	Elf_Scn *scn = NULL;
	const char *raw;

	raw = elf_rawfile(elf, &bytes);
	f->is_signed = raw && bytes > mark && !memcmp(raw + bytes - mark, DOCTOR_SIGNATURE, mark);
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		Elf_Data *data;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		if (sh.sh_type == SHT_SYMTAB && !f->uses && read_uses(f, elf, scn, &sh))
			return -ENOMEM;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name || strcmp(name, ".modinfo"))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			doctor_file_modinfo(f, data->d_buf, data->d_size);
	}
	return 0;
}

static bool is_zstd(const char *path)
{
	return !strcmp(strrchr(path, '.'), ".zst");
}

int doctor_file_read(struct doctor *d)
{
	struct doctor_file *f = &d->file;
	int fd = root_open_file(d->root, f->path), err = 0;
	struct stat st;
	Elf *elf;

	if (fd < 0) {
		f->error = fd;
		return 0;
	}
	if (fstat(fd, &st) || st.st_size > DOCTOR_MAX_MODULE) {
		f->error = -EFBIG;
		close(fd);
		return 0;
	}
	elf_version(EV_CURRENT);
	/* dwelf_elf_begin() unpacks.  It would map a plain file, which may be truncated meanwhile */
	elf = strcmp(strrchr(f->path, '.'), ".ko") ? dwelf_elf_begin(fd)
						   : elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		err = read_elf(f, elf);
		/* libdw without zstd returns the packed bytes: the file itself is fine */
		if (elf_kind(elf) != ELF_K_ELF && is_zstd(f->path))
			f->error = -EOPNOTSUPP;
		elf_end(elf);
	} else {
		f->error = -EIO;
	}
	close(fd);
	return err;
}
