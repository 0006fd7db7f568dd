// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_explain.c - kflame explain: one sample, taken apart
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/message.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/named_output.h"
#include "cmd/record_command_line.h"
#include "explain/quiz.h"
#include "explain/take_apart.h"
#include "record/recorder.h"
#include "stacks/load.h"
#include "stacks/open.h"

enum { OPT_KERNEL = 256, OPT_FP, OPT_SVG, OPT_JSON, OPT_QUIZ, OPT_CHECK, OPT_KEY };

#define DUMP_BYTES	(32u << 10)	/* of a stack are copied */
#define DEFAULT_SECONDS	"2"
#define MOST_TEXT	(1u << 20)	/* bytes of a quiz or a key */

struct command {
	struct explain_choice choice;
	bool by_fp;
	const char *output, *svg, *json, *quiz, *check, *key;
	char **record;		/* command line for record_options_parse() */
	size_t nr_record, cap_record;
	bool chosen;		/* what to sample was named */
	bool timed;
	char *profile;		/* path of the recording */
};

static const struct argp_option option_list[] = {
	{ "pid", 'p', "PID,...", 0, "Sample these processes", 0 },
	{ "duration", 'd', "SECONDS", 0, "Sample for this time (2)", 0 },
	{ "freq", 'F', "HZ", 0, "Samples a second (997)", 0 },
	{ "number", 'n', "N", 0, "Explain the N-th sample that fits (1)", 1 },
	{ "function", 'f', "FUNC", 0, "Explain a sample whose innermost function is FUNC", 1 },
	{ "kernel", OPT_KERNEL, NULL, 0, "Explain a sample that interrupted the kernel", 1 },
	{ "fp", OPT_FP, NULL, 0, "Walk the user stack by frame pointers, not by unwind tables", 1 },
	{ "output", 'o', "FILE", 0, "Write the text there (standard output)", 2 },
	{ "svg", OPT_SVG, "FILE", 0, "Draw the stack as SVG", 2 },
	{ "json", OPT_JSON, "FILE", 0, "Write JSON, for programs", 2 },
	{ "quiz", OPT_QUIZ, "FILE", 0, "Write an exercise with blanks, and the answers to FILE.key", 3 },
	{ "check", OPT_CHECK, "FILE", 0, "Mark an exercise by its key", 3 },
	{ "key", OPT_KEY, "FILE", 0, "File of the answers (FILE.key)", 3 },
	{ 0 }
};

static void add_word(struct command *c, const char *word, struct argp_state *state)
{
	if (grow(&c->record, c->nr_record, &c->cap_record, sizeof(*c->record)))
		argp_failure(state, EXIT_FAILURE, ENOMEM, "%s", word ? word : "");
	c->record[c->nr_record++] = (char *)word;
}

static void pass_on(struct command *c, const char *option, const char *arg, struct argp_state *state)
{
	add_word(c, option, state);
	add_word(c, arg, state);
}

static void take_command(struct command *c, char *arg, struct argp_state *state)
{
	if (state->next < 2 || strcmp(state->argv[state->next - 2], "--"))
		argp_error(state, "'%s': give the command to sample after --", arg);
	if (!c->timed)
		pass_on(c, "-d", DEFAULT_SECONDS, state);
	c->timed = true;
	pass_on(c, "--", arg, state);
	while (state->next < state->argc)
		add_word(c, state->argv[state->next++], state);
	c->chosen = true;
}

