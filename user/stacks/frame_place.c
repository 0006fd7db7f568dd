// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_place.c - finds where a frame is: its mapping, file, symbol and source line
 */
#include "profile/jit_code.h"
#include "stacks/frame_place.h"

/* Finds the function at an offset of a file, or at a kernel address */
static void find_function(const struct profile *p, const struct profile_symbols *syms,
			  struct frame_code *c)
{
	c->symbol = profile_symbol(syms, c->offset);
	if (c->symbol)
		c->source = profile_source(p, c->file, c->offset);
}

struct frame_code frame_code_user(const struct profile *p, uint32_t aspace, uint64_t ip, bool caller)
{
	struct frame_code c = { .at = caller && ip ? ip - 1 : ip, .file = PROFILE_NONE };

	c.map = profile_map(p, aspace, c.at);
	if (aspace < p->nr_aspaces && made_code_is(p, c.map))
		c.jit = profile_symbol(&p->aspaces[aspace].syms, c.at);
	if (!c.map || c.map->file == PROFILE_NONE)
		return c;
	c.file = c.map->file;
	c.offset = c.map->offset + (c.at - c.map->start);
	find_function(p, &p->files[c.file].syms, &c);
	return c;
}

struct frame_code frame_code_kernel(const struct profile *p, uint64_t ip, bool caller)
{
	struct frame_code c = { .at = caller && ip ? ip - 1 : ip, .file = PROFILE_KERNEL };

	c.offset = c.at;
	find_function(p, &p->ksyms, &c);
	return c;
}

/* Sets the source file and line of a level.  Return: its function; NULL if it is not known */
static const char *set_level(const struct profile *p, struct place *to, uint32_t level)
{
	const struct profile_level *l = &p->levels[level];

	to->source = l->source == PROFILE_NONE ? NULL : p->texts[l->source];
	to->line = l->line;
	return l->function == PROFILE_NONE ? NULL : p->texts[l->function];
}

/* Uses the outermost level of an offset: that is the function in the symbol table */
static void set_source(const struct profile *p, struct place *to, const struct profile_source *s)
{
	if (s)
		set_level(p, to, s->first + s->nr - 1);
}

/* A function of an interpreted program has a source, and no address */
static struct place place_script(const struct profile *p, uint64_t ip)
{
	const struct profile_function *f = profile_function(p, ip);
	struct place to = { .address = 0 };

	if (f && *f->name && *f->file) {
		to.symbol = f->name;
		to.source = f->file;
		to.line = KFLAME_FUNCTION_LINE(ip) ? KFLAME_FUNCTION_LINE(ip) : f->line;
	}
	return to;
}

struct place place_user(const struct profile *p, uint32_t aspace, uint64_t ip, bool caller)
{
	const struct frame_code c = frame_code_user(p, aspace, ip, caller);
	struct place to = { .address = ip, .caller = caller && ip };
	const struct profile_file *f;

	if (profile_is_function(ip))
		return place_script(p, ip);
	if (c.jit) {
		to.start = c.jit->start;
		to.symbol = c.jit->name;
		return to;
	}
	to.map = c.map;
	if (c.file == PROFILE_NONE)
		return to;
	f = &p->files[c.file];
	to.path = f->path;
	to.build_id = f->rec.build_id;
	to.build_id_len = f->rec.build_id_len;
	if (!c.symbol)
		return to;
	to.symbol = c.symbol->name;
	/* A function may begin before the mapped part of the file. */
	if (c.symbol->start >= c.map->offset)
		to.start = c.map->start + (c.symbol->start - c.map->offset);
	set_source(p, &to, c.source);
	return to;
}

struct place place_kernel(const struct profile *p, uint64_t ip, bool caller)
{
	const struct frame_code c = frame_code_kernel(p, ip, caller);
	struct place to = { .address = ip, .caller = caller && ip };

	if (!c.symbol)
		return to;
	to.start = c.symbol->start;
	to.symbol = c.symbol->name;
	set_source(p, &to, c.source);
	return to;
}

struct place place_inlined(const struct profile *p, const struct place *at,
			   const struct profile_source *source, uint32_t level)
{
	struct place to = *at;

	to.inlined = true;
	to.start = 0;
	to.symbol = set_level(p, &to, source->first + level);
	return to;
}
