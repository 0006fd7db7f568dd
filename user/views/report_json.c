// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_json.c - writes a report as JSON
 *
 * A call tree is a list, and each call has the index of its caller in the list. The reason: JSON parsers
 * limit nesting (json-c to 32 levels), and stacks are 1,000 frames deep.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "profile/accounting.h"
#include "views/call_lines.h"
#include "views/json_parts.h"
#include "views/lengths.h"
#include "views/report_annotate.h"
#include "views/report_parts.h"
#include "views/report_waits.h"

/* ------------------------------------------------------------------- header */

static struct json_object *session(struct json *j, const struct profile *p)
{
	struct json_object *o = json_object_new_object();

	json_add_text(j, o, "host", profile_host(p, "host"));
	json_add_text(j, o, "command", profile_host(p, "command"));
	if (p->has_session) {
		json_add_text(j, o, "release", (const char *)p->session.release);
		json_add_text(j, o, "machine", (const char *)p->session.machine);
		json_add_count(j, o, "start_realtime_ns", p->session.start_realtime_ns);
		json_add_count(j, o, "period_ns", p->session.period_ns);
	}
	return o;
}

static struct json_object *lost(struct json *j, const struct summary *s)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (books_lost_key(i))
			json_add_count(j, o, books_lost_key(i), s->lost[i]);
	return o;
}

static struct json_object *contexts(struct json *j, const struct summary *s)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int i = 0; i < SUMMARY_CONTEXTS; i++)
		if (summary_has_context(s, i))
			json_add_weight(j, o, summary_context_key(i), &s->contexts[i]);
	return o;
}

static struct json_object *summary(struct json *j, const struct report *r)
{
	const struct summary *s = &r->summary;
	struct json_object *o = json_object_new_object();

	json_add_count(j, o, "rate_hz", s->rate_hz);
	json_add_count(j, o, "duration_ns", s->duration_ns);
	if (r->p->span.is_cut) {
		json_add_count(j, o, "from_ns", s->from_ns);
		json_add_count(j, o, "to_ns", s->to_ns);
	}
	json_add_count(j, o, "cpus", s->cpus);
	/* With an event that has no duration, "samples" are counts of that event, and "ns" is 0. */
	if (s->what || summary_is_in_time(s))
		json_add_text(j, o, "event", s->event);
	if (s->waits || s->wall)
		json_add_count(j, o, "still_ns", s->still_ns);
	json_add_weight(j, o, "counted", &s->counted);
	if (r->p->ran_ns)
		json_add_count(j, o, "ran_ns", r->p->ran_ns);
	json_add(j, o, "contexts", contexts(j, s));
	json_add_weight(j, o, "idle", &s->idle);
	json_add(j, o, "idle_shown", json_object_new_boolean(!r->without_idle));
	if (r->is_filtered)
		json_add_weight(j, o, "filtered_out", &r->dropped);
	json_add_count(j, o, "late_ns", s->late_ns);
	json_add_count(j, o, "gap_ns", s->gap_ns);
	json_add_count(j, o, "missed", s->missed);
	json_add(j, o, "lost", lost(j, s));
	json_add_count(j, o, "damaged_records", r->p->damaged);
	json_add_count(j, o, "unknown_records", r->p->unknown);
	json_add_count(j, o, "lost_stacks", r->p->lost_stacks);
	json_add_weight(j, o, "shown", &r->t->nodes[TREE_ROOT].total);
	json_add_text(j, o, "shares_of", r->o.unit == TREE_NS ? "ns" : "samples");
	return o;
}

/* ------------------------------------------------------------------- tables */

static struct json_object *cpu(struct json *j, const struct kflame_cpu *c)
{
	struct json_object *o = json_object_new_object();

	json_add_count(j, o, "cpu", c->cpu);
	json_add_count(j, o, "samples", c->samples);
	json_add_count(j, o, "counted", c->counted);
	json_add_count(j, o, "not_counted", c->samples - c->counted);
	json_add_count(j, o, "missed", c->missed);
	json_add_count(j, o, "active_ns", c->active_ns);
	return o;
}

