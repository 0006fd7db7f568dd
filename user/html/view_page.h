/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_page.h - writes the viewer: a profile as one HTML document
 *
 * The document holds no name of the profile as text: all data are base64. Its Content-Security-Policy permits the
 * viewer's own script by its hash, and no access to a network.
 */
#ifndef KFLAME_HTML_VIEW_PAGE_H
#define KFLAME_HTML_VIEW_PAGE_H

#include <stdio.h>

#include "html/view_data.h"
#include "html/view_load.h"
#include "profile/profile.h"
#include "views/annotate_self.h"

#define VIEW_MAX_TIMES	4000000u	/* samples with a time in a document */
#define VIEW_MOST_SOURCE	64u	/* functions with source lines and instructions in a document */
#define VIEW_LONGEST	(VIEW_EXACT / 2)	/* ns from the first time to the last one, for differences in a browser */

/**
 * struct view_page - what a document shows
 * @d:		the data, after view_data_sort()
 * @title:	first line
 * @line:	description of the recording
 * @accounting:	of the recording, as 'kflame info' prints it; of a comparison, of both; NULL: none
 * @period_ns:	of the timer; 0: not known
 * @timed:	a profile with .timeline sorted, whose samples are written, too; NULL: none
 * @counts:	facts of the counts of @timed
 * @root:	what the page shows before threads at first; VIEW_DIMS: nothing
 * @event:	index in d->events of the event that it shows at first
 * @source:	functions whose source lines and instructions the document has, with spots in the contexts; NULL: none
 */
struct view_page {
	const struct view_data *d;
	const char *title;
	const char *line;
	const char *accounting;
	uint64_t period_ns;
	const struct profile *timed;
	const struct view_counts *counts;
	enum view_dim root;
	uint32_t event;
	struct self_annotations *source;
};

/** view_page_write() - writes the document; the caller checks @out for errors.  Return: 0 or -ENOMEM */
int view_page_write(FILE *out, const struct view_page *page);

#endif
