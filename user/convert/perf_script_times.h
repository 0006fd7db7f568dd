/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_script_times.h - the text of perf script with the time and the CPU of each sample
 */
#ifndef KFLAME_CONVERT_PERF_SCRIPT_TIMES_H
#define KFLAME_CONVERT_PERF_SCRIPT_TIMES_H

#include <stdio.h>

#include "convert/source.h"

/** perf_script_write_times() - writes all samples in order of time.  Return: as convert_perf_script() */
int perf_script_write_times(FILE *out, struct source *s, enum tree_unit unit);

/** perf_script_put_thread() - writes the thread of a sample.  Return: 0 or -ENOMEM */
int perf_script_put_thread(FILE *out, const struct sample *s);

/** perf_script_put_event() - writes the rest of the first line of a sample */
void perf_script_put_event(FILE *out, uint32_t cpu, uint64_t ns, uint64_t weight, enum tree_unit unit);

/** perf_script_put_stack() - writes the other lines of a sample.  Return: 0 or -ENOMEM */
int perf_script_put_stack(FILE *out, const struct sample *s);

#endif
