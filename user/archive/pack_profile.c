// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_profile.c - packs a profile with the parts of its programs that naming needs
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "archive/pack_profile.h"
#include "base/message.h"
#include "base/text.h"
#include "elf/debug_files.h"
#include "elf/elf_summary.h"
#include "elf/sparse_copy.h"
#include "profile/user_addresses.h"
#include "symbols/archive_layout.h"
#include "symbols/mapped_file.h"

#define ROOM		((size_t)96 << 20)	/* limit of the memory for one copy */
#define MOST_TOLD	20

struct archiving {
	struct pack *k;
	const struct profile *p;
	struct archive_sum *sum;
	const char *sysroot;	/* as for archive_profile() */
	FILE *manifest;
	bool progress;		/* standard error is a terminal */
};

/* A mapped file, and whether it has samples */
struct wanted {
	const struct profile_file *f;
	bool sampled;
};

static int take_address(void *ctx, const struct user_address *a)
{
	struct wanted *all = ctx;

	if (a->map && a->map->file != PROFILE_NONE)
		all[a->map->file].sampled = true;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	const struct kflame_rec_file *p = &x->f->rec, *q = &y->f->rec;
	int order;

	if (x->sampled != y->sampled)
		return x->sampled ? -1 : 1;
	if (p->build_id_len != q->build_id_len)
		return p->build_id_len < q->build_id_len ? -1 : 1;
	order = memcmp(p->build_id, q->build_id, p->build_id_len);
	return order ? order : strcmp(x->f->path, y->f->path);
}

/* Return: the files; those with samples come first, and those with the same archive name are together */
static struct wanted *collect(const struct profile *p, size_t *nr)
{
	struct wanted *all = calloc(p->nr_files + 1, sizeof(*all));

	*nr = 0;
	if (!all)
		return NULL;
	for (size_t i = 0; i < p->nr_files; i++)
		all[i].f = &p->files[i];
	if (each_user_address(p, take_address, all)) {
		free(all);
		return NULL;
	}
	qsort(all, p->nr_files, sizeof(*all), by_name);
	while (*nr < p->nr_files && all[*nr].sampled)
		++*nr;
	return all;
}

static void print_line(struct archiving *a, const struct profile_file *f, const char *word)
{
	const struct kflame_rec_file *r = &f->rec;

	for (uint32_t i = 0; i < r->build_id_len; i++)
		fprintf(a->manifest, "%02x", r->build_id[i]);
	fprintf(a->manifest, "%s %" PRIu64 " %" PRIu64 ".%09" PRIu64 " %s ",
		r->build_id_len ? "" : "-", (uint64_t)r->bytes,
		(uint64_t)r->mtime_ns / 1000000000, (uint64_t)r->mtime_ns % 1000000000, word);
	text_put(a->manifest, f->path);
	putc('\n', a->manifest);
}

static void clear_progress(const struct archiving *a)
{
	if (a->progress)
		fputs("\r\033[K", stderr);
}

/* Report a file that is not packed: @word for the MANIFEST, @why for people */
static void miss(struct archiving *a, const struct profile_file *f, const char *word,
		 const char *why)
{
	print_line(a, f, word);
	a->sum->missing++;
	clear_progress(a);
	if (a->sum->missing > MOST_TOLD)
		return;
	fputs("kflame: not packed: ", stderr);
	text_put(stderr, f->path);
	fprintf(stderr, ": %s\n", why);
	if (a->sum->missing == MOST_TOLD)
		complain("more files are not packed: MANIFEST in the archive lists them");
}

/* Return: whether the debug file is in the archive */
static bool pack_debug_file(struct archiving *a, const struct elf_summary *elf, const char *path,
			    const struct debug_files *d)
{
	char *name = debug_files_packed_name(elf, path, d);
	bool packed = false;
	struct stat st;

	if (name && !fstat(d->fd, &st))
		packed = !pack_file(a->k, name, d->fd, &st);
	free(name);
	return packed;
}

/* Pack the debug file that names or lines come from, if there is one */
static bool pack_debug(struct archiving *a, const struct elf_summary *elf, int fd, const char *path)
{
	struct debug_files d = { .fd = -1 };
	bool packed = false;

	if (elf_summary_symbols_elsewhere(elf) || !elf->debug_bytes)
		debug_files_find_here(elf, fd, path, a->sysroot, &d);
	if (d.fd >= 0)
		packed = pack_debug_file(a, elf, path, &d);
	debug_files_close(&d);
	return packed;
}

/* Return: as pack_file() */
static int pack_elf(struct archiving *a, const char *name, int fd)
{
	size_t room = ROOM;
	struct stat st;
	int copy, err;

	if (fstat(fd, &st))
		return errno;
	copy = light_copy(fd, &room, LIGHT_COPY_DEBUG);
	/* The copy is too large: with much debug data, little could be left out.  Pack the whole file */
	err = pack_file(a->k, name, copy < 0 ? fd : copy, &st);
	if (copy >= 0)
		close(copy);
	return err;
}

