// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * function_by.c - how much of each host, or of each value of a label, a function takes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/message.h"
#include "base/text.h"
#include "stacks/stacks.h"
#include "views/function_by.h"
#include "views/json_parts.h"

struct row {
	const char *value;	/* in .values */
	struct weight with, all;
};

struct table {
	const struct profile *p;
	const struct function_by *f;
	struct intern values;
	struct row *rows;	/* of each value */
	size_t cap;
	struct weight with, all;
};

static const char *value_of(const struct table *t, const struct profile_count *c)
{
	const char *key = t->f->key, *value;
	char label[256];

	if (!strcmp(key, "comm"))
		value = c->comm;
	else if (!strcmp(key, "host"))
		value = profile_count_host(t->p, c);
	else if (!strcmp(key, "run"))
		value = profile_count_run(t->p, c);
	else {
		snprintf(label, sizeof(label), PROFILE_LABEL_KEY "%s", key);
		value = profile_count_key(t->p, c, label);
	}
	return value && *value ? value : "[unknown]";
}

static void add(struct weight *to, const struct profile_count *c)
{
	to->samples += c->samples;
	to->ns += c->weight_ns;
}

/* A count_fn */
static int take(void *ctx, size_t count, const struct frame *frames, size_t nr)
{
	struct table *t = ctx;
	const struct profile_count *c = &t->p->counts[count];
	const char *value = value_of(t, c);
	bool added, has = false;
	uint32_t i;

	if (c->context == KFLAME_CTX_IDLE && !t->f->idle)
		return 0;
	i = intern_bytes(&t->values, value, strlen(value), &added);
	if (i == INDEX_NONE || grow(&t->rows, i, &t->cap, sizeof(*t->rows)))
		return -ENOMEM;
	if (added)
		t->rows[i] = (struct row){ 0 };
	for (size_t k = 0; k < nr && !has; k++)
		has = !strcmp(frames[k].name, t->f->function);
	add(&t->rows[i].all, c);
	add(&t->all, c);
	if (has) {
		add(&t->rows[i].with, c);
		add(&t->with, c);
	}
	return 0;
}

static enum tree_unit sort_unit;

static int by_weight(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const uint64_t m = tree_weight(&x->with, sort_unit), n = tree_weight(&y->with, sort_unit);

	if (m != n)
		return m > n ? -1 : 1;
	return strcmp(x->value, y->value);
}

static void put_row(FILE *out, const struct weight *with, const struct weight *all, enum tree_unit unit,
		    const char *value)
{
	char share[TEXT_NUMBER], samples[TEXT_NUMBER], of[TEXT_NUMBER];

	fprintf(out, "%7s  %12s  %12s  ", text_percent(share, tree_weight(with, unit), tree_weight(all, unit), 2),
		text_count(samples, with->samples), text_count(of, all->samples));
	text_put(out, value);
	fputc('\n', out);
}

static void put_text(FILE *out, const struct table *t)
{
	const size_t nr = t->values.nr, rows = t->f->rows && t->f->rows < nr ? t->f->rows : nr;

	fprintf(out, "%7s  %12s  %12s  ", t->f->unit == TREE_NS ? "Of time" : "Share", "Samples", "Of");
	text_put(out, t->f->key);
	fputc('\n', out);
	for (size_t i = 0; i < rows; i++)
		put_row(out, &t->rows[i].with, &t->rows[i].all, t->f->unit, t->rows[i].value);
	put_row(out, &t->with, &t->all, t->f->unit, "[all]");
	if (rows < nr)
		fprintf(out, "... and %zu more (-n 0 shows all)\n", nr - rows);
}

static int put_json(FILE *out, const struct table *t)
{
	struct json j;

	json_begin(&j, out);
	json_member(&j, "function", json_object_new_string(t->f->function));
	json_member(&j, "by", json_object_new_string(t->f->key));
	json_list(&j, "rows");
	for (size_t i = 0; i < t->values.nr; i++) {
		struct json_object *row = json_object_new_object();

		json_add_text(&j, row, "value", t->rows[i].value);
		json_add_weight(&j, row, "with", &t->rows[i].with);
		json_add_weight(&j, row, "all", &t->rows[i].all);
		json_row(&j, row);
	}
	json_list_end(&j);
	return json_end(&j);
}

int function_by_write(FILE *out, const struct profile *p, const struct function_by *f, bool json)
{
	struct table t = { .p = p, .f = f };
	int err = profile_each_count(p, take, &t);

	if (!err && !t.with.samples) {
		complain("no stack has the function '%s'. 'kflame report -n 0' lists all functions", f->function);
		err = -ENOENT;
	}
	for (size_t i = 0; !err && i < t.values.nr; i++)
		t.rows[i].value = t.values.all[i].bytes;
	if (!err) {
		sort_unit = f->unit;
		qsort(t.rows, t.values.nr, sizeof(*t.rows), by_weight);
		if (json)
			err = put_json(out, &t);
		else
			put_text(out, &t);
	}
	intern_exit(&t.values);
	free(t.rows);
	return err;
}
