/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lengths.h - how long events took: a table of percentiles, and histograms
 *
 * They are of the whole recording, and of all tasks: neither a range nor a filter changes them.
 */
#ifndef KFLAME_VIEWS_LENGTHS_H
#define KFLAME_VIEWS_LENGTHS_H

#include <stdio.h>

#include "base/json.h"
#include "profile/profile.h"

/** lengths_put_table() - write a table: a row for each group of an event that has lengths; nothing without any */
void lengths_put_table(FILE *out, const struct profile *p);

/**
 * lengths_put_histograms() - draw a histogram for each row of the table, with a bar for each power of two
 * @chosen:	only events that the view shows, see profile_use_event()
 *
 * Events without lengths are named, with the reason.
 */
void lengths_put_histograms(FILE *out, const struct profile *p, bool chosen);

/** lengths_json() - add "lengths": a list of the rows, with their buckets */
void lengths_json(struct json *j, const struct profile *p);

#endif
