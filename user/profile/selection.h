/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selection.h - shows the events of a profile one after the other
 *
 * profile_use_event() drops the counts of all other events.  A selection keeps them, so that a command can make
 * several views of one profile.
 */
#ifndef KFLAME_PROFILE_SELECTION_H
#define KFLAME_PROFILE_SELECTION_H

#include "profile/profile.h"

struct selection;

/**
 * selection_begin() - keeps all counts
 * @p:		a profile after profile_finish() that shows no event yet, and has no .timeline
 *
 * Return: to be freed with selection_end(); NULL if memory is short.
 */
struct selection *selection_begin(struct profile *p);

/**
 * selection_show() - as profile_use_event(), for one event, as often as needed
 * @event:	index in .events
 *
 * Views of events that were shown earlier stay valid until selection_end(), with their pointers to counts.
 *
 * Return: 0 or -ENOMEM.
 */
int selection_show(struct selection *s, size_t event);

/** selection_only_process() - drops the counts of all processes but @tgid from the shown event, and all idle time */
void selection_only_process(struct selection *s, uint32_t tgid);

/** selection_keep() - drops the counts of the shown event that are false in @keep, which has a bool for each */
void selection_keep(struct selection *s, const bool *keep);

/** selection_end() - gives the profile all its counts back, and frees @s.  Does nothing for NULL */
void selection_end(struct selection *s);

#endif
