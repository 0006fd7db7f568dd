// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_client.c - the recorder's side of one sandbox that unwinds
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "record/copy_client.h"
#include "record/copy_worker.h"
#include "sandbox/fd_passing.h"
#include "symbols/archive_layout.h"
#include "symbols/mapped_file.h"

#define MEMORY		(2ull << 30)	/* limit of the sandbox's memory */
#define PATIENCE_MS	10000		/* time to wait for an answer */
#define MAX_DEATHS	8
#define HANG		4		/* so many deaths: a hang delays all other copies */
#define FLIGHT_BYTES	(96u << 10)	/* as many bytes as the socket holds */

/* ------------------------------------------------------------- the process */

/* Mark the sandbox as empty: it is new, or was asked to drop its files and maps */
static void forget(struct unwinder_client *u)
{
	u->generation = ++u->world->generation;
	u->nr_files = u->nr_spaces = 0;
}

static bool start_child(struct unwinder_client *u)
{
	/* No time limit, because a recording may be long.  bury() ends a sandbox that hangs */
	const struct sandbox_limits limits = { .time_ns = 1ull << 62, .memory = MEMORY,
					       .files = UNWINDER_FILES + 64,
					       .may = CONFINEMENT_TALK };
	int ends[2];
	const struct sandbox_input input = { .fds = &ends[1], .nr_fds = 1 };

	forget(u);
	u->socket = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	if (!sandbox_start(&u->sandbox, &unwinder_work, &limits, &input))
		u->socket = ends[0];
	else
		close(ends[0]);
	close(ends[1]);
	return u->socket >= 0;
}

static void end_child(struct unwinder_client *u)
{
	if (u->socket < 0)
		return;
	close(u->socket);
	u->socket = -1;
	sandbox_end(&u->sandbox);
}

static struct flight *land(struct unwinder_client *u)
{
	struct flight *f = &u->flight[u->first];

	u->first = (u->first + 1) % CLIENT_FLIGHT;
	u->in_flight--;
	u->flight_bytes -= f->bytes;
	return f;
}

static void give_up_all(struct unwinder_client *u)
{
	while (u->in_flight)
		u->world->given_up(u->world->ctx, land(u));
}

/* The sandbox died, hangs or answers nonsense: give up its copies and start another.  It counts as @deaths */
static void bury(struct unwinder_client *u, const char *why, unsigned int deaths)
{
	bool again;

	end_child(u);
	give_up_all(u);
	u->deaths += deaths;
	again = u->deaths < MAX_DEATHS && start_child(u);
	u->world->died(u->world->ctx, u->owner, why, !again);
}

bool unwinder_client_start(struct unwinder_client *u, struct client_world *w,
			   struct copy_owner owner)
{
	*u = (struct unwinder_client){ .world = w, .owner = owner, .socket = -1, .used_ns = now_ns() };
	return start_child(u);
}

void unwinder_client_end(struct unwinder_client *u)
{
	end_child(u);
	give_up_all(u);
	free(u->files);
	u->files = NULL;
}

/* ------------------------------------------------------------ answers */

static bool makes_sense(const struct walk_stack *s, ssize_t len)
{
	return len >= (ssize_t)offsetof(struct walk_stack, ip) && s->nr && s->nr <= WALK_DEPTH &&
	       len == (ssize_t)(offsetof(struct walk_stack, ip) + s->nr * sizeof(s->ip[0])) &&
	       (s->end & KFLAME_END_MASK) <= KFLAME_END_UNWINDER;
}

void unwinder_client_hear(struct unwinder_client *u)
{
	struct walk_stack *answer = &u->world->answer;

	while (u->socket >= 0) {
		ssize_t n = recv(u->socket, answer, sizeof(*answer), MSG_DONTWAIT);
		struct tally_frames user = { answer->end, answer->nr, answer->ip };

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			bury(u, "has ended", 1);
		else if (!u->in_flight || !makes_sense(answer, n))
			bury(u, "makes no sense", 1);
		else
			u->world->answered(u->world->ctx, land(u), &user);
	}
}

/* Wait until the sandbox answers, or reads from its socket.  Return: whether it still lives */
static bool wait_for(struct unwinder_client *u, short events)
{
	struct pollfd fd = { .fd = u->socket, .events = events };
	unsigned int deaths = u->deaths;
	int n;

	do
		n = poll(&fd, 1, PATIENCE_MS);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		bury(u, "does not answer", HANG);
	else if (fd.revents & (POLLIN | POLLHUP | POLLERR))
		unwinder_client_hear(u);
	return u->deaths == deaths;
}

void unwinder_client_wait(struct unwinder_client *u)
{
	if (u->socket >= 0)
		wait_for(u, POLLIN);
}

/* ----------------------------------------------------------- messages */

/* Send one message.  Return: false if the sandbox died meanwhile */
static bool say(struct unwinder_client *u, struct iovec *parts, size_t nr, int fd)
{
	int err;

	while ((err = fd_send(u->socket, parts, nr, &fd, fd >= 0, MSG_DONTWAIT))) {
		if (err != -EAGAIN) {
			bury(u, "has ended", 1);
			return false;
		}
		if (!wait_for(u, POLLIN | POLLOUT))
			return false;
	}
	return true;
}

static bool say_head(struct unwinder_client *u, struct unwinder_head h, const void *more, size_t len,
		     int fd)
{
	struct iovec parts[] = {
		{ .iov_base = &h, .iov_len = sizeof(h) },
		{ .iov_base = (void *)more, .iov_len = len },
	};

	return say(u, parts, len ? 2 : 1, fd);
}

