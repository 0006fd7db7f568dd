// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_x86_64.c - what an x86-64 instruction does to the stack pointer and the frame pointer
 *
 * Intel SDM, volume 2, chapter 2 (formats) and appendix A (opcode maps).  What is no instruction of 64-bit
 * mode, or rare and of another form (3DNow!, SSE4A, XOP, APX), is unknown.
 *
 * rax, rcx, rdx, rsi and rdi are not followed, because many instructions change them without naming them.
 */
#include <elf.h>
#include <string.h>

#include "unwind/code_insn.h"

#define RBX	3
#define RSP	4
#define RBP	5
#define R11	11
#define NONE	255

/* The form of an instruction, by its opcode */
#define MODRM	(1u << 0)
#define IMM8	(1u << 1)
#define IMMZ	(1u << 2)	/* 4 bytes, 2 with the prefix 0x66 */
#define IMM16	(1u << 3)
#define TO_RM	(1u << 4)	/* it changes the register that r/m names */
#define TO_REG	(1u << 5)	/* it changes the register that reg names */
#define BYTE	(1u << 6)	/* of 8-bit registers */
#define BAD	(1u << 7)
#define IMM32	(1u << 8)
#define TO_V	(1u << 9)	/* it changes the register that VEX.vvvv names */

struct decoder {
	const unsigned char *at, *end;
	bool over;		/* there are too few bytes */
	bool small, rep, repne;	/* prefixes 0x66, 0xf3, 0xf2 */
	bool short_address;	/* prefix 0x67 */
	bool rex, w;
	uint8_t r, x, b;	/* 8 if the prefix has the bit */
	uint8_t v;		/* VEX.vvvv */
	/* ModRM and SIB */
	uint8_t mod, reg, rm;	/* .reg and .rm are complete register numbers */
	uint8_t base;		/* of a memory operand with a base, and without an index; or NONE */
	int32_t disp;
	int64_t imm;
};

static uint8_t byte(struct decoder *d)
{
	if (d->at < d->end)
		return *d->at++;
	d->over = true;
	return 0;
}

static int64_t number(struct decoder *d, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)byte(d) << 8 * i;
	if (bytes == 1)
		return (int8_t)value;
	return bytes == 2 ? (int16_t)value : (int32_t)value;
}

static void read_modrm(struct decoder *d)
{
	uint8_t modrm = byte(d), low = modrm & 7, sib, index = RSP;

	d->mod = modrm >> 6;
	d->reg = (modrm >> 3 & 7) | d->r;
	d->rm = low | d->b;
	d->base = NONE;
	if (d->mod == 3)
		return;
	if (low == 4) {
		sib = byte(d);
		low = sib & 7;
		index = (sib >> 3 & 7) | d->x;
	}
	if (d->mod == 0 && low == 5) {
		d->disp = (int32_t)number(d, 4);	/* relative to rip, or without a base */
		return;
	}
	if (index == RSP && !d->short_address)
		d->base = low | d->b;
	if (d->mod)
		d->disp = (int32_t)number(d, d->mod == 1 ? 1 : 4);
}

static void read_prefixes(struct decoder *d)
{
	for (;;) {
		switch (d->at < d->end ? *d->at : 0) {
		case 0x66:
			d->small = true;
			break;
		case 0x67:
			d->short_address = true;
			break;
		case 0xf2:
			d->repne = true;
			break;
		case 0xf3:
			d->rep = true;
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0xf0:
			break;
		default:
			return;
		}
		d->at++;
	}
}

static void read_rex(struct decoder *d)
{
	uint8_t rex = d->at < d->end ? *d->at : 0;

	if ((rex & 0xf0) != 0x40)
		return;
	d->at++;
	d->rex = true;
	d->w = rex & 8;
	d->r = rex & 4 ? 8 : 0;
	d->x = rex & 2 ? 8 : 0;
	d->b = rex & 1 ? 8 : 0;
}

/* ------------------------------------------------------------- forms by opcode */

