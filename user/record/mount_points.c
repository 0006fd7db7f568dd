// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mount_points.c - see mount_points.h
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "record/mount_points.h"

#define MAX_MOUNTS	65536

/** struct mount_point - a directory of a file system that is mounted somewhere; "/" is the empty string */
struct mount_point {
	uint32_t dev_major;
	uint32_t dev_minor;
	char *root;
	char *at;
};

/* Replaces \040 and the like, as the kernel writes blanks and backslashes; drops the slash of "/" */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		unsigned int code;

		if (*from == '\\' && sscanf(from, "\\%3o", &code) == 1 && code && code < 256) {
			*to++ = (char)code;
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = 0;
	if (!strcmp(text, "/"))
		*text = 0;
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime ...".  Return: 0 or -ENOMEM */
static int add_line(struct mount_points *m, const char *line)
{
	struct mount_point one = { 0 };
	int err;

	if (sscanf(line, "%*u %*u %" SCNu32 ":%" SCNu32 " %ms %ms ", &one.dev_major, &one.dev_minor, &one.root,
		   &one.at) != 4 || *one.root != '/' || *one.at != '/') {
		free(one.root);
		free(one.at);
		return 0;
	}
	unescape(one.root);
	unescape(one.at);
	err = grow(&m->all, m->nr, &m->cap, sizeof(*m->all));
	if (err) {
		free(one.root);
		free(one.at);
		return err;
	}
	m->all[m->nr++] = one;
	return 0;
}

int mount_points_add(struct mount_points *m, const char *path)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (!in)
		return 0;
	while (!err && m->nr < MAX_MOUNTS && getline(&line, &size, in) > 0)
		err = add_line(m, line);
	free(line);
	fclose(in);
	return err;
}

void mount_points_exit(struct mount_points *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		free(m->all[i].root);
		free(m->all[i].at);
	}
	free(m->all);
	*m = (struct mount_points){ 0 };
}

static bool is_same_place(const struct mount_point *a, const struct mount_point *b)
{
	return a->dev_major == b->dev_major && a->dev_minor == b->dev_minor && !strcmp(a->root, b->root);
}

/* Was the directory mounted there before, too? */
static bool was_mounted(const struct mount_points *before, const struct mount_point *one)
{
	for (size_t i = 0; i < before->nr; i++)
		if (is_same_place(&before->all[i], one) && !strcmp(before->all[i].at, one->at))
			return true;
	return false;
}

/* Is the file below that mount? */
static bool is_below(const struct profile_label *l, const struct mount_point *one)
{
	return one->dev_major == l->dev_major && one->dev_minor == l->dev_minor &&
	       strlen(one->root) == l->root_len && !memcmp(one->root, l->path, l->root_len);
}

char *mount_points_path(const struct mount_points *m, const struct mount_points *others,
			const struct profile_label *l)
{
	char *path;

	if (l->kind != KFLAME_LABEL_FILE || l->root_len == KFLAME_LABEL_NO_ROOT || !l->name)
		return NULL;
	for (size_t i = 0; i < m->nr; i++) {
		const struct mount_point *one = &m->all[i];

		if (!is_below(l, one) || (!one->dev_major && !was_mounted(others, one)))
			continue;
		if (asprintf(&path, "%s%s%s", l->is_major ? PROFILE_MAJOR : "", one->at, l->path + l->root_len) < 0)
			return NULL;
		return path;
	}
	return NULL;
}

void mount_points_name(const struct mount_points *before, const struct profile *p, struct records *to)
{
	struct mount_points now = { 0 };

	if (p->nr_labels && mount_points_add(&now, "/proc/self/mountinfo"))
		to->failed = true;
	for (size_t i = 0; i < p->nr_labels; i++) {
		char *path = mount_points_path(&now, before, &p->labels[i]);

		if (!path)
			path = mount_points_path(before, &now, &p->labels[i]);
		if (path)
			records_label(to, p->labels[i].id, path);
		free(path);
	}
	mount_points_exit(&now);
}
