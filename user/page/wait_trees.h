/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_trees.h - call trees of waits, apart by what they waited for
 */
#ifndef KFLAME_PAGE_WAIT_TREES_H
#define KFLAME_PAGE_WAIT_TREES_H

#include "page/page.h"

/** enum wait_tree - struct page.states: without waits for locks, which have a table of their own */
enum wait_tree {
	WAIT_TREE_IO,
	WAIT_TREE_D,
	WAIT_TREE_STOPPED,
};

/** wait_trees_make() - makes the trees of @page of the shown event, KFLAME_EVENT_* @kind.  Return: 0 or a negative errno */
int wait_trees_make(struct page *page, uint32_t kind);

/** wait_trees_exit() - frees them */
void wait_trees_exit(struct page *page);

#endif
