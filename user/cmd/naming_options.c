// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * naming_options.c - options of every view: how to find and show names
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/naming_options.h"
#include "cmd/range_options.h"
#include "elf/source_lookup.h"
#include "profile/profile.h"
#include "stacks/open.h"

enum { OPT_NO_DEMANGLE = 0x1000, OPT_RESYMBOLIZE, OPT_ROOT, OPT_INLINE, OPT_NO_INLINE,
	OPT_LINES, OPT_SYMBOLS, OPT_VMLINUX, OPT_EVENT, OPT_WAKERS, OPT_LABELS, OPT_STORE, OPT_WHERE, OPT_LAST };

/* Apart: a summary has no root */
static const struct argp_option root_option[] = {
	{ "root", OPT_ROOT, "WHAT", 0, "Root: cgroup, container, cpu, event, label, pid, tid, state, waker, host, run", 0 },
	{ 0 }
};

/* Apart, too: it is of one recording */
static const struct argp_option store_options[] = {
	{ "store", OPT_STORE, "DIR", OPTION_HIDDEN, "Add up profiles in a spool directory", 0 },
	{ "where", OPT_WHERE, "TEST", OPTION_HIDDEN, "Of the store, only these, such as 'host like \"web%\"'", 0 },
	{ "last", OPT_LAST, "TIME", OPTION_HIDDEN, "Of the store, only the last TIME, such as 1h", 0 },
	{ 0 }
};

static const struct argp_option option_list[] = {
	{ "no-demangle", OPT_NO_DEMANGLE, NULL, OPTION_HIDDEN, "Names as symbol tables have them", 0 },
	{ "resymbolize", OPT_RESYMBOLIZE, NULL, OPTION_HIDDEN,
	  "Look up names again, in files that are here now", 0 },
	{ "symbols", OPT_SYMBOLS, "DIR", OPTION_HIDDEN, "Unpacked archive, or copy of the root, to look in first", 0 },
	{ "vmlinux", OPT_VMLINUX, "FILE", OPTION_HIDDEN,
	  "Image of the kernel, for names and inlined functions", 0 },
	{ "inline", OPT_INLINE, NULL, OPTION_HIDDEN,
	  "Look up inlined functions in very large debug data, too", 0 },
	{ "no-inline", OPT_NO_INLINE, NULL, OPTION_HIDDEN, "Leave out inlined functions", 0 },
	{ "lines", OPT_LINES, NULL, OPTION_HIDDEN, "Functions with source file and line, where known", 0 },
	{ "event", OPT_EVENT, "NAME", 0, "Show this event, or these (record -e)", 0 },
	{ "wakers", OPT_WAKERS, NULL, OPTION_HIDDEN, "Add to each wait the stack of its waker", 0 },
	{ "labels", OPT_LABELS, NULL, OPTION_HIDDEN, "Add to each stack the file that it is about (record --file-io)", 0 },
	{ 0 }
};

static error_t parse_root(struct naming *n, const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[STACK_ROOT_NONE] = "comm",	/* the default */
		[STACK_ROOT_CGROUP] = "cgroup", [STACK_ROOT_CONTAINER] = "container",
		[STACK_ROOT_PID] = "pid", [STACK_ROOT_TID] = "tid",
		[STACK_ROOT_HOST] = "host", [STACK_ROOT_RUN] = "run",
		[STACK_ROOT_CPU] = "cpu", [STACK_ROOT_STATE] = "state",
		[STACK_ROOT_WAKER] = "waker", [STACK_ROOT_EVENT] = "event", [STACK_ROOT_LABEL] = "label",
	};

	/* Most labels are files. */
	if (!strcmp(arg, "file"))
		arg = words[STACK_ROOT_LABEL];
	for (size_t i = STACK_ROOT_NONE; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(arg, words[i])) {
			n->root = (enum stack_root)i;
			n->has_root = true;
			return 0;
		}
	argp_error(state, "--root is comm, cgroup, container, cpu, event, label, pid, tid, state, waker, host or run, not '%s'",
		   arg);
	return EINVAL;
}

void naming_use_wall(struct naming *n)
{
	n->wall = true;
	if (!n->has_root)
		n->root = STACK_ROOT_STATE;
}

static bool has_directory(const char *dir, const char *name)
{
	struct stat st;
	char *path;
	bool has;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	has = !stat(path, &st) && S_ISDIR(st.st_mode);
	free(path);
	return has;
}

