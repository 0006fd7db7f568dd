// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copies.c - unwinds the stack copies of the module during the recording
 */
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/message.h"
#include "record/copies.h"
#include "record/copy_client.h"
#include "record/tally.h"

#define MS		1000000ull
#define MAX_CLIENTS	8		/* sandboxes at once; the longest idle one is ended for a new one */
#define MAX_WAITING	(32u << 20)	/* bytes of the copies that wait for mappings or for a free sandbox */
#define WAIT_NS		(5000 * MS)	/* as long as the module may hold back its reports */
#define SETTLE_NS	(20 * MS)	/* the mappings of an address space arrive one by one */
#define RETRY_NS	(20 * MS)
#define SLICE_NS	(50 * MS)	/* limit of one call: the device must be read, too */

/* A copy that waits for its address space or for a free sandbox */
struct waiting {
	struct kflame_rec_ustack *rec;
	struct copy_owner owner;
};

/* The waiting copies of one owner: their size */
struct waiting_owner {
	struct copy_owner owner;
	uint64_t bytes;
};

struct copies {
	struct client_world world;
	struct unwinder_client *clients[MAX_CLIENTS];
	size_t nr_clients;
	bool is_first;		/* the only client has no owner yet */
	int poll;		/* epoll descriptor: readable if a sandbox answered */
	uint64_t *first_ns;	/* by address space: when its mappings were first seen; 0: not yet */
	size_t nr_first, cap_first;
	struct waiting *waiting;	/* oldest first */
	size_t nr_waiting, cap_waiting, waiting_bytes;
	struct waiting_owner *owners;	/* of the copies in .waiting */
	size_t nr_owners, cap_owners;
	bool last;		/* the profile is complete: do not wait any longer */
	struct tally tally;
	struct copies_sums sums;
};

/* ------------------------------------------------------------ results */

#define MAX_SHOWN	5	/* limit of differences that are printed */

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

/* A copy can be too short, or a file missing. Then the module's own walk may have more frames */
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

/* The address space of the copy was never reported: use the module's own walk */
static void take_as_walked(struct copies *c, struct flight *f)
{
	c->sums.as_walked++;
	count(c, f, &f->walked);
}

static void answered(void *ctx, struct flight *f, const struct tally_frames *user)
{
	struct copies *c = ctx;

	c->sums.unwound++;
	c->sums.cut += (user->end & KFLAME_END_MASK) == KFLAME_END_CUT;
	count(c, f, user);
}

/* The sandbox cannot unwind the copy: count its program counter, or the module's own walk */
static void give_up(void *ctx, struct flight *f)
{
	const struct tally_frames user = {
		.end = KFLAME_END_UNWINDER | KFLAME_BY_COPY, .nr = 1, .ip = &f->pc,
	};
	struct copies *c = ctx;

	c->sums.given_up++;
	count(c, f, &user);
}

static void died(void *ctx, struct copy_owner owner, const char *why, bool for_good)
{
	struct copies *c = ctx;
	char whose[32] = "";

	if (owner.user)
		snprintf(whose, sizeof(whose), " of user %u", owner.user - 1);
	if (++c->sums.deaths == 1)
		complain("the process that unwinds stacks%s %s: some stacks are without their callers, and say so",
			 whose, why);
	if (for_good)
		complain("the process that unwinds stacks%s died too often: stacks of that user's processes are without their callers from here on",
			 whose);
}

/* ------------------------------------------------------------------ sandboxes */

static bool same_owner(struct copy_owner a, struct copy_owner b)
{
	return a.user == b.user && a.container == b.container;
}

/* Replace the watched sockets, after a sandbox was started or ended */
static void watch(struct copies *c)
{
	close(c->poll);
	c->poll = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < c->nr_clients; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (c->poll >= 0 && c->clients[i]->socket >= 0)
			epoll_ctl(c->poll, EPOLL_CTL_ADD, c->clients[i]->socket, &event);
	}
}

static size_t longest_idle(const struct copies *c)
{
	size_t oldest = 0;

	for (size_t i = 1; i < c->nr_clients; i++)
		if (c->clients[i]->used_ns < c->clients[oldest]->used_ns)
			oldest = i;
	return oldest;
}

/* End the sandbox that was idle longest, once it has answered all its copies */
static void make_room(struct copies *c)
{
	size_t oldest = longest_idle(c);
	struct unwinder_client *u = c->clients[oldest];

	while (u->socket >= 0 && u->in_flight)
		unwinder_client_wait(u);
	unwinder_client_end(u);
	free(u);
	c->clients[oldest] = c->clients[--c->nr_clients];
}

static struct unwinder_client *add_client(struct copies *c, struct copy_owner owner)
{
	struct unwinder_client *u = malloc(sizeof(*u));

