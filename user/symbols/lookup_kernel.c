// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lookup_kernel.c - looks up the names of kernel addresses in a profile, and makes records of them
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/recent.h"
#include "base/system_calls.h"
#include "elf/source_lookup.h"
#include "profile/addresses.h"
#include "symbols/kallsyms.h"
#include "symbols/kcore.h"
#include "symbols/lookup.h"
#include "symbols/source_records.h"

/* Addresses to look up, sorted */
struct addresses {
	uint64_t *all;
	size_t nr, cap;
};

/* An address for which the kernel has no name; arrays of them are sorted */
struct unnamed {
	uint64_t at;
	uint64_t after;		/* end of the last named function before it */
};

struct unnameds {
	struct unnamed *all;
	size_t nr, cap;
};

static int add_unnamed(struct unnameds *to, uint64_t at, uint64_t after)
{
	int err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));

	if (!err)
		to->all[to->nr++] = (struct unnamed){ at, after };
	return err;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void settle(struct addresses *a)
{
	a->nr = sort_once(a->all, a->nr, sizeof(*a->all), by_address);
}

static int add_stack(struct addresses *to, const struct profile_stack *s, struct seen_item *seen)
{
	int err = 0;

	for (uint32_t k = 0; !err && k < s->nr; k++) {
		uint64_t at = profile_stack_code(s, k);

		if (seen_before(seen, at, 0))
			continue;
		err = grow(&to->all, to->nr, &to->cap, sizeof(*to->all));
		if (!err)
			to->all[to->nr++] = at;
	}
	return err;
}

/* Copies the kernel addresses of a profile that keeps addresses in place of stacks */
static int copy_kept(const struct profile_addresses *kept, struct addresses *to)
{
	to->all = malloc((kept->nr_kernel + 1) * sizeof(*to->all));
	if (!to->all)
		return -ENOMEM;
	if (kept->nr_kernel)
		memcpy(to->all, kept->kernel, kept->nr_kernel * sizeof(*to->all));
	to->nr = to->cap = kept->nr_kernel;
	return 0;
}

static int collect(const struct profile *p, struct addresses *to)
{
	struct seen_item *seen;
	int err;

	if (p->addresses) {
		profile_addresses_settle(p->addresses);
		return copy_kept(p->addresses, to);
	}
	seen = seen_create();
	err = seen ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < p->nr_stacks; i++) {
		if (p->stacks[i].kind != KFLAME_STACK_KERNEL)
			continue;
		err = add_stack(to, &p->stacks[i], seen);
		if (!err && to->nr == to->cap && to->nr > (1u << 20))
			settle(to);
	}
	if (!err)
		settle(to);
	free(seen);
	return err;
}

/* Adds the names that the running kernel has. @left: receives addresses without a name */
static int name_running(struct kernel_symbols *k, const struct addresses *a, struct vmlinux *v,
			struct records *to, struct unnameds *left)
{
	uint64_t named_to = 0, start, end;
	char call[KFLAME_KSYM_NAME_LEN];
	int err = 0;

	for (size_t i = 0; !err && i < a->nr; i++) {
		const char *name;

		if (a->all[i] < named_to)
			continue;
		name = system_call_frame(a->all[i], call, sizeof(call));
		if (name) {
			records_ksym(to, a->all[i], a->all[i] + 1, name);
			continue;
		}
		name = kernel_symbols_find(k, a->all[i], &start, &end);
		if (!name) {
			err = add_unnamed(left, a->all[i], named_to);
			continue;
		}
		records_ksym(to, start, end, name);
		named_to = end;
		if (v)
			vmlinux_hint(v, name, start);
	}
	return err;
}

/* Finds the names that the profile already has. @left: receives addresses without a name */
static int skip_named(const struct profile *p, const struct addresses *a, struct vmlinux *v,
		      struct unnameds *left)
{
	char call[KFLAME_KSYM_NAME_LEN];
	uint64_t named_to = 0;
	int err = 0;

