// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explanation.c - one sample, taken apart: what all forms of output share
 */
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
