// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sender.c - sends the profiles of a spool directory to servers, in a process without privileges
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/config.h"
#include "agent/http.h"
#include "agent/journal.h"
#include "agent/push.h"
#include "agent/send_status.h"
#include "agent/sender.h"
#include "agent/spool.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/message.h"

#define FIRST_WAIT_NS	NS_PER_S
#define MOST_TRIES	10		/* of a profile that a target refuses */
#define SAME_FILE	5		/* failures in a row after which another profile is tried first */
#define LONGEST_RUN_NS	(86400 * NS_PER_S) /* then the agent starts it anew, and the journals become short again */

/* A profile that is tried again later than others */
struct deferred {
	char *id;
	unsigned int tries;
	uint64_t at_ns;
};

/**
 * struct lane - a target, and what it has
 * @wait_ns:	the current pause; 0: the last attempt was good
 * @at_ns:	no attempt before that
 * @failures:	of @failed, in a row
 */
struct lane {
	const struct send_target *target;
	struct send_target_status *status;
	struct journal journal;
	struct deferred *deferred;
	size_t nr, cap;
	uint64_t wait_ns, at_ns;
	char failed[SPOOL_NAME];
	unsigned int failures;
	bool reported;
};

struct sender {
	struct agent_config c;
	struct send_status own, *status;
	struct http *http;
	struct lane lanes[SEND_TARGETS];
	size_t nr;
	struct spool_files files;
	int dir;
	int changes;		/* inotify */
};

/* -------------------------------------------------------------- deferring */

static struct deferred *find_deferred(const struct lane *l, const char *id, size_t len)
{
	for (size_t i = 0; i < l->nr; i++)
		if (strlen(l->deferred[i].id) == len && !memcmp(l->deferred[i].id, id, len))
			return &l->deferred[i];
	return NULL;
}

static void forget(struct lane *l, struct deferred *d)
{
	if (!d)
		return;
	free(d->id);
	*d = l->deferred[--l->nr];
}

static struct deferred *defer(struct lane *l, const char *id, size_t len)
{
	struct deferred *d = find_deferred(l, id, len);
	char *copy;

	if (d)
		return d;
	copy = strndup(id, len);
	if (!copy || grow(&l->deferred, l->nr, &l->cap, sizeof(*l->deferred))) {
		free(copy);
		return NULL;
	}
	l->deferred[l->nr] = (struct deferred){ .id = copy };
	return &l->deferred[l->nr++];
}

/* -------------------------------------------------------------- an attempt */

/* Twice the pause before, up to the ceiling, less a random eighth: so that not all hosts come at once */
static uint64_t pause_after(const struct sender *s, uint64_t before, uint64_t retry_s)
{
	uint64_t wait = before ? 2 * before : FIRST_WAIT_NS;

	if (retry_s && retry_s < s->c.retry_ns / NS_PER_S + 1 && retry_s * NS_PER_S > wait)
		wait = retry_s * NS_PER_S;
	if (wait > s->c.retry_ns)
		wait = s->c.retry_ns;
	return wait;
}

static uint64_t less_some(uint64_t ns)
{
	return ns - ns / 8 * (hash_u64(now_ns(), (uint64_t)getpid()) & 255) / 256;
}

static void report(struct lane *l, const char *id, const char *why, uint64_t wait_ns)
{
	if (!l->reported)
		complain("%s does not take %s: %s. It is tried again, in %llu s at first", l->target->where, id, why,
			 (unsigned long long)((wait_ns + NS_PER_S - 1) / NS_PER_S));
	l->reported = true;
}

static void note_sent(struct lane *l, const char *id, size_t len)
{
	int err = journal_add(&l->journal, id, len);

	if (err)
		complain("it cannot be noted that %s has %.*s: %s. It is sent again after a restart", l->target->where,
			 (int)len, id, strerror(-err));
	if (l->reported)
		complain("%s takes profiles again", l->target->where);
	forget(l, find_deferred(l, id, len));
	l->reported = false;
	l->wait_ns = 0;
	l->failures = 0;
}

