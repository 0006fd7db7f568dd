/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confinement.h - drop the privileges of a process that parses untrusted input
 *
 * No function here can be undone, so call them in a process of their own: see sandbox.h.  Dropping the
 * capabilities is required.  Changing the user is required, too, or else a filter of system calls.
 * Namespaces, Landlock and seccomp are used if the kernel and the tool's container allow them.
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
 * The new process ids apply to children only.  A user who is not root gets a user namespace, too.
 */
void confinement_spaces(void);

/**
 * confinement_rights() - become an unprivileged user
 * @as:		the user to become if the caller is root; root is replaced by nobody.  A caller that is not
 *		root keeps its user
 * @may:	CONFINEMENT_*
 * @changed:	gets false if the process is still root.  This happens if it lacks the capability to change
 *		its user, as in a container without capabilities
 *
 * This clears all capability sets, sets no_new_privs, makes the process undumpable, and enters a new user
 * namespace.  Without CONFINEMENT_OPEN it also enters a mount namespace with an empty root directory.
 *
 * Return: false if the process may have kept capabilities.  Then it must not go on.
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
