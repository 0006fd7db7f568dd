/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h - opens a profile for a command: reads it, looks up names, and cuts it to a time range
 *
 * 'kflame record' may not have looked up the names: the profile may be a copy of the device's output, or
 * the recording was cut short.  Then they are looked up here, if the files are still there.
 */
#ifndef KFLAME_STACKS_OPEN_H
#define KFLAME_STACKS_OPEN_H

#include "elf/source_lookup.h"
#include "profile/profile.h"
#include "stacks/stack_root.h"

/** struct naming - how names are found and shown; all zero is the default */
struct naming {
	enum stack_root root;
	bool has_root;		/* an option chose .root */
	bool mangled;		/* show names as in symbol tables, not demangled */
	bool again;		/* look up the names again, in files that are here */
	const char *symbols;	/* searched for names first, as for binary_open_file(); NULL for none */
	const char *vmlinux;	/* kernel image to search for names; NULL if the user named none */
	bool lines;		/* show functions with their lines */
	enum source_inline inlines;
	struct profile_range range;	/* only samples of this time; fails without sample times */
	const char *store;	/* directory whose profiles are added up, in place of one file; NULL for none */
	const char *where;	/* of .store, see store/where.h; NULL: all */
	bool runs;		/* of .store: keep the minutes apart, as runs */
	uint64_t last_ns;	/* of .store: only so long before now; 0: all */
	bool timeline;		/* keep .timeline; fails without sample times, or if samples have no duration */
	bool times;		/* keep .timeline if the profile has sample times, for lengths of single samples */
	bool cpus;		/* keep the counts of each CPU apart */
	const char *event;	/* name of the event to show; NULL: the timer, or the first one */
	bool wall;		/* show the timer's samples and the waits together: .event is NULL */
	bool wakers;		/* the stack of a wait is followed by that of its waker */
	bool labels;		/* what a stack is about is its innermost frame */
	bool every_event;	/* keep the counts of all events: .event is NULL */
	bool by_cpu;		/* with .timeline, each lane is a CPU, and .root is none */
};

/**
 * open_profile() - reads a profile to its end, looks up names, and reports damage
 * @path:	file name; "-" for standard input; NULL for "kflame.data". Not used with naming->store
 * @naming:	NULL: the default
 *
 * A truncated or damaged profile is read as far as possible, and reported on standard error.
 *
 * Return: the profile, to be freed with profile_destroy(); NULL, after a message, if nothing can be read.
 */
struct profile *open_profile(const char *path, const struct naming *naming);

/**
 * profile_look_up() - looks up the names that 'kflame record' did not, then calls profile_show()
 * @p:		a profile after profile_finish(): a copy of the device's output, or of a recording that was cut short
 *
 * This works only for files that are still here, or in naming.symbols.
 *
 * Return: 0; -ENOMEM; -EINVAL if naming.vmlinux cannot be used, after a message.
 */
int profile_look_up(struct profile *p, const struct naming *naming);

/**
 * profile_show() - prepares the names and root frames that profile_each_stack() needs
 * @p:		a profile after profile_finish()
 *
 * open_profile() calls this.  A second call replaces the result of the first one.
 *
 * Return: 0 or -ENOMEM.
 */
int profile_show(struct profile *p, const struct naming *naming);

#endif
