/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - /dev/kflame: the only part of the tool that knows its ioctls
 */
#ifndef KFLAME_DEVICE_DEVICE_H
#define KFLAME_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/**
 * device_probe() - open the device and ask for its properties, without error messages
 * @info:	gets the module's answer; its interface version is not checked
 * @opened:	gets whether the device could be opened; an error is then from the question
 *
 * Return: a descriptor or a negative errno.
 */
int device_probe(const char *path, struct kflame_info *info, bool *opened);

/**
 * device_open() - open the device and check that the module has this tool's interface version
 * @path:	path of the device
 * @info:	gets the module's answer
 *
 * Return: a descriptor; -1 after an error message that says what to do.
 */
int device_open(const char *path, struct kflame_info *info);

/**
 * device_configure() - configure what the session samples
 * @config:	the request; gets the configuration in use
 *
 * Return: 0; -1 after an error message that says what to do.
 */
int device_configure(int fd, const struct kflame_info *info, struct kflame_config *config);

/**
 * device_memory() - how much kernel memory a recording of all CPUs at a rate would take
 * @bytes:	gets the bytes; the module allocates none of them
 *
 * This configures the session of @fd, which cannot be configured again.  It prints no error message.
 *
 * Return: 0; -ENOMEM if the memory cap does not allow it; or another negative errno.
 */
int device_memory(int fd, uint64_t period_ns, uint64_t *bytes);

/** device_start() - start the session.  Return: 0; -1 after an error message. */
int device_start(int fd);

/** device_stop() - stop the session.  Return: 0 or a negative errno. */
int device_stop(int fd);

/**
 * device_stats() - get the counters, and the accounting of an event, as the sum of all CPUs
 * @event:	id of the event; 0: the timer
 *
 * Return: 0 or a negative errno.
 */
int device_stats(int fd, uint32_t event, struct kflame_stats *stats);

/** device_cpu_stats() - as device_stats(), with the accounting of one CPU; -ENODEV if the CPU cannot exist */
int device_cpu_stats(int fd, uint32_t cpu, uint32_t event, struct kflame_stats *stats);

/**
 * device_file() - get a mapped file that the module holds open for the tool
 * @id:		kflame_rec_file.id
 *
 * This works once for each file.  Call it soon after the file was reported.
 *
 * Return: a descriptor that the caller closes; or a negative errno.
 */
int device_file(int fd, uint64_t id);

/**
 * device_recorder() - ask the flight recorder of the module, or change it
 *
 * Return: 0 or a negative errno.
 */
int device_recorder(int fd, struct kflame_recorder *request);

/** device_table() - upload the unwind table of a file to the module.  Return: 0 or a negative errno. */
int device_table(int fd, const struct kflame_table *table);

/** device_interpreter() - upload the description of an interpreter.  Return: 0 or a negative errno. */
int device_interpreter(int fd, const struct kflame_interpreter *interpreter);

/**
 * device_cgroup() - replace a control group of the session by another one; call it after device_configure()
 * @index:	index in kflame_config.cgroups of the control group to replace
 * @cgroup:	descriptor of the new control group's directory
 *
 * Return: 0 or a negative errno.
 */
int device_cgroup(int fd, uint32_t index, int cgroup);

/**
 * device_number() - get the id of a mapped file, which may not have been sampled yet
 * @address:	address at which this process has mapped the file
 * @id:		gets kflame_rec_file.id
 *
 * Call it after device_start().
 *
 * Return: 0 or a negative errno.
 */
int device_number(int fd, const void *address, uint64_t *id);

/**
 * device_ksym() - get the kernel's symbol for an address
 * @name:	gets "name" or "name [module]"
 * @start:	gets the function's first address
 * @end:	gets the address after the function's last one
 *
 * Return: 0; -ENOENT if the kernel has no symbol for the address; or another negative errno.
 */
int device_ksym(int fd, uint64_t address, char *name, size_t room, uint64_t *start,
		uint64_t *end);

/**
 * ksym_parse() - parse "name+0x1a/0x2f0 [module]"
 *
 * This is the part of device_ksym() that needs no device.
 */
int ksym_parse(const char *text, uint64_t address, char *name, size_t room, uint64_t *start,
	       uint64_t *end);

#endif
