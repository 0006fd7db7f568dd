// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped_file.c - finds a mapped file and its debug file
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "base/regular_file.h"
#include "elf/debug_files.h"
#include "elf/elf_summary.h"
#include "elf/source_lookup.h"
#include "elf/vdso.h"
#include "symbols/archive_layout.h"
#include "symbols/mapped_file.h"

/* Reading more debug data than this takes more than a second, and gigabytes of memory */
#define MUCH_DEBUG_INFO	(256ull << 20)

struct binary {
	uint32_t state;
	int fd;			/* the open file; -1 for none */
	bool ours;		/* .fd is ours to close */
	struct elf_summary elf;	/* summary of .fd */
	char *path;		/* as in the profile */
	char *base;		/* its last component */
	const char *dir;	/* as @symbols of binary_open_file() */
	struct debug_files debug;
	bool looked;		/* the search for .debug was done */
};

/* Return: whether both build-ids are equal; -1 if the profile or the file has none */
static int same_build_id(const struct profile_file *f, const struct elf_summary *elf)
{
	/* The module truncates longer build-ids. */
	size_t len = elf->id_len < KFLAME_BUILD_ID_MAX ? elf->id_len : KFLAME_BUILD_ID_MAX;

	if (!f->rec.build_id_len || !len)
		return -1;
	return len == f->rec.build_id_len && !memcmp(elf->id, f->rec.build_id, len);
}

/* The same for an open file */
static int file_same_build_id(const struct profile_file *f, int fd)
{
	struct elf_summary elf;

	elf_summary_read(fd, &elf);
	return same_build_id(f, &elf);
}

static bool same_size_and_time(const struct profile_file *f, const struct stat *st)
{
	return (uint64_t)st->st_size == f->rec.bytes &&
	       (uint64_t)st->st_mtim.tv_sec * 1000000000ull + (uint64_t)st->st_mtim.tv_nsec ==
	       f->rec.mtime_ns;
}

/*
 * If both have a build-id, it decides.  Otherwise the size and the time of the last change must be equal.
 * The inode must be equal only if the device is equal.  On btrfs and overlayfs, stat(2) shows other
 * device numbers than the kernel has internally.
 */
bool binary_is_file(const struct profile_file *f, int fd, const struct stat *st)
{
	int same = file_same_build_id(f, fd);

	if (same >= 0)
		return same;
	if (!same_size_and_time(f, st))
		return false;
	return st->st_ino == f->rec.inode || major(st->st_dev) != f->rec.dev_major ||
	       minor(st->st_dev) != f->rec.dev_minor;
}

/* Keeps a copy of the mapped file. Its inode differs, and what copied it may have kept only whole seconds. */
static int take_copy(const struct profile_file *f, int fd, const struct stat *st, uint32_t *state)
{
	struct profile_file seconds = *f;
	int same;

	if (fd < 0)
		return -1;
	same = file_same_build_id(f, fd);
	if (same < 0 && !st->st_mtim.tv_nsec)
		seconds.rec.mtime_ns -= seconds.rec.mtime_ns % 1000000000;
	if (same > 0 ||
	    (same < 0 && (packed_is_vdso(f) || same_size_and_time(&seconds, st))))
		return fd;
	*state = KFLAME_NAMED_CHANGED;
	close(fd);
	return -1;
}

/* Opens a file of an unpacked archive */
static int open_packed(const struct profile_file *f, const char *symbols, uint32_t *state)
{
	struct stat st;
	int fd = packed_open(symbols, f, &st);

	return take_copy(f, fd, &st, state);
}

/* Opens the file at @path of a copy of the recorded machine's root */
static int open_in_root(const struct profile_file *f, const char *root, const char *path, uint32_t *state)
{
	struct stat st;
	int fd = root_stays_below(path) ? regular_file_open_inside(root, path, NULL, &st) : -1;

	return take_copy(f, fd, &st, state);
}

/*
 * Opens the file by its build-id in a copy of a root, in which it may have moved. Packages with debug files install
 * links from build-ids to programs: /usr/lib/debug/.build-id/ab/cdef, and newer ones /usr/lib/.build-id/ab/cdef.
 */
static int open_by_build_id(const struct profile_file *f, const char *root, uint32_t *state)
{
	static const char *const folders[] = { "/usr/lib/debug", "/usr/lib" };
	char *name = f->rec.build_id_len > 1 ? packed_name(f) : NULL, path[256];
	int fd = -1;

	for (size_t i = 0; name && fd < 0 && i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", folders[i], name);
		fd = open_in_root(f, root, path, state);
	}
	free(name);
	return fd;
}

/* Opens the file at @path if it is the file that was mapped; otherwise sets @state */
static int open_same(const struct profile_file *f, const char *path, uint32_t *state)
{
	struct stat st;
	int fd = regular_file_open_outside(path, NULL, &st);

	if (fd < 0)
		return -1;
	if (binary_is_file(f, fd, &st))
		return fd;
	*state = KFLAME_NAMED_CHANGED;
	close(fd);
	return -1;
}

static int open_by_path(const struct profile_file *f, const char *path, const char *symbols, uint32_t *state)
{
	int fd = symbols ? open_in_root(f, symbols, path, state) : -1;

	return fd >= 0 ? fd : open_same(f, path, state);
}

