// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_meta.c - the texts of a document, as JSON
 */
#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "html/page_parts.h"

static const struct { const char *key, *label; } dims[VIEW_DIMS] = {
	[VIEW_COMM] = { "comm", "thread name" }, [VIEW_PID] = { "pid", "process" },
	[VIEW_TID] = { "tid", "thread" }, [VIEW_CGROUP] = { "cgroup", "cgroup" },
	[VIEW_CONTAINER] = { "container", "container" }, [VIEW_HOST] = { "host", "host" },
	[VIEW_RUN] = { "run", "recording" }, [VIEW_CPU] = { "cpu", "CPU" },
	[VIEW_STATE] = { "state", "state" }, [VIEW_WAKER] = { "waker", "waker" },
	[VIEW_LABEL] = { "label", "label" }, [VIEW_EVENT] = { "event", "event" },
	[VIEW_SIDE] = { "side", "side" },
};

static struct json_object *values(struct json *j, const struct frame_set *set)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < set->nr && list; i++) {
		char *clean = text_clean(set->all[i].name);

		if (!clean || json_object_array_add(list, json_object_new_string(clean)))
			j->err = -ENOMEM;
		free(clean);
	}
	return list;
}

static void put_dims(struct json *j, const struct view_data *d)
{
	json_list(j, "dims");
	for (int i = 0; i < VIEW_DIMS; i++) {
		struct json_object *o;

		if (!d->values[i].nr)
			continue;
		o = json_object_new_object();
		json_add_text(j, o, "key", dims[i].key);
		json_add_text(j, o, "label", dims[i].label);
		json_add(j, o, "values", values(j, &d->values[i]));
		json_row(j, o);
	}
	json_list_end(j);
}

static void put_events(struct json *j, const struct view_data *d)
{
	json_list(j, "events");
	for (size_t i = 0; i < d->nr_events; i++) {
		const struct view_event *e = &d->events[i];
		struct json_object *o = json_object_new_object();

		json_add_text(j, o, "name", e->name);
		json_add_text(j, o, "counted", e->counted);
		json_add(j, o, "wait", json_object_new_boolean(e->is_wait));
		json_add(j, o, "timer", json_object_new_boolean(e->is_timer));
		json_row(j, o);
	}
	json_list_end(j);
}

static struct json_object *times(struct json *j, const struct view_page *page)
{
	const struct profile *p = page->timed;
	struct json_object *o = json_object_new_object();
	uint64_t from = p->span.is_cut ? p->span.from_ns : 0;
	uint64_t to = p->span.is_cut ? p->span.to_ns : p->span.end_ns - p->span.start_ns;

	json_add_count(j, o, "from", from);
	json_add_count(j, o, "to", to);
	json_add_count(j, o, "samples", p->nr_timeline);
	json_add_count(j, o, "each", page_each_n(page));
	json_add_count(j, o, "chunks", page_nr_chunks(page));
	return o;
}

static struct json_object *text(const char *s)
{
	char *clean = text_clean(s ? s : "");
	struct json_object *o = clean ? json_object_new_string(clean) : NULL;

	free(clean);
	return o;
}

void page_meta(struct blob *b, const struct view_page *page)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);
	struct json j;

	if (!out) {
		b->err = -ENOMEM;
		return;
	}
	json_begin(&j, out);
	json_member(&j, "version", text(kflame_version));
	json_member(&j, "title", text(page->title));
	json_member(&j, "line", text(page->line));
	/* Line ends stay: text_clean() would replace them. */
	json_member(&j, "accounting", json_object_new_string(page->accounting ? page->accounting : ""));
	json_member(&j, "period", json_object_new_uint64(page_period(page)));
	json_member(&j, "event", json_object_new_uint64(page->event));
	json_member(&j, "root", json_object_new_string(page->root < VIEW_DIMS ? dims[page->root].key : ""));
	put_dims(&j, page->d);
	put_events(&j, page->d);
	json_member(&j, "source", json_object_new_boolean(page->source != NULL));
	if (page->timed)
		json_member(&j, "times", times(&j, page));
	if (json_end(&j))
		b->err = j.err;
	if (ferror(out))
		b->err = -ENOMEM;
	fclose(out);
	blob_bytes(b, bytes, len);
	free(bytes);
}
