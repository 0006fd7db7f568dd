// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interpreter_shares.c - how many interpreters of programs each user's files may describe to the module
 */
#include "record/interpreter_shares.h"

bool interpreter_shares_room(const struct interpreter_shares *s, uid_t owner)
{
	size_t his = 0;

	for (size_t i = 0; i < s->nr; i++)
		his += s->owners[i] == owner;
	/* Root's files have no share of their own: only the room in the module limits them */
	return s->nr < KFLAME_MAX_INTERPRETERS && (!owner || his < INTERPRETERS_OF_USER);
}

void interpreter_shares_add(struct interpreter_shares *s, uid_t owner)
{
	s->owners[s->nr++] = owner;
}
