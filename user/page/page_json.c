// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_json.c - writes the page as JSON: docs/summary.schema.json describes it
 *
 * A document that is cut is no JSON.  So the page is written with fewer and fewer rows, until it fits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/page.h"
#include "page/words.h"
#include "profile/accounting.h"
#include "views/columns.h"
#include "views/json_parts.h"

#define SCHEMA	"kflame-summary-1"

/* How much is written */
struct limits {
	size_t rows;		/* of each list */
	size_t findings;
	size_t callers;		/* of each path */
	size_t events;
};

static const struct limits all_limits[] = {
	{ PAGE_ROWS, NR_FINDINGS * 4, 16, PROFILE_MAX_EVENTS }, { PAGE_ROWS, 12, 8, PROFILE_MAX_EVENTS },
	{ 3, 8, 6, PROFILE_MAX_EVENTS }, { 2, 5, 4, PROFILE_MAX_EVENTS }, { 1, 3, 2, PROFILE_MAX_EVENTS },
	{ 1, 1, 0, 3 }, { 0, 0, 0, 0 },
};

#define NR_LIMITS	(sizeof(all_limits) / sizeof(all_limits[0]))

static void add_name(struct json *j, struct json_object *o, const char *key, const char *name)
{
	char buf[WORD_BYTES];

	json_add_text(j, o, key, name ? word_cut(buf, name) : NULL);
}

static void add_share(struct json *j, struct json_object *o, uint64_t part, uint64_t whole)
{
	json_add_count(j, o, "share_ppm", scale(part, MILLION, whole));
}

/* JSON null for 0 */
static void add_known(struct json *j, struct json_object *o, const char *key, uint64_t n, bool is_known)
{
	if (is_known)
		json_add_count(j, o, key, n);
	else
		json_add_text(j, o, key, NULL);
}

static void put_more(struct json *j, const char *key, size_t all, size_t shown)
{
	json_member(j, key, json_object_new_uint64(all - shown));
}

/* --------------------------------------------------------------------- head */

static struct json_object *recording(struct json *j, const struct page *page)
{
	const struct profile *p = page->p;
	struct json_object *o = json_object_new_object();

	add_name(j, o, "host", profile_host(p, "host"));
	add_name(j, o, "command", profile_host(p, "command"));
	if (p->has_session) {
		add_name(j, o, "release", (const char *)p->session.release);
		add_name(j, o, "machine", (const char *)p->session.machine);
		json_add_count(j, o, "start_realtime_ns", p->session.start_realtime_ns);
		json_add_count(j, o, "period_ns", p->session.period_ns);
	}
	json_add_count(j, o, "duration_ns", page->main->summary.duration_ns);
	json_add_count(j, o, "cpus", page->main->summary.cpus);
	if (page->main->summary.to_ns) {
		json_add_count(j, o, "from_ns", page->main->summary.from_ns);
		json_add_count(j, o, "to_ns", page->main->summary.to_ns);
	}
	return o;
}

static struct json_object *event(struct json *j, const struct page_event *e, bool is_filtered)
{
	struct json_object *o = json_object_new_object();

	add_name(j, o, "name", e->e->name);
	json_add_weight(j, o, "counted", &e->summary.counted);
	json_add_count(j, o, "lost", summary_lost(&e->summary));
	json_add_count(j, o, "late_ns", e->summary.late_ns);
	if (is_filtered)
		json_add_weight(j, o, "passing", &e->passing);
	return o;
}

static void put_head(struct json *j, const struct page *page, const struct limits *l)
{
	const size_t nr = page->nr_events < l->events ? page->nr_events : l->events;

	json_member(j, "schema", json_object_new_string(SCHEMA));
	json_member(j, "recording", recording(j, page));
	json_member(j, "trust", json_object_new_string(page->trust));
	json_list(j, "events");
	for (size_t i = 0; i < nr; i++)
		json_row(j, event(j, &page->events[i], filter_is_on(page->o.filter)));
	json_list_end(j);
	put_more(j, "events_more", page->nr_events, nr);
}

/* ------------------------------------------------------------------- states */

static struct json_object *states(struct json *j, const struct times *t, unsigned int from, unsigned int to)
{
	struct json_object *o = json_object_new_object();
	char key[32];

	for (unsigned int i = from; i <= to; i++) {
		snprintf(key, sizeof(key), "%s_ns", times_key(i));
		json_add_count(j, o, key, t->ns[i]);
	}
	return o;
}

static struct json_object *cpu_time(struct json *j, const struct times *t)
{
	struct json_object *o = states(j, t, TIME_USER, TIME_GAP);

	json_add_count(j, o, "late_ns", t->late_ns);
	return o;
}

static struct json_object *wait_time(struct json *j, const struct times *t)
{
	struct json_object *o = states(j, t, TIME_FIRST_WAIT, TIME_STOPPED);

	json_add_count(j, o, "still_ns", t->still_ns);
	return o;
}