static struct json_object *row(struct json *j, const struct function *f)
{
	struct json_object *o = json_object_new_object();

	json_add_frame(j, o, f->frame);
	json_add_weight(j, o, "self", &f->self);
	json_add_weight(j, o, "total", &f->total);
	if (f->mostly)
		json_add_text(j, o, "mostly", f->mostly->name);
	return o;
}

/* Write "by_function": [...], and "by_function_more": the number of rows left out */
static int put_table(void *ctx, const struct report *r, const struct report_rows *rows)
{
	const char *by = report_table_key(rows->which);
	struct json *j = ctx;
	char key[32];

	snprintf(key, sizeof(key), "by_%s", by);
	json_list(j, key);
	for (size_t i = 0; i < rows->nr; i++)
		json_row(j, row(j, &rows->rows[i]));
	for (size_t i = 0; rows->which == REPORT_CPU && i < r->p->nr_cpus; i++)
		json_row(j, cpu(j, &r->p->cpus[i]));
	json_list_end(j);
	snprintf(key, sizeof(key), "by_%s_%s", by, rows->missing ? "missing" : "more");
	json_member(j, key, rows->missing ? json_object_new_string(rows->missing)
					  : json_object_new_uint64(rows->hidden));
	return j->err;
}

/* -------------------------------------------------------------------- trees */

static struct json_object *call(struct json *j, const struct tree *t, uint32_t node,
				const uint32_t *place)
{
	const struct tree_node *n = &t->nodes[node];
	struct json_object *o = json_object_new_object();

	if (n->parent == TREE_ROOT)
		json_add_text(j, o, "caller", NULL);
	else
		json_add_count(j, o, "caller", place[n->parent]);
	json_add_count(j, o, "depth", n->depth - 1);
	json_add_frame(j, o, &t->frames[n->frame]);
	json_add_weight(j, o, "self", &n->self);
	json_add_weight(j, o, "total", &n->total);
	return o;
}

/* Makes the key of each tree unique: the key of a function's callers has the function's index */
struct trees {
	struct json *j;
	unsigned int nr[NR_REPORT_TREES];
};

static void put_lines(struct json *j, const char *key, const struct report_calls *calls,
		      const struct call_lines *lines, uint32_t *place)
{
	char more[64];

	json_list(j, key);
	for (size_t i = 0; i < lines->nr; i++) {
		place[lines->all[i].node] = (uint32_t)i;
		json_row(j, call(j, calls->t, lines->all[i].node, place));
	}
	json_list_end(j);
	snprintf(more, sizeof(more), "%s_more", key);
	json_member(j, more, json_object_new_uint64(lines->hidden));
}

static int put_calls(void *ctx, const struct report *r, const struct report_calls *calls)
{
	static const char *const keys[NR_REPORT_TREES] = { "callers", "callees", "tree", "at" };
	uint32_t *place = malloc(calls->t->nr_nodes * sizeof(*place));
	struct trees *trees = ctx;
	struct call_lines lines;
	char key[32];
	int err = call_lines_make(&lines, calls->t, r->o.unit, calls->least);

	if (!err && !place)
		err = -ENOMEM;
	if (!err) {
		unsigned int number = ++trees->nr[calls->which];

		snprintf(key, sizeof(key), number > 1 ? "%s_%u" : "%s", keys[calls->which], number);
		put_lines(trees->j, key, calls, &lines, place);
		err = trees->j->err;
	}
	call_lines_exit(&lines);
	free(place);
	return err;
}

int report_json(FILE *out, const struct report *r)
{
	struct json j;
	struct trees trees = { .j = &j };
	int err;

	json_begin(&j, out);
	json_member(&j, "recording", session(&j, r->p));
	json_member(&j, "summary", summary(&j, r));
	if (!r->p->span.is_cut && !r->is_filtered)
		lengths_json(&j, r->p);
	report_json_waits(&j, r);
	err = report_each_table(r, put_table, &j);
	if (!err)
		err = report_each_tree(r, put_calls, &trees);
	if (!err)
		err = report_json_annotation(&j, r);
	return err ? err : json_end(&j);
}
