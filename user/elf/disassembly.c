// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disassembly.c - disassemble machine code with Capstone
 */
#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/library.h"
#include "elf/disassembly.h"
#include "sandbox/sandbox.h"

/* Structures differ between major versions of the library: load the version of the header */
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

/* The question for the sandbox; the code follows */
struct question {
	cs_arch arch;
	cs_mode mode;
	unsigned int step;	/* bytes to skip if they are no instruction */
	uint64_t address;
	size_t len;
};

static bool load(struct capstone *lib)
{
	static const char *const names[] = { LIBRARY, NULL };
	static const struct library_call calls[] = {
		{ "cs_open", offsetof(struct capstone, open) },
		{ "cs_option", offsetof(struct capstone, option) },
		{ "cs_malloc", offsetof(struct capstone, malloc) },
		{ "cs_disasm_iter", offsetof(struct capstone, next) },
	};

	return library_load(names, calls, sizeof(calls) / sizeof(calls[0]), lib, NULL);
}

static bool set_machine(struct question *j, unsigned int machine)
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

/* Set in the sandbox only */
static struct capstone library;

/* A confined process cannot open the library */
static void prepare_decoding(void)
{
	load(&library);
}

static void put(struct instruction *one, const cs_insn *insn)
{
	one->bytes = insn->size;
	snprintf(one->text, sizeof(one->text), "%s%s%s", insn->mnemonic,
		 insn->op_str[0] ? " " : "", insn->op_str);
}

/* Runs in the sandbox: decode the code and write each instruction */
static void decode(const struct sandbox_job *job)
{
	const struct question *q = job->question;
	const uint8_t *code = (const uint8_t *)(q + 1);
	uint64_t address = q->address;
	FILE *out = fdopen(job->out, "w");
	size_t left = q->len;
	cs_insn *insn;
	csh handle;

	if (!out || !library.next || library.open(q->arch, q->mode, &handle) != CS_ERR_OK)
		return;
	if (q->arch == CS_ARCH_X86)
		library.option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	insn = library.malloc(handle);
	while (insn && left) {
		struct instruction one = { .address = address };

		if (library.next(handle, &code, &left, &address, insn)) {
			put(&one, insn);
		} else {
			one.bytes = left < q->step ? (uint32_t)left : q->step;
			strcpy(one.text, "(bad)");
			code += one.bytes;
			address += one.bytes;
			left -= one.bytes;
		}
		fwrite(&one, sizeof(one), 1, out);
	}
	/* Free nothing: the process ends now */
	fflush(out);
}

const struct sandbox_work disassembly_work = { "disassemble", decode, prepare_decoding };

/* Read and check the instructions that the sandbox sends.  Return: 0, -EIO or -ENOMEM. */
static int take(struct sandbox *child, const struct question *j, struct instruction **out, size_t *nr)
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

/* Let a sandbox decode the code.  Return: 0 or a negative errno */
static int ask(const struct question *q, const unsigned char *code, struct instruction **out, size_t *nr)
{
	const struct sandbox_limits limits = { .time_ns = TIME_NS, .memory = MEMORY,
					       .files = FILES };
	struct sandbox_input input = { .len = sizeof(*q) + q->len };
	unsigned char *bytes = malloc(input.len);
	struct sandbox child;
	int err;

	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, q, sizeof(*q));
	memcpy(bytes + sizeof(*q), code, q->len);
	input.question = bytes;
	err = sandbox_start(&child, &disassembly_work, &limits, &input);
	free(bytes);
	if (err)
		return err;
	err = take(&child, q, out, nr);
	sandbox_end(&child);
	return err;
}

int disassemble(unsigned int machine, uint64_t address, const unsigned char *code, size_t len,
		struct instruction **out, size_t *nr, const char **why)
{
	struct question q = { .address = address, .len = len };
	struct capstone lib;
	int err;

	*out = NULL;
	*nr = 0;
	*why = "it is of a machine that is not known here";
	if (!set_machine(&q, machine))
		return -ENOTSUP;
	*why = LIBRARY " is not here: install Capstone (Debian: libcapstone" VALUE_OF(CS_API_MAJOR) ")";
	if (!load(&lib))
		return -ENOENT;
	*why = "it could not be decoded";
	err = ask(&q, code, out, nr);
	if (!err)
		return 0;
	free(*out);
	*out = NULL;
	*nr = 0;
	return err;
}
