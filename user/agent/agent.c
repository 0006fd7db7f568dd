// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * agent.c - samples without an end, and writes a profile to the spool directory every minute
 */
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/live_session.h"
#include "agent/metrics.h"
#include "agent/sender_process.h"
#include "agent/service_manager.h"
#include "agent/spool.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/signals.h"
#include "base/version.h"
#include "base/zstd_library.h"
#include "doctor/doctor.h"
#include "sandbox/sandbox.h"

#define OFF_NS		NS_PER_S	/* how often the off-file is looked for while it is there */
#define AGAIN_NS	(10 * NS_PER_S)	/* when a session that failed is tried again */

/**
 * struct agent - the running agent
 * @live:	@session is open
 * @ended:	sums of sessions that ended are in @totals
 * @over:	a signal asked for the end
 * @reload:	SIGHUP came
 */
struct agent {
	const struct agent_options *o;
	struct agent_config config;
	struct spool spool;
	struct sender_process sender;
	struct live_session session;
	struct agent_totals totals;
	uint64_t cut_at, watchdog_at, watchdog_ns;
	int signals;
	bool live;
	bool over;
	bool reload;
};

/* ------------------------------------------------------------------ a cut */

static void put_text(FILE *out, const char *key, const char *value)
{
	fprintf(out, "%s=%s%c", key, value, 0);
}

/* "key=value", each with a NUL at its end: see struct kflame_rec_host */
static void add_host(const struct agent *a, const char *id, struct live_cut *cut)
{
	const struct kernel_id *kernel = &a->session.kernel;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out) {
		cut->records.failed = true;
		return;
	}
	put_text(out, "host", a->config.host);
	put_text(out, "tool", kflame_version);
	if (kernel->len)
		put_text(out, "kernel-build-id", kernel_id_show(kernel).hex);
	fprintf(out, "cut-start=%llu%c", (unsigned long long)cut->begin.real_ns, 0);
	fprintf(out, "cut-end=%llu%c", (unsigned long long)cut->end.real_ns, 0);
	put_text(out, "cut", id);
	for (size_t i = 0; i < a->config.nr_labels; i++)
		fprintf(out, "label.%s=%s%c", a->config.labels[i].name, a->config.labels[i].value, 0);
	if (fclose(out))
		cut->records.failed = true;
	else
		records_host(&cut->records, text, len);
	free(text);
}

/* Return: 0 or a negative errno.  @bytes: out: the profile, to be freed */
static int pack(const struct agent *a, struct live_cut *cut, void **bytes, size_t *len)
{
	unsigned char *whole = malloc(sizeof(cut->header) + cut->records.len);
	int err = 0;

	if (!whole)
		return -ENOMEM;
	memcpy(whole, &cut->header, sizeof(cut->header));
	memcpy(whole + sizeof(cut->header), cut->records.data, cut->records.len);
	*len = sizeof(cut->header) + cut->records.len;
	*bytes = whole;
	if (a->config.level) {
		err = zstd_pack(whole, *len, a->config.level, bytes, len);
		free(whole);
	}
	return err;
}

static int write_cut(struct agent *a, struct live_cut *cut)
{
	const struct spool_limits limits = { a->config.spool_bytes, a->config.spool_ns };
	char id[SPOOL_NAME];
	void *bytes = NULL;
	size_t len;
	int err;

	spool_id(id, cut->begin.real_ns, a->config.host);
	add_host(a, id, cut);
	records_end(&cut->records, 0);
	if (cut->records.failed)
		return -ENOMEM;
	err = pack(a, cut, &bytes, &len);
	if (!err)
		err = spool_put(&a->spool, id, a->config.level, bytes, len, &limits, spool_now());
	free(bytes);
	return err;
}

static void add_books(struct kflame_cpu *sum, const struct kflame_cpu *c)
{
	sum->samples += c->samples;
	sum->counted += c->counted;
	sum->weight_ns += c->weight_ns;
	sum->handler_ns += c->handler_ns;
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		sum->lost[i] += c->lost[i];
}

/* The totals with those of the session that runs */
static struct agent_totals totals_now(const struct agent *a)
{
	struct agent_totals t = a->totals;

	t.sender_starts = a->sender.starts;
	if (!a->live)
		return t;
	add_books(&t.books, &a->session.sums);
	t.differs += a->session.differs;
	t.forgotten += a->session.processes.forgotten;
	t.forgotten_alive += a->session.processes.forgotten_alive;
	t.names_asked += a->session.names.asked_files;
	t.names_dropped += a->session.names.dropped;
	t.process_bytes = a->session.processes.bytes;
	t.name_bytes = a->session.names.bytes;
	return t;
}

