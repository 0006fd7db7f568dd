// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit_dump.c - finds the jitdump file of a process by its mapping
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "record/jit_dump.h"

/* Return: 123 for "jit-123.dump", 0 for another name */
static unsigned long pid_of(const struct profile_file *f)
{
	unsigned long pid;
	char *end;

	if (f->path[0] != '/' || strncmp(f->base, "jit-", 4) || !isdigit((unsigned char)f->base[4]))
		return 0;
	pid = strtoul(f->base + 4, &end, 10);
	return strcmp(end, ".dump") ? 0 : pid;
}

/*
 * Accept the file if its inode matches.  Size and time cannot match, because the file has grown since it was
 * reported. If the device differs, accept it, too: on btrfs and overlayfs, stat(2) returns other numbers.
 */
static int judge(int fd, const struct profile_file *f, const struct stat *st)
{
	if (fd < 0 || st->st_ino == f->rec.inode || major(st->st_dev) != f->rec.dev_major ||
	    minor(st->st_dev) != f->rec.dev_minor)
		return fd;
	close(fd);
	return -1;
}

static int open_mapped(const struct profile_aspace *space, const struct profile_mapping *m,
		       const struct profile_file *f, const struct rights *as)
{
	char path[80], root[40];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", space->rec.tgid,
		 (unsigned long long)m->start, (unsigned long long)m->end);
	fd = judge(regular_file_open(path, as, &st), f, &st);
	if (fd >= 0)
		return fd;
	snprintf(root, sizeof(root), "/proc/%u/root", space->rec.tgid);
	fd = judge(regular_file_open_inside(root, f->path, as, &st), f, &st);
	if (fd >= 0)
		return fd;
	fd = judge(regular_file_open_inside("", f->path, as, &st), f, &st);
	return fd >= 0 ? fd : -EAGAIN;
}

int jit_dump_open(const struct profile *p, const struct profile_aspace *space,
		  const struct rights *as)
{
	const struct profile_mapping *found = NULL;

	for (size_t i = 0; i < space->nr_maps; i++) {
		const struct profile_mapping *m = &space->maps[i];
		unsigned long pid = m->file == PROFILE_NONE ? 0 : pid_of(&p->files[m->file]);

		/* A forked child also has its parent's jitdump mapped: prefer the child's own */
		if (pid && (!found || pid == space->rec.ns_tgid))
			found = m;
	}
	return found ? open_mapped(space, found, &p->files[found->file], as) : -ENOENT;
}
