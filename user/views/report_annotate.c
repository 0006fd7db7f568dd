// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_annotate.c - writes an annotation as text; shares are relative to the function
 */
#include <inttypes.h>

#include "base/text.h"
#include "views/annotate_rows.h"
#include "views/columns.h"
#include "views/report_annotate.h"

#define HOT	500u	/* 1/100 %: red on a terminal, as in perf */
#define WARM	50u	/* green */

struct put {
	FILE *out;
	const struct report_options *o;
	uint64_t whole;
	bool inlined;		/* show the column of inlined samples */
};

static const char *heat(const struct put *p, const struct weight *w)
{
	uint64_t share = w ? scale(tree_weight(w, p->o->unit), 10000, p->whole) : 0;

	if (!p->o->color || share < WARM)
		return NULL;
	return share >= HOT ? "\033[31m" : "\033[32m";
}

static void put_share(const struct put *p, const struct weight *w)
{
	char buf[TEXT_NUMBER];
	uint64_t n = w ? tree_weight(w, p->o->unit) : 0;
	const char *color = heat(p, w);

	if (color)
		fputs(color, p->out);
	fprintf(p->out, "%7s ", n ? text_percent(buf, n, p->whole, 2) : "");
	if (color)
		fputs("\033[0m", p->out);
}

static void put_weights(const struct put *p, const struct annotate_row *row)
{
	put_share(p, row->self);
	if (p->inlined)
		put_share(p, row->inlined);
	put_share(p, row->total);
	if (row->self && tree_weight(row->self, p->o->unit))
		columns_put_amount(p->out, row->self, p->o->unit);
	else
		fprintf(p->out, "  %*s", columns_amount_width(p->o->unit), "");
}

static void put_heading(const struct put *p, bool lines)
{
	bool ns = p->o->unit == TREE_NS;

	fprintf(p->out, "%7s ", "Self");
	if (p->inlined)
		fprintf(p->out, "%7s ", lines ? "" : "Inlined");
	fprintf(p->out, "%7s   %*s  %s\n", "Total", columns_amount_width(p->o->unit),
		ns ? "Self time" : "Self count", lines ? "  Line  Source" :
		"         Address  Instruction");
}

static void put_text(const struct put *p, const char *text, const char *end)
{
	text_put(p->out, text ? text : "");
	fputs(end, p->out);
}

static int put_row(void *ctx, const struct annotate_row *row)
{
	const struct put *p = ctx;
	char buf[TEXT_NUMBER];

	switch (row->kind) {
	case ANNOTATE_SOURCE:
		fputs("\nLines", p->out);
		if (row->text)
			fputs(" of ", p->out);
		put_text(p, row->text, "\n");
		put_heading(p, true);
		break;
	case ANNOTATE_CODE:
		fputs("\nInstructions: ", p->out);
		put_text(p, row->text, "\n");
		put_heading(p, false);
		break;
	case ANNOTATE_NOTE:
		fprintf(p->out, "(%s)\n", row->text);
		break;
	case ANNOTATE_LEFT_OUT:
		fprintf(p->out, "... %s without samples (-n 0 shows all)\n",
			text_count(buf, row->number));
		break;
	case ANNOTATE_PLACE:
		fprintf(p->out, "%*s; ", columns_amount_width(p->o->unit) + (p->inlined ? 28 : 20), "");
		put_text(p, row->text, "");
		fprintf(p->out, ":%" PRIu64 "\n", row->number);
		break;
	case ANNOTATE_LINE:
		put_weights(p, row);
		if (row->number)
			fprintf(p->out, "  %6" PRIu64 "  ", row->number);
		else
			fprintf(p->out, "  %6s  ", "");
		put_text(p, row->text, "\n");
		break;
	case ANNOTATE_AT:
		put_weights(p, row);
		fprintf(p->out, "  %16" PRIx64 "  ", row->number);
		put_text(p, row->text, "\n");
		break;
	}
	return 0;
}

static void put_title(FILE *out, const struct report *r)
{
	const struct annotation *a = r->annotation;
	enum tree_unit unit = r->o.unit;
	uint64_t whole = tree_weight(&r->t->nodes[TREE_ROOT].total, unit);
	uint64_t self = tree_weight(&a->self, unit), total = tree_weight(&a->total, unit);
	char buf[TEXT_NUMBER];

	fputs("\nAnnotation of ", out);
	columns_put_name(out, &a->function, r->o.color);
	if (a->function.file) {
		fputs(" (", out);
		text_put(out, a->function.file);
		putc(')', out);
	}
	fprintf(out, ": self %s",
		unit == TREE_NS ? text_ms(buf, self) : text_count(buf, self));
	fprintf(out, " (%s of all)", text_percent(buf, self, whole, 2));
	fprintf(out, ", total %s",
		unit == TREE_NS ? text_ms(buf, total) : text_count(buf, total));
	fprintf(out, " (%s)\n", text_percent(buf, total, whole, 2));
	fputs("Shares below are of its total. Total: with what it called, or had inlined, there.\n",
	      out);
}

int report_put_annotation(FILE *out, const struct report *r)
{
	struct put p = { .out = out, .o = &r->o };

	if (!r->annotation)
		return 0;
	p.whole = tree_weight(&r->annotation->total, r->o.unit);
	p.inlined = annotate_has_inlined(r->annotation);
	put_title(out, r);
	return annotate_each_row(r->annotation, !r->o.rows, put_row, &p);
}
