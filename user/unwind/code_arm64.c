// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_arm64.c - what an arm64 instruction does to the stack pointer, the frame pointer and the link register
 *
 * Arm ARM, section C4.1.  An instruction that is not recognised changes each general register that its
 * fields may name.
 *
 * x0 to x15 are not followed, because compilers do not keep frames there.
 */
#include <elf.h>
#include <string.h>

#include "unwind/code_insn.h"

#define BASE	19
#define FP	29
#define LINK	30
#define SP	31

#define RD(w)	((uint8_t)((w) & 31))
#define RN(w)	((uint8_t)((w) >> 5 & 31))
#define RT2(w)	((uint8_t)((w) >> 10 & 31))
#define RM(w)	((uint8_t)((w) >> 16 & 31))

static void step(struct code_insn *out, enum code_op_kind kind, uint8_t to, uint8_t from, int64_t add)
{
	out->op[out->nr_ops++] = (struct code_op){ (uint8_t)kind, to, from, (int32_t)add };
}

/* Register 31 is the zero register here */
static void lose(struct code_insn *out, uint8_t reg)
{
	if (reg != 31)
		out->lost |= 1u << reg;
}

static void lose_or_sp(struct code_insn *out, uint8_t reg)
{
	out->lost |= 1u << reg;
}

/* The signed number of @bits bits from bit @low on */
static int64_t field(uint32_t w, unsigned int low, unsigned int bits)
{
	return (int64_t)((uint64_t)(w >> low) << (64 - bits)) >> (64 - bits);
}

/* ------------------------------------------------------------- data processing */

static void add_number(uint32_t w, struct code_insn *out)
{
	int64_t number = (w >> 10 & 0xfff) << (w & 1u << 22 ? 12 : 0);

	if (w & 1u << 29)	/* adds, subs */
		lose(out, RD(w));
	else if (w >> 31)
		step(out, CODE_SET, RD(w), RN(w), w & 1u << 30 ? -number : number);
	else
		lose_or_sp(out, RD(w));
}

static void immediate(uint32_t w, struct code_insn *out)
{
	bool logical = (w & 0x1f800000) == 0x12000000;

	if ((w & 0x1f800000) == 0x11000000)
		add_number(w, out);
	else if (logical && (w >> 29 & 3) != 3)
		lose_or_sp(out, RD(w));
	else if ((w & 0x1f800000) == 0x11800000)
		lose_or_sp(out, RD(w));		/* addg, subg: they may be of sp */
	else
		lose(out, RD(w));
}

static void of_registers(uint32_t w, struct code_insn *out)
{
	if ((w & 0xffe0ffe0) == 0xaa0003e0 && RM(w) != 31 && RD(w) != 31)
		step(out, CODE_SET, RD(w), RM(w), 0);
	else if ((w & 0x1fe00000) == 0x0b200000 && !(w & 1u << 29))
		lose_or_sp(out, RD(w));
	else if ((w & 0xffffc000) == 0xdac10000 && RD(w) == LINK)
		return;		/* it signs or authenticates the return address */
	else
		lose(out, RD(w));
}

/* Instructions of vector registers; some have a general register as their destination */
static void vectors(uint32_t w, struct code_insn *out)
{
	bool converts = (w & 0x5f200000) == 0x1e000000 || (w & 0x5f20fc00) == 0x1e200000;
	bool copies = (w & 0xbfe08400) == 0x0e000400 && ((w >> 11 & 15) == 5 || (w >> 11 & 15) == 7);

	if (converts || copies)
		lose(out, RD(w));
}

/* ------------------------------------------------------------ loads and stores */

/* The register number that a step takes for a transferred register; the zero register has none */
static void transfer(struct code_insn *out, bool load, uint8_t reg, uint8_t base, int64_t at)
{
	if (reg == 31)
		return;
	if (load)
		step(out, CODE_LOAD, reg, base, at);
	else
		step(out, CODE_STORE, base, reg, at);
}

static void pair(uint32_t w, struct code_insn *out)
{
	unsigned int opc = w >> 30, type = w >> 23 & 3;
	bool vector = w & 1u << 26, load = w & 1u << 22, whole = !vector && opc == 2;
	unsigned int scale = vector ? 2 + opc : opc == 2 ? 3 : opc == 1 && !load ? 4 : 2;
	int64_t by = field(w, 15, 7) * (1 << scale), at = type == 2 || !type ? by : 0;

	if (type == 3)
		step(out, CODE_SET, RN(w), RN(w), by);
	if (whole) {
		transfer(out, load, RD(w), RN(w), at);
		transfer(out, load, RT2(w), RN(w), at + 8);
	} else if (load && !vector) {
		lose(out, RD(w));
		lose(out, RT2(w));
	}
	if (type == 1)
		step(out, CODE_SET, RN(w), RN(w), by);
}

