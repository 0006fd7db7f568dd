/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_text.h - private to page/: parts of the page as text
 */
#ifndef KFLAME_PAGE_PAGE_TEXT_H
#define KFLAME_PAGE_PAGE_TEXT_H

#include "page/page.h"

/** page_put_paths() - writes a list of paths; nothing if it is empty */
void page_put_paths(FILE *out, const char *heading, const struct heavy_paths *h);

#endif
