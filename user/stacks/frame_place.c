// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_place.c - finds where a frame is: its mapping, file, symbol and source line
 */
#include "stacks/frame_place.h"

/* Sets the source file and line of a level.  Return: its function; NULL if it is not known */
static const char *set_level(const struct profile *p, struct place *to, uint32_t level)
{
	const struct profile_level *l = &p->levels[level];

	to->source = l->source == PROFILE_NONE ? NULL : p->texts[l->source];
	to->line = l->line;
	return l->function == PROFILE_NONE ? NULL : p->texts[l->function];
}

/* Uses the outermost level of an offset: that is the function in the symbol table */
static void set_source(const struct profile *p, struct place *to, uint32_t file, uint64_t offset)
{
	const struct profile_source *s = profile_source(p, file, offset);

	if (s)
		set_level(p, to, s->first + s->nr - 1);
}

struct place place_user(const struct profile *p, uint32_t aspace, uint64_t ip, bool caller)
{
	struct place to = { .address = ip, .caller = caller && ip };
	uint64_t at = ip - to.caller, offset;
	const struct profile_mapping *m = profile_map(p, aspace, at);
	const struct profile_symbol *s = NULL;
	const struct profile_file *f;

	if (aspace < p->nr_aspaces)
		s = profile_symbol(&p->aspaces[aspace].syms, at);
	if (s) {
		to.start = s->start;
		to.symbol = s->name;
		return to;
	}
	to.map = m;
	if (!m || m->file == PROFILE_NONE)
		return to;
	f = &p->files[m->file];
	to.path = f->path;
	to.build_id = f->rec.build_id;
	to.build_id_len = f->rec.build_id_len;
	offset = m->offset + (at - m->start);
	s = profile_symbol(&f->syms, offset);
	if (!s)
		return to;
	to.symbol = s->name;
	/* A function may begin before the mapped part of the file. */
	if (s->start >= m->offset)
		to.start = m->start + (s->start - m->offset);
	set_source(p, &to, m->file, offset);
	return to;
}

struct place place_kernel(const struct profile *p, uint64_t ip, bool caller)
{
	struct place to = { .address = ip, .caller = caller && ip };
	uint64_t at = ip - to.caller;
	const struct profile_symbol *s = profile_symbol(&p->ksyms, at);

	if (!s)
		return to;
	to.start = s->start;
	to.symbol = s->name;
	set_source(p, &to, PROFILE_KERNEL, at);
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
