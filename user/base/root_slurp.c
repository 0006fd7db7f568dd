// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * root_slurp.c - read whole files below a directory that stands for /
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/chroot_open.h"

#define FIRST_BYTES	(64u << 10)

/* Read to the end.  Return: 0 or a negative errno.  The caller must free *text in both cases. */
static int read_all(gzFile in, size_t max, char **text)
{
	size_t len = 0, cap = FIRST_BYTES;

	*text = malloc(cap + 1);
	if (!*text)
		return -ENOMEM;
	for (;;) {
		int n = gzread(in, *text + len, (unsigned int)(cap - len));
		char *more;

		if (n < 0)
			return -EIO;
		len += (size_t)n;
		(*text)[len] = 0;
		if (len > max)
			return -EFBIG;
		if (len < cap)
			return 0;
		cap *= 2;
		more = realloc(*text, cap + 1);
		if (!more)
			return -ENOMEM;
		*text = more;
	}
}

int root_slurp(const char *root, const char *path, size_t max, char **text)
{
	int fd = root_open_file(root, path), err;
	gzFile in;

	*text = NULL;
	if (fd < 0)
		return fd;
	in = gzdopen(fd, "rb");
	if (!in) {
		close(fd);
		return -ENOMEM;
	}
	err = read_all(in, max, text);
	/* zlib reports a truncated file only when the file is closed */
	if (gzclose_r(in) != Z_OK && !err)
		err = -EIO;
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}
