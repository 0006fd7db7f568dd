// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_names.c - names of what is recorded, while it is recorded
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../index.h"
#include "../profile_reader.h"
#include "../symbols/binary.h"
#include "../symbols/kernel.h"
#include "live_names.h"

/* A file of the profile, by its index there */
struct live_file {
	struct binary *binary;
	bool tried;
	size_t sorted;			/* symbols up to here are */
	struct profile_symbols syms;
};

struct live_names {
	struct live_file *files;
	size_t nr, cap;
	struct profile_symbols *made;	/* by just-in-time compilers, of each address space */
	size_t nr_made;
	struct profile_file *lent;	/* what a view has */
	struct profile_aspace *lent_aspaces;
	struct kernel_symbols *kernel;
	size_t ksorted;
	struct profile_symbols ksyms;
};

struct live_names *live_names_new(int device)
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

void live_names_free(struct live_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->nr; i++) {
		binary_close(n->files[i].binary);
		free_symbols(&n->files[i].syms);
	}
	forget_made(n);
	free(n->files);
	free(n->lent);
	free(n->lent_aspaces);
	free_symbols(&n->ksyms);
	kernel_symbols_free(n->kernel);
	free(n);
}

/* Of the sorted ones, and the last one, which may be what is looked for again */
static bool is_known(const struct profile_symbols *s, size_t sorted, uint64_t at)
{
	const struct profile_symbols known = { .all = s->all, .nr = sorted };
	const struct profile_symbol *last = s->nr ? &s->all[s->nr - 1] : NULL;

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

static int open_file(struct live_file *f, const struct profile *p, const struct held_files *held,
		     uint32_t i)
{
	int fd = held_files_fd(held, i);

	if (f->tried || fd == HELD_NOT_YET)
		return 0;
	f->tried = true;
	return binary_open(&p->files[i], fd, NULL, &f->binary);
}

static int name_user(struct live_names *n, const struct profile *p, const struct held_files *held,
		     uint32_t aspace, uint64_t at)
{
	const struct profile_mapping *m = profile_map(p, aspace, at);
	uint64_t offset, start, end;
	struct live_file *f;
	const char *name;
	int err;

	if (!m || m->file == PROFILE_NONE)
		return 0;
	while (n->nr <= m->file) {
		if (grow(&n->files, n->nr, &n->cap, sizeof(*n->files)))
			return -ENOMEM;
		n->files[n->nr++] = (struct live_file){ 0 };
	}
	f = &n->files[m->file];
	offset = m->offset + (at - m->start);
	if (is_known(&f->syms, f->sorted, offset))
		return 0;
	err = open_file(f, p, held, m->file);
	name = f->binary ? binary_function(f->binary, offset, &start, &end) : NULL;
	return err || !name ? err : add_symbol(&f->syms, name, start, end);
}

static int name_kernel(struct live_names *n, uint64_t at)
{
	uint64_t start, end;
	const char *name;

	if (is_known(&n->ksyms, n->ksorted, at))
		return 0;
	name = kernel_symbols_find(n->kernel, at, &start, &end);
	return name ? add_symbol(&n->ksyms, name, start, end) : 0;
}

static int name_stack(struct live_names *n, const struct profile *p, const struct held_files *held,
		      uint32_t aspace, uint32_t stack)
{
	const struct profile_stack *s;
	int err = 0;

	if (stack >= p->nr_stacks)
		return 0;
	s = &p->stacks[stack];
	for (uint32_t i = 0; !err && i < s->nr; i++) {
		uint64_t at = profile_stack_code(s, i);

		err = s->kind == KFLAME_STACK_KERNEL ? name_kernel(n, at)
						     : name_user(n, p, held, aspace, at);
	}
	return err;
}

static int take_made(void *names, uint32_t aspace, uint64_t start, uint64_t end, const char *name)
{
	struct live_names *n = names;

	return add_symbol(&n->made[aspace], name, start, end);
}

/* Afresh each time: code is made anew in the place of other code */
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
		err = name_stack(n, p, held, counts[i].aspace, counts[i].ustack);
		if (!err)
			err = name_stack(n, p, held, counts[i].aspace, counts[i].kstack);
	}
	profile_sort_symbols(&n->ksyms);
	n->ksorted = n->ksyms.nr;
	for (size_t i = 0; i < n->nr; i++) {
		profile_sort_symbols(&n->files[i].syms);
		n->files[i].sorted = n->files[i].syms.nr;
	}
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
		if (n->files[i].binary)
			n->lent[i].state = binary_state(n->files[i].binary);
	}
	view->files = n->lent;
	view->aspaces = n->lent_aspaces;
	view->ksyms = n->ksyms;
	return 0;
}