static bool say_forget(struct unwinder_client *u, enum unwinder_kind kind)
{
	return say_head(u, (struct unwinder_head){ .kind = kind }, NULL, 0, -1);
}

static bool say_file(struct unwinder_client *u, uint32_t i)
{
	const struct profile_file *f = &u->world->profile->files[i];
	bool vdso = packed_is_vdso(f), ok = true;
	int fd;

	if (u->files[i] == u->generation)
		return true;
	fd = vdso ? binary_copy_vdso(f) : held_files_fd(u->world->held, i);
	if (fd == HELD_NOT_YET)
		return true;
	if (fd >= 0 && u->nr_files == UNWINDER_FILES) {
		/* Drop all files at once: this is rare, and files in use are sent again */
		ok = say_forget(u, UNWINDER_FORGET_FILES) && say_forget(u, UNWINDER_FORGET_SPACES);
		forget(u);
	}
	if (ok && fd >= 0) {
		ok = say_head(u, (struct unwinder_head){ .kind = UNWINDER_FILE, .number = f->rec.id },
			      NULL, 0, fd);
		u->nr_files++;
	}
	/* If sending failed, a new sandbox runs, which has no files */
	if (ok)
		u->files[i] = u->generation;
	if (vdso && fd >= 0)
		close(fd);
	return ok;
}

static bool say_maps(struct unwinder_client *u, const struct profile_aspace *as)
{
	struct walk_map maps[UNWINDER_MAPS];
	size_t at = 0;

	do {
		struct unwinder_head h = {
			.kind = UNWINDER_SPACE, .number = as->rec.id, .flags = !at,
		};

		for (; h.nr < UNWINDER_MAPS && at < as->nr_maps; at++) {
			const struct profile_mapping *m = &as->maps[at];

			maps[h.nr++] = (struct walk_map){
				m->start, m->end, m->offset,
				m->file == PROFILE_NONE ? 0 : u->world->profile->files[m->file].rec.id,
			};
		}
		if (!say_head(u, h, maps, h.nr * sizeof(*maps), -1))
			return false;
	} while (at < as->nr_maps);
	return true;
}

static bool say_files(struct unwinder_client *u, const struct profile_aspace *as)
{
	for (size_t i = 0; i < as->nr_maps; i++)
		if (as->maps[i].file != PROFILE_NONE && !say_file(u, as->maps[i].file))
			return false;
	return true;
}

/* Send the files and mappings of an address space */
static bool say_space(struct unwinder_client *u, uint32_t i)
{
	const struct profile_aspace *as = &u->world->profile->aspaces[i];
	struct known_space *s = &u->world->spaces[i];
	uint32_t generation = u->generation;

	if (!say_files(u, as))
		return false;
	/* Sending the last files may have dropped the first ones: send them again */
	if (u->generation != generation && !say_files(u, as))
		return false;
	if (unwinder_client_knows(u, i))
		return true;
	if (s->generation != u->generation && u->nr_spaces == UNWINDER_SPACES) {
		if (!say_forget(u, UNWINDER_FORGET_SPACES))
			return false;
		for (size_t k = 0; k < u->world->nr_spaces; k++)
			if (u->world->spaces[k].generation == u->generation)
				u->world->spaces[k].generation = 0;
		u->nr_spaces = 0;
	}
	if (!say_maps(u, as))
		return false;
	u->nr_spaces += s->generation != u->generation;
	s->generation = u->generation;
	s->maps = as->nr_maps;
	return true;
}

static bool say_copy(struct unwinder_client *u, const struct kflame_rec_ustack *rec)
{
	struct unwinder_head h = {
		.kind = UNWINDER_COPY, .nr = rec->nr_regs, .number = rec->aspace,
		.flags = rec->flags, .bytes = rec->copied,
	};

	return say_head(u, h, rec->data + rec->nr_kernel + rec->nr_user,
			rec->nr_regs * sizeof(rec->data[0]) + rec->copied, -1);
}

/* Return: whether there is memory to track all files of the profile */
static bool keep_track(struct unwinder_client *u)
{
	while (u->nr_known < u->world->profile->nr_files) {
		if (grow(&u->files, u->nr_known, &u->cap_known, sizeof(*u->files)))
			return false;
		u->files[u->nr_known++] = 0;
	}
	return true;
}

bool unwinder_client_knows(const struct unwinder_client *u, uint32_t aspace)
{
	const struct known_space *s = &u->world->spaces[aspace];

	return s->generation == u->generation && s->maps == u->world->profile->aspaces[aspace].nr_maps;
}

bool unwinder_client_busy(const struct unwinder_client *u)
{
	return u->socket >= 0 && (u->in_flight == CLIENT_FLIGHT || u->flight_bytes > FLIGHT_BYTES);
}

bool unwinder_client_send(struct unwinder_client *u, const struct kflame_rec_ustack *rec, uint32_t aspace,
			  const struct flight *f)
{
	while (u->socket >= 0 && u->in_flight == CLIENT_FLIGHT)
		wait_for(u, POLLIN);
	if (u->socket < 0 || (aspace != PROFILE_NONE && keep_track(u) && !say_space(u, aspace)) ||
	    u->socket < 0)
		return false;
	/* From here on, bury() gives this copy up if the sandbox dies */
	u->flight[(u->first + u->in_flight++) % CLIENT_FLIGHT] = *f;
	u->flight_bytes += f->bytes;
	u->used_ns = now_ns();
	say_copy(u, rec);
	return true;
}
