// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_hostile_symbols.c - damaged files, thousands of functions with one long name, tables that are not there
 */
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <sanitizer/lsan_interface.h>

#include "made_symbols.h"
#include "symbols/function_client.h"

/* A program with any byte changed, and cut anywhere: no crash (ASan watches) */
static void damaged_elf(void **state)
{
	char path[128];
	long size;
	char *bytes;
	FILE *f;
	(void)state;

	run("%s -O1 -shared -nostdlib -fPIC -Dmain=third -o d.so t.c");
	snprintf(path, sizeof(path), "%s/d.so", dir);
	f = fopen(path, "r+");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	bytes = malloc((size_t)size);
	rewind(f);
	assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
	srand(2);
	for (int turn = 0; turn < 400; turn++) {
		long at = turn < 64 ? turn : rand() % size;
		uint64_t start, end;
		struct looked *b;

		fseek(f, at, SEEK_SET);
		fputc(rand(), f);
		fflush(f);
		if (turn % 10 == 9)
			assert_int_equal(ftruncate(fileno(f), rand() % size), 0);
		/* libelf 0.188 loses a section's buffer when it is cut short; not ours */
		__lsan_disable();
		b = look_named("d.so");
		for (uint64_t offset = 0; offset < (uint64_t)size; offset += 64) {
			look_find(b, offset, &start, &end);
			look_leaf(b, offset);
		}
		look_close(b);
		__lsan_enable();
		rewind(f);
		fwrite(bytes, 1, (size_t)size, f);
		fflush(f);
	}
	fclose(f);
	free(bytes);
}

#define SHARED	2000	/* functions */

/* Gives all functions of a file the name of the longest one */
static void share_name(const char *name)
{
	size_t longest = 0;
	Elf_Scn *scn = NULL;
	GElf_Word at = 0;
	char path[128];
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf *elf;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_RDWR, NULL);
	assert_non_null(elf);
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh)) {
		Elf_Data *data = sh.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;

		for (int pass = 0; data && pass < 2; pass++)
			for (int i = 1; gelf_getsym(data, i, &sym); i++) {
				size_t len = strlen(elf_strptr(elf, sh.sh_link, sym.st_name));

				if (!pass && len > longest) {
					longest = len;
					at = sym.st_name;
				} else if (pass && GELF_ST_TYPE(sym.st_info) == STT_FUNC) {
					sym.st_name = at;
					gelf_update_sym(data, i, &sym);
				}
			}
		if (data)
			elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
	}
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	close(fd);
}

struct sum {
	size_t functions, bytes, cut;
};

static void add_up(void *ctx, uint64_t start, uint64_t end, const char *name)
{
	struct sum *s = ctx;
	char tail[64];

	assert_true(start < end);
	snprintf(tail, sizeof(tail), "...[%#llx]", (unsigned long long)start);
	s->functions++;
	s->bytes += strlen(name);
	s->cut += strstr(name, tail) != NULL;
}

/* Thousands of functions with one very long name: few bytes in the file, and no gigabytes of names */
static void shared_name(void **state)
{
	static struct name_place places[2 * SHARED];
	static char name[32768];
	uint64_t time_ns = 30000000000ull;
	struct sum sum = { 0 };
	const struct name_taker taker = { .function = add_up, .ctx = &sum };
	struct file_names names;
	struct looked *b;
	char path[128];
	uint64_t at;
	size_t nr = 0;
	FILE *f;
	(void)state;

	memset(name, 'n', sizeof(name) - 8);
	snprintf(path, sizeof(path), "%s/shared.c", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < SHARED; i++)
		fprintf(f, "int f%d(int x) { return x * %d; }\n", i, i);
	fprintf(f, "int %s(void) { return 1; }\n", name);
	assert_int_equal(fclose(f), 0);
	run("%s -O1 -fvisibility=hidden -c -o shared.o shared.c && gcc -shared -o shared.so shared.o");
	at = symbol_offset("shared.so", "f0");
	share_name("shared.so");
	b = look_named("shared.so");
	/* The functions are 3 to 7 bytes long, one behind the other */
	for (; nr < NR(places); at += 4)
		places[nr++].at = at;
	assert_int_equal(file_names_ask(b->binary, places, nr, &time_ns, &taker, &names), 0);
	assert_in_range(sum.functions, SHARED - 100, SHARED + 100);
	assert_true(names.cut && sum.cut == names.cut);
	/* In full that would be 65 MB */
	assert_true(sum.bytes < (4 << 20) + 512 * nr + 128 * SHARED);
	look_close(b);
}

/* A file of a few KiB that says it has gigabytes of symbols */
static void sparse_file(void **state)
{
	uint64_t time_ns = 30000000000ull;
	struct sum sum = { 0 };
	const struct name_taker taker = { .function = add_up, .ctx = &sum };
	const struct name_place place = { 0x1000, 0 };
	struct file_names names;
	struct looked *b;
	Elf64_Shdr sh;
	Elf64_Ehdr eh;
	char path[128];
	FILE *f;
	(void)state;

	run("%s -O1 -shared -nostdlib -fPIC -Dmain=third -o sparse.so t.c");
	snprintf(path, sizeof(path), "%s/sparse.so", dir);
	f = fopen(path, "r+");
	assert_non_null(f);
	assert_int_equal(fread(&eh, sizeof(eh), 1, f), 1);
	for (int i = 0; i < eh.e_shnum; i++) {
		long at = (long)(eh.e_shoff + (uint64_t)i * sizeof(sh));

		fseek(f, at, SEEK_SET);
		assert_int_equal(fread(&sh, sizeof(sh), 1, f), 1);
		if (sh.sh_type != SHT_SYMTAB)
			continue;
		sh.sh_size = 6ull << 30;
		fseek(f, at, SEEK_SET);
		fwrite(&sh, sizeof(sh), 1, f);
	}
	assert_int_equal(ftruncate(fileno(f), 8ll << 30), 0);
	assert_int_equal(fclose(f), 0);
	b = calloc(1, sizeof(*b));
	b->binary = look_binary("sparse.so");
	assert_int_equal(file_names_ask(b->binary, &place, 1, &time_ns, &taker, &names), 0);
	look_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_elf),
		cmocka_unit_test(shared_name),
		cmocka_unit_test(sparse_file),
	};

	return cmocka_run_group_tests_name("hostile_symbols", tests, symbols_set_up, programs_remove);
}
