// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explanation.c - one sample, taken apart: what all forms of output share
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explanation.h"

static void place_exit(struct explained_place *p)
{
	free(p->path);
	free(p->function);
}

void explanation_exit(struct explanation *x)
{
	for (size_t i = 0; i < x->nr_frames; i++)
		place_exit(&x->frames[i].place);
	for (size_t i = 0; i < x->nr_kernel; i++)
		free(x->kernel[i].function);
	place_exit(&x->skip.place);
	free(x->frames);
	free(x->kernel);
	free(x->words);
	memset(x, 0, sizeof(*x));
}

uint64_t explained_sp(const struct explanation *x)
{
	return x->regs[x->machine == EM_AARCH64 ? 31 : 7];
}

uint64_t explained_fp(const struct explanation *x)
{
	return x->regs[x->machine == EM_AARCH64 ? 29 : 6];
}

uint64_t explained_pc(const struct explanation *x)
{
	return x->regs[x->machine == EM_AARCH64 ? 32 : 16];
}

uint64_t explained_delay(const struct explanation *x)
{
	return x->sample.time_ns > x->table.due_ns ? x->sample.time_ns - x->table.due_ns : 0;
}

void explain_registers(FILE *out, const struct explanation *x)
{
	for (uint32_t i = 0; i < x->sample.nr_regs; i++)
		fprintf(out, "%s%-4s %016" PRIx64 "%s", i % 3 ? "   " : "  ", explain_register(x->machine, i), x->regs[i],
			i % 3 == 2 || i + 1 == x->sample.nr_regs ? "\n" : "");
	fputc('\n', out);
}

const char *explain_step(char *text, const struct explanation *x, const struct explained_frame *f)
{
	const char *fp = explain_fp(x->machine);
	char rule[RULE_TEXT];

	if (f->how == KFLAME_STEP_RULE)
		snprintf(text, STEP_TEXT, "%s", explain_rule(rule, x->machine, &f->rule));
	else if (f->how == KFLAME_STEP_FP)
		snprintf(text, STEP_TEXT, "frame record: CFA=%s+16, return address=[CFA-8], %s=[CFA-16]", fp, fp);
	else
		snprintf(text, STEP_TEXT, "none: %s", explain_end(f->how));
	return text;
}

bool explained_word(const struct explanation *x, uint64_t address, uint64_t *value)
{
	uint64_t at = address - x->sp;

	if (address < x->sp || at % 8 || at / 8 >= x->nr_words)
		return false;
	*value = x->words[at / 8];
	return true;
}

bool explained_word_use(const struct explanation *x, uint64_t address, struct explained_use *use)
{
	*use = (struct explained_use){ 0 };
	for (size_t i = 0; i < x->nr_frames; i++) {
		const struct explained_frame *f = &x->frames[i];

		use->frame = i;
		use->is_ra = f->ra_at == address;
		use->is_fp = f->fp_at == address;
		if (address && (use->is_ra || use->is_fp))
			return true;
	}
	return false;
}
