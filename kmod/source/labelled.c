// SPDX-License-Identifier: GPL-2.0-only
/*
 * labelled.c - functions whose calls have labels, see source/labelled.h
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "source/file_label.h"
#include "source/labelled.h"

static const struct kf_labelled functions[] = {
	{ "vfs_read", 0, kf_file_label },
	{ "vfs_write", 0, kf_file_label },
	{ "vfs_fsync_range", 0, kf_file_label },
};

/* Return: NULL if calls of the function have no labels */
const struct kf_labelled *kf_labelled(const char *function)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(functions[i].function, function))
			return &functions[i];
	return NULL;
}

bool kf_is_labelled(const char *function)
{
	return kf_labelled(function);
}
