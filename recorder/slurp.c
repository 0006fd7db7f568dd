// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slurp.c - root_slurp() without zlib
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "recorder/inflate.h"

#define FIRST_BYTES	(64u << 10)

/* Read to the end.  Return: 0 or a negative errno.  The caller must free *text in both cases. */
static int read_all(int fd, size_t max, char **text, size_t *len)
{
	size_t cap = FIRST_BYTES;

	*len = 0;
	*text = malloc(cap + 1);
	while (*text) {
		ssize_t n = read(fd, *text + *len, cap - *len);
		char *more;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*len += (size_t)n;
		(*text)[*len] = 0;
		if (*len > max)
			return -EFBIG;
		if (!n)
			return 0;
		if (*len < cap)
			continue;
		more = realloc(*text, 2 * cap + 1);
		if (!more)
			return -ENOMEM;
		*text = more;
		cap *= 2;
	}
	return -ENOMEM;
}

/* Return: 0 or a negative errno.  The caller must free *text in both cases. */
static int unpack(char **text, size_t len, size_t max)
{
	unsigned char *packed = (unsigned char *)*text;
	size_t used;
	int err;

	*text = malloc(max + 1);
	err = *text ? inflate_gzip(packed, len, (unsigned char *)*text, max, &used) : -ENOMEM;
	if (!err)
		(*text)[used] = 0;
	free(packed);
	return err;
}

int root_slurp(const char *root, const char *path, size_t max, char **text)
{
	int fd = root_open_file(root, path), err;
	size_t len;

	*text = NULL;
	if (fd < 0)
		return fd;
	err = read_all(fd, max, text, &len);
	close(fd);
	if (!err && len > 2 && !memcmp(*text, "\x1f\x8b", 2))
		err = unpack(text, len, max);
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}
