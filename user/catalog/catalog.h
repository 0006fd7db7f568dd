/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog.h - the events that a machine has, as kflame record -e takes them
 */
#ifndef KFLAME_CATALOG_CATALOG_H
#define KFLAME_CATALOG_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_symbols;

/**
 * struct catalog_entry - an event
 * @word:	as -e takes it, such as "kprobe:vfs_read"; only printable ASCII characters
 * @module:	the kernel module that has the function; NULL for none, and for tracepoints
 * @address:	where the function is; 0: hidden by kptr_restrict, and for tracepoints
 */
struct catalog_entry {
	char *word;
	char *module;
	uint64_t address;
};

/** struct catalog - events sorted by their words, each once; all zero is an empty one */
struct catalog {
	struct catalog_entry *all;
	size_t nr, cap;
};

/** catalog_exit() - free the entries */
void catalog_exit(struct catalog *c);

/**
 * catalog_add() - add an event whose word begins with @kind and a colon
 * @kind:	such as "kprobe"
 * @name:	the rest of the word. A name that -e would refuse is left out: a long one, or one with a blank
 * @pattern:	leave words out that do not match, see pattern_matches()
 * @module:	of the entry; may be NULL
 *
 * Return: 0 or -ENOMEM.
 */
int catalog_add(struct catalog *c, const char *kind, const char *name, const char *pattern, const char *module);

/** catalog_sort() - sort the events, and remove duplicates. An event of the kernel is kept, not that of a module. */
void catalog_sort(struct catalog *c);

/** catalog_has() - Return: whether a sorted catalog has an event, such as "kprobe:vfs_read" */
bool catalog_has(const struct catalog *c, const char *word);

/** struct catalog_kind - an event that needs no name; the list ends with one whose .word is NULL */
struct catalog_kind {
	const char *word;
	uint32_t kind;		/* KFLAME_EVENT_* */
	const char *what;	/* what it counts */
	const char *missing;	/* why a kernel or a module may lack it */
};

extern const struct catalog_kind catalog_kinds[];

/**
 * catalog_functions() - list the kernel functions that may be probed
 * @root:	directory that stands for /
 * @k:		the symbols of /proc/kallsyms, which are read if that was not done before
 * @pattern:	only those that match
 *
 * The kernel does not let some functions be probed. They are left out, if it lists them
 * (/sys/kernel/debug/kprobes/blacklist). So are functions that the kernel has freed after it was booted.
 *
 * Return: 0; a negative errno if /proc/kallsyms cannot be read; -ENODATA if it lists no function.
 */
int catalog_functions(const char *root, struct kernel_symbols *k, const char *pattern, struct catalog *c);

/**
 * catalog_tracepoints() - list the tracepoints that kflame can use
 * @tracefs:	where tracefs is, see tracefs.h
 *
 * Tracepoints of modules and of single system calls are left out. So are events that users made of probes.
 * Other parameters: as for catalog_functions().
 *
 * Return: 0; a negative errno if tracefs cannot be read.
 */
int catalog_tracepoints(const char *root, struct kernel_symbols *k, const char *tracefs, const char *pattern,
			struct catalog *c);

/**
 * catalog_calls() - list the system calls of this machine, and "syscall:*" for all of them
 *
 * Parameters: as for catalog_functions(). Return: 0 or -ENOMEM.
 */
int catalog_calls(const char *pattern, struct catalog *c);

/**
 * catalog_fields() - the fields of a tracepoint
 * @word:	such as "tracepoint:sched:sched_switch"
 * @fields:	out: a line for each field, "char prev_comm[16]"; the caller frees it. NULL after an error
 *
 * Return: 0 or a negative errno.
 */
int catalog_fields(const char *root, const char *tracefs, const char *word, char **fields);

#endif
