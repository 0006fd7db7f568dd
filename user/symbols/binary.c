// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * binary.c - a mapped file, found again and opened for its names
 */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols/binary.h"
#include "symbols/cfi.h"
#include "symbols/debug_files.h"
#include "symbols/elf_sections.h"
#include "symbols/elf_symbols.h"
#include "symbols/packed.h"
#include "symbols/partial.h"
#include "symbols/regular_file.h"
#include "symbols/section.h"
#include "symbols/vdso.h"

/* More than that takes more than a second to read through, and gigabytes */
#define MUCH_DEBUG_INFO	(256ull << 20)

struct binary {
	uint32_t state;
	int fd;			/* ours to close; -1 */
	int elf_fd;		/* of .elf; -1: it is in memory */
	Elf *elf;
	char *path;		/* the profile's */
	char *base;		/* likewise */
	char *made;		/* what binary_function() returned last, if it is not the file's */
	const char *dir;	/* of an unpacked archive; NULL */
	struct debug_files more;
	struct elf_symbols symbols;
	struct cfi *cfi;
	bool cfi_tried;
};

/* Reads of a file, not maps it: one that is cut short meanwhile must not kill us */
static Elf *begin(int fd)
{
	if (elf_version(EV_CURRENT) == EV_NONE || !elf_sections_sane(fd))
		return NULL;
	return elf_begin(fd, ELF_C_READ, NULL);
}

/* -1: one of them has none; otherwise whether they are the same */
static int same_build_id(const struct profile_file *f, Elf *elf)
{
	const void *id;
	ssize_t len;

	if (!f->rec.build_id_len || !elf)
		return -1;
	len = dwelf_elf_gnu_build_id(elf, &id);
	if (len <= 0)
		return -1;
	if (len > KFLAME_BUILD_ID_MAX)
		len = KFLAME_BUILD_ID_MAX;
	return (uint32_t)len == f->rec.build_id_len &&
	       !memcmp(id, f->rec.build_id, (size_t)len);
}

/* -1: one of them has none; otherwise whether they are the same */
static int file_same_build_id(const struct profile_file *f, int fd)
{
	Elf *elf = begin(fd);
	int same = same_build_id(f, elf);

	if (elf)
		elf_end(elf);
	return same;
}

static bool same_size_and_time(const struct profile_file *f, const struct stat *st)
{
	return (uint64_t)st->st_size == f->rec.bytes &&
	       (uint64_t)st->st_mtim.tv_sec * 1000000000ull + (uint64_t)st->st_mtim.tv_nsec ==
	       f->rec.mtime_ns;
}

/*
 * The build-id decides where both have one.  Otherwise size and time of the last
 * change must be the same, and the inode where the device is: btrfs and
 * overlayfs show stat(2) other numbers than the kernel has inside.
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

/* From an unpacked archive: another inode, and the time to the second where tar kept no more */
static int open_packed(const struct profile_file *f, const char *symbols, uint32_t *state)
{
	struct profile_file seconds = *f;
	struct stat st;
	int fd = packed_open(symbols, f, &st), same;

	if (fd < 0)
		return -1;
	same = file_same_build_id(f, fd);
	if (same < 0 && !st.st_mtim.tv_nsec)
		seconds.rec.mtime_ns -= seconds.rec.mtime_ns % 1000000000;
	if (same > 0 ||
	    (same < 0 && (packed_is_vdso(f) || same_size_and_time(&seconds, &st))))
		return fd;
	*state = KFLAME_NAMED_CHANGED;
	close(fd);
	return -1;
}

/* Opens it if it is the file that was mapped; otherwise says why not */
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

