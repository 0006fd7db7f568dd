// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - the name of every address in a profile, or the reason why it has none
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/demangle.h"
#include "elf/demangle_client.h"
#include "elf/function_finder.h"
#include "elf/source_lookup.h"
#include "profile/jit_code.h"
#include "stacks/frame_place.h"
#include "stacks/names.h"
#include "stacks/open.h"

/* A symbol, and the name that is shown for it */
struct shown {
	const struct profile_symbol *symbol;
	const char *name;
	const char *file;	/* a kernel function's module */
};

/* Size of the cache of named addresses: stacks share most of their addresses with other stacks */
#define NR_RECENT	4096u	/* a power of two */

/* An entry of that cache; empty if .frame.name is NULL */
struct recent {
	uint64_t ip;
	uint64_t where;		/* index of the address space; KERNEL_SPACE */
	bool caller;
	struct frame frame;
	const struct profile_source *source;
};

#define KERNEL_SPACE	UINT64_MAX

struct names {
	const struct profile *p;
	struct naming how;
	struct index shown_index;
	struct shown *shown;
	size_t nr_shown, cap_shown;
	struct index text_index;
	char **texts;		/* the distinct strings that were made */
	size_t nr_texts, cap_texts;
	const char **levels;	/* names of the profile's levels; NULL: not made yet */
	const char **functions;	/* by index in the profile's texts: the function name that is shown */
	struct demangled demangled;	/* all mangled names of the profile */
	bool is_demangled;
	struct recent recent[NR_RECENT];
};

struct names *names_create(const struct profile *p, const struct naming *how)
{
	struct names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->p = p;
	n->how = *how;
	n->levels = calloc(p->nr_levels + 1, sizeof(*n->levels));
	n->functions = calloc(p->nr_texts + 1, sizeof(*n->functions));
	if (n->levels && n->functions)
		return n;
	names_destroy(n);
	return NULL;
}

void names_destroy(struct names *n)
{
	if (!n)
		return;
	index_exit(&n->shown_index);
	free(n->shown);
	index_exit(&n->text_index);
	for (size_t i = 0; i < n->nr_texts; i++)
		free(n->texts[i]);
	free(n->texts);
	free(n->levels);
	free(n->functions);
	demangled_exit(&n->demangled);
	free(n);
}

static bool same_text(const void *ctx, uint32_t i, const void *key)
{
	const struct names *n = ctx;

	return !strcmp(n->texts[i], key);
}

/* Owns or frees @text.  Return: the only copy of that string, NULL without memory. */
static const char *intern(struct names *n, char *text)
{
	uint64_t hash;
	uint32_t i;

	if (!text)
		return NULL;
	hash = hash_bytes(0, text, strlen(text));
	i = index_find(&n->text_index, hash, same_text, n, text);
	if (i != INDEX_NONE) {
		free(text);
		return n->texts[i];
	}
	if (grow(&n->texts, n->nr_texts, &n->cap_texts, sizeof(*n->texts)) ||
	    index_add(&n->text_index, hash, (uint32_t)n->nr_texts)) {
		free(text);
		return NULL;
	}
	n->texts[n->nr_texts++] = text;
	return text;
}

static const char *format(struct names *n, const char *how, ...)
	__attribute__((format(printf, 2, 3)));

static const char *format(struct names *n, const char *how, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, how);
	len = vasprintf(&text, how, args);
	va_end(args);
	return len < 0 ? NULL : intern(n, text);
}

static bool same_symbol(const void *ctx, uint32_t i, const void *key)
{
	const struct names *n = ctx;

	return n->shown[i].symbol == key;
}

/* Demangles all names of symbol tables and debug data.  Return: 0 or -ENOMEM. */
static int demangle_all(struct names *n)
{
	const struct profile *p = n->p;
	int err = 0;

	if (n->is_demangled)
		return 0;
	for (size_t i = 0; !err && i < p->nr_files; i++)
		for (size_t k = 0; !err && k < p->files[i].syms.nr; k++)
			err = demangled_add(&n->demangled, p->files[i].syms.all[k].name);
	for (size_t i = 0; !err && i < p->nr_levels; i++)
		if (p->levels[i].function != PROFILE_NONE)
			err = demangled_add(&n->demangled, p->texts[p->levels[i].function]);
	if (!err)
		err = demangled_ask(&n->demangled);
	n->is_demangled = !err;
	return err;
}

