// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_symbol_search.c - where a probe of a function goes, and why there is none
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "elf/symbol_search.h"
#include "programs.h"
#include "record/options.h"
#include "record/uprobe_file.h"

static const char first[] =
	"int data = 1;\n"
	"int stepped(int x) { return x * 7 + data; }\n"
	"static int twice(int x) { return x * 2 + data; }\n"
	"static int local(int x) { return x * 5 + data; }\n"
	"int use_first(int x) { return twice(x) + local(x); }\n"
	"static int (*choose(void))(int) { return stepped; }\n"
	"int chosen(int x) __attribute__((ifunc(\"choose\")));\n"
	"extern int imported(int);\n"
	"int calls(int x) { return imported(x) + chosen(x); }\n";
static const char second[] =
	"static int twice(int x) { return x * 3 + 1; }\n"
	"int local(int x) { return x * 9 + twice(x); }\n"
	"int use_second(int x) { return twice(x); }\n";

static int open_in(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* What nm says of a symbol of full.so; @symbol begins with its type */
static uint64_t address_of(const char *symbol)
{
	unsigned long long address;
	char line[256];
	FILE *in;

	snprintf(line, sizeof(line), "nm %s/full.so | grep ' %s$'", dir, symbol);
	in = popen(line, "r");
	assert_int_equal(fscanf(in, "%llx", &address), 1);
	pclose(in);
	return address;
}

/* The same, asked in a sandbox and in this process */
static struct symbol_place search(const char *file, const char *debug, const char *name, uint64_t by)
{
	int fd = open_in(file), more = debug ? open_in(debug) : -1;
	struct symbol_place here, there;

	symbol_search(fd, more, name, by, &here);
	assert_int_equal(symbol_ask(fd, more, name, by, &there), 0);
	assert_memory_equal(&here, &there, sizeof(here));
	close(fd);
	if (more >= 0)
		close(more);
	return here;
}

static void is_at(const struct symbol_place *p, uint64_t address)
{
	assert_int_equal(p->state, SYMBOL_FOUND);
	assert_int_equal(p->offset, offset_of("full.so", address));
}

static void found(void **state)
{
	static const char *const files[] = { "full.so", "far.so" };
	struct symbol_place p;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		p = search(files[i], NULL, "stepped", 0);
		assert_int_equal(p.state, SYMBOL_FOUND);
		assert_int_equal(p.offset, offset_of(files[i], p.address));
		assert_true(p.bytes > 1);
		assert_int_equal(search(files[i], NULL, "stepped", 1).offset, p.offset + 1);
		assert_int_equal(search(files[i], NULL, "stepped", p.bytes).state, SYMBOL_OUTSIDE);
		assert_int_equal(search(files[i], NULL, "stepped", UINT64_MAX).state, SYMBOL_OUTSIDE);
		assert_int_equal(search(files[i], NULL, NULL, p.address + 1).offset, p.offset + 1);
	}
	/* Of far.so, addresses are no file offsets */
	assert_true(p.offset != p.address);
	assert_int_equal(search("full.so", NULL, NULL, 1ull << 40).state, SYMBOL_OUTSIDE);
	assert_int_equal(search("full.so", NULL, NULL, UINT64_MAX).state, SYMBOL_OUTSIDE);
	/* That others can use goes before one that is static */
	p = search("full.so", NULL, "local", 0);
	is_at(&p, address_of("T local"));
	p = search("lib.so", NULL, "stepped", 0);
	is_at(&p, address_of("T stepped"));
	p = search("lib.so", "lib.debug", "use_first", 0);
	is_at(&p, address_of("T use_first"));
}

static void hidden(void **state)
{
	struct symbol_place p;

	(void)state;
	assert_int_equal(search("lib.so", NULL, "choose", 0).state, SYMBOL_MISSING);
	p = search("lib.so", "lib.debug", "choose", 0);
	is_at(&p, address_of("t choose"));
}

static void refused(void **state)
{
	struct symbol_place p = search("full.so", NULL, "steped", 0);

	(void)state;
	assert_int_equal(p.state, SYMBOL_MISSING);
	assert_int_equal(p.near.nr, 1);
	assert_string_equal(p.near.name[0], "stepped");
	p = search("full.so", NULL, "use", 0);
	assert_int_equal(p.near.nr, 2);
	assert_string_equal(p.near.name[0], "use_first");
	assert_int_equal(search("full.so", NULL, "nothing_like_it", 0).near.nr, 0);
	assert_int_equal(search("full.so", NULL, "data", 0).state, SYMBOL_DATA);
	assert_int_equal(search("full.so", NULL, "chosen", 0).state, SYMBOL_IFUNC);
	assert_int_equal(search("full.so", NULL, "imported", 0).state, SYMBOL_IMPORTED);
	p = search("full.so", NULL, "twice", 0);
	assert_int_equal(p.state, SYMBOL_SEVERAL);
	assert_true(p.address && p.other && p.address != p.other);
	assert_int_equal(search("a.c", NULL, "stepped", 0).state, SYMBOL_DAMAGED);
}

