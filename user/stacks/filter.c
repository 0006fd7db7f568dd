// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter.c - which stacks are shown: --include, --exclude, --focus
 *
 * Each name is matched once and the result is kept, because a million stacks have only some thousand
 * names.
 */
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "stacks/filter.h"

struct rule {
	enum filter_rule what;
	regex_t regex;
};

/* A name that was matched */
struct seen {
	char *name;
	unsigned int matches;	/* a bit for each enum filter_rule */
};

struct filter {
	struct rule *rules;
	size_t nr_rules, cap_rules;
	unsigned int has;	/* a bit for each enum filter_rule */
	struct index index;
	struct seen *seen;
	size_t nr_seen, cap_seen;
	struct frame *frames;	/* a stack from which --focus removed callers */
	size_t cap_frames;
	struct weight dropped;
	stack_fn fn;
	void *ctx;
};

struct filter *filter_create(void)
{
	return calloc(1, sizeof(struct filter));
}

void filter_destroy(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr_rules; i++)
		regfree(&f->rules[i].regex);
	for (size_t i = 0; i < f->nr_seen; i++)
		free(f->seen[i].name);
	index_exit(&f->index);
	free(f->rules);
	free(f->seen);
	free(f->frames);
	free(f);
}

/*
 * Case matters if the expression has a capital letter, as in the search of a picture.  A character after
 * a backslash does not count.  The classes for upper and lower case do.
 */
static bool has_capital(const char *s)
{
	if (strstr(s, "[:upper:]") || strstr(s, "[:lower:]"))
		return true;
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (isupper((unsigned char)*s))
			return true;
	}
	return false;
}

int filter_add(struct filter *f, enum filter_rule rule, const char *regex, char *why,
	       size_t why_size)
{
	int flags = REG_EXTENDED | REG_NOSUB | (has_capital(regex) ? 0 : REG_ICASE);
	int err = grow(&f->rules, f->nr_rules, &f->cap_rules, sizeof(*f->rules));
	struct rule *r;

	if (err)
		return err;
	r = &f->rules[f->nr_rules];
	err = regcomp(&r->regex, regex, flags);
	if (err) {
		regerror(err, &r->regex, why, why_size);
		return err == REG_ESPACE ? -ENOMEM : -EINVAL;
	}
	r->what = rule;
	f->has |= 1u << rule;
	f->nr_rules++;
	return 0;
}

bool filter_is_on(const struct filter *f)
{
	return f && f->has;
}

void filter_passes_to(struct filter *f, stack_fn fn, void *ctx)
{
	f->fn = fn;
	f->ctx = ctx;
}

struct weight filter_dropped(const struct filter *f)
{
	return f->dropped;
}

static bool same_name(const void *ctx, uint32_t i, const void *key)
{
	const struct filter *f = ctx;

	return !strcmp(f->seen[i].name, key);
}

static int look(struct filter *f, const char *name, unsigned int *matches)
{
	uint64_t hash = hash_bytes(0, name, strlen(name));
	uint32_t i = index_find(&f->index, hash, same_name, f, name);
	struct seen s = { 0 };
	int err;

	if (i != INDEX_NONE) {
		*matches = f->seen[i].matches;
		return 0;
	}
	for (size_t k = 0; k < f->nr_rules; k++)
		if (!regexec(&f->rules[k].regex, name, 0, NULL, 0))
			s.matches |= 1u << f->rules[k].what;
	*matches = s.matches;
	err = grow(&f->seen, f->nr_seen, &f->cap_seen, sizeof(*f->seen));
	if (err)
		return err;
	s.name = strdup(name);
	if (!s.name || index_add(&f->index, hash, (uint32_t)f->nr_seen)) {
		free(s.name);
		return -ENOMEM;
	}
	f->seen[f->nr_seen++] = s;
	return 0;
}

/* Passes on the stack from frame @from on, with its thread and root frame before that */
static int pass(struct filter *f, const struct frame *frames, size_t nr, size_t from,
		uint64_t samples, uint64_t ns)
{
	size_t kept = 0;
	int err;

	while (kept < from && (frames[kept].kind == FRAME_COMM || frames[kept].kind == FRAME_ROOT))
		kept++;
	if (kept == from)
		return f->fn(f->ctx, frames, nr, samples, ns);
	/* Doubling once may not be enough. */
	while (f->cap_frames < nr) {
		err = grow(&f->frames, f->cap_frames, &f->cap_frames, sizeof(*f->frames));
		if (err)
			return err;
	}
	memcpy(f->frames, frames, kept * sizeof(*frames));
	memcpy(f->frames + kept, frames + from, (nr - from) * sizeof(*frames));
	return f->fn(f->ctx, f->frames, kept + nr - from, samples, ns);
}

int filter_stack(void *filter, const struct frame *frames, size_t nr, uint64_t samples,
		 uint64_t ns)
{
	struct filter *f = filter;
	unsigned int all = 0, matches;
	unsigned int want = f->has & (1u << FILTER_INCLUDE | 1u << FILTER_FOCUS);
	size_t from = 0;
	int err;

	for (size_t i = 0; i < nr; i++) {
		err = look(f, frames[i].name, &matches);
		if (err)
			return err;
		if (matches & ~all & 1u << FILTER_FOCUS)
			from = i;
		all |= matches;
	}
	if (all & 1u << FILTER_EXCLUDE || (all & want) != want) {
		f->dropped.samples += samples;
		f->dropped.ns += ns;
		return 0;
	}
	return pass(f, frames, nr, from, samples, ns);
}

/* A stack_fn: the stack has passed */
static int note_passed(void *passed, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	(void)frames;
	(void)nr;
	(void)samples;
	(void)ns;
	*(bool *)passed = true;
	return 0;
}

int filter_accepts(struct filter *f, const struct frame *frames, size_t nr)
{
	bool passed = false;
	int err;

	if (!filter_is_on(f))
		return 1;
	filter_passes_to(f, note_passed, &passed);
	err = filter_stack(f, frames, nr, 0, 0);
	return err ? err : passed;
}
