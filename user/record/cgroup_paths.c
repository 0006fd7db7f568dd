// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_paths.c - follows the control groups of --cgroup, see cgroup_paths.h
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "device/device.h"
#include "record/cgroup_mount.h"
#include "record/cgroup_paths.h"

/* Return: the id of an open group, which is its inode number; 0 if @fd is none */
static uint64_t id_of(int fd)
{
	struct stat st;

	return fd < 0 || fstat(fd, &st) ? 0 : st.st_ino;
}

int chosen_cgroups_open(struct chosen_cgroups *c, const char *path)
{
	int fd = cgroup_open(path);

	if (fd >= 0)
		c->all[c->nr++] = (struct chosen_cgroup){ .path = path, .id = id_of(fd) };
	return fd;
}

static void note_removed(struct chosen_cgroup *g, uint64_t now)
{
	if (g->gone_ns)
		return;
	g->gone_ns = now;
	g->removed++;
}

static void follow(struct chosen_cgroup *g, int device, uint32_t index, uint64_t features, uint64_t now)
{
	int fd = cgroup_find(g->path);
	uint64_t id = id_of(fd);

	if (id != g->id)
		note_removed(g, now);
	if (id && id != g->id) {
		g->stays_away = !(features & KFLAME_FEAT_CGROUP_AGAIN) || device_cgroup(device, index, fd);
		if (!g->stays_away) {
			g->id = id;
			g->away_ns += now - g->gone_ns;
			g->gone_ns = 0;
		}
	}
	if (fd >= 0)
		close(fd);
}

void chosen_cgroups_look(struct chosen_cgroups *c, int device, uint64_t features, uint64_t now)
{
	for (size_t i = 0; i < c->nr; i++)
		follow(&c->all[i], device, (uint32_t)i, features, now);
	c->looked_ns = now;
}

void chosen_cgroups_follow(struct chosen_cgroups *c, int device, uint64_t features, uint64_t now)
{
	if (c->nr && now - c->looked_ns >= CHOSEN_CGROUPS_NS)
		chosen_cgroups_look(c, device, features, now);
}

void chosen_cgroups_tell(const struct chosen_cgroups *c, uint64_t now)
{
	char text[TEXT_NUMBER];

	for (const struct chosen_cgroup *g = c->all; g < c->all + c->nr; g++) {
		uint64_t away = g->away_ns + (g->gone_ns ? now - g->gone_ns : 0);

		if (!g->removed)
			continue;
		text_seconds(text, away);
		if (g->stays_away)
			complain("the control group %s was removed and made again. The last %s are missing, because the module is older than this tool: install both from one source",
				 g->path, text);
		else if (g->gone_ns)
			complain("the control group %s was removed, and is not there again. For %s there was nothing to sample",
				 g->path, text);
		else
			complain("the control group %s was removed and made again, %u time%s. It was sampled again each time; for %s it was not there",
				 g->path, g->removed, g->removed > 1 ? "s" : "", text);
	}
}