static void show(struct agent *a)
{
	const struct agent_totals t = totals_now(a);

	metrics_write(&a->config, &t, &a->spool, sender_process_status(&a->sender));
}

static void cut(struct agent *a)
{
	const uint64_t begin = now_ns();
	struct live_cut cut;
	int err = live_session_cut(&a->session, &a->config, &cut);

	if (err)
		complain("there is not enough memory for all names of a profile");
	if (write_cut(a, &cut))
		a->totals.lost_cut_samples += cut.counted;
	records_exit(&cut.records);
	a->totals.cuts++;
	a->totals.cut_ns += now_ns() - begin;
}

/* ------------------------------------------------------------- the session */

static bool is_off(const struct agent *a)
{
	return !access(a->config.off_file, F_OK);
}

static void close_session(struct agent *a)
{
	if (a->session.differs)
		complain("the profiles and the module disagree on %llu samples: report this fault",
			 (unsigned long long)a->session.differs);
	a->totals = totals_now(a);
	a->totals.process_bytes = a->totals.name_bytes = 0;
	a->live = false;
	live_session_exit(&a->session);
}

static void end_session(struct agent *a)
{
	if (!a->live)
		return;
	if (!live_session_stop(&a->session))
		cut(a);
	close_session(a);
}

/* Return: 0; -1 after a message */
static int begin_session(struct agent *a)
{
	if (live_session_start(&a->session, &a->config)) {
		live_session_exit(&a->session);
		a->cut_at = now_ns() + AGAIN_NS;
		return -1;
	}
	a->live = true;
	a->totals.sessions++;
	a->cut_at = now_ns() + a->config.interval_ns;
	return 0;
}

/* The time of a cut has come */
static void turn(struct agent *a)
{
	const uint64_t now = now_ns();

	a->totals.off = is_off(a);
	if (a->totals.off) {
		if (a->live)
			complain("%s is there: sampling stops until it is removed", a->config.off_file);
		end_session(a);
		a->cut_at = now_ns() + OFF_NS;
	} else if (!a->live) {
		begin_session(a);
	} else {
		cut(a);
		/* A cut that took longer than the interval leaves out the next one */
		while (a->cut_at <= now)
			a->cut_at += a->config.interval_ns;
		if (live_session_is_full(&a->session)) {
			end_session(a);
			begin_session(a);
		}
	}
	show(a);
}

/* ------------------------------------------------------------------- loop */

/* Apply the configuration file again.  A wrong file changes nothing */
static void reload(struct agent *a)
{
	struct agent_config fresh;
	bool same_session;

	a->reload = false;
	service_tell("RELOADING=1");
	if (agent_config_read(a->o->config, a->o->settings, a->o->nr_settings, &fresh)) {
		complain("the configuration was not reloaded: the one before stays");
		agent_config_exit(&fresh);
		service_tell("READY=1");
		return;
	}
	same_session = fresh.period_ns == a->config.period_ns && fresh.idle == a->config.idle &&
		       fresh.budget_permille == a->config.budget_permille;
	if (strcmp(fresh.spool, a->config.spool))
		complain("another spool directory is used only after a restart");
	/* What was sampled until now has the labels from before */
	if (a->live && same_session && live_session_read(&a->session) >= 0)
		cut(a);
	else if (a->live)
		end_session(a);
	agent_config_exit(&a->config);
	a->config = fresh;
	if (!a->live && !is_off(a))
		begin_session(a);
	a->cut_at = now_ns() + a->config.interval_ns;
	sender_process_reload(&a->sender, &a->config);
	service_tell("READY=1");
}

static void take_signals(struct agent *a)
{
	struct signal_word word;

	while (signals_take(a->signals, &word)) {
		if (word.number == SIGCHLD)
			sender_process_reap(&a->sender);
		else if (word.number == SIGHUP)
			a->reload = true;
		else
			a->over = true;
	}
}

static void feed_watchdog(struct agent *a)
{
	if (now_ns() < a->watchdog_at)
		return;
	service_tell("WATCHDOG=1");
	a->watchdog_at = a->watchdog_ns == UINT64_MAX ? UINT64_MAX : now_ns() + a->watchdog_ns;
}

static struct timespec wait_time(const struct agent *a)
{
	const uint64_t now = now_ns(), sender = sender_process_wake(&a->sender);
	uint64_t at = a->cut_at < a->watchdog_at ? a->cut_at : a->watchdog_at;

	if (sender < at)
		at = sender;
	at = at > now ? at - now : 0;
	return (struct timespec){ (time_t)(at / NS_PER_S), (long)(at % NS_PER_S) };
}

