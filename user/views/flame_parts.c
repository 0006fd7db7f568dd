// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_parts.c - parts that all pictures of frames share: title, legend, labels, foot
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "views/brief.h"
#include "views/flame_assets.h"
#include "views/flame_parts.h"

#define LETTER		725u
#define LEAST_CUT	6u	/* a name is not cut to fewer cells: "r.." says nothing */
#define TITLE_LETTER	1050u	/* width of a title letter, 17 px and bold, rounded up */

/* Return: width available for frames, in 1/100 pixel */
uint64_t flame_room(const struct flame_options *o)
{
	return (o->width - 2 * FLAME_MARGIN) * 100ull;
}

static void begin_attribute(FILE *out, const char *name)
{
	putc_unlocked(' ', out);
	fputs_unlocked(name, out);
	fputs_unlocked("=\"", out);
}

void flame_put_number(FILE *out, const char *name, uint64_t n)
{
	begin_attribute(out, name);
	text_put_digits(out, n);
	putc_unlocked('"', out);
}

/* Write an attribute such as fill="#ffdc86" */
static void put_fill(FILE *out, uint32_t color)
{
	char text[] = " fill=\"#000000\"";

	for (int i = 13; i > 7; i--, color >>= 4)
		text[i] = "0123456789abcdef"[color & 0xf];
	fputs_unlocked(text, out);
}

void flame_put_px(FILE *out, const char *name, uint64_t px)
{
	begin_attribute(out, name);
	text_put_digits(out, px / 100);
	if (px % 100) {
		fputs_unlocked(px % 100 < 10 ? ".0" : ".", out);
		text_put_digits(out, px % 100);
	}
	putc_unlocked('"', out);
}

/* For each look: CSS class, word for tooltips, and text of the legend, in the legend's order */
static const struct {
	char class[2];
	const char *word;
	const char *legend;
} looks[] = {
	[LOOK_USER]	 = { "u", "user", "user" },
	[LOOK_INLINED]	 = { "i", "inlined", "inlined" },
	[LOOK_JIT]	 = { "j", "compiled just in time", "JIT" },
	[LOOK_SCRIPT]	 = { "p", "interpreted", "interpreted" },
	[LOOK_KERNEL]	 = { "k", "kernel", "kernel" },
	[LOOK_INTERRUPT] = { "s", "kernel, in a softirq", "interrupt" },
	[LOOK_READY]	 = { "w", "the thread could run, and waited for a CPU", "waiting for a CPU" },
	[LOOK_LOST]	 = { "l", "lost", "lost" },
	[LOOK_GROUP]	 = { "r", "group", "group" },
	[LOOK_THREAD]	 = { "t", "thread", "thread" },
	[LOOK_NOTE]	 = { "n", "note", "not a function" },
};

const char *flame_class(enum look look)
{
	return looks[look].class;
}

void flame_put_look(FILE *out, const struct frame *f)
{
	enum look look = look_of(f);

	fputs_unlocked(looks[look].word, out);
	if (f->file && look != LOOK_JIT) {
		fputs_unlocked(", ", out);
		text_put_xml(out, f->file, SIZE_MAX);
	}
}

/* Write a text, cut to @room cells */
static void put_cut(FILE *out, const char *s, size_t room)
{
	bool whole = text_width(s) <= room;

	text_put_xml(out, s, whole ? SIZE_MAX : room - 2);
	fputs_unlocked(whole ? "" : "..", out);
}

/*
 * Write as many whole letters of the name as fit. If the full name does not fit, use it without its template
 * arguments; flame.js does the same.
 */
static void put_label(FILE *out, const char *name, const char *share, uint64_t x, uint64_t w,
		      uint32_t y)
{
	size_t room = w > 2 * FLAME_PAD * 100 ? (w - 2 * FLAME_PAD * 100) / LETTER : 0;
	size_t cells = text_width(name);
	bool fits = cells <= room;
	char *brief;

	if (room < LEAST_CUT && !fits)
		return;
	brief = fits ? NULL : brief_name(name);
	fputs_unlocked("<text", out);
	flame_put_px(out, "x", x + FLAME_PAD * 100);
	flame_put_number(out, "y", y);
	putc_unlocked('>', out);
	put_cut(out, brief ? brief : name, room);
	if (share && cells + 1 + strlen(share) <= room)
		fprintf(out, " %s", share);
	fputs_unlocked("</text>", out);
	free(brief);
}

