/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_lines.h - text of the tracer function with stacks becomes hits
 *
 *	             cat-1234    [001] .....    63.452590: vfs_read <-ksys_read
 *	             cat-1234    [001] .....    63.452690: <stack trace>
 *	 => vfs_read
 *	 => ksys_read
 *
 * Any user chose the name of a task, which can have newlines and look like a frame.  But it has no more than 16 bytes,
 * with blanks before it, and what follows it is too long to be imitated. So it is found from behind.
 */
#ifndef KFLAME_TRACE_STACK_LINES_H
#define KFLAME_TRACE_STACK_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_COMM	17u
#define STACK_FRAMES	128u
#define STACK_CPUS	65536u

/**
 * struct stack_hit - one call of the function
 * @comm:	of the task, as it is: any user chose it
 * @frames:	the function, then its callers; frames of the tracer itself are left out
 * @has_stack:	the kernel recorded a stack; if not, .frames has the function and its caller
 */
struct stack_hit {
	uint64_t time_ns;
	uint32_t cpu;
	int32_t pid;
	char comm[STACK_COMM];
	char *function;
	char *frames[STACK_FRAMES];
	size_t nr;
	bool has_stack;
};

/** stack_hit_fn - gets a hit, which is freed after the call.  Return: 0 or a negative errno */
typedef int (*stack_hit_fn)(void *ctx, const struct stack_hit *hit);

/**
 * struct stack_reader - the text so far
 * @text:	since the end of the last line of a task
 * @waiting:	by CPU: a hit whose stack has not come; NULL: none.  Lines of other CPUs may be between the two
 * @current:	the hit whose stack is being read; NULL: none
 * @lost:	as in struct call_trees
 */
struct stack_reader {
	stack_hit_fn done;
	void *ctx;
	char *text;
	size_t len, cap;
	size_t line;		/* where the last line begins */
	struct stack_hit **waiting;
	size_t nr_cpus;
	struct stack_hit *current;
	uint64_t hits, without_stack;
	uint64_t lost, losses;
	int32_t own_pid;
};

void stack_reader_init(struct stack_reader *r, stack_hit_fn done, void *ctx);

/** stack_reader_feed() - takes the next bytes of the text.  Return: 0, -ENOMEM, or what .done() returned */
int stack_reader_feed(struct stack_reader *r, const char *text, size_t len);

/** stack_reader_finish() - reports the last hit.  Return: as stack_reader_feed() */
int stack_reader_finish(struct stack_reader *r);

void stack_reader_exit(struct stack_reader *r);

#endif
