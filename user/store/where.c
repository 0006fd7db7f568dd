// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * where.c - parses the language of --where, and evaluates it
 *
 * A recursive descent makes a tree of nodes in one array.  The text is from the user who runs the command, and is
 * bounded anyway: in its length, and in its depth.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "store/where.h"

#define MAX_TEXT	65536u
#define MAX_DEPTH	64

enum kind { OR, AND, NOT, EQUAL, DIFFERS, LIKE, IN };

struct node {
	enum kind kind;
	uint32_t a, b;		/* OR, AND: both sides; NOT: .a */
	char *name;		/* of a test */
	char **values;
	size_t nr, cap;
};

struct where {
	struct node *nodes;
	size_t nr, cap;
	uint32_t root;
};

struct parser {
	const char *text, *at;
	struct where *w;
	char *why;
	size_t size;
	int depth;
	bool failed;
};

static uint32_t fail(struct parser *p, const char *what)
{
	if (!p->failed)
		snprintf(p->why, p->size, "at character %zu: %s", (size_t)(p->at - p->text) + 1, what);
	p->failed = true;
	return 0;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.:/@%", c));
}

static void skip_space(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static size_t word_length(const char *at)
{
	size_t len = 0;

	while (is_word(at[len]))
		len++;
	return len;
}

/* Is the next word @lower, or all of it in upper case?  Then it is skipped. */
static bool take_word(struct parser *p, const char *lower)
{
	size_t len = strlen(lower);
	bool is_lower, is_upper = true;

	skip_space(p);
	is_lower = !strncmp(p->at, lower, len);
	for (size_t i = 0; is_upper && i < len; i++)
		is_upper = p->at[i] == toupper((unsigned char)lower[i]);
	if ((!is_lower && !is_upper) || is_word(p->at[len]))
		return false;
	p->at += len;
	return true;
}

static bool take_sign(struct parser *p, const char *sign)
{
	const size_t len = strlen(sign);

	skip_space(p);
	if (strncmp(p->at, sign, len))
		return false;
	p->at += len;
	return true;
}

static uint32_t add(struct parser *p, struct node n)
{
	struct where *w = p->w;

	if (grow(&w->nodes, w->nr, &w->cap, sizeof(*w->nodes)))
		return fail(p, "there is not enough memory");
	w->nodes[w->nr] = n;
	return (uint32_t)w->nr++;
}

/* Return: a new string; NULL after an error */
static char *take_quoted(struct parser *p, char quote)
{
	char *value = malloc(strlen(p->at) + 1);
	size_t len = 0;

	for (p->at++; value && *p->at && *p->at != quote; p->at++) {
		if (*p->at == '\\' && p->at[1])
			p->at++;
		value[len++] = *p->at;
	}
	if (value && *p->at) {
		p->at++;
		value[len] = 0;
		return value;
	}
	fail(p, value ? "a quote is not closed" : "there is not enough memory");
	free(value);
	return NULL;
}

static char *take_value(struct parser *p)
{
	size_t len;
	char *value;

	skip_space(p);
	if (*p->at == '"' || *p->at == '\'')
		return take_quoted(p, *p->at);
	len = word_length(p->at);
	value = len ? strndup(p->at, len) : NULL;
	if (!value)
		fail(p, len ? "there is not enough memory" : "a value is missing, such as \"web\"");
	p->at += value ? len : 0;
	return value;
}

static void add_value(struct parser *p, uint32_t node)
{
	char *value = take_value(p);
	struct node *n = &p->w->nodes[node];

	if (value && grow(&n->values, n->nr, &n->cap, sizeof(*n->values))) {
		free(value);
		fail(p, "there is not enough memory");
		return;
	}
	if (value)
		n->values[n->nr++] = value;
}

static uint32_t test(struct parser *p)
{
	struct node n = { .kind = EQUAL };
	size_t len;
	uint32_t made;

	skip_space(p);
	len = word_length(p->at);
	if (!len)
		return fail(p, "a test is missing, such as host = \"web1\"");
	n.name = strndup(p->at, len);
	made = n.name ? add(p, n) : fail(p, "there is not enough memory");
	if (p->failed) {
		free(n.name);
		return 0;
	}
	p->at += len;
	if (take_sign(p, "!="))
		p->w->nodes[made].kind = DIFFERS;
	else if (take_word(p, "like"))
		p->w->nodes[made].kind = LIKE;
	else if (take_word(p, "in"))
		p->w->nodes[made].kind = IN;
	else if (!take_sign(p, "="))
		return fail(p, "after a name comes =, !=, like or in");
	if (p->w->nodes[made].kind != IN) {
		add_value(p, made);
		return made;
	}
	if (!take_sign(p, "("))
		return fail(p, "after in comes a list in parentheses, such as (\"a\", \"b\")");
	do
		add_value(p, made);
	while (!p->failed && take_sign(p, ","));
	if (!p->failed && !take_sign(p, ")"))
		return fail(p, "the list of in ends with )");
	return made;
}

static uint32_t either(struct parser *p);

static uint32_t single(struct parser *p)
{
	uint32_t made;

	if (++p->depth > MAX_DEPTH)
		return fail(p, "this is nested too deep");
	if (take_word(p, "not")) {
		made = single(p);
		made = p->failed ? 0 : add(p, (struct node){ .kind = NOT, .a = made });
	} else if (take_sign(p, "(")) {
		made = either(p);
		if (!p->failed && !take_sign(p, ")"))
			fail(p, "a ) is missing");
	} else {
		made = test(p);
	}
	p->depth--;
	return made;
}

static uint32_t both(struct parser *p)
{
	uint32_t made = single(p);

	while (!p->failed && take_word(p, "and")) {
		const uint32_t other = single(p);

		made = p->failed ? 0 : add(p, (struct node){ .kind = AND, .a = made, .b = other });
	}
	return made;
}

static uint32_t either(struct parser *p)
{
	uint32_t made = both(p);

	while (!p->failed && take_word(p, "or")) {
		const uint32_t other = both(p);

		made = p->failed ? 0 : add(p, (struct node){ .kind = OR, .a = made, .b = other });
	}
	return made;
}

struct where *where_parse(const char *text, char *why, size_t size)
{
	struct parser p = { .text = text, .at = text, .why = why, .size = size };

	p.w = calloc(1, sizeof(*p.w));
	if (!p.w) {
		fail(&p, "there is not enough memory");
		return NULL;
	}
	if (strlen(text) > MAX_TEXT)
		fail(&p, "this is too long");
	else
		p.w->root = either(&p);
	skip_space(&p);
	if (!p.failed && *p.at)
		fail(&p, "after a test comes and, or, or nothing");
	if (!p.failed)
		return p.w;
	where_destroy(p.w);
	return NULL;
}

void where_destroy(struct where *w)
{
	for (size_t i = 0; w && i < w->nr; i++) {
		free(w->nodes[i].name);
		for (size_t k = 0; k < w->nodes[i].nr; k++)
			free(w->nodes[i].values[k]);
		free(w->nodes[i].values);
	}
	if (w)
		free(w->nodes);
	free(w);
}

/* The last % can take more text: so no pattern takes longer than the product of both lengths. */
static bool is_like(const char *text, const char *pattern)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		if (*pattern == '%') {
			star = ++pattern;
			from = text;
		} else if (*pattern == '_' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '%')
		pattern++;
	return !*pattern;
}

static bool passes(const struct node *n, const char *value)
{
	if (!value || n->kind == DIFFERS)
		return n->kind == DIFFERS && (!value || strcmp(value, n->values[0]));
	if (n->kind == LIKE)
		return is_like(value, n->values[0]);
	for (size_t i = 0; i < n->nr; i++)
		if (!strcmp(value, n->values[i]))
			return true;
	return false;
}

/* Operands come before their operators, so one pass over the nodes is enough: a long chain needs no stack. */
bool where_matches(const struct where *w, where_value_fn value, const void *ctx)
{
	bool result = true;
	bool *of = w ? calloc(w->nr, sizeof(*of)) : NULL;

	for (size_t i = 0; of && i < w->nr; i++) {
		const struct node *n = &w->nodes[i];

		if (n->kind == OR)
			of[i] = of[n->a] || of[n->b];
		else if (n->kind == AND)
			of[i] = of[n->a] && of[n->b];
		else if (n->kind == NOT)
			of[i] = !of[n->a];
		else
			of[i] = passes(n, value(ctx, n->name));
	}
	if (of)
		result = of[w->root];
	free(of);
	return result;
}
