// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explain_text.c - one sample as text
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "explain/explanation.h"

#define SHOWN_WORDS	12	/* of a frame that has more, the first ones and those that were used */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_name(FILE *out, const struct explained_place *p)
{
	if (p->function) {
		text_put(out, p->function);
		fprintf(out, "+0x%" PRIx64, p->into);
	} else {
		fputs("(no name)", out);
	}
	if (p->path) {
		fputs(" in ", out);
		text_put(out, base_of(p->path));
	}
}

static void put_when(FILE *out, const struct explanation *x)
{
	const struct kflame_rec_ustack *s = &x->sample;
	const struct kflame_rec_explain *t = &x->table;

	fputs("One sample of ", out);
	text_put(out, (const char *)s->comm);
	fprintf(out, ", process %" PRIu32 ", on CPU %" PRIu32 " (%s)\n\n", s->tgid, s->cpu, explain_context(s->context));
	fputs("Time\n", out);
	fprintf(out, "  due          %" PRIu64 " ns\n", (uint64_t)t->due_ns);
	fprintf(out, "  taken        %" PRIu64 " ns: %" PRIu64 " ns after it was due\n", (uint64_t)s->time_ns,
		explained_delay(x));
	fprintf(out, "  period       %" PRIu64 " ns\n", (uint64_t)t->period_ns);
	fprintf(out, "  weight       %" PRIu64 " ns: the time that it stands for\n", (uint64_t)s->weight_ns);
	fprintf(out, "  late         %" PRIu64 " ns of the weight: beyond one period\n\n", (uint64_t)s->late_ns);
}

static void put_registers(FILE *out, const struct explanation *x)
{
	fprintf(out, "Registers of user mode, %s\n",
		x->nr_kernel ? "as they were when the thread entered the kernel" : "as they were interrupted");
	explain_registers(out, x);
}

static void put_kernel(FILE *out, const struct explanation *x)
{
	if (!x->nr_kernel)
		return;
	fprintf(out, "Kernel stack, %s\n", explain_kwalk(x->table.kwalk));
	for (size_t i = 0; i < x->nr_kernel; i++) {
		const struct explained_kernel *k = &x->kernel[i];

		fprintf(out, "  k%-3zu %016" PRIx64 "  ", i, k->ip);
		if (k->function) {
			text_put(out, k->function);
			fprintf(out, "+0x%" PRIx64, k->into);
		} else {
			fputs("(no name)", out);
		}
		fputc('\n', out);
	}
	fprintf(out, "  It ends here because %s.\n\n", explain_end(x->sample.kend));
}

static void put_row(FILE *out, const struct explanation *x, const struct explained_frame *f)
{
	const struct explained_row *r = &f->row;

	if (!r->section[0]) {
		fputs("  row        no unwind information describes this address\n", out);
		return;
	}
	fprintf(out, "  row        %s, entry at 0x%" PRIx64 " for 0x%" PRIx64 "..0x%" PRIx64 "\n", r->section, r->entry,
		r->start, r->end);
	fprintf(out, "             from 0x%" PRIx64 " to 0x%" PRIx64 ": CFA %s  %s %s  %s %s  ra %s\n", r->from, r->to,
		r->cfa, explain_base(x->machine), r->base, explain_fp(x->machine), r->fp, r->ra);
}

static void put_how(FILE *out, const struct explanation *x, const struct explained_frame *f)
{
	char text[STEP_TEXT];

	fprintf(out, "  rule       %s%s\n", explain_step(text, x, f), f->cached ? "  (cached)" : "");
}

static void put_word(FILE *out, const struct explanation *x, uint64_t at, uint64_t value)
{
	struct explained_use use;

	fprintf(out, "    %016" PRIx64 "  %016" PRIx64, at, value);
	if (explained_word_use(x, at, &use) && use.is_ra)
		fprintf(out, "  <- return address of #%zu", use.frame);
	else if (use.is_fp)
		fprintf(out, "  <- %s of the caller of #%zu", explain_fp(x->machine), use.frame);
	if (x->skip.at == at)
		fputs("  <- the return address that frame pointers miss", out);
	fputc('\n', out);
}

/* The words of a frame: from its stack pointer to its CFA */
static void put_words(FILE *out, const struct explanation *x, const struct explained_frame *f)
{
	uint64_t value, left_out = 0, nr = f->cfa > f->sp ? (f->cfa - f->sp) / 8 : 0;
	struct explained_use use;

	if (nr)
		fputs("  stack      address           word\n", out);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t at = f->sp + 8 * i;

		if (!explained_word(x, at, &value))
			break;
		if (i >= SHOWN_WORDS / 2 && nr > SHOWN_WORDS && nr - i > SHOWN_WORDS / 2 &&
		    !explained_word_use(x, at, &use)) {
			left_out++;
			continue;
		}
		if (left_out)
			fprintf(out, "    ... %" PRIu64 " words\n", left_out);
		left_out = 0;
		put_word(out, x, at, value);
	}
}