	for (size_t i = 0; !err && i < a->nr; i++) {
		const struct profile_symbol *s = profile_symbol(&p->ksyms, a->all[i]);

		if (!s)
			err = add_unnamed(left, a->all[i], named_to);
		else if (a->all[i] >= named_to && !system_call_frame(a->all[i], call, sizeof(call)))
			vmlinux_hint(v, s->name, s->start);
		if (s)
			named_to = s->end;
	}
	return err;
}

/* Adds the image's functions at @left, and the source lines of those addresses of @all in the image */
static void name_by_image(struct vmlinux *v, const struct unnameds *left, struct addresses *all,
			  enum source_inline wish, struct records *to)
{
	uint64_t named_from = 0, named_to = 0, start, end;
	struct source_records sources;
	size_t in_image = 0;

	for (size_t i = 0; i < left->nr; i++) {
		const struct unnamed *u = &left->all[i];
		const char *name;

		if (u->at < named_to && u->after <= named_from)
			continue;
		name = vmlinux_function(v, u->at, &start, &end);
		if (!name)
			continue;
		/* Names from the kernel win: begin after the last function that it named. */
		named_from = u->after > start ? u->after : start;
		named_to = end;
		records_ksym(to, named_from, end, name);
	}
	for (size_t i = 0; i < all->nr; i++)
		if (vmlinux_function(v, all->all[i], &start, &end))
			all->all[in_image++] = all->all[i];
	source_records_init(&sources, to, wish);
	source_records_add_kernel(&sources, v, all->all, in_image);
	source_records_exit(&sources);
}

/* Without its load address the image is useless.  The message is only for an image that the user named. */
static void tell_unplaced(const struct vmlinux *v)
{
	complain("%s cannot be used: where this kernel was loaded is not known, neither from /proc/kallsyms or /proc/kcore nor by functions with a name",
		 vmlinux_path(v));
}

int naming_kernel(const struct profile *p, struct kernel_naming *by, struct records *to)
{
	struct addresses all = { 0 };
	struct unnameds left = { 0 };
	struct vmlinux *v = by->image;
	struct kernel_symbols *k = NULL;
	int err = collect(p, &all);

	if (!err && all.nr)
		err = kernel_symbols_load(by->device, &k);
	if (!err && all.nr && !v)
		v = vmlinux_find((const char *)p->session.release, &by->id);
	if (!err && all.nr) {
		by->stext = kernel_symbols_stext(k);
		if (!by->stext)
			by->stext = kcore_stext();
		if (v)
			vmlinux_place(v, by->stext);
		err = name_running(k, &all, v, to, &left);
	}
	if (!err && all.nr && v) {
		by->stext = vmlinux_stext(v);
		if (by->stext)
			name_by_image(v, &left, &all, by->wish, to);
		else if (v == by->image)
			tell_unplaced(v);
	}
	if (v != by->image)
		vmlinux_close(v);
	kernel_symbols_destroy(k);
	free(all.all);
	free(left.all);
	return err || to->failed ? -ENOMEM : 0;
}

int naming_image(const struct profile *p, const char *vmlinux, struct vmlinux **out)
{
	struct kernel_id id = kernel_id_parse(profile_host(p, "kernel-build-id"));
	const char *base = profile_host(p, "kernel-base");

	if (vmlinux)
		*out = vmlinux_open(vmlinux, &id);
	else
		*out = vmlinux_find((const char *)p->session.release, &id);
	if (!*out)
		return vmlinux ? -EINVAL : 0;
	vmlinux_place(*out, base ? strtoull(base, NULL, 16) : 0);
	return 0;
}

int naming_kernel_again(const struct profile *p, const char *vmlinux,
			enum source_inline wish, struct records *to)
{
	struct addresses all = { 0 };
	struct unnameds left = { 0 };
	struct vmlinux *v = NULL;
	int err = naming_image(p, vmlinux, &v);

	if (!v)
		return err;
	err = collect(p, &all);
	if (!err && all.nr)
		err = skip_named(p, &all, v, &left);
	if (!err && vmlinux_stext(v))
		name_by_image(v, &left, &all, wish, to);
	else if (!err && all.nr && vmlinux)
		tell_unplaced(v);
	vmlinux_close(v);
	free(all.all);
	free(left.all);
	return err || to->failed ? -ENOMEM : 0;
}
