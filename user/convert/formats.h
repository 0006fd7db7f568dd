/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formats.h - the formats that profiles are converted to; each has one source file
 *
 * Each function writes all samples of a source.  A format with only one weight gets exact sums in @unit. The
 * caller checks @out for errors.
 *
 * Return: 0, or a negative errno, after an error message.
 */
#ifndef KFLAME_CONVERT_FORMATS_H
#define KFLAME_CONVERT_FORMATS_H

#include <stdio.h>

#include "convert/source.h"

/** convert_collapsed() - writes folded stacks, as 'kflame fold' does */
int convert_collapsed(FILE *out, struct source *s, enum tree_unit unit);

/** convert_speedscope() - writes speedscope's own JSON: a sampled profile of all threads, and one for each */
int convert_speedscope(FILE *out, struct source *s, enum tree_unit unit);

/**
 * convert_perf_script() - writes text as "perf script" does: each sample, or without sample times one for each
 * stack, with the weight as period
 */
int convert_perf_script(FILE *out, struct source *s, enum tree_unit unit);

/** convert_pprof() - writes gzipped profile.proto; it has both units, and @unit is shown first */
int convert_pprof(FILE *out, struct source *s, enum tree_unit unit);

/**
 * convert_chrome() - writes trace events: with sample times, what each thread ran when; else the call tree as nested
 * durations, one after another
 */
int convert_chrome(FILE *out, struct source *s, enum tree_unit unit);

/** convert_firefox() - writes the Firefox Profiler's processed format: all threads as one, and each thread */
int convert_firefox(FILE *out, struct source *s, enum tree_unit unit);

/**
 * tree_fn - writes a finished call tree
 * @title:	describes the recording
 *
 * Return: 0 or -ENOMEM.
 */
typedef int (*tree_fn)(FILE *out, const struct tree *t, enum tree_unit unit, const char *title,
		       struct source *s);

/** convert_by_tree() - makes the call tree, for formats that are written from it */
int convert_by_tree(FILE *out, struct source *s, enum tree_unit unit, tree_fn write);

/** convert_by_threads() - convert_by_tree(), with the tree of threads.h */
int convert_by_threads(FILE *out, struct source *s, enum tree_unit unit, tree_fn write);

/** convert_nothing() - reports that no sample has a weight in @unit.  Return: -ENODATA */
int convert_nothing(enum tree_unit unit, bool other_unit);

#endif