	if (!u || !unwinder_client_start(u, &c->world, owner)) {
		free(u);
		return NULL;
	}
	if (c->nr_clients == MAX_CLIENTS)
		make_room(c);
	c->clients[c->nr_clients++] = u;
	watch(c);
	return u;
}

static struct copy_owner owner_of(const struct copies *c, uint32_t aspace)
{
	const struct profile_aspace *as = aspace == PROFILE_NONE ? NULL : &c->world.profile->aspaces[aspace];

	if (!as || !as->reported)
		return (struct copy_owner){ 0 };
	return (struct copy_owner){ as->rec.owner, as->rec.pidns_inode };
}

static struct unwinder_client *find_client(const struct copies *c, struct copy_owner owner)
{
	for (size_t i = 0; i < c->nr_clients; i++)
		if (same_owner(c->clients[i]->owner, owner))
			return c->clients[i];
	return NULL;
}

/* Return: the sandbox for an owner's copies; NULL if none can be started */
static struct unwinder_client *client_for(struct copies *c, struct copy_owner owner)
{
	struct unwinder_client *u = find_client(c, owner);

	if (u)
		return u;
	if (c->is_first) {
		c->is_first = false;
		c->clients[0]->owner = owner;
		return c->clients[0];
	}
	return add_client(c, owner);
}

static void hear(struct copies *c)
{
	unsigned int deaths = c->sums.deaths;

	for (size_t i = 0; i < c->nr_clients; i++)
		unwinder_client_hear(c->clients[i]);
	if (c->sums.deaths != deaths)
		watch(c);
}

/* ------------------------------------------------------------------- copies */

/* What to remember of a copy that is sent; both .nr are 0 if memory is short */
static struct flight note(const struct copies *c, const struct kflame_rec_ustack *rec)
{
	size_t nr = (size_t)rec->nr_kernel + rec->nr_user;
	struct walk_copy copy = { .nr_regs = rec->nr_regs };
	struct flight f = {
		.count.rec = {
			.aspace = rec->aspace, .samples = 1, .weight_ns = rec->weight_ns,
			.late_ns = rec->late_ns, .cpu = rec->cpu, .context = rec->context,
			.tgid = rec->tgid, .tid = rec->tid,
		},
		.count.event = rec->event,
		.time_ns = c->world.profile->session.flags & KFLAME_CF_TIMELINE ? rec->time_ns : 0,
	};

