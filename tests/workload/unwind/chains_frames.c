// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chains_frames.c - frames of each shape: leaves, sizes known at run time only, aligned ones, jumps out of them and between them
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>

#include "chains_parts.h"

static volatile uint64_t sink;

/* ---- leaves without a frame, and short functions that save all registers */

OWN uint64_t plain_leaf(uint64_t x)
{
	return spin(x, 2000);
}

//> plain_middle -> plain_leaf
OWN uint64_t plain_middle(uint64_t x)
{
	return plain_leaf(x + 1) + 1;
}

//> plain_user -> plain_middle
OWN uint64_t plain_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		x += plain_middle(x + i);
	return x;
}

OWN uint64_t short_leaf(uint64_t x)
{
	return x * 3 + 1;
}

//> short_saves -> short_leaf
OWN uint64_t short_saves(uint64_t a)
{
	uint64_t b = a * 3, c = a ^ 5, d = a + 7, e = a - 9, f = a >> 11;

	__asm__("" : "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	return short_leaf(a) + a + (b ^ c ^ d ^ e ^ f);
}

//> short_user -> short_saves
OWN uint64_t short_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 1500; i++)
		x = short_saves(x);
	return x;
}

/* ---- frames of which the size is known at run time only */

OWN uint64_t alloca_leaf(volatile uint64_t *p, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		p[i] = p[i - 1] * 3 + i;
	return p[n - 1];
}

//> alloca_frame -> alloca_leaf
OWN uint64_t alloca_frame(uint64_t x, size_t n)
{
	volatile uint64_t *p = alloca(n * sizeof(*p));

	p[0] = x;
	return alloca_leaf(p, n) + p[n / 2];
}

//> alloca_user -> alloca_frame
OWN uint64_t alloca_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		x += alloca_frame(x, 8 + 40 * (size_t)i);
	return x;
}

OWN uint64_t vla_leaf(volatile uint64_t *p, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		p[i] = p[i - 1] * 5 + i;
	return p[n - 1];
}

//> vla_frame -> vla_leaf
OWN uint64_t vla_frame(uint64_t x, size_t most)
{
	size_t n;

	for (n = 2; n < most; n += 30) {
		volatile uint64_t block[n];

		block[0] = x;
		x += vla_leaf(block, n);
	}
	return x;
}

//> vla_user -> vla_frame
OWN uint64_t vla_user(uint64_t x)
{
	return vla_frame(x, 500) + vla_frame(x + 1, 300);
}

/* ---- locals that are aligned more than the stack is, with arguments on the stack */

OWN uint64_t aligned_leaf(volatile uint64_t *p, uint64_t x)
{
	unsigned int i;

	if ((uintptr_t)p % 64)
		abort();
	for (i = 1; i < 200; i++)
		p[i % 8] = x += p[(i - 1) % 8] * 3;
	return x;
}

//> aligned_frame -> aligned_leaf
OWN uint64_t aligned_frame(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
			   uint64_t g, uint64_t h)
{
	_Alignas(64) volatile uint64_t block[8];

	block[0] = a + b + c;
	return aligned_leaf(block, d + e + f) + g * h + block[1];
}

//> aligned_alloca -> aligned_leaf
OWN uint64_t aligned_alloca(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
			    uint64_t f, uint64_t g, uint64_t h)
{
	_Alignas(64) volatile uint64_t block[8];
	volatile uint64_t *more = alloca((h % 30 + 2) * sizeof(*more));

	block[0] = a + b + c;
	more[1] = g;
	return aligned_leaf(block, d + e + f) + more[1] * h + block[1];
}

//> aligned_user -> aligned_frame
//> aligned_user -> aligned_alloca
OWN uint64_t aligned_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 30; i++) {
		x += aligned_frame(x, 1, 2, 3, 4, 5, 6, i);
		x += aligned_alloca(x, 1, 2, 3, 4, 5, 6, i);
	}
	return x;
}

/* ---- longjmp */

static jmp_buf jump_back;

//> jump_deeper uses
OWN uint64_t jump_deeper(uint64_t x)
{
	sink = spin(x, 500);
	longjmp(jump_back, 1);
}

//> jump_below -> jump_deeper
OWN uint64_t jump_below(uint64_t x)
{
	return jump_deeper(x + 1) + 1;
}

OWN uint64_t jump_after(uint64_t x)
{
	return spin(x, 500);
}

//> jump_once -> jump_below
//> jump_once -> jump_after
//> jump_once uses
OWN uint64_t jump_once(uint64_t x)
{
	const unsigned int mark = record_mark();

	if (!setjmp(jump_back))
		jump_below(x);
	record_reset(mark);
	return jump_after(x) + 1;
}

//> jump_user -> jump_once
OWN uint64_t jump_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		x += jump_once(x);
	return x;
}

/* ---- tail calls: who jumps is not on the stack of what it jumped to */

OWN uint64_t tail_third(uint64_t x)
{
	return spin(x, 300);
}

OWN uint64_t tail_second(uint64_t x)
{
	x = spin(x, 300);
	return TAIL(tail_third(x));
}

OWN uint64_t tail_help(uint64_t x)
{
	return spin(x, 300);
}

//> tail_first -> tail_help
OWN uint64_t tail_first(uint64_t x)
{
	x = tail_help(x) + x;
	return TAIL(tail_second(x));
}

//> tail_user -> tail_first
//> tail_user -> tail_second
//> tail_user -> tail_third
OWN uint64_t tail_user(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 15; i++)
		x += tail_first(x + i);
	return x;
}