int binary_open_file(const struct profile_file *f, const char *symbols, uint32_t *state)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(f->path), tail = sizeof(deleted) - 1;
	char *live;
	int fd = -1;

	*state = KFLAME_NAMED_GONE;
	if (symbols)
		fd = open_packed(f, symbols, state);
	if (fd < 0 && symbols)
		fd = open_by_build_id(f, symbols, state);
	if (fd >= 0 || f->path[0] != '/')
		return fd;
	fd = open_by_path(f, f->path, symbols, state);
	if (fd >= 0 || len <= tail || strcmp(f->path + len - tail, deleted))
		return fd;
	/* A file may have this path again: another one, or the same one. */
	live = strndup(f->path, len - tail);
	if (live)
		fd = open_by_path(f, live, symbols, state);
	free(live);
	return fd;
}

static bool write_all(int fd, const char *from, size_t len)
{
	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		len -= (size_t)n;
	}
	return true;
}

static int copy_vdso(void)
{
	size_t len;
	const char *image = vdso_image(&len);
	int fd = image ? memfd_create("kflame-vdso", MFD_CLOEXEC) : -1;

	if (fd >= 0 && !write_all(fd, image, len)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int binary_copy_vdso(const struct profile_file *f)
{
	int fd = packed_is_vdso(f) ? copy_vdso() : -1;

	if (fd >= 0 && !file_same_build_id(f, fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Ignores the file if its build-id changed: it may have been overwritten after it was mapped */
static void forget_changed(struct binary *b, const struct profile_file *f)
{
	if (!b->elf.is_elf || same_build_id(f, &b->elf))
		return;
	b->state = KFLAME_NAMED_CHANGED;
	b->elf.is_elf = false;
}

/* The archive's vDSO, or this kernel's if it is the recorded one */
static int open_vdso(struct binary *b, const struct profile_file *f)
{
	int fd = b->dir ? binary_open_file(f, b->dir, &b->state) : -1;

	if (fd < 0 && !b->dir)
		b->state = KFLAME_NAMED_CHANGED;
	return fd < 0 ? binary_copy_vdso(f) : fd;
}

static void find(struct binary *b, const struct profile_file *f, int fd)
{
	bool vdso = packed_is_vdso(f);

	b->state = KFLAME_NAMED_GONE;
	b->ours = vdso || fd < 0;
	b->fd = vdso ? open_vdso(b, f) : fd < 0 ? binary_open_file(f, b->dir, &b->state) : fd;
	if (b->fd < 0)
		return;
	b->state = KFLAME_NAMED_DAMAGED;
	elf_summary_read(b->fd, &b->elf);
	forget_changed(b, f);
	/* No debug file belongs to the vDSO */
	b->looked = vdso;
	if (!vdso && b->elf.is_elf && elf_summary_symbols_elsewhere(&b->elf))
		binary_look_for_debug(b);
}

int binary_open(const struct profile_file *f, int fd, const char *symbols, struct binary **out)
{
	struct binary *b = calloc(1, sizeof(*b));

	*out = NULL;
	if (!b)
		return -ENOMEM;
	b->fd = b->debug.fd = -1;
	b->dir = symbols;
	b->path = strdup(f->path);
	b->base = strdup(f->base ? f->base : f->path);
	if (!b->path || !b->base) {
		binary_close(b);
		return -ENOMEM;
	}
	find(b, f, fd);
	*out = b;
	return 0;
}

void binary_close(struct binary *b)
{
	if (!b)
		return;
	debug_files_close(&b->debug);
	if (b->ours && b->fd >= 0)
		close(b->fd);
	free(b->path);
	free(b->base);
	free(b);
}

uint32_t binary_state(const struct binary *b)
{
	return b->state;
}

uid_t binary_owner(const struct binary *b)
{
	struct stat st;

	return b->fd >= 0 && !fstat(b->fd, &st) ? st.st_uid : 0;
}

const char *binary_base(const struct binary *b)
{
	return b->base;
}

int binary_fd(const struct binary *b)
{
	return b->elf.is_elf ? b->fd : -1;
}

int binary_debug_fd(const struct binary *b)
{
	return b->debug.fd;
}

bool binary_look_for_debug(struct binary *b)
{
	if (b->looked || !b->elf.is_elf)
		return false;
	b->looked = true;
	debug_files_find(&b->elf, b->fd, b->path, b->dir, &b->debug);
	return b->debug.fd >= 0;
}

/* The file that has the debug data.  Return: how much it is, 0 if there is none. */
static uint64_t find_debug_info(struct binary *b, int *fd)
{
	uint64_t bytes = b->elf.debug_bytes;

	*fd = b->fd;
	if (bytes)
		return bytes;
	/* The file has symbols but no lines: no debug file was needed for the names. */
	if (b->debug.fd < 0 && b->elf.has_symtab)
		debug_files_find_here(&b->elf, b->fd, b->path, b->dir, &b->debug);
	*fd = b->debug.fd;
	return b->debug.elf.debug_bytes;
}

int binary_sources(struct binary *b, const uint64_t *offsets, size_t nr,
		   enum source_inline wish, uint64_t *time_ns, const struct source_taker *taker)
{
	struct source_file f = { .fd = b->fd };
	uint64_t bytes;

	if (wish == SOURCE_INLINE_NO || !b->elf.is_elf)
		return 0;
	bytes = find_debug_info(b, &f.debug);
	if (!bytes || (wish == SOURCE_INLINE_AUTO && bytes > MUCH_DEBUG_INFO))
		return 0;
	return sources_ask(&f, offsets, nr, time_ns, taker);
}
