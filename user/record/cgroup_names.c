// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_names.c - finds the paths of the cgroups whose ids are in a profile
 *
 * A cgroup id is the file handle of the cgroup's directory.  Opening a directory by its handle takes
 * CAP_DAC_READ_SEARCH. Without that, /proc/PID/cgroup of a sampled process names the path.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/cgroup_mount.h"
#include "record/cgroup_names.h"

#define FILEID_KERNFS	0xfe		/* include/linux/exportfs.h of the kernel */
#define MAX_PATH	4096
#define MAX_CGROUPS	(1u << 16)	/* limit; further ones appear as "gone" */

static void open_mount(struct cgroups *c)
{
	c->opened = true;
	c->mount = cgroup_mount_open(&c->at);
}

/* Return: the path relative to the mount point, as "/"; NULL if it is elsewhere, or memory is short */
static char *below_mount(const struct cgroups *c, const char *path)
{
	size_t len = strlen(c->at);

	if (strncmp(path, c->at, len) || (path[len] && path[len] != '/'))
		return NULL;
	return strdup(path[len] ? path + len : "/");
}

static char *path_by_handle(const struct cgroups *c, uint64_t id)
{
	struct {
		struct file_handle h;
		uint64_t id;
	} handle = { .h = { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS } };
	char link[40], path[MAX_PATH];
	ssize_t len;
	int fd;

	memcpy(handle.h.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(c->mount, &handle.h, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	close(fd);
	if (len < 0)
		return NULL;
	path[len] = 0;
	return below_mount(c, path);
}

/* Reads "0::/path".  The process may have moved since the sample: the inode must match the cgroup id */
static char *path_by_process(const struct cgroups *c, uint64_t id, uint32_t tgid)
{
	char name[40], *line = NULL, *found = NULL;
	struct stat st;
	size_t cap = 0;
	FILE *in;

	snprintf(name, sizeof(name), "/proc/%u/cgroup", tgid);
	in = fopen(name, "re");
	while (in && !found && getline(&line, &cap, in) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "0::/", 4) &&
		    !fstatat(c->mount, line[4] ? line + 4 : ".", &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_ino == id)
			found = strdup(line + 3);
	}
	free(line);
	if (in)
		fclose(in);
	return found;
}

static char *find_path(struct cgroups *c, uint64_t id, uint32_t tgid)
{
	char *path;

	if (!c->opened)
		open_mount(c);
	if (c->mount < 0 || !c->at)
		return NULL;
	path = path_by_handle(c, id);
	return path ? path : path_by_process(c, id, tgid);
}

static void look_up(struct cgroups *c, const struct kflame_rec_aspace *as)
{
	cgroups_path(c, as->cgroup_id, as->tgid);
}

const char *cgroups_path(struct cgroups *c, uint64_t id, uint32_t tgid)
{
	uint32_t known = id ? idmap_find(&c->ids, id) : INDEX_NONE;

	if (known != INDEX_NONE)
		return c->all[known].path;
	if (!id || c->nr >= MAX_CGROUPS || grow(&c->all, c->nr, &c->cap, sizeof(*c->all)) ||
	    idmap_set(&c->ids, id, (uint32_t)c->nr))
		return NULL;
	c->all[c->nr] = (struct cgroup){ id, find_path(c, id, tgid) };
	return c->all[c->nr++].path;
}

void cgroups_update(struct cgroups *c, const struct profile *p)
{
	bool reported = true;

	if (c->bytes == p->bytes)
		return;
	c->bytes = p->bytes;
	for (size_t i = c->looked; i < p->nr_aspaces; i++) {
		look_up(c, &p->aspaces[i].rec);
		reported = reported && p->aspaces[i].reported;
		if (reported)
			c->looked = i + 1;
	}
}

void cgroups_name(struct cgroups *c, const struct profile *p, struct records *to)
{
	/* An address space that was reported again may be in another cgroup by now */
	c->looked = 0;
	c->bytes = 0;
	cgroups_update(c, p);
	for (size_t i = 0; i < c->nr; i++)
		if (c->all[i].path)
			records_cgroup(to, c->all[i].id, c->all[i].path);
}

void cgroups_exit(struct cgroups *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->all[i].path);
	free(c->all);
	idmap_exit(&c->ids);
	free(c->at);
	if (c->opened && c->mount >= 0)
		close(c->mount);
	*c = (struct cgroups){ 0 };
}
