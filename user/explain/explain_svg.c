// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explain_svg.c - one sample as a picture
 *
 * The stack is a column of words, innermost frame at the top. Each frame has a bracket on the left, with its
 * function, and its rule on the right. Arrows lead from return addresses to the frames that they return to.
 * There are only shapes and text, black on white with three light fills, so that print and slides show it as
 * it is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explain/explanation.h"

#define WIDTH		1280
#define MARGIN		24
#define ROW		24	/* height of a word */
#define FONT		14
#define LEFT		300	/* where the column of words begins */
#define RIGHT		690	/* where it ends */
#define NOTES		740	/* where the rules begin */
#define WORDS		6	/* of a frame that are drawn */
#define FRAMES		12	/* that are drawn */
#define NAME_CELLS	30
#define RULE_CELLS	60

/* A row of the column: a word, or words that are left out */
struct line {
	uint64_t at, value;
	size_t frame;
	uint64_t left_out;
};

struct picture {
	FILE *out;
	const struct explanation *x;
	size_t nr_frames;
	struct line lines[FRAMES * (WORDS + 2)];
	size_t nr;
	size_t first[FRAMES], last[FRAMES];	/* lines of each frame; .first > .last: none */
	unsigned int top;			/* of the column */
};

/* ------------------------------------------------------------------- layout */

/* Is the word drawn? The used ones are, and the first ones */
static bool is_drawn(const struct explanation *x, uint64_t at, uint64_t i, uint64_t nr)
{
	struct explained_use use;

	return nr <= WORDS || i < WORDS - 3 || explained_word_use(x, at, &use) || at == x->skip.at;
}

static void add_line(struct picture *p, const struct line *line)
{
	if (p->nr < sizeof(p->lines) / sizeof(p->lines[0]))
		p->lines[p->nr++] = *line;
}

static void lay_out_frame(struct picture *p, size_t i)
{
	const struct explained_frame *f = &p->x->frames[i];
	uint64_t nr = f->cfa > f->sp ? (f->cfa - f->sp) / 8 : 0;
	struct line gap = { .frame = i };

	p->first[i] = p->nr;
	for (uint64_t w = 0; w < nr; w++) {
		struct line line = { .at = f->sp + 8 * w, .frame = i };

		if (!explained_word(p->x, line.at, &line.value))
			break;
		if (!is_drawn(p->x, line.at, w, nr)) {
			gap.left_out++;
			continue;
		}
		if (gap.left_out)
			add_line(p, &gap);
		gap.left_out = 0;
		add_line(p, &line);
	}
	/* A frame without words of its own still has a row, for its name */
	if (p->nr == p->first[i])
		add_line(p, &gap);
	p->last[i] = p->nr - 1;
}

static unsigned int y_of(const struct picture *p, size_t line)
{
	return p->top + (unsigned int)line * ROW;
}

/* ------------------------------------------------------------------ drawing */

static void put_text(struct picture *p, unsigned int x, unsigned int y, const char *more, const char *text, size_t cells)
{
	fprintf(p->out, "<text x=\"%u\" y=\"%u\"%s>", x, y, more);
	text_put_xml(p->out, text, cells);
	fputs("</text>\n", p->out);
}

static void put_head(struct picture *p, unsigned int height)
{
	fprintf(p->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\" "
		"xml:space=\"preserve\" font-family=\"DejaVu Sans Mono, Consolas, monospace\" font-size=\"%d\">\n",
		WIDTH, height, WIDTH, height, FONT);
	fprintf(p->out, "<rect width=\"%d\" height=\"%u\" fill=\"#ffffff\"/>\n", WIDTH, height);
}

static void put_title(struct picture *p)
{
	const struct explanation *x = p->x;
	char text[256];

	snprintf(text, sizeof(text), "One sample of %.16s on CPU %" PRIu32 ": %" PRIu64 " ns, which came %" PRIu64 " ns after it was due",
		 (const char *)x->sample.comm, x->sample.cpu, (uint64_t)x->sample.weight_ns,
		 explained_delay(x));
	put_text(p, MARGIN, 34, " font-size=\"18\" font-weight=\"bold\"", text, 120);
	snprintf(text, sizeof(text), "%s %016" PRIx64 "    %s %016" PRIx64 "    %s %016" PRIx64,
		 explain_register(x->machine, x->sample.nr_regs - 1), explained_pc(x), explain_sp(x->machine), explained_sp(x),
		 explain_fp(x->machine), explained_fp(x));
	put_text(p, MARGIN, 62, "", text, 120);
}

static const char *fill_of(const struct picture *p, const struct line *line)
{
	struct explained_use use;

	if (line->left_out || !line->at)
		return "#ffffff";
	if (explained_word_use(p->x, line->at, &use) && use.is_ra)
		return "#ffe0b0";
	if (use.is_fp)
		return "#cfe3ff";
	return line->at == p->x->skip.at ? "#ffc9c9" : "#f4f4f4";
}

static void put_line(struct picture *p, size_t i)
{
	const struct line *line = &p->lines[i];
	unsigned int y = y_of(p, i);
	char text[80];

	fprintf(p->out, "<rect x=\"%d\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#000000\"/>\n", LEFT, y,
		RIGHT - LEFT, ROW, fill_of(p, line));
	if (line->left_out)
		snprintf(text, sizeof(text), "... %" PRIu64 " words", line->left_out);
	else if (line->at)
		snprintf(text, sizeof(text), "%016" PRIx64 "  %016" PRIx64, line->at, line->value);
	else
		snprintf(text, sizeof(text), "(no words on the stack)");
	put_text(p, LEFT + 12, y + 17, "", text, 60);
}

