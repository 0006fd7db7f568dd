// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vmlinux.c - a kernel image as it was linked: symbols, and maybe debug data
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/regular_file.h"
#include "elf/elf_summary.h"
#include "elf/elf_symbols.h"
#include "elf/libelf_section.h"
#include "elf/source_lookup.h"
#include "symbols/vmlinux.h"

/*
 * A higher limit than for programs (mapped_file.c): the kernel of a distribution has some 400 MiB of
 * debug data.  Reading it takes a few seconds and up to a GiB of memory.
 */
#define MUCH_DEBUG_INFO	(512ull << 20)
#define PAGE		4096	/* the load address of a kernel is a multiple of this */

struct vmlinux {
	char *path;
	int fd;
	Elf *elf;
	struct elf_summary summary;
	struct elf_symbols symbols;	/* by address */
	uint64_t stext;			/* linked address of _stext */
	const struct elf_function **by_name;	/* sorted by name; NULL: not needed yet */
	uint64_t slide;			/* load address minus linked address, if .votes is not 0 */
	uint64_t votes;			/* votes for .slide minus votes against it */
};

/* ------------------------------------------------------------------ opening */

/* Finds the address of a symbol, whether it is a function or not */
static bool find_symbol(Elf *elf, const char *wanted, uint64_t *address)
{
	uint64_t left = UINT64_MAX;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		size_t nr;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !section_strings_end(elf, sh.sh_link, &left))
			return false;
		nr = data->d_size / sh.sh_entsize;
		for (size_t i = 1; i < nr && i < INT32_MAX; i++) {
			const char *name;

			if (!gelf_getsym(data, (int)i, &sym))
				return false;
			name = elf_strptr(elf, sh.sh_link, sym.st_name);
			*address = sym.st_value;
			if (name && !strcmp(name, wanted) && sym.st_shndx != SHN_UNDEF)
				return true;
		}
		return false;
	}
	return false;
}

static struct kernel_id id_of(const struct elf_summary *s)
{
	struct kernel_id id = { .len = s->id_len < sizeof(id.bytes) ? s->id_len : sizeof(id.bytes) };

	memcpy(id.bytes, s->id, id.len);
	return id;
}

/* Opens a file that may be an image.  Return: NULL, with @why, if it is none or cannot be read. */
static struct vmlinux *begin(int fd, const char *path, const char **why)
{
	struct vmlinux *v = calloc(1, sizeof(*v));

	*why = "there is not enough memory";
	if (!v) {
		close(fd);
		return NULL;
	}
	v->fd = fd;
	v->path = strdup(path);
	v->elf = elf_summary_read(fd, &v->summary) ? section_open(fd) : NULL;
	if (v->path && v->elf)
		return v;
	if (v->path)
		*why = "it is no ELF file that can be read. A kernel image here is a vmlinux as it was linked, not a compressed vmlinuz";
	vmlinux_close(v);
	return NULL;
}

/* Reads the symbols of an image.  Return: NULL, or why the image cannot be used. */
static const char *load(struct vmlinux *v)
{
	if (!find_symbol(v->elf, "_stext", &v->stext))
		return "it has no symbol _stext: it is no kernel, or was stripped of its symbols";
	if (elf_symbols_load_linked(v->elf, &v->symbols))
		return "there is not enough memory";
	return v->symbols.nr ? NULL : "its symbol table has no functions";
}

struct vmlinux *vmlinux_open(const char *path, const struct kernel_id *kernel)
{
	const char *why = NULL;
	struct kernel_id its;
	struct vmlinux *v;
	struct stat st;
	int fd = regular_file_open(path, NULL, &st);

	if (fd < 0) {
		complain("--vmlinux %s cannot be opened: %s", path, strerror(errno));
		return NULL;
	}
	v = begin(fd, path, &why);
	if (v) {
		its = id_of(&v->summary);
		if (its.len && kernel->len && !kernel_id_same(&its, kernel)) {
			complain("--vmlinux %s is of another kernel: its build-id is %s, and %s is wanted",
				 path, kernel_id_show(&its).hex, kernel_id_show(kernel).hex);
			vmlinux_close(v);
			return NULL;
		}
		why = load(v);
	}
	if (!why)
		return v;
	complain("--vmlinux %s cannot be used: %s", path, why);
	vmlinux_close(v);
	return NULL;
}

static struct vmlinux *try(const struct kernel_id *kernel, const char *how, ...)
	__attribute__((format(printf, 2, 3)));

static struct vmlinux *try(const struct kernel_id *kernel, const char *how, ...)
{
	struct vmlinux *v = NULL;
	struct kernel_id its;
	const char *why;
	struct stat st;
	va_list args;
	char *path;
	int len, fd;

	va_start(args, how);
	len = vasprintf(&path, how, args);
	va_end(args);
	if (len < 0)
		return NULL;
	fd = regular_file_open_outside(path, NULL, &st);
	if (fd >= 0)
		v = begin(fd, path, &why);
	free(path);
	if (!v)
		return NULL;
	its = id_of(&v->summary);
	if (kernel_id_same(&its, kernel) && !load(v))
		return v;
	vmlinux_close(v);
	return NULL;
}

