// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_inlines.c - inlined functions and lines of every instruction, as addr2line -i has them
 *
 * binutils' and elfutils' are asked about a C++ and a C program at -O2.  Depth, files and
 * lines are those of binutils' everywhere; so are the names, but for
 *
 *   symbol	a function that has no linkage name in its debug data: binutils' gives it that
 *		of a symbol that begins where it begins.  Right for a whole function, and what
 *		a picture shows, too; wrong for one that was inlined at the beginning of another
 *
 * elfutils' differs from us, and from binutils', in
 *
 *   no unit	code without debug data: elfutils takes a line of the code before it
 *   padding	in no function, but after one: elfutils takes what was inlined in that one
 *   twice	one function was inlined into another twice, in parts that overlap: elfutils
 *		goes on from the other one, and says both in one answer
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "addr2line.h"
#include "elf/elf_summary.h"

/*
 * One of several units; T is a type, and other in each, so that the templates' code is.
 * elfutils reads a unit from its beginning for each address: one large one takes minutes.
 */
static const char unit[] =
	"#include <algorithm>\n"
	"#include <cstdio>\n"
	"#include <functional>\n"
	"#include <map>\n"
	"#include <memory>\n"
	"#include <string>\n"
	"#include <vector>\n"
	"namespace {\n"
	"struct shape { virtual ~shape() {} virtual double area() const = 0; };\n"
	"struct square : shape {\n"
	"	double s; explicit square(double x) : s(x) {}\n"
	"	double area() const override { return s * s; }\n"
	"};\n"
	"template <class V> V twice(V x) { auto f = [&](V y) { return y + x; }; return f(f(x)); }\n"
	"inline T leaf(T x) { return T(int(x) * 7 % 13); }\n"
	"inline T mid(int x)\n"
	"{\n"
	"	T s = 0;\n"
	"	for (int i = 0; i < x; i++) s += T(int(leaf(T(i))) ^ int(leaf(s)));\n"
	"	return s;\n"
	"}\n"
	"}\n"
	"int NAME(int argc, char **argv)\n"
	"{\n"
	"	std::vector<T> v;\n"
	"	std::map<std::string, std::vector<T>> m;\n"
	"	for (int i = 0; i < 1000 * argc; i++) v.push_back(mid(i % 17));\n"
	"	std::sort(v.begin(), v.end(), [](T a, T b) { return leaf(a) < leaf(b); });\n"
	"	std::stable_sort(v.begin(), v.end(), std::greater<T>());\n"
	"	for (T x : v) m[std::to_string(x)].push_back(twice(x));\n"
	"	std::vector<std::unique_ptr<shape>> all;\n"
	"	for (int i = 0; i < 10; i++) all.push_back(std::make_unique<square>(i));\n"
	"	double t = 0;\n"
	"	try { for (auto &s : all) t += s->area(); if (argc > 5) throw std::string(\"x\"); }\n"
	"	catch (std::string &e) { puts(e.c_str()); }\n"
	"	std::partial_sort(v.begin(), v.begin() + 10, v.end());\n"
	"	for (auto &p : m) std::make_heap(p.second.begin(), p.second.end());\n"
	"	return printf(\"%f %s\\n\", t, argv[0]) < 0;\n"
	"}\n";

/* Compiles and links it: a unit of each of these types, int among them */
static void make_of(const char *types, const char *name, const char *options)
{
	char line[512];

	snprintf(line, sizeof(line), "set -e; rm -f *.dwo *.o; "
		 "for t in %s; do name=unit_$t; test $t != int || name=main; "
		 "g++ -O2 -g -DT=$t -DNAME=$name %s -c -o $t.o t.cc; done; "
		 "g++ -o %s *.o; true %%s", types, options, name);
	run(line);
}

static void make(const char *name, const char *options)
{
	make_of("int long short double", name, options);
}

/* The names in a symbol table, sorted */
struct symbols {
	char **all;
	size_t nr, cap;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct symbols ask_nm(const char *file)
{
	static char line[65536];
	struct symbols s = { 0 };
	FILE *in;

	snprintf(line, sizeof(line), "nm --defined-only %s/%s", dir, file);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = 0;
		assert_int_equal(grow(&s.all, s.nr, &s.cap, sizeof(*s.all)), 0);
		s.all[s.nr] = strdup(strrchr(line, ' ') + 1);
		assert_non_null(s.all[s.nr++]);
	}
	pclose(in);
	qsort(s.all, s.nr, sizeof(*s.all), by_name);
	return s;
}