/* The target refuses this profile: others may be sent before it.  Beyond a number of tries it is given up */
static void refuse(struct sender *s, struct lane *l, const char *id, size_t len, const char *why)
{
	struct deferred *d = defer(l, id, len);

	if (d && ++d->tries < MOST_TRIES) {
		uint64_t wait = FIRST_WAIT_NS << (d->tries - 1);

		d->at_ns = now_ns() + (wait < s->c.retry_ns ? wait : s->c.retry_ns);
		report(l, id, why, wait);
		return;
	}
	complain("%s refused %.*s %d times: %s. It is given up", l->target->where, (int)len, id, MOST_TRIES, why);
	l->status->given_up++;
	journal_add(&l->journal, id, len);
	forget(l, d);
}

/* The target does not work.  A profile that fails again and again lets others go first, but is never given up */
static void back_off(struct sender *s, struct lane *l, const char *id, size_t len, uint64_t retry_s, const char *why)
{
	const uint64_t now = now_ns();
	struct deferred *d;

	l->wait_ns = pause_after(s, l->wait_ns, retry_s);
	l->at_ns = now + less_some(l->wait_ns);
	report(l, id, why, l->wait_ns);
	l->failures = strncmp(l->failed, id, sizeof(l->failed)) ? 1 : l->failures + 1;
	snprintf(l->failed, sizeof(l->failed), "%s", id);
	if (l->failures % SAME_FILE)
		return;
	d = defer(l, id, len);
	if (d)
		d->at_ns = now + 2 * l->wait_ns;
}

static void try_one(struct sender *s, struct lane *l, const struct spool_file *f, size_t len)
{
	char id[SPOOL_NAME], why[256];
	struct push p = { .c = &s->c, .http = s->http, .dir = s->dir, .spool = s->c.spool, .name = f->name, .id = id };
	enum send_result result;
	uint64_t retry_s;

	snprintf(id, sizeof(id), "%.*s", (int)len, f->name);
	/* The limits of the spool directory may have removed it since the list was made */
	if (faccessat(s->dir, f->name, F_OK, 0) && errno == ENOENT)
		return;
	result = push_profile(&p, l->target, &retry_s, why, sizeof(why));
	l->status->results[result]++;
	switch (result) {
	case SEND_OK:
		note_sent(l, id, len);
		break;
	case SEND_TOO_LARGE:
	case SEND_REFUSED:
	case SEND_UNREADABLE:
		refuse(s, l, id, len, why);
		break;
	default:
		back_off(s, l, id, len, retry_s, why);
		break;
	}
	l->status->wait_ns = l->wait_ns;
}

/* Send what a target does not have, until it has all or fails.  Return: when to come again; UINT64_MAX: not before a change */
static uint64_t serve(struct sender *s, struct lane *l)
{
	uint64_t next = UINT64_MAX, waiting = 0;

	for (size_t i = 0; i < s->files.nr; i++) {
		const struct spool_file *f = &s->files.all[i];
		const struct deferred *d;
		struct spool_name parts;
		size_t len;

		if (!spool_name_parse(f->name, &parts) || journal_has(&l->journal, f->name, parts.id_len))
			continue;
		len = parts.id_len;
		d = find_deferred(l, f->name, len);
		if (now_ns() >= l->at_ns && (!d || now_ns() >= d->at_ns))
			try_one(s, l, f, len);
		if (journal_has(&l->journal, f->name, len))
			continue;
		waiting++;
		d = find_deferred(l, f->name, len);
		if (d && d->at_ns < next)
			next = d->at_ns;
		if (!d)
			next = l->at_ns < next ? l->at_ns : next;
	}
	l->status->waiting = waiting;
	/* A deferred profile waits for its target, too */
	return next != UINT64_MAX && next < l->at_ns ? l->at_ns : next;
}

/* Forget deferred profiles that are gone */
static void tidy(struct sender *s, struct lane *l)
{
	for (size_t i = l->nr; i-- > 0;) {
		bool there = false;

		for (size_t k = 0; !there && k < s->files.nr; k++)
			there = !strncmp(s->files.all[k].name, l->deferred[i].id, strlen(l->deferred[i].id));
		if (!there)
			forget(l, &l->deferred[i]);
	}
}

/* -------------------------------------------------------------------- loop */

static void drop_changes(const struct sender *s)
{
	char events[4096];

	while (read(s->changes, events, sizeof(events)) > 0)
		;
}

