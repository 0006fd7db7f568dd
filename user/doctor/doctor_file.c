// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_file.c - reads the module file for this kernel
 */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "doctor/doctor.h"

#define MAX_DEP		(16u << 20)
#define MAX_MODULE	(64u << 20)	/* larger files are not read */
#define MAX_USES	1000u		/* limit of needed kernel symbols; the module needs about 150 */
#define SIGNATURE	"~Module signature appended~\n"

static bool is_module(const char *name, size_t len)
{
	static const char *const names[] = { "kflame.ko", "kflame.ko.xz", "kflame.ko.zst",
					     "kflame.ko.gz" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len == strlen(names[i]) && !memcmp(name, names[i], len))
			return true;
	return false;
}

/* Find the path in "extra/kflame.ko.xz: kernel/...": relative to the directory, or absolute */
static void find_listed(struct doctor *d, const char *dep)
{
	while (*dep) {
		size_t line = strcspn(dep, "\n"), len = strcspn(dep, ":\n"), base = len;

		while (base && dep[base - 1] != '/')
			base--;
		if (dep[len] == ':' && is_module(dep + base, len - base)) {
			if (dep[0] == '/')
				snprintf(d->file.path, sizeof(d->file.path), "%.*s", (int)len, dep);
			else
				snprintf(d->file.path, sizeof(d->file.path), "/lib/modules/%s/%.*s",
					 d->release, (int)len, dep);
			d->file.listed = true;
			return;
		}
		dep += line + (dep[line] == '\n');
	}
}

/* Look where 'make install', DKMS and distributions put the file: depmod may not have run */
static void find_unlisted(struct doctor *d)
{
	static const char *const dirs[] = { "updates/dkms", "updates", "extra", "weak-updates",
					    "extra/kflame", "kernel/drivers/misc" };
	static const char *const ends[] = { "", ".xz", ".zst", ".gz" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
			snprintf(d->file.path, sizeof(d->file.path), "/lib/modules/%s/%s/kflame.ko%s",
				 d->release, dirs[i], ends[k]);
			if (root_has(d->root, d->file.path))
				return;
		}
	d->file.path[0] = 0;
}

/* Parse "key=value" texts, each NUL terminated */
static void read_modinfo(struct doctor_file *f, const char *text, size_t len)
{
	for (size_t at = 0, n; at < len; at += n + 1) {
		n = strnlen(text + at, len - at);
		if (n > 9 && !memcmp(text + at, "vermagic=", 9))
			snprintf(f->vermagic, sizeof(f->vermagic), "%.*s", (int)(n - 9), text + at + 9);
		if (n > 8 && !memcmp(text + at, "version=", 8))
			snprintf(f->version, sizeof(f->version), "%.*s", (int)(n - 8), text + at + 8);
	}
}

/* Collect the undefined symbols.  Return: 0 or -ENOMEM */
static int read_uses(struct doctor_file *f, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 1; data && f->nr_uses < MAX_USES && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (sym.st_shndx != SHN_UNDEF || GELF_ST_BIND(sym.st_info) == STB_WEAK || !name || !*name)
			continue;
		if (!f->uses)
			f->uses = calloc(MAX_USES, sizeof(*f->uses));
		if (!f->uses || !(f->uses[f->nr_uses] = strdup(name)))
			return -ENOMEM;
		f->nr_uses++;
	}
	return 0;
}

static int read_elf(struct doctor_file *f, Elf *elf)
{
	const size_t mark = sizeof(SIGNATURE) - 1;
	size_t names, bytes;
	Elf_Scn *scn = NULL;
	const char *raw;

	raw = elf_rawfile(elf, &bytes);
	f->is_signed = raw && bytes > mark && !memcmp(raw + bytes - mark, SIGNATURE, mark);
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
			read_modinfo(f, data->d_buf, data->d_size);
	}
	return 0;
}

static bool is_zstd(const char *path)
{
	return !strcmp(strrchr(path, '.'), ".zst");
}

/* Return: 0 or -ENOMEM */
static int read_file(struct doctor *d)
{
	struct doctor_file *f = &d->file;
	int fd = root_open_file(d->root, f->path), err = 0;
	struct stat st;
	Elf *elf;

	if (fd < 0) {
		f->error = fd;
		return 0;
	}
	if (fstat(fd, &st) || st.st_size > MAX_MODULE) {
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

int doctor_file_look(struct doctor *d)
{
	char path[160], *dep;
	int err;

	if (!d->release[0])
		return 0;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", d->release);
	err = root_slurp(d->root, path, MAX_DEP, &dep);
	if (err == -ENOMEM)
		return err;
	if (!err)
		find_listed(d, dep);
	free(dep);
	if (!d->file.listed)
		find_unlisted(d);
	return d->file.path[0] ? read_file(d) : 0;
}