static void free_symbols(struct symbols *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->all[i]);
	free(s->all);
}

/* Has binutils taken a symbol's name for a function without a linkage name? */
static bool is_symbols(const struct symbols *s, const char *us, const char *bin)
{
	return bin && (!us || strncmp(us, "_Z", 2)) &&
	       bsearch(&bin, s->all, s->nr, sizeof(*s->all), by_name);
}

/* 0: not the same, 1: the same, 2: the same but for names of symbols */
static int as_binutils(const struct symbols *s, const struct chain *us, const struct chain *bin)
{
	int same = 1;

	/* Nothing but a symbol in code without debug data */
	if (!us->nr)
		return bin->nr == 1 && !bin->links[0].line;
	if (us->nr != bin->nr)
		return 0;
	for (size_t i = 0; i < us->nr; i++) {
		if (!same_link(&us->links[i], &bin->links[i]))
			return 0;
		if (same_text(us->links[i].function, bin->links[i].function))
			continue;
		if (!is_symbols(s, us->links[i].function, bin->links[i].function))
			return 0;
		same = 2;
	}
	return same;
}

/*
 * Does elfutils itself say of the innermost function what we say? In a function of which a part was inlined, it may
 * also call the function its own caller.
 */
static bool says_both(const struct chain *us, const struct chain *elf)
{
	if (us->nr > 1)
		return same_link(&us->links[1], &elf->inlined_at);
	return elf->nr == 2 && same_link(&us->links[0], &elf->links[0]) &&
	       same_text(us->links[0].function, elf->links[1].function);
}

struct differences {
	size_t inlined;
	size_t same_bin, symbol, other_bin;
	size_t same_elf, no_unit, padding, twice, other_elf;
};

static void compare_binutils(struct differences *d, const struct symbols *s,
			     const struct chain *us, const struct chain *bin)
{
	int same = as_binutils(s, us, bin);

	d->same_bin += same == 1;
	d->symbol += same == 2;
	if (!same && !d->other_bin++) {
		print_chain("we", us);
		print_chain("binutils", bin);
	}
}

static void compare_elfutils(struct differences *d, const struct chain *us,
			     const struct chain *elf)
{
	if (same_chain(us, elf)) {
		d->same_elf++;
	} else if (!us->nr) {
		d->no_unit++;
	} else if (us->nr == 1 && !us->links[0].function) {
		d->padding++;
	} else if (says_both(us, elf)) {
		d->twice++;
	} else if (!d->other_elf++) {
		print_chain("we", us);
		print_chain("elfutils", elf);
	}
}

/* Every instruction of a file, which are @least */
static void compare_file(const char *file, size_t least)
{
	struct chains at = every_instruction(file), us, bin, elf;
	uint64_t shift = offset_of(file, at.all[0].address) - at.all[0].address;
	struct symbols symbols = ask_nm(file);
	struct differences d = { 0 };

	us = ask_us(file, &at, shift, 0);
	bin = ask_addr2line("addr2line", file);
	elf = ask_addr2line("eu-addr2line -A", file);
	assert_int_equal(bin.nr, at.nr);
	assert_int_equal(elf.nr, at.nr);
	for (size_t i = 0; i < at.nr; i++) {
		assert_int_equal(us.all[i].address, bin.all[i].address);
		assert_int_equal(us.all[i].address, elf.all[i].address);
		d.inlined += us.all[i].nr > 1;
		compare_binutils(&d, &symbols, &us.all[i], &bin.all[i]);
		compare_elfutils(&d, &us.all[i], &elf.all[i]);
	}
	print_message("# %s: %zu addresses, %zu with inlined functions\n", file, at.nr, d.inlined);
	print_message("# as binutils %zu, symbol %zu, otherwise %zu\n", d.same_bin, d.symbol,
		      d.other_bin);
	print_message("# as elfutils %zu, no unit %zu, padding %zu, twice %zu, otherwise %zu\n",
		      d.same_elf, d.no_unit, d.padding, d.twice, d.other_elf);
	assert_true(at.nr >= least);
	assert_true(d.inlined > at.nr / 4);
	assert_int_equal(d.other_bin, 0);
	assert_int_equal(d.other_elf, 0);
	/* Few, or something is amiss with what makes them a class of their own */
	assert_in_range(d.symbol, 0, at.nr / 4);
	assert_in_range(d.no_unit, 0, at.nr / 10);
	assert_in_range(d.padding, 0, at.nr / 100);
	assert_in_range(d.twice, 0, at.nr / 100);
	free_symbols(&symbols);
	chains_free(&at);
	chains_free(&us);
	chains_free(&bin);
	chains_free(&elf);
}

