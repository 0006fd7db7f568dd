/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - /dev/kflame: the only place of the tool that knows its ioctls
 */
#ifndef KFLAME_DEVICE_DEVICE_H
#define KFLAME_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/**
 * device_probe() - opens the device and asks what there is, in silence
 * @info:	what the module says of itself, its interface not looked at
 * @opened:	whether it could be opened: an error is then that of asking
 *
 * Return: a descriptor or a negative errno.
 */
int device_probe(const char *path, struct kflame_info *info, bool *opened);

/**
 * device_open() - opens the device and sees that the module speaks our language
 * @path:	its path
 * @info:	what the module says of itself
 *
 * Return: a descriptor; -1, after an error message that says what to do.
 */
int device_open(const char *path, struct kflame_info *info);

/**
 * device_configure() - fixes what the session samples
 * @config:	asked for; gets what will be used
 *
 * Return: 0; -1, after an error message that says what to do.
 */
int device_configure(int fd, const struct kflame_info *info, struct kflame_config *config);

/**
 * device_memory() - what a recording of all CPUs at that rate would take
 * @bytes:	of kernel memory; nothing is taken
 *
 * It configures the session of @fd, in silence: there is no other after it.
 *
 * Return: 0, -ENOMEM where the cap does not allow it, or another negative errno.
 */
int device_memory(int fd, uint64_t period_ns, uint64_t *bytes);

/** device_start() - Return: 0; -1, after an error message. */
int device_start(int fd);

/** device_stop() - Return: 0 or a negative errno. */
int device_stop(int fd);

/** device_stats() - the counters of all CPUs together.  Return: 0 or a negative errno. */
int device_stats(int fd, struct kflame_stats *stats);

/**
 * device_file() - a mapped file that the module holds for us
 * @id:		kflame_rec_file.id
 *
 * Once for each file, and soon after it was reported.
 *
 * Return: a descriptor of the caller's, or a negative errno.
 */
int device_file(int fd, uint64_t id);

/** device_table() - gives the module a file's unwind table.  Return: 0 or a negative errno. */
int device_table(int fd, const struct kflame_table *table);

/**
 * device_cgroup() - samples another control group in place of one; after CONFIGURE
 * @index:	which of kflame_config.cgroups is replaced
 * @cgroup:	descriptor of the new one's directory
 *
 * Return: 0 or a negative errno.
 */
int device_cgroup(int fd, uint32_t index, int cgroup);

/**
 * device_number() - the number of a file, which may not have been met yet; after START
 * @address:	where this process has it mapped
 * @id:		gets kflame_rec_file.id
 *
 * Return: 0 or a negative errno.
 */
int device_number(int fd, const void *address, uint64_t *id);

/**
 * device_ksym() - the kernel's own name of an address
 * @name:	gets "name" or "name [module]"
 * @start:	gets the function's first address
 * @end:	gets one past its last
 *
 * Return: 0; -ENOENT where the kernel has no name for it, or another errno.
 */
int device_ksym(int fd, uint64_t address, char *name, size_t room, uint64_t *start,
		uint64_t *end);

/**
 * ksym_parse() - takes "name+0x1a/0x2f0 [module]" apart
 *
 * As device_ksym(), without asking.
 */
int ksym_parse(const char *text, uint64_t address, char *name, size_t room, uint64_t *start,
	       uint64_t *end);

#endif
