// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info_unwind.c - prints how user stacks were unwound, and with which unwind tables
 */
#include <string.h>

#include "base/text.h"
#include "views/info.h"

#define FEW_FILES	10	/* up to so many files are listed */

/* How the frames of a stack were found */
enum way {
	BY_TABLE,
	BY_CODE,
	BY_BOTH,
	BY_FP,
	BY_COPY,
	WAYS,
};

/* Is a frame that has a caller in a file whose rules were made from code? */
static bool is_by_code(const struct profile *p, uint32_t aspace, const struct profile_stack *s)
{
	for (uint32_t i = 0; i + 1 < s->nr; i++) {
		const struct profile_mapping *m = profile_map(p, aspace, profile_stack_code(s, i));

		if (m && m->file < p->nr_files && p->files[m->file].unwind.flags & KFLAME_TABLE_CODE)
			return true;
	}
	return false;
}

static enum way way_of(const struct profile *p, const struct profile_count *c, const struct profile_stack *s)
{
	uint32_t end = s->end;

	if (end & KFLAME_BY_COPY)
		return BY_COPY;
	if (end & KFLAME_BY_TABLE && is_by_code(p, c->aspace, s))
		return BY_CODE;
	if (end & KFLAME_BY_TABLE)
		return end & KFLAME_BY_FP ? BY_BOTH : BY_TABLE;
	return BY_FP;
}

static void print_ways(FILE *out, const struct profile *p)
{
	static const char *const words[WAYS] = {
		[BY_TABLE] = "by unwind tables",
		[BY_CODE] = "by unwind tables, in part made from code",
		[BY_BOTH] = "by unwind tables, and in part by frame pointers",
		[BY_FP] = "by frame pointers",
		[BY_COPY] = "by libdw, from copies",
	};
	uint64_t samples[WAYS] = { 0 }, whole[WAYS] = { 0 };
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	for (size_t i = 0; i < p->nr_counts; i++) {
		const struct profile_count *c = &p->counts[i];
		const struct profile_stack *s;
		enum way way;

		/* A stack without frames was not unwound */
		if (c->ustack >= p->nr_stacks || !p->stacks[c->ustack].nr)
			continue;
		s = &p->stacks[c->ustack];
		way = way_of(p, c, s);
		samples[way] += c->samples;
		if ((s->end & KFLAME_END_MASK) == KFLAME_END_COMPLETE)
			whole[way] += c->samples;
	}
	for (int way = 0, first = 1; way < WAYS; way++) {
		if (!samples[way])
			continue;
		if (first)
			fputs("\nuser stacks\n", out);
		first = 0;
		fprintf(out, "%16s  samples %s, %s of them to the outermost frame\n",
			text_count(a, samples[way]), words[way], text_count(b, whole[way]));
	}
}

/* Print the files whose unwind table has a flag, after @title */
static void print_files(FILE *out, const struct profile *p, uint32_t flag, const char *title)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr_files; i++) {
		const struct profile_file *f = &p->files[i];

		if (!(f->unwind.flags & flag) || nr++ >= FEW_FILES)
			continue;
		fputs(nr == 1 ? title : ", ", out);
		text_put(out, f->base);
	}
	if (nr > FEW_FILES)
		fprintf(out, ", and %zu more", nr - FEW_FILES);
	if (nr)
		fputc('\n', out);
}

static void print_tables(FILE *out, const struct profile *p)
{
	uint64_t bytes = 0, time_ns = 0, tables = 0, none = 0, refused = 0;
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	for (size_t i = 0; i < p->nr_files; i++) {
		const struct kflame_rec_unwind *u = &p->files[i].unwind;

		bytes += u->bytes;
		time_ns += u->time_ns;
		tables += u->nr_rows != 0 && !u->error;
		none += (u->flags & KFLAME_TABLE_NONE) && !u->error;
		refused += u->error != 0;
	}
	if (!tables && !none && !refused)
		return;
	fprintf(out, "  unwind tables of %llu files, %s kB, made in %s\n",
		(unsigned long long)tables, text_count(a, bytes / 1000), text_ms(b, time_ns));
	if (none || refused)
		fprintf(out, "  files without unwind information: %llu; without a table for other reasons: %llu\n",
			(unsigned long long)none, (unsigned long long)refused);
	/* Their tables prove that frame pointers lead to every frame */
	print_files(out, p, KFLAME_TABLE_FP, "  frame pointers are as good, by their tables: ");
	print_files(out, p, KFLAME_TABLE_CODE, "  code without unwind information, unwound by its instructions: ");
}

void info_print_unwinding(FILE *out, const struct profile *p)
{
	print_ways(out, p);
	print_tables(out, p);
}
