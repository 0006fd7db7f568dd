/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_settings.h - settings of the kernel's tracer: saved before they are changed, and restored
 *
 * The settings are files of a directory.  The process that changes them and the process that restores them may be two
 * processes.  The second one is forked from the first one after the settings were saved.  Only the flags of changed
 * settings are in shared memory, so that a setting that was not changed is never written.
 */
#ifndef KFLAME_TRACE_TRACE_SETTINGS_H
#define KFLAME_TRACE_TRACE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum setting_kind - what a file shows, and what must be written to set it to the same value
 * @SETTING_VALUE:	one value
 * @SETTING_CHOICE:	all values, with the current one in brackets
 * @SETTING_LIST:	words, one a line; lines that begin with # and "no pid" stand for an empty list
 */
enum setting_kind {
	SETTING_VALUE,
	SETTING_CHOICE,
	SETTING_LIST,
};

/** struct trace_setting - a file, and what restores it */
struct trace_setting {
	char *file;
	char *text;
};

/**
 * struct trace_settings - the saved settings of a directory; all zero is an empty one
 * @dir:	the directory
 * @instance:	a directory below "instances" of @dir that is removed; NULL: none
 * @changed:	shared memory: [i] for .all[i], and [SETTINGS_MAX] for the instance
 */
struct trace_settings {
	char *dir;
	char *instance;
	struct trace_setting *all;
	size_t nr, cap;
	volatile unsigned char *changed;
};

#define SETTINGS_MAX	64u

/** settings_init() - Return: 0 or -ENOMEM; free @s with settings_exit() in both cases */
int settings_init(struct trace_settings *s, const char *dir);

/**
 * settings_save() - saves the value of a file
 *
 * Call it before the process that restores is forked. A file that does not exist is left out.
 *
 * Return: 0 or a negative errno.
 */
int settings_save(struct trace_settings *s, const char *file, enum setting_kind kind);

/** settings_value() - Return: the saved value of a file; NULL if it was not saved */
const char *settings_value(const struct trace_settings *s, const char *file);

/**
 * settings_set() - changes a file that was saved
 *
 * Return: 0; -ENOENT if the file was not saved; or a negative errno.
 */
int settings_set(struct trace_settings *s, const char *file, const char *text);

/** settings_mark() - the value of a saved file may change from here on, because another file shares it */
void settings_mark(struct trace_settings *s, const char *file);

/** settings_make_instance() - makes the instance.  Return: 0 or a negative errno. */
int settings_make_instance(struct trace_settings *s);

/** settings_remove_instance() - removes the instance, if it was made.  Return: 0 or a negative errno. */
int settings_remove_instance(struct trace_settings *s);

/**
 * settings_restore() - removes the instance, and restores the changed files, the last one that was saved first
 *
 * Return: how many could not be restored; a second call tries those again.
 */
int settings_restore(struct trace_settings *s);

void settings_exit(struct trace_settings *s);

#endif
