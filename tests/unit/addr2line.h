/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * addr2line.h - what addr2line -f -i says of addresses, and what we say
 */
#ifndef ADDR2LINE_H
#define ADDR2LINE_H

#include "elf/source_lookup.h"
#include "programs.h"

#define MAX_CHAIN	64

struct link {
	const char *function;	/* NULL: not known */
	const char *source;	/* NULL: not known */
	unsigned int line;
};

/* What is at an address, innermost first */
struct chain {
	uint64_t address;
	size_t nr;
	struct link links[MAX_CHAIN];
	struct link inlined_at;	/* elfutils says that of the innermost function once more */
};

struct chains {
	struct chain *all;
	size_t nr, cap;
	char **texts;
	size_t nr_texts, cap_texts;
};

static inline struct chain *chains_add(struct chains *c, uint64_t address)
{
	assert_int_equal(grow(&c->all, c->nr, &c->cap, sizeof(*c->all)), 0);
	memset(&c->all[c->nr], 0, sizeof(*c->all));
	c->all[c->nr].address = address;
	return &c->all[c->nr++];
}

/* Keeps a string as long as @c */
static inline const char *chains_keep(struct chains *c, const char *text, size_t len)
{
	assert_int_equal(grow(&c->texts, c->nr_texts, &c->cap_texts, sizeof(*c->texts)), 0);
	c->texts[c->nr_texts] = strndup(text, len);
	assert_non_null(c->texts[c->nr_texts]);
	return c->texts[c->nr_texts++];
}

static inline void chains_free(struct chains *c)
{
	for (size_t i = 0; i < c->nr_texts; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->all);
	memset(c, 0, sizeof(*c));
}

/* The addresses of all instructions of a file, in the file "addresses", too */
static inline struct chains every_instruction(const char *file)
{
	struct chains c = { 0 };
	unsigned long long address;
	char line[1024], path[128];
	FILE *in, *out;
	int colon;

	snprintf(line, sizeof(line), "objdump -d --no-show-raw-insn %s/%s", dir, file);
	in = popen(line, "r");
	snprintf(path, sizeof(path), "%s/addresses", dir);
	out = fopen(path, "w");
	assert_true(in && out);
	while (fgets(line, sizeof(line), in)) {
		colon = 0;
		if (sscanf(line, " %llx:%n", &address, &colon) != 1 || !colon)
			continue;
		chains_add(&c, address);
		fprintf(out, "%#llx\n", address);
	}
	pclose(in);
	assert_int_equal(fclose(out), 0);
	return c;
}

/* "FILE:LINE", "FILE:LINE:COLUMN" and what may follow that */
static inline void parse_place(struct chains *c, char *text, struct link *l)
{
	char *colon;

	text[strcspn(text, "\n")] = 0;
	colon = strstr(text, " (discriminator");
	if (colon)
		*colon = 0;
	colon = strrchr(text, ':');
	assert_non_null(colon);
	l->line = (unsigned int)strtoul(colon + 1, NULL, 10);
	*colon = 0;
	colon = strrchr(text, ':');
	if (colon) {
		l->line = (unsigned int)strtoul(colon + 1, NULL, 10);
		*colon = 0;
	}
	l->source = strcmp(text, "??") ? chains_keep(c, text, strlen(text)) : NULL;
}

/* What an addr2line says of the file "addresses" */
static inline struct chains ask_addr2line(const char *tool, const char *file)
{
	static char line[65536];
	struct chains c = { 0 };
	struct chain *now = NULL;
	FILE *in;

	snprintf(line, sizeof(line), "%s -a -f -i -e %s/%s < %s/addresses", tool, dir, file, dir);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		struct link *l;
		char *at;

		if (!strncmp(line, "0x", 2)) {
			now = chains_add(&c, strtoull(line, NULL, 16));
			continue;
		}
		if (line[0] == '\n')
			continue;
		assert_true(now && now->nr < MAX_CHAIN);
		l = &now->links[now->nr++];
		at = strstr(line, " inlined at ");
		if (at) {
			*at = 0;
			at += strlen(" inlined at ");
			*strstr(at, " in ") = 0;
			parse_place(&c, at, &now->inlined_at);
		}
		line[strcspn(line, "\n")] = 0;
		l->function = strcmp(line, "??") ? chains_keep(&c, line, strlen(line)) : NULL;
		assert_non_null(fgets(line, sizeof(line), in));
		parse_place(&c, line, l);
	}
	/* elfutils' exits with 1 where it has no line for one of them */
	pclose(in);
	return c;
}

static inline uint32_t take_text(void *ctx, const char *text, size_t len)
{
	struct chains *c = ctx;

	chains_keep(c, text, len);
	return (uint32_t)c->nr_texts;
}

static inline void take_place(void *ctx, size_t i, const struct source_level *levels, size_t nr)
{
	struct chains *c = ctx;

	assert_true(i < c->nr && nr <= MAX_CHAIN);
	c->all[i].nr = nr;
	for (size_t k = 0; k < nr; k++)
		c->all[i].links[k] = (struct link){
			.function = levels[k].function ? c->texts[levels[k].function - 1] : NULL,
			.source = levels[k].source ? c->texts[levels[k].source - 1] : NULL,
			.line = levels[k].line };
}

/* What we say; @like: has the addresses.  @err: what binary_sources() must return */
static inline struct chains ask_us(const char *file, const struct chains *like, uint64_t shift,
				   int err)
{
	uint64_t time_ns = 60000000000, *offsets = malloc(like->nr * sizeof(*offsets));
	struct looked *b = look_named(file);
	struct chains c = { 0 };
	const struct source_taker taker = { .text = take_text, .place = take_place, .ctx = &c };

	assert_non_null(offsets);
	for (size_t i = 0; i < like->nr; i++) {
		offsets[i] = like->all[i].address + shift;
		chains_add(&c, like->all[i].address);
	}
	assert_int_equal(binary_sources(b->binary, offsets, like->nr, SOURCE_INLINE_AUTO, &time_ns,
					&taker), err);
	look_close(b);
	free(offsets);
	return c;
}

static inline bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static inline bool same_link(const struct link *a, const struct link *b)
{
	return same_text(a->source, b->source) && a->line == b->line;
}

static inline bool same_chain(const struct chain *a, const struct chain *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (!same_link(&a->links[i], &b->links[i]) ||
		    !same_text(a->links[i].function, b->links[i].function))
			return false;
	return true;
}

static inline void print_chain(const char *who, const struct chain *c)
{
	print_message("# %s, %#llx:", who, (unsigned long long)c->address);
	for (size_t i = 0; i < c->nr; i++)
		print_message(" %s %s:%u", c->links[i].function ? : "??",
			      c->links[i].source ? : "??", c->links[i].line);
	print_message("\n");
}

#endif