static int look(struct sender *s)
{
	spool_files_exit(&s->files);
	return spool_list(s->dir, &s->files);
}

static int loop(struct sender *s, bool once)
{
	const uint64_t end = now_ns() + LONGEST_RUN_NS;

	while (now_ns() < end) {
		struct pollfd change = { .fd = s->changes, .events = POLLIN };
		uint64_t next = UINT64_MAX, now;
		struct timespec left;

		drop_changes(s);
		if (look(s)) {
			complain("the spool directory %s cannot be listed", s->c.spool);
			return EXIT_FAILURE;
		}
		for (size_t i = 0; i < s->nr; i++) {
			uint64_t at;

			tidy(s, &s->lanes[i]);
			at = serve(s, &s->lanes[i]);
			if (at < next)
				next = at;
		}
		if (once && next == UINT64_MAX)
			return EXIT_SUCCESS;
		if (next > end)
			next = end;
		now = now_ns();
		next = next > now ? next - now : 0;
		left = (struct timespec){ (time_t)(next / NS_PER_S), (long)(next % NS_PER_S) };
		if (ppoll(&change, 1, &left, NULL) < 0 && errno != EINTR)
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

/* ------------------------------------------------------------------- start */

/* Become the user of the configuration, for good.  Return: 0; -1 after a message */
static int drop_rights(const struct agent_config *c)
{
	const struct passwd *user = c->user ? getpwnam(c->user) : NULL;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	if (!c->user || geteuid())
		return 0;
	if (user && !setgroups(0, NULL) && !setgid(user->pw_gid) && !setuid(user->pw_uid) && setuid(0))
		return 0;
	complain("the sender cannot become the user %s", c->user);
	return -1;
}

static void attach_status(struct sender *s, int fd)
{
	struct send_status *shared = MAP_FAILED;
	struct stat st;

	/* A file that is too short would end this process at the first access */
	if (fd >= 0 && !fstat(fd, &st) && st.st_size >= (off_t)sizeof(*shared))
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	s->status = shared == MAP_FAILED ? &s->own : shared;
	memset(s->status, 0, sizeof(*s->status));
}

static int open_lanes(struct sender *s)
{
	for (size_t i = 0; i < s->c.nr_targets; i++) {
		struct lane *l = &s->lanes[s->nr++];

		l->target = &s->c.targets[i];
		l->status = &s->status->targets[i];
		if (journal_open(&l->journal, s->dir, l->target, &s->files))
			return -1;
		if (l->target->kind != SEND_DIRECTORY && !s->http && http_open(&s->c, &s->http))
			return -1;
	}
	return 0;
}

static int prepare(struct sender *s)
{
	s->dir = open(s->c.spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0) {
		complain("the spool directory %s cannot be read: %s", s->c.spool, strerror(errno));
		return -1;
	}
	s->changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (s->changes < 0 || inotify_add_watch(s->changes, s->c.spool, IN_MOVED_TO | IN_CREATE) < 0) {
		complain("the spool directory %s cannot be watched: %s", s->c.spool, strerror(errno));
		return -1;
	}
	return look(s) || open_lanes(s) || drop_rights(&s->c) ? -1 : 0;
}

int sender_run(const struct agent_options *o, int status_fd, bool once)
{
	struct sender s = { .dir = -1, .changes = -1 };
	int status = EXIT_FAILURE;

	/* Without its agent it would send from a directory that nobody writes to */
	if (status_fd >= 0)
		prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	signal(SIGPIPE, SIG_IGN);
	attach_status(&s, status_fd);
	if (!agent_config_read(o->config, o->settings, o->nr_settings, &s.c) && !prepare(&s))
		status = loop(&s, once);
	for (size_t i = 0; i < s.nr; i++) {
		while (s.lanes[i].nr)
			forget(&s.lanes[i], &s.lanes[i].deferred[s.lanes[i].nr - 1]);
		free(s.lanes[i].deferred);
		journal_close(&s.lanes[i].journal);
	}
	spool_files_exit(&s.files);
	http_close(s.http);
	if (s.dir >= 0)
		close(s.dir);
	if (s.changes >= 0)
		close(s.changes);
	agent_config_exit(&s.c);
	return status;
}
