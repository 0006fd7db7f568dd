// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_text.c - writes the comparison of two profiles as text
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/text.h"
#include "stacks/tree_stacks.h"
#include "views/columns.h"
#include "views/diff.h"
#include "views/diff_words.h"
#include "views/significance.h"

static uint64_t amount(const struct diff *d, const struct weight *w)
{
	return tree_weight(w, d->o.unit);
}

/* ------------------------------------------------------------------- header */

static void put_side(FILE *out, const struct diff *d, enum diff_side side)
{
	fprintf(out, "%c        ", d->letter[side]);
	text_put(out, d->name[side]);
	fprintf(out, "%s: %s\n", side == DIFF_BASE ? " (base)" : "", d->line[side]);
}

static void put_header(FILE *out, const struct diff *d, const struct diff_rows *rows)
{
	enum diff_side first = d->letter[DIFF_BASE] == 'A' ? DIFF_BASE : DIFF_OTHER;
	char buf[TEXT_NUMBER];
	size_t trusted = 0;

	for (size_t i = 0; i < rows->nr; i++)
		trusted += rows->all[i].trusted;
	put_side(out, d, first);
	put_side(out, d, !first);
	fprintf(out, "change   %c less %c, %s: %s%s that %s\n", d->letter[DIFF_OTHER],
		d->letter[DIFF_BASE], d->o.sort == SORT_TOTAL ? "total" : "self",
		d->o.raw ? "" : "shares of ", d->o.unit == TREE_NS ? "time" : diff_counted(d),
		d->o.sort == SORT_TOTAL ? "the function is in" : "end in the function");
	fprintf(out, "%s %s functions", d->o.counted ? "compared" : "tested  ",
		text_count(buf, rows->nr));
	if (!d->o.counted)
		fprintf(out, ", of which %s changed by more than chance (*)", text_count(buf, trusted));
	putc('\n', out);
	fprintf(out, "p        %s\n", diff_test_words(d));
}

/* ---------------------------------------------------------------- functions */

static void put_p(FILE *out, const struct diff *d, const struct diff_row *r)
{
	char buf[DIFF_P];

	fprintf(out, "  %8s%c", d->o.counted ? "-" : diff_p_text(buf, r->p), r->trusted ? '*' : ' ');
}

static void put_row(FILE *out, const struct diff *d, const struct diff_row *r, size_t cells)
{
	const struct weight *base = diff_weight(d, r, DIFF_BASE);
	const struct weight *other = diff_weight(d, r, DIFF_OTHER);
	char buf[TEXT_NUMBER + 1];

	fprintf(out, "%7s", text_percent(buf, amount(d, base), amount(d, diff_whole(d, DIFF_BASE)),
					 2));
	fprintf(out, " %7s", text_percent(buf, amount(d, other),
					  amount(d, diff_whole(d, DIFF_OTHER)), 2));
	fprintf(out, " %*s", d->o.raw ? columns_amount_width(d->o.unit) : 8,
		diff_change_text(buf, d, amount(d, base), amount(d, other)));
	columns_put_amount(out, base, d->o.unit);
	columns_put_amount(out, other, d->o.unit);
	put_p(out, d, r);
	fprintf(out, " %-7s  ", columns_kind(r->frame->kind));
	columns_put_file(out, columns_file(r->frame), cells);
	columns_put_name(out, r->frame, d->o.color);
	putc('\n', out);
}

static size_t file_cells(const struct diff_rows *rows, size_t nr)
{
	size_t most = 4;

	for (size_t i = 0; i < nr; i++) {
		struct function f = { .frame = rows->all[i].frame };
		size_t cells = columns_file_width(&f, 1);

		if (cells > most)
			most = cells;
	}
	return most;
}

static void put_rows(FILE *out, const struct diff *d, const struct diff_rows *rows)
{
	size_t nr = d->o.rows && d->o.rows < rows->nr ? d->o.rows : rows->nr;
	size_t cells = file_cells(rows, nr);
	int width = columns_amount_width(d->o.unit);

	fprintf(out, "\n%7c %7c %*s  %*s%c  %*s%c  %8s  %-7s  ", d->letter[DIFF_BASE],
		d->letter[DIFF_OTHER], d->o.raw ? width : 8, "Change", width - 1,
		d->o.unit == TREE_NS ? "Time " : "Count ", d->letter[DIFF_BASE], width - 1,
		d->o.unit == TREE_NS ? "Time " : "Count ", d->letter[DIFF_OTHER], "p", "Kind");
	columns_put_file(out, "File", cells);
	fputs("Function\n", out);
	for (size_t i = 0; i < nr; i++)
		put_row(out, d, &rows->all[i], cells);
	columns_put_rest(out, rows->nr - nr, "-n 0");
}

