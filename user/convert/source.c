// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source.c - the input of a conversion: a profile, folded stacks, or text of perf script
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/message.h"
#include "convert/perf_script_read.h"
#include "convert/source.h"
#include "stacks/load.h"
#include "stacks/open.h"

int source_open(struct source *s, const struct source_options *o)
{
	*s = (struct source){ .o = o };
	if (o->kind != SOURCE_PROFILE)
		return 0;
	s->profile = open_profile(o->path, &o->naming);
	if (!s->profile)
		return -EINVAL;
	s->status = profile_status(s->profile);
	return 0;
}

void source_close(struct source *s)
{
	profile_destroy(s->profile);
	s->profile = NULL;
}

/* Receives the samples, without the idle ones if requested */
struct receiver {
	sample_fn fn;
	void *ctx;
	bool no_idle;
	bool of_perf;
};

/* perf shows an idle CPU as the kernel does: as a task without an id, known by its name */
static bool is_idle_task(const struct sample *s)
{
	const char *comm = s->nr ? s->frames[0].name : "";

	return !s->tgid && !s->tid && !strncmp(comm, "swapper", 7) && (!comm[7] || comm[7] == '/');
}

static int receive(void *ctx, const struct sample *s)
{
	const struct receiver *r = ctx;

	if (r->no_idle && (stack_is_idle(s->frames, s->nr) || (r->of_perf && is_idle_task(s))))
		return 0;
	return r->fn(r->ctx, s);
}

static int tell_perf_script(struct source *s, const char *name, const struct perf_script_result *r)
{
	const char *event = s->o->event;

	if (!r->samples && event && (!r->bad || r->others)) {
		complain("%s holds no samples of '%s'", name, event);
		return -EINVAL;
	}
	if (!r->samples && r->bad) {
		complain("%s holds no samples as perf script prints them", name);
		return -EINVAL;
	}
	if (r->bad) {
		complain("warning: %s: %" PRIu64 " line%s skipped (the first is line %" PRIu64
			 "), %" PRIu64 " samples read", name, r->bad, r->bad == 1 ? "" : "s",
			 r->first_bad, r->samples);
		s->status = EXIT_FAILURE;
	}
	return 0;
}

static int each_of_perf_script(struct source *s, struct receiver *to)
{
	const char *path = s->o->path;
	bool standard = !path || !strcmp(path, "-");
	const char *name = standard ? "standard input" : path;
	FILE *in = standard ? stdin : input_stream(path);
	struct perf_script_result result;
	int err;

	if (!in) {
		err = -errno;
		complain("cannot read %s: %s; give the output of perf script with -i", name,
			 strerror(-err));
		return err;
	}
	err = perf_script_read(in, name, s->o->event, receive, to, &result);
	if (!standard)
		fclose(in);
	if (!err)
		return tell_perf_script(s, name, &result);
	if (err != -EINVAL)		/* which the reader has reported */
		complain("%s cannot be read as perf script's text: %s", name, strerror(-err));
	return err;
}

/* Pass the stack of a node as a sample; @frames and @places have room for it */
static int give_node(const struct tree *t, const struct tree_node *n, struct frame *frames,
		     const struct place *places, struct receiver *to)
{
	struct sample s = {
		.frames = frames, .places = places, .nr = n->depth,
		.samples = n->self.samples, .ns = n->self.ns,
	};

	if (!s.samples && !s.ns)
		return 0;
	for (size_t i = n->depth; i-- > 0; n = &t->nodes[n->parent])
		frames[i] = t->frames[n->frame];
	return receive(to, &s);
}

static int each_of_tree(const struct tree *t, struct receiver *to)
{
	struct frame *frames = calloc(TREE_MAX_DEPTH + 2, sizeof(*frames));
	struct place *places = calloc(TREE_MAX_DEPTH + 2, sizeof(*places));
	int err = frames && places ? 0 : -ENOMEM;

	for (uint32_t i = 1; !err && i < t->nr_nodes; i++)
		err = give_node(t, &t->nodes[i], frames, places, to);
	free(frames);
	free(places);
	return err;
}

static int each_of_folded(struct source *s, struct receiver *to)
{
	struct tree *t;
	int err = load_folded(s->o->path, NULL, &t, &s->status);

	if (err)
		return err;
	err = tree_finish(t);
	if (!err)
		err = each_of_tree(t, to);
	if (err)
		load_failed(err, "converting folded stacks");
	tree_destroy(t);
	return err;
}

int source_each(struct source *s, sample_fn fn, void *ctx)
{
	struct receiver to = { .fn = fn, .ctx = ctx, .no_idle = s->o->no_idle,
			       .of_perf = s->o->kind == SOURCE_PERF_SCRIPT };
	int err;

	switch (s->o->kind) {
	case SOURCE_PERF_SCRIPT:
		return each_of_perf_script(s, &to);
	case SOURCE_FOLDED:
		return each_of_folded(s, &to);
	case SOURCE_PROFILE:
		break;
	}
	err = profile_each_sample(s->profile, receive, &to);
	return err ? load_failed(err, "converting the stacks of the profile") : 0;
}

static int add_sample(void *tree, const struct sample *s)
{
	return tree_add(tree, s->frames, s->nr, s->samples, s->ns);
}

static int load_perf_script(struct source *s, struct tree **tree)
{
	int err;

	*tree = tree_create();
	if (!*tree)
		return load_failed(-ENOMEM, "reading perf script's text");
	err = source_each(s, add_sample, *tree);
	if (err) {
		tree_destroy(*tree);
		*tree = NULL;
	}
	return err;
}

int source_tree(struct source *s, struct tree **tree)
{
	int err;

	if (s->o->kind == SOURCE_PERF_SCRIPT)
		return load_perf_script(s, tree);
	err = s->profile ? load_profile(s->profile, tree) :
			 load_folded(s->o->path, NULL, tree, &s->status);
	if (!err && s->o->no_idle)
		tree_drop_idle(*tree);
	return err;
}

char *source_title(const struct source *s)
{
	const char *command = s->profile ? profile_host(s->profile, "command") : NULL;
	const char *host = s->profile ? profile_host(s->profile, "host") : NULL;
	char *title;

	if (asprintf(&title, "%s%s%s", host ? host : "profile", command ? ": " : "",
		     command ? command : "") < 0)
		return NULL;
	return title;
}
