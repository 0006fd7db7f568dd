// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate_rows.c - turns an annotation into rows
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/mapped_file.h"
#include "views/annotate_rows.h"
#include "views/annotate_sums.h"
#include "views/source_text.h"

#define NEAR_LINES	3u	/* lines shown around a line with samples */
#define NEAR_CODE	6u	/* instructions shown around one with samples */

struct giver {
	annotate_row_fn fn;
	void *ctx;
	bool all;
};

static int give(const struct giver *g, enum annotate_row_kind kind, uint64_t number,
		const char *text)
{
	return g->fn(g->ctx, &(struct annotate_row){ .kind = kind, .number = number,
						     .text = text });
}

/* ------------------------------------------------------------------- source */

static int give_line(const struct giver *g, const struct annotated_line *l, const char *text)
{
	return g->fn(g->ctx, &(struct annotate_row){
		.kind = ANNOTATE_LINE, .number = l->line, .text = text, .self = &l->self,
		.total = &l->total });
}

/* Show the lines without samples from @from to before @to, if they are near lines with samples */
static int give_between(const struct giver *g, const struct source_text *s, uint32_t from,
			uint32_t to, bool before_first)
{
	uint32_t last = before_first ? from : from + NEAR_LINES;
	uint32_t first = to > NEAR_LINES ? to - NEAR_LINES : 1;
	int err = 0;

	if (!s->nr)
		return 0;
	for (uint32_t i = from; !err && i < to && i <= s->nr; i++) {
		if (!g->all && i >= last && i < first) {
			if (!before_first)
				err = give(g, ANNOTATE_LEFT_OUT, first - i, NULL);
			i = first;
			if (err || i >= to)
				break;
		}
		err = give(g, ANNOTATE_LINE, i, source_text_line(s, i));
	}
	return err;
}

/*
 * The rights to open a source file with.  The program's owner chose the path, in its debug data; the
 * profile's owner could have written any path.  A program that belongs to root may come from a
 * container image, so its sources are read as nobody.
 */
static struct rights whose_path(const struct annotation *a, const struct annotated_line *l,
				size_t nr)
{
	struct rights owner = rights_nobody();
	uint32_t state;
	int fd;

	for (size_t i = 1; i < nr; i++)
		if (!annotated_same_program(&l[i], l))
			return owner;
	fd = l->file ? binary_open_file(l->file, NULL, &state) : -1;
	if (fd < 0)
		return owner;
	if (rights_of_file(fd, &owner) || !owner.uid || (a->owner && a->owner != owner.uid))
		owner = rights_nobody();
	close(fd);
	return owner;
}

/* Say why there is no text, or why it may be another one than was compiled */
static int give_doubt(const struct giver *g, const struct source_text *text, const struct annotated_line *l)
{
	char *note;
	int err;

	if (text->nr && (!l->file || !l->file->rec.mtime_ns || text->mtime_ns <= l->file->rec.mtime_ns))
		return 0;
	if (text->nr)
		return give(g, ANNOTATE_NOTE, 0, "the file is newer than the program, so its lines may be other ones");
	if (asprintf(&note, "%s: lines by number", text->why) < 0)
		return -ENOMEM;
	err = give(g, ANNOTATE_NOTE, 0, note);
	free(note);
	return err;
}

/* Show @nr lines of one file */
static int give_source(const struct giver *g, const struct annotation *a,
		       const struct annotated_line *l, size_t nr)
{
	struct rights as;
	struct source_text text;
	uint32_t next;
	int err;

	if (!l->source) {
		err = give(g, ANNOTATE_SOURCE, 0, NULL);
		return err ? err : give_line(g, l, "[line not known]");
	}
	as = whose_path(a, l, nr);
	err = source_text_open(&text, l->source, a->symbols, &as);
	if (err)
		return err;
	err = give(g, ANNOTATE_SOURCE, 0, l->source);
	if (!err)
		err = give_doubt(g, &text, l);
	next = l->line > NEAR_LINES ? l->line - NEAR_LINES : 1;
	for (size_t i = 0; !err && i < nr; i++) {
		err = give_between(g, &text, next, l[i].line, !i);
		if (!err)
			err = give_line(g, &l[i], source_text_line(&text, l[i].line));
		next = l[i].line + 1;
	}
	if (!err && text.nr && next <= text.nr)
		err = give_between(g, &text, next, next + NEAR_LINES, false);
	source_text_close(&text);
	return err;
}