/* -------------------------------------------------------------------- paths */

#define CALLERS	60	/* width of a path's callers, about, in characters */

/* Write the callers, the outermost first; a long list loses its middle */
static void put_callers(FILE *out, const struct frame *frames, size_t nr)
{
	size_t first = 0, last = nr, len = 0;

	/* First choose as many innermost callers as fit, then outermost ones */
	while (last && len + strlen(frames[last - 1].name) < CALLERS * 2 / 3)
		len += strlen(frames[--last].name) + 1;
	if (last == nr && nr)
		last--;
	while (first < last && len + strlen(frames[first].name) < CALLERS)
		len += strlen(frames[first++].name) + 1;
	for (size_t i = 0; i < nr; i++) {
		if (i == first && first < last) {
			fputs("...;", out);
			i = last;
		}
		text_put(out, frames[i].name);
		fputs(i + 1 < nr ? ";" : "", out);
	}
}

/* Write the function that only this side calls there, and its callers */
static void put_path(FILE *out, const struct tree *t, uint32_t node, struct frame *frames)
{
	size_t nr = tree_stack(t, node, frames);

	text_put(out, frames[nr - 1].name);
	if (nr > 1) {
		fputs("  in ", out);
		put_callers(out, frames, nr - 1);
	}
	putc('\n', out);
}

/*
 * Keep only the significant paths in @paths, as for functions. If a path has few samples, the other side may
 * lack it by chance.  Return: how many paths were dropped; -ENOMEM
 */
static ssize_t drop_chance(struct diff_paths *paths, const struct diff *d, enum diff_side side)
{
	double *p = malloc((paths->nr ? paths->nr : 1) * sizeof(*p)), most;
	size_t kept = 0, nr = paths->nr;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		uint64_t n = d->paths.side[side]->nodes[paths->nodes[i]].total.samples;

		p[i] = side == DIFF_BASE ? diff_p(d, n, 0) : diff_p(d, 0, n);
	}
	most = d->o.counted ? 1 : significance_many(p, nr);
	for (size_t i = 0; i < nr; i++)
		if (p[i] <= most)
			paths->nodes[kept++] = paths->nodes[i];
	paths->nr = kept;
	free(p);
	return (ssize_t)(nr - kept);
}

static void put_paths_head(FILE *out, const struct diff *d, enum diff_side side, size_t nr,
			   size_t chance)
{
	char buf[TEXT_NUMBER];

	fprintf(out, "\n%7c  %*s  %s, in %c only: %s path%s", d->letter[side],
		columns_amount_width(d->o.unit), d->o.unit == TREE_NS ? "Time" : "Count",
		side == DIFF_BASE ? "Vanished" : "New", d->letter[side],
		text_count(buf, nr), nr == 1 ? "" : "s");
	if (chance)
		fprintf(out, " (and %s with so few samples that it may be chance)", text_count(buf, chance));
	putc('\n', out);
}

static int put_paths(FILE *out, const struct diff *d, enum diff_side side)
{
	struct frame *frames = calloc(TREE_MAX_DEPTH + 1, sizeof(*frames));
	struct diff_paths paths = { 0 };
	int err = diff_tree_only(&paths, &d->paths, side, d->o.unit);
	ssize_t chance;
	size_t nr;

	if (err) {
		free(frames);
		return err;
	}
	chance = drop_chance(&paths, d, side);
	nr = d->o.rows && d->o.rows < paths.nr ? d->o.rows : paths.nr;
	if (!frames || chance < 0)
		err = -ENOMEM;
	if (!err) {
		put_paths_head(out, d, side, paths.nr, (size_t)chance);
		for (size_t i = 0; i < nr; i++) {
			const struct weight *w = &d->paths.side[side]->nodes[paths.nodes[i]].total;
			char buf[TEXT_NUMBER];

			fprintf(out, "%7s", text_percent(buf, amount(d, w),
							 amount(d, diff_whole(d, side)), 2));
			columns_put_amount(out, w, d->o.unit);
			fputs("  ", out);
			put_path(out, d->paths.side[side], paths.nodes[i], frames);
		}
		columns_put_rest(out, paths.nr - nr, "-n 0");
	}
	free(paths.nodes);
	free(frames);
	return err;
}

int diff_text(FILE *out, const struct diff *d)
{
	struct diff_rows rows;
	int err = diff_rows_make(&rows, d);

	if (err)
		return err;
	put_header(out, d, &rows);
	put_rows(out, d, &rows);
	free(rows.all);
	err = put_paths(out, d, DIFF_OTHER);
	return err ? err : put_paths(out, d, DIFF_BASE);
}
