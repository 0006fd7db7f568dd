/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - which profiles a target has, kept on disk beside them
 *
 * So a profile is not sent again after a restart.  A line is on disk before the next profile is sent.
 */
#ifndef KFLAME_AGENT_JOURNAL_H
#define KFLAME_AGENT_JOURNAL_H

#include <stdbool.h>

#include "agent/config.h"
#include "agent/spool.h"
#include "base/intern.h"

/** struct journal - the ids of profiles that need not be sent any more */
struct journal {
	int fd;
	struct intern ids;
};

/**
 * journal_open() - reads the journal of a target, without profiles that are not in the spool directory any more
 * @dir:	the spool directory
 *
 * Return: 0; -1 after a message.
 */
int journal_open(struct journal *j, int dir, const struct send_target *target, const struct spool_files *files);

/** journal_has() - Return: whether the target has that profile, or refused it for good */
bool journal_has(const struct journal *j, const char *id, size_t len);

/** journal_add() - the target has that profile now.  Return: 0 or a negative errno */
int journal_add(struct journal *j, const char *id, size_t len);

/** journal_close() - frees it */
void journal_close(struct journal *j);

#endif