/* The name of a frame, and a bracket that shows its words */
static void put_frame(struct picture *p, size_t i)
{
	const struct explained_frame *f = &p->x->frames[i];
	unsigned int top = y_of(p, p->first[i]), bottom = y_of(p, p->last[i] + 1);
	char name[256], text[STEP_TEXT];

	fprintf(p->out, "<path d=\"M%d %u h-10 V%u h10\" fill=\"none\" stroke=\"#000000\" stroke-width=\"1.5\"/>\n", LEFT - 6, top + 2,
		bottom - 2);
	snprintf(name, sizeof(name), "#%zu %.200s", i, f->place.function ? f->place.function : "(no name)");
	put_text(p, MARGIN, top + 17, " font-weight=\"bold\"", name, NAME_CELLS);
	put_text(p, NOTES, top + 17, "", explain_step(text, p->x, f), RULE_CELLS);
}

/* An arrow from the word with a return address to the frame that it returns to */
static void put_arrow(struct picture *p, size_t i)
{
	const struct explained_frame *f = &p->x->frames[i];
	unsigned int from, to;

	if (i + 1 >= p->nr_frames || !f->ra_at)
		return;
	for (size_t line = p->first[i]; line <= p->last[i]; line++) {
		if (p->lines[line].at != f->ra_at)
			continue;
		from = y_of(p, line) + ROW / 2;
		to = y_of(p, p->first[i + 1]) + ROW / 2;
		fprintf(p->out, "<path d=\"M%d %u h14 V%u h-8\" fill=\"none\" stroke=\"#b35900\" stroke-width=\"2\"/>"
			"<path d=\"M%d %u l8 -4 v8 z\" fill=\"#b35900\"/>\n", RIGHT, from, to, RIGHT, to);
	}
}

static unsigned int put_key(struct picture *p, unsigned int y)
{
	static const struct {
		const char *fill, *text;
	} keys[] = {
		{ "#ffe0b0", "a return address" },
		{ "#cfe3ff", "the caller's frame pointer" },
		{ "#ffc9c9", "a return address that frame pointers miss" },
	};
	size_t nr = p->x->skip.at ? 3 : 2;

	for (size_t i = 0; i < nr; i++) {
		fprintf(p->out, "<rect x=\"%d\" y=\"%u\" width=\"18\" height=\"18\" fill=\"%s\" stroke=\"#000000\"/>\n", LEFT, y,
			keys[i].fill);
		put_text(p, LEFT + 28, y + 14, "", keys[i].text, 60);
		y += 26;
	}
	return y;
}

static void put_table(struct picture *p, unsigned int y)
{
	const struct kflame_rec_explain *t = &p->x->table;
	char text[256];

	snprintf(text, sizeof(text), "The walk ends because %s.", explain_end(p->x->sample.uend));
	put_text(p, MARGIN, y, "", text, 140);
	snprintf(text, sizeof(text), "Table: bucket %" PRIu32 " of %" PRIu32 " (hash %08" PRIx32 "): %" PRIu64 " -> %" PRIu64
		 " samples, %" PRIu64 " -> %" PRIu64 " ns", t->bucket, t->buckets, t->hash, (uint64_t)t->samples_before,
		 (uint64_t)t->samples, (uint64_t)t->weight_before, (uint64_t)t->weight);
	put_text(p, MARGIN, y + 26, "", text, 140);
}

/* Above the columns */
static void put_heading(struct picture *p)
{
	char text[40];

	snprintf(text, sizeof(text), "%-16s  %s", "address", "word");
	put_text(p, MARGIN, p->top - 8, "", "function", NAME_CELLS);
	put_text(p, LEFT + 12, p->top - 8, "", text, 60);
	put_text(p, NOTES, p->top - 8, "", "where its caller is", RULE_CELLS);
}

/* Kernel frames are names only: in a line above the stack. Return: the height that they take */
static unsigned int put_kernel(struct picture *p, unsigned int y)
{
	size_t len = 0;
	char text[512] = "Kernel: ";

	if (!p->x->nr_kernel)
		return 0;
	for (size_t i = 0; i < p->x->nr_kernel && len < 400; i++) {
		const char *name = p->x->kernel[i].function;

		len = strlen(text);
		snprintf(text + len, sizeof(text) - len, "%s%.60s", i ? " < " : "", name ? name : "(no name)");
	}
	put_text(p, MARGIN, y, "", text, 140);
	return 28;
}

void explain_svg(FILE *out, const struct explanation *x)
{
	struct picture p = { .out = out, .x = x, .top = 110 };
	unsigned int y;

	p.nr_frames = x->nr_frames < FRAMES ? x->nr_frames : FRAMES;
	p.top += x->nr_kernel ? 28 : 0;
	for (size_t i = 0; i < p.nr_frames; i++)
		lay_out_frame(&p, i);
	put_head(&p, y_of(&p, p.nr) + 180);
	put_title(&p);
	put_kernel(&p, 90);
	put_heading(&p);
	for (size_t i = 0; i < p.nr; i++)
		put_line(&p, i);
	for (size_t i = 0; i < p.nr_frames; i++) {
		put_frame(&p, i);
		put_arrow(&p, i);
	}
	y = y_of(&p, p.nr) + 20;
	if (p.nr_frames < x->nr_frames) {
		char text[64];

		snprintf(text, sizeof(text), "... %zu more frames", x->nr_frames - p.nr_frames);
		put_text(&p, MARGIN, y + 14, "", text, 40);
	}
	y = put_key(&p, y);
	put_table(&p, y + 20);
	fputs("</svg>\n", out);
}