int binary_open_file(const struct profile_file *f, const char *symbols, uint32_t *state)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(f->path), tail = sizeof(deleted) - 1;
	char *live;
	int fd = -1;

	*state = KFLAME_NAMED_GONE;
	if (symbols)
		fd = open_packed(f, symbols, state);
	if (fd >= 0 || f->path[0] != '/')
		return fd;
	fd = open_same(f, f->path, state);
	if (fd >= 0 || len <= tail || strcmp(f->path + len - tail, deleted))
		return fd;
	/* Another file may have its path by now, or the same one again */
	live = strndup(f->path, len - tail);
	if (live)
		fd = open_same(f, live, state);
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

int binary_copy_vdso(const struct profile_file *f)
{
	Elf *elf = packed_is_vdso(f) ? vdso_begin() : NULL;
	const char *image;
	int fd = -1;
	size_t len;

	if (elf && same_build_id(f, elf)) {
		image = elf_rawfile(elf, &len);
		fd = memfd_create("kflame-vdso", MFD_CLOEXEC);
		if (fd >= 0 && (!image || !write_all(fd, image, len))) {
			close(fd);
			fd = -1;
		}
	}
	if (elf)
		elf_end(elf);
	return fd;
}

static void forget_changed(struct binary *b, const struct profile_file *f)
{
	if (!b->elf || same_build_id(f, b->elf))
		return;
	b->state = KFLAME_NAMED_CHANGED;
	elf_end(b->elf);
	b->elf = NULL;
}

/* That of an archive, or of this kernel, where it is not another one than it was recorded on */
static void find_vdso(struct binary *b, const struct profile_file *f)
{
	b->state = KFLAME_NAMED_GONE;
	if (b->dir)
		b->fd = b->elf_fd = binary_open_file(f, b->dir, &b->state);
	b->elf = b->fd >= 0 ? begin(b->fd) : vdso_begin();
	forget_changed(b, f);
}

static void find_file(struct binary *b, const struct profile_file *f, int fd)
{
	if (fd < 0)
		fd = b->fd = binary_open_file(f, b->dir, &b->state);
	if (fd < 0)
		return;
	b->elf = begin(fd);
	b->elf_fd = fd;
	b->state = KFLAME_NAMED_DAMAGED;
	/* An open one may have been written over meanwhile */
	forget_changed(b, f);
}

int binary_open(const struct profile_file *f, int fd, const char *symbols, struct binary **out)
{
	struct binary *b = calloc(1, sizeof(*b));
	int err = 0;

	*out = NULL;
	if (!b)
		return -ENOMEM;
	b->fd = b->elf_fd = -1;
	b->dir = symbols;
	b->path = strdup(f->path);
	b->base = strdup(f->base ? f->base : f->path);
	if (!b->path || !b->base) {
		binary_close(b);
		return -ENOMEM;
	}
	if (packed_is_vdso(f))
		find_vdso(b, f);
	else
		find_file(b, f, fd);
	if (b->elf) {
		if (!packed_is_vdso(f) && elf_symbols_partial(b->elf))
			debug_files_find(b->elf, b->elf_fd, f->path, symbols, &b->more);
		err = elf_symbols_load(b->elf, &b->more, &b->symbols);
		b->state = b->symbols.state;
	}
	if (err) {
		binary_close(b);
		b = NULL;
	}
	*out = b;
	return err;
}

void binary_close(struct binary *b)
{
	if (!b)
		return;
	cfi_free(b->cfi);
	elf_symbols_free(&b->symbols);
	debug_files_close(&b->more);
	if (b->elf)
		elf_end(b->elf);
	if (b->fd >= 0)
		close(b->fd);
	free(b->path);
	free(b->base);
	free(b->made);
	free(b);
}

uint32_t binary_state(const struct binary *b)
{
	return b->state;
}

bool binary_is_packed(const struct binary *b)
{
	return (b->elf && section_debug_is_packed(b->elf)) ||
	       (b->more.debug && section_debug_is_packed(b->more.debug));
}

