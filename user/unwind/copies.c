// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copies.c - unwinds the module's copies of stacks while it records
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fd_passing.h"
#include "message.h"
#include "symbols/binary.h"
#include "symbols/packed.h"
#include "unwind/copies.h"
#include "unwind/tally.h"
#include "unwind/unwinder.h"

#define MS		1000000ull
#define UNWINDER_MEMORY	(2ull << 30)	/* bytes */
#define PATIENCE_MS	10000		/* for an answer of it */
#define MAX_DEATHS	8
#define MAX_FLIGHT	64		/* copies that it has and has not answered */
#define FLIGHT_BYTES	(96u << 10)	/* of these: as much as its socket takes at once */
#define MAX_WAITING	(32u << 20)	/* bytes of copies that wait for mappings, or for their turn */
#define WAIT_NS		(5000 * MS)	/* as long as the module waits with what it tells */
#define SETTLE_NS	(20 * MS)	/* an address space's mappings come one by one */
#define RETRY_NS	(20 * MS)
#define SLICE_NS	(50 * MS)	/* the device is to be read meanwhile */

/* What is known of an address space, by the profile's index */
struct space_state {
	uint64_t first_ns;	/* when it was first seen to be told; 0: not yet */
	uint32_t generation;	/* of the process that has it; 0: none */
	size_t maps;		/* so many of its mappings it has */
};

/* A copy on its way, less what only the other process needs */
struct flight {
	struct kflame_rec_count count;
	struct tally_frames kernel;
	struct tally_frames walked;	/* by the module; .nr 0 if it did not */
	bool counted;		/* by the module, as .walked */
	uint64_t time_ns;	/* when it was due; 0: nobody asked for that */
	uint64_t pc;
	uint32_t bytes;		/* of the whole copy */
	uint64_t *ip;		/* storage of .kernel and .walked */
};

struct copies {
	const struct profile *profile;
	const struct held_files *held;
	struct sandbox unwinder;	/* valid if .socket is */
	int socket;		/* to the unwinder; -1: there is none */
	uint32_t generation;	/* of what the child knows; never 0 */
	uint32_t nr_files, nr_spaces;
	struct space_state *spaces;
	size_t cap_spaces;
	uint32_t *files;	/* by index: the generation that has it */
	size_t cap_files;
	struct flight flight[MAX_FLIGHT];
	unsigned int first, in_flight;
	uint32_t flight_bytes;
	struct kflame_rec_ustack **waiting;	/* the first ones are the oldest */
	size_t nr_waiting, cap_waiting, waiting_bytes;
	bool last;		/* nothing more will be known */
	struct tally tally;
	struct copies_sums sums;
	struct walk_stack answer;
};

/* ------------------------------------------------------------- the process */

/* What a new process, or one that was told to forget, knows: nothing */
static void forget(struct copies *c)
{
	c->generation++;
	c->nr_files = c->nr_spaces = 0;
}

static bool start_child(struct copies *c)
{
	/* No limit to its time: a recording may be long.  bury() ends one that hangs */
	const struct sandbox_limits limits = { .time_ns = 1ull << 62, .memory = UNWINDER_MEMORY,
					       .files = UNWINDER_FILES + 64,
					       .may = CONFINEMENT_TALK };
	int ends[2];
	const struct sandbox_input input = { .fds = &ends[1], .nr_fds = 1 };

	forget(c);
	c->socket = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	if (!sandbox_start(&c->unwinder, &unwinder_work, &limits, &input))
		c->socket = ends[0];
	else
		close(ends[0]);
	close(ends[1]);
	return c->socket >= 0;
}

static void end_child(struct copies *c)
{
	if (c->socket < 0)
		return;
	close(c->socket);
	c->socket = -1;
	sandbox_end(&c->unwinder);
}

/* ------------------------------------------------------------ what comes back */

#define MAX_SHOWN	5	/* differences */

static void compare(struct copies *c, const struct flight *f, const struct tally_frames *user)
{
	if (!f->walked.nr || (user->end & KFLAME_END_MASK) == KFLAME_END_UNWINDER)
		return;
	if (both_add(&c->sums.both, &f->walked, user) && c->sums.both.different <= MAX_SHOWN)
		both_show(&f->walked, user, stderr);
}