struct vmlinux *vmlinux_find(const char *release, const struct kernel_id *kernel)
{
	static const struct {
		const char *before, *after;
	} places[] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/boot/vmlinux-", "" },
		{ "/lib/modules/", "/build/vmlinux" },
	};
	struct kernel_id_text id = kernel_id_show(kernel);
	struct vmlinux *v = NULL;

	if (kernel->len < 2)
		return NULL;
	/* The release comes from the profile, which may be hostile: it must not contain a path. */
	for (size_t i = 0; !v && *release && !strchr(release, '/') &&
	     i < sizeof(places) / sizeof(places[0]); i++)
		v = try(kernel, "%s%s%s", places[i].before, release, places[i].after);
	return v ? v : try(kernel, "/usr/lib/debug/.build-id/%.2s/%s.debug", id.hex, id.hex + 2);
}

void vmlinux_close(struct vmlinux *v)
{
	if (!v)
		return;
	free(v->by_name);
	elf_symbols_exit(&v->symbols);
	if (v->elf)
		elf_end(v->elf);
	close(v->fd);
	free(v->path);
	free(v);
}

const char *vmlinux_path(const struct vmlinux *v)
{
	return v->path;
}

/* ---------------------------------------------------------- where it was loaded */

void vmlinux_place(struct vmlinux *v, uint64_t stext)
{
	if (!stext)
		return;
	v->slide = stext - v->stext;
	v->votes = UINT64_MAX;
}

static int by_name(const void *a, const void *b)
{
	const struct elf_function *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* The only function with that name; NULL for none, for more than one, or without memory */
static const struct elf_function *named(struct vmlinux *v, const char *name)
{
	const struct elf_function key = { .name = name }, *wanted = &key, **found;

	if (!v->by_name) {
		v->by_name = calloc(v->symbols.nr + 1, sizeof(*v->by_name));
		if (!v->by_name)
			return NULL;
		for (size_t i = 0; i < v->symbols.nr; i++)
			v->by_name[i] = &v->symbols.functions[i];
		qsort(v->by_name, v->symbols.nr, sizeof(*v->by_name), by_name);
	}
	found = bsearch(&wanted, v->by_name, v->symbols.nr, sizeof(*v->by_name), by_name);
	if (!found || (found > v->by_name && !by_name(found - 1, found)) ||
	    (found[1] && !by_name(found + 1, found)))
		return NULL;
	return *found;
}

/*
 * Finds the slide by majority vote (Boyer and Moore).  A few votes may be wrong: several functions can
 * have one name, and all but one may be missing here because others begin at the same address.
 */
void vmlinux_hint(struct vmlinux *v, const char *name, uint64_t start)
{
	const struct elf_function *f = v->votes == UINT64_MAX ? NULL : named(v, name);
	uint64_t slide;

	if (!f || (start - f->start) % PAGE)
		return;
	slide = start - f->start;
	if (!v->votes)
		v->slide = slide;
	if (v->slide == slide)
		v->votes++;
	else
		v->votes--;
}

uint64_t vmlinux_stext(const struct vmlinux *v)
{
	return v->votes ? v->stext + v->slide : 0;
}

/* ------------------------------------------------------------------ answers */

const char *vmlinux_function(const struct vmlinux *v, uint64_t address, uint64_t *start,
			     uint64_t *end)
{
	const struct elf_function *f = elf_symbols_find(&v->symbols, address - v->slide);

	if (!f || !v->votes)
		return NULL;
	*start = f->start + v->slide;
	*end = f->end + v->slide;
	return f->name;
}

int vmlinux_sources(const struct vmlinux *v, const uint64_t *addresses, size_t nr,
		    enum source_inline wish, uint64_t *time_ns,
		    const struct source_taker *taker)
{
	const struct source_file f = { .fd = v->fd, .debug = v->fd, .linked = true };
	uint64_t *linked, bytes;
	int err;

	if (wish == SOURCE_INLINE_NO || !v->votes)
		return 0;
	bytes = v->summary.debug_bytes;
	if (!bytes || (wish == SOURCE_INLINE_AUTO && bytes > MUCH_DEBUG_INFO))
		return 0;
	linked = malloc((nr + 1) * sizeof(*linked));
	if (!linked)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		linked[i] = addresses[i] - v->slide;
	err = sources_ask(&f, linked, nr, time_ns, taker);
	free(linked);
	return err;
}

bool vmlinux_code(const struct vmlinux *v, uint64_t address, void *to, size_t len)
{
	uint64_t linked = address - v->slide;
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;

	while (v->votes && (scn = section_next(v->elf, scn, &sh, &name))) {
		if (sh.sh_type != SHT_PROGBITS || !(sh.sh_flags & SHF_EXECINSTR) ||
		    linked < sh.sh_addr || linked - sh.sh_addr >= sh.sh_size ||
		    len > sh.sh_size - (linked - sh.sh_addr))
			continue;
		return pread(v->fd, to, len, (off_t)(sh.sh_offset + (linked - sh.sh_addr))) ==
		       (ssize_t)len;
	}
	return false;
}
