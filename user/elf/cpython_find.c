// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpython_find.c - find and describe CPython in a file
 */
#include <errno.h>
#include <string.h>

#include "elf/cpython_find.h"

#define DEBUG_WORDS	96u	/* of the data's begin */
#define CODE_MOST	128u	/* bytes of the function that has the key */
#define KEY_LEAST	64u	/* no key is before that */

enum { VERSION, STATE, LOOP, THREAD, HAS_3_9, HAS_3_10, NR_NAMES };

static const char *const names[NR_NAMES] = {
	[VERSION] = "Py_Version", [STATE] = "_PyRuntime", [LOOP] = CPYTHON_SYMBOL,
	[THREAD] = "PyGILState_GetThisThreadState", [HAS_3_9] = "PyFrame_GetCode", [HAS_3_10] = "Py_NewRef",
};

/* A displacement, or an absolute address, of x86 */
static int32_t word_at(const unsigned char *code)
{
	int32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

/*
 * An instruction that loads the key, or the address of the structure that has it: a flag of 32 bits, and the key. The
 * structure is found by its address, or by its distance to the begin of the data. @next: address of the next instruction.
 */
static uint32_t key_of(const unsigned char *code, uint64_t next, uint64_t data, uint64_t bytes)
{
	const bool is_address = code[0] == 0x8d, is_load = code[0] == 0x8b, is_direct = code[0] == 0xbf;
	uint64_t to;

	if (is_direct) /* mov $structure,%edi */
		to = (uint32_t)word_at(code + 1) - data;
	else if ((is_address || is_load) && (code[1] & 0xc7) == 0x05) /* relative to the next instruction */
		to = next + (uint64_t)(int64_t)word_at(code + 2) - data;
	else if ((is_address || is_load) && (code[1] & 0xc0) == 0x80 && (code[1] & 7) != 4) /* to a register */
		to = (uint64_t)(int64_t)word_at(code + 2);
	else
		return 0;
	to += is_load ? 0 : sizeof(uint32_t);
	return to >= KEY_LEAST && to < bytes && to % sizeof(uint32_t) == 0 ? (uint32_t)to : 0;
}

uint32_t cpython_key(const unsigned char *code, size_t len, uint64_t at, uint64_t data, uint64_t bytes)
{
	uint32_t key = 0;

	for (size_t i = 0; i + 6 <= len && !key; i++)
		key = key_of(code + i, at + i + 6, data, bytes);
	return key;
}

/* Return: PY_VERSION_HEX, of old versions only its first two numbers; 0 if it is not known */
static uint32_t version_of(const struct interpreter_file *f, const GElf_Sym *sym)
{
	uint32_t version;

	if (sym[VERSION].st_value)
		return interpreter_read(f, sym[VERSION].st_value, &version, sizeof(version)) ? version : 0;
	return sym[HAS_3_10].st_value ? 0x030a0000 : sym[HAS_3_9].st_value ? 0x03090000 : 0;
}

static uint32_t find_key(const struct interpreter_file *f, const GElf_Sym *sym)
{
	unsigned char code[CODE_MOST];
	const size_t len = sym[THREAD].st_size < sizeof(code) ? sym[THREAD].st_size : sizeof(code);

	if (!len || !interpreter_read(f, sym[THREAD].st_value, code, len))
		return 0;
	return cpython_key(code, len, sym[THREAD].st_value, sym[STATE].st_value, sym[STATE].st_size);
}

int cpython_find(const struct interpreter_file *f, struct kflame_interpreter *out)
{
	uint64_t debug[DEBUG_WORDS];
	GElf_Sym sym[NR_NAMES];
	uint32_t version;

	if (f->machine != EM_X86_64 || !f->is_glibc)
		return -ENOENT;
	interpreter_symbols(f, names, sym, NR_NAMES);
	version = version_of(f, sym);
	/* The data of the versions before 3.10 may not be stored. */
	if (!interpreter_read(f, sym[STATE].st_value, debug, sizeof(debug)))
		memset(debug, 0, sizeof(debug));
	if (!version || !sym[STATE].st_value || !sym[LOOP].st_value ||
	    !cpython_offsets(version >> 16, debug, DEBUG_WORDS, out->at))
		return -ENOENT;
	out->at[KFLAME_PY_KEY] = find_key(f, sym);
	if (!out->at[KFLAME_PY_KEY])
		return -ENOENT;
	out->kind = KFLAME_INTERPRETER_CPYTHON;
	out->nr_at = KFLAME_PY_NR_ANY;
	/* Modules that know only 3.11 have their own kind for it. */
	if (version >> 16 == 0x030b) {
		out->kind = KFLAME_INTERPRETER_CPYTHON_3_11;
		out->nr_at = KFLAME_PY_NR;
		memset(&out->at[KFLAME_PY_NR], 0, sizeof(out->at) - KFLAME_PY_NR * sizeof(out->at[0]));
	}
	out->version = version;
	out->state = interpreter_place(f, &sym[LOOP], sym[STATE].st_value);
	return interpreter_loop(f, &sym[LOOP], out);
}
