// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_worker.c - the sandbox that unwinds stack copies
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/copy_worker.h"
#include "sandbox/fd_passing.h"

struct space {
	struct walk_map *maps;
	size_t nr, cap;
};

struct unwinder {
	int socket;
	struct idmap file_index, space_index;
	struct walk_file *files[UNWINDER_FILES];
	struct space spaces[UNWINDER_SPACES];
	uint32_t nr_files, nr_spaces;
	union {
		struct unwinder_head head;
		unsigned char bytes[UNWINDER_MESSAGE];
	} message;
	struct walk_stack stack;
};

static struct walk_file *file_of(void *ctx, uint64_t number)
{
	const struct unwinder *u = ctx;
	uint32_t i = idmap_find(&u->file_index, number);

	return i < UNWINDER_FILES ? u->files[i] : NULL;
}

static void forget_files(struct unwinder *u)
{
	while (u->nr_files)
		walk_file_close(u->files[--u->nr_files]);
	idmap_exit(&u->file_index);
}

static void forget_spaces(struct unwinder *u)
{
	for (uint32_t i = 0; i < u->nr_spaces; i++)
		free(u->spaces[i].maps);
	memset(u->spaces, 0, sizeof(u->spaces));
	u->nr_spaces = 0;
	idmap_exit(&u->space_index);
}

/* Return: whether there is memory, and the sender keeps to the limits */
static bool take_file(struct unwinder *u, uint64_t number, int fd)
{
	if (fd < 0 || u->nr_files == UNWINDER_FILES) {
		if (fd >= 0)
			close(fd);
		return fd < 0;
	}
	u->files[u->nr_files] = walk_file_open(fd);
	return !idmap_set(&u->file_index, number, u->nr_files++);
}

static struct space *space_of(struct unwinder *u, uint64_t number)
{
	uint32_t i = idmap_find(&u->space_index, number);

	if (i < UNWINDER_SPACES)
		return &u->spaces[i];
	if (u->nr_spaces == UNWINDER_SPACES || idmap_set(&u->space_index, number, u->nr_spaces))
		return NULL;
	return &u->spaces[u->nr_spaces++];
}

static bool take_maps(struct unwinder *u, size_t len)
{
	const struct unwinder_head *h = &u->message.head;
	const struct walk_map *maps = (const void *)(h + 1);
	struct space *s = space_of(u, h->number);

	if (!s || len != sizeof(*h) + h->nr * sizeof(*maps))
		return false;
	if (h->flags)
		s->nr = 0;
	for (uint32_t i = 0; i < h->nr; i++) {
		if (grow(&s->maps, s->nr, &s->cap, sizeof(*s->maps)))
			return false;
		s->maps[s->nr++] = maps[i];
	}
	return true;
}

static bool answer(struct unwinder *u, size_t len)
{
	const struct unwinder_head *h = &u->message.head;
	uint32_t i = idmap_find(&u->space_index, h->number);
	struct walk_space space = { .file = file_of, .ctx = u };
	struct walk_copy copy = { .nr_regs = h->nr, .flags = h->flags, .bytes = h->bytes };
	size_t regs = h->nr * sizeof(copy.regs[0]);

	if (h->nr > KFLAME_REGS_ARM64 || len != sizeof(*h) + regs + h->bytes)
		return false;
	memcpy(copy.regs, h + 1, regs);
	copy.stack = u->message.bytes + sizeof(*h) + regs;
	if (i < UNWINDER_SPACES) {
		space.maps = u->spaces[i].maps;
		space.nr = u->spaces[i].nr;
	}
	walk(&space, &copy, &u->stack);
	len = offsetof(struct walk_stack, ip) + u->stack.nr * sizeof(u->stack.ip[0]);
	return send(u->socket, &u->stack, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static bool take(struct unwinder *u, size_t len, int fd)
{
	switch (u->message.head.kind) {
	case UNWINDER_FILE:
		return take_file(u, u->message.head.number, fd);
	case UNWINDER_SPACE:
		return take_maps(u, len);
	case UNWINDER_COPY:
		return answer(u, len);
	case UNWINDER_FORGET_FILES:
		forget_files(u);
		return true;
	case UNWINDER_FORGET_SPACES:
		forget_spaces(u);
		return true;
	default:
		return false;
	}
}

static void run(const struct sandbox_job *job)
{
	struct unwinder *u = calloc(1, sizeof(*u));
	struct fd_message m;
	ssize_t len;

	if (!u)
		return;
	u->socket = job->fds[0];
	for (;;) {
		len = fd_receive(u->socket, u->message.bytes, sizeof(u->message.bytes), &m);
		if (len < (ssize_t)sizeof(struct unwinder_head) ||
		    !take(u, (size_t)len, m.nr_fds ? m.fds[0] : -1))
			break;
	}
	/* Free nothing: the process ends now */
}

const struct sandbox_work unwinder_work = { .name = "unwind", .run = run };
