// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debug_files.c - find the separate debug file of a stripped file
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/chroot_open.h"
#include "base/regular_file.h"
#include "elf/debug_files.h"
#include "elf/debuginfod.h"
#include "elf/elf_summary.h"

#define DEBUG_DIR	"/usr/lib/debug"
#define PACKED_LINK	"/files%.*s/.debug/%s"	/* folder of the file, and .gnu_debuglink: the name in an archive */
#define MAX_CHECKED	(1 << 30)	/* bytes of the largest file that a checksum is computed for */

/* How a debug file is recognised */
struct wanted {
	const struct elf_summary *elf;	/* of the stripped file */
	char hex[2 * ELF_SUMMARY_ID + 1];	/* its build-id */
	const char *symbols;	/* as for debug_files_find() */
	struct rights owner;	/* owner of the file, who chose .elf->link */
};

static void describe(const struct elf_summary *elf, int fd, struct wanted *w)
{
	w->elf = elf;
	/* The vDSO is not in a file and has no .gnu_debuglink */
	if (fd < 0 || rights_of_file(fd, &w->owner))
		w->owner = rights_nobody();
	for (size_t i = 0; i < elf->id_len; i++)
		sprintf(w->hex + 2 * i, "%02x", elf->id[i]);
}

/* Any user may own the file.  So do not read a file that is too long, or grows meanwhile. */
static bool crc_is(int fd, uint32_t wanted)
{
	unsigned char buffer[1 << 16];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || st.st_size > MAX_CHECKED)
		return false;
	while (at <= st.st_size && (n = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		crc = crc32(crc, buffer, (uInt)n);
		at += n;
	}
	return at == st.st_size && crc == wanted;
}

static bool same_id(const struct elf_summary *a, const struct elf_summary *b)
{
	return a->id_len == b->id_len && !memcmp(a->id, b->id, a->id_len);
}

/*
 * If @fd is the debug file, keep it; else close it.  Return: whether it is.
 *
 * Yocto's debug file .debug/NAME has the name of its program, so the search meets the stripped program first.
 */
static bool take(int fd, const struct wanted *w, struct debug_files *out)
{
	struct elf_summary its;
	bool same = elf_summary_read(fd, &its) && (its.has_symtab || its.debug_bytes);

	if (same)
		same = its.id_len && w->elf->id_len ? same_id(&its, w->elf)
						    : *w->elf->link && crc_is(fd, w->elf->crc);
	if (!same) {
		close(fd);
		return false;
	}
	out->fd = fd;
	out->elf = its;
	return true;
}

static bool try(const struct wanted *w, const char *root, const struct rights *as,
		struct debug_files *out, const char *how, ...) __attribute__((format(printf, 5, 6)));

/* @root: as for regular_file_open_inside(); NULL: the initial mount namespace */
static bool try(const struct wanted *w, const char *root, const struct rights *as,
		struct debug_files *out, const char *how, ...)
{
	struct stat st;
	va_list args;
	char *path;
	int len, fd;

	va_start(args, how);
	len = vasprintf(&path, how, args);
	va_end(args);
	if (len < 0)
		return false;
	fd = root ? regular_file_open_inside(root, path, as, &st) : regular_file_open_outside(path, as, &st);
	free(path);
	return fd >= 0 && take(fd, w, out);
}

/* Look in the cache of debuginfod's clients: see debuginfod_find_debuginfo(3) */
static bool try_cache(const struct wanted *w, struct debug_files *out)
{
	const char *dir = getenv("DEBUGINFOD_CACHE_PATH");

	if (dir && *dir)
		return try(w, NULL, NULL, out, "%s/%s/debuginfo", dir, w->hex);
	dir = getenv("XDG_CACHE_HOME");
	if (dir && *dir)
		return try(w, NULL, NULL, out, "%s/debuginfod_client/%s/debuginfo", dir, w->hex);
	dir = getenv("HOME");
	return dir && *dir && try(w, NULL, NULL, out, "%s/.cache/debuginfod_client/%s/debuginfo", dir,
				   w->hex);
}