	memcpy(f.count.rec.comm, rec->comm, sizeof(f.count.rec.comm));
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

/* Return: whether there is memory to track all address spaces of the profile */
static bool keep_track(struct copies *c)
{
	struct client_world *w = &c->world;

	while (w->nr_spaces < w->profile->nr_aspaces) {
		if (grow(&w->spaces, w->nr_spaces, &w->cap_spaces, sizeof(*w->spaces)))
			return false;
		w->spaces[w->nr_spaces++] = (struct known_space){ 0 };
	}
	while (c->nr_first < w->profile->nr_aspaces) {
		if (grow(&c->first_ns, c->nr_first, &c->cap_first, sizeof(*c->first_ns)))
			return false;
		c->first_ns[c->nr_first++] = 0;
	}
	return true;
}

static void unwind(struct copies *c, const struct kflame_rec_ustack *rec)
{
	uint32_t i = profile_find_aspace(c->world.profile, rec->aspace);
	unsigned int deaths = c->sums.deaths;
	struct flight f = note(c, rec);
	struct unwinder_client *u;

	if (i == PROFILE_NONE && !f.counted && f.walked.nr) {
		take_as_walked(c, &f);
		return;
	}
	u = keep_track(c) ? client_for(c, owner_of(c, i)) : NULL;
	if (!u || !unwinder_client_send(u, rec, i, &f))
		give_up(c, &f);
	if (c->sums.deaths != deaths)
		watch(c);
}

static bool files_are_held(const struct copies *c, const struct profile_aspace *as)
{
	for (size_t i = 0; i < as->nr_maps; i++)
		if (as->maps[i].file != PROFILE_NONE &&
		    held_files_fd(c->world.held, as->maps[i].file) == HELD_NOT_YET)
			return false;
	return true;
}

/* Is the address space complete enough to unwind the copy, or is it too late to wait? */
static bool is_ready(struct copies *c, const struct kflame_rec_ustack *rec, uint64_t now)
{
	uint32_t i = profile_find_aspace(c->world.profile, rec->aspace);
	const struct unwinder_client *u;
	const struct profile_aspace *as;

	if (c->last || !rec->aspace || !keep_track(c))
		return true;
	if (now > rec->time_ns + WAIT_NS) {
		c->sums.unknown++;
		return true;
	}
	if (i == PROFILE_NONE)
		return false;
	as = &c->world.profile->aspaces[i];
	u = find_client(c, owner_of(c, i));
	if (u && (u->socket < 0 || unwinder_client_knows(u, i)))
		return true;
	if (!as->reported || as->rec.state != KFLAME_ASPACE_MAPPED || !as->nr_maps)
		return false;
	if (!c->first_ns[i])
		c->first_ns[i] = now;
	return now - c->first_ns[i] >= SETTLE_NS && files_are_held(c, as);
}

static struct copy_owner owner_of_copy(const struct copies *c, const struct kflame_rec_ustack *rec)
{
	return owner_of(c, profile_find_aspace(c->world.profile, rec->aspace));
}

/* Return: the account of an owner's waiting copies; NULL if memory is short */
static struct waiting_owner *account_of(struct copies *c, struct copy_owner owner)
{
	for (size_t i = 0; i < c->nr_owners; i++)
		if (same_owner(c->owners[i].owner, owner))
			return &c->owners[i];
	if (grow(&c->owners, c->nr_owners, &c->cap_owners, sizeof(*c->owners)))
		return NULL;
	c->owners[c->nr_owners] = (struct waiting_owner){ owner, 0 };
	return &c->owners[c->nr_owners++];
}

static void let_go(struct copies *c, struct waiting w)
{
	struct waiting_owner *account = account_of(c, w.owner);

	c->waiting_bytes -= w.rec->rec.size;
	if (account)
		account->bytes -= w.rec->rec.size;
	free(w.rec);
}

/* Keep a copy for later.  Return: false if there is no room */
static bool keep(struct copies *c, const struct kflame_rec_ustack *rec)
{
	struct copy_owner owner = owner_of_copy(c, rec);
	struct waiting_owner *account = account_of(c, owner);
	struct kflame_rec_ustack *copy;

	/* No owner may take the room of the others */
	if (!account || rec->rec.size > budget_share(MAX_WAITING, c->waiting_bytes, account->bytes) ||
	    grow(&c->waiting, c->nr_waiting, &c->cap_waiting, sizeof(*c->waiting)))
		return false;
	copy = malloc(rec->rec.size);
	if (!copy)
		return false;
	memcpy(copy, rec, rec->rec.size);
	c->waiting[c->nr_waiting++] = (struct waiting){ copy, owner };
	c->waiting_bytes += rec->rec.size;
	account->bytes += rec->rec.size;
	c->sums.waited++;
	return true;
}

/* Would sending the copy to its owner's sandbox block? */
static bool is_busy(const struct copies *c, const struct kflame_rec_ustack *rec)
{
	const struct unwinder_client *u = find_client(c, owner_of_copy(c, rec));

	return !c->last && u && unwinder_client_busy(u);
}

void copies_take(struct copies *c, const struct kflame_rec_ustack *rec)
{
	/* Let copies wait here rather than in the ring, which is small */
	if ((!is_busy(c, rec) && is_ready(c, rec, now_ns())) || !keep(c, rec))
		unwind(c, rec);
}

/* Unwind the waiting copies that are ready, in the order of their arrival */
static void retry(struct copies *c)
{
	uint64_t now = now_ns();
	size_t left = 0;

	for (size_t i = 0; i < c->nr_waiting; i++) {
		struct waiting w = c->waiting[i];

		if (is_busy(c, w.rec) || !is_ready(c, w.rec, now)) {
			c->waiting[left++] = w;
			continue;
		}
		unwind(c, w.rec);
		let_go(c, w);
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
	for (size_t i = 0; i < c->nr_clients; i++)
		while (c->clients[i]->in_flight)
			unwinder_client_wait(c->clients[i]);
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
	return c->poll;
}

pid_t copies_pid(const struct copies *c)
{
	return c->nr_clients && c->clients[0]->socket >= 0 ? c->clients[0]->sandbox.pid : 0;
}

struct copies *copies_create(const struct profile *p, const struct held_files *held)
{
	struct copies *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->world = (struct client_world){ .profile = p, .held = held, .answered = answered,
					  .given_up = give_up, .died = died, .ctx = c };
	c->poll = -1;
	/* Find out before the recording begins whether sandboxes can be started at all */
	c->is_first = true;
	if (add_client(c, (struct copy_owner){ 0 }))
		return c;
	copies_destroy(c);
	return NULL;
}

static void drop(void *ctx, struct flight *f)
{
	(void)ctx;
	free(f->ip);
}

void copies_destroy(struct copies *c)
{
	if (!c)
		return;
	c->world.given_up = drop;
	for (size_t i = 0; i < c->nr_clients; i++) {
		unwinder_client_end(c->clients[i]);
		free(c->clients[i]);
	}
	if (c->poll >= 0)
		close(c->poll);
	for (size_t i = 0; i < c->nr_waiting; i++)
		free(c->waiting[i].rec);
	free(c->waiting);
	free(c->owners);
	free(c->first_ns);
	free(c->world.spaces);
	tally_exit(&c->tally);
	free(c);
}