/* Pack a file that is already open */
static void pack_open_file(struct archiving *a, const struct profile_file *f, const char *name,
			   int fd)
{
	struct elf_summary elf;
	bool debug;
	int err;

	if (!elf_summary_read(fd, &elf)) {
		miss(a, f, "damaged", "it is no ELF file that can be read");
		return;
	}
	err = pack_elf(a, name, fd);
	if (err > 0)
		miss(a, f, "damaged", err == ENODATA ? "it became shorter while it was read"
						     : strerror(err));
	if (err)
		return;
	debug = pack_debug(a, &elf, fd, f->path);
	a->sum->files++;
	a->sum->debug += debug;
	print_line(a, f, debug ? "packed+debug" : "packed");
}

/* Is this the kernel of the profile?  The build-id of a vdso is not in the profile, so it cannot show it */
static bool same_kernel(const struct profile *p)
{
	struct utsname u;

	return !uname(&u) && !strcmp(u.release, (const char *)p->session.release);
}

/* Return: whether the file is packed, or packing it was tried */
static bool pack_mapped(struct archiving *a, const struct profile_file *f, const char *name)
{
	uint32_t state = KFLAME_NAMED_GONE;
	int fd = -1;

	if (!packed_is_vdso(f) || a->sysroot)
		fd = binary_open_file(f, a->sysroot, &state);
	if (fd < 0 && packed_is_vdso(f) && same_kernel(a->p))
		fd = binary_copy_vdso(f);

	if (fd >= 0) {
		pack_open_file(a, f, name, fd);
		close(fd);
		return true;
	}
	if (state == KFLAME_NAMED_CHANGED)
		miss(a, f, "changed", a->sysroot ? "another file has its path in the sysroot, or here"
						 : "another file has its path now");
	else if (packed_is_vdso(f))
		miss(a, f, "changed", "another kernel runs now than when it was recorded");
	else
		miss(a, f, "gone", a->sysroot ? "it is neither in the sysroot nor here, or cannot be opened"
					      : "it is not there, or cannot be opened");
	return false;
}

static void tell_progress(const struct archiving *a, size_t i, size_t nr)
{
	if (a->progress)
		fprintf(stderr, "\r\033[Kkflame: packing, %zu of %zu files, %" PRIu64 " MB", i, nr,
			a->k->bytes / 1000000);
}

static void pack_all(struct archiving *a, const struct wanted *all, size_t nr)
{
	char *last = NULL;

	for (size_t i = 0; i < nr && !a->k->failed; i++) {
		char *name = packed_name(all[i].f);

		tell_progress(a, i, nr);
		if (!name) {
			miss(a, all[i].f, "no-name", "it has no build-id, and its path is none of a file");
			continue;
		}
		/* A file may have several ids in a profile, and several paths */
		if (last && !strcmp(last, name)) {
			print_line(a, all[i].f, "same");
		} else if (pack_mapped(a, all[i].f, name)) {
			free(last);
			last = name;
			continue;
		}
		free(name);
	}
	free(last);
	clear_progress(a);
}

/* Pack the profile, unless it changed since it was read */
static int pack_profile(struct pack *k, int fd, const struct stat *before)
{
	struct stat st;
	int err = fstat(fd, &st) ? errno : 0;

	if (!err && (st.st_ino != before->st_ino || st.st_dev != before->st_dev ||
		     st.st_size != before->st_size ||
		     st.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		     st.st_mtim.tv_nsec != before->st_mtim.tv_nsec))
		err = EBUSY;
	if (!err)
		err = pack_file(k, "/kflame.data", fd, &st);
	if (err > 0)
		complain("the profile cannot be packed: %s", err == EBUSY ?
			 "it is being written. Try again when its recording has ended" : strerror(err));
	return err ? -1 : 0;
}

int archive_profile(struct pack *k, const struct profile *p, int fd, const struct stat *st,
		    const char *sysroot, struct archive_sum *sum)
{
	struct archiving a = { .k = k, .p = p, .sum = sum, .sysroot = sysroot,
			       .progress = isatty(STDERR_FILENO) };
	struct wanted *all = NULL;
	char *text = NULL;
	size_t len, nr;
	int err = -1;

	*sum = (struct archive_sum){ 0 };
	if (pack_profile(k, fd, st)) {
		k->failed = true;
		return -1;
	}
	all = collect(p, &nr);
	a.manifest = open_memstream(&text, &len);
	if (all && a.manifest) {
		fputs("# build-id size mtime what path\n", a.manifest);
		pack_all(&a, all, nr);
		err = 0;
	}
	if (a.manifest && (ferror(a.manifest) | fclose(a.manifest)))
		err = -1;
	if (err && !k->failed) {
		complain("packing needs more memory than there is");
		k->failed = true;
	}
	if (!err)
		err = pack_text(k, "/MANIFEST", text, len);
	free(text);
	free(all);
	return err;
}
