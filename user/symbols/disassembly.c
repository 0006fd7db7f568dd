// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disassembly.c - machine code as people read it, by Capstone
 */
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "index.h"
#include "symbols/disassembly.h"
#include "symbols/sandbox.h"

/* Structures differ from one to the next, so it must be the one of the header */
#define TEXT_OF(x)	#x
#define VALUE_OF(x)	TEXT_OF(x)
#define LIBRARY		"libcapstone.so." VALUE_OF(CS_API_MAJOR)

#define TIME_NS		(10 * NS_PER_S)
#define MEMORY		(256ull << 20)
#define FILES		16

/* The library's functions */
struct capstone {
	__typeof__(&cs_open) open;
	__typeof__(&cs_option) option;
	__typeof__(&cs_malloc) malloc;
	__typeof__(&cs_disasm_iter) next;
};

/* A question, for the child */
struct job {
	const struct capstone *lib;
	cs_arch arch;
	cs_mode mode;
	unsigned int step;	/* bytes to go on by after what is no instruction */
	uint64_t address;
	const unsigned char *code;
	size_t len;
};

static bool load(struct capstone *lib)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);

	if (!library)
		return false;
	lib->open = (__typeof__(lib->open))dlsym(library, "cs_open");
	lib->option = (__typeof__(lib->option))dlsym(library, "cs_option");
	lib->malloc = (__typeof__(lib->malloc))dlsym(library, "cs_malloc");
	lib->next = (__typeof__(lib->next))dlsym(library, "cs_disasm_iter");
	return lib->open && lib->option && lib->malloc && lib->next;
}

static bool set_machine(struct job *j, unsigned int machine)
{
	switch (machine) {
	case EM_X86_64:
	case EM_386:
		j->arch = CS_ARCH_X86;
		j->mode = machine == EM_386 ? CS_MODE_32 : CS_MODE_64;
		j->step = 1;
		return true;
	case EM_AARCH64:
		j->arch = CS_ARCH_ARM64;
		j->mode = CS_MODE_LITTLE_ENDIAN;
		j->step = 4;
		return true;
	default:
		return false;
	}
}

/* In the child: each is written as it is found */
static void decode(void *ctx, int fd)
{
	const struct job *j = ctx;
	const uint8_t *code = j->code;
	uint64_t address = j->address;
	FILE *out = fdopen(fd, "w");
	size_t left = j->len;
	cs_insn *insn;
	csh handle;

	if (!out || j->lib->open(j->arch, j->mode, &handle) != CS_ERR_OK)
		return;
	if (j->arch == CS_ARCH_X86)
		j->lib->option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	insn = j->lib->malloc(handle);
	while (insn && left) {
		struct instruction one = { .address = address };

		if (j->lib->next(handle, &code, &left, &address, insn)) {
			one.bytes = insn->size;
			snprintf(one.text, sizeof(one.text), "%s%s%s", insn->mnemonic,
				 insn->op_str[0] ? " " : "", insn->op_str);
		} else {
			one.bytes = left < j->step ? (uint32_t)left : j->step;
			strcpy(one.text, "(bad)");
			code += one.bytes;
			address += one.bytes;
			left -= one.bytes;
		}
		fwrite(&one, sizeof(one), 1, out);
	}
	/* Nothing is freed: the process ends now */
	fflush(out);
}

/* Takes what the child tells, if it can be.  Return: 0, -EIO or -ENOMEM. */
static int take(struct sandbox *child, const struct job *j, struct instruction **out, size_t *nr)
{
	uint64_t at = j->address, end = j->address + j->len;
	struct instruction one;
	size_t cap = 0;

	while (at != end) {
		if (sandbox_read(child, &one, sizeof(one), sizeof(one)) != sizeof(one))
			return -EIO;
		if (one.address != at || !one.bytes || one.bytes > end - at ||
		    !memchr(one.text, 0, sizeof(one.text)))
			return -EIO;
		if (grow(out, *nr, &cap, sizeof(**out)))
			return -ENOMEM;
		(*out)[(*nr)++] = one;
		at += one.bytes;
	}
	return 0;
}

int disassemble(unsigned int machine, uint64_t address, const unsigned char *code, size_t len,
		struct instruction **out, size_t *nr, const char **why)
{
	const struct sandbox_limits limits = { .time_ns = TIME_NS, .memory = MEMORY,
					       .files = FILES };
	struct job j = { .address = address, .code = code, .len = len };
	struct capstone lib;
	struct sandbox child;
	int err;

	*out = NULL;
	*nr = 0;
	*why = "it is of a machine that is not known here";
	if (!set_machine(&j, machine))
		return -ENOTSUP;
	*why = LIBRARY " is not here: install Capstone (Debian: libcapstone" VALUE_OF(CS_API_MAJOR) ")";
	if (!load(&lib))
		return -ENOENT;
	j.lib = &lib;
	*why = "it could not be decoded";
	err = sandbox_start(&child, &limits, NULL, 0, -1, decode, &j);
	if (err)
		return err;
	err = take(&child, &j, out, nr);
	sandbox_end(&child);
	if (!err)
		return 0;
	free(*out);
	*out = NULL;
	*nr = 0;
	return err;
}
