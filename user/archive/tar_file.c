// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tar_file.c - writes a compressed tar archive, completely or not at all
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "archive/tar_file.h"
#include "base/message.h"
#include "base/signals.h"

#define CHUNK	(256u << 10)

static int fail(struct pack *k, const char *what)
{
	const char *why = k->archive ? k->lib->archive_error_string(k->archive) : NULL;

	/* An error of the output itself is already reported */
	if (!k->failed && !k->out.error)
		complain("%s cannot be written: %s: %s", k->path, what, why ? : strerror(ENOMEM));
	k->failed = true;
	return -1;
}

static ssize_t write_out(struct archive *a, void *ctx, const void *data, size_t len)
{
	struct pack *k = ctx;
	(void)a;

	if (k->failed || fwrite(data, 1, len, k->out.file) != len || k->out.error)
		return -1;
	k->written += len;
	return (ssize_t)len;
}

const char *pack_suffix(void)
{
	const struct archive_library *lib = archive_library();
	struct archive *a = lib ? lib->archive_write_new() : NULL;
	bool has_zstd = a && lib->archive_write_add_filter_zstd(a) == ARCHIVE_OK;

	if (a)
		lib->archive_write_free(a);
	return lib ? has_zstd ? ".tar.zst" : ".tar.gz" : NULL;
}

static bool ends_in(const char *path, const char *end)
{
	size_t len = strlen(path), tail = strlen(end);

	return len >= tail && !strcmp(path + len - tail, end);
}

static int add_filter(struct pack *k, const char *path)
{
	if (ends_in(path, ".tar"))
		return k->lib->archive_write_add_filter_none(k->archive);
	if (ends_in(path, ".gz") || ends_in(path, ".tgz"))
		return k->lib->archive_write_add_filter_gzip(k->archive);
	if (ends_in(path, ".xz"))
		return k->lib->archive_write_add_filter_xz(k->archive);
	return k->lib->archive_write_add_filter_zstd(k->archive);
}

/* Return: whether a signal ends the work; reports it once */
static bool interrupted(struct pack *k)
{
	struct signal_word word;

	if (k->signals < 0)
		return false;
	while (!k->failed && signals_take(k->signals, &word)) {
		if (word.number == SIGCHLD)
			continue;
		complain("interrupted: %s is not written", k->path);
		k->failed = true;
	}
	return k->failed;
}

int pack_open(struct pack *k, const char *path, const char *by_default)
{
	*k = (struct pack){ .lib = archive_library(), .signals = -1, .path = path ? path : by_default };
	if (!k->lib || output_open_private(&k->out, path, by_default, true))
		return -1;
	k->out.keep_old = true;
	k->replaced = !k->out.at_once && k->out.target.is_there;
	k->signals = signals_open();
	k->archive = k->lib->archive_write_new();
	if (!k->archive ||
	    k->lib->archive_write_set_format_pax(k->archive) < ARCHIVE_WARN ||
	    add_filter(k, k->path) < ARCHIVE_WARN ||
	    k->lib->archive_write_set_bytes_in_last_block(k->archive, 1) < ARCHIVE_WARN ||
	    k->lib->archive_write_open(k->archive, k, NULL, write_out, NULL) < ARCHIVE_WARN) {
		fail(k, "compression (a name that ends in .tar.gz may help)");
		pack_close(k);
		return -1;
	}
	return 0;
}

static int begin(struct pack *k, const char *name, const struct stat *st)
{
	struct archive_entry *e;
	int err;

	if (interrupted(k))
		return -1;
	e = k->lib->archive_entry_new();
	if (!e)
		return fail(k, name);
	k->lib->archive_entry_set_pathname(e, name + 1);
	k->lib->archive_entry_set_filetype(e, S_IFREG);
	k->lib->archive_entry_set_perm(e, 0644);
	k->lib->archive_entry_set_size(e, st->st_size);
	/* The time identifies files without a build-id */
	k->lib->archive_entry_set_mtime(e, st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	/* Debug data is read with the rights of its owner, see sandbox/sandbox.h */
	k->lib->archive_entry_set_uid(e, st->st_uid);
	k->lib->archive_entry_set_gid(e, st->st_gid);
	/* ARCHIVE_WARN is no error: the name is not valid in this locale, and is kept unchanged */
	err = k->lib->archive_write_header(k->archive, e) < ARCHIVE_WARN ? fail(k, name) : 0;
	k->lib->archive_entry_free(e);
	return err;
}

static int write_data(struct pack *k, const char *name, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		la_ssize_t n = k->lib->archive_write_data(k->archive, at, len);

		if (n <= 0)
			return fail(k, name);
		at += n;
		len -= (size_t)n;
		k->bytes += (uint64_t)n;
	}
	return 0;
}

static int end(struct pack *k, const char *name)
{
	return k->lib->archive_write_finish_entry(k->archive) < ARCHIVE_WARN ? fail(k, name) : 0;
}

/* Return: as pack_file() */
static int copy(struct pack *k, const char *name, int fd, off_t len)
{
	char *chunk = malloc(CHUNK);
	off_t at = 0;
	int err = chunk ? 0 : fail(k, name);

	while (!err && at < len) {
		size_t want = len - at < CHUNK ? (size_t)(len - at) : CHUNK;
		ssize_t n = pread(fd, chunk, want, at);

		if (interrupted(k))
			err = -1;
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n <= 0)
			err = n ? errno : ENODATA;	/* the file has become shorter */
		else
			err = write_data(k, name, chunk, (size_t)n);
		at += n;
	}
	free(chunk);
	return err;
}

int pack_file(struct pack *k, const char *name, int fd, const struct stat *st)
{
	int err;

	if (k->failed || begin(k, name, st))
		return -1;
	err = copy(k, name, fd, st->st_size);
	return err < 0 || end(k, name) ? -1 : err;
}

int pack_text(struct pack *k, const char *name, const char *text, size_t len)
{
	const struct stat st = { .st_size = (off_t)len, .st_mtim.tv_sec = time(NULL),
				 .st_uid = geteuid(), .st_gid = getegid() };

	if (k->failed || begin(k, name, &st) || write_data(k, name, text, len))
		return -1;
	return end(k, name);
}

int pack_close(struct pack *k)
{
	if (k->archive) {
		if (!k->failed && k->lib->archive_write_close(k->archive) < ARCHIVE_WARN)
			fail(k, "the end");
		k->lib->archive_write_free(k->archive);
		k->archive = NULL;
	}
	/* After a failed write, output_close() reports the error, and removes the file */
	if (!k->failed || k->out.error)
		return output_close(&k->out) ? -1 : 0;
	output_abandon(&k->out);
	return -1;
}
