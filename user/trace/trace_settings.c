// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_settings.c - settings of the kernel's tracer: saved before they are changed, and restored
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "trace/trace_settings.h"
#include "trace/trace_files.h"

#define INSTANCE	SETTINGS_MAX	/* its index in .changed */
#define SHARED_BYTES	(SETTINGS_MAX + 1u)
/* While the trace is read, no tracer is changed and no instance removed: a killed reader is gone within moments */
#define TRIES		100
#define PAUSE_NS	50000000l

int settings_init(struct trace_settings *s, const char *dir)
{
	void *shared = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*s = (struct trace_settings){ .dir = strdup(dir), .changed = shared == MAP_FAILED ? NULL : shared };
	return s->dir && s->changed ? 0 : -ENOMEM;
}

/* "a [b] c" becomes "b" */
static void keep_choice(char *text)
{
	char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	if (!to)
		return;
	*to = 0;
	memmove(text, from + 1, strlen(from + 1) + 1);
}

/*
 * Keep the first word of each line, which is the function without its module.  Function commands have a colon. They are
 * left out, because an emptied list keeps them.
 */
static void keep_list(char *text)
{
	char *to = text, *save;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t len = strcspn(line, " \t");

		if (*line == '#' || !strcmp(line, "no pid") || memchr(line, ':', len))
			continue;
		memmove(to, line, len);
		to += len;
		*to++ = '\n';
	}
	*to = 0;
}

/* A "7 (expanded: 1408)" and a newline at the end are not part of a value */
static void keep_value(char *text)
{
	text[strcspn(text, " \n")] = 0;
}

/* Each line shrinks or keeps its length, but the last line may lack its newline, which needs one more byte */
static char *with_room(char *text)
{
	size_t len = text ? strlen(text) : 0;
	char *more = text ? realloc(text, len + 2) : NULL;

	if (!more)
		free(text);
	return more;
}

int settings_save(struct trace_settings *s, const char *file, enum setting_kind kind)
{
	char *text = trace_file_read(s->dir, file), *name;

	if (!text)
		return errno == ENOENT ? 0 : -errno;
	text = with_room(text);
	name = strdup(file);
	if (!text || !name || s->nr >= SETTINGS_MAX || grow(&s->all, s->nr, &s->cap, sizeof(*s->all))) {
		free(text);
		free(name);
		return -ENOMEM;
	}
	if (kind == SETTING_LIST)
		keep_list(text);
	else if (kind == SETTING_CHOICE)
		keep_choice(text);
	else
		keep_value(text);
	s->all[s->nr++] = (struct trace_setting){ .file = name, .text = text };
	return 0;
}

static size_t find(const struct trace_settings *s, const char *file)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->all[i].file, file))
			break;
	return i;
}

const char *settings_value(const struct trace_settings *s, const char *file)
{
	size_t i = find(s, file);

	return i < s->nr ? s->all[i].text : NULL;
}

int settings_set(struct trace_settings *s, const char *file, const char *text)
{
	size_t i = find(s, file);

	if (i == s->nr)
		return -ENOENT;
	/* The flag comes first: the process may be killed in between */
	s->changed[i] = 1;
	return trace_file_write(s->dir, file, text);
}

void settings_mark(struct trace_settings *s, const char *file)
{
	size_t i = find(s, file);

	if (i < s->nr)
		s->changed[i] = 1;
}

int settings_make_instance(struct trace_settings *s)
{
	s->changed[INSTANCE] = 1;
	if (!mkdir(s->instance, 0700))
		return 0;
	s->changed[INSTANCE] = 0;
	return -errno;
}

static int remove_instance(const struct trace_settings *s)
{
	return !rmdir(s->instance) || errno == ENOENT ? 0 : -errno;
}

static void pause_shortly(void)
{
	const struct timespec t = { .tv_nsec = PAUSE_NS };

	nanosleep(&t, NULL);
}

int settings_remove_instance(struct trace_settings *s)
{
	int err;

	if (!s->changed[INSTANCE])
		return 0;
	err = remove_instance(s);
	for (int i = 0; err == -EBUSY && i < TRIES; i++) {
		pause_shortly();
		err = remove_instance(s);
	}
	s->changed[INSTANCE] = !!err;
	return err;
}

/* Return: 0 or a negative errno */
static int restore_file(const struct trace_settings *s, const struct trace_setting *f)
{
	int err = trace_file_write(s->dir, f->file, f->text);

	for (int i = 0; err == -EBUSY && i < TRIES; i++) {
		pause_shortly();
		err = trace_file_write(s->dir, f->file, f->text);
	}
	return err;
}

int settings_restore(struct trace_settings *s)
{
	int failed = !!settings_remove_instance(s);

	for (size_t i = s->nr; i-- > 0;)
		if (s->changed[i]) {
			s->changed[i] = !!restore_file(s, &s->all[i]);
			failed += s->changed[i];
		}
	return failed;
}

void settings_exit(struct trace_settings *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		free(s->all[i].file);
		free(s->all[i].text);
	}
	free(s->all);
	free(s->dir);
	free(s->instance);
	if (s->changed)
		munmap((void *)s->changed, SHARED_BYTES);
	*s = (struct trace_settings){ 0 };
}
