// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_waits.c - writes the tables of waits of a report: for a CPU, and for locks
 */
#include <string.h>

#include "base/text.h"
#include "views/columns.h"
#include "views/report_text.h"
#include "views/report_waits.h"

#define LENGTH	13	/* width of a length of time, in columns */
#define SHARE	6	/* width of a share, in columns */
#define WAITER	"Waiter"
#define SPINNER	"Spinner"
#define WOKEN_BY	"Woken by"

static size_t nr_shown(const struct wait_table *t, const struct report_options *o)
{
	return o->rows && o->rows < t->nr ? o->rows : t->nr;
}

static uint64_t mean_ns(const struct wait_row *row)
{
	return scale(row->ns, 1, row->waits);
}

/* --------------------------------------------------------------------- text */

static void put_sums(FILE *out, const struct wait_row *row)
{
	char buf[TEXT_NUMBER];

	fprintf(out, "%11s", text_count(buf, row->waits));
	fprintf(out, "  %15s", text_us(buf, row->ns));
	fprintf(out, "  %*s", LENGTH, text_us(buf, mean_ns(row)));
}

/* @timed: of this row */
static void put_length(FILE *out, uint64_t ns, uint64_t timed)
{
	char buf[TEXT_NUMBER];

	fprintf(out, "  %*s", LENGTH, timed ? text_us(buf, ns) : "-");
}

static void put_runq(FILE *out, const struct wait_table *t, enum report_table by, const struct report_options *o)
{
	const size_t nr = nr_shown(t, o);

	if (t->missing) {
		fprintf(out, "\nNo waits for a CPU by %s: %s.\n", report_table_key(by), t->missing);
		return;
	}
	fputs("\nWaits for a CPU\n", out);
	fprintf(out, "%11s  %15s  %*s", "Waits", "Total", LENGTH, "Mean");
	if (t->timed)
		fprintf(out, "  %*s  %*s  %*s", LENGTH, "p50", LENGTH, "p99", LENGTH, "Longest");
	fprintf(out, "  %s\n", report_heading(by));
	for (size_t i = 0; i < nr; i++) {
		const struct wait_row *row = &t->rows[i];

		put_sums(out, row);
		if (t->timed) {
			put_length(out, row->p50_ns, row->timed);
			put_length(out, row->p99_ns, row->timed);
			put_length(out, row->longest_ns, row->timed);
		}
		fputs("  ", out);
		text_put(out, row->frame.name);
		if (row->comm) {
			fputs("  ", out);
			text_put(out, row->comm);
		}
		putc('\n', out);
	}
	if (!t->nr)
		fputs("No thread waited for a CPU.\n", out);
	columns_put_rest(out, t->nr - nr, "-n 0");
}

/* Return: width of the column of kinds */
static int lock_width(const struct wait_table *t, size_t nr)
{
	size_t most = strlen("Lock");

	for (size_t i = 0; i < nr; i++)
		if (strlen(t->rows[i].lock) > most)
			most = strlen(t->rows[i].lock);
	return (int)most;
}

static const char *woken_by(const struct wait_row *row)
{
	return row->woken_by ? row->woken_by : "[not known]";
}

static const char *waiter(const struct wait_row *row)
{
	return row->comm;
}

/* Return: width of a column of names */
static size_t names_width(const struct wait_table *t, size_t nr, const char *heading,
			  const char *(*name_of)(const struct wait_row *row))
{
	size_t most = text_width(heading);

	for (size_t i = 0; i < nr; i++)
		if (text_width(name_of(&t->rows[i])) > most)
			most = text_width(name_of(&t->rows[i]));
	return most;
}

/* @has_wakers: the profile says who ended waits */
static void put_locks(FILE *out, const struct wait_table *t, bool has_wakers, const struct report_options *o)
{
	const size_t nr = nr_shown(t, o);
	const size_t waiters = names_width(t, nr, WAITER, waiter), wakers = names_width(t, nr, WOKEN_BY, woken_by);
	const int width = lock_width(t, nr);
	char share[TEXT_NUMBER];

	fputs("\nWaits for locks\n", out);
	fprintf(out, "%11s  %15s  %*s  %*s", "Waits", "Total", LENGTH, "Mean", SHARE, "Share");
	if (t->timed)
		fprintf(out, "  %*s", LENGTH, "Longest");
	fprintf(out, "  %-*s  ", width, "Lock");
	columns_put_file(out, WAITER, waiters);
	if (has_wakers)
		columns_put_file(out, WOKEN_BY, wakers);
	fputs("Called from\n", out);
	for (size_t i = 0; i < nr; i++) {
		const struct wait_row *row = &t->rows[i];

		put_sums(out, row);
		fprintf(out, "  %*s", SHARE, text_percent(share, row->ns, t->ns, 1));
		if (t->timed)
			put_length(out, row->longest_ns, row->timed);
		fprintf(out, "  %-*s  ", width, row->lock);
		columns_put_file(out, waiter(row), waiters);
		if (has_wakers)
			columns_put_file(out, woken_by(row), wakers);
		columns_put_name(out, &row->frame, o->color);
		if (row->frame.file) {
			fputs("  ", out);
			text_put(out, row->frame.file);
		}
		putc('\n', out);
	}
	if (!t->nr)
		fputs("No thread waited for a lock.\n", out);
	columns_put_rest(out, t->nr - nr, "-n 0");
}

