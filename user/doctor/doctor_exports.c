// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_exports.c - does the kernel export the symbols that the module file needs?
 *
 * A kernel with CONFIG_TRIM_UNUSED_KSYMS exports only the symbols that its own modules and a list name.
 * Module.symvers in the kernel headers lists them. Without headers, /proc/kallsyms has a __ksymtab_NAME for
 * each export, if it lists data at all (CONFIG_KALLSYMS_ALL).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chroot_open.h"
#include "doctor/doctor.h"

#define MAX_LIST	(64u << 20)	/* limit in bytes; kallsyms of a large kernel has 15 MiB */
#define PREFIX		"__ksymtab_"
#define NAMED		10		/* limit of missing symbols that the text lists */
#define MARGIN		64		/* bytes of a finding around the names */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Return: the exported name in a line, NUL terminated in place; NULL for none */
static char *exported(char *line, bool kallsyms)
{
	char *name, *save;

	/* "0x12345678	name	vmlinux	EXPORT_SYMBOL_GPL"; "ffffffff81000000 r __ksymtab_name" */
	strtok_r(line, " \t", &save);
	name = strtok_r(NULL, " \t", &save);
	if (!kallsyms || !name)
		return name;
	name = strtok_r(NULL, " \t", &save);
	return name && !strncmp(name, PREFIX, strlen(PREFIX)) ? name + strlen(PREFIX) : NULL;
}

/* Set @found for each needed symbol that @text lists.  Return: how many exports the text lists */
static size_t look_through(const struct doctor_file *f, char *text, bool kallsyms, bool *found)
{
	size_t exports = 0;
	char *save;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *name = exported(line, kallsyms), **hit;

		if (!name)
			continue;
		exports++;
		hit = bsearch(&name, f->uses, f->nr_uses, sizeof(*f->uses), by_name);
		if (hit)
			found[hit - f->uses] = true;
	}
	return exports;
}

int doctor_exports_look(struct doctor *d)
{
	struct doctor_file *f = &d->file;
	char path[128], *text;
	int err;

	if (!f->nr_uses)
		return 0;
	qsort(f->uses, f->nr_uses, sizeof(*f->uses), by_name);
	f->exported = calloc(f->nr_uses, sizeof(*f->exported));
	if (!f->exported)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/lib/modules/%s/build/Module.symvers", d->release);
	err = root_slurp(d->root, path, MAX_LIST, &text);
	if (!err)
		f->exports = look_through(f, text, false, f->exported);
	free(text);
	if (f->exports || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	err = root_slurp(d->root, "/proc/kallsyms", MAX_LIST, &text);
	if (!err)
		f->exports = look_through(f, text, true, f->exported);
	free(text);
	return err == -ENOMEM ? err : 0;
}

/* List the first missing symbols in @names.  Return: how many are missing */
static size_t missing(const struct doctor_file *f, char *names, size_t room)
{
	size_t nr = 0, len = 0;

	names[0] = 0;
	for (size_t i = 0; i < f->nr_uses; i++) {
		size_t more = strlen(f->uses[i]) + 2;

		if (f->exported[i])
			continue;
		if (nr++ >= NAMED || len + more + 5 >= room)
			continue;
		len += (size_t)snprintf(names + len, room - len, "%s%s", len ? ", " : "", f->uses[i]);
	}
	if (nr > NAMED)
		snprintf(names + len, room - len, ", ...");
	return nr;
}

void check_exports(const struct doctor *d, struct finding *f)
{
	static const char trimmed[] = "build the kernel without CONFIG_TRIM_UNUSED_KSYMS, or with these symbols in the file that CONFIG_UNUSED_KSYMS_WHITELIST names";
	bool trims = doctor_config(d, "TRIM_UNUSED_KSYMS") == 'y';
	char names[FINDING_TEXT - MARGIN];
	size_t nr;

	if (d->loaded == PRESENCE_YES || !d->file.exports)
		return;
	nr = missing(&d->file, names, sizeof(names));
	if (nr) {
		find(f, VERDICT_FAILS, "this kernel does not export %zu of the symbols that the module uses: %s", nr, names);
		fix(f, "%s", trims ? trimmed : "build the module against this kernel: make modules");
	} else if (trims) {
		find(f, VERDICT_WORKS, "trimmed (CONFIG_TRIM_UNUSED_KSYMS), but all that the module uses is exported");
	}
}
