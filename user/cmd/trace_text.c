// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_text.c - traced calls and stacks as text
 */
#include <inttypes.h>

#include "base/text.h"
#include "cmd/trace_text.h"

#define DURATION	14	/* columns */
#define DEEPEST		100u	/* deeper calls are not indented further */

/* Any user chose the name */
static void put_task(FILE *out, const char *comm, int32_t pid, uint64_t at_ns)
{
	text_put(out, comm);
	fprintf(out, " (%" PRId32 "), at %" PRIu64 ".%06" PRIu64 " s", pid, at_ns / 1000000000, at_ns / 1000 % 1000000);
}

static void put_call(FILE *out, const struct call_trees *all, const struct call *c)
{
	char us[32] = "?";

	if (!c->end_lost)
		snprintf(us, sizeof(us), "%" PRIu64 ".%03" PRIu64 " us", c->duration_ns / 1000, c->duration_ns % 1000);
	fprintf(out, "%3" PRIu32 " %*s  %*s", c->cpu, DURATION, us, 2 * (int)(c->depth < DEEPEST ? c->depth : DEEPEST), "");
	text_put(out, all->names.all[c->name].bytes);
	if (c->begin_lost)
		fputs("  [its begin was not seen]", out);
	if (c->end_lost)
		fputs("  [its return was not seen]", out);
	putc('\n', out);
}

void trace_put_tree(FILE *out, const struct call_trees *all, const struct call_tree *tree)
{
	char buf[TEXT_NUMBER];

	put_task(out, tree->comm, tree->pid, tree->calls[0].from_ns);
	fprintf(out, "\nCPU %*s  CALL\n", DURATION, "DURATION");
	for (size_t i = 0; i < tree->nr; i++)
		put_call(out, all, &tree->calls[i]);
	if (tree->left_out)
		fprintf(out, "... and %s calls more, for which there was no room\n", text_count(buf, tree->left_out));
	putc('\n', out);
}

void trace_put_hit(FILE *out, const struct stack_hit *hit)
{
	put_task(out, hit->comm, hit->pid, hit->time_ns);
	fprintf(out, ", CPU %" PRIu32 "\n", hit->cpu);
	for (size_t i = 0; i < hit->nr; i++) {
		fputs("  ", out);
		text_put(out, hit->frames[i]);
		putc('\n', out);
	}
	if (!hit->has_stack)
		fputs("  [the kernel recorded no stack]\n", out);
	putc('\n', out);
}
