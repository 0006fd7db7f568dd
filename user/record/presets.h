/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * presets.h - events for a purpose, so that a user need not know functions of the kernel
 */
#ifndef KFLAME_RECORD_PRESETS_H
#define KFLAME_RECORD_PRESETS_H

#include "record/options.h"

#define PRESET_PARTS	4	/* most parts of a preset */

/* struct preset_part.flags */
#define PRESET_OPTIONAL	1u	/* left out if this kernel does not have the events */
#define PRESET_BY_WORD	2u	/* recorded only if its word is given */

/**
 * struct preset_part - events that a word of a preset chooses; without a word, all parts are recorded
 * @word:	NULL: none chooses it
 * @events:	with commas between them
 * @weight:	KFLAME_WEIGHT_*, without --weight
 * @field:	by which hits weigh; NULL: none
 * @flags:	PRESET_*
 */
struct preset_part {
	const char *word;
	const char *events;
	uint32_t weight;
	const char *field;
	unsigned int flags;
};

/**
 * struct preset - events for a purpose
 * @name:	of the option, such as "file-io"
 * @what:	what it records
 * @list:	instead of a word the option takes names of system calls, which the help calls so; else NULL
 * @parts:	those that are used come first
 */
struct preset {
	const char *name;
	const char *what;
	const char *list;
	struct preset_part parts[PRESET_PARTS];
};

/* The list ends with a preset whose .name is NULL. */
extern const struct preset presets[];

/** preset_option() - writes the option, such as "--file-io[=read|write|sync]" */
void preset_option(const struct preset *p, char *text, size_t size);

/**
 * preset_add() - adds the events of a preset
 * @name:	there must be such a preset
 * @word:	of a part, or names of system calls; NULL: all parts
 *
 * Return: 0; -EINVAL if the preset has no such word; else as parse_events().
 */
int preset_add(struct record_options *o, const char *name, const char *word);

/** preset_leave_out_missing() - leaves out events that presets have only where the kernel has them */
void preset_leave_out_missing(struct record_options *o);

/** preset_words() - writes the words of a preset that has some, for a message: "read and write" */
void preset_words(const char *name, char *text, size_t size);

#endif
