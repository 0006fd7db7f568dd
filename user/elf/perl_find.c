// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perl_find.c - find Perl in a file, and describe it for the module
 */
#include <errno.h>
#include <string.h>

#include "elf/perl_find.h"

#define LOOP_MOST	4096u	/* bytes; the loop has 50 */

/*
 * Offsets for x86-64 of Perl 5.36, which later versions share: intrpvar.h, cop.h, sv.h, cv.h, gv.h and hv.h; and of
 * struct pthread in nptl/descr.h of the GNU C library. tests/e2e/perl_offsets.c prints those of an installed Perl.
 */
static const uint32_t perl_5_36[KFLAME_PL_NR] = {
	[KFLAME_PL_THREADS] = 1, [KFLAME_PL_KEYS] = 0x318, [KFLAME_PL_KEY_BLOCKS] = 0x510, [KFLAME_PL_KEY_VALUE] = 8,
	[KFLAME_PL_STACK] = 224, [KFLAME_PL_COP] = 208,
	[KFLAME_PL_CONTEXTS] = 8, [KFLAME_PL_PREVIOUS] = 16, [KFLAME_PL_NEXT] = 24, [KFLAME_PL_TOP] = 32,
	[KFLAME_PL_MOST] = 36, [KFLAME_PL_TYPE] = 44,
	[KFLAME_PL_CONTEXT_BYTES] = 104, [KFLAME_PL_OLD_COP] = 16, [KFLAME_PL_RETURN] = 48, [KFLAME_PL_CV] = 72,
	[KFLAME_PL_REQUIRED] = 64, [KFLAME_PL_UNION] = 16,
	[KFLAME_PL_STASH] = 32, [KFLAME_PL_START] = 40, [KFLAME_PL_GV] = 56, [KFLAME_PL_FILE] = 64,
	[KFLAME_PL_FLAGS] = 92, [KFLAME_PL_GV_NAME] = 32, [KFLAME_PL_GV_STASH] = 40, [KFLAME_PL_EGV] = 56,
	[KFLAME_PL_HV_MAX] = 24, [KFLAME_PL_HV_AUX] = 32, [KFLAME_PL_HV_NAME] = 0, [KFLAME_PL_HV_NAMES] = 28,
	[KFLAME_PL_LINE] = 36, [KFLAME_PL_COP_FILE] = 48, [KFLAME_PL_NEXTSTATE] = 195,
};

bool perl_offsets(unsigned int version, uint32_t *at)
{
	/* A number that 2 does not divide is a development version: its offsets may be those before or after it */
	if (version < 28 || version > 42 || version % 2)
		return false;
	memcpy(at, perl_5_36, sizeof(perl_5_36));
	if (version >= 38)
		at[KFLAME_PL_NEXTSTATE] = version >= 42 ? 202 : 198;
	if (version < 36)
		at[KFLAME_PL_HV_AUX] = 0;
	if (version < 34) {
		at[KFLAME_PL_STACK] = 240;
		at[KFLAME_PL_COP] = 224;
	}
	if (version < 32) {
		at[KFLAME_PL_TYPE] = 40;
		at[KFLAME_PL_CONTEXT_BYTES] = 96;
		at[KFLAME_PL_CV] = 64;
		at[KFLAME_PL_REQUIRED] = 56;
	}
	return true;
}

enum { REVISION, VERSION, LOOP, DEBUG_LOOP, KEY, STACK, COP, NR_SYMBOLS };

/* Without threads, members of the interpreter are variables.  Return: the address of the first one; 0 for none */
static uint64_t put_variables(uint64_t stack, uint64_t cop, uint32_t *at)
{
	const uint64_t first = stack < cop ? stack : cop;

	if (!first || stack - first > KFLAME_INTERPRETER_AT_MAX || cop - first > KFLAME_INTERPRETER_AT_MAX)
		return 0;
	at[KFLAME_PL_THREADS] = at[KFLAME_PL_KEYS] = at[KFLAME_PL_KEY_BLOCKS] = at[KFLAME_PL_KEY_VALUE] = 0;
	at[KFLAME_PL_STACK] = (uint32_t)(stack - first);
	at[KFLAME_PL_COP] = (uint32_t)(cop - first);
	return first;
}

int perl_find(const struct interpreter_file *f, struct kflame_interpreter *out)
{
	static const char *const names[NR_SYMBOLS] = {
		[REVISION] = "PL_revision", [VERSION] = "PL_version", [LOOP] = PERL_SYMBOL,
		[DEBUG_LOOP] = "Perl_runops_debug", [KEY] = "PL_thr_key", [STACK] = "PL_curstackinfo", [COP] = "PL_curcop",
	};
	GElf_Sym sym[NR_SYMBOLS];
	uint8_t revision, version;
	uint64_t state;
	int err;

	interpreter_symbols(f, names, sym, NR_SYMBOLS);
	if (f->machine != EM_X86_64 || !sym[LOOP].st_size || sym[LOOP].st_size > LOOP_MOST ||
	    !interpreter_read(f, sym[REVISION].st_value, &revision, sizeof(revision)) ||
	    !interpreter_read(f, sym[VERSION].st_value, &version, sizeof(version)) || revision != 5 ||
	    !perl_offsets(version, out->at))
		return -ENOENT;
	state = sym[KEY].st_value;
	if (!state)
		state = put_variables(sym[STACK].st_value, sym[COP].st_value, out->at);
	if (!state || (sym[KEY].st_value && !f->is_glibc))
		return -ENOENT;
	err = interpreter_loop(f, &sym[LOOP], out);
	/* A perl for the development of Perl runs this one */
	if (!err && sym[DEBUG_LOOP].st_size && sym[DEBUG_LOOP].st_size <= LOOP_MOST)
		err = interpreter_loop(f, &sym[DEBUG_LOOP], out);
	if (err)
		return err;
	out->kind = KFLAME_INTERPRETER_PERL_5;
	out->version = (uint32_t)revision << 8 | version;
	out->state = interpreter_place(f, &sym[LOOP], state);
	out->nr_at = KFLAME_PL_NR;
	return 0;
}
