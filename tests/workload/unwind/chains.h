/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chains.h - what the programs share whose stacks are checked against their calls
 *
 * A program says in comments that begin with "//>" which calls it makes (tests/e2e/chains.py
 * has the grammar), and the same source built with RECORD prints which ones it made (record.c).
 * No function calls another that it also reaches through a third one, so a stack that lacks a
 * frame is none that can be.
 */
#ifndef CHAINS_H
#define CHAINS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function that is a frame of its own, and has a symbol */
#ifdef __clang__
#define OWN __attribute__((noinline))
#else
#define OWN __attribute__((noinline, noclone, noipa))
#endif
/* A part of the function that calls it */
#define PART static inline __attribute__((always_inline, no_instrument_function, unused))

/* Work, without a call */
PART uint64_t spin(uint64_t x, unsigned int rounds)
{
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

#ifdef RECORD
/* The caller is left by a jump: what is called now is called by its caller */
void record_tail(void);
/* longjmp() leaves functions without their end */
unsigned int record_mark(void);
void record_reset(unsigned int mark);
void record_print(void);
#define TAIL(call)	(record_tail(), (call))
#else
#define TAIL(call)	(call)
PART unsigned int record_mark(void) { return 0; }
PART void record_reset(unsigned int mark) { (void)mark; }
PART void record_print(void) { }
#endif

/* chains_library.c */
uint64_t shared_add(uint64_t x);
uint64_t shared_lazy(uint64_t x);
uint64_t shared_outer(uint64_t x);

#ifdef __cplusplus
}
#endif
#endif
