// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_list.c - kflame list
 */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/kernel_symbols.h"
#include "catalog/pattern.h"
#include "catalog/tracefs.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/list_presets.h"
#include "device/device.h"

enum { OPT_NAMES = 256, OPT_DEVICE };

/**
 * struct list - a run of the command
 * @events:	kinds of events that work here, a bit for each KFLAME_EVENT_*; all of them if that is unknown
 * @failed:	memory ran out, after a message
 * @found:	events that were printed
 */
struct list {
	const char *root, *device, *pattern;
	bool names, fields;
	struct kernel_symbols symbols;
	uint64_t events;
	bool failed;
	size_t found;
};

static const struct argp_option options[] = {
	{ "fields", 'v', NULL, 0, "Also the fields of tracepoints, with their types", 0 },
	{ "names", OPT_NAMES, NULL, 0, "Only what -e takes, as completion needs it", 0 },
	{ "root", 'r', "DIR", 0, "Look at the system below DIR, not at this one", 0 },
	{ "device", OPT_DEVICE, "FILE", OPTION_HIDDEN, "Device (" KFLAME_DEVICE ")", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct list *l = state->input;

	switch (key) {
	case 'v':
		l->fields = true;
		return 0;
	case OPT_NAMES:
		l->names = true;
		return 0;
	case 'r':
		l->root = arg;
		return 0;
	case OPT_DEVICE:
		l->device = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (l->pattern)
			argp_error(state, "'%s' is a second pattern: give one, in quotes so that the shell leaves it as it is",
				   arg);
		l->pattern = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[PATTERN]",
	.doc = "List what can be recorded here with -e: 'kflame list \"vfs_*\"', 'kflame list tracepoint:sched:'.",
};

/* Asks the module which kinds work.  Without an answer, kinds are listed as if all did. */
static void ask_module(struct list *l)
{
	struct kflame_info info;
	bool opened;
	int fd;

	l->events = UINT64_MAX;
	if (*l->root)
		return;
	fd = device_probe(l->device, &info, &opened);
	if (fd >= 0) {
		close(fd);
		l->events = info.features & KFLAME_FEAT_EVENTS ? info.events : 1u << KFLAME_EVENT_TIMER;
	} else if (fd == -EACCES || fd == -EPERM) {
		complain("cannot open %s: %s, so the list may have events that do not work here. Run the command as root",
			 l->device, strerror(-fd));
	} else if (opened) {
		complain("%s does not answer as the kflame module does: %s. The list may have events that do not work here. Install module and tool from one source",
			 l->device, strerror(-fd));
	} else {
		complain("the module is not loaded (%s: %s), so the list may have events that do not work here. Load it: sudo modprobe kflame",
			 l->device, strerror(-fd));
	}
}

static bool works(const struct list *l, uint32_t kind)
{
	return l->events >> kind & 1;
}

static void print_kinds(struct list *l)
{
	for (const struct catalog_kind *k = catalog_kinds; k->word; k++) {
		if (!pattern_matches(l->pattern, k->word) || (l->names && !works(l, k->kind)))
			continue;
		if (l->names)
			puts(k->word);
		else if (works(l, k->kind))
			printf("%-16s %s\n", k->word, k->what);
		else
			printf("%-16s not available: %s\n", k->word, k->missing ? k->missing : "install module and tool from one source");
		l->found++;
	}
}

static void print_fields(const struct list *l, const char *tracefs, const char *word)
{
	char *fields, *line, *rest;
	int err = catalog_fields(l->root, tracefs, word, &fields);

	if (err) {
		complain("cannot read the fields of %s: %s", word, strerror(-err));
		return;
	}
	rest = fields;
	while ((line = strsep(&rest, "\n")))
		if (*line) {
			fputs("    ", stdout);
			text_put(stdout, line);
			putchar('\n');
		}
	free(fields);
}

static void print_entries(struct list *l, const struct catalog *c, const char *tracefs)
{
	for (size_t i = 0; i < c->nr; i++) {
		const struct catalog_entry *e = &c->all[i];

		fputs(e->word, stdout);
		if (e->module && !l->names)
			printf(" [%s]", e->module);
		putchar('\n');
		if (l->fields && !l->names && tracefs)
			print_fields(l, tracefs, e->word);
	}
	l->found += c->nr;
}

/* Does the user want events of a kind, and does the kind work?  If it does not, say so. */
static bool wants(const struct list *l, const char *kind, uint32_t id, const char *needs)
{
	if (!pattern_may_match(l->pattern, kind))
		return false;
	if (works(l, id))
		return true;
	complain("this kernel or this module has no events %s:..., so they are not listed: they need %s, and a module that is as new as this tool",
		 kind, needs);
	return false;
}

static void print_functions(struct list *l)
{
	struct catalog c = { 0 };
	int err;

	if (!wants(l, "kprobe", KFLAME_EVENT_KPROBE, "CONFIG_KPROBES"))
		return;
	err = catalog_functions(l->root, &l->symbols, l->pattern, &c);
	if (err == -ENOMEM)
		l->failed = true;
	else if (err == -ENODATA)
		complain("/proc/kallsyms names no function, so none is listed. The kernel needs CONFIG_KALLSYMS");
	else if (err)
		complain("cannot read /proc/kallsyms: %s, so kernel functions are not listed. %s", strerror(-err),
			 err == -ENOENT ? "The kernel needs CONFIG_KALLSYMS, and /proc has to be mounted" : "Run the command as root");
	if (!err)
		print_entries(l, &c, NULL);
	catalog_exit(&c);
}

static void print_tracepoints(struct list *l)
{
	struct catalog c = { 0 };
	char tracefs[1024];
	int err;

	if (!wants(l, "tracepoint", KFLAME_EVENT_TRACEPOINT, "CONFIG_TRACEPOINTS and no CONFIG_CFI_CLANG"))
		return;
	err = tracefs_find(l->root, tracefs, sizeof(tracefs));
	if (!err)
		err = catalog_tracepoints(l->root, &l->symbols, tracefs, l->pattern, &c);
	if (err == -ENOMEM)
		l->failed = true;
	else if (err == -ENOENT)
		complain("tracefs is not mounted, so tracepoints are not listed. Mount it: sudo mount -t tracefs tracefs /sys/kernel/tracing");
	else if (err)
		complain("cannot read %s/events: %s, so tracepoints are not listed. Run the command as root", tracefs,
			 strerror(-err));
	if (!err)
		print_entries(l, &c, tracefs);
	catalog_exit(&c);
}

/* Another system may have other calls: its architecture is not known. */
static void print_calls(struct list *l)
{
	struct catalog c = { 0 };

	if (*l->root || !wants(l, "syscall", KFLAME_EVENT_SYSCALL, "CONFIG_FTRACE_SYSCALLS or BPF, which have tracepoints of them"))
		return;
	if (catalog_calls(l->pattern, &c))
		l->failed = true;
	else
		print_entries(l, &c, NULL);
	catalog_exit(&c);
}

int cmd_list(int argc, char **argv)
{
	struct list l = { .root = "", .device = KFLAME_DEVICE };

	if (command_line_parse(&argp, argc, argv, 0, &l))
		return 2;
	ask_module(&l);
	print_kinds(&l);
	if (!l.names)
		l.found += list_presets(l.root, &l.symbols, l.pattern, l.events);
	print_functions(&l);
	print_tracepoints(&l);
	print_calls(&l);
	kernel_symbols_exit(&l.symbols);
	if (l.failed)
		complain("there is not enough memory to list the events");
	else if (!l.found && l.pattern)
		complain("no event here matches '%s': 'kflame list' lists all. A pattern is in quotes, such as '*read*'", l.pattern);
	return close_stdout() || l.failed || !l.found ? 1 : 0;
}
