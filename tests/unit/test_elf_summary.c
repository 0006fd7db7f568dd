// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_elf_summary.c - headers and notes of ELF files, compared with what libelf and libdw say
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <unistd.h>

#include "elf/elf_sections.h"
#include "elf/elf_summary.h"
#include "elf/libelf_section.h"
#include "programs.h"

#define MOST	400u	/* files; the machine may have thousands */

static unsigned int compared, in_all, with_id, with_link;

static void check_sections(Elf *elf, const struct elf_summary *s)
{
	Elf_Scn *scn = NULL;
	bool symtab = false, mini = false;
	const char *name;
	GElf_Shdr sh;

	while ((scn = section_next(elf, scn, &sh, &name))) {
		symtab |= sh.sh_type == SHT_SYMTAB;
		mini |= !strcmp(name, ".gnu_debugdata");
	}
	assert_int_equal(s->has_symtab, symtab);
	assert_int_equal(s->has_mini_debug, mini);
}

static void check_segments(Elf *elf, int fd)
{
	struct elf_sections s;
	Elf64_Phdr ours;
	GElf_Phdr ph;
	GElf_Ehdr eh;
	size_t nr;

	assert_non_null(gelf_getehdr(elf, &eh));
	assert_int_equal(elf_getphdrnum(elf, &nr), 0);
	assert_int_equal(elf_sections_read(fd, &s), 0);
	assert_int_equal(s.machine, eh.e_machine);
	for (size_t i = 0; i < nr; i++) {
		assert_non_null(gelf_getphdr(elf, (int)i, &ph));
		assert_true(elf_segment_read(fd, &s, i, &ours));
		assert_memory_equal(&ours, &ph, sizeof(ph));
	}
	assert_false(elf_segment_read(fd, &s, nr, &ours));
	elf_sections_exit(&s);
}

static void check_interpreter(Elf *elf, int fd)
{
	char ours[256] = "", theirs[256] = "";
	size_t nr = 0;
	GElf_Phdr ph;

	assert_int_equal(elf_getphdrnum(elf, &nr), 0);
	for (size_t i = 0; i < nr && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_INTERP && ph.p_filesz < sizeof(theirs))
			assert_int_equal(pread(fd, theirs, ph.p_filesz, (off_t)ph.p_offset), ph.p_filesz);
	elf_summary_interpreter(fd, ours, sizeof(ours));
	assert_string_equal(ours, theirs);
}

static void compare(const char *path)
{
	int fd = open(path, O_RDONLY);
	Elf *elf = section_open(fd);
	struct elf_summary s;
	const void *id;
	const char *link;
	GElf_Word crc;
	ssize_t len;

	if (elf && elf_kind(elf) == ELF_K_ELF) {
		assert_true(elf_summary_read(fd, &s));
		len = dwelf_elf_gnu_build_id(elf, &id);
		assert_int_equal(s.id_len, len < 0 ? 0 : len);
		assert_memory_equal(s.id, len > 0 ? id : s.id, s.id_len);
		link = dwelf_elf_gnu_debuglink(elf, &crc);
		assert_string_equal(s.link, link ? link : "");
		assert_int_equal(s.crc, link ? crc : 0);
		check_sections(elf, &s);
		check_interpreter(elf, fd);
		check_segments(elf, fd);
		compared++;
		in_all++;
		with_id += s.id_len > 0;
		with_link += s.link[0] != 0;
	} else {
		assert_false(elf_summary_read(fd, &s));
	}
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static int compare_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)where;
	if (type == FTW_F && S_ISREG(st->st_mode) && st->st_size)
		compare(path);
	return compared >= MOST;
}

static void files_of_this_machine(void **state)
{
	static const char *const where[] = { "/usr/bin", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
					     "/usr/lib/modules" };

	(void)state;
	for (size_t i = 0; i < sizeof(where) / sizeof(*where); i++) {
		compared = 0;
		nftw(where[i], compare_one, 16, FTW_PHYS);
	}
	compare(KFLAME_TOOL);
	assert_true(in_all > 1);
	print_message("%u files, %u with a build-id, %u with a debug link\n", in_all, with_id, with_link);
}