static void put_states(struct json *j, const struct page *page)
{
	if (page->timer)
		json_member(j, "cpu_time", cpu_time(j, &page->times.all));
	if (page->waits)
		json_member(j, "wait_time", wait_time(j, &page->times.all));
}

/* ----------------------------------------------------------------- findings */

static struct json_object *command(const struct finding *f)
{
	struct json_object *list = json_object_new_array();

	if (list)
		json_object_array_add(list, json_object_new_string("kflame"));
	for (size_t i = 0; list && finding_word(f, i); i++)
		json_object_array_add(list, json_object_new_string(finding_word(f, i)));
	return list;
}

static struct json_object *finding(struct json *j, const struct finding *f)
{
	struct json_object *o = json_object_new_object();

	json_add_text(j, o, "kind", finding_key(f->kind));
	json_add_text(j, o, "text", f->text);
	add_known(j, o, "share_ppm", f->share, f->share != FINDING_NO_SHARE);
	add_known(j, o, "ns", f->ns, f->ns > 0);
	add_known(j, o, "count", f->count, f->count > 0);
	json_add_text(j, o, "path", f->id[0] ? f->id : NULL);
	json_add(j, o, "command", command(f));
	return o;
}

static void put_findings(struct json *j, const struct page *page, const struct limits *l)
{
	const size_t nr = page->findings.nr < l->findings ? page->findings.nr : l->findings;

	json_list(j, "unusual");
	for (size_t i = 0; i < nr; i++)
		json_row(j, finding(j, &page->findings.all[i]));
	json_list_end(j);
	put_more(j, "unusual_more", page->findings.nr, nr);
}

/* -------------------------------------------------------------------- paths */

/* The callers of a path, outermost first; the outermost ones may be left out */
static void add_callers(struct json *j, struct json_object *o, const struct heavy_paths *h,
			const struct heavy_path *path, size_t most)
{
	struct json_object *list = json_object_new_array();
	const uint32_t first = h->t->nodes[path->node].parent;
	size_t depth = h->t->nodes[first].depth, nr = depth > 1 ? depth - 1 : 0, shown = nr < most ? nr : most;
	uint32_t node = first;
	char buf[WORD_BYTES];

	/* An array of json-c is as long as its last element */
	for (size_t i = 0; list && i < shown; i++, node = h->t->nodes[node].parent)
		json_object_array_put_idx(list, shown - 1 - i,
			json_object_new_string(word_cut(buf, h->t->frames[h->t->nodes[node].frame].name)));
	json_add(j, o, "callers", list);
	json_add_count(j, o, "callers_more", nr - shown);
}

static struct json_object *path_row(struct json *j, const char *list, const char *name, const struct heavy_paths *h,
				    const struct heavy_path *path, size_t callers)
{
	const struct frame *f = &h->t->frames[h->t->nodes[path->node].frame];
	struct json_object *o = json_object_new_object();
	char id[PATH_ID];

	json_add_text(j, o, "id", path_id_text(id, h->event, path->hash));
	json_add_text(j, o, "list", list);
	add_name(j, o, "event", name);
	add_name(j, o, "thread", words_thread(h->t, path->node));
	add_name(j, o, "function", f->kind == FRAME_COMM ? NULL : f->name);
	add_name(j, o, "file", f->file);
	json_add_text(j, o, "kind", columns_kind(f->kind));
	json_add(j, o, "itself", json_object_new_boolean(path->itself));
	json_add_count(j, o, "samples", path->weight.samples);
	json_add_count(j, o, "ns", path->weight.ns);
	add_share(j, o, tree_weight(&path->weight, h->unit), heavy_paths_whole(h));
	json_add_count(j, o, "error_ppm", heavy_path_error(h, path));
	add_callers(j, o, h, path, callers);
	return o;
}

static void put_list(struct json *j, const char *list, const char *name, const struct heavy_paths *h,
		     const struct limits *l)
{
	for (size_t i = 0; h->t && i < h->nr && i < l->rows; i++)
		json_row(j, path_row(j, list, name, h, &h->all[i], l->callers));
}

static void put_paths(struct json *j, const struct page *page, const struct limits *l)
{
	json_list(j, "paths");
	for (size_t i = 0; i < page->nr_events; i++) {
		const struct page_event *e = &page->events[i];

		if (e != page->waits)
			put_list(j, e == page->timer ? "cpu" : "event", e->e->name, &e->paths, l);
	}
	if (page->waits) {
		put_list(j, "waits", page->waits->e->name, &page->blocked, l);
		put_list(j, "sleep", page->waits->e->name, &page->sleeps, l);
	}
	json_list_end(j);
}

/* ------------------------------------------------------------------- tables */

