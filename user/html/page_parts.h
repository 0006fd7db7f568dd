/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_parts.h - the parts of a viewer's document; private to html/
 *
 * Each function appends to a blob, whose .err is set if memory runs out. decode.js reads what they append; main.js
 * reads the first picture.
 */
#ifndef KFLAME_HTML_PAGE_PARTS_H
#define KFLAME_HTML_PAGE_PARTS_H

#include "html/blob.h"
#include "html/view_page.h"

/** page_meta() - all texts but for the names of functions, as JSON */
void page_meta(struct blob *b, const struct view_page *page);

/** page_paths() - functions, paths, facts and contexts */
void page_paths(struct blob *b, const struct view_page *page);

/**
 * page_period() - the time of the timer that weights are written as a difference to
 *
 * A browser has exact integers up to 2^53.  If a difference could be larger, the period is 0: weights are written whole.
 */
uint64_t page_period(const struct view_page *page);

/** page_first() - a pruned picture of at most 95 kB.  Return: 0 or -ENOMEM */
int page_first(struct blob *b, const struct view_page *page);

/** page_each_n() - Return: n, where the document has one of n samples with a time */
uint32_t page_each_n(const struct view_page *page);

/** page_nr_chunks() - Return: number of chunks of samples with a time; 0: there are none */
size_t page_nr_chunks(const struct view_page *page);

/** page_chunk() - one chunk of samples with a time */
void page_chunk(struct blob *b, const struct view_page *page, size_t chunk);

/** page_source() - source lines and instructions, as JSON; only with page->source */
void page_source(struct blob *b, const struct view_page *page);

/** page_is_in_weight() - Return: whether the page shows weights of its event at first, not samples */
bool page_is_in_weight(const struct view_page *page);

#endif
