// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracepoints.c - tracepoints, and their fields
 *
 * A directory of events/ is a system, and each directory in it is an event. Not each event is a tracepoint.
 * For a tracepoint, the kernel or a module has a function __traceiter_NAME since Linux 5.10.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "base/hash.h"
#include "catalog/catalog.h"
#include "catalog/kernel_symbols.h"

#define MAX_FORMAT	(1u << 20)
#define ITERATOR	"__traceiter_"

/* module: NULL for the kernel */
struct point {
	const char *name, *module;
};

/* The tracepoints, sorted; none if the kernel does not show which they are */
struct known {
	struct point *all;
	size_t nr, cap;
};

static int by_name(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int find_known(const struct kernel_symbols *symbols, struct known *k)
{
	int err = 0;

	for (size_t i = 0; !err && i < symbols->nr; i++) {
		const struct kernel_symbol *s = &symbols->all[i];

		if (strncmp(s->name, ITERATOR, strlen(ITERATOR)))
			continue;
		err = grow(&k->all, k->nr, &k->cap, sizeof(*k->all));
		if (!err)
			k->all[k->nr++] = (struct point){ s->name + strlen(ITERATOR), s->module };
	}
	if (!err && k->nr)
		qsort(k->all, k->nr, sizeof(*k->all), by_name);
	return err;
}

/* Return: NULL if it cannot be used */
static const struct point *usable(const struct known *k, const char *name)
{
	static const struct point unknown;
	const struct point wanted = { .name = name };

	return k->nr ? bsearch(&wanted, k->all, k->nr, sizeof(*k->all), by_name) : &unknown;
}

/* Systems of events that are not tracepoints */
static bool is_foreign(const char *system)
{
	static const char *const foreign[] = { "ftrace", "syscalls", "kprobes", "uprobes", "eprobes", "synthetic" };

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (!strcmp(system, foreign[i]))
			return true;
	return false;
}

/* Return: the directory, to be closed; NULL with *err */
static DIR *open_dir(const char *root, const char *path, int *err)
{
	int fd = root_open(root, path, O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	*err = fd < 0 ? fd : dir ? 0 : -ENOMEM;
	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

/* The next directory in @dir. Return: its name; NULL at the end */
static const char *next_dir(DIR *dir)
{
	const struct dirent *e;

	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
			return e->d_name;
	return NULL;
}

static int list_system(const char *root, const char *path, const char *system, const struct known *k,
		       const char *pattern, struct catalog *c)
{
	const struct point *point;
	const char *event;
	char name[512];
	DIR *dir;
	int err;

	dir = open_dir(root, path, &err);
	/* With its module, a system may be gone now. */
	if (!dir)
		return err == -ENOMEM ? err : 0;
	while (!err && (event = next_dir(dir)))
		if ((point = usable(k, event)) && (size_t)snprintf(name, sizeof(name), "%s:%s", system, event) < sizeof(name))
			err = catalog_add(c, "tracepoint", name, pattern, point->module);
	closedir(dir);
	return err;
}

static int list_all(const char *root, const char *tracefs, const struct known *k, const char *pattern,
		    struct catalog *c)
{
	const char *system;
	char path[1024];
	DIR *dir;
	int err;

	snprintf(path, sizeof(path), "%s/events", tracefs);
	dir = open_dir(root, path, &err);
	while (!err && (system = next_dir(dir))) {
		if (is_foreign(system) ||
		    (size_t)snprintf(path, sizeof(path), "%s/events/%s", tracefs, system) >= sizeof(path))
			continue;
		err = list_system(root, path, system, k, pattern, c);
	}
	if (dir)
		closedir(dir);
	return err;
}

int catalog_tracepoints(const char *root, struct kernel_symbols *symbols, const char *tracefs, const char *pattern,
			struct catalog *c)
{
	struct known k = { 0 };
	int err = kernel_symbols_read(symbols, root) == -ENOMEM ? -ENOMEM : find_known(symbols, &k);

	if (!err)
		err = list_all(root, tracefs, &k, pattern, c);
	if (!err)
		catalog_sort(c);
	free(k.all);
	return err;
}

/* "\tfield:char prev_comm[16];\toffset:8;...". Return: "char prev_comm[16]"; NULL for what all events have */
static char *field_of(char *line)
{
	char *field = strstr(line, "field:"), *name;

	if (!field)
		return NULL;
	field += strlen("field:");
	field[strcspn(field, ";")] = 0;
	name = strrchr(field, ' ');
	return !name || !strncmp(name + 1, "common_", strlen("common_")) ? NULL : field;
}

int catalog_fields(const char *root, const char *tracefs, const char *word, char **fields)
{
	const char *system = strchr(word, ':') + 1, *event = strchr(system, ':') + 1;
	char path[1024], *text, *line, *rest;
	size_t size;
	FILE *out;
	int err;

	*fields = NULL;
	snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", tracefs, (int)(event - 1 - system), system, event);
	err = root_slurp(root, path, MAX_FORMAT, &text);
	if (err)
		return err;
	out = open_memstream(fields, &size);
	rest = text;
	while (out && (line = strsep(&rest, "\n"))) {
		const char *field = field_of(line);

		if (field)
			fprintf(out, "%s\n", field);
	}
	free(text);
	return !out || fclose(out) ? -ENOMEM : 0;
}