static bool is_complete(const struct tally_frames *user)
{
	return (user->end & KFLAME_END_MASK) == KFLAME_END_COMPLETE;
}

/* A copy can be too short, or its files gone: then the module may have come further */
static const struct tally_frames *better(const struct flight *f, const struct tally_frames *user)
{
	if (is_complete(user) || !f->walked.nr)
		return user;
	return is_complete(&f->walked) || f->walked.nr > user->nr ? &f->walked : user;
}

static void count(struct copies *c, struct flight *f, const struct tally_frames *user)
{
	if (f->counted)
		compare(c, f, user);
	else if (tally_add(&c->tally, &f->count, f->time_ns, &f->kernel, better(f, user)) &&
		 !c->sums.lost++)
		complain("there is not enough memory for all stacks: some samples are missing");
	free(f->ip);
	f->ip = NULL;
}

/* Nothing is known that it could be unwound by */
static void take_as_walked(struct copies *c, struct flight *f)
{
	c->sums.as_walked++;
	count(c, f, &f->walked);
}

/* A stack of which there is the program counter, as the one that unwinds is no more */
static void give_up(struct copies *c, struct flight *f)
{
	const struct tally_frames user = {
		.end = KFLAME_END_UNWINDER | KFLAME_BY_COPY, .nr = 1, .ip = &f->pc,
	};

	c->sums.given_up++;
	count(c, f, &user);
}

static struct flight *land(struct copies *c)
{
	struct flight *f = &c->flight[c->first];

	c->first = (c->first + 1) % MAX_FLIGHT;
	c->in_flight--;
	c->flight_bytes -= f->bytes;
	return f;
}

/* It died, or hangs, or talks nonsense: what it had is given up, and another one takes over */
static void bury(struct copies *c, const char *why)
{
	end_child(c);
	while (c->in_flight)
		give_up(c, land(c));
	if (++c->sums.deaths == 1)
		complain("the process that unwinds stacks %s: some stacks are without their callers, and say so",
			 why);
	if (c->sums.deaths < MAX_DEATHS && start_child(c))
		return;
	complain("the process that unwinds stacks was started %u times, and is no more: no stacks from here on",
		 c->sums.deaths);
}

static bool makes_sense(const struct walk_stack *s, ssize_t len)
{
	return len >= (ssize_t)offsetof(struct walk_stack, ip) && s->nr && s->nr <= WALK_DEPTH &&
	       len == (ssize_t)(offsetof(struct walk_stack, ip) + s->nr * sizeof(s->ip[0])) &&
	       (s->end & KFLAME_END_MASK) <= KFLAME_END_UNWINDER;
}

/* Takes the answers that are there */
static void hear(struct copies *c)
{
	while (c->socket >= 0) {
		ssize_t n = recv(c->socket, &c->answer, sizeof(c->answer), MSG_DONTWAIT);
		struct tally_frames user = { c->answer.end, c->answer.nr, c->answer.ip };

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			bury(c, "has ended");
		} else if (!c->in_flight || !makes_sense(&c->answer, n)) {
			bury(c, "makes no sense");
		} else {
			c->sums.unwound++;
			c->sums.cut += (user.end & KFLAME_END_MASK) == KFLAME_END_CUT;
			count(c, land(c), &user);
		}
	}
}

/* Waits until it answers, or takes what is said to it.  Return: whether it is there still */
static bool wait_for(struct copies *c, short events)
{
	struct pollfd fd = { .fd = c->socket, .events = events };
	int n;

	do
		n = poll(&fd, 1, PATIENCE_MS);
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		bury(c, "does not answer");
		return false;
	}
	if (fd.revents & (POLLIN | POLLHUP | POLLERR)) {
		int before = c->socket;
		unsigned int deaths = c->sums.deaths;

		hear(c);
		return c->socket == before && c->sums.deaths == deaths;
	}
	return true;
}

/* ----------------------------------------------------------- what is said to it */

