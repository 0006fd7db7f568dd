// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_calls.c - names and numbers of this machine's system calls, by libseccomp
 *
 * A call that is newer than libseccomp has no name there.  It can be named by its number.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system_calls.h"
#include "uapi/kflame.h"

long system_call_number(const char *name)
{
	unsigned long number;
	char *end;
	int nr;

	if (isdigit((unsigned char)*name)) {
		errno = 0;
		number = strtoul(name, &end, 10);
		return errno || *end || number > KFLAME_MAX_SYSCALL ? -1 : (long)number;
	}
	/* A negative number stands for a call that other architectures have. */
	nr = seccomp_syscall_resolve_name(name);
	return nr < 0 || nr > KFLAME_MAX_SYSCALL ? -1 : nr;
}

char *system_call_name(uint32_t nr)
{
	return nr > KFLAME_MAX_SYSCALL ? NULL : seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)nr);
}

const char *system_call_frame(uint64_t address, char *buf, size_t size)
{
	const uint64_t nr = address - KFLAME_SYSCALL_FRAME;
	char *name;

	if (nr > KFLAME_MAX_SYSCALL)
		return NULL;
	name = system_call_name((uint32_t)nr);
	if (name)
		snprintf(buf, size, "sys_%s", name);
	else
		snprintf(buf, size, "sys_%" PRIu64, nr);
	free(name);
	return buf;
}
