/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confinement.h - drop the privileges of a process that parses untrusted input
 *
 * Nothing here can be undone, so call it in a process of its own: see sandbox.h.  The drop of
 * capabilities is required.  So is the change of user, or a filter of system calls in its place.  Namespaces,
 * Landlock and seccomp are used where the kernel and the container that the tool runs in allow it.
 */
#ifndef KFLAME_SANDBOX_CONFINEMENT_H
#define KFLAME_SANDBOX_CONFINEMENT_H

#include <stdbool.h>

#include "base/rights.h"

enum {
	CONFINEMENT_OPEN = 1 << 0,	/* may open files for reading, with its user's rights */
	CONFINEMENT_TALK = 1 << 1,	/* may send and receive over sockets that are open already */
};

/**
 * confinement_spaces() - enter new network, IPC and process id namespaces
 *
 * Affects the process ids of children only.  A user who is not root gets a user namespace, too.
 */
void confinement_spaces(void);

/**
 * confinement_rights() - become an unprivileged user
 * @as:		the user to become, if the caller is root; nobody in place of root.  A caller that is
 *		not root stays the same user
 * @may:	CONFINEMENT_*
 * @changed:	gets false if the caller is root and still is: it has no capability to change its user, as in
 *		a container without capabilities
 *
 * Clears all capability sets, sets no_new_privs, and makes the process undumpable.  Enters a new user
 * namespace.  Without CONFINEMENT_OPEN it also enters a mount namespace with an empty root directory.
 *
 * Return: false if the process may have kept capabilities: it must not go on.
 */
bool confinement_rights(struct rights as, unsigned int may, bool *changed);

/**
 * confinement_calls() - forbid all system calls that parsing does not need
 *
 * Forbidden calls fail with EPERM.
 *
 * Return: false if the kernel or the container does not allow filters.
 */
bool confinement_calls(unsigned int may);

#endif