/* One register, with an offset that is not scaled, or with writeback */
static void single(uint32_t w, struct code_insn *out)
{
	unsigned int size = w >> 30, opc = w >> 22 & 3, type = w >> 10 & 3;
	bool vector = w & 1u << 26, whole = !vector && size == 3 && opc < 2;
	int64_t by = field(w, 12, 9);

	if (type == 3)
		step(out, CODE_SET, RN(w), RN(w), by);
	if (whole)
		transfer(out, opc, RD(w), RN(w), type == 0 || type == 2 ? by : 0);
	else if (!vector && opc)
		lose(out, RD(w));
	if (type == 1)
		step(out, CODE_SET, RN(w), RN(w), by);
}

static void loads(uint32_t w, struct code_insn *out)
{
	bool vector = w & 1u << 26;

	if ((w & 0x3a000000) == 0x28000000) {
		pair(w, out);
	} else if ((w & 0x3b200000) == 0x38000000) {
		single(w, out);
	} else if ((w & 0x3b000000) == 0x39000000) {
		unsigned int size = w >> 30, opc = w >> 22 & 3;

		if (!vector && size == 3 && opc < 2)
			transfer(out, opc, RD(w), RN(w), (w >> 10 & 0xfff) * 8);
		else if (!vector && opc)
			lose(out, RD(w));
	} else if ((w & 0x3b000000) == 0x18000000 || (w & 0x3b200c00) == 0x38200800) {
		if (!vector)
			lose(out, RD(w));
	} else if ((w & 0xbe000000) == 0x0c000000) {
		if (w & 1u << 23)
			lose_or_sp(out, RN(w));
	} else if ((w & 0x3f000000) == 0x08000000 || (w & 0x3b200c00) == 0x38200000) {
		lose(out, RD(w));
		lose(out, RT2(w));
		lose(out, RM(w));
	} else {
		lose(out, RD(w));
		lose(out, RM(w));
		lose_or_sp(out, RN(w));
	}
}

/* -------------------------------------------------------------------- branches */

static bool to_register(uint32_t w, struct code_insn *out)
{
	switch (w >> 21 & 7) {
	case 0:
		out->flow = CODE_JUMP_ELSEWHERE;
		return true;
	case 1:
		out->flow = CODE_CALL_ELSEWHERE;
		return true;
	case 2:
		/* A signed return has 31 instead of the link register. */
		out->flow = RN(w) == LINK || (RN(w) == 31 && w & 1u << 11) ? CODE_RETURN : CODE_JUMP_ELSEWHERE;
		return true;
	default:
		return false;
	}
}

static bool branches(uint32_t w, uint64_t address, struct code_insn *out)
{
	int64_t by = 0;

	if ((w & 0x7c000000) == 0x14000000) {
		out->flow = w >> 31 ? CODE_CALL : CODE_JUMP;
		by = field(w, 0, 26);
	} else if ((w & 0xff000000) == 0x54000000) {
		out->flow = (w & 14) == 14 ? CODE_JUMP : CODE_BRANCH;
		by = field(w, 5, 19);
	} else if ((w & 0x7e000000) == 0x34000000) {
		out->flow = CODE_BRANCH;
		by = field(w, 5, 19);
	} else if ((w & 0x7e000000) == 0x36000000) {
		out->flow = CODE_BRANCH;
		by = field(w, 5, 14);
	} else if ((w & 0xfe000000) == 0xd6000000) {
		return to_register(w, out);
	} else if ((w & 0xff000000) == 0xd4000000) {
		if ((w & 0xffe0001f) != 0xd4000001)
			out->flow = CODE_STOP;
	} else if ((w & 0xffc00000) == 0xd5000000) {
		if (w & 1u << 21)
			lose(out, RD(w));	/* mrs, sysl */
	} else {
		return false;
	}
	out->target = address + (uint64_t)by * 4;
	return true;
}

static bool decode(const unsigned char *code, size_t left, uint64_t address, struct code_insn *out)
{
	uint32_t w;

	memset(out, 0, sizeof(*out));
	if (left < sizeof(w) || address % 4)
		return false;
	memcpy(&w, code, sizeof(w));
	out->bytes = 4;
	switch (w >> 25 & 15) {
	case 8: case 9:
		immediate(w, out);
		return true;
	case 10: case 11:
		return branches(w, address, out);
	case 4: case 6: case 12: case 14:
		loads(w, out);
		return true;
	case 5: case 13:
		of_registers(w, out);
		return true;
	case 7: case 15:
		vectors(w, out);
		return true;
	case 2:
		/* SVE: some write a general register, or sp */
		lose_or_sp(out, RD(w));
		return true;
	default:
		return false;
	}
}

static size_t padding(const unsigned char *code, size_t left)
{
	size_t at = 0;
	uint32_t w;

	for (; at + sizeof(w) <= left; at += sizeof(w)) {
		memcpy(&w, code + at, sizeof(w));
		if (w && w != 0xd503201f)
			break;
	}
	return at;
}

const struct code_machine code_arm64 = {
	.machine = EM_AARCH64, .sp = SP, .fp = FP, .base = BASE, .link = LINK, .align = 4,
	.followed = 0xffff0000, .call_loses = 1u << 16 | 1u << 17 | 1u << 18 | 1u << LINK,
	.decode = decode, .padding = padding,
};
