// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - the callers of a stopped process, from a dump of its registers and stack.  Complete.
 *
 * usage: walk FILE DUMP
 *
 * ./dump makes a dump: lines "rip VALUE", "rsp VALUE", "rbp VALUE", and then the words of the stack: "ADDRESS WORD",
 * and "+8 WORD" for the word behind it, all in hexadecimal.
 */
#include "eh.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 4096, MAX_FRAMES = 64 };

bool stack_read(const struct stack *stack, uint64_t address, uint64_t *word)
{
	uint64_t i = (address - stack->begin) / 8;

	if (address < stack->begin || address % 8 || i >= stack->nr)
		return false;
	*word = stack->words[i];
	return true;
}

static bool read_dump(const char *path, struct stack *stack, struct frame *frame)
{
	uint64_t *words = calloc(MAX_WORDS, sizeof(*words));
	FILE *dump = fopen(path, "r");
	char name[32];
	uint64_t value;

	if (!dump || !words)
		return false;
	while (fscanf(dump, "%31s %" SCNx64, name, &value) == 2) {
		if (!strcmp(name, "rip")) {
			frame->ip = value;
		} else if (!strcmp(name, "rsp")) {
			frame->sp = value;
		} else if (!strcmp(name, "rbp")) {
			frame->bp = value;
		} else if (stack->nr < MAX_WORDS) {
			if (!stack->nr)
				stack->begin = strtoull(name, NULL, 16);
			words[stack->nr++] = value;
		}
	}
	fclose(dump);
	stack->words = words;
	frame->interrupted = true;
	return stack->nr;
}

int main(int argc, char **argv)
{
	struct stack stack = { 0 };
	struct frame frame = { 0 };
	struct file file;

	if (argc != 3) {
		fprintf(stderr, "usage: walk FILE DUMP\n");
		return 2;
	}
	if (!file_open(&file, argv[1]) || !read_dump(argv[2], &stack, &frame)) {
		fprintf(stderr, "walk: cannot read %s, or %s\n", argv[1], argv[2]);
		return 1;
	}
	for (int i = 0; i < MAX_FRAMES; i++) {
		printf("0x%" PRIx64 " %s\n", frame.ip, file_name(&file, frame.ip - !frame.interrupted));
		if (!step(&file, &stack, &frame))
			break;
	}
	return 0;
}
