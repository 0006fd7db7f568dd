/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formats.h - the formats that profiles are converted to, one file each
 *
 * Each function writes all samples of a source.  Sums are exact in @unit, where a format has only
 * one.  Errors of @out are left for the caller to find.
 *
 * Return: 0, or a negative errno, after an error message.
 */
#ifndef KFLAME_CONVERT_FORMATS_H
#define KFLAME_CONVERT_FORMATS_H

#include <stdio.h>

#include "convert/source.h"

/** convert_collapsed() - folded stacks, as 'kflame fold' has them */
int convert_collapsed(FILE *out, struct source *s, enum tree_unit unit);

/** convert_speedscope() - speedscope's own JSON: one sampled profile with weights */
int convert_speedscope(FILE *out, struct source *s, enum tree_unit unit);

/** convert_perf_script() - the text of "perf script": one sample a stack, its period the weight */
int convert_perf_script(FILE *out, struct source *s, enum tree_unit unit);

/** convert_pprof() - gzipped profile.proto; has both units, @unit is the one shown first */
int convert_pprof(FILE *out, struct source *s, enum tree_unit unit);

/** convert_chrome() - trace events: the call tree as nested durations, one after another */
int convert_chrome(FILE *out, struct source *s, enum tree_unit unit);

/** convert_firefox() - the Firefox Profiler's processed format, one thread */
int convert_firefox(FILE *out, struct source *s, enum tree_unit unit);

/**
 * tree_fn - writes a finished call tree
 * @title:	what was recorded
 *
 * Return: 0 or -ENOMEM.
 */
typedef int (*tree_fn)(FILE *out, const struct tree *t, enum tree_unit unit, const char *title,
		       const struct source *s);

/** convert_by_tree() - for formats that are made from the call tree */
int convert_by_tree(FILE *out, struct source *s, enum tree_unit unit, tree_fn write);

/** convert_nothing() - tells that there is nothing to convert in @unit.  Return: -ENODATA */
int convert_nothing(enum tree_unit unit, bool other_unit);

#endif