/* The shown form of a name of a symbol table or debug data.  Return: to be freed; NULL without memory */
static char *show_name(struct names *n, const char *name)
{
	const char *shown;

	if (!demangle_wanted(name))
		return demangle_version(name);
	if (demangle_all(n))
		return NULL;
	shown = demangled_find(&n->demangled, name);
	return shown ? strdup(shown) : demangle_version(name);
}

/* The source of a symbol's name */
enum namer { KERNEL, LINKER, COMPILER };

/* Makes the shown name of a symbol.  Return: 0 or -ENOMEM. */
static int make_shown(struct names *n, const struct profile_symbol *s, enum namer by,
		      struct shown *out)
{
	size_t len = strlen(s->name);
	const char *module = by == KERNEL ? strstr(s->name, " [") : NULL;

	out->symbol = s;
	out->file = NULL;
	/* Do not split a name that would leave no function name. */
	if (module && module > s->name && s->name[len - 1] == ']') {
		/* "function [module]" */
		out->file = intern(n, strndup(module + 2, (size_t)(s->name + len - module) - 3));
		if (!out->file)
			return -ENOMEM;
		len = (size_t)(module - s->name);
	}
	/* A just-in-time compiler reports names that are not mangled, with any character. */
	out->name = intern(n, by == LINKER && !n->how.mangled ? show_name(n, s->name)
							  : strndup(s->name, len));
	return out->name ? 0 : -ENOMEM;
}

static int show(struct names *n, const struct profile_symbol *s, enum namer by, struct frame *f)
{
	uint64_t hash = hash_u64(0, (uintptr_t)s);
	uint32_t i = index_find(&n->shown_index, hash, same_symbol, n, s);
	int err;

	if (i == INDEX_NONE) {
		i = (uint32_t)n->nr_shown;
		err = grow(&n->shown, n->nr_shown, &n->cap_shown, sizeof(*n->shown));
		if (!err)
			err = make_shown(n, s, by, &n->shown[i]);
		if (!err)
			err = index_add(&n->shown_index, hash, i);
		if (err)
			return err;
		n->nr_shown++;
	}
	f->name = n->shown[i].name;
	if (by == KERNEL)
		f->file = n->shown[i].file;
	return 0;
}

/* Adds the line of @level to @name, if lines are wanted and known; NULL without memory */
static const char *with_line(struct names *n, uint32_t level, const char *name)
{
	const struct profile_level *l = &n->p->levels[level];
	const char *source, *slash;

	if (!n->how.lines || l->source == PROFILE_NONE || !l->line)
		return name;
	if (n->levels[level])
		return n->levels[level];
	source = n->p->texts[l->source];
	slash = strrchr(source, '/');
	n->levels[level] = format(n, "%s %s:%u", name, slash && slash[1] ? slash + 1 : source,
				  l->line);
	return n->levels[level];
}

/* Adds the line to a function's name.  Return: 0 or -ENOMEM. */
static int show_source(struct names *n, const struct profile_source *s, struct frame *f,
		       const struct profile_source **source)
{
	if (!s)
		return 0;
	f->name = with_line(n, s->first + s->nr - 1, f->name);
	if (n->how.inlines != SOURCE_INLINE_NO)
		*source = s;
	return f->name ? 0 : -ENOMEM;
}

/* The shown name of an inlined function, cached because many levels have it; NULL without memory */
static const char *function_name(struct names *n, uint32_t text)
{
	const char *name = n->p->texts[text];

	if (!n->functions[text])
		n->functions[text] = intern(n, n->how.mangled ? strdup(name) : show_name(n, name));
	return n->functions[text];
}

int names_inlined(struct names *n, const struct profile_source *source, uint32_t level,
		  struct frame *f)
{
	uint32_t i = source->first + level;
	const struct profile_level *l = &n->p->levels[i];
	const char *name = "[inlined]";

