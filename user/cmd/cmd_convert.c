// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_convert.c - kflame convert: converts profiles to formats of other tools, and from them
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/named_output.h"
#include "cmd/naming_options.h"
#include "cmd/range_options.h"
#include "convert/formats.h"
#include "stacks/load.h"

/**
 * struct format - a format that --to names
 * @suffixes:	file name suffixes that choose it without --to; ends with NULL
 * @reads:	the kind of source for --from; SOURCE_PROFILE: the format can only be written
 * @binary:	never written to a terminal
 * @addresses:	contains kernel addresses, so only its owner may read the file
 * @times:	has the time of each sample, if the profile has
 */
struct format {
	const char *name;
	const char *suffixes[3];
	int (*write)(FILE *out, struct source *s, enum tree_unit unit);
	enum source_kind reads;
	bool binary;
	bool addresses;
	bool times;
};

static const struct format formats[] = {
	{ .name = "pprof", .suffixes = { ".pb.gz", ".pprof" }, .write = convert_pprof, .binary = true,
	  .addresses = true },
	{ .name = "collapsed", .suffixes = { ".folded", ".collapsed" },
	  .write = convert_collapsed, .reads = SOURCE_FOLDED },
	{ .name = "perf-script", .suffixes = { ".perf", ".perf-script" },
	  .write = convert_perf_script, .reads = SOURCE_PERF_SCRIPT, .addresses = true, .times = true },
	{ .name = "speedscope", .suffixes = { ".speedscope.json", ".speedscope" },
	  .write = convert_speedscope, .times = true },
	{ .name = "chrome", .suffixes = { ".trace.json", ".chrome.json" }, .write = convert_chrome, .times = true },
	{ .name = "firefox", .suffixes = { ".firefox.json" }, .write = convert_firefox, .times = true },
};

#define NR_FORMATS	(sizeof(formats) / sizeof(formats[0]))
#define READ_NAMES	"profile, collapsed or perf-script"
#define WRITE_NAMES	"pprof, speedscope, firefox, chrome, perf-script or collapsed"

struct options {
	struct source_options source;
	const char *output;
	const struct format *to;
	bool from;		/* --from was given */
	enum tree_unit unit;
};

enum { OPT_FROM = 256, OPT_TO, OPT_TIME, OPT_SAMPLES, OPT_NO_IDLE, OPT_KERNEL };

static const struct argp_option option_list[] = {
	{ "input", 'i', "FILE", 0, "File to read, - for stdin (kflame.data)", 0 },
	{ "output", 'o', "FILE", 0, "File to write (standard output)", 0 },
	{ "to", OPT_TO, "FORMAT", 0, "To: " WRITE_NAMES " (as FILE ends)", 1 },
	{ "from", OPT_FROM, "FORMAT", 0, "From: " READ_NAMES, 1 },
	{ "samples", OPT_SAMPLES, NULL, OPTION_HIDDEN, "Weights are samples (the default)", 1 },
	{ "time", OPT_TIME, NULL, 0, "Weights are nanoseconds; shows late time, too", 1 },
	{ "kernel", OPT_KERNEL, NULL, 0,
	  "To collapsed: append _[k] to names of the kernel, _[i] to inlined ones, _[j] to a JIT's", 1 },
	{ "no-idle", OPT_NO_IDLE, NULL, 0, "Leave out the idle tasks", 1 },
	{ 0 }
};

static const struct format *by_name(const char *name)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

static const struct format *by_suffix(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	for (size_t i = 0; i < NR_FORMATS; i++)
		for (const char *const *s = formats[i].suffixes; *s; s++)
			if (len > strlen(*s) && !strcmp(path + len - strlen(*s), *s))
				return &formats[i];
	return NULL;
}

static void parse_from(struct options *o, const char *arg, struct argp_state *state)
{
	const struct format *f = by_name(arg);

	if (isdigit((unsigned char)*arg)) {
		range_take(&o->source.naming.range.from, "--from", arg, state);
		return;
	}
	o->from = true;
	o->source.kind = f ? f->reads : SOURCE_PROFILE;
	if (o->source.kind == SOURCE_PROFILE && strcmp(arg, "profile"))
		argp_error(state, "--from is " READ_NAMES ", or a time such as 12.5, not '%s'", arg);
}

static void parse_to(struct options *o, const char *arg, struct argp_state *state)
{
	if (isdigit((unsigned char)*arg)) {
		range_take(&o->source.naming.range.to, "--to", arg, state);
		return;
	}
	o->to = by_name(arg);
	if (!o->to)
		argp_error(state, "--to is " WRITE_NAMES ", or a time such as 12.5, not '%s'", arg);
}

