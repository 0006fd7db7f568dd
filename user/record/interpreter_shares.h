/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interpreter_shares.h - how many interpreters of programs each user's files may describe to the module
 */
#ifndef KFLAME_RECORD_INTERPRETER_SHARES_H
#define KFLAME_RECORD_INTERPRETER_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "uapi/kflame.h"

#define INTERPRETERS_OF_USER	(KFLAME_MAX_INTERPRETERS / 4)

/**
 * struct interpreter_shares - the owners of the files whose interpreters were uploaded; all zero is none
 *
 * The module has room for KFLAME_MAX_INTERPRETERS. Files that a user made to look like interpreters leave room
 * for others. Each upload counts, also of a file that has a second id.
 */
struct interpreter_shares {
	uid_t owners[KFLAME_MAX_INTERPRETERS];
	size_t nr;
};

/** interpreter_shares_room() - Return: whether one more of @owner may be uploaded */
bool interpreter_shares_room(const struct interpreter_shares *s, uid_t owner);

/** interpreter_shares_add() - counts an upload, for which there was room */
void interpreter_shares_add(struct interpreter_shares *s, uid_t owner);

#endif