/* Opcodes 0x80 to 0xff of the one-byte map */
static unsigned int high_form(uint8_t op)
{
	switch (op) {
	case 0x80: case 0xc0: case 0xc6:
		return MODRM | IMM8 | TO_RM | BYTE;
	case 0x81: case 0xc7:
		return MODRM | IMMZ | TO_RM;
	case 0x83: case 0xc1:
		return MODRM | IMM8 | TO_RM;
	case 0x84: case 0x85: case 0x8e: case 0xd8 ... 0xdf:
		return MODRM;
	case 0x86:
		return MODRM | TO_RM | TO_REG | BYTE;
	case 0x87:
		return MODRM | TO_RM | TO_REG;
	case 0x88: case 0xd0: case 0xd2: case 0xf6: case 0xfe:
		return MODRM | TO_RM | BYTE;
	case 0x89: case 0x8c: case 0x8f: case 0xd1: case 0xd3: case 0xf7: case 0xff:
		return MODRM | TO_RM;
	case 0x8a:
		return MODRM | TO_REG | BYTE;
	case 0x8b: case 0x8d:
		return MODRM | TO_REG;
	case 0xa8: case 0xb0 ... 0xb7: case 0xcd: case 0xe0 ... 0xe7: case 0xeb:
		return IMM8;
	case 0xa9:
		return IMMZ;
	case 0xe8: case 0xe9:
		return IMM32;
	case 0xc2:
		return IMM16;
	case 0xc8:
		return IMM16 | IMM8;
	case 0x82: case 0x9a: case 0xce: case 0xd4 ... 0xd6: case 0xea:
	case 0xca: case 0xcb: case 0xcf:
		return BAD;
	default:
		return 0;
	}
}

static unsigned int one_byte_form(uint8_t op)
{
	static const unsigned int arithmetic[8] = {
		MODRM | TO_RM | BYTE, MODRM | TO_RM, MODRM | TO_REG | BYTE, MODRM | TO_REG,
		IMM8, IMMZ, BAD, BAD,
	};

	if (op < 0x40)
		return op >= 0x38 ? arithmetic[op & 7] & ~(TO_RM | TO_REG) : arithmetic[op & 7];
	if (op >= 0x80)
		return high_form(op);
	if (op >= 0x70)
		return IMM8;
	switch (op) {
	case 0x40 ... 0x4f:	/* a second REX prefix */
	case 0x60 ... 0x62:
		return BAD;
	case 0x63:
		return MODRM | TO_REG;
	case 0x68:
		return IMMZ;
	case 0x69:
		return MODRM | IMMZ | TO_REG;
	case 0x6a:
		return IMM8;
	case 0x6b:
		return MODRM | IMM8 | TO_REG;
	default:
		return 0;
	}
}

/* Opcodes after 0x0f */
static unsigned int two_byte_form(const struct decoder *d, uint8_t op)
{
	switch (op) {
	case 0x04: case 0x0a: case 0x0c: case 0x0f: case 0x24 ... 0x27: case 0x36: case 0x39:
	case 0x3b ... 0x3f: case 0x7a: case 0x7b: case 0xa6: case 0xa7:
		return BAD;
	case 0x05 ... 0x09: case 0x0b: case 0x0e: case 0x30 ... 0x35: case 0x37: case 0x77:
	case 0xa0 ... 0xa2: case 0xa8 ... 0xaa: case 0xc8 ... 0xcf:
		return 0;
	case 0x80 ... 0x8f:
		return IMM32;
	case 0x02: case 0x03: case 0x2c: case 0x2d: case 0x40 ... 0x4f: case 0x50: case 0xaf:
	case 0xb6 ... 0xb8: case 0xbc ... 0xbf: case 0xd7:
		return MODRM | TO_REG;
	case 0xc5:
		return MODRM | IMM8 | TO_REG;
	case 0x78: case 0x79:
		return d->small || d->repne || d->rep ? BAD : MODRM | TO_RM;
	case 0x00: case 0x01: case 0x20: case 0x21: case 0xa5: case 0xab: case 0xad: case 0xb1:
	case 0xb3: case 0xbb: case 0xc7:
		return MODRM | TO_RM;
	case 0x1e: case 0xae:
		return d->rep ? MODRM | TO_RM : MODRM;
	case 0x7e:
		return d->rep ? MODRM : MODRM | TO_RM;
	case 0x90 ... 0x9f: case 0xb0:
		return MODRM | TO_RM | BYTE;
	case 0xa4: case 0xac: case 0xba:
		return MODRM | TO_RM | IMM8;
	case 0xc0:
		return MODRM | TO_RM | TO_REG | BYTE;
	case 0xc1:
		return MODRM | TO_RM | TO_REG;
	case 0x70 ... 0x73: case 0xc2: case 0xc4: case 0xc6:
		return MODRM | IMM8;
	default:
		return MODRM;
	}
}

