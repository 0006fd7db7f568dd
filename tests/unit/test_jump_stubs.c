// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_jump_stubs.c - names of jump stubs, and in which code the caller is still at the top of the stack
 */
#include "made_symbols.h"

#if defined(__x86_64__)
/* Start and size of a section in the file, by what readelf prints */
static void ask_readelf(const char *name, const char *section, uint64_t *offset, uint64_t *size)
{
	unsigned long long index, address, at, bytes;
	char line[512], found[64], type[64];
	FILE *in;

	*size = 0;
	snprintf(line, sizeof(line), "readelf -SW %s/%s", dir, name);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, " [%llu] %63s %63s %llx %llx %llx", &index, found, type, &address,
			   &at, &bytes) == 6 && !strcmp(found, section)) {
			*offset = at;
			*size = bytes;
		}
	pclose(in);
	assert_true(*size);
}

/* Jump stubs have no symbols: each has the name of what it jumps to, the rest says what it is */
static void plt(void **state)
{
	uint64_t at, size;
	struct looked *b;
	(void)state;

	write_file("plt.c", "int puts(const char *);\n"
			    "int f(void) { return puts(\"x\") + 1; }\n");
	run("%s -O1 -shared -fPIC -fcf-protection=none -Wl,-z,lazy -o plt.so plt.c");
	b = look_named("plt.so");
	ask_readelf("plt.so", ".plt", &at, &size);
	assert_int_equal(size, 32);
	assert_string_equal(name_at(b, at), "[plt]");
	assert_string_equal(name_at(b, at + 15), "[plt]");
	assert_string_equal(name_at(b, at + 16), "puts@plt");
	assert_string_equal(name_at(b, at + 31), "puts@plt");
	/* who called it is on the stack, until it pushes a number of its own */
	assert_true(look_leaf(b, at + 16));
	assert_true(look_leaf(b, at + 22));
	assert_false(look_leaf(b, at + 27));
	assert_false(look_leaf(b, at));
	ask_readelf("plt.so", ".plt.got", &at, &size);
	assert_string_equal(name_at(b, at), "__cxa_finalize@plt");
	check_function(b, "plt.so", "", "f");
	look_close(b);

	/* with branch tracking there are two stubs a function, and the second one jumps */
	run("%s -O1 -shared -fPIC -fcf-protection=full -Wl,-z,lazy,-z,ibtplt -o ibt.so plt.c");
	b = look_named("ibt.so");
	ask_readelf("ibt.so", ".plt", &at, &size);
	assert_string_equal(name_at(b, at + 16), "[plt]");
	ask_readelf("ibt.so", ".plt.sec", &at, &size);
	assert_string_equal(name_at(b, at), "puts@plt");
	assert_string_equal(name_at(b, at + size - 1), "puts@plt");
	look_close(b);
}

#define CORPUS	TEST_DIR "/../fuzz/corpus/elf/"

/* Made by a cross compiler; without branch tracking, and with it, where stubs are longer */
static void plt_arm64(void **state)
{
	static const struct {
		const char *path;
		uint64_t at;
		const char *name;
	} places[] = {
		{ CORPUS "plt-arm64.so", 0x280, "[plt]" },
		{ CORPUS "plt-arm64.so", 0x29c, "[plt]" },
		{ CORPUS "plt-arm64.so", 0x2a0, "puts@plt" },
		{ CORPUS "plt-arm64.so", 0x2ac, "puts@plt" },
		{ CORPUS "plt-arm64-exe", 0x3c0, "[plt]" },
		{ CORPUS "plt-arm64-exe", 0x3dc, "[plt]" },
		{ CORPUS "plt-arm64-exe", 0x3e0, "getpid@plt" },
		{ CORPUS "plt-arm64-exe", 0x3f4, "getpid@plt" },
		{ CORPUS "plt-arm64-exe", 0x3f8, "puts@plt" },
		{ CORPUS "plt-arm64-exe", 0x40c, "puts@plt" },
	};
	(void)state;

	for (size_t i = 0; i < NR(places); i++) {
		struct profile_file f;
		struct looked *b;

		describe_path(places[i].path, &f);
		b = look_open(&f, -1, NULL);
		assert_string_equal(name_at(b, places[i].at), places[i].name);
		look_close(b);
	}
}

static const char cfi_asm[] =
	".text\n"
	".globl leaf\n.type leaf,@function\n"
	"leaf:\n.cfi_startproc\n"
	"nop\n"				/* 0: kept */
	"push %rbp\n"			/* 1: kept, not pushed yet */
	".cfi_def_cfa_offset 16\n.cfi_offset 6, -16\n"
	"mov %rsp, %rbp\n"		/* 2..4: not */
	".cfi_def_cfa_register 6\n"
	"nop\n"				/* 5: not */
	"pop %rbp\n"			/* 6: not */
	".cfi_def_cfa 7, 8\n"
	"ret\n"				/* 7: kept */
	".cfi_endproc\n.size leaf, .-leaf\n"
	".globl bare\n.type bare,@function\n"
	"bare: nop\nret\n.size bare, .-bare\n"	/* no unwind information: not */
	".globl handler\n.type handler,@function\n"
	"handler:\n.cfi_startproc\n.cfi_signal_frame\nnop\nret\n.cfi_endproc\n"
	".size handler, .-handler\n"
	/* Registers that no processor has, the last one there could be among them */
	".globl strange\n.type strange,@function\n"
	"strange:\n.cfi_startproc\nnop\n"
	".cfi_escape 0x05, 0x80, 0x80, 0x80, 0x80, 0x7f, 1\nnop\n"
	".cfi_escape 0x05, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1\nnop\n"
	".cfi_remember_state\n.cfi_def_cfa 6, 16\nnop\n.cfi_restore_state\nret\n"
	".cfi_endproc\n.size strange, .-strange\n"
	/* The return address is in a register, then nowhere, then where it was */
	".globl moved\n.type moved,@function\n"
	"moved:\n.cfi_startproc\nnop\n.cfi_register 16, 3\nnop\n.cfi_undefined 16\nnop\n"
	".cfi_restore 16\nret\n.cfi_endproc\n.size moved, .-moved\n";

/* The verdict on each byte of a function: '1' is a leaf without a frame */
static void check_leaves(struct looked *b, const char *name, const char *symbol,
			 const char *expected)
{
	uint64_t at, size;

	at = nm_offset(name, "", symbol, &size);
	assert_int_equal(size, strlen(expected));
	for (size_t i = 0; i < size; i++)
		assert_int_equal(look_leaf(b, at + i), expected[i] == '1');
}

static void check_verdicts(struct looked *b, const char *name)
{
	check_leaves(b, name, "leaf", "11000001");
	assert_false(look_leaf(b, symbol_offset(name, "bare")));
	assert_false(look_leaf(b, symbol_offset(name, "handler")));
	check_leaves(b, name, "strange", "11101");
	check_leaves(b, name, "moved", "1001");
	assert_false(look_leaf(b, 1u << 30));
	look_close(b);
}

static void verdicts(void **state)
{
	char text[sizeof(cfi_asm) + 64];
	(void)state;

	check_verdicts(look_made("cfi", cfi_asm), "cfi.so");
	/* The same in .debug_frame */
	snprintf(text, sizeof(text), ".cfi_sections .debug_frame\n%s", cfi_asm);
	check_verdicts(look_made("dcfi", text), "dcfi.so");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(plt),
		cmocka_unit_test(plt_arm64),
		cmocka_unit_test(verdicts),
#endif
	};

	return cmocka_run_group_tests_name("jump_stubs", tests, symbols_set_up, programs_remove);
}
