// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heatmap.c - draws activity over time, see heatmap.h
 *
 * A sample's weight is spread over the time that the sample represents, exact to the nanosecond.  Of waits,
 * a cell adds up all threads.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "stacks/filter.h"
#include "views/flame_assets.h"
#include "views/flame_parts.h"
#include "views/heatmap.h"

#define ROWS		50u
#define ROW_HEIGHT	9u	/* pixels */
#define MIN_COLUMN	3u	/* smallest and largest width of a column, in pixels */
#define MAX_COLUMN	24u
#define LEVELS		9u	/* colours, see heatmap.css */
#define AXIS		46u	/* pixels left of the first column */
#define TOP		(FLAME_HEADER + 4u)
#define SECOND		UINT64_C(1000000000)

/* Activity by cell; the cells of a column are in order of time */
struct heat {
	const struct profile *p;
	const struct heatmap_options *h;
	const struct flame_options *o;
	bool *wanted;		/* by index of the count */
	uint64_t *cells;	/* ns */
	uint64_t column_ns;	/* time of one column */
	uint64_t begin_ns;	/* start of the first column, since the start of the recording */
	uint64_t end_ns;
	uint32_t columns;
	uint64_t most;
	uint64_t cpus;
};

static int want(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	bool *wanted = ctx;

	(void)frames;
	(void)nr;
	(void)samples;
	(void)ns;
	*wanted = true;
	return 0;
}

/* A count_fn */
static int choose(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	struct heat *m = ctx;
	uint32_t context = m->p->counts[count].context;

	/* What ran in a gap is unknown */
	if (context == KFLAME_CTX_GAP || (context == KFLAME_CTX_IDLE && !m->h->idle))
		return 0;
	if (!filter_is_on(m->h->filter))
		return want(&m->wanted[count], frames, nr, 1, 1);
	filter_passes_to(m->h->filter, want, &m->wanted[count]);
	return filter_stack(m->h->filter, frames, nr, 1, 1);
}

static uint32_t most_columns(const struct flame_options *o)
{
	return (o->width - 2 * FLAME_MARGIN - AXIS) / MIN_COLUMN;
}

/* A column is one second, or several in a long recording */
static void lay_out(struct heat *m)
{
	static const uint64_t seconds[] = { 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600 };
	const struct profile_span *span = &m->p->span;
	uint64_t from = span->is_cut ? span->from_ns : 0;
	size_t i = 0;

	m->end_ns = span->is_cut ? span->to_ns : span->end_ns - span->start_ns;
	m->column_ns = seconds[0] * SECOND;
	while ((m->end_ns - from) / m->column_ns + 2 > most_columns(m->o)) {
		i++;
		m->column_ns = i < sizeof(seconds) / sizeof(seconds[0]) ? seconds[i] * SECOND :
									  m->column_ns * 2;
	}
	m->begin_ns = from / m->column_ns * m->column_ns;
	m->columns = (uint32_t)((m->end_ns - m->begin_ns) / m->column_ns +
				!!((m->end_ns - m->begin_ns) % m->column_ns));
	m->cpus = m->p->nr_cpus ? m->p->nr_cpus : m->p->session.nr_cpus ? m->p->session.nr_cpus : 1;
}

static void spread(struct heat *m, uint64_t from, uint64_t to)
{
	uint64_t cell_ns = m->column_ns / ROWS;

	if (from < m->begin_ns)
		from = m->begin_ns;
	if (to > m->end_ns)
		to = m->end_ns;
	while (from < to) {
		uint64_t cell = (from - m->begin_ns) / cell_ns;
		uint64_t end = m->begin_ns + (cell + 1) * cell_ns;

		if (end > to)
			end = to;
		m->cells[cell] += end - from;
		if (m->cells[cell] > m->most)
			m->most = m->cells[cell];
		from = end;
	}
}

static int count(struct heat *m)
{
	const struct profile *p = m->p;
	int err = profile_each_count(p, choose, m);

	for (size_t i = 0; !err && i < p->nr_timeline; i++) {
		const struct profile_sample *s = &p->timeline[i];
		uint64_t from, to;

		profile_sample_span(p, s, &from, &to);
		if (m->wanted[s->count])
			spread(m, from, to);
	}
	return err;
}

/* ---------------------------------------------------------------------- SVG */

static void put_time(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%03" PRIu64, ns / SECOND, ns / 1000000 % 1000);
}

static unsigned int column_width(const struct heat *m)
{
	unsigned int w = (m->o->width - 2 * FLAME_MARGIN - AXIS) / (m->columns ? m->columns : 1);

	return w > MAX_COLUMN ? MAX_COLUMN : w;
}

static const char *what_of(const struct heat *m)
{
	return m->p->wall ? "running and waiting" : profile_shows_waits(m->p) ? "waiting" : "CPU time";
}