/* Opcodes of the maps that begin with 0f 38 (@map 2) and 0f 3a (@map 3) */
static unsigned int three_byte_form(unsigned int map, uint8_t op)
{
	if (map == 3)
		return MODRM | IMM8 | (op >= 0x14 && op <= 0x17 ? TO_RM : 0);
	return op == 0xf0 || op == 0xf1 || op == 0xf6 ? MODRM | TO_REG : MODRM;
}

/* Opcodes after a VEX or EVEX prefix; what is listed changes general registers, the rest does not */
static unsigned int vector_form(unsigned int map, uint8_t op)
{
	switch (map << 8 | op) {
	case 0x177:
		return 0;
	case 0x12c: case 0x12d: case 0x150: case 0x178: case 0x179: case 0x193: case 0x1d7:
	case 0x2f2: case 0x2f5: case 0x2f7: case 0x52c: case 0x52d: case 0x578: case 0x579:
		return MODRM | TO_REG;
	case 0x2e0 ... 0x2ef:
		return MODRM | TO_REG | TO_V;
	case 0x2f3:
		return MODRM | TO_V;
	case 0x2f6:
		return MODRM | TO_REG | TO_V;
	case 0x17e: case 0x57e:
		return MODRM | TO_RM;
	case 0x1c5:
		return MODRM | IMM8 | TO_REG;
	case 0x314 ... 0x317:
		return MODRM | IMM8 | TO_RM;
	case 0x3f0:
		return MODRM | IMM8 | TO_REG;
	case 0x170 ... 0x173: case 0x1c2: case 0x1c4: case 0x1c6:
		return MODRM | IMM8;
	}
	switch (map) {
	case 1: case 2: case 5: case 6:
		return MODRM;
	case 3:
		return MODRM | IMM8;
	default:
		return BAD;
	}
}

/* Reads the rest of a VEX (c4, c5) or EVEX (62) prefix, and the opcode.  Return: its form */
static unsigned int read_vector(struct decoder *d, uint8_t first)
{
	uint8_t a = byte(d), b = a;
	unsigned int map = 1;

	if (d->rex || d->small || d->rep || d->repne)
		return BAD;
	d->r = a & 0x80 ? 0 : 8;
	if (first != 0xc5) {
		d->x = a & 0x40 ? 0 : 8;
		d->b = a & 0x20 ? 0 : 8;
		map = a & (first == 0x62 ? 7 : 31);
		b = byte(d);
		d->w = b & 0x80;
	}
	d->v = (uint8_t)(~b >> 3) & 15;
	if (first == 0x62)
		byte(d);
	return vector_form(map, byte(d));
}

/* ---------------------------------------------------------------- its effect */

static void step(struct code_insn *out, enum code_op_kind kind, uint8_t to, uint8_t from, int64_t add)
{
	out->op[out->nr_ops++] = (struct code_op){ (uint8_t)kind, to, from, (int32_t)add };
}

static void lose(struct code_insn *out, uint8_t reg)
{
	out->lost |= 1u << (reg & 15);
}