static void finish(struct command *c, struct argp_state *state)
{
	if (c->check && (c->chosen || c->quiz))
		argp_error(state, "--check marks a quiz that is there: leave out --quiz, -p and the command");
	if (c->key && !c->check && !c->quiz)
		argp_error(state, "--key is for --quiz and --check: add one of them");
	if (c->check)
		return;
	if (!c->chosen)
		argp_error(state, "say what to sample: -p PID, or a command after --");
	if (!c->timed)
		pass_on(c, "-d", DEFAULT_SECONDS, state);
	add_word(c, NULL, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct command *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		/* argp sets its name of the program later */
		add_word(c, "kflame explain", state);
		return 0;
	case 'p':
		pass_on(c, "-p", arg, state);
		c->chosen = true;
		return 0;
	case 'd':
		pass_on(c, "-d", arg, state);
		c->timed = true;
		return 0;
	case 'F':
		pass_on(c, "-F", arg, state);
		return 0;
	case OPT_QUIZ:
		c->quiz = arg;
		return 0;
	case OPT_CHECK:
		c->check = arg;
		return 0;
	case OPT_KEY:
		c->key = arg;
		return 0;
	case 'n':
		c->choice.number = (size_t)command_line_number(state, "-n", arg, 1, 1 << 20, "the number of a sample, from 1");
		return 0;
	case 'f':
		c->choice.function = arg;
		return 0;
	case OPT_KERNEL:
		c->choice.kernel = true;
		return 0;
	case OPT_FP:
		c->by_fp = true;
		return 0;
	case 'o':
		c->output = arg;
		return 0;
	case OPT_SVG:
		c->svg = arg;
		return 0;
	case OPT_JSON:
		c->json = arg;
		return 0;
	case ARGP_KEY_ARG:
		take_command(c, arg, state);
		return 0;
	case ARGP_KEY_END:
		finish(c, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Take one sample apart: registers, stack, unwind rules, table, names.",
};

/* ---------------------------------------------------------------- recording */

static uint32_t way_of(const struct command *c)
{
	return c->by_fp ? KFLAME_UWAY_FP : KFLAME_UWAY_TABLE;
}

/* Return: the exit status; @made: whether there is a profile */
static int record(struct command *c, struct kept_samples *kept, bool *made)
{
	struct record_options o;
	int status = EXIT_FAILURE;

	*made = false;
	if (!record_options_parse(&o, (int)c->nr_record - 1, c->record)) {
		o.output = c->profile;
		o.config_flags |= KFLAME_CF_EXPLAIN;
		o.graph = (struct call_graph){ way_of(c), KFLAME_DUMP_BOTH, DUMP_BYTES, true };
		o.listen = kept_samples_listen;
		o.listen_ctx = kept;
		o.quiet = true;
		status = recorder_run(&o, made);
	}
	record_options_exit(&o);
	return status;
}

/* ------------------------------------------------------------------ output */

enum form { FORM_TEXT, FORM_SVG, FORM_JSON, FORM_QUIZ, FORM_KEY };

static int write_form(const struct explanation *x, enum form form, const char *path)
{
	struct output out;
	int err = named_output_open(&out, path, NULL, x->nr_kernel);

	if (err)
		return err;
	if (form == FORM_TEXT)
		explain_text(out.file, x);
	else if (form == FORM_SVG)
		explain_svg(out.file, x);
	else if (form == FORM_QUIZ)
		quiz_write(out.file, x);
	else
		err = form == FORM_KEY ? quiz_write_key(out.file, x) : explain_json(out.file, x);
	if (!err)
		return output_close(&out);
	output_abandon(&out);
	return load_failed(err, "explaining the sample");
}

/* Return: the path of the key, allocated; NULL without memory */
static char *key_path(const struct command *c, const char *quiz)
{
	char *path = NULL;

	if (c->key)
		return strdup(c->key);
	return asprintf(&path, "%s.key", quiz) < 0 ? NULL : path;
}

static int write_quiz(const struct explanation *x, const struct command *c)
{
	char *key = key_path(c, c->quiz);
	int err = key ? write_form(x, FORM_QUIZ, c->quiz) : load_failed(-ENOMEM, "writing the quiz");

	if (!err)
		err = write_form(x, FORM_KEY, key);
	free(key);
	return err;
}

static int write_all(const struct explanation *x, const struct command *c)
{
	int err = c->svg ? write_form(x, FORM_SVG, c->svg) : 0;

	if (!err && c->json)
		err = write_form(x, FORM_JSON, c->json);
	if (!err && c->quiz)
		err = write_quiz(x, c);
	/* Text is what is wanted unless only files were named */
	if (!err && (c->output || !(c->svg || c->json || c->quiz)))
		err = write_form(x, FORM_TEXT, c->output);
	return err;
}

static void tell_none(const struct command *c, const struct kept_samples *k)
{
	const char *kernel = c->choice.kernel ? " that interrupted the kernel" : "";

	if (k->failed)
		complain("there is not enough memory to keep all samples");
	if (!k->nr)
		complain("no sample was taken: what was named did not run. Sample for longer with -d, or name another process");
	else if (c->choice.function)
		complain("of %zu samples, fewer than %zu%s have %s as their innermost function: sample for longer with -d, or name another function with -f",
			 k->nr, c->choice.number, kernel, c->choice.function);
	else
		complain("of %zu samples, fewer than %zu fit%s: sample for longer with -d, or choose a lower -n", k->nr,
			 c->choice.number, kernel);
}

static int explain(const struct profile *p, const struct command *c, const struct kept_samples *k)
{
	const struct kept_sample *s = explain_choose(p, k, &c->choice);
	struct explanation x;
	int err;

	if (!s) {
		tell_none(c, k);
		return -ENOENT;
	}
	err = take_apart(p, s, way_of(c), NULL, &x);
	if (err)
		load_failed(err, "explaining the sample");
	else
		err = write_all(&x, c);
	explanation_exit(&x);
	return err;
}

static int run(struct command *c)
{
	const struct naming naming = { .inlines = SOURCE_INLINE_NO };
	struct kept_samples kept = { 0 };
	struct profile *p = NULL;
	bool made;
	int status = record(c, &kept, &made);

	if (made)
		p = open_profile(c->profile, &naming);
	if (p) {
		kept_samples_sort(&kept);
		if (explain(p, c, &kept))
			status = EXIT_FAILURE;
	}
	profile_destroy(p);
	kept_samples_exit(&kept);
	return made && !p ? EXIT_FAILURE : status;
}

/* ----------------------------------------------------------------- marking */

/* Return: the text of a file, allocated; NULL, after a message */
static char *read_text(const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = in ? malloc(MOST_TEXT + 1) : NULL;
	const char *why = NULL;
	size_t len = 0;

	if (text)
		len = fread(text, 1, MOST_TEXT + 1, in);
	if (!in || !text || ferror(in))
		why = strerror(errno);
	else if (len > MOST_TEXT)
		why = "it is longer than 1 MiB";
	else if (memchr(text, 0, len))
		why = "it is not text";
	if (why) {
		complain("cannot read %s: %s. Name a quiz that kflame explain --quiz has written, and its key with --key", path, why);
		free(text);
		text = NULL;
	}
	if (text)
		text[len] = 0;
	if (in)
		fclose(in);
	return text;
}

/* Return: the exit status: 0 if all answers are right */
static int check(const struct command *c)
{
	char *path = key_path(c, c->check), *quiz = read_text(c->check), *key = path && quiz ? read_text(path) : NULL;
	struct quiz_marks marks = { 0 };
	int err = -EIO;

	if (!path)
		load_failed(-ENOMEM, "marking the quiz");
	if (key)
		err = quiz_check(stdout, quiz, key, &marks);
	if (key && err == -EINVAL)
		complain("%s is no key of a quiz: name the file that kflame explain --quiz has written, with --key", path);
	free(path);
	free(quiz);
	free(key);
	return close_stdout() || err || marks.right != marks.all ? EXIT_FAILURE : 0;
}

/* The recording is in a directory that nobody else can write to. Return: NULL, after a message */
static char *make_directory(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir;

	if (asprintf(&dir, "%s/kflame-explain.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0) {
		load_failed(-ENOMEM, "explaining a sample");
		return NULL;
	}
	if (mkdtemp(dir))
		return dir;
	complain("cannot make a directory such as %s for the recording: %s. Set TMPDIR to a directory that can be written", dir,
		 strerror(errno));
	free(dir);
	return NULL;
}

int cmd_explain(int argc, char **argv)
{
	struct command c = { .choice.number = 1 };
	int status = EXIT_FAILURE;
	char *dir;

	if (command_line_parse(&argp, argc, argv, ARGP_IN_ORDER, &c))
		return EXIT_FAILURE;
	if (c.check)
		return check(&c);
	dir = make_directory();
	if (dir && asprintf(&c.profile, "%s/kflame.data", dir) >= 0) {
		status = run(&c);
		unlink(c.profile);
		free(c.profile);
	}
	if (dir)
		rmdir(dir);
	free(dir);
	free(c.record);
	return status;
}
