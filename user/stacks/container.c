// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * container.c - the container that a cgroup belongs to, by its path
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "stacks/container.h"

#define ID_DIGITS	64
#define SHOWN_DIGITS	12

/* One component of a path */
struct part {
	const char *at;
	size_t len;
};

static bool begins(const struct part *p, const char *word)
{
	size_t len = strlen(word);

	return p->len > len && !strncmp(p->at, word, len);
}

static bool cut_end(struct part *p, const char *word)
{
	size_t len = strlen(word);

	if (p->len <= len || strncmp(p->at + p->len - len, word, len))
		return false;
	p->len -= len;
	return true;
}

/*
 * Finds the id in "<id>", "docker-<id>.scope" or "libpod-<id>".  "libpod-conmon-<id>.scope" is not a
 * container, but the process that monitors it.  Return: the id, NULL for none
 */
static const char *id_in(struct part p)
{
	bool scope = cut_end(&p, ".scope");
	const char *id;

	if (p.len < ID_DIGITS)
		return NULL;
	id = p.at + p.len - ID_DIGITS;
	if (strspn(id, "0123456789abcdef") < ID_DIGITS)
		return NULL;
	if (id == p.at)
		return scope ? NULL : id;
	if (id[-1] != '-' || memmem(p.at, p.len, "conmon-", 7))
		return NULL;
	return scope || begins(&p, "libpod-") ? id : NULL;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes a systemd unit name, in which "\x2d" stands for a dash */
static char *unescape(struct part p)
{
	char *name = strndup(p.at, p.len), *to = name;

	for (const char *from = name; from && *from; to++) {
		int high = from[0] == '\\' && from[1] == 'x' ? hex(from[2]) : -1;
		int low = high < 0 ? -1 : hex(from[3]);

		*to = low < 0 || !(high | low) ? *from : (char)(high << 4 | low);
		from += low < 0 || !(high | low) ? 1 : 4;
	}
	if (name)
		*to = 0;
	return name;
}

/* Return: whether the component names a container; @name: out: a new string, NULL without memory */
static bool name_of(struct part p, char **name)
{
	const char *id = id_in(p);

	if (id) {
		*name = strndup(id, SHOWN_DIGITS);
		return true;
	}
	if (begins(&p, "lxc.payload.")) {
		*name = strndup(p.at + 12, p.len - 12);
		return true;
	}
	if (begins(&p, "machine-") && cut_end(&p, ".scope") && p.len > 8) {
		*name = unescape((struct part){ p.at + 8, p.len - 8 });
		return true;
	}
	return false;
}

char *container_name(const char *path)
{
	const char *end = path + strlen(path);
	char *name;

	while (end > path) {
		const char *slash = memrchr(path, '/', (size_t)(end - path));
		const char *at = slash ? slash + 1 : path;

		if (name_of((struct part){ at, (size_t)(end - at) }, &name))
			return name;
		if (!slash)
			break;
		end = slash;
	}
	return strdup(path);
}