/* Samples of the timer that found a CPU in the loop of a lock */
static void put_spins(FILE *out, const struct wait_table *t, const struct report *r)
{
	const size_t nr = nr_shown(t, &r->o), spinners = names_width(t, nr, SPINNER, waiter);
	const int width = lock_width(t, nr);
	char share[TEXT_NUMBER];

	fputs("\nSpins for locks, with interrupts on\n", out);
	fprintf(out, "%11s  %15s  %*s  %-*s  ", "Samples", "Time", SHARE, "Share", width, "Lock");
	columns_put_file(out, SPINNER, spinners);
	fputs("Called from\n", out);
	for (size_t i = 0; i < nr; i++) {
		const struct wait_row *row = &t->rows[i];
		char buf[TEXT_NUMBER];

		fprintf(out, "%11s", text_count(buf, row->waits));
		fprintf(out, "  %15s", text_us(buf, row->ns));
		fprintf(out, "  %*s  %-*s  ", SHARE, text_percent(share, row->ns, t->ns, 1), width, row->lock);
		columns_put_file(out, waiter(row), spinners);
		columns_put_name(out, &row->frame, r->o.color);
		putc('\n', out);
	}
	if (!t->nr)
		fputs("No sample was taken while a CPU spun for a lock.\n", out);
	columns_put_rest(out, t->nr - nr, "-n 0");
}

/* Reports once which figures are missing, because the lengths of single waits are not known */
static void tell_untimed(FILE *out, const struct wait_table *a, const struct wait_table *b)
{
	const uint64_t waits = (a ? a->waits : 0) + (b ? b->waits : 0);
	const uint64_t timed = (a ? a->timed : 0) + (b ? b->timed : 0);
	const char *what = a ? "p50, p99 and longest waits" : "The longest waits";
	char buf[TEXT_NUMBER], all[TEXT_NUMBER];

	if (timed >= waits)
		return;
	if (timed)
		fprintf(out, "%s are of the %s waits of %s whose times were recorded.\n", what, text_count(buf, timed),
			text_count(all, waits));
	else
		fprintf(out, "%s are not known: the profile has sums, and not the length of each wait. Record with --timeline.\n",
			what);
}

void report_put_waits(FILE *out, const struct report *r)
{
	if (r->runq)
		put_runq(out, r->runq, r->runq_by, &r->o);
	if (r->locks)
		put_locks(out, r->locks, r->p->nr_wakers, &r->o);
	if (r->spins)
		put_spins(out, r->spins, r);
	tell_untimed(out, r->runq, r->locks);
}

/* --------------------------------------------------------------------- JSON */

static void add_length(struct json *j, struct json_object *o, const char *key, uint64_t ns, uint64_t timed)
{
	if (timed)
		json_add_count(j, o, key, ns);
	else
		json_add_text(j, o, key, NULL);
}

static struct json_object *row_object(struct json *j, const struct wait_row *row, bool has_wakers)
{
	struct json_object *o = json_object_new_object();

	json_add_frame(j, o, &row->frame);
	if (row->lock)
		json_add_text(j, o, "lock", row->lock);
	json_add_text(j, o, row->lock ? "waiter" : "mostly", row->comm);
	if (row->lock && has_wakers)
		json_add_text(j, o, "woken_by", row->woken_by);
	json_add_count(j, o, "waits", row->waits);
	json_add_count(j, o, "ns", row->ns);
	json_add_count(j, o, "mean_ns", mean_ns(row));
	json_add_count(j, o, "timed", row->timed);
	if (!row->lock) {
		add_length(j, o, "p50_ns", row->p50_ns, row->timed);
		add_length(j, o, "p99_ns", row->p99_ns, row->timed);
	}
	add_length(j, o, "longest_ns", row->longest_ns, row->timed);
	return o;
}

/* Writes "runq": [...], and "runq_more": the number of rows left out */
static void put_table(struct json *j, const char *key, const struct wait_table *t, const struct report *r)
{
	const size_t nr = nr_shown(t, &r->o);
	char other[32];

	json_list(j, key);
	for (size_t i = 0; i < nr; i++)
		json_row(j, row_object(j, &t->rows[i], r->p->nr_wakers));
	json_list_end(j);
	snprintf(other, sizeof(other), "%s_%s", key, t->missing ? "missing" : "more");
	json_member(j, other, t->missing ? json_object_new_string(t->missing) : json_object_new_uint64(t->nr - nr));
}

static void put_spins_json(struct json *j, const struct wait_table *t, const struct report *r)
{
	const size_t nr = nr_shown(t, &r->o);

	json_list(j, "spins");
	for (size_t i = 0; i < nr; i++) {
		struct json_object *o = json_object_new_object();

		json_add_frame(j, o, &t->rows[i].frame);
		json_add_text(j, o, "lock", t->rows[i].lock);
		json_add_text(j, o, "spinner", t->rows[i].comm);
		json_add_count(j, o, "samples", t->rows[i].waits);
		json_add_count(j, o, "ns", t->rows[i].ns);
		json_row(j, o);
	}
	json_list_end(j);
	json_member(j, "spins_more", json_object_new_uint64(t->nr - nr));
	json_member(j, "spins_ns", json_object_new_uint64(t->ns));
}

void report_json_waits(struct json *j, const struct report *r)
{
	if (r->runq) {
		json_member(j, "runq_by", json_object_new_string(report_table_key(r->runq_by)));
		put_table(j, "runq", r->runq, r);
	}
	if (r->locks) {
		put_table(j, "locks", r->locks, r);
		json_member(j, "locks_ns", json_object_new_uint64(r->locks->ns));
	}
	if (r->spins)
		put_spins_json(j, r->spins, r);
}