/* Without a REX prefix, the 8-bit registers 4 to 7 are ah to bh */
static uint8_t whole(const struct decoder *d, unsigned int form, uint8_t reg)
{
	return form & BYTE && !d->rex && reg >= 4 && reg < 8 ? reg - 4 : reg;
}

static void lose_operands(const struct decoder *d, unsigned int form, struct code_insn *out)
{
	if (form & TO_RM && d->mod == 3)
		lose(out, whole(d, form, d->rm));
	if (form & TO_REG)
		lose(out, whole(d, form, d->reg));
	if (form & TO_V)
		lose(out, d->v);
}

static void push(struct code_insn *out, uint8_t reg)
{
	step(out, CODE_SET, RSP, RSP, -8);
	if (reg != NONE)
		step(out, CODE_STORE, RSP, reg, 0);
}

static void pop(struct code_insn *out, uint8_t reg)
{
	if (reg != NONE)
		step(out, CODE_LOAD, reg, RSP, 0);
	step(out, CODE_SET, RSP, RSP, 8);
	if (reg == RSP)
		lose(out, RSP);
}

static void leave(struct code_insn *out)
{
	step(out, CODE_SET, RSP, RBP, 0);
	pop(out, RBP);
}

/* enter: only with level 0, which is push %rbp; mov %rsp,%rbp; sub $room,%rsp */
static void enter(struct code_insn *out, uint16_t room)
{
	push(out, RBP);
	step(out, CODE_SET, RBP, RSP, 0);
	step(out, CODE_SET, RSP, RSP, -(int64_t)room);
}

/* add, or, adc, sbb, and, sub, xor, cmp with a number */
static void arithmetic(const struct decoder *d, unsigned int form, struct code_insn *out)
{
	unsigned int which = d->reg & 7;

	if (which == 7)
		return;
	if (d->w && d->mod == 3 && !(form & BYTE) && (which == 0 || which == 5))
		step(out, CODE_SET, d->rm, d->rm, which ? -d->imm : d->imm);
	else
		lose_operands(d, form, out);
}

/* mov %reg,r/m and mov r/m,%reg; @load: the second */
static void move(const struct decoder *d, bool load, unsigned int form, struct code_insn *out)
{
	uint8_t to = load ? d->reg : d->rm, from = load ? d->rm : d->reg;

	if (d->w && d->mod == 3)
		step(out, CODE_SET, to, from, 0);
	else if (d->w && d->base != NONE && load)
		step(out, CODE_LOAD, d->reg, d->base, d->disp);
	else if (d->w && d->base != NONE)
		step(out, CODE_STORE, d->base, d->reg, d->disp);
	else
		lose_operands(d, form, out);
}

/* Opcode 0xff.  Return: false if it is no known instruction */
static bool group_ff(const struct decoder *d, unsigned int form, struct code_insn *out)
{
	switch (d->reg & 7) {
	case 0: case 1:
		lose_operands(d, form, out);
		return true;
	case 2:
		out->flow = CODE_CALL_ELSEWHERE;
		return true;
	case 4:
		out->flow = CODE_JUMP_ELSEWHERE;
		return true;
	case 6:
		push(out, d->mod == 3 ? d->rm : NONE);
		return true;
	default:
		return false;
	}
}

/* Does the instruction push or pop 2 bytes?  No compiler does that */
static bool is_small_push(const struct decoder *d, uint8_t op)
{
	bool pushes = (op >= 0x50 && op <= 0x5f) || op == 0x68 || op == 0x6a || op == 0x8f ||
		      op == 0x9c || op == 0x9d || op == 0xc8 || op == 0xc9 ||
		      (op == 0xff && (d->reg & 7) == 6);

	return d->small && pushes;
}