/* A file that is cut anywhere, or has other bytes: an answer, and none that is out of bounds */
static void damaged(void **state)
{
	int fd = open_in("full.so"), out;
	unsigned char bytes[65536];
	struct symbol_place p;
	char path[128];
	ssize_t len = read(fd, bytes, sizeof(bytes));

	(void)state;
	close(fd);
	assert_true(len > 0);
	snprintf(path, sizeof(path), "%s/damaged", dir);
	srand(1);
	for (int i = 0; i < 500; i++) {
		unsigned char copy[sizeof(bytes)];
		ssize_t kept = i % 2 ? len : rand() % len;

		memcpy(copy, bytes, (size_t)len);
		for (int j = 0; i % 2 && j < 20; j++)
			copy[rand() % len] = (unsigned char)rand();
		out = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		assert_int_equal(write(out, copy, (size_t)kept), kept);
		symbol_search(out, -1, i % 3 ? "steped" : "stepped", 0, &p);
		assert_true(p.state < SYMBOL_NR_STATES && p.near.nr <= NEAR_NAMES);
		close(out);
	}
}

static void parsed(void **state)
{
	static const struct {
		const char *text, *file, *symbol;
		uint64_t by;
	} good[] = {
		{ "prog:main", "prog", "main", 0 }, { "/a:b/c:f+0x10", "/a:b/c", "f", 16 },
		{ "libstdc++.so:_ZN1aC1Ev+1", "libstdc++.so", "_ZN1aC1Ev", 1 }, { "a:0x1234", "a", NULL, 0x1234 },
		{ "a:18446744073709551615", "a", NULL, UINT64_MAX }, { "a b:main.(*T).f", "a b", "main.(*T).f", 0 },
	};
	static const char *const bad[] = {
		"", "a", ":f", "a:", "a:1x", "a:f+", "a:f+x", "a:+1", "a:0x1+1", "a:f+18446744073709551616", "a:f+-1", "a::",
	};
	struct uprobe_name n;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(uprobe_parse(good[i].text, &n), 0);
		assert_string_equal(n.file, good[i].file);
		if (good[i].symbol)
			assert_string_equal(n.symbol, good[i].symbol);
		else
			assert_null(n.symbol);
		assert_int_equal(n.by, good[i].by);
		free(n.file);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(uprobe_parse(bad[i], &n), -EINVAL);
}

static void event_names(void **state)
{
	char name[KFLAME_EVENT_NAME], text[512];
	const int most = KFLAME_EVENT_NAME - 1 - 7;

	(void)state;
	snprintf(text, sizeof(text), "%0*d/b:f", most - 4, 0);
	assert_int_equal(uprobe_event_name("uprobe", text, name, sizeof(name)), 0);
	assert_string_equal(name + 7, text);
	snprintf(text, sizeof(text), "/x/%0*d/b:f", most - 4, 0);
	assert_int_equal(uprobe_event_name("uprobe", text, name, sizeof(name)), 0);
	assert_string_equal(name, "uprobe:.../b:f");
	snprintf(text, sizeof(text), "/x/%0*d:f", most - 4, 0);
	assert_int_equal(uprobe_event_name("uprobe", text, name, sizeof(name)), -ENAMETOOLONG);
	snprintf(text, sizeof(text), "/x/b:%0*d/f", most, 0);
	assert_int_equal(uprobe_event_name("uprobe", text, name, sizeof(name)), -ENAMETOOLONG);
	assert_int_equal(uprobe_event_name("uprobe", "a b\xc3\xa4:f", name, sizeof(name)), 0);
	assert_string_equal(name, "uprobe:a_b__:f");
}

static void options(void **state)
{
	static const char *const bad[] = { "uprobe", "uprobe:", "uprobe:f", "uprobe:a:f,uprobe:b" };
	struct record_options o = { 0 };

	(void)state;
	assert_int_equal(parse_events("clock,uprobe:a:f,uprobe:a:f+1", &o), 0);
	assert_int_equal(o.nr_events, 3);
	assert_int_equal(o.events[1].kind, KFLAME_EVENT_UPROBE);
	assert_string_equal(o.events[2].name, "uprobe:a:f+1");
	assert_string_equal(o.events[2].target, "a:f+1");
	assert_int_equal(parse_events("uprobe:a:f", &o), -EEXIST);
	record_options_exit(&o);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		o = (struct record_options){ 0 };
		assert_int_equal(parse_events(bad[i], &o), -EINVAL);
		record_options_exit(&o);
	}
}

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	write_file("a.c", first);
	write_file("b.c", second);
	run("%s -O0 -g -shared -fPIC -Wl,--build-id=0x12345678 -o full.so a.c b.c");
	run("%s -O0 -shared -fPIC -Wl,--section-start=.text=0x200000 -o far.so a.c b.c");
	run("true %s; objcopy --only-keep-debug full.so lib.debug; strip -o lib.so full.so");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),
		cmocka_unit_test(hidden),
		cmocka_unit_test(refused),
		cmocka_unit_test(damaged),
		cmocka_unit_test(parsed),
		cmocka_unit_test(event_names),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, set_up, programs_remove);
}