static void put_cell(FILE *out, const struct heat *m, uint32_t cell, uint64_t ns)
{
	uint64_t cell_ns = m->column_ns / ROWS, at = m->begin_ns + cell * cell_ns;
	unsigned int wide = column_width(m), row = ROWS - 1 - cell % ROWS;
	char buf[TEXT_NUMBER];

	fprintf(out, "<rect class=\"h%u\" data-cell=\"%u\" x=\"%u\" y=\"%u\"><title>",
		ns ? 1 + (unsigned int)scale(ns, LEVELS - 1, m->most) : 0, cell,
		FLAME_MARGIN + AXIS + cell / ROWS * wide, TOP + row * ROW_HEIGHT);
	put_time(out, at);
	fputs(" s to ", out);
	put_time(out, at + cell_ns);
	fprintf(out, " s\n%s of %s", text_ms(buf, ns), what_of(m));
	if (!profile_shows_waits(m->p) && !m->p->wall)
		fprintf(out, ", %s of %" PRIu64 " CPU%s", text_percent(buf, ns, cell_ns * m->cpus, 1),
			m->cpus, m->cpus == 1 ? "" : "s");
	fputs("</title></rect>\n", out);
}

/* Draw the times below, and fractions of a column on the left */
static void put_axes(FILE *out, const struct heat *m)
{
	unsigned int wide = column_width(m), every = (70 + wide - 1) / wide;
	unsigned int bottom = TOP + ROWS * ROW_HEIGHT;

	fputs("<g id=\"scale\">\n", out);
	for (uint32_t i = 0; i < m->columns; i += every)
		fprintf(out, "<text x=\"%u\" y=\"%u\">%" PRIu64 " s</text>\n",
			FLAME_MARGIN + AXIS + i * wide, bottom + 15,
			(m->begin_ns + i * m->column_ns) / SECOND);
	for (uint32_t i = 0; i <= ROWS; i += 10) {
		fprintf(out, "<text class=\"side\" x=\"%u\" y=\"%u\">", FLAME_MARGIN + AXIS - 6,
			bottom - i * ROW_HEIGHT + (i ? 8 : 0));
		put_time(out, m->column_ns / ROWS * i);
		fputs("</text>\n", out);
	}
	fputs("</g>\n", out);
}

static void put_legend(FILE *out, const struct heat *m)
{
	unsigned int x = FLAME_MARGIN;
	char buf[TEXT_NUMBER];

	fputs("<g id=\"levels\">\n", out);
	for (unsigned int i = 0; i <= LEVELS; i++, x += 14)
		fprintf(out, "<rect class=\"h%u\" x=\"%u\" y=\"62\"/>\n", i, x);
	fprintf(out, "<text x=\"%u\" y=\"72\">nothing to %s of %s in ", x + 6,
		text_ms(buf, m->most), what_of(m));
	fprintf(out, "%s; a column is %" PRIu64 " s; ", text_ms(buf, m->column_ns / ROWS),
		m->column_ns / SECOND);
	fputs("press and drag, click twice, or press Enter twice, to pick a range</text>\n</g>\n", out);
}

static void put_picture(FILE *out, const struct heat *m, struct flame_result *result)
{
	unsigned int bottom = TOP + ROWS * ROW_HEIGHT, height = bottom + 80;
	const struct flame_key none = { .has = { 0 } };

	flame_put_header(out, m->o, &none, height);
	fprintf(out, "<style><![CDATA[\n%s]]></style>\n", heatmap_css);
	put_legend(out, m);
	put_axes(out, m);
	fprintf(out, "<g id=\"cells\" data-begin=\"%" PRIu64 "\" data-end=\"%" PRIu64 "\" "
		"data-cell-ns=\"%" PRIu64 "\" data-columns=\"%u\" data-rows=\"%u\" data-wide=\"%u\" data-high=\"%u\" "
		"data-left=\"%u\" data-axis=\"%u\" data-top=\"%u\" data-command=\"",
		m->begin_ns, m->end_ns, m->column_ns / ROWS, m->columns, ROWS, column_width(m), ROW_HEIGHT,
		FLAME_MARGIN, AXIS, TOP);
	text_put_xml(out, m->h->command, SIZE_MAX);
	fprintf(out, "\" style=\"--w:%upx;--h:%upx\">\n", column_width(m) - 1, ROW_HEIGHT - 1);
	for (uint32_t i = 0; i < m->columns * ROWS; i++) {
		if (m->begin_ns + i * (m->column_ns / ROWS) >= m->end_ns)
			break;
		put_cell(out, m, i, m->cells[i]);
		result->drawn++;
	}
	fprintf(out, "</g>\n<text id=\"here\" x=\"%u\" y=\"%u\"/>\n<text id=\"pick\" x=\"%u\" y=\"%u\"/>\n"
		"<script><![CDATA[\n%s]]></script>\n</svg>\n",
		FLAME_MARGIN, bottom + 40, FLAME_MARGIN, bottom + 62, heatmap_js);
}

int heatmap_write(FILE *out, const struct profile *p, const struct heatmap_options *h,
		  const struct flame_options *o, struct flame_result *result)
{
	struct heat m = { .p = p, .h = h, .o = o };
	int err = -ENOMEM;

	*result = (struct flame_result){ 0 };
	lay_out(&m);
	m.wanted = calloc(p->nr_counts + 1, sizeof(*m.wanted));
	m.cells = calloc((size_t)m.columns * ROWS + 1, sizeof(*m.cells));
	if (m.wanted && m.cells)
		err = count(&m);
	if (!err && !m.most && filter_is_on(h->filter))
		err = -ENODATA;
	if (!err)
		put_picture(out, &m, result);
	free(m.wanted);
	free(m.cells);
	return err;
}