/* One-byte opcodes that need more than lose_operands().  Return: false if it is no known instruction */
static bool one_byte_effect(const struct decoder *d, uint8_t op, unsigned int form, struct code_insn *out)
{
	if (is_small_push(d, op))
		return false;
	switch (op) {
	case 0x50 ... 0x57:
		push(out, (op & 7) | d->b);
		return true;
	case 0x58 ... 0x5f:
		pop(out, (op & 7) | d->b);
		return true;
	case 0x68: case 0x6a: case 0x9c:
		push(out, NONE);
		return true;
	case 0x9d:
		pop(out, NONE);
		return true;
	case 0x8f:
		if (d->reg & 7)
			return false;	/* XOP */
		pop(out, d->mod == 3 ? d->rm : NONE);
		return true;
	case 0x80: case 0x81: case 0x83:
		arithmetic(d, form, out);
		return true;
	case 0x89: case 0x8b:
		move(d, op == 0x8b, form, out);
		return true;
	case 0x8d:
		if (d->mod == 3)
			return false;
		if (d->w && d->base != NONE)
			step(out, CODE_SET, d->reg, d->base, d->disp);
		else
			lose(out, d->reg);
		return true;
	case 0x90 ... 0x97:
		if ((op & 7) | d->b)
			lose(out, (op & 7) | d->b);
		return true;
	case 0xb0 ... 0xb7:
		lose(out, whole(d, BYTE, (op & 7) | d->b));
		return true;
	case 0xb8 ... 0xbf:
		lose(out, (op & 7) | d->b);
		return true;
	case 0xc6:
		lose_operands(d, form, out);
		return !(d->reg & 7) || (d->reg == 7 && d->mod == 3);	/* xabort */
	case 0xc7:
		if (d->reg == 7 && d->mod == 3)
			out->flow = CODE_BRANCH;	/* xbegin */
		else
			lose_operands(d, form, out);
		return !(d->reg & 7) || out->flow == CODE_BRANCH;
	case 0xc8:
		if (d->imm)
			return false;
		return true;	/* by decode_one_byte() */
	case 0xc9:
		leave(out);
		return true;
	case 0xf6: case 0xf7:
		if ((d->reg & 7) == 2 || (d->reg & 7) == 3)
			lose_operands(d, form, out);
		return true;
	case 0xff:
		return group_ff(d, form, out);
	default:
		lose_operands(d, form, out);
		return true;
	}
}

static enum code_flow one_byte_flow(uint8_t op)
{
	switch (op) {
	case 0x70 ... 0x7f: case 0xe0 ... 0xe3:
		return CODE_BRANCH;
	case 0xc2: case 0xc3:
		return CODE_RETURN;
	case 0xcc: case 0xf1: case 0xf4:
		return CODE_STOP;
	case 0xe8:
		return CODE_CALL;
	case 0xe9: case 0xeb:
		return CODE_JUMP;
	default:
		return CODE_NEXT;
	}
}

/* The bytes of numbers behind the operands */
static void read_numbers(struct decoder *d, unsigned int form)
{
	if (form & IMM16)
		d->imm = (uint16_t)number(d, 2);
	if (form & IMM8)
		d->imm = number(d, 1);
	if (form & IMMZ)
		d->imm = number(d, d->small && !d->w ? 2 : 4);
	if (form & IMM32)
		d->imm = number(d, 4);
}

/* Numbers whose size no form says */
static void read_other_numbers(struct decoder *d, uint8_t op)
{
	if (op >= 0xa0 && op <= 0xa3)
		d->at += d->short_address ? 4 : 8;
	else if (op >= 0xb8 && op <= 0xbf)
		d->at += d->w ? 8 : d->small ? 2 : 4;
	else if (op == 0xf6 && !(d->reg & 6))
		d->at += 1;
	else if (op == 0xf7 && !(d->reg & 6))
		d->at += d->small && !d->w ? 2 : 4;
	if (d->at > d->end)
		d->over = true;
}

static bool decode_one_byte(struct decoder *d, uint8_t op, struct code_insn *out)
{
	unsigned int form = one_byte_form(op);
	uint16_t room = 0;

	if (form & BAD)
		return false;
	if (form & MODRM)
		read_modrm(d);
	if (op == 0xc8) {
		room = (uint16_t)number(d, 2);
		form = IMM8;
	}
	read_numbers(d, form);
	read_other_numbers(d, op);
	out->flow = one_byte_flow(op);
	/* With the prefix 0x66 and without REX.W, CPUs differ in the size of a jump. */
	if (out->flow != CODE_NEXT && d->small && !d->w && form & (IMM8 | IMM32))
		return false;
	if (!one_byte_effect(d, op, form, out))
		return false;
	if (op == 0xc8)
		enter(out, room);
	return true;
}

