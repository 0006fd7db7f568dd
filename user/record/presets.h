/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * presets.h - events for a purpose, so that a user need not know functions of the kernel
 */
#ifndef KFLAME_RECORD_PRESETS_H
#define KFLAME_RECORD_PRESETS_H

#include "record/options.h"

/**
 * preset_add() - adds the events of a preset
 * @name:	such as "file-io"; there must be such a preset
 * @word:	chooses some of them, such as "read", or the name of a system call; NULL: all
 *
 * Without --weight, returns of functions weigh what they returned, system calls weigh their time, and allocations
 * their bytes.
 *
 * Return: 0; -EINVAL if the preset has no such word; else as parse_events().
 */
int preset_add(struct record_options *o, const char *name, const char *word);

/** struct preset_text - a preset as 'kflame list' shows it; the list ends with one whose .option is NULL */
struct preset_text {
	const char *option;	/* such as "--file-io[=read|write]" */
	const char *what;	/* what it records */
	const char *events;	/* those that the kernel must have, with commas between them */
};

extern const struct preset_text preset_texts[];

/** preset_leave_out_missing() - leaves out events that presets have only where the kernel has them */
void preset_leave_out_missing(struct record_options *o);

/** preset_words() - the words of a preset that has some, for a message: "read and write" */
const char *preset_words(const char *name);

#endif
