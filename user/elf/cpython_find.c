// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpython_find.c - find CPython in a file, and describe it for the module
 */
#include <errno.h>
#include <string.h>

#include "elf/cpython_find.h"

/*
 * Offsets for x86-64 and the GNU C library: Include/cpython/{pystate,code,unicodeobject}.h,
 * Include/internal/pycore_{runtime,frame}.h, and struct pthread of nptl/descr.h
 */
static const uint32_t python_3_11[KFLAME_PY_NR] = {
	[KFLAME_PY_KEY] = 596, [KFLAME_PY_KEYS] = 0x318, [KFLAME_PY_KEY_BLOCKS] = 0x510, [KFLAME_PY_KEY_VALUE] = 8,
	[KFLAME_PY_THREAD] = 152, [KFLAME_PY_CFRAME] = 56, [KFLAME_PY_CURRENT] = 8,
	[KFLAME_PY_CODE] = 32, [KFLAME_PY_PREVIOUS] = 48, [KFLAME_PY_INSTRUCTION] = 56, [KFLAME_PY_ENTRY] = 68,
	[KFLAME_PY_FIRST_LINE] = 72, [KFLAME_PY_FILE] = 112, [KFLAME_PY_NAME] = 128, [KFLAME_PY_LINES] = 136,
	[KFLAME_PY_FIRST] = 184,
	[KFLAME_PY_LENGTH] = 16, [KFLAME_PY_STATE] = 32, [KFLAME_PY_ASCII] = 48, [KFLAME_PY_CHARACTERS] = 72,
	[KFLAME_PY_SIZE] = 16, [KFLAME_PY_BYTES] = 32,
};

enum { VERSION, STATE, LOOP, NR_SYMBOLS };

int cpython_find(const struct interpreter_file *f, struct kflame_interpreter *out)
{
	static const char *const names[NR_SYMBOLS] = {
		[VERSION] = "Py_Version", [STATE] = "_PyRuntime", [LOOP] = CPYTHON_SYMBOL,
	};
	GElf_Sym sym[NR_SYMBOLS];
	uint64_t version;

	interpreter_symbols(f, names, sym, NR_SYMBOLS);
	if (f->machine != EM_X86_64 || !f->is_glibc || !sym[VERSION].st_value ||
	    sym[STATE].st_size < python_3_11[KFLAME_PY_KEY] ||
	    !interpreter_read(f, sym[VERSION].st_value, &version, sizeof(version)))
		return -ENOENT;
	/* PY_VERSION_HEX: debug builds have other offsets, and do not export this name unchanged */
	if (version >> 16 != 0x030b)
		return -ENOENT;
	out->kind = KFLAME_INTERPRETER_CPYTHON_3_11;
	out->version = (uint32_t)version;
	out->state = interpreter_place(f, &sym[LOOP], sym[STATE].st_value);
	out->nr_at = KFLAME_PY_NR;
	memcpy(out->at, python_3_11, sizeof(python_3_11));
	return interpreter_loop(f, &sym[LOOP], out);
}
