/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_list.h - the kernel functions that an event such as "kprobe:vfs_*" or "kretprobe:vfs_*" means
 */
#ifndef KFLAME_RECORD_FUNCTION_LIST_H
#define KFLAME_RECORD_FUNCTION_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "uapi/kflame.h"

/**
 * struct function_list - functions of an event; all zero is an empty list
 * @all:	the functions, sorted by name
 * @names:	the names, with a NUL behind each, as the module takes them
 * @addresses:	where they are
 * @errors:	the module's answer: why a function is left out
 */
struct function_list {
	struct catalog all;
	char *names;
	uint64_t *addresses;
	int32_t *errors;
};

/**
 * function_list_open() - finds the functions, and lists the first of them on standard error
 * @root:	directory that stands for /
 * @event:	the event's name
 * @list:	for function_list_close()
 * @to:		gets the list, which must exist until the session is configured
 *
 * Return: 0; -1 after a message, also if more than KFLAME_MAX_FUNCTIONS match.
 */
int function_list_open(const char *root, const char *event, struct function_list *list, struct kflame_event *to);

/** function_list_tell_left() - after the session was configured: says which functions were left out, and why */
void function_list_tell_left(const struct function_list *list, const char *event);

/** function_list_close() - frees the list */
void function_list_close(struct function_list *list);

#endif
