// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * explain_json.c - one sample as JSON: docs/explain.schema.json
 *
 * Addresses and words are strings of hexadecimal digits: many readers store numbers as doubles.
 */
#include <elf.h>
#include <inttypes.h>

#include "base/json.h"
#include "explain/explanation.h"

static void add_hex(struct json *j, struct json_object *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_add_text(j, to, key, text);
}

static void add_flag(struct json *j, struct json_object *to, const char *key, bool value)
{
	json_add(j, to, key, json_object_new_boolean(value));
}

static struct json_object *time_of(struct json *j, const struct explanation *x)
{
	struct json_object *o = json_object_new_object();

	json_add_count(j, o, "due_ns", x->table.due_ns);
	json_add_count(j, o, "taken_ns", x->sample.time_ns);
	json_add_count(j, o, "period_ns", x->table.period_ns);
	json_add_count(j, o, "weight_ns", x->sample.weight_ns);
	json_add_count(j, o, "late_ns", x->sample.late_ns);
	return o;
}

static struct json_object *thread_of(struct json *j, const struct explanation *x)
{
	struct json_object *o = json_object_new_object();

	json_add_text(j, o, "comm", (const char *)x->sample.comm);
	json_add_count(j, o, "pid", x->sample.tgid);
	json_add_count(j, o, "cpu", x->sample.cpu);
	json_add_text(j, o, "context", explain_context(x->sample.context));
	return o;
}

static struct json_object *registers_of(struct json *j, const struct explanation *x)
{
	struct json_object *o = json_object_new_object();

	for (uint32_t i = 0; i < x->sample.nr_regs; i++)
		add_hex(j, o, explain_register(x->machine, i), x->regs[i]);
	return o;
}

static struct json_object *table_of(struct json *j, const struct explanation *x)
{
	const struct kflame_rec_explain *t = &x->table;
	struct json_object *o = json_object_new_object(), *key = json_object_new_object();

	json_add_count(j, key, "address_space", x->sample.aspace);
	json_add_count(j, key, "kernel_stack", t->kstack);
	json_add_count(j, key, "user_stack", t->ustack);
	json_add_count(j, key, "cpu", x->sample.cpu);
	json_add_count(j, key, "context", x->sample.context | x->sample.event << 16);
	json_add_count(j, key, "process", x->sample.tgid);
	json_add_count(j, key, "thread", x->sample.tid);
	json_add_text(j, key, "comm", (const char *)x->sample.comm);
	json_add(j, o, "key", key);
	add_hex(j, o, "seed", t->seed);
	add_hex(j, o, "hash", t->hash);
	json_add_count(j, o, "buckets", t->buckets);
	json_add_count(j, o, "bucket", t->bucket);
	json_add_count(j, o, "probes", t->probes);
	json_add_count(j, o, "entry", t->entry);
	json_add_count(j, o, "entries", t->nr_entries);
	json_add_count(j, o, "samples_before", t->samples_before);
	json_add_count(j, o, "weight_before", t->weight_before);
	json_add_count(j, o, "samples", t->samples);
	json_add_count(j, o, "weight", t->weight);
	return o;
}

static struct json_object *place_of(struct json *j, const struct explained_place *p)
{
	struct json_object *o = json_object_new_object();

	add_hex(j, o, "address", p->address);
	if (p->end) {
		add_hex(j, o, "mapping_start", p->start);
		add_hex(j, o, "mapping_end", p->end);
		add_hex(j, o, "mapping_offset", p->offset);
	}
	if (p->path) {
		json_add_text(j, o, "path", p->path);
		if (p->build_id[0])
			json_add_text(j, o, "build_id", p->build_id);
		add_hex(j, o, "file_offset", p->file_offset);
	}
	if (p->in_file)
		add_hex(j, o, "in_file", p->in_file);
	json_add_text(j, o, "function", p->function);
	if (p->function)
		json_add_count(j, o, "into", p->into);
	return o;
}

static struct json_object *row_of(struct json *j, const struct explained_row *r)
{
	struct json_object *o;

	if (!r->section[0])
		return NULL;
	o = json_object_new_object();
	json_add_text(j, o, "section", r->section);
	add_hex(j, o, "entry", r->entry);
	add_hex(j, o, "start", r->start);
	add_hex(j, o, "end", r->end);
	add_hex(j, o, "from", r->from);
	add_hex(j, o, "to", r->to);
	json_add_text(j, o, "cfa", r->cfa);
	json_add_text(j, o, "frame_pointer", r->fp);
	json_add_text(j, o, "base_register", r->base);
	json_add_text(j, o, "return_address", r->ra);
	return o;
}

