// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open.c - reads a profile from a file, reports damage, and looks up names
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/message.h"
#include "base/zstd_library.h"
#include "stacks/names.h"
#include "stacks/open.h"
#include "stacks/open_parts.h"
#include "stacks/stack_root.h"
#include "symbols/lookup.h"
#include "symbols/mapped_file.h"

#define CHUNK	(256u << 10)

static int feed(void *profile, const void *bytes, size_t len)
{
	return profile_feed(profile, bytes, len);
}

/* The bytes of a file on their way into a profile.  @zstd: NULL: they are not compressed */
struct input {
	struct profile *p;
	struct unzstd *zstd;
	bool begun;
};

/* Return: 0; as profile_feed(), unzstd_begin() and unzstd_put() */
static int put(struct input *in, const void *bytes, size_t len)
{
	int err = 0;

	if (!in->begun && zstd_is_magic(bytes, len))
		err = unzstd_begin(&in->zstd);
	in->begun = true;
	if (err)
		return err;
	return in->zstd ? unzstd_put(in->zstd, bytes, len, feed, in->p) : profile_feed(in->p, bytes, len);
}

/* Fill the chunk: a pipe may return its first bytes one by one.  Return: bytes; -1 with errno */
static ssize_t read_chunk(int fd, unsigned char *chunk)
{
	size_t len = 0;

	while (len < CHUNK) {
		ssize_t n = read(fd, chunk + len, CHUNK - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

/* Return: 0, a positive errno of the file, -ENOMEM, or -EILSEQ; otherwise as put() */
static int read_all(struct profile *p, int fd)
{
	unsigned char *chunk = malloc(CHUNK);
	struct input in = { .p = p };
	int err = -ENOMEM;

	while (chunk) {
		ssize_t n = read_chunk(fd, chunk);

		err = n < 0 ? errno : 0;
		if (n <= 0)
			break;
		err = put(&in, chunk, (size_t)n);
		if (err)
			break;
	}
	/* A compressed file that is cut short is a profile that is cut short */
	unzstd_end(in.zstd);
	free(chunk);
	return err;
}

/* Reports what is wrong with a profile.  Return: whether it has readable records. */
static bool judge(const struct profile *p, const char *name)
{
	switch (p->state) {
	case PROFILE_EMPTY:
		complain("%s is empty: nothing was recorded into it", name);
		return false;
	case PROFILE_NOT:
		complain("%s is not a kflame profile: %s. Make one with 'kflame record'",
			 name, p->why);
		return false;
	case PROFILE_FOREIGN:
		complain("%s cannot be read here: %s", name, p->why);
		return false;
	case PROFILE_TRUNCATED:
		if (!p->records) {
			complain("%s is truncated: %s, nothing can be read of it", name, p->why);
			return false;
		}
		complain("%s is truncated: %s. What is before it was read", name, p->why);
		break;
	case PROFILE_NO_END:
		if (!p->records) {
			complain("%s is truncated: it ends after its header, nothing can be read of it",
				 name);
			return false;
		}
		complain("%s is not complete: %s (the recording was cut short, or it was copied while it ran). What is there was read",
			 name, p->why);
		break;
	case PROFILE_WHOLE:
		break;
	}
	if (p->damaged || p->lost_stacks)
		complain("%s is damaged: %llu records made no sense and were skipped, %llu stacks that counts name are not there",
			 name, (unsigned long long)p->damaged, (unsigned long long)p->lost_stacks);
	return true;
}

/* The names of a file before they are looked up again */
struct old_names {
	struct profile_symbols syms;
	uint32_t state;
	bool forgotten;
};

/* Sets aside the names of files that are still here, unchanged.  Return: the names; NULL without memory */
static struct old_names *forget_names(struct profile *p, const char *symbols)
{
	struct old_names *old = calloc(p->nr_files + 1, sizeof(*old));

	for (size_t i = 0; old && i < p->nr_files; i++) {
		struct profile_file *f = &p->files[i];
		uint32_t state;
		int fd = f->named ? binary_open_file(f, symbols, &state) : -1;

		if (fd < 0)
			continue;
		close(fd);
		old[i] = (struct old_names){ f->syms, f->state, true };
		f->syms = (struct profile_symbols){ 0 };
		f->named = false;
	}
	return old;
}

/* Ranks the sources of a file's names; higher is better */
static int worth(uint32_t state)
{
	switch (state) {
	case KFLAME_NAMED_SYMTAB:
	case KFLAME_NAMED_GO:
	case KFLAME_NAMED_DEBUG:	return 4;
	case KFLAME_NAMED_MINI:		return 3;
	case KFLAME_NAMED_DYNSYM:	return 2;
	case KFLAME_NAMED_NONE:		return 1;
	default:			return 0;
	}
}

/* Restores the old names of a file if the new source is worse: its debug file may be missing now */
static void choose_names(struct profile *p, struct old_names *old)
{
	for (size_t i = 0; i < p->nr_files; i++) {
		struct profile_file *f = &p->files[i];

		if (!old[i].forgotten)
			continue;
		if (f->named && worth(f->state) >= worth(old[i].state)) {
			profile_symbols_exit(&old[i].syms);
			continue;
		}
		profile_symbols_exit(&f->syms);
		f->syms = old[i].syms;
		f->state = old[i].state;
		f->named = true;
	}
	free(old);
}

static void free_shown(struct profile *p)
{
	names_destroy(p->names);
	roots_destroy(p->roots);
	p->names = NULL;
	p->roots = NULL;
}

int profile_show(struct profile *p, const struct naming *naming)
{
	/* What several events count is apart, unless the user wants another root. */
	const enum stack_root root = p->event == &p->joint && !naming->has_root ? STACK_ROOT_EVENT : naming->root;

	free_shown(p);
	p->free_shown = free_shown;
	p->names = names_create(p, naming);
	if (p->names && root)
		p->roots = roots_create(p, root);
	return p->names && !root == !p->roots ? 0 : -ENOMEM;
}

int profile_look_up(struct profile *p, const struct naming *naming)
{
	bool again = naming->again || naming->symbols;
	enum source_inline inlines = naming->inlines;
	struct old_names *old = NULL;
	struct records found = { 0 };
	int err = 0;

	/* Lines come with inlined functions, whether inlined functions are shown or not. */
	if (naming->lines && inlines == SOURCE_INLINE_NO)
		inlines = SOURCE_INLINE_AUTO;
	if (again) {
		old = forget_names(p, naming->symbols);
		if (!old)
			return -ENOMEM;
	}
	if (again || !profile_host(p, "tool"))
		err = naming_user(p, NULL, 0, naming->symbols, inlines, NULL, &found);
	if (!err && (again || naming->vmlinux))
		err = naming_kernel_again(p, naming->vmlinux, inlines, &found);
	if (!err)
		err = profile_take_records(p, &found);
	records_exit(&found);
	if (old)
		choose_names(p, old);
	return err ? err : profile_show(p, naming);
}

/* Prints a message if --root asks for threads, and the profile has none */
static void tell_root(const struct profile *p, enum stack_root root, const char *name)
{
	if (root != STACK_ROOT_TID || p->session.flags & KFLAME_CF_PER_THREAD)
		return;
	for (size_t i = 0; i < p->nr_counts; i++)
		if (p->counts[i].tid)
			return;
	complain("%s has no separate threads, so --root tid shows processes: record with --per-thread",
		 name);
}

static void tell_state(const struct profile *p, enum stack_root root, const char *name)
{
	if (root == STACK_ROOT_STATE && !profile_shows_waits(p) && !p->wall)
		complain("%s shows no waits, so --root state has no states of waiting threads: record with --off-cpu, and choose --event off-cpu or --wall",
			 name);
}

static void tell_wakers(const struct profile *p, const struct naming *naming, const char *name)
{
	if (!naming->wakers && naming->root != STACK_ROOT_WAKER)
		return;
	for (size_t i = 0; i < p->nr_counts; i++)
		if (p->counts[i].waker != PROFILE_NONE)
			return;
	complain("%s shows no waits of which it is known who ended them: record with --wakers%s", name,
		 naming->wakers || profile_shows_waits(p) || p->wall ? "" : ", and choose --event off-cpu");
}

static void tell_labels(const struct profile *p, const struct naming *naming, const char *name)
{
	if ((naming->labels || naming->root == STACK_ROOT_LABEL) && !profile_has_labels(p))
		complain("%s does not say what these samples are about: record with --file-io%s", name,
			 p->nr_events > 1 ? ", and choose its event with --event" : "");
}

/* The event to show: only waits have wakers */
static const char *event_of(const struct naming *naming)
{
	return !naming->event && naming->wakers ? profile_event_name(KFLAME_EVENT_OFFCPU) : naming->event;
}

/*
 * A picture over time shows how long code ran, or threads waited.  Return: 0; -EINVAL after a message, if
 * samples have no duration, or overlap in a lane
 */
static int refuse_counted(const struct profile *p, const char *name, bool by_cpu)
{
	const char *counted = profile_counted(p);

	if (by_cpu && (profile_shows_waits(p) || p->wall)) {
		complain("%s cannot be drawn by CPU: a waiting thread is on no CPU. Leave --root cpu away, and each thread has a lane",
			 name);
		return -EINVAL;
	}
	if (profile_shows_latency(p)) {
		complain("%s cannot be shown over time: calls of %s contain other calls, and overlap. Leave out --chart, --heatmap or --latency",
			 name, p->event->name);
		return -EINVAL;
	}
	if (!counted)
		return 0;
	complain("%s cannot be shown over time: %s have no duration. %s --chart, --heatmap or --latency", name, counted,
		 profile_find_event(p, 0) ? "Choose --event cpu-clock, or leave out" : "Leave out");
	return -EINVAL;
}

static struct profile *read_profile(int fd, const char *name,
				    const struct naming *naming)
{
	bool timeline = naming->timeline || profile_range_is_set(&naming->range);
	struct profile *p = profile_create();
	struct stat st;
	int err = -ENOMEM;

	if (naming->range.from.is_clock || naming->range.to.is_clock) {
		complain("--from and --to are times since the start of %s, such as 12.5 or 1m: a time of the clock needs --store", name);
		profile_destroy(p);
		return NULL;
	}
	if (p) {
		if (!fstat(fd, &st))
			p->owner = st.st_uid;
		if (timeline || naming->times)
			profile_keep_timeline(p);
		if (naming->root == STACK_ROOT_CPU || naming->cpus)
			profile_keep_cpus(p);
		err = read_all(p, fd);
	}
	if (!err || err == -EILSEQ) {
		err = profile_finish(p) == -ENOMEM ? -ENOMEM : judge(p, name) ? 0 : -EILSEQ;
		if (!err && naming->wall)
			err = profile_use_wall(p, name);
		else if (!err && !naming->every_event)
			err = profile_use_event(p, name, event_of(naming));
		if (!err && naming->timeline)
			err = refuse_counted(p, name, naming->by_cpu);
		if (!err && timeline)
			err = profile_use_timeline(p, name, &naming->range);
		if (!err)
			err = profile_look_up(p, naming);
		if (!err)
			tell_root(p, naming->root, name);
		if (!err)
			tell_state(p, naming->root, name);
		if (!err)
			tell_wakers(p, naming, name);
		if (!err)
			tell_labels(p, naming, name);
		if (!err)
			return p;
	}
	if (err > 0)
		complain("%s cannot be read: %s", name, strerror(err));
	else if (err == -ENOMEM)
		complain("%s needs more memory than there is", name);
	else if (err == -EBADMSG)
		complain("%s is damaged: zstd cannot decompress it. Copy it again, or leave it out", name);
	else if (err == -E2BIG)
		complain("%s cannot be read: it decompresses to more than a thousand times its size, which no profile does",
			 name);
	profile_destroy(p);
	return NULL;
}

/* Shows a part of a store as one profile */
static struct profile *show_store(const struct naming *naming)
{
	const char *name = naming->store;
	struct profile *p = NULL;
	int err = 0;

	if (naming->timeline)
		complain("--store has no times of samples: --chart and --heatmap show one profile");
	else
		p = open_store(naming);
	if (!p)
		return NULL;
	if (naming->wall)
		err = profile_use_wall(p, name);
	else if (!naming->every_event)
		err = profile_use_event(p, name, event_of(naming));
	if (!err)
		err = profile_show(p, naming);
	if (!err) {
		tell_root(p, naming->root, name);
		tell_state(p, naming->root, name);
		tell_wakers(p, naming, name);
		tell_labels(p, naming, name);
		return p;
	}
	if (err == -ENOMEM)
		complain("%s needs more memory than there is", name);
	profile_destroy(p);
	return NULL;
}

struct profile *open_profile(const char *path, const struct naming *naming)
{
	static const struct naming usual;
	const char *name = path ? path : "kflame.data";
	struct profile *p;
	int fd;

	if (!naming)
		naming = &usual;
	if (naming->store)
		return show_store(naming);
	if (!strcmp(name, "-"))
		return read_profile(STDIN_FILENO, "standard input", naming);
	fd = input_open(path, name);
	if (fd < 0) {
		if (fd == -ENOENT)
			complain("%s is not there. Record one with 'kflame record', or name another with -i",
				 name);
		else if (fd == -EINVAL)
			complain("%s is no regular file. Give it with -i if it is to be read", name);
		else
			complain("%s cannot be opened: %s", name, strerror(-fd));
		return NULL;
	}
	p = read_profile(fd, name, naming);
	close(fd);
	return p;
}
