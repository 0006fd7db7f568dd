// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_elf.c - any bytes as a file that was mapped: build-id, symbols, unwind tables
 *
 * Beyond not crashing: functions are sorted, have names and never overlap, and
 * the function that is found for an offset covers it.
 */
#include <fcntl.h>
#include <libelf.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "elf/demangle.h"
#include "elf/elf_summary.h"
#include "elf/elf_symbols.h"
#include "elf/function_finder.h"
#include "elf/sparse_copy.h"
#include "elf/symbol_search.h"
#include "fuzz.h"
#include "symbols/mapped_file.h"
#include "symbols/vmlinux.h"

/* Offsets looked at in a file, beside those of its functions */
#define PLACES	512u

/* What the module would have recorded of the file */
static void describe(struct profile_file *f, int fd, char *path)
{
	struct stat st;

	MUST(!fstat(fd, &st));
	*f = (struct profile_file){
		.path = path, .base = path,
		.rec = {
			.id = 1, .inode = st.st_ino, .bytes = (uint64_t)st.st_size,
			.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
				    (uint64_t)st.st_mtim.tv_nsec,
			.dev_major = major(st.st_dev), .dev_minor = minor(st.st_dev),
		},
	};
}

static void look_at(struct finder *b, uint64_t at)
{
	uint64_t start, end;
	const char *name = finder_find(b, at, &start, &end);

	MUST(!name || (name[0] && start <= at && at < end));
	finder_leaf(b, at);
}

/* Also by path, as it is found when a build-id is known */
static void open_by_path(struct profile_file f)
{
	uint32_t state;
	int fd;

	f.rec.build_id_len = KFLAME_BUILD_ID_MAX;
	fd = binary_open_file(&f, NULL, &state);
	if (fd >= 0)
		close(fd);
}

static void check_functions(const struct elf_symbols *s, struct finder *b)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct elf_function *f = &s->functions[i];
		char *shown;

		MUST(f->start < f->end && (!i || s->functions[i - 1].end <= f->start));
		MUST(f->name && f->name[0]);
		shown = demangle(f->name);
		MUST(shown && shown[0]);
		free(shown);
		look_at(b, f->start);
		look_at(b, f->end - 1);
	}
}

/* The same bytes as the file, its debug file, and what its MiniDebugInfo unpacks to */
static void check_more(Elf *elf, int fd)
{
	Elf *debug = elf_begin(fd, ELF_C_READ, NULL);
	const struct elf_more more = { debug, elf };
	struct elf_symbols symbols;

	MUST(!elf_symbols_load(elf, &more, &symbols));
	elf_symbols_exit(&symbols);
	MUST(!elf_symbols_load_linked(elf, &symbols));
	elf_symbols_exit(&symbols);
	if (debug)
		elf_end(debug);
}

/* What a recording keeps of a file is one that can be read as well */
static void check_copy(int fd)
{
	size_t room = 1 << 20;
	struct finder *f;
	int copy = light_copy(fd, &room, 0);

	if (copy < 0)
		return;
	MUST(!finder_load(copy, -1, "copied", &f) && f);
	finder_destroy(f);
	close(copy);
}

/* What the tool reads without a sandbox */
static void check_summary(int fd)
{
	struct elf_summary s;
	char loader[64];

	MUST(elf_summary_read(fd, &s) == s.is_elf);
	MUST(s.id_len <= sizeof(s.id) && strnlen(s.link, sizeof(s.link)) < sizeof(s.link) && !strchr(s.link, '/'));
	if (elf_summary_interpreter(fd, loader, sizeof(loader)))
		MUST(strnlen(loader, sizeof(loader)) < sizeof(loader));
}

/* As an image of the kernel */
static void check_vmlinux(char *path)
{
	const struct kernel_id id = { 0 };
	struct vmlinux *v = vmlinux_open(path, &id);
	uint64_t start, end;
	char code[16];

	if (!v)
		return;
	vmlinux_place(v, 0xffffffff81000000);
	for (uint64_t at = 0; at < 1024; at += 8) {
		vmlinux_function(v, 0xffffffff81000000 + at, &start, &end);
		vmlinux_code(v, 0xffffffff81000000 + at, code, sizeof(code));
	}
	vmlinux_close(v);
}

/* Where a uprobe would go */
static void check_symbol(int fd)
{
	struct symbol_place place;

	symbol_search(fd, -1, "main", 1, &place);
	MUST(place.state < SYMBOL_NR_STATES && place.near.nr <= NEAR_NAMES);
	symbol_search(fd, -1, NULL, place.address, &place);
	MUST(place.state == SYMBOL_FOUND || place.state == SYMBOL_OUTSIDE || place.state == SYMBOL_DAMAGED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size);
	struct elf_symbols symbols;
	struct profile_file f;
	char path[FUZZ_PATH];
	struct finder *b;
	Elf *elf;

	fuzz_path(path, fd);
	describe(&f, fd, path);
	open_by_path(f);
	check_summary(fd);
	MUST(!finder_load(fd, -1, "fuzzed", &b) && b);
	for (uint64_t i = 0; i < PLACES; i++)
		look_at(b, size <= PLACES ? i : i * size / PLACES);
	MUST(elf_version(EV_CURRENT) != EV_NONE);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		MUST(!elf_symbols_load(elf, NULL, &symbols));
		check_functions(&symbols, b);
		elf_symbols_exit(&symbols);
		check_more(elf, fd);
		elf_end(elf);
	}
	check_copy(fd);
	check_symbol(fd);
	check_vmlinux(path);
	finder_destroy(b);
	close(fd);
	return 0;
}
