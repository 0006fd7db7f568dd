// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_rows.c - makes rules from the code of a file, where no unwind information describes it
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "elf/libelf_section.h"
#include "elf/plt.h"
#include "unwind/code_pointers.h"
#include "unwind/code_rows.h"
#include "unwind/code_solve.h"
#include "unwind/frame_pointer_prologues.h"
#include "unwind/go_stacks.h"

#define CODE_DESCRIBED	8	/* if less than this part of the code has no rules, it is padding */
#define PROLOGUE_EACH	768	/* bytes of code for each prologue, if compiled with frame pointers */
#define START_BYTES	64	/* of start code, up to its call */
#define MAX_SYMBOLS	(1u << 20)
#define MAX_STRINGS	(64ull << 20)	/* bytes of symbols and their names */

/* Functions that never return: of C, POSIX, glibc, libgcc and libstdc++ */
static const char *const never_return[] = {
	"abort", "exit", "_exit", "_Exit", "quick_exit", "pthread_exit", "thrd_exit", "longjmp", "_longjmp",
	"siglongjmp", "__longjmp_chk", "__assert_fail", "__assert_perror_fail", "__assert", "__stack_chk_fail",
	"__fortify_fail", "__chk_fail", "err", "errx", "verr", "verrx", "__libc_start_main", "__libc_fatal",
	"_Unwind_Resume", "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "__cxa_bad_typeid",
	"__cxa_throw_bad_array_new_length", "__cxa_pure_virtual", "__cxa_deleted_virtual",
	"__cxa_call_unexpected", "__cxa_call_terminate", "_ZSt9terminatev", "_ZSt10unexpectedv",
	"_ZSt17__throw_bad_allocv", "_ZSt16__throw_bad_castv", "_ZSt20__throw_length_errorPKc",
	"_ZSt19__throw_logic_errorPKc", "_ZSt20__throw_out_of_rangePKc", "_ZSt24__throw_out_of_range_fmtPKcz",
	"_ZSt24__throw_invalid_argumentPKc", "_ZSt21__throw_runtime_errorPKc", "_ZSt20__throw_system_errori",
	"_ZSt25__throw_bad_function_callv", "_ZSt28__throw_bad_array_new_lengthv", "_ZSt18__throw_bad_typeidv",
};

static bool never_returns(const char *name)
{
	for (size_t i = 0; i < sizeof(never_return) / sizeof(never_return[0]); i++)
		if (!strcmp(name, never_return[i]))
			return true;
	return false;
}

/* ----------------------------------------------------------------------- code */

static int add_code(struct code_walk *w, Elf *elf, uint64_t address, uint64_t offset, uint64_t bytes,
		    bool whole, uint64_t *left)
{
	Elf_Data *data;

	if (!bytes || bytes > *left || address + bytes < address)
		return 0;
	data = elf_getdata_rawchunk(elf, (int64_t)offset, bytes, ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size != bytes)
		return 0;
	*left -= bytes;
	return code_walk_add(w, address, address + bytes, data->d_buf, whole);
}

static bool is_code(const GElf_Shdr *sh)
{
	return sh->sh_type == SHT_PROGBITS && sh->sh_flags & SHF_EXECINSTR && sh->sh_flags & SHF_ALLOC;
}

/* Adds the executable sections; without section headers, the executable segments */
static int add_all_code(struct code_walk *w, Elf *elf)
{
	uint64_t left = CODE_MAX_BYTES;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Phdr ph;
	size_t nr;
	int err = 0;

	while (!err && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && is_code(&sh))
			err = add_code(w, elf, sh.sh_addr, sh.sh_offset, sh.sh_size, true, &left);
	if (err || w->nr_parts || elf_getphdrnum(elf, &nr))
		return err;
	for (size_t i = 0; i < nr && i < CODE_PARTS && !err; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			err = add_code(w, elf, ph.p_vaddr, ph.p_offset, ph.p_filesz, false, &left);
	return err;
}

/*
 * Does nearly each function set up a frame pointer?  Then frame pointers are the better guide.  Without
 * them, compilers set one up only in functions with alloca.
 */
static bool has_prologues(Elf *elf, const GElf_Shdr *sh, uint16_t machine)
{
	Elf_Data *data;

	if (sh->sh_size < PROLOGUES_MIN_BYTES || sh->sh_size > CODE_MAX_BYTES)
		return false;
	data = elf_getdata_rawchunk(elf, (int64_t)sh->sh_offset, sh->sh_size, ELF_T_BYTE);
	return data && data->d_buf && data->d_size == sh->sh_size &&
	       prologues_count(data->d_buf, data->d_size, machine) >= data->d_size / PROLOGUE_EACH;
}

bool code_is_wanted(Elf *elf, uint16_t machine, uint64_t described)
{
	uint64_t code = 0, by_pointer = 0;
	bool sections = false;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	/* Go's code has frame pointers. */
	if (go_is_program(elf))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		sections = true;
		if (!gelf_getshdr(scn, &sh) || !is_code(&sh) || sh.sh_size > CODE_MAX_BYTES)
			continue;
		code += sh.sh_size;
		if (code > CODE_MAX_BYTES)
			return false;
	}
	/* Without section headers, only a file without any rules is certain to have such code. */
	if (!sections)
		return !described;
	if (described >= code - code / CODE_DESCRIBED || code - described < CODE_MIN_BYTES)
		return false;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && is_code(&sh) && has_prologues(elf, &sh, machine))
			by_pointer += sh.sh_size;
	return by_pointer < code / 2;
}