static bool same_source(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int give_sources(const struct giver *g, const struct annotation *a)
{
	size_t next;
	int err = 0;

	for (size_t i = 0; !err && i < a->nr_lines; i = next) {
		for (next = i + 1; next < a->nr_lines; next++)
			if (!same_source(a->lines[i].source, a->lines[next].source))
				break;
		err = give_source(g, a, &a->lines[i], next - i);
	}
	return err;
}

/* --------------------------------------------------------------------- code */

static bool has_samples(const struct annotated_at *at)
{
	return at->self.ns || at->self.samples || at->total.ns || at->total.samples;
}

/* Mark the rows to show; NULL if memory is short */
static bool *choose(const struct annotated_code *c, bool all)
{
	bool *shown = calloc(c->nr + 1, sizeof(*shown));
	size_t since = NEAR_CODE + 1;

	for (size_t i = 0; shown && i < c->nr; i++) {
		since = has_samples(&c->all[i]) ? 0 : since + 1;
		shown[i] = all || since <= NEAR_CODE;
	}
	since = NEAR_CODE + 1;
	for (size_t i = c->nr; shown && i-- > 0;) {
		since = has_samples(&c->all[i]) ? 0 : since + 1;
		if (since <= NEAR_CODE)
			shown[i] = true;
	}
	return shown;
}

static int give_at(const struct giver *g, const struct annotated_code *c,
		   const struct annotated_at *at)
{
	const char *text = at->text;

	if (!text && !c->missing)
		text = "[no instruction of it begins there]";
	return g->fn(g->ctx, &(struct annotate_row){
		.kind = ANNOTATE_AT, .number = at->offset + c->move, .text = text,
		.self = has_samples(at) ? &at->self : NULL,
		.inlined = has_samples(at) ? &at->inlined : NULL,
		.total = has_samples(at) ? &at->total : NULL });
}

static int give_rows(const struct giver *g, const struct annotated_code *c, const bool *shown)
{
	const char *source = NULL;
	uint32_t line = 0;
	uint64_t hidden = 0;
	int err = 0;

	for (size_t i = 0; !err && i < c->nr; i++) {
		const struct annotated_at *at = &c->all[i];

		if (!shown[i]) {
			hidden++;
			continue;
		}
		if (hidden)
			err = give(g, ANNOTATE_LEFT_OUT, hidden, NULL);
		hidden = 0;
		if (!err && at->source && (at->line != line || !same_source(at->source, source)))
			err = give(g, ANNOTATE_PLACE, at->line, at->source);
		if (at->source) {
			source = at->source;
			line = at->line;
		}
		if (!err)
			err = give_at(g, c, at);
	}
	return err || !hidden ? err : give(g, ANNOTATE_LEFT_OUT, hidden, NULL);
}

static int give_heading(const struct giver *g, const struct annotated_code *c)
{
	const char *file = c->file ? c->file->path : c->kernel ? "the kernel" : NULL;
	char *text;
	int err;

	if (asprintf(&text, "%s%s%s", c->symbol ? c->symbol->name : "code",
		     file ? " of " : "", file ? file : "") < 0)
		return -ENOMEM;
	err = give(g, ANNOTATE_CODE, 0, text);
	free(text);
	return err;
}

static int give_code(const struct giver *g, const struct annotated_code *c)
{
	bool *shown = choose(c, g->all || c->missing);
	char *text = NULL;
	int err = shown ? give_heading(g, c) : -ENOMEM;

	if (!err && c->missing) {
		if (asprintf(&text, "no instructions, only addresses: %s", c->missing) < 0)
			text = NULL;
		err = text ? give(g, ANNOTATE_NOTE, 0, text) : -ENOMEM;
		free(text);
	}
	if (!err)
		err = give_rows(g, c, shown);
	free(shown);
	return err;
}

int annotate_each_row(const struct annotation *a, bool all, annotate_row_fn fn, void *ctx)
{
	const struct giver g = { fn, ctx, all };
	int err = give_sources(&g, a);

	for (size_t i = 0; !err && i < a->nr_codes; i++)
		err = give_code(&g, &a->codes[i]);
	return err;
}

bool annotate_has_inlined(const struct annotation *a)
{
	for (size_t i = 0; i < a->nr_codes; i++)
		for (size_t k = 0; k < a->codes[i].nr; k++)
			if (a->codes[i].all[k].inlined.ns || a->codes[i].all[k].inlined.samples)
				return true;
	return false;
}
