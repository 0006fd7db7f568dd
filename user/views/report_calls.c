// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_calls.c - writes a call tree as text, as perf report shows call graphs
 */
#include "base/text.h"
#include "views/call_lines.h"
#include "views/columns.h"
#include "views/report_text.h"

/* Draw the lines that join a call to its caller; @open: levels at which a sibling follows */
static void put_branch(FILE *out, const struct call_line *l, const bool *open)
{
	for (uint32_t i = 1; i < l->level; i++)
		fputs(open[i] ? "|  " : "   ", out);
	if (!l->level)
		return;
	if (l->chained)
		fputs(open[l->level] ? "|  " : "   ", out);
	else
		fputs(l->last ? "`- " : "|- ", out);
}

/* In a tree of callers, self is always 0, because stacks end in the function */
static void put_weights(FILE *out, const struct tree_node *n, const struct report_calls *calls,
			enum tree_unit unit)
{
	char buf[TEXT_NUMBER];

	fprintf(out, "%7s", text_percent(buf, tree_weight(&n->total, unit), calls->whole, 2));
	if (calls->which != REPORT_CALLERS)
		fprintf(out, " %7s", text_percent(buf, tree_weight(&n->self, unit), calls->whole, 2));
	columns_put_amount(out, &n->total, unit);
	fputs("  ", out);
}

static void put_frame(FILE *out, const struct frame *f, bool color)
{
	columns_put_name(out, f, color);
	if (f->file) {
		fputs("  [", out);
		text_put(out, f->file);
		putc(']', out);
	}
	putc('\n', out);
}

static void put_heading(FILE *out, const struct report_calls *calls, enum tree_unit unit)
{
	fprintf(out, "%7s%s  %*s  ", "Total", calls->which == REPORT_CALLERS ? "" : "    Self",
		columns_amount_width(unit),
		unit == TREE_NS ? "Time" : "Count");
	if (calls->which == REPORT_TREE) {
		fputs("Calls", out);
	} else if (calls->which == REPORT_AT) {
		fprintf(out, "Path %s, and what it calls", calls->function);
	} else {
		fputs(calls->which == REPORT_CALLERS ? "Callers of " : "Callees of ", out);
		text_put(out, calls->function);
	}
	putc('\n', out);
}

int report_put_calls(FILE *out, const struct report_calls *calls, const struct report_options *o)
{
	bool open[TREE_MAX_DEPTH + 2] = { false };
	struct call_lines lines;
	char buf[TEXT_NUMBER];
	int err = call_lines_make(&lines, calls->t, o->unit, calls->least);

	if (err)
		return err;
	put_heading(out, calls, o->unit);
	for (size_t i = 0; i < lines.nr; i++) {
		const struct call_line *l = &lines.all[i];
		const struct tree_node *n = &calls->t->nodes[l->node];

		put_weights(out, n, calls, o->unit);
		put_branch(out, l, open);
		put_frame(out, &calls->t->frames[n->frame], o->color);
		if (!l->chained)
			open[l->level] = !l->last;
	}
	if (lines.hidden)
		fprintf(out, "... and %s call%s of less than %u.%02u%% (--percent-limit 0 shows all)\n",
			text_count(buf, lines.hidden), lines.hidden == 1 ? "" : "s",
			o->limit / 100, o->limit % 100);
	call_lines_exit(&lines);
	return 0;
}
