// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_code_insn.c - the decoders of code_insn.h, compared with Capstone
 *
 * Each instruction of the code of real files must have the length that Capstone finds, must go where
 * Capstone says, and must change each register that Capstone says it changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <capstone/capstone.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/libelf_section.h"
#include "unwind/code_insn.h"

/* Of 1,000,000 instructions, so many may be unknown to one of the two: Capstone 4 lacks SVE, and much of AVX-512 */
#define MOST_UNKNOWN	10000

struct compared {
	const struct code_machine *m;
	csh handle;
	unsigned long nr, unknown, other;
};

static int set_up(void **state)
{
	(void)state;
	return elf_version(EV_CURRENT) == EV_NONE;
}

/* The number in the code of a followed register; 255 for another one */
static uint8_t number_x86(csh handle, uint16_t reg)
{
	static const char *const names[][4] = {
		[3] = { "rbx", "ebx", "bx", "bl" }, [4] = { "rsp", "esp", "sp", "spl" },
		[5] = { "rbp", "ebp", "bp", "bpl" }, [8] = { "r8", "r8d", "r8w", "r8b" },
		[9] = { "r9", "r9d", "r9w", "r9b" }, [10] = { "r10", "r10d", "r10w", "r10b" },
		[11] = { "r11", "r11d", "r11w", "r11b" }, [12] = { "r12", "r12d", "r12w", "r12b" },
		[13] = { "r13", "r13d", "r13w", "r13b" }, [14] = { "r14", "r14d", "r14w", "r14b" },
		[15] = { "r15", "r15d", "r15w", "r15b" },
	};
	const char *name = cs_reg_name(handle, reg);

	for (uint8_t i = 0; name && i < 16; i++)
		for (int k = 0; k < 4 && names[i][0]; k++)
			if (!strcmp(name, names[i][k]))
				return i;
	return name && !strcmp(name, "bh") ? 3 : 255;
}

static uint8_t number_arm64(csh handle, uint16_t reg)
{
	const char *name = cs_reg_name(handle, reg);
	uint8_t i;

	if (!name)
		return 255;
	if (!strcmp(name, "sp") || !strcmp(name, "wsp"))
		return 31;
	if (!strcmp(name, "fp") || !strcmp(name, "lr"))
		return name[0] == 'f' ? 29 : 30;
	if ((name[0] != 'x' && name[0] != 'w') || name[1] < '0' || name[1] > '9')
		return 255;
	i = (uint8_t)atoi(name + 1);
	return i >= 16 ? i : 255;
}

static uint32_t changed(const struct code_insn *insn)
{
	uint32_t mask = insn->lost;

	for (uint32_t i = 0; i < insn->nr_ops; i++)
		if (insn->op[i].kind != CODE_STORE)
			mask |= 1u << insn->op[i].to;
	return mask;
}

static bool goes(const cs_insn *c, csh handle, enum code_flow flow)
{
	bool call = cs_insn_group(handle, c, CS_GRP_CALL) || !strcmp(c->mnemonic, "bl") || !strcmp(c->mnemonic, "blr");
	bool trap = !strcmp(c->mnemonic, "svc");
	bool ret = cs_insn_group(handle, c, CS_GRP_RET), jump = cs_insn_group(handle, c, CS_GRP_JUMP);

	switch (flow) {
	case CODE_CALL:
	case CODE_CALL_ELSEWHERE:
		return call;
	case CODE_RETURN:
		return ret;
	case CODE_BRANCH:
	case CODE_JUMP:
	case CODE_JUMP_ELSEWHERE:
		return jump || !strcmp(c->mnemonic, "xbegin") || ret;
	case CODE_NEXT:
		return trap || (!call && !ret && (!jump || cs_insn_group(handle, c, CS_GRP_INT)));
	default:
		return true;
	}
}

/* Return: false if the two disagree */
static bool agree(struct compared *all, const cs_insn *c, const struct code_insn *insn)
{
	cs_regs read, written;
	uint8_t nr_read, nr_written;
	uint32_t mask = changed(insn);

	if (insn->bytes != c->size || !goes(c, all->handle, insn->flow))
		return false;
	/* Capstone 4 says that a comparison on arm64 changes what it compares, and a system call lr. */
	if (all->m->link && (!strcmp(c->mnemonic, "svc") || !strcmp(c->mnemonic, "cmp") || !strcmp(c->mnemonic, "cmn") || !strcmp(c->mnemonic, "tst")))
		return true;
	if (insn->flow != CODE_NEXT || cs_regs_access(all->handle, c, read, &nr_read, written, &nr_written))
		return true;
	for (uint8_t i = 0; i < nr_written; i++) {
		uint8_t reg = all->m->link ? number_arm64(all->handle, written[i]) : number_x86(all->handle, written[i]);

		if (reg != 255 && !(mask >> reg & 1))
			return false;
	}
	return true;
}