/* --event is an option of profiles, and of perf script's text */
static void finish_event(struct options *o, struct argp_state *state)
{
	struct naming *n = &o->source.naming;

	if (o->source.kind == SOURCE_PROFILE) {
		/* pprof has a type of value for each event. */
		n->every_event = !n->event && o->to && o->to->write == convert_pprof;
		n->times = o->to && o->to->times;
		return;
	}
	if (n->event && o->source.kind != SOURCE_PERF_SCRIPT)
		argp_error(state, "--event is for profiles and for --from perf-script: folded stacks do not say what they count");
	o->source.event = n->event;
	n->event = NULL;
}

static void finish(struct options *o, struct argp_state *state)
{
	const struct format *in = by_suffix(o->source.path);

	if (!o->to)
		o->to = by_suffix(o->output);
	if (!o->to)
		argp_error(state, "name the format by --to FORMAT: " WRITE_NAMES);
	if (!o->from && in)
		o->source.kind = in->reads;
	if (o->source.kinds && o->to->write != convert_collapsed)
		argp_error(state, "--kernel is for --to collapsed: the other formats have kinds anyway");
	finish_event(o, state);
	if (profile_range_is_set(&o->source.naming.range) && o->source.kind != SOURCE_PROFILE)
		argp_error(state, "a time for --from or --to is for profiles: other input does not say when its samples were");
	if (o->source.kind != SOURCE_PROFILE)
		naming_refuse(&o->source.naming, state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->source.naming;
		return 0;
	case ARGP_KEY_SUCCESS:
		finish(o, state);
		return 0;
	case 'i':
		o->source.path = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_TO:
		parse_to(o, arg, state);
		return 0;
	case OPT_FROM:
		parse_from(o, arg, state);
		return 0;
	case OPT_TIME:
		o->unit = TREE_NS;
		return 0;
	case OPT_SAMPLES:
		o->unit = TREE_SAMPLES;
		return 0;
	case OPT_KERNEL:
		o->source.kinds = true;
		return 0;
	case OPT_NO_IDLE:
		o->source.no_idle = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option; name a file with -i", arg);
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.children = naming_children,
	.doc = "Convert a profile, folded stacks or perf script's text.",
};

static int copy(FILE *from, FILE *to)
{
	char bytes[16384];
	size_t n;

	rewind(from);
	while ((n = fread(bytes, 1, sizeof(bytes), from)) > 0)
		if (fwrite(bytes, 1, n, to) != n)
			return 0;		/* output_close() says why */
	return ferror(from) ? -EIO : 0;
}

/*
 * A pipe cannot take back what was written.  So the whole output is made first, in a file without a
 * name.
 */
static int write_held(FILE *out, struct source *s, const struct options *o)
{
	FILE *held = tmpfile();
	int err;

	if (!held)
		return load_failed(-errno, "making a temporary file");
	err = o->to->write(held, s, o->unit);
	if (!err && (fflush(held) || ferror(held)))
		err = load_failed(errno ? -errno : -EIO, "writing a temporary file");
	else if (!err && copy(held, out))
		err = load_failed(-EIO, "reading a temporary file");
	fclose(held);
	return err;
}

static int convert(struct source *s, const struct options *o)
{
	struct output out;
	int err;

	if (o->to->addresses)
		err = output_open_private(&out, o->output, NULL, false);
	else
		err = named_output_open(&out, o->output, NULL, s->profile && profile_has_addresses(s->profile));

	if (err)
		return err;
	if (o->to->binary && out.is_terminal) {
		complain("%s is no text, and standard output is a terminal: name a file with -o",
			 o->to->name);
		err = -EINVAL;
	} else if (!out.at_once) {
		err = o->to->write(out.file, s, o->unit);
	} else {
		err = write_held(out.file, s, o);
	}
	if (!err)
		return output_close(&out);
	output_abandon(&out);
	return err;
}

int cmd_convert(int argc, char **argv)
{
	struct options o = { .unit = TREE_BY_EVENT };
	struct source s;
	int err;

	if (command_line_parse(&argp, argc, argv, 0, &o))
		return EXIT_FAILURE;
	if (source_open(&s, &o.source))
		return EXIT_FAILURE;
	o.unit = load_unit(s.profile, o.unit);
	err = convert(&s, &o);
	source_close(&s);
	return err ? EXIT_FAILURE : s.status;
}