static const char *how_of(const struct explained_frame *f)
{
	return f->how == KFLAME_STEP_RULE ? "rule" : f->how == KFLAME_STEP_FP ? "frame-pointer" : "end";
}

static struct json_object *frame_of(struct json *j, const struct explanation *x, const struct explained_frame *f)
{
	struct json_object *o = json_object_new_object(), *row = row_of(j, &f->row);
	char text[STEP_TEXT];

	add_hex(j, o, "ip", f->ip);
	add_flag(j, o, "interrupted", f->exact);
	add_hex(j, o, "sp", f->sp);
	add_hex(j, o, "fp", f->fp);
	json_add_text(j, o, "how", how_of(f));
	add_flag(j, o, "cached", f->cached);
	if (f->how == KFLAME_STEP_RULE)
		json_add_text(j, o, "rule", explain_step(text, x, f));
	if (row)
		json_add(j, o, "row", row);
	if (f->cfa)
		add_hex(j, o, "cfa", f->cfa);
	if (f->ra_at)
		add_hex(j, o, "return_address_at", f->ra_at);
	if (f->cfa)
		add_hex(j, o, "return_address", f->ra);
	if (f->fp_at)
		add_hex(j, o, "frame_pointer_at", f->fp_at);
	if (!f->is_last)
		add_flag(j, o, "agrees", f->agrees);
	json_add(j, o, "place", place_of(j, &f->place));
	return o;
}

static struct json_object *stack_of(struct json *j, const struct explanation *x)
{
	struct json_object *o = json_object_new_object(), *words = json_object_new_array();
	char text[24];

	add_hex(j, o, "sp", x->sp);
	for (size_t i = 0; words && i < x->nr_words; i++) {
		snprintf(text, sizeof(text), "0x%" PRIx64, x->words[i]);
		json_object_array_add(words, json_object_new_string(text));
	}
	json_add(j, o, "words", words);
	return o;
}

static void put_kernel(struct json *j, const struct explanation *x)
{
	json_list(j, "kernel_frames");
	for (size_t i = 0; i < x->nr_kernel; i++) {
		struct json_object *o = json_object_new_object();

		add_hex(j, o, "ip", x->kernel[i].ip);
		json_add_text(j, o, "function", x->kernel[i].function);
		if (x->kernel[i].function)
			json_add_count(j, o, "into", x->kernel[i].into);
		json_row(j, o);
	}
	json_list_end(j);
}

static struct json_object *missed_of(struct json *j, const struct explained_skip *s)
{
	struct json_object *o = json_object_new_object();

	add_hex(j, o, "return_address_at", s->at);
	add_hex(j, o, "return_address", s->ra);
	json_add(j, o, "place", place_of(j, &s->place));
	return o;
}

int explain_json(FILE *out, const struct explanation *x)
{
	static const char *const kwalks[] = { "none", "cached", "kernel" };
	struct json j;

	json_begin(&j, out);
	json_member(&j, "schema", json_object_new_string("kflame-explain-1"));
	json_member(&j, "machine", json_object_new_string(x->machine == EM_AARCH64 ? "arm64" : "x86-64"));
	json_member(&j, "thread", thread_of(&j, x));
	json_member(&j, "time", time_of(&j, x));
	json_member(&j, "registers", registers_of(&j, x));
	json_member(&j, "stack", stack_of(&j, x));
	json_member(&j, "kernel_walk", json_object_new_string(x->table.kwalk < 3 ? kwalks[x->table.kwalk] : "unknown"));
	put_kernel(&j, x);
	json_member(&j, "kernel_end", json_object_new_string(explain_end_name(x->sample.kend)));
	json_member(&j, "user_walk", json_object_new_string(x->uway == KFLAME_UWAY_FP ? "frame-pointers" : "tables"));
	json_list(&j, "frames");
	for (size_t i = 0; i < x->nr_frames; i++)
		json_row(&j, frame_of(&j, x, &x->frames[i]));
	json_list_end(&j);
	json_member(&j, "user_end", json_object_new_string(explain_end_name(x->sample.uend)));
	if (x->skip.at)
		json_member(&j, "missed_caller", missed_of(&j, &x->skip));
	json_member(&j, "table", table_of(&j, x));
	return json_end(&j);
}