	/* A kernel function keeps its kind, whether it is inlined or not. */
	if (f->kind == FRAME_USER)
		f->kind = FRAME_INLINED;
	f->name = n->levels[i];
	if (f->name)
		return 0;
	if (l->function != PROFILE_NONE)
		name = function_name(n, l->function);
	n->levels[i] = f->name = name ? with_line(n, i, name) : NULL;
	return f->name ? 0 : -ENOMEM;
}

/* Is the function known only from unwind information? It has no symbol, see FINDER_NAMELESS */
static bool is_nameless(const struct profile_symbol *s)
{
	return !strncmp(s->name, FINDER_NAMELESS, sizeof(FINDER_NAMELESS) - 1);
}

/* Why a file has no name for an address */
static const char *reason(const struct profile_file *file)
{
	if (!file->named)
		return "not named";
	if (file->named_flags & KFLAME_NF_TIME)
		return "time limit";
	switch (file->state) {
	case KFLAME_NAMED_GONE:		return "gone";
	case KFLAME_NAMED_CHANGED:	return "changed";
	case KFLAME_NAMED_DAMAGED:	return "damaged";
	default:			return "stripped";
	}
}

/* Is it memory of a just-in-time compiler whose file nobody can open (memfd, /dev/zero)? */
static bool is_nameless_memory(const struct names *n, const struct profile_mapping *m)
{
	return made_code_is(n->p, m) && n->p->files[m->file].state == KFLAME_NAMED_GONE;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "function (file.py:3)", where line 3 begins the function; with lines "function file.py:5", which was executed */
static int name_script(struct names *n, uint64_t ip, struct frame *f)
{
	const struct profile_function *s = profile_function(n->p, ip);
	const uint32_t line = KFLAME_FUNCTION_LINE(ip);
	const char *file;

	*f = (struct frame){ .kind = FRAME_NOTE };
	if (KFLAME_FUNCTION_ID(ip) == KFLAME_FUNCTION_MORE)
		f->name = "[interpreted function: no room for its name]";
	else if (!s)
		f->name = "[damaged: interpreted function]";
	else if (!*s->name)
		f->name = "[interpreted function: its name was not in memory]";
	if (f->name)
		return 0;
	f->kind = FRAME_SCRIPT;
	file = base_of(s->file);
	f->file = *file ? file : NULL;
	if (!*file)
		f->name = s->name;
	else if (n->how.lines && line)
		f->name = format(n, "%s %s:%u", s->name, file, line);
	else
		f->name = format(n, "%s (%s:%u)", s->name, file, s->line);
	return f->name ? 0 : -ENOMEM;
}

static int name_user(struct names *n, uint32_t aspace, uint64_t ip, bool caller, struct frame *f,
		     const struct profile_source **source)
{
	const struct frame_code c = frame_code_user(n->p, aspace, ip, caller);
	const struct profile_file *file;
	int err;

	*source = NULL;
	if (profile_is_function(ip))
		return name_script(n, ip, f);
	*f = (struct frame){ .kind = FRAME_NOTE };
	if (c.jit) {
		f->kind = FRAME_USER;
		f->file = FRAME_FILE_JIT;
		return show(n, c.jit, COMPILER, f);
	}
	if (!c.map) {
		f->name = "[unmapped]";
		return 0;
	}
	if (c.file == PROFILE_NONE) {
		f->name = c.map->flags & KFLAME_MAP_VDSO ? "[vdso]" : "[anonymous memory]";
		return 0;
	}
	file = &n->p->files[c.file];
	f->file = file->base;
	if (c.symbol) {
		f->kind = is_nameless(c.symbol) ? FRAME_NOTE : FRAME_USER;
		err = show(n, c.symbol, LINKER, f);
		return err ? err : show_source(n, c.source, f, source);
	}
	if (is_nameless_memory(n, c.map)) {
		f->name = "[anonymous memory]";
		return 0;
	}
	f->name = format(n, "[%s: %s+%#llx]", reason(file), file->base,
			 (unsigned long long)(c.offset + (ip - c.at)));
	return f->name ? 0 : -ENOMEM;
}

int names_cut(struct names *n, uint32_t aspace, uint64_t ip, struct frame *f)
{
	const struct profile_mapping *m = profile_map(n->p, aspace, ip);

	*f = (struct frame){ .kind = FRAME_NOTE };
	f->file = m && m->file != PROFILE_NONE && !is_nameless_memory(n, m) ?
		  n->p->files[m->file].base : "anonymous memory";
	f->name = format(n, "[no frame pointer: %s]", f->file);
	return f->name ? 0 : -ENOMEM;
}

bool names_shows_wakers(const struct names *n)
{
	return n->how.wakers;
}

bool names_shows_labels(const struct names *n)
{
	return n->how.labels;
}

#define WOKEN_BY	"[woken by "

int names_waker(struct names *n, const struct profile_waker *w, struct frame *f)
{
	*f = (struct frame){ .kind = FRAME_NOTE };
	if (!w)
		f->name = "[damaged: waker]";
	else if (w->context == KFLAME_CTX_IRQ)
		f->name = WOKEN_BY "an interrupt]";
	else if (w->context == KFLAME_CTX_SOFTIRQ)
		f->name = WOKEN_BY "a softirq]";
	else if (w->context == KFLAME_CTX_IDLE)
		f->name = WOKEN_BY "the idle task]";
	else
		f->name = format(n, WOKEN_BY "%s]", w->comm[0] ? w->comm : "a thread without a name");
	return f->name ? 0 : -ENOMEM;
}

bool frame_is_waker_seam(const struct frame *f)
{
	return f->kind == FRAME_NOTE && !strncmp(f->name, WOKEN_BY, strlen(WOKEN_BY));
}

size_t frames_before_waker(const struct frame *frames, size_t nr)
{
	size_t i = 0;

	while (i < nr && !frame_is_waker_seam(&frames[i]))
		i++;
	return i;
}

static int name_kernel(struct names *n, uint64_t ip, bool caller, struct frame *f,
		       const struct profile_source **source)
{
	const struct frame_code c = frame_code_kernel(n->p, ip, caller);
	int err;

	*source = NULL;
	*f = (struct frame){ .kind = FRAME_KERNEL };
	if (c.symbol) {
		err = show(n, c.symbol, KERNEL, f);
		return err ? err : show_source(n, c.source, f, source);
	}
	/* cmd/named_output.c looks for this form */
	f->name = format(n, "[kernel %#llx]", (unsigned long long)ip);
	return f->name ? 0 : -ENOMEM;
}

/* The cache entry for an address */
static struct recent *recent_of(struct names *n, uint64_t where, uint64_t ip, bool caller)
{
	return &n->recent[hash_u64(where * 2 + caller, ip) & (NR_RECENT - 1)];
}

static bool is_recent(const struct recent *r, uint64_t where, uint64_t ip, bool caller)
{
	return r->frame.name && r->ip == ip && r->where == where && r->caller == caller;
}

static int give_recent(const struct recent *r, struct frame *f, const struct profile_source **source)
{
	*f = r->frame;
	*source = r->source;
	return 0;
}

int names_user(struct names *n, uint32_t aspace, uint64_t ip, bool caller, struct frame *f,
	       const struct profile_source **source)
{
	struct recent *r = recent_of(n, aspace, ip, caller);
	int err;

	if (is_recent(r, aspace, ip, caller))
		return give_recent(r, f, source);
	err = name_user(n, aspace, ip, caller, f, source);
	if (!err)
		*r = (struct recent){ .ip = ip, .where = aspace, .caller = caller, .frame = *f,
				      .source = *source };
	return err;
}

int names_kernel(struct names *n, uint64_t ip, bool caller, struct frame *f,
		 const struct profile_source **source)
{
	struct recent *r = recent_of(n, KERNEL_SPACE, ip, caller);
	int err;

	if (is_recent(r, KERNEL_SPACE, ip, caller))
		return give_recent(r, f, source);
	err = name_kernel(n, ip, caller, f, source);
	if (!err)
		*r = (struct recent){ .ip = ip, .where = KERNEL_SPACE, .caller = caller, .frame = *f,
				      .source = *source };
	return err;
}

bool names_keep(struct names *n, uint32_t aspace, uint64_t pc)
{
	const struct profile_mapping *m = profile_map(n->p, aspace, pc);

	if (!m || m->file == PROFILE_NONE)
		return false;
	return profile_verdict(n->p, m->file, m->offset + (pc - m->start)) == 1;
}
