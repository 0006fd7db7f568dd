/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runq.h - how long threads waited for a CPU, after they were woken or preempted
 */
#ifndef KFLAME_VIEWS_RUNQ_H
#define KFLAME_VIEWS_RUNQ_H

#include "views/wait_table.h"

/**
 * runq_make() - makes the table
 * @p:		a profile of waits, or of all time
 * @by:		what a row is; STACK_ROOT_NONE: threads of one name.  A wait is of the CPU on which it ended
 *
 * Return: as wait_table_make().
 */
int runq_make(struct wait_table *t, const struct profile *p, struct filter *filter, enum stack_root by);

#endif
