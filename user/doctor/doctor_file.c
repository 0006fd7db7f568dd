// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_file.c - finds the module file for this kernel
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chroot_open.h"
#include "doctor/doctor.h"

#define MAX_DEP		(16u << 20)

static bool is_module(const char *name, size_t len)
{
	static const char *const names[] = { "kflame.ko", "kflame.ko.xz", "kflame.ko.zst",
					     "kflame.ko.gz" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len == strlen(names[i]) && !memcmp(name, names[i], len))
			return true;
	return false;
}

/* Find the path in "extra/kflame.ko.xz: kernel/...": relative to the directory, or absolute */
static void find_listed(struct doctor *d, const char *dep)
{
	while (*dep) {
		size_t line = strcspn(dep, "\n"), len = strcspn(dep, ":\n"), base = len;

		while (base && dep[base - 1] != '/')
			base--;
		if (dep[len] == ':' && is_module(dep + base, len - base)) {
			if (dep[0] == '/')
				snprintf(d->file.path, sizeof(d->file.path), "%.*s", (int)len, dep);
			else
				snprintf(d->file.path, sizeof(d->file.path), "/lib/modules/%s/%.*s",
					 d->release, (int)len, dep);
			d->file.listed = true;
			return;
		}
		dep += line + (dep[line] == '\n');
	}
}

/* Look where 'make install', DKMS and distributions put the file: depmod may not have run */
static void find_unlisted(struct doctor *d)
{
	static const char *const dirs[] = { "updates/dkms", "updates", "extra", "weak-updates",
					    "extra/kflame", "kernel/drivers/misc" };
	static const char *const ends[] = { "", ".xz", ".zst", ".gz" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
			snprintf(d->file.path, sizeof(d->file.path), "/lib/modules/%s/%s/kflame.ko%s",
				 d->release, dirs[i], ends[k]);
			if (root_has(d->root, d->file.path))
				return;
		}
	d->file.path[0] = 0;
}

void doctor_file_modinfo(struct doctor_file *f, const char *text, size_t len)
{
	for (size_t at = 0, n; at < len; at += n + 1) {
		n = strnlen(text + at, len - at);
		if (n > 9 && !memcmp(text + at, "vermagic=", 9))
			snprintf(f->vermagic, sizeof(f->vermagic), "%.*s", (int)(n - 9), text + at + 9);
		if (n > 8 && !memcmp(text + at, "version=", 8))
			snprintf(f->version, sizeof(f->version), "%.*s", (int)(n - 8), text + at + 8);
	}
}

int doctor_file_look(struct doctor *d)
{
	char path[160], *dep;
	int err;

	if (!d->release[0])
		return 0;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", d->release);
	err = root_slurp(d->root, path, MAX_DEP, &dep);
	if (err == -ENOMEM)
		return err;
	if (!err)
		find_listed(d, dep);
	free(dep);
	if (!d->file.listed)
		find_unlisted(d);
	return d->file.path[0] ? doctor_file_read(d) : 0;
}