/* Is it an unpacked archive, or a copy of a root file system? A mistyped directory would find no names. */
static bool has_symbols(const char *dir)
{
	static const char *const names[] = { ".build-id", "files", "usr", "lib", "bin", "sbin", "opt" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (has_directory(dir, names[i]))
			return true;
	return false;
}

void naming_check_root(const char *option, const char *dir, struct argp_state *state)
{
	struct stat st;

	errno = 0;
	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		argp_error(state, "%s %s: %s; name a directory with an unpacked archive, see kflame-archive(1), or with a copy of the recorded machine's root file system",
			   option, dir, strerror(errno ? : ENOTDIR));
	else if (!has_symbols(dir))
		argp_error(state, "%s %s is neither an unpacked archive nor a copy of a root file system: it has no directory .build-id, files, usr, lib, bin, sbin or opt",
			   option, dir);
}

error_t naming_take_symbols(struct naming *n, char *arg, struct argp_state *state)
{
	naming_check_root("--symbols", arg, state);
	n->symbols = arg;
	return 0;
}

static error_t parse_root_option(int key, char *arg, struct argp_state *state)
{
	return key == OPT_ROOT ? parse_root(state->input, arg, state) : ARGP_ERR_UNKNOWN;
}

static error_t parse_store_option(int key, char *arg, struct argp_state *state)
{
	struct profile_bound last = { 0 };
	struct naming *n = state->input;

	switch (key) {
	case OPT_STORE:
		n->store = arg;
		return 0;
	case OPT_WHERE:
		n->where = arg;
		return 0;
	case OPT_LAST:
		if (!range_bound_parse(arg, &last) || last.is_share || !last.ns)
			argp_error(state, "--last %s: this is no time, such as 30m or 24h", arg);
		n->last_ns = last.ns;
		return 0;
	case ARGP_KEY_END:
		if (!n->store && (n->where || n->last_ns))
			argp_error(state, "%s selects profiles of a store: name it by --store DIR",
				   n->where ? "--where" : "--last");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct naming *n = state->input;

	switch (key) {
	case OPT_NO_DEMANGLE:
		n->mangled = true;
		return 0;
	case OPT_RESYMBOLIZE:
		n->again = true;
		return 0;
	case OPT_SYMBOLS:
		return naming_take_symbols(n, arg, state);
	case OPT_VMLINUX:
		n->vmlinux = arg;
		return 0;
	case OPT_INLINE:
		n->inlines = SOURCE_INLINE_ALL;
		return 0;
	case OPT_NO_INLINE:
		n->inlines = SOURCE_INLINE_NO;
		return 0;
	case OPT_LINES:
		n->lines = true;
		return 0;
	case OPT_EVENT:
		n->event = arg;
		return 0;
	case OPT_WAKERS:
		n->wakers = true;
		return 0;
	case OPT_LABELS:
		n->labels = true;
		return 0;
	case ARGP_KEY_END:
		if (n->wall && n->event)
			argp_error(state, "--wall shows the timer and the waits together: leave --event away");
		if (n->wakers && n->event && profile_event_kind(n->event) != KFLAME_EVENT_OFFCPU)
			argp_error(state, "--wakers shows who ended waits, and --event %s has none: leave --event away", n->event);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Return: an option that was given and needs a profile; NULL if there is none */
static const char *for_profiles(const struct naming *n)
{
	if (n->store)
		return "--store";
	if (n->wall)
		return "--wall";
	if (n->again)
		return "--resymbolize";
	if (n->symbols)
		return "--symbols";
	if (n->vmlinux)
		return "--vmlinux";
	if (n->root != STACK_ROOT_NONE)
		return "--root";
	if (n->inlines == SOURCE_INLINE_ALL)
		return "--inline";
	if (profile_range_is_set(&n->range))
		return "--from or --to";
	if (n->event)
		return "--event";
	if (n->wakers)
		return "--wakers";
	if (n->labels)
		return "--labels";
	return n->lines ? "--lines" : NULL;
}

void naming_refuse(const struct naming *n, struct argp_state *state)
{
	const char *option = for_profiles(n);

	if (option)
		argp_error(state, "%s needs a profile: other input has names and counts, and nothing else",
			   option);
}

const struct argp naming_rootless_argp = { .options = option_list, .parser = parse_option };

/* One input for all: see parse_all() */
static const struct argp root_argp = { .options = root_option, .parser = parse_root_option };

static const struct argp store_argp = { .options = store_options, .parser = parse_store_option };

static const struct argp_child all[] = {
	{ &naming_rootless_argp, 0, NULL, 0 }, { &root_argp, 0, NULL, 0 }, { &store_argp, 0, NULL, 0 }, { 0 }
};

/* Gives its own input to its children */
static error_t parse_all(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] = state->input;
	return 0;
}

const struct argp naming_argp = { .parser = parse_all, .children = all };

const struct argp_child naming_children[] = { { &naming_argp, 0, NULL, 2 }, { 0 } };
