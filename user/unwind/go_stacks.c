// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * go_stacks.c - finds where stacks of Go programs begin, see go_stacks.h
 */
#include <stdbool.h>
#include <string.h>

#include "elf/go_pclntab.h"
#include "elf/libelf_section.h"
#include "unwind/go_stacks.h"

#define MAX_BYTES	4096u	/* of a function below: the largest has some hundred */

enum kind {
	BEGINS,		/* it has no caller */
	CALLS_FIRST,	/* its callee is the outermost frame on another stack, and never returns */
	CALLS_OVER,	/* its callee is on another stack; its own frame stays on the old one */
};

/* From src/runtime/asm_*.s, sys_linux_*.s and time_linux_amd64.s, Go 1.17 to 1.26 */
static const struct {
	const char *name;
	enum kind kind;
} functions[] = {
	{ "runtime.goexit", BEGINS },
	{ "runtime.mstart", BEGINS },
	{ "runtime.rt0_go", BEGINS },
	{ "runtime.clone", CALLS_FIRST },
	{ "runtime.mcall", CALLS_FIRST },
	{ "runtime.morestack", CALLS_FIRST },
	{ "runtime.asmcgocall", CALLS_OVER },
	{ "runtime.nanotime1", CALLS_OVER },
	{ "runtime.systemstack", CALLS_OVER },
	{ "runtime.vgetrandom1", CALLS_OVER },
	{ "runtime.walltime", CALLS_OVER },
	{ "time.now", CALLS_OVER },
};

/* Return: index in functions, or -1 */
static int find_name(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		size_t len = strlen(functions[i].name);

		if (!strncmp(name, functions[i].name, len) && (!name[len] || !strcmp(name + len, ".abi0")))
			return (int)i;
	}
	return -1;
}

/* Size of a call instruction; 0 for any other instruction */
static size_t call_x86_64(const unsigned char *code, size_t left)
{
	if (left >= 5 && code[0] == 0xe8)
		return 5;
	return left >= 2 && code[0] == 0xff && (code[1] & 0xf8) == 0xd0 ? 2 : 0;
}

static size_t call_arm64(const unsigned char *code, size_t left)
{
	uint32_t one;

	if (left < 4)
		return 0;
	memcpy(&one, code, 4);
	return (one & 0xfc000000) == 0x94000000 || (one & 0xfffffc1f) == 0xd63f0000 ? 4 : 0;
}

/*
 * Adds a row for the last byte of each call only. A return address is looked up minus 1, so it hits this
 * byte. A sampled program counter never does.
 */
static int put_calls(const unsigned char *code, size_t bytes, uint16_t machine, uint64_t offset,
		     uint32_t rule, struct row_list *out)
{
	const bool arm = machine == EM_AARCH64;
	int err = 0;

	for (size_t at = 0, len; !err && at < bytes; at += len ? len : arm ? 4 : 1) {
		len = arm ? call_arm64(code + at, bytes - at) : call_x86_64(code + at, bytes - at);
		if (!len)
			continue;
		err = row_list_put(out, offset + at + len - 1, rule);
		if (!err)
			err = row_list_put(out, offset + at + len, UNWIND_GAP);
	}
	return err;
}

/* push %rbp; mov %rsp,%rbp. On arm64, the frame record does not show the caller's stack pointer. */
static bool has_record(const unsigned char *code, size_t bytes, uint16_t machine)
{
	return machine == EM_X86_64 && bytes >= 4 && !memcmp(code, "\x55\x48\x89\xe5", 4);
}

static int add_function(Elf *elf, uint16_t machine, uint64_t offset, uint64_t bytes, enum kind kind,
			const struct go_stacks_rules *rules, struct row_list *out)
{
	Elf_Data *data;
	int err;

	if (kind == BEGINS) {
		err = row_list_put(out, offset, rules->end);
		return err ? err : row_list_put(out, offset + bytes, UNWIND_GAP);
	}
	data = elf_getdata_rawchunk(elf, (int64_t)offset, (size_t)bytes, ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size != bytes)
		return 0;
	if (kind == CALLS_OVER && !has_record(data->d_buf, data->d_size, machine))
		return 0;
	return put_calls(data->d_buf, data->d_size, machine, offset,
			 kind == CALLS_OVER ? rules->over : rules->end, out);
}

int go_stacks_find(Elf *elf, uint16_t machine, uint64_t from, uint64_t to, uint64_t shift,
		   const struct go_stacks_rules *rules, struct row_list *out)
{
	struct go_table go;
	int err = go_table_load(elf, &go);

	for (size_t i = 0; i < go.nr && !err; i++) {
		const struct go_function *f = &go.all[i];
		int found = f->start < from || f->end > to || f->end <= f->start ||
			    f->end - f->start > MAX_BYTES ? -1 : find_name(f->name);

		/* In a damaged table, functions may overlap. */
		if (found < 0 || (out->nr && f->start + shift < out->all[out->nr - 1].offset))
			continue;
		err = add_function(elf, machine, f->start + shift, f->end - f->start,
				   functions[found].kind, rules, out);
	}
	go_table_exit(&go);
	return err;
}

bool go_is_program(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;

	while ((scn = section_next(elf, scn, &sh, &name)))
		if (!strcmp(name, GO_BUILD_INFO))
			return true;
	return false;
}

void go_complete_rule(struct kflame_rule *rule)
{
	if (rule->cfa != KFLAME_CFA_SP || rule->cfa_offset < 16 || rule->fp != KFLAME_IN_SAME ||
	    rule->ra != KFLAME_IN_CFA || rule->ra_offset != -8)
		return;
	rule->fp = KFLAME_IN_CFA;
	rule->fp_offset = -16;
}