/* Each way in which linkers and distributions make files */
static void made_files(void **state)
{
	static const char *const ways[] = {
		"%s -shared -fPIC -Wl,--build-id=sha1 -o x t.c", "%s -shared -fPIC -Wl,--build-id=md5 -o x t.c",
		"%s -shared -fPIC -Wl,--build-id=none -o x t.c", "%s -shared -fPIC -Wl,--build-id=0x123456789a -o x t.c",
		"%s -Wl,--build-id=sha1 -fcf-protection=full -o x t.c", "%s -static -o x t.c", "%s -c -o x t.c",
		"%s -g -o x t.c && strip -g x && objcopy --add-gnu-debuglink=t.c x",
		"%s -o x t.c && cp t.c a-name-of-fifteen && objcopy --add-gnu-debuglink=a-name-of-fifteen x && strip x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char path[128];

		run(ways[i]);
		snprintf(path, sizeof(path), "%s/x", dir);
		with_id = with_link = compared = 0;
		compare(path);
		assert_int_equal(compared, 1);
		assert_int_equal(with_link, i > 6);
		/* libelf does not find one of five bytes, which lacks its padding; a compiler may add one unasked */
		assert_true(with_id == (i != 2 && i != 3) || i > 4);
	}
}

static void debug_data_is_measured(void **state)
{
	static const char *const packings[] = { "none", "zlib", "zlib-gnu" };
	struct elf_summary s;
	uint64_t bytes = 0;
	char path[128];
	int fd;

	(void)state;
	for (int i = 0; i < 3; i++) {
		char how[256];

		snprintf(how, sizeof(how), "%%s -g -c -o y t.c && objcopy --compress-debug-sections=%s y x", packings[i]);
		run(how);
		snprintf(path, sizeof(path), "%s/x", dir);
		fd = open(path, O_RDONLY);
		assert_true(elf_summary_read(fd, &s));
		close(fd);
		bytes = bytes ? bytes : s.debug_bytes;
		assert_true(bytes > 100);
		assert_int_equal(s.debug_bytes, bytes);
	}
}

/* Any byte of it changed: libelf may say something else, but nothing is read outside of the answer */
static void damaged_files(void **state)
{
	struct elf_summary s;
	unsigned char byte;
	char path[128], loader[64];
	int fd;

	(void)state;
	run("%s -o x t.c && objcopy --add-gnu-debuglink=t.c x");
	snprintf(path, sizeof(path), "%s/x", dir);
	fd = open(path, O_RDWR);
	srandom(1);
	for (int i = 0; i < 20000; i++) {
		off_t at = random() % (i % 2 ? 1024 : lseek(fd, 0, SEEK_END));
		unsigned char other = (unsigned char)random();

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		assert_int_equal(pwrite(fd, &other, 1, at), 1);
		elf_summary_read(fd, &s);
		assert_true(s.id_len <= sizeof(s.id) && strnlen(s.link, sizeof(s.link)) < sizeof(s.link) &&
			    !strchr(s.link, '/'));
		if (elf_summary_interpreter(fd, loader, sizeof(loader)))
			assert_true(strnlen(loader, sizeof(loader)) < sizeof(loader));
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	close(fd);
}

static void no_file(void **state)
{
	struct elf_summary s;
	char loader[64];

	(void)state;
	assert_false(elf_summary_read(-1, &s));
	assert_false(elf_summary_interpreter(-1, loader, sizeof(loader)));
}

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	write_file("t.c", "int x[100];\nint main(void) { return x[3]; }\n");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_this_machine),
		cmocka_unit_test(made_files),
		cmocka_unit_test(debug_data_is_measured),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(no_file),
	};

	return cmocka_run_group_tests_name("elf_summary", tests, set_up, programs_remove);
}
