// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_archive.c - kflame archive: packs a profile with the symbols of its programs, for other machines
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/pack_profile.h"
#include "base/input.h"
#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/naming_options.h"
#include "elf/source_lookup.h"
#include "stacks/open.h"

struct options {
	const char *input;
	const char *output;	/* NULL: the path of the profile with a suffix */
	const char *sysroot;	/* NULL: the files of this machine only */
};

enum { OPT_FROM_SYSROOT = 0x1000 };

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "Profile to pack (kflame.data)", 0 },
	{ "from-sysroot", OPT_FROM_SYSROOT, "ROOT", 0, "Take the files from this copy of the target's root first", 0 },
	{ "output", 'o', "FILE", 0,
	  "Archive to write, - for stdout (FILE.tar.zst)", 0 },
	{ 0 }
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'i':
		if (!strcmp(arg, "-"))
			argp_error(state, "-i: a profile is packed from a file, not from standard input");
		o->input = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_FROM_SYSROOT:
		naming_check_root("--from-sysroot", arg, state);
		o->sysroot = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option; name a profile with -i", arg);
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.doc = "Pack a profile with the symbols of its programs, for another machine. There, unpack "
	       "the archive with tar, and name the directory with --symbols.",
};

/* Print the result, when everything is written */
static void tell(const struct pack *k, const char *path, const struct archive_sum *sum,
		 bool replaced)
{
	complain("%s: the profile, %zu file%s and %zu debug file%s, %" PRIu64 " kB as %" PRIu64 " kB",
		 path, sum->files, &"s"[sum->files == 1], sum->debug, &"s"[sum->debug == 1],
		 (k->bytes + 999) / 1000, (k->written + 999) / 1000);
	if (replaced)
		complain("what was at %s is %s.old now", path, path);
	if (sum->missing)
		complain("%zu file%s not packed: frames there keep the names that the profile has",
			 sum->missing, sum->missing == 1 ? " is" : "s are");
}

/* Return: whether the profile could be read and everything is packed */
static int pack(const struct profile *p, int fd, const struct stat *before, const struct options *o,
		const char *by_default)
{
	struct archive_sum sum;
	struct pack k;

	if (pack_open(&k, o->output, by_default))
		return -1;
	archive_profile(&k, p, fd, before, o->sysroot, &sum);
	if (pack_close(&k))
		return -1;
	tell(&k, k.path, &sum, k.replaced);
	return sum.missing ? -1 : 0;
}

/* Is the profile at the archive's path?  An existing file there is renamed before the profile is read */
static bool same_file(const char *path, const struct stat *st)
{
	struct stat other;

	return !stat(path, &other) && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

static int archive(const struct options *o, const char *by_default)
{
	const char *input = o->input, *output = o->output;
	const struct naming no_names = { .inlines = SOURCE_INLINE_NO };
	struct stat before = { 0 };
	int fd, status = EXIT_FAILURE;
	struct profile *p;

	/* If the file cannot be opened, open_profile() reports it */
	fd = input_open(NULL, input);
	if (fd == -EINVAL || fd == -EISDIR || (fd >= 0 && fstat(fd, &before))) {
		complain("%s is no regular file: a profile is packed from one; write it to a file first",
			 input);
	} else if (fd >= 0 && same_file(output ? output : by_default, &before)) {
		complain("-o names the profile itself, %s: name another file", output ? output : by_default);
	} else {
		p = open_profile(input, &no_names);
		if (p && fd >= 0 && !pack(p, fd, &before, o, by_default))
			status = profile_status(p);
		profile_destroy(p);
	}
	if (fd >= 0)
		close(fd);
	return status;
}

int cmd_archive(int argc, char **argv)
{
	struct options o = { .input = "kflame.data" };
	char *output = NULL;
	const char *suffix;
	int status;

	if (command_line_parse(&argp, argc, argv, 0, &o))
		return 2;
	suffix = pack_suffix();
	if (!suffix)
		return EXIT_FAILURE;
	if (!o.output && asprintf(&output, "%s%s", o.input, suffix) < 0) {
		complain("there is not enough memory for a name");
		return EXIT_FAILURE;
	}
	status = archive(&o, output);
	free(output);
	return status;
}
