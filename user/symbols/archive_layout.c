// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * archive_layout.c - the names of files in an archive, and in the directory it is unpacked to
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chroot_open.h"
#include "base/regular_file.h"
#include "symbols/archive_layout.h"

static char *by_build_id(const struct kflame_rec_file *rec)
{
	char hex[2 * KFLAME_BUILD_ID_MAX + 1], *name;

	for (uint32_t i = 0; i < rec->build_id_len; i++)
		sprintf(hex + 2 * i, "%02x", rec->build_id[i]);
	return asprintf(&name, "/.build-id/%.2s/%s", hex, hex + 2) < 0 ? NULL : name;
}

bool packed_is_vdso(const struct profile_file *f)
{
	return !f->rec.inode && !strcmp(f->path, "[vdso]");
}

char *packed_name(const struct profile_file *f)
{
	char *name;

	if (f->rec.build_id_len > 1)
		return by_build_id(&f->rec);
	if (packed_is_vdso(f))
		return strdup("/files/[vdso]");
	if (!root_stays_below(f->path) || asprintf(&name, "/files%s", f->path) < 0)
		return NULL;
	return name;
}

int packed_open(const char *dir, const struct profile_file *f, struct stat *st)
{
	char *name = packed_name(f);
	int fd = name ? regular_file_open_inside(dir, name, NULL, st) : -1;

	free(name);
	return fd;
}
