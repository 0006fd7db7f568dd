/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named_output.h - an output with names of functions
 *
 * Code of the kernel without a name has its address as the name.  Whoever knows one address of the kernel knows where
 * all of its code is, although the kernel hides that.
 */
#ifndef KFLAME_CMD_NAMED_OUTPUT_H
#define KFLAME_CMD_NAMED_OUTPUT_H

#include "base/atomic_file.h"
#include "profile/profile.h"
#include "stacks/stacks.h"

/** frames_have_addresses() - Return: whether the name of a frame is an address of the kernel */
bool frames_have_addresses(const struct frame *frames, size_t nr);

/** profile_has_addresses() - as frames_have_addresses(), for all stacks of a profile */
bool profile_has_addresses(const struct profile *p);

/**
 * named_output_open() - output_open(), or output_open_private() if names are addresses of the kernel
 *
 * For a private file, this reports on standard error that only its owner may read it.
 */
int named_output_open(struct output *out, const char *path, const char *by_default, bool has_addresses);

/** secret_output_open() - output_open_private() and the same report.  @secret: what the file has: "source code" */
int secret_output_open(struct output *out, const char *path, const char *by_default, const char *secret);

#endif
