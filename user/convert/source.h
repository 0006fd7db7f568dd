/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - what is converted: a profile, folded stacks or perf script's text
 */
#ifndef KFLAME_CONVERT_SOURCE_H
#define KFLAME_CONVERT_SOURCE_H

#include "profile/profile.h"
#include "stacks/open.h"
#include "stacks/stacks.h"
#include "stacks/tree.h"

enum source_kind { SOURCE_PROFILE, SOURCE_FOLDED, SOURCE_PERF_SCRIPT };

/**
 * struct source_options - what to read, and how
 * @path:	NULL: "kflame.data", or standard input for texts; "-": standard input
 * @event:	of perf script's text, which; NULL where there is only one
 * @no_idle:	leave out the idle tasks
 */
struct source_options {
	const char *path;
	enum source_kind kind;
	struct naming naming;
	const char *event;
	bool no_idle;
	bool kinds;		/* folded stacks: names have suffixes that say what they are */
};

/** struct source - one that is open; .profile is NULL for texts, .status for the exit */
struct source {
	const struct source_options *o;
	struct profile *profile;
	int status;
};

/**
 * source_open() - opens a profile; texts are opened when they are read
 *
 * Return: 0, or a negative errno, after an error message.
 */
int source_open(struct source *s, const struct source_options *o);

/** source_close() - frees what it holds */
void source_close(struct source *s);

/**
 * source_each() - gives out all samples, once
 *
 * Return: 0, or a negative errno, after an error message.
 */
int source_each(struct source *s, sample_fn fn, void *ctx);

/**
 * source_tree() - the call tree of all samples; instead of source_each()
 * @tree:	gets it, not finished; tree_destroy() is the caller's
 *
 * Return: 0, or a negative errno, after an error message.
 */
int source_tree(struct source *s, struct tree **tree);

/** source_title() - Return: what was recorded, "host: command", to be freed; NULL: no memory */
char *source_title(const struct source *s);

#endif
