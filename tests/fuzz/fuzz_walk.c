// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_walk.c - a copy of a stack, and any bytes as the file whose code is on the stack
 *
 * The first bytes are the registers, then the stack; the rest is the file, mapped at MAPPED.  Beyond not crashing:
 * the answer is one that the tool takes.
 */
#include "fuzz.h"
#include "unwind/copy_walk.h"

#define MAPPED	0x400000u
#define STACK	512u

static struct walk_file *only_file(void *ctx, uint64_t number)
{
	return number == 1 ? ctx : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct walk_copy copy = { .nr_regs = KFLAME_REGS_X86_64, .bytes = STACK };
	const size_t regs = KFLAME_REGS_X86_64 * sizeof(copy.regs[0]);
	struct walk_map map = { .start = MAPPED, .file = 1 };
	struct walk_space space = { .maps = &map, .nr = 1, .file = only_file };
	unsigned char *stack;
	struct walk_stack *out = malloc(sizeof(*out));

	if (size > regs + STACK) {
		/* In memory of just that size, so that a read behind it is seen */
		stack = malloc(STACK);
		MUST(stack && out);
		memcpy(copy.regs, data, regs);
		memcpy(stack, data + regs, STACK);
		copy.stack = stack;
		map.end = MAPPED + (size - regs - STACK);
		space.ctx = walk_file_open(fuzz_file(data + regs + STACK, size - regs - STACK));
		walk(&space, &copy, out);
		MUST(out->nr && out->nr <= WALK_DEPTH);
		MUST((out->end & KFLAME_END_MASK) <= KFLAME_END_UNWINDER);
		walk_file_close(space.ctx);
		free(stack);
	}
	free(out);
	return 0;
}
