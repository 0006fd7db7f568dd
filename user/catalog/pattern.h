/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h - which events a user asked for
 */
#ifndef KFLAME_CATALOG_PATTERN_H
#define KFLAME_CATALOG_PATTERN_H

#include <stdbool.h>

/**
 * pattern_matches() - does a pattern match the word of an event, such as "tracepoint:sched:sched_switch"?
 * @pattern:	NULL matches all words
 *
 * A pattern with a colon is matched with the word, one without with its name: what is behind the last colon.
 * A pattern with one of *?[ is a shell pattern of the whole. Another one is a part of it.
 */
bool pattern_matches(const char *pattern, const char *word);

/** pattern_is_shell() - is it a shell pattern? */
bool pattern_is_shell(const char *pattern);

/** pattern_may_match() - can a pattern match words that begin with @kind and a colon? */
bool pattern_may_match(const char *pattern, const char *kind);

#endif
