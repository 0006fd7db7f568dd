// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_names.c - finds names during the recording
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "symbols/function_client.h"
#include "symbols/kallsyms.h"
#include "top/live_names.h"

#define NAME_NS		(2 * NS_PER_S)	/* limit for one file: the view must be refreshed */

/* A file of the profile, at the same index */
struct live_file {
	bool tried;
	bool failed;			/* memory ran out */
	uint32_t state;			/* KFLAME_NAMED_*, if .tried */
	struct profile_symbols syms;	/* sorted */
	uint64_t *wanted;		/* offsets to look up at the next update */
	size_t nr_wanted, cap_wanted;
	uint64_t *asked;		/* offsets without a name, sorted */
	size_t nr_asked, cap_asked;
};

struct live_names {
	struct live_file *files;
	size_t nr, cap;
	struct profile_symbols *made;	/* by address space: names from just-in-time compilers */
	size_t nr_made;
	struct profile_file *lent;	/* what the view has borrowed */
	struct profile_aspace *lent_aspaces;
	struct kernel_symbols *kernel;
	size_t ksorted;
	struct profile_symbols ksyms;
};

struct live_names *live_names_create(int device)
{
	struct live_names *n = calloc(1, sizeof(*n));

	if (n && !kernel_symbols_load(device, &n->kernel))
		return n;
	free(n);
	return NULL;
}

static void free_symbols(struct profile_symbols *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free((char *)s->all[i].name);
	free(s->all);
}

static void forget_made(struct live_names *n)
{
	for (size_t i = 0; i < n->nr_made; i++)
		free_symbols(&n->made[i]);
	free(n->made);
	n->made = NULL;
	n->nr_made = 0;
}

void live_names_destroy(struct live_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->nr; i++) {
		free(n->files[i].wanted);
		free(n->files[i].asked);
		free_symbols(&n->files[i].syms);
	}
	forget_made(n);
	free(n->files);
	free(n->lent);
	free(n->lent_aspaces);
	free_symbols(&n->ksyms);
	kernel_symbols_destroy(n->kernel);
	free(n);
}

static bool is_known(const struct profile_symbols *s, uint64_t at)
{
	return profile_symbol(s, at);
}

/* Compare with the sorted addresses, and with the last one, which is likely to repeat */
static bool is_known_kernel(const struct live_names *n, uint64_t at)
{
	const struct profile_symbols known = { .all = n->ksyms.all, .nr = n->ksorted };
	const struct profile_symbol *last = n->ksyms.nr ? &n->ksyms.all[n->ksyms.nr - 1] : NULL;

	return (last && at >= last->start && at < last->end) || profile_symbol(&known, at);
}

static int add_symbol(struct profile_symbols *s, const char *name, uint64_t start, uint64_t end)
{
	char *copy = strdup(name);

	if (!copy || grow(&s->all, s->nr, &s->cap, sizeof(*s->all))) {
		free(copy);
		return -ENOMEM;
	}
	s->all[s->nr++] = (struct profile_symbol){ .start = start, .end = end, .name = copy };
	return 0;
}

/* Remember an address of a file that has no name yet */
static int name_user(struct live_names *n, const struct profile *p, uint32_t aspace, uint64_t at)
{
	const struct profile_mapping *m = profile_map(p, aspace, at);
	struct live_file *f;
	uint64_t offset;

	if (!m || m->file == PROFILE_NONE)
		return 0;
	while (n->nr <= m->file) {
		if (grow(&n->files, n->nr, &n->cap, sizeof(*n->files)))
			return -ENOMEM;
		n->files[n->nr++] = (struct live_file){ 0 };
	}
	f = &n->files[m->file];
	offset = m->offset + (at - m->start);
	if (is_known(&f->syms, offset))
		return 0;
	if (grow(&f->wanted, f->nr_wanted, &f->cap_wanted, sizeof(*f->wanted)))
		return -ENOMEM;
	f->wanted[f->nr_wanted++] = offset;
	return 0;
}

static void take_function(void *ctx, uint64_t start, uint64_t end, const char *name)
{
	struct live_file *f = ctx;

	if (add_symbol(&f->syms, name, start, end))
		f->failed = true;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Drop the offsets that were looked up before and have no name */
static size_t drop_asked(struct live_file *f)
{
	size_t to = 0;

	for (size_t i = 0; i < f->nr_wanted; i++)
		if (!f->nr_asked || !bsearch(&f->wanted[i], f->asked, f->nr_asked, sizeof(*f->asked), by_value))
			f->wanted[to++] = f->wanted[i];
	return to;
}

/* Look up the names of all wanted offsets of an open file */
static int ask(struct live_file *f, struct binary *b)
{
	struct name_place *places = malloc((f->nr_wanted + 1) * sizeof(*places));
	const struct name_taker taker = { .function = take_function, .ctx = f };
	uint64_t time_ns = NAME_NS;
	struct file_names names;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr_wanted; i++)
		places[i] = (struct name_place){ .at = f->wanted[i] };
	file_names_ask(b, places, f->nr_wanted, &time_ns, &taker, &names);
	free(places);
	f->state = names.state;
	return f->failed ? -ENOMEM : 0;
}

