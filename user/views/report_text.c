// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_text.c - writes a report as text
 */
#include "views/lengths.h"
#include "views/report_annotate.h"
#include "views/report_text.h"
#include "views/report_waits.h"

static int put_table(void *out, const struct report *r, const struct report_rows *rows)
{
	putc('\n', out);
	report_put_rows(out, r->p, rows, &r->o);
	return 0;
}

static int put_calls(void *out, const struct report *r, const struct report_calls *calls)
{
	putc('\n', out);
	return report_put_calls(out, calls, &r->o);
}

int report_text(FILE *out, const struct report *r)
{
	int err;

	report_header(out, r);
	if (!r->p->span.is_cut && !r->is_filtered)
		lengths_put_table(out, r->p);
	if (r->o.histogram)
		lengths_put_histograms(out, r->p, r->o.one_event);
	report_put_waits(out, r);
	err = report_each_table(r, put_table, out);
	if (!err)
		err = report_each_tree(r, put_calls, out);
	return err ? err : report_put_annotation(out, r);
}
