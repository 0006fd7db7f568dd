/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changes.h - what changed since an earlier profile, as kflame diff computes it
 */
#ifndef KFLAME_PAGE_CHANGES_H
#define KFLAME_PAGE_CHANGES_H

#include "page/page.h"

/** changes_make() - fills in .changes of a page whose events were gathered.  Return: 0; a negative errno, after a message */
int changes_make(struct page *page);

/** changes_exit() - frees the contents of @c */
void changes_exit(struct page_changes *c);

#endif
