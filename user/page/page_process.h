/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_process.h - private to page/: the page of one process
 */
#ifndef KFLAME_PAGE_PAGE_PROCESS_H
#define KFLAME_PAGE_PAGE_PROCESS_H

#include "page/page.h"

/** page_put_process() - writes how it ran, waited for a CPU, slept, and was interrupted */
void page_put_process(FILE *out, const struct page *page);

#endif
