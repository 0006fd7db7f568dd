// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debug_files.c - where else the symbols of a stripped file are
 */
#include <elfutils/libdwelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/debug_files.h"
#include "symbols/debuginfod.h"
#include "symbols/packed.h"
#include "symbols/regular_file.h"
#include "symbols/section.h"

#define DEBUG_DIR	"/usr/lib/debug"
#define MAX_ID		64
#define MAX_CHECKED	(1 << 30)	/* bytes a checksum is made of */

/* What a debug file is recognised by */
struct wanted {
	unsigned char id[MAX_ID];
	size_t id_len;		/* 0: the file has none */
	char hex[2 * MAX_ID + 1];
	const char *link;	/* of .gnu_debuglink; NULL for none */
	GElf_Word crc;
	const char *symbols;	/* directory of an unpacked archive; NULL */
	struct rights owner;	/* of the file, who chose .link */
};

static size_t build_id(Elf *elf, unsigned char *to)
{
	const void *id;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &id);

	if (len <= 0 || len > MAX_ID)
		return 0;
	memcpy(to, id, (size_t)len);
	return (size_t)len;
}

static void describe(Elf *elf, int fd, struct wanted *w)
{
	/* The vDSO is in no file and has no .gnu_debuglink */
	if (fd < 0 || rights_of_file(fd, &w->owner))
		w->owner = rights_nobody();
	w->id_len = build_id(elf, w->id);
	for (size_t i = 0; i < w->id_len; i++)
		sprintf(w->hex + 2 * i, "%02x", w->id[i]);
	w->link = dwelf_elf_gnu_debuglink(elf, &w->crc);
	/* a name, not a way somewhere else */
	if (w->link && (!*w->link || strchr(w->link, '/')))
		w->link = NULL;
}

/* Of a file that may be anybody's: one that is longer, or grows meanwhile, is not read */
static bool crc_is(int fd, GElf_Word wanted)
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

/* Takes over @fd if that is the debug file.  Return: whether it is. */
static bool take(int fd, const struct wanted *w, struct debug_files *out)
{
	unsigned char id[MAX_ID];
	Elf *elf = section_open(fd);
	size_t len = elf ? build_id(elf, id) : 0;
	bool same;

	if (!elf || elf_kind(elf) != ELF_K_ELF)
		same = false;
	else if (len && w->id_len)
		same = len == w->id_len && !memcmp(id, w->id, len);
	else
		same = w->link && crc_is(fd, w->crc);
	if (same) {
		out->debug = elf;
		out->fd = fd;
		return true;
	}
	if (elf)
		elf_end(elf);
	close(fd);
	return false;
}

static bool try(const struct wanted *w, const struct rights *as, struct debug_files *out,
		const char *how, ...) __attribute__((format(printf, 4, 5)));

static bool try(const struct wanted *w, const struct rights *as, struct debug_files *out,
		const char *how, ...)
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
	fd = regular_file_open_outside(path, as, &st);
	free(path);
	return fd >= 0 && take(fd, w, out);
}

/* Where debuginfod's clients keep what they got, debuginfod_find_debuginfo(3) */
static bool try_cache(const struct wanted *w, struct debug_files *out)
{
	const char *dir = getenv("DEBUGINFOD_CACHE_PATH");

	if (dir && *dir)
		return try(w, NULL, out, "%s/%s/debuginfo", dir, w->hex);
	dir = getenv("XDG_CACHE_HOME");
	if (dir && *dir)
		return try(w, NULL, out, "%s/debuginfod_client/%s/debuginfo", dir, w->hex);
	dir = getenv("HOME");
	return dir && *dir && try(w, NULL, out, "%s/.cache/debuginfod_client/%s/debuginfo", dir,
				   w->hex);
}

/* In an archive, where no link leads out of it */
static bool try_packed(const struct wanted *w, const char *name, struct debug_files *out)
{
	struct stat st;
	int fd = regular_file_open_inside(w->symbols, name, NULL, &st);

	return fd >= 0 && take(fd, w, out);
}

static bool packed_by_build_id(const struct wanted *w, struct debug_files *out)
{
	char name[2 * MAX_ID + 32];

	if (!w->symbols)
		return false;
	snprintf(name, sizeof(name), "/.build-id/%.2s/%s.debug", w->hex, w->hex + 2);
	return try_packed(w, name, out);
}

static bool packed_by_link(const struct wanted *w, const char *path, struct debug_files *out)
{
	char *name = w->symbols ? packed_link_name(path, w->link) : NULL;
	bool found = name && try_packed(w, name, out);

	free(name);
	return found;
}

static bool by_build_id(const struct wanted *w, struct debug_files *out)
{
	return w->id_len > 1 &&
	       (packed_by_build_id(w, out) ||
		try(w, NULL, out, DEBUG_DIR "/.build-id/%.2s/%s.debug", w->hex, w->hex + 2) ||
		try_cache(w, out));
}

/* The file chose the name, and its owner may have put a link to a secret file there */
static bool by_link(const struct wanted *w, const char *path, struct debug_files *out)
{
	const struct rights *as = &w->owner;
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;

	return w->link && *path == '/' &&
	       (packed_by_link(w, path, out) ||
		try(w, as, out, "%.*s/%s", dir, path, w->link) ||
		try(w, as, out, "%.*s/.debug/%s", dir, path, w->link) ||
		try(w, as, out, DEBUG_DIR "%.*s/%s", dir, path, w->link));
}

static bool by_server(const struct wanted *w, struct debug_files *out)
{
	int fd = debuginfod_open(w->id, w->id_len);

	return fd >= 0 && take(fd, w, out);
}

void debug_files_find(Elf *elf, int fd, const char *path, const char *symbols,
		      struct debug_files *out)
{
	struct wanted w = { .symbols = symbols };

	*out = (struct debug_files){ .fd = -1 };
	describe(elf, fd, &w);
	if (!by_build_id(&w, out) && !by_link(&w, path, out))
		by_server(&w, out);
}

void debug_files_find_here(Elf *elf, int fd, const char *path, const char *symbols,
			   struct debug_files *out)
{
	struct wanted w = { .symbols = symbols };

	*out = (struct debug_files){ .fd = -1 };
	describe(elf, fd, &w);
	if (!by_build_id(&w, out))
		by_link(&w, path, out);
}

char *debug_files_packed_name(Elf *elf, const char *path, const struct debug_files *d)
{
	unsigned char id[MAX_ID];
	struct wanted w = { 0 };
	char *name;

	describe(elf, -1, &w);
	if (w.id_len < 2 || build_id(d->debug, id) != w.id_len)
		return w.link ? packed_link_name(path, w.link) : NULL;
	return asprintf(&name, "/.build-id/%.2s/%s.debug", w.hex, w.hex + 2) < 0 ? NULL : name;
}

void debug_files_close(struct debug_files *d)
{
	if (d->debug) {
		elf_end(d->debug);
		close(d->fd);
	}
	memset(d, 0, sizeof(*d));
}
