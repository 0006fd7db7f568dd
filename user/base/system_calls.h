/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_calls.h - names and numbers of this machine's system calls
 */
#ifndef KFLAME_BASE_SYSTEM_CALLS_H
#define KFLAME_BASE_SYSTEM_CALLS_H

#include <stddef.h>
#include <stdint.h>

/** system_call_number() - the number of a call.  @name: such as "read", or a number.  Return: -1 if there is none */
long system_call_number(const char *name);

/** system_call_name() - the name of a call, such as "read".  Return: to be freed; NULL if it is not known */
char *system_call_name(uint32_t nr);

/**
 * system_call_frame() - the name of the frame that stands for a call in kernel stacks, such as "sys_read"
 * @address:	any kernel address
 * @buf:	for the name
 *
 * Return: @buf; NULL if the address stands for no call.
 */
const char *system_call_frame(uint64_t address, char *buf, size_t size);

#endif