static bool decode_two_bytes(struct decoder *d, struct code_insn *out)
{
	uint8_t op = byte(d);
	bool longer = op == 0x38 || op == 0x3a;
	unsigned int form = longer ? three_byte_form(op == 0x38 ? 2 : 3, byte(d)) : two_byte_form(d, op);

	if (form & BAD)
		return false;
	if (form & MODRM)
		read_modrm(d);
	read_numbers(d, form);
	if (longer) {
		lose_operands(d, form, out);
		return true;
	}
	switch (op) {
	case 0x05:
		lose(out, R11);
		return true;
	case 0x0b: case 0xb9: case 0xff:
		out->flow = CODE_STOP;
		return true;
	case 0x80 ... 0x8f:
		out->flow = CODE_BRANCH;
		return !d->small;
	case 0xa0: case 0xa8:
		push(out, NONE);
		return !d->small;
	case 0xa1: case 0xa9:
		pop(out, NONE);
		return !d->small;
	case 0xa2:
		lose(out, RBX);
		return true;
	case 0xba:
		if ((d->reg & 7) == 4)
			return true;	/* bt only reads */
		break;
	case 0xc8 ... 0xcf:
		lose(out, (op & 7) | d->b);
		return true;
	case 0x1e:
		/* endbr64 has the form of rdssp */
		if (d->mod == 3 && (d->reg & 7) == 7)
			return true;
		break;
	}
	lose_operands(d, form, out);
	return true;
}

static bool decode(const unsigned char *code, size_t left, uint64_t address, struct code_insn *out)
{
	struct decoder d = { .at = code, .end = code + (left < 15 ? left : 15), .base = NONE };
	unsigned int form;
	uint8_t op;
	bool known;

	memset(out, 0, sizeof(*out));
	read_prefixes(&d);
	read_rex(&d);
	op = byte(&d);
	if (op == 0x0f) {
		known = decode_two_bytes(&d, out);
	} else if (op == 0xc4 || op == 0xc5 || op == 0x62) {
		form = read_vector(&d, op);
		known = !(form & BAD);
		if (known && form & MODRM)
			read_modrm(&d);
		read_numbers(&d, form);
		lose_operands(&d, form, out);
	} else {
		known = decode_one_byte(&d, op, out);
	}
	if (!known || d.over)
		return false;
	out->bytes = (uint32_t)(d.at - code);
	out->target = address + out->bytes + (uint64_t)d.imm;
	return true;
}

/* Padding is of int3, nop, or long nops; zeros are data, or the end of the code */
static size_t padding(const unsigned char *code, size_t left)
{
	size_t at = 0, prefixes;

	while (at < left) {
		if (code[at] == 0xcc || code[at] == 0x90) {
			at++;
			continue;
		}
		prefixes = 0;
		while (at + prefixes < left && (code[at + prefixes] == 0x66 || code[at + prefixes] == 0x2e))
			prefixes++;
		if (at + prefixes + 1 < left && code[at + prefixes] == 0x90) {
			at += prefixes + 1;
		} else if (at + prefixes + 2 < left && code[at + prefixes] == 0x0f && code[at + prefixes + 1] == 0x1f) {
			struct code_insn insn;

			if (!decode(code + at, left - at, 0, &insn))
				break;
			at += insn.bytes;
		} else {
			break;
		}
	}
	return at;
}

const struct code_machine code_x86_64 = {
	.machine = EM_X86_64, .sp = RSP, .fp = RBP, .base = RBX, .align = 1,
	.followed = 0xff00 | 1u << RBX | 1u << RSP | 1u << RBP,
	.call_loses = 0x0f00, .decode = decode, .padding = padding,
};