/* Return: false: it was buried meanwhile */
static bool say(struct copies *c, struct iovec *parts, size_t nr, int fd)
{
	int err;

	while ((err = fd_send(c->socket, parts, nr, &fd, fd >= 0, MSG_DONTWAIT))) {
		if (err != -EAGAIN) {
			bury(c, "has ended");
			return false;
		}
		if (!wait_for(c, POLLIN | POLLOUT))
			return false;
	}
	return true;
}

static bool say_head(struct copies *c, struct unwinder_head h, const void *more, size_t len,
		     int fd)
{
	struct iovec parts[] = {
		{ .iov_base = &h, .iov_len = sizeof(h) },
		{ .iov_base = (void *)more, .iov_len = len },
	};

	return say(c, parts, len ? 2 : 1, fd);
}

static bool say_forget(struct copies *c, enum unwinder_kind kind)
{
	return say_head(c, (struct unwinder_head){ .kind = kind }, NULL, 0, -1);
}

static bool say_file(struct copies *c, uint32_t i)
{
	const struct profile_file *f = &c->profile->files[i];
	bool vdso = packed_is_vdso(f), ok = true;
	int fd;

	if (c->files[i] == c->generation)
		return true;
	fd = vdso ? binary_copy_vdso(f) : held_files_fd(c->held, i);
	if (fd == HELD_NOT_YET)
		return true;
	if (fd >= 0 && c->nr_files == UNWINDER_FILES) {
		/* All at once: what is needed comes again, and it is not often */
		ok = say_forget(c, UNWINDER_FORGET_FILES) && say_forget(c, UNWINDER_FORGET_SPACES);
		forget(c);
	}
	if (ok && fd >= 0) {
		ok = say_head(c, (struct unwinder_head){ .kind = UNWINDER_FILE, .number = f->rec.id },
			      NULL, 0, fd);
		c->nr_files++;
	}
	/* Else there is another process now, which has none */
	if (ok)
		c->files[i] = c->generation;
	if (vdso && fd >= 0)
		close(fd);
	return ok;
}

static bool say_maps(struct copies *c, const struct profile_aspace *as)
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
				m->file == PROFILE_NONE ? 0 : c->profile->files[m->file].rec.id,
			};
		}
		if (!say_head(c, h, maps, h.nr * sizeof(*maps), -1))
			return false;
	} while (at < as->nr_maps);
	return true;
}

static bool say_files(struct copies *c, const struct profile_aspace *as)
{
	for (size_t i = 0; i < as->nr_maps; i++)
		if (as->maps[i].file != PROFILE_NONE && !say_file(c, as->maps[i].file))
			return false;
	return true;
}

/* Sees to it that the other process knows an address space as we do */
static bool say_space(struct copies *c, uint32_t i)
{
	const struct profile_aspace *as = &c->profile->aspaces[i];
	struct space_state *s = &c->spaces[i];
	uint32_t generation = c->generation;

	if (!say_files(c, as))
		return false;
	/* The last ones of these made it forget the first ones */
	if (c->generation != generation && !say_files(c, as))
		return false;
	if (s->generation == c->generation && s->maps == as->nr_maps)
		return true;
	if (s->generation != c->generation && c->nr_spaces == UNWINDER_SPACES) {
		if (!say_forget(c, UNWINDER_FORGET_SPACES))
			return false;
		for (size_t k = 0; k < c->cap_spaces; k++)
			c->spaces[k].generation = 0;
		c->nr_spaces = 0;
	}
	if (!say_maps(c, as))
		return false;
	c->nr_spaces += s->generation != c->generation;
	s->generation = c->generation;
	s->maps = as->nr_maps;
	return true;
}

static bool say_copy(struct copies *c, const struct kflame_rec_ustack *rec)
{
	struct unwinder_head h = {
		.kind = UNWINDER_COPY, .nr = rec->nr_regs, .number = rec->aspace,
		.flags = rec->flags, .bytes = rec->copied,
	};

	return say_head(c, h, rec->data + rec->nr_kernel + rec->nr_user,
			rec->nr_regs * sizeof(rec->data[0]) + rec->copied, -1);
}

/* ------------------------------------------------------------------- copies */