/* Look by build-id in .symbols: as an archive has it, or where packages install debug files */
static bool given_by_build_id(const struct wanted *w, struct debug_files *out)
{
	return w->symbols &&
	       (try(w, w->symbols, NULL, out, "/.build-id/%.2s/%s.debug", w->hex, w->hex + 2) ||
		try(w, w->symbols, NULL, out, DEBUG_DIR "/.build-id/%.2s/%s.debug", w->hex, w->hex + 2));
}

/*
 * Make the name in an archive of a debug file that only .gnu_debuglink names.  Return: NULL if memory runs
 * out, or if @path leads out of the archive
 */
static char *link_name(const char *path, const char *link)
{
	const char *slash = strrchr(path, '/');
	char *name;

	if (!slash || !root_stays_below(path) ||
	    asprintf(&name, PACKED_LINK, (int)(slash - path), path, link) < 0)
		return NULL;
	return name;
}

/* Look by .gnu_debuglink where it may be, below @root as for try().  @dir: length of the folder in @path */
static bool at_link(const struct wanted *w, const char *root, const struct rights *as, int dir, const char *path,
		    struct debug_files *out)
{
	const char *link = w->elf->link;

	return try(w, root, as, out, "%.*s/%s", dir, path, link) ||
	       try(w, root, as, out, "%.*s/.debug/%s", dir, path, link) ||
	       try(w, root, as, out, DEBUG_DIR "%.*s/%s", dir, path, link);
}

/* Look by .gnu_debuglink in .symbols */
static bool given_by_link(const struct wanted *w, int dir, const char *path, struct debug_files *out)
{
	return w->symbols && root_stays_below(path) &&
	       (try(w, w->symbols, NULL, out, PACKED_LINK, dir, path, w->elf->link) ||
		at_link(w, w->symbols, NULL, dir, path, out));
}

static bool by_build_id(const struct wanted *w, struct debug_files *out)
{
	return w->elf->id_len > 1 &&
	       (given_by_build_id(w, out) ||
		try(w, NULL, NULL, out, DEBUG_DIR "/.build-id/%.2s/%s.debug", w->hex, w->hex + 2) ||
		try_cache(w, out));
}

/* The file chose the name.  Its owner may have put a link to a secret file there: use the owner's rights */
static bool by_link(const struct wanted *w, const char *path, struct debug_files *out)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;

	return *w->elf->link && *path == '/' &&
	       (given_by_link(w, dir, path, out) || at_link(w, NULL, &w->owner, dir, path, out));
}

static bool by_server(const struct wanted *w, struct debug_files *out)
{
	int fd = debuginfod_open(w->elf->id, w->elf->id_len);

	return fd >= 0 && take(fd, w, out);
}

void debug_files_find(const struct elf_summary *elf, int fd, const char *path, const char *symbols,
		      struct debug_files *out)
{
	struct wanted w = { .symbols = symbols };

	*out = (struct debug_files){ .fd = -1 };
	describe(elf, fd, &w);
	if (!by_build_id(&w, out) && !by_link(&w, path, out))
		by_server(&w, out);
}

void debug_files_find_here(const struct elf_summary *elf, int fd, const char *path, const char *symbols,
			   struct debug_files *out)
{
	struct wanted w = { .symbols = symbols };

	*out = (struct debug_files){ .fd = -1 };
	describe(elf, fd, &w);
	if (!by_build_id(&w, out))
		by_link(&w, path, out);
}

char *debug_files_packed_name(const struct elf_summary *elf, const char *path, const struct debug_files *d)
{
	struct wanted w = { 0 };
	char *name;

	describe(elf, -1, &w);
	if (elf->id_len < 2 || d->elf.id_len != elf->id_len)
		return *elf->link ? link_name(path, elf->link) : NULL;
	return asprintf(&name, "/.build-id/%.2s/%s.debug", w.hex, w.hex + 2) < 0 ? NULL : name;
}

void debug_files_close(struct debug_files *d)
{
	if (d->fd >= 0)
		close(d->fd);
	*d = (struct debug_files){ .fd = -1 };
}
