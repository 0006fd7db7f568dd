// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load.c - makes a call tree from a profile, or from folded stacks
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/message.h"
#include "stacks/filter.h"
#include "stacks/folded.h"
#include "stacks/folded_names.h"
#include "stacks/load.h"

int load_failed(int err, const char *what)
{
	if (err == -ENOMEM)
		complain("out of memory while %s; free some, or record for a shorter time", what);
	else if (err == -EOVERFLOW)
		complain("the counts do not fit in 64 bits while %s; the input is damaged", what);
	else
		complain("%s failed: %s", what, strerror(-err));
	return err;
}

enum tree_unit load_unit(const struct profile *p, enum tree_unit asked)
{
	if (asked != TREE_BY_EVENT)
		return asked;
	return p && (profile_shows_lengths(p) || p->wall) ? TREE_NS : TREE_SAMPLES;
}

int load_check_unit(const struct profile *p, enum tree_unit unit)
{
	if (p->wall && unit == TREE_SAMPLES) {
		complain("--wall adds up time: a sample and a wait are not the same. Leave out --samples");
		return -EINVAL;
	}
	if (unit != TREE_NS || !profile_counted(p))
		return 0;
	complain("there are no times to show: %s have no duration. Leave out --time", profile_counted(p));
	return -ENODATA;
}

int load_profile(const struct profile *p, struct tree **tree)
{
	return load_profile_filtered(p, NULL, tree);
}

int load_profile_filtered(const struct profile *p, struct filter *filter, struct tree **tree)
{
	int err = -ENOMEM;

	*tree = tree_create();
	if (*tree && filter_is_on(filter)) {
		filter_passes_to(filter, tree_add_stack, *tree);
		err = profile_each_stack(p, filter_stack, filter);
	} else if (*tree) {
		err = profile_each_stack(p, tree_add_stack, *tree);
	}
	if (!err)
		return 0;
	tree_destroy(*tree);
	*tree = NULL;
	return load_failed(err, "reading the stacks of the profile");
}

int load_check_folded(const char *name, const struct folded_read *r, int *status)
{
	if (r->remarks)
		complain("note: %s: %" PRIu64 " line%s of remarks (# ...) skipped", name, r->remarks,
			 r->remarks == 1 ? "" : "s");
	if (!r->lines && r->bad) {
		complain("%s holds no folded stacks (\"comm;frame;frame count\"); "
			 "for a profile leave out --folded (convert: --from)", name);
		return -EINVAL;
	}
	if (r->bad) {
		complain("warning: %s: %" PRIu64 " line%s skipped (the first is line %" PRIu64
			 "), %" PRIu64 " read", name, r->bad, r->bad == 1 ? "" : "s",
			 r->first_bad, r->lines);
		if (status)
			*status = EXIT_FAILURE;
	}
	return 0;
}

static int read_folded(FILE *in, const char *name, struct filter *filter, struct tree *t,
		       struct folded_read *result)
{
	if (!filter_is_on(filter))
		return folded_read(in, name, t, result);
	filter_passes_to(filter, tree_add_stack, t);
	return folded_each_stack(in, name, filter_stack, filter, result);
}

/* Read from a copy of the file with names */
static int read_named(FILE *in, const char *name, const char *symbols, struct filter *filter, struct tree *t,
		      struct folded_read *result)
{
	char *text = NULL;
	size_t len;
	FILE *copy;
	int err;

	err = folded_names_add(in, name, symbols, &text, &len);
	if (!err) {
		copy = fmemopen(text, len, "r");
		err = copy ? read_folded(copy, name, filter, t, result) : -ENOMEM;
		if (copy)
			fclose(copy);
	}
	free(text);
	return err;
}

int load_folded(const char *path, struct filter *filter, struct tree **tree, int *status)
{
	return load_folded_named(path, NULL, filter, tree, status);
}

int load_folded_named(const char *path, const char *symbols, struct filter *filter, struct tree **tree, int *status)
{
	bool standard = !path || !strcmp(path, "-");
	const char *name = standard ? "standard input" : path;
	FILE *in = standard ? stdin : input_stream(path);
	struct folded_read result;
	int err = -ENOMEM;

	*tree = NULL;
	if (!in) {
		err = -errno;
		complain("cannot read %s: %s; give the file of folded stacks with -i",
			 name, strerror(-err));
		return err;
	}
	/* The file may have hundreds of megabytes. */
	setvbuf(in, NULL, _IOFBF, 256u << 10);
	*tree = tree_create();
	if (*tree)
		err = symbols ? read_named(in, name, symbols, filter, *tree, &result) :
				read_folded(in, name, filter, *tree, &result);
	if (err == -ENOMEM)
		load_failed(err, "reading folded stacks");
	else if (err && err != -ENODATA)
		complain("cannot read %s: %s; give the file of folded stacks with -i",
			 name, strerror(-err));
	else if (!err)
		err = load_check_folded(name, &result, status);
	if (!standard)
		fclose(in);
	if (err) {
		tree_destroy(*tree);
		*tree = NULL;
	}
	return err;
}