static void put_functions(struct json *j, const struct page *page, const struct limits *l)
{
	const size_t nr = page->functions.nr < l->rows ? page->functions.nr : l->rows;
	const struct heavy_paths *h = &page->main->paths;

	json_list(j, "functions");
	for (size_t i = 0; i < nr; i++) {
		const struct function *row = &page->functions.rows[i];
		struct json_object *o = json_object_new_object();

		add_name(j, o, "name", row->frame->name);
		add_name(j, o, "file", row->frame->file);
		json_add_text(j, o, "kind", columns_kind(row->frame->kind));
		json_add_weight(j, o, "self", &row->self);
		add_share(j, o, tree_weight(&row->self, h->unit), heavy_paths_whole(h));
		json_row(j, o);
	}
	json_list_end(j);
	put_more(j, "functions_more", page->functions.nr, nr);
}

static struct json_object *process(struct json *j, const struct page *page, const struct process_times *row)
{
	struct json_object *o = json_object_new_object();

	json_add_count(j, o, "pid", row->tgid);
	add_name(j, o, "name", row->comm);
	if (page->timer)
		json_add(j, o, "cpu_time", cpu_time(j, &row->times));
	if (page->waits)
		json_add(j, o, "wait_time", wait_time(j, &row->times));
	return o;
}

static void put_processes(struct json *j, const struct page *page, const struct limits *l)
{
	const struct time_tables *t = &page->times;
	size_t shown = 0;

	json_list(j, "processes");
	for (size_t i = 0; i < t->nr_processes && shown < l->rows; i++) {
		if (!t->processes[i].tgid)
			continue;
		json_row(j, process(j, page, &t->processes[i]));
		shown++;
	}
	json_list_end(j);
	put_more(j, "processes_more", time_tables_processes(t), shown);
}

static void put_locks(struct json *j, const struct page *page, const struct limits *l)
{
	const size_t nr = page->locks.nr < l->rows ? page->locks.nr : l->rows;

	json_list(j, "locks");
	for (size_t i = 0; i < nr; i++) {
		const struct wait_row *row = &page->locks.rows[i];
		struct json_object *o = json_object_new_object();

		json_add_text(j, o, "lock", row->lock);
		add_name(j, o, "function", row->frame.name);
		add_name(j, o, "waiter", row->comm);
		add_name(j, o, "woken_by", row->woken_by);
		json_add_count(j, o, "waits", row->waits);
		json_add_count(j, o, "ns", row->ns);
		json_row(j, o);
	}
	json_list_end(j);
	put_more(j, "locks_more", page->locks.nr, nr);
}

static struct json_object *whole(struct json *j, const struct weight *w)
{
	struct json_object *o = json_object_new_object();

	json_add_count(j, o, "samples", w->samples);
	json_add_count(j, o, "ns", w->ns);
	return o;
}

static void put_changes(struct json *j, const struct page *page, const struct limits *l)
{
	const struct page_changes *c = &page->changes;
	const size_t nr = c->nr < l->rows ? c->nr : l->rows;

	json_member(j, "duration_before_ns", json_object_new_uint64(c->duration_before_ns));
	json_member(j, "before", whole(j, &c->before));
	json_member(j, "now", whole(j, &c->now));
	json_list(j, "changes");
	for (size_t i = 0; i < nr; i++) {
		struct json_object *o = json_object_new_object();

		add_name(j, o, "name", c->all[i].frame.name);
		add_name(j, o, "file", c->all[i].frame.file);
		json_add_text(j, o, "kind", columns_kind(c->all[i].frame.kind));
		json_add_weight(j, o, "before", &c->all[i].before);
		json_add_weight(j, o, "now", &c->all[i].now);
		json_row(j, o);
	}
	json_list_end(j);
	put_more(j, "changes_more", c->nr_all, nr);
}

/* --------------------------------------------------------------------- page */

static int put_page(FILE *out, const struct page *page, const struct limits *l)
{
	struct json j;

	json_begin(&j, out);
	put_head(&j, page, l);
	if (page->o.has_pid)
		json_member(&j, "pid", json_object_new_uint64(page->o.pid));
	put_states(&j, page);
	put_findings(&j, page, l);
	if (page->o.before)
		put_changes(&j, page, l);
	put_paths(&j, page, l);
	put_functions(&j, page, l);
	put_processes(&j, page, l);
	if (page->waits)
		put_locks(&j, page, l);
	json_member(&j, "shortened", json_object_new_boolean(l != &all_limits[0]));
	return json_end(&j);
}

int page_json(FILE *out, const struct page *page, size_t most)
{
	char *text = NULL;
	size_t size = SIZE_MAX;
	int err = 0;

	for (size_t i = 0; !err && i < NR_LIMITS && size > most; i++) {
		FILE *f;

		free(text);
		text = NULL;
		f = open_memstream(&text, &size);
		if (!f)
			return -ENOMEM;
		err = put_page(f, page, &all_limits[i]);
		if (fclose(f))
			err = -ENOMEM;
	}
	if (!err)
		fwrite(text, 1, size, out);
	free(text);
	return err;
}