/* What is left of a copy when it was sent; both .nr are 0 without memory */
static struct flight note(const struct copies *c, const struct kflame_rec_ustack *rec)
{
	size_t nr = (size_t)rec->nr_kernel + rec->nr_user;
	struct walk_copy copy = { .nr_regs = rec->nr_regs };
	struct flight f = {
		.count = {
			.aspace = rec->aspace, .samples = 1, .weight_ns = rec->weight_ns,
			.late_ns = rec->late_ns, .cpu = rec->cpu, .context = rec->context,
			.tgid = rec->tgid, .tid = rec->tid,
		},
		.time_ns = c->profile->session.flags & KFLAME_CF_TIMELINE ? rec->time_ns : 0,
	};

	memcpy(f.count.comm, rec->comm, sizeof(f.count.comm));
	memcpy(copy.regs, rec->data + rec->nr_kernel + rec->nr_user,
	       rec->nr_regs * sizeof(copy.regs[0]));
	f.pc = walk_pc(&copy);
	f.bytes = rec->rec.size;
	f.counted = rec->flags & KFLAME_COPY_COUNTED;
	f.ip = nr ? malloc(nr * sizeof(*f.ip)) : NULL;
	if (f.ip) {
		memcpy(f.ip, rec->data, nr * sizeof(*f.ip));
		f.kernel = (struct tally_frames){ rec->kend, rec->nr_kernel, f.ip };
		f.walked = (struct tally_frames){ rec->uend, rec->nr_user,
						  f.ip + rec->nr_kernel };
	}
	return f;
}

/* Return: whether there is the memory to keep track of all that the profile has by now */
static bool keep_track(struct copies *c)
{
	size_t cap;

	while (c->cap_spaces < c->profile->nr_aspaces) {
		cap = c->cap_spaces;
		if (grow(&c->spaces, cap, &c->cap_spaces, sizeof(*c->spaces)))
			return false;
		memset(c->spaces + cap, 0, (c->cap_spaces - cap) * sizeof(*c->spaces));
	}
	while (c->cap_files < c->profile->nr_files) {
		cap = c->cap_files;
		if (grow(&c->files, cap, &c->cap_files, sizeof(*c->files)))
			return false;
		memset(c->files + cap, 0, (c->cap_files - cap) * sizeof(*c->files));
	}
	return true;
}

/* Has it the place for one more copy, and is it there at all? */
static bool has_room(struct copies *c)
{
	while (c->socket >= 0 && c->in_flight == MAX_FLIGHT)
		wait_for(c, POLLIN);
	return c->socket >= 0;
}

static void unwind(struct copies *c, const struct kflame_rec_ustack *rec)
{
	uint32_t i = profile_find_aspace(c->profile, rec->aspace);
	struct flight f = note(c, rec);

	if (i == PROFILE_NONE && !f.counted && f.walked.nr) {
		take_as_walked(c, &f);
		return;
	}
	if (!has_room(c) || (i != PROFILE_NONE && keep_track(c) && !say_space(c, i)) ||
	    c->socket < 0) {
		give_up(c, &f);
		return;
	}
	/* From here on it is among those that are given up with the process */
	c->flight[(c->first + c->in_flight++) % MAX_FLIGHT] = f;
	c->flight_bytes += f.bytes;
	say_copy(c, rec);
}

static bool files_are_held(const struct copies *c, const struct profile_aspace *as)
{
	for (size_t i = 0; i < as->nr_maps; i++)
		if (as->maps[i].file != PROFILE_NONE &&
		    held_files_fd(c->held, as->maps[i].file) == HELD_NOT_YET)
			return false;
	return true;
}

/* Is all known that is needed to unwind it, or will be? */
static bool is_ready(struct copies *c, const struct kflame_rec_ustack *rec, uint64_t now)
{
	uint32_t i = profile_find_aspace(c->profile, rec->aspace);
	const struct profile_aspace *as;
	struct space_state *s;

	if (c->last || !rec->aspace || c->socket < 0 || !keep_track(c))
		return true;
	if (now > rec->time_ns + WAIT_NS) {
		c->sums.unknown++;
		return true;
	}
	if (i == PROFILE_NONE)
		return false;
	as = &c->profile->aspaces[i];
	s = &c->spaces[i];
	if (s->generation == c->generation && s->maps == as->nr_maps)
		return true;
	if (!as->told || as->rec.state != KFLAME_ASPACE_MAPPED || !as->nr_maps)
		return false;
	if (!s->first_ns)
		s->first_ns = now;
	return now - s->first_ns >= SETTLE_NS && files_are_held(c, as);
}

