/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/mm.h>

#include "compat/features.h"

/* Since 5.0 ("mm: convert totalram_pages and totalhigh_pages variables to atomic") */
#ifndef KF_HAVE_TOTALRAM_PAGES_FUNCTION
#define totalram_pages()	totalram_pages
#endif