/* The unwind information, read when it is first asked for; NULL for none */
static const struct cfi *cfi_of(struct binary *b)
{
	if (!b->cfi_tried)
		b->cfi = cfi_new(b->elf);
	b->cfi_tried = true;
	return b->cfi;
}

/* The function around @offset that has no symbol, less what other ones take of it */
static const char *function_without_symbol(struct binary *b, uint64_t offset, uint64_t *start,
					   uint64_t *end)
{
	uint64_t address, first, last;

	if (!b->elf || !elf_symbols_address(&b->symbols, offset, &address) ||
	    !cfi_function(cfi_of(b), address, &first, &last) ||
	    !elf_symbols_gap(&b->symbols, offset, start, end))
		return NULL;
	if (address - first < offset - *start)
		*start = offset - (address - first);
	if (last - address < *end - offset)
		*end = offset + (last - address);
	free(b->made);
	if (asprintf(&b->made, PROFILE_NAMELESS "%s+%#llx]", b->base, (unsigned long long)*start) < 0)
		b->made = NULL;
	return b->made;
}

static const char *function_at(struct binary *b, uint64_t offset, uint64_t *start, uint64_t *end)
{
	const struct elf_function *f = elf_symbols_find(&b->symbols, offset);

	if (!f)
		return function_without_symbol(b, offset, start, end);
	*start = f->start;
	*end = f->end;
	return f->name;
}

const char *binary_function(struct binary *b, uint64_t offset, uint64_t *start, uint64_t *end)
{
	const char *name = function_at(b, offset, start, end);

	if (name)
		return name;
	/*
	 * In no function, but right before one: a caller is looked up less one, and this one is
	 * entered by a return, see end_in_padding() of unwind/rows.c.
	 */
	name = offset % 16 == 15 ? function_at(b, offset + 1, start, end) : NULL;
	if (!name || *start != offset + 1)
		return NULL;
	*start = offset;
	*end = offset + 1;
	return name;
}

bool binary_leaf(struct binary *b, uint64_t offset)
{
	uint64_t address;

	return b->elf && elf_symbols_address(&b->symbols, offset, &address) &&
	       (cfi_leaf(cfi_of(b), address) || go_table_leaf(&b->symbols.go, address));
}

/* Where the debug data is.  Return: how much it is, 0 for none. */
static uint64_t find_debug_info(struct binary *b, struct source_file *f)
{
	uint64_t bytes = sources_bytes(b->elf);

	f->elf = b->elf;
	f->fd = b->elf_fd;
	if (bytes)
		return bytes;
	/* With symbols, but without lines: the names did not need a debug file */
	if (!b->more.debug && !elf_symbols_stripped(b->elf))
		debug_files_find_here(b->elf, b->elf_fd, b->path, b->dir, &b->more);
	f->elf = b->more.debug;
	f->fd = b->more.fd;
	return f->elf ? sources_bytes(f->elf) : 0;
}

int binary_sources(struct binary *b, const uint64_t *offsets, size_t nr,
		   enum profile_inline wish, uint64_t *time_ns, const struct source_taker *taker)
{
	struct source_file f = { .segments = b->symbols.segments,
				 .nr_segments = b->symbols.nr_segments };
	uint64_t *addresses, bytes;
	int err;

	if (wish == PROFILE_INLINE_NO || b->elf_fd < 0 || !b->elf)
		return 0;
	bytes = find_debug_info(b, &f);
	if (!bytes || (wish == PROFILE_INLINE_AUTO && bytes > MUCH_DEBUG_INFO))
		return 0;
	addresses = malloc((nr + 1) * sizeof(*addresses));
	if (!addresses)
		return -ENOMEM;
	/* What is in no code has no address, and is nowhere */
	for (size_t i = 0; i < nr; i++)
		if (!elf_symbols_address(&b->symbols, offsets[i], &addresses[i]))
			addresses[i] = UINT64_MAX;
	err = sources_ask(&f, addresses, nr, time_ns, taker);
	free(addresses);
	return err;
}