static void put_step(FILE *out, const struct explanation *x, const struct explained_frame *f)
{
	if (!f->cfa)
		return;
	fprintf(out, "  CFA        %016" PRIx64 "\n", f->cfa);
	put_words(out, x, f);
	if (f->ra_at)
		fprintf(out, "  caller     %016" PRIx64 " at CFA%+" PRId64, f->ra, (int64_t)(f->ra_at - f->cfa));
	else
		fprintf(out, "  caller     %016" PRIx64 " in a register", f->ra);
	fprintf(out, "%s\n", f->is_last ? "" : f->agrees ? ", as the module found it" :
		", but the module found another one");
}

static void put_frames(FILE *out, const struct explanation *x)
{
	fprintf(out, "User stack, by %s\n", x->uway == KFLAME_UWAY_FP ? "frame pointers" : "unwind tables");
	for (size_t i = 0; i < x->nr_frames; i++) {
		const struct explained_frame *f = &x->frames[i];

		fprintf(out, "#%-3zu %016" PRIx64 "  ", i, f->ip);
		put_name(out, &f->place);
		fputc('\n', out);
		put_how(out, x, f);
		put_row(out, x, f);
		put_step(out, x, f);
	}
	fprintf(out, "The walk ends here because %s.\n", explain_end(x->sample.uend));
	if (x->skip.at) {
		fputs("Frame pointers miss a caller of #0. The unwind information has it: ", out);
		put_name(out, &x->skip.place);
		fputs("\n", out);
	}
	fputc('\n', out);
}

static void put_table(FILE *out, const struct explanation *x)
{
	const struct kflame_rec_ustack *s = &x->sample;
	const struct kflame_rec_explain *t = &x->table;

	fputs("Table of this CPU\n", out);
	fprintf(out, "  key          address space %" PRIu64 ", kernel stack %" PRIu32 ", user stack %" PRIu32 ", CPU %" PRIu32
		", context %" PRIu32 ", process %" PRIu32 ", thread %" PRIu32 ", ",
		(uint64_t)s->aspace, t->kstack, t->ustack, s->cpu, s->context, s->tgid, s->tid);
	text_put(out, (const char *)s->comm);
	fprintf(out, "\n  hash         %08" PRIx32 ", with seed %08" PRIx32 "\n", t->hash, t->seed);
	fprintf(out, "  bucket       %" PRIu32 " of %" PRIu32 ", after looking at %" PRIu32 "\n", t->bucket, t->buckets, t->probes);
	fprintf(out, "  entry        %" PRIu32 " of %" PRIu32 "%s\n", t->entry, t->nr_entries,
		t->samples_before ? "" : ", which is new");
	fprintf(out, "  before       %" PRIu64 " samples, %" PRIu64 " ns\n", (uint64_t)t->samples_before, (uint64_t)t->weight_before);
	fprintf(out, "  after        %" PRIu64 " samples, %" PRIu64 " ns\n\n", (uint64_t)t->samples, (uint64_t)t->weight);
}

static void put_way(FILE *out, const struct explanation *x)
{
	const struct explained_frame *f = x->frames;
	const struct explained_place *p = &f->place;

	if (!x->nr_frames)
		return;
	fputs("The name of #0\n", out);
	fprintf(out, "  address      %016" PRIx64 "\n", p->address);
	if (p->end)
		fprintf(out, "  mapping      %" PRIx64 "-%" PRIx64 ", from offset 0x%" PRIx64 " of the file\n", p->start, p->end,
			p->offset);
	if (p->path) {
		fputs("  file         ", out);
		text_put(out, p->path);
		fprintf(out, "%s%s\n", p->build_id[0] ? ", build-id " : "", p->build_id);
		fprintf(out, "  file offset  0x%" PRIx64 " = 0x%" PRIx64 " - 0x%" PRIx64 " + 0x%" PRIx64 "\n", p->file_offset,
			p->address, p->start, p->offset);
	}
	if (p->in_file)
		fprintf(out, "  in the file  0x%" PRIx64 ", which readelf, objdump and addr2line take\n", p->in_file);
	if (p->function) {
		fputs("  symbol       ", out);
		text_put(out, p->function);
		fprintf(out, " at 0x%" PRIx64 ", and 0x%" PRIx64 " into it\n", p->in_file - p->into, p->into);
	}
}

void explain_text(FILE *out, const struct explanation *x)
{
	put_when(out, x);
	put_registers(out, x);
	put_kernel(out, x);
	put_frames(out, x);
	put_table(out, x);
	put_way(out, x);
}