static void compare_code(struct compared *all, const unsigned char *code, size_t left, uint64_t address)
{
	const uint8_t *at = code;
	cs_insn *c = cs_malloc(all->handle);

	while (left) {
		const unsigned char *here = at;
		struct code_insn insn;
		uint64_t where = address;
		bool known = all->m->decode(at, left, address, &insn);

		if (!cs_disasm_iter(all->handle, &at, &left, &address, c)) {
			/* Capstone 4 does not know all; go on as we say */
			all->unknown++;
			if (!known)
				insn.bytes = all->m->align;
			if (insn.bytes > left)
				break;
			at += insn.bytes;
			left -= insn.bytes;
			address += insn.bytes;
			continue;
		}
		all->nr++;
		all->unknown += !known;
		if (known && !agree(all, c, &insn) && all->other++ < 20)
			print_message("# %llx (%02x %02x %02x %02x): %s %s, %u bytes; ours: %u bytes, flow %u, changes %x\n",
				      (unsigned long long)where, here[0], here[1], here[2], here[3], c->mnemonic,
				      c->op_str, c->size, insn.bytes, insn.flow, changed(&insn));
	}
	cs_free(c, 1);
}

static void compare_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : section_open(fd);
	struct compared all = { 0 };
	GElf_Ehdr eh;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	const char *name;

	if (!elf) {
		print_message("# %s is not installed\n", path);
		return;
	}
	assert_non_null(gelf_getehdr(elf, &eh));
	all.m = code_machine(eh.e_machine);
	assert_non_null(all.m);
	assert_int_equal(all.m->link ? cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &all.handle) :
				       cs_open(CS_ARCH_X86, CS_MODE_64, &all.handle), CS_ERR_OK);
	cs_option(all.handle, CS_OPT_DETAIL, CS_OPT_ON);
	while ((scn = section_next(elf, scn, &sh, &name))) {
		Elf_Data *data = strcmp(name, ".text") ? NULL : elf_rawdata(scn, NULL);

		if (data)
			compare_code(&all, data->d_buf, data->d_size, sh.sh_addr);
	}
	print_message("# %s: %lu instructions, %lu unknown to one, %lu differ\n", path, all.nr, all.unknown, all.other);
	assert_true(all.nr > 1000);
	assert_true(all.unknown * 1000000 <= all.nr * MOST_UNKNOWN);
	assert_int_equal(all.other, 0);
	cs_close(&all.handle);
	elf_end(elf);
	close(fd);
}

static void x86_64(void **state)
{
	(void)state;
	compare_file("/bin/bash");
	compare_file("/usr/lib/x86_64-linux-gnu/libc.so.6");
	compare_file("/usr/bin/python3");
}

static void arm64(void **state)
{
	(void)state;
	compare_file("/usr/aarch64-linux-gnu/lib/libc.so.6");
}

/* No bytes crash a decoder, or make an instruction longer than they are */
static void any_bytes(void **state)
{
	static const struct code_machine *const machines[] = { &code_x86_64, &code_arm64 };
	uint64_t seed = 1;
	(void)state;

	for (int i = 0; i < 2000000; i++) {
		const struct code_machine *m = machines[i & 1];
		unsigned char *code;
		struct code_insn insn;
		size_t bytes = 1 + i % 16;

		code = malloc(bytes);
		assert_non_null(code);
		for (size_t k = 0; k < bytes; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			code[k] = (unsigned char)(seed >> 56);
		}
		if (m->decode(code, bytes, 0x1000, &insn)) {
			assert_in_range(insn.bytes, 1, bytes);
			assert_true(insn.nr_ops <= CODE_OPS);
		}
		assert_true(m->padding(code, bytes) <= bytes);
		free(code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64),
		cmocka_unit_test(arm64),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests_name("code_insn", tests, set_up, NULL);
}