/* Keep the offsets without a name, so that they are not looked up again */
static int keep_asked(struct live_file *f)
{
	int err = 0;

	for (size_t i = 0; !err && i < f->nr_wanted; i++)
		if (!profile_symbol(&f->syms, f->wanted[i])) {
			err = grow(&f->asked, f->nr_asked, &f->cap_asked, sizeof(*f->asked));
			if (!err)
				f->asked[f->nr_asked++] = f->wanted[i];
		}
	f->nr_wanted = 0;
	if (f->nr_asked)
		qsort(f->asked, f->nr_asked, sizeof(*f->asked), by_value);
	return err;
}

static int name_file(struct live_file *f, const struct profile_file *file, int fd)
{
	struct binary *b;
	int err;

	if (fd == HELD_NOT_YET || fd == NAMING_SKIP) {
		f->nr_wanted = 0;
		return 0;
	}
	f->nr_wanted = drop_asked(f);
	f->nr_wanted = sort_once(f->wanted, f->nr_wanted, sizeof(*f->wanted), by_value);
	if (!f->nr_wanted)
		return 0;
	f->tried = true;
	err = binary_open(file, fd, NULL, &b);
	if (err)
		return err;
	err = ask(f, b);
	binary_close(b);
	profile_sort_symbols(&f->syms);
	return err ? err : keep_asked(f);
}

static int name_kernel(struct live_names *n, uint64_t at)
{
	uint64_t start, end;
	const char *name;

	if (is_known_kernel(n, at))
		return 0;
	name = kernel_symbols_find(n->kernel, at, &start, &end);
	return name ? add_symbol(&n->ksyms, name, start, end) : 0;
}

static int name_stack(struct live_names *n, const struct profile *p, uint32_t aspace,
		      uint32_t stack)
{
	const struct profile_stack *s;
	int err = 0;

	if (stack >= p->nr_stacks)
		return 0;
	s = &p->stacks[stack];
	for (uint32_t i = 0; !err && i < s->nr; i++) {
		uint64_t at = profile_stack_code(s, i);

		err = s->kind == KFLAME_STACK_KERNEL ? name_kernel(n, at)
						     : name_user(n, p, aspace, at);
	}
	return err;
}

static int take_made(void *names, uint32_t aspace, uint64_t start, uint64_t end, const char *name)
{
	struct live_names *n = names;

	return add_symbol(&n->made[aspace], name, start, end);
}

/* Read them again each time: compilers reuse the memory of old code */
static int name_made(struct live_names *n, const struct profile *p, struct perf_maps *maps)
{
	int err;

	forget_made(n);
	n->made = calloc(p->nr_aspaces + 1, sizeof(*n->made));
	if (!n->made)
		return -ENOMEM;
	n->nr_made = p->nr_aspaces;
	err = perf_maps_look(maps, p, take_made, n);
	for (size_t i = 0; i < n->nr_made; i++)
		profile_sort_symbols(&n->made[i]);
	return err;
}

int live_names_update(struct live_names *n, const struct profile *p,
		      const struct held_files *held, struct perf_maps *maps,
		      const struct profile_count *counts, size_t nr)
{
	int err = name_made(n, p, maps);

	for (size_t i = 0; !err && i < nr; i++) {
		err = name_stack(n, p, counts[i].aspace, counts[i].ustack);
		if (!err)
			err = name_stack(n, p, counts[i].aspace, counts[i].kstack);
	}
	profile_sort_symbols(&n->ksyms);
	n->ksorted = n->ksyms.nr;
	for (uint32_t i = 0; !err && i < n->nr; i++)
		err = name_file(&n->files[i], &p->files[i], held_files_fd(held, i));
	return err;
}

int live_names_lend(struct live_names *n, struct profile *view)
{
	free(n->lent);
	free(n->lent_aspaces);
	n->lent = malloc((view->nr_files + 1) * sizeof(*n->lent));
	n->lent_aspaces = malloc((view->nr_aspaces + 1) * sizeof(*n->lent_aspaces));
	if (!n->lent || !n->lent_aspaces)
		return -ENOMEM;
	for (size_t i = 0; i < view->nr_aspaces; i++) {
		n->lent_aspaces[i] = view->aspaces[i];
		if (i < n->nr_made)
			n->lent_aspaces[i].syms = n->made[i];
	}
	for (size_t i = 0; i < view->nr_files; i++) {
		n->lent[i] = view->files[i];
		if (i >= n->nr)
			continue;
		n->lent[i].syms = n->files[i].syms;
		n->lent[i].named = n->files[i].tried;
		if (n->files[i].tried)
			n->lent[i].state = n->files[i].state;
	}
	view->files = n->lent;
	view->aspaces = n->lent_aspaces;
	view->ksyms = n->ksyms;
	return 0;
}