/* Keeps a copy for later.  Return: false: there is no room */
static bool keep(struct copies *c, const struct kflame_rec_ustack *rec)
{
	struct kflame_rec_ustack *copy;

	if (c->waiting_bytes + rec->rec.size > MAX_WAITING ||
	    grow(&c->waiting, c->nr_waiting, &c->cap_waiting, sizeof(*c->waiting)))
		return false;
	copy = malloc(rec->rec.size);
	if (!copy)
		return false;
	memcpy(copy, rec, rec->rec.size);
	c->waiting[c->nr_waiting++] = copy;
	c->waiting_bytes += rec->rec.size;
	c->sums.waited++;
	return true;
}

/* Has it as many as it can take without that one has to wait for it? */
static bool is_busy(const struct copies *c)
{
	return c->socket >= 0 && !c->last &&
	       (c->in_flight == MAX_FLIGHT || c->flight_bytes > FLIGHT_BYTES);
}

void copies_take(struct copies *c, const struct kflame_rec_ustack *rec)
{
	/* Rather here than in the ring, which is small */
	if ((!is_busy(c) && is_ready(c, rec, now_ns())) || !keep(c, rec))
		unwind(c, rec);
}

/* Those that waited, in the order they came, as far as they need not any more */
static void retry(struct copies *c)
{
	uint64_t now = now_ns();
	size_t left = 0;

	for (size_t i = 0; i < c->nr_waiting; i++) {
		struct kflame_rec_ustack *rec = c->waiting[i];

		if (is_busy(c) || !is_ready(c, rec, now)) {
			c->waiting[left++] = rec;
			continue;
		}
		unwind(c, rec);
		c->waiting_bytes -= rec->rec.size;
		free(rec);
	}
	c->nr_waiting = left;
}

uint64_t copies_pump(struct copies *c, struct rings *rings)
{
	const struct kflame_rec_ustack *rec = NULL;
	uint64_t until = now_ns() + SLICE_NS;

	hear(c);
	retry(c);
	while (rings && !copies_is_full(c) && (rec = rings_next(rings))) {
		copies_take(c, rec);
		rings_done(rings);
		if (now_ns() > until)
			return 0;
	}
	return rec || copies_is_full(c) ? 0 : c->nr_waiting ? RETRY_NS : UINT64_MAX;
}

void copies_finish(struct copies *c, struct rings *rings)
{
	const struct kflame_rec_ustack *rec;

	c->last = true;
	retry(c);
	while (rings && !copies_is_full(c) && (rec = rings_next(rings))) {
		copies_take(c, rec);
		rings_done(rings);
	}
	while (c->in_flight)
		wait_for(c, POLLIN);
}

bool copies_is_full(const struct copies *c)
{
	return tally_is_full(&c->tally);
}

void copies_tell(struct copies *c, struct records *to)
{
	tally_tell(&c->tally, to);
}

const struct copies_sums *copies_sums(const struct copies *c)
{
	return &c->sums;
}

int copies_fd(const struct copies *c)
{
	return c->socket;
}

pid_t copies_pid(const struct copies *c)
{
	return c->socket < 0 ? 0 : c->unwinder.pid;
}

struct copies *copies_new(const struct profile *p, const struct held_files *held)
{
	struct copies *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->profile = p;
	c->held = held;
	c->socket = -1;
	if (start_child(c))
		return c;
	copies_free(c);
	return NULL;
}

void copies_free(struct copies *c)
{
	if (!c)
		return;
	end_child(c);
	while (c->in_flight)
		free(land(c)->ip);
	for (size_t i = 0; i < c->nr_waiting; i++)
		free(c->waiting[i]);
	free(c->waiting);
	free(c->spaces);
	free(c->files);
	tally_free(&c->tally);
	free(c);
}