/* ------------------------------------------------------------------- functions */

static int add_symbol(struct code_walk *w, Elf *elf, size_t strings, const GElf_Sym *sym)
{
	const char *name;

	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF)
		return 0;
	name = strings ? elf_strptr(elf, strings, sym->st_name) : NULL;
	if (name && never_returns(name)) {
		int err = code_walk_never(w, sym->st_value);

		if (err)
			return err;
	}
	return code_walk_start(w, sym->st_value);
}

static int add_symbols(struct code_walk *w, Elf *elf)
{
	uint64_t left = MAX_STRINGS;
	Elf_Scn *scn = NULL;
	size_t seen = 0;
	GElf_Shdr sh;
	GElf_Sym sym;
	int err = 0;

	while (!err && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		size_t strings;

		if (!gelf_getshdr(scn, &sh) || (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		data = section_load(scn, &sh, &left, false);
		strings = section_strings_end(elf, sh.sh_link, &left) ? sh.sh_link : 0;
		for (int i = 1; data && !err && seen < MAX_SYMBOLS && gelf_getsym(data, i, &sym); i++, seen++)
			err = add_symbol(w, elf, strings, &sym);
	}
	return err;
}

/* Notes which jump stubs lead to functions that never return */
static int add_stubs(struct code_walk *w, Elf *elf)
{
	struct plt plt = { 0 };
	int err = plt_load(elf, &plt);

	for (size_t i = 0; i < plt.nr && !err; i++)
		if (plt.all[i].symbol && never_returns(plt.all[i].symbol) &&
		    code_walk_part(w, plt.all[i].address))
			err = code_walk_never(w, plt.all[i].address);
	plt_exit(&plt);
	return err;
}

/*
 * x86-64: start code passes main() as the first argument of __libc_start_main(), in rdi.  A main() that
 * never returns can be found in no other way.
 */
static int add_main(struct code_walk *w, uint64_t entry)
{
	struct code_insn insn;

	for (uint64_t at = entry; at < entry + START_BYTES && code_walk_decode(w, at, &insn); at += insn.bytes) {
		const struct code_part *p = code_walk_part(w, at);
		const unsigned char *code = p->bytes + (at - p->from);
		int32_t number;

		if (insn.flow != CODE_NEXT)
			break;
		if (insn.bytes != 7)
			continue;
		memcpy(&number, code + 3, sizeof(number));
		if (!memcmp(code, "\x48\xc7\xc7", 3))	/* mov $number,%rdi */
			return code_walk_start(w, (uint64_t)(int64_t)number);
		if (!memcmp(code, "\x48\x8d\x3d", 3))	/* lea number(%rip),%rdi */
			return code_walk_start(w, at + insn.bytes + (uint64_t)(int64_t)number);
	}
	return 0;
}

static int add_functions(struct code_walk *w, Elf *elf, const struct code_hints *hints, uint64_t entry)
{
	int err = add_stubs(w, elf);

	if (!err && hints->symbols)
		err = add_symbols(w, elf);
	for (size_t i = 0; !err && hints->entries && i < hints->entries->nr; i++)
		err = code_walk_start(w, hints->entries->all[i].start);
	if (!err && entry && w->m->machine == EM_X86_64)
		err = add_main(w, entry);
	return err || !entry ? err : code_walk_start(w, entry);
}

int code_walk_file(Elf *elf, const struct code_hints *hints, struct code_walk *out)
{
	GElf_Ehdr eh;
	int err;

	memset(out, 0, sizeof(*out));
	out->steps_left = CODE_STEPS;
	out->until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + CODE_MAX_NS;
	out->m = gelf_getehdr(elf, &eh) ? code_machine(eh.e_machine) : NULL;
	if (!out->m)
		return -ENOEXEC;
	err = add_all_code(out, elf);
	if (!err)
		err = add_functions(out, elf, hints, eh.e_entry);
	if (!err)
		err = code_walk_run(out);
	if (!err)
		err = code_pointers_add(out, elf);
	if (!err)
		err = code_walk_run(out);
	if (!err)
		err = code_solve_rest(out);
	/* Too many states: what was not walked has no answer. */
	return err == -E2BIG ? 0 : err;
}

/* ----------------------------------------------------------------------- rules */

int code_rows_each(const struct code_walk *w, uint64_t from, uint64_t to,
		   int (*take)(void *ctx, uint64_t address, const struct kflame_rule *rule), void *ctx)
{
	bool had = false;
	int err = 0;

	for (uint64_t address = from; address < to && !err;) {
		const struct code_state *s = code_walk_state(w, address);
		struct kflame_rule rule;
		struct code_insn insn;
		bool has = false;

		if (s && !code_walk_owner(w, address)->bad) {
			code_state_rule(w->m, s, &rule);
			has = rule.cfa != KFLAME_CFA_NONE;
		}
		if (has || had)
			err = take(ctx, address, has ? &rule : NULL);
		had = has;
		address += s && code_walk_decode(w, address, &insn) ? insn.bytes : w->m->align;
	}
	return err ? err : had ? take(ctx, to, NULL) : 0;
}