static void loop(struct agent *a)
{
	while (!a->over) {
		struct pollfd fds[] = {
			{ .fd = a->signals, .events = POLLIN },
			{ .fd = a->live ? a->session.device : -1, .events = POLLIN },
		};
		const struct timespec left = wait_time(a);
		int n = ppoll(fds, 2, &left, NULL);

		if (n < 0 && errno != EINTR)
			break;
		if (n > 0 && fds[0].revents)
			take_signals(a);
		/* At a cut, too: it needs all that there is */
		if (a->live && (fds[1].revents || now_ns() >= a->cut_at) && live_session_read(&a->session)) {
			cut(a);
			close_session(a);
			a->cut_at = now_ns() + AGAIN_NS;
		}
		if (!a->over && a->reload)
			reload(a);
		else if (!a->over && now_ns() >= a->cut_at)
			turn(a);
		sender_process_keep(&a->sender);
		feed_watchdog(a);
	}
}

/* ------------------------------------------------------------------ start */

static void tell_finding(void *ctx, const char *topic, const struct finding *f)
{
	unsigned int *fails = ctx;

	if (f->verdict != VERDICT_FAILS)
		return;
	++*fails;
	complain("doctor: %s: %s", topic, f->text);
	if (f->fix[0])
		complain("doctor: fix: %s", f->fix);
}

/* Return: how many findings stop every recording */
static unsigned int look(void)
{
	unsigned int fails = 0;
	struct doctor d;

	if (!doctor_look(&d, ""))
		doctor_each(&d, tell_finding, &fails);
	doctor_exit(&d);
	return fails;
}

/* The group that may read the profiles: the one of the user who sends.  Return: 0; -1 after a message */
static int find_reader(const struct agent_config *c, gid_t *group)
{
	const struct passwd *user = c->user ? getpwnam(c->user) : NULL;

	*group = user ? user->pw_gid : (gid_t)-1;
	if (!c->user || user)
		return 0;
	complain("there is no user %s: create one with 'useradd --system %s', or name another one with user =", c->user,
		 c->user);
	return -1;
}

static int prepare(struct agent *a)
{
	gid_t reader;

	if (find_reader(&a->config, &reader) || spool_open(&a->spool, a->config.spool, reader))
		return -1;
	a->signals = signals_open();
	if (a->signals < 0) {
		complain("signals cannot be waited for: %s", strerror(errno));
		return -1;
	}
	if (sender_process_start(&a->sender, a->o, &a->config))
		return -1;
	sandbox_prepare();
	return 0;
}

int agent_run(const struct agent_options *o)
{
	struct agent a = { .o = o, .signals = -1, .session.device = -1, .spool.dir = -1 };
	int err = agent_config_read(o->config, o->settings, o->nr_settings, &a.config);

	if (!err)
		err = prepare(&a);
	a.watchdog_ns = service_watchdog_ns();
	if (!err && !is_off(&a) && begin_session(&a)) {
		/* Only now: a machine on which it works needs no advice */
		look();
		err = -1;
	}
	if (!err) {
		complain("the agent runs: a profile every %llu s in %s",
			 (unsigned long long)(a.config.interval_ns / NS_PER_S), a.config.spool);
		service_tell("READY=1");
		show(&a);
		loop(&a);
		service_tell("STOPPING=1");
		end_session(&a);
		show(&a);
	}
	sender_process_stop(&a.sender);
	spool_close(&a.spool);
	agent_config_exit(&a.config);
	if (a.signals >= 0)
		close(a.signals);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void print_config(const struct agent_config *c)
{
	static const char *const kinds[] = {
		[SEND_PYROSCOPE] = "Pyroscope", [SEND_OTLP] = "OTLP", [SEND_DIRECTORY] = "directory",
	};

	printf("samples every %.3f ms, a profile every %llu s\n", (double)c->period_ns / 1e6,
	       (unsigned long long)(c->interval_ns / NS_PER_S));
	printf("spool: %s, at most %llu bytes and %llu s\n", c->spool, (unsigned long long)c->spool_bytes,
	       (unsigned long long)(c->spool_ns / NS_PER_S));
	for (size_t i = 0; i < c->nr_labels; i++)
		printf("label: %s=%s\n", c->labels[i].name, c->labels[i].value);
	for (size_t i = 0; i < c->nr_targets; i++)
		printf("send to %s: %s\n", kinds[c->targets[i].kind], c->targets[i].where);
}

int agent_check(const struct agent_options *o)
{
	struct agent_config c;
	gid_t reader;
	int err = agent_config_read(o->config, o->settings, o->nr_settings, &c);

	if (!err)
		err = find_reader(&c, &reader);
	if (!err)
		print_config(&c);
	if (!err && look())
		err = -1;
	agent_config_exit(&c);
	return err || close_stdout() ? EXIT_FAILURE : EXIT_SUCCESS;
}
