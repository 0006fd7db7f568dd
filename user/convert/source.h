/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - the input of a conversion: a profile, folded stacks, or text of perf script
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
 * @event:	the event to read from text of perf script; NULL if there is only one
 * @no_idle:	leave out the idle tasks
 */
struct source_options {
	const char *path;
	enum source_kind kind;
	struct naming naming;
	const char *event;
	bool no_idle;
	bool kinds;		/* folded stacks: suffixes of names show the kind of frame */
};

/** struct source - an open input; .profile is NULL for texts, .status is for the exit status */
struct source {
	const struct source_options *o;
	struct profile *profile;
	int status;
};

/**
 * source_open() - opens a profile; a text is opened only when it is read
 *
 * Return: 0, or a negative errno, after an error message.
 */
int source_open(struct source *s, const struct source_options *o);

/** source_close() - frees the contents of @s */
void source_close(struct source *s);

/**
 * source_each() - passes all samples to a callback; can be called once
 *
 * Return: 0, or a negative errno, after an error message.
 */
int source_each(struct source *s, sample_fn fn, void *ctx);

/**
 * source_tree() - makes the call tree of all samples; use it instead of source_each()
 * @tree:	out: a tree that is not finished; the caller calls tree_destroy()
 *
 * Return: 0, or a negative errno, after an error message.
 */
int source_tree(struct source *s, struct tree **tree);

/** source_title() - Return: description of the recording, "host: command", to be freed; NULL: no memory */
char *source_title(const struct source *s);

#endif
