// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * named_output.c - hides addresses of the kernel from other users
 */
#include <string.h>

#include "base/message.h"
#include "cmd/named_output.h"

bool frames_have_addresses(const struct frame *frames, size_t nr)
{
	static const char unnamed[] = "[kernel 0x";	/* see names_kernel() */

	for (size_t i = 0; i < nr; i++)
		if (!strncmp(frames[i].name, unnamed, strlen(unnamed)))
			return true;
	return false;
}

/* A stack_fn.  Return: 1 ends the walk */
static int find_address(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	(void)ctx;
	(void)samples;
	(void)ns;
	return frames_have_addresses(frames, nr);
}

bool profile_has_addresses(const struct profile *p)
{
	return profile_each_stack(p, find_address, NULL) != 0;
}

int named_output_open(struct output *out, const char *path, const char *by_default, bool has_addresses)
{
	if (!has_addresses)
		return output_open(out, path, by_default);
	return secret_output_open(out, path, by_default, "kernel addresses");
}

int secret_output_open(struct output *out, const char *path, const char *by_default, const char *secret)
{
	const char *name = path ? path : by_default;
	int err = output_open_private(out, path, by_default, false);

	if (!err && name && strcmp(name, "-") && !out->at_once)
		complain("%s has %s, so only its owner may read it", name, secret);
	return err;
}