static void cplusplus_5(void **state)
{
	(void)state;
	compare_file("five", 10000);
}

static void cplusplus_4(void **state)
{
	(void)state;
	/* Smaller: eu-addr2line takes half a minute of the other one */
	make_of("int double", "four", "-gdwarf-4");
	compare_file("four", 5000);
}

/* The tool's own sources, which need not be linked to all they call */
static void c(void **state)
{
	(void)state;
	run("%s -O2 -g -std=gnu11 -D_GNU_SOURCE -I" TEST_DIR "/../../user -I" TEST_DIR
	    "/../../include -fPIC -shared -o c.so " TEST_DIR "/../../user/profile/*.c " TEST_DIR
	    "/../../user/stacks/*.c " TEST_DIR "/../../user/elf/*.c " TEST_DIR "/../../user/symbols/*.c");
	compare_file("c.so", 10000);
}

/* A program whose debug data is elsewhere, or packed, has the code and the lines of "five" */
static void as_five(const char *file)
{
	struct chains at = every_instruction("five"), five, us;
	uint64_t shift = offset_of("five", at.all[0].address) - at.all[0].address;
	char line[512];

	snprintf(line, sizeof(line), "objcopy -O binary -j .text five five.text; objcopy -O binary "
		 "-j .text %s its.text; cmp five.text its.text; true %%s", file);
	run(line);
	five = ask_us("five", &at, shift, 0);
	us = ask_us(file, &at, shift, 0);
	for (size_t i = 0; i < at.nr; i++) {
		if (same_chain(&five.all[i], &us.all[i]))
			continue;
		print_chain("five", &five.all[i]);
		print_chain(file, &us.all[i]);
		fail();
	}
	chains_free(&at);
	chains_free(&five);
	chains_free(&us);
}

/* What decides whether there is very much of it: how long it is when it is unpacked */
static uint64_t debug_bytes(const char *file)
{
	struct elf_summary elf;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_RDONLY);
	assert_true(elf_summary_read(fd, &elf));
	close(fd);
	return elf.debug_bytes;
}

static void packed(void **state)
{
	uint64_t bytes = debug_bytes("five");
	(void)state;

	assert_true(bytes > 100000);
	run("objcopy --compress-debug-sections=zlib five packed && "
	    "readelf -tW packed | grep -q COMPRESSED; true %s");
	as_five("packed");
	assert_int_equal(debug_bytes("packed"), bytes);
	run("objcopy --compress-debug-sections=zlib-gnu five gnu; "
	    "readelf -SW gnu | grep -q zdebug_info; true %s");
	as_five("gnu");
	assert_int_equal(debug_bytes("gnu"), bytes);
}

static void split(void **state)
{
	(void)state;
	make("split", "-gsplit-dwarf");
	as_five("split");
	make("split", "-gsplit-dwarf -gdwarf-4");
	as_five("split");
}

static void stripped(void **state)
{
	(void)state;
	run("objcopy --only-keep-debug five s.debug && strip -o stripped five && "
	    "objcopy --add-gnu-debuglink=s.debug stripped; true %s");
	as_five("stripped");
	/* With symbols, so that the names need no debug file */
	run("strip -g -o stripped five && objcopy --add-gnu-debuglink=s.debug stripped; true %s");
	as_five("stripped");
}

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	unsetenv("DEBUGINFOD_URLS");
	if (system("eu-addr2line --version >/dev/null && addr2line --version >/dev/null")) {
		print_message("# eu-addr2line or addr2line is missing: scripts/setup.sh check\n");
		return -1;
	}
	write_file("t.cc", unit);
	make("five", "-gdwarf-5");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cplusplus_5),
		cmocka_unit_test(cplusplus_4),
		cmocka_unit_test(c),
		cmocka_unit_test(packed),
		cmocka_unit_test(split),
		cmocka_unit_test(stripped),
	};

	return cmocka_run_group_tests_name("inlines", tests, set_up, programs_remove);
}