void flame_put_rect(FILE *out, const struct flame_options *o, uint32_t color, const char *name,
		    const char *share, uint64_t x, uint64_t w, uint32_t y)
{
	x += FLAME_MARGIN * 100;
	/* Leave a small gap between neighbours, if there is room */
	if (w > 300)
		w -= 50;
	fputs_unlocked("<rect", out);
	flame_put_px(out, "x", x);
	flame_put_number(out, "y", y);
	flame_put_px(out, "width", w);
	flame_put_number(out, "height", o->row - 1);
	put_fill(out, color);
	fputs_unlocked("/>", out);
	put_label(out, name, share, x, w, y + o->row / 2 + 4);
}

/* The legend while it is written */
struct legend {
	FILE *out;
	const struct flame_key *key;
	uint64_t whole;		/* weight of all entries */
	unsigned int x;		/* of the next entry */
};

/* Write a colour, its meaning, and the share of the stacks that end in it */
static void put_entry(struct legend *l, const char *class, uint32_t color, const char *text, size_t i)
{
	size_t cells = text_width(text);
	char share[TEXT_NUMBER];

	fprintf(l->out, "<rect class=\"%s\" x=\"%u\" y=\"62\" width=\"12\" height=\"12\" "
		"fill=\"#%06x\"/><text x=\"%u\" y=\"72\">%s", class, l->x, color, l->x + 17, text);
	if (l->key->weight[i]) {
		text_percent(share, l->key->weight[i], l->whole, 1);
		fprintf(l->out, " %s", share);
		cells += 1 + strlen(share);
	}
	fputs_unlocked("</text>\n", l->out);
	l->x += 17 + (unsigned int)cells * 7 + 16;
}

static void put_legend(FILE *out, const struct flame_options *o, const struct flame_key *key)
{
	const struct flame_legend *painted = o->paint ? o->paint->legend : NULL;
	struct legend l = { .out = out, .key = key, .x = FLAME_MARGIN };

	if (o->colors != PALETTE_LOOK && o->colors != PALETTE_WAIT)
		return;
	for (size_t i = 0; i < LOOK_NR; i++)
		l.whole += key->weight[i];
	fputs_unlocked("<g id=\"legend\">\n", out);
	for (enum look i = 0; !painted && i < LOOK_NR; i++)
		if (key->has[i])
			put_entry(&l, looks[i].class, color_of_look(i, o->colors), looks[i].legend, i);
	for (size_t i = 0; painted && painted[i].text; i++)
		put_entry(&l, "d", painted[i].color, painted[i].text, i);
	fputs_unlocked("</g>\n", out);
}

void flame_put_header(FILE *out, const struct flame_options *o, const struct flame_key *key,
		      unsigned int height)
{
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\">\n<title>", o->width, height, o->width, height);
	text_put_xml(out, o->title, SIZE_MAX);
	fprintf(out, "</title>\n<style><![CDATA[\n%s]]></style>\n", flame_css);
	fputs_unlocked("<rect id=\"paper\" width=\"100%\" height=\"100%\"/>\n", out);
	fprintf(out, "<g id=\"head\">\n<rect id=\"shade\" width=\"100%%\" height=\"%u\"/>\n"
		"<text id=\"title\" x=\"%u\" y=\"28\">", FLAME_HEADER - 6, FLAME_MARGIN);
	put_cut(out, o->title, (o->width - 2 * FLAME_MARGIN) * 100 / TITLE_LETTER);
	fprintf(out, "</text>\n<text id=\"subtitle\" x=\"%u\" y=\"48\">", FLAME_MARGIN);
	text_put_xml(out, o->subtitle, SIZE_MAX);
	fputs_unlocked("</text>\n", out);
	put_legend(out, o, key);
	fputs_unlocked("</g>\n", out);
}

void flame_put_foot(FILE *out, const struct flame_budget *b, uint64_t too_narrow, unsigned int height)
{
	unsigned int min = b->least;
	char buf[TEXT_NUMBER];

	if (!too_narrow)
		return;
	fprintf(out, "<text id=\"note\" x=\"%u\" y=\"%u\">%s frame%s narrower than "
		"%u.%0*u px %s not drawn (", FLAME_MARGIN, height - 12,
		text_count(buf, too_narrow), too_narrow == 1 ? "" : "s",
		min / 100, min % 10 ? 2 : 1, min % 10 ? min % 100 : min % 100 / 10,
		too_narrow == 1 ? "is" : "are");
	if (b->is_cut)
		fprintf(out, "the limit is %s frames; ", text_count(buf, b->o->frames));
	fprintf(out, "--min-width%s)</text>\n", b->is_cut ? " draws more" : "");
}

void flame_put_end(FILE *out)
{
	fprintf(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", flame_js);
}
