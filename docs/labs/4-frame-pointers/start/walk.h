// SPDX-License-Identifier: GPL-2.0-or-later
/* walk.h - a stopped program, as dump.py writes it. walk.c is complete; you write fp.c. */
#ifndef WALK_H
#define WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
	uint64_t begin;
	uint64_t size;
	char name[32];
};

struct dump {
	uint64_t ip;
	uint64_t sp;
	uint64_t bp;
	struct function functions[64];
	size_t nr_functions;
	uint64_t code_begin;
	uint8_t code[4096];
	size_t code_size;
	uint64_t stack_begin;
	uint64_t words[512];
	size_t nr_words;
};

/* Read a word of the stack, or a byte of code. Return: false if the dump does not have it. */
bool read_word(const struct dump *dump, uint64_t address, uint64_t *word);
bool read_code(const struct dump *dump, uint64_t address, uint8_t *byte);
/* The function that an address is in, or NULL */
const struct function *function_at(const struct dump *dump, uint64_t address);

struct frame {
	uint64_t ip;
	uint64_t bp; /* what rbp has while this frame runs */
	uint64_t sp; /* nothing below is part of this frame or its callers */
};

bool next_frame(const struct dump *dump, struct frame *frame);
bool is_return_address(const struct dump *dump, uint64_t address);
bool lost_caller(const struct dump *dump, uint64_t *ip);

#endif
