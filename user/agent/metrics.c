// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metrics.c - what the agent says about itself: OpenMetrics text in a file
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/metrics.h"
#include "base/clock.h"
#include "base/message.h"
#include "profile/accounting.h"

static void put_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# TYPE kflame_agent_%s %s\n# HELP kflame_agent_%s %s\n", name, type, name, help);
}

static void put_counter(FILE *out, const char *name, const char *help, uint64_t value)
{
	put_head(out, name, "counter", help);
	fprintf(out, "kflame_agent_%s_total %" PRIu64 "\n", name, value);
}

static void put_gauge(FILE *out, const char *name, const char *help, uint64_t value)
{
	put_head(out, name, "gauge", help);
	fprintf(out, "kflame_agent_%s %" PRIu64 "\n", name, value);
}

static void put_seconds(FILE *out, const char *name, const char *help, uint64_t ns)
{
	put_head(out, name, "counter", help);
	fprintf(out, "kflame_agent_%s_total %" PRIu64 ".%09" PRIu64 "\n", name, (uint64_t)(ns / NS_PER_S),
		(uint64_t)(ns % NS_PER_S));
}

static void put_books(FILE *out, const struct agent_totals *t)
{
	put_counter(out, "samples", "Samples that the module took.", t->books.samples);
	put_counter(out, "counted_samples", "Samples in profiles.", t->books.counted);
	put_head(out, "lost_samples", "counter", "Samples that are in no profile, by cause.");
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		if (books_lost_key(i))
			fprintf(out, "kflame_agent_lost_samples_total{cause=\"%s\"} %" PRIu64 "\n", books_lost_key(i),
				(uint64_t)t->books.lost[i]);
	fprintf(out, "kflame_agent_lost_samples_total{cause=\"unwritten\"} %" PRIu64 "\n", t->lost_cut_samples);
	put_seconds(out, "handler_seconds", "Time of the module's handler on all CPUs.", t->books.handler_ns);
	put_seconds(out, "sampled_seconds", "Time that the samples stand for, on all CPUs.", t->books.weight_ns);
	put_counter(out, "differences", "Samples on which module and profiles disagree: 0, or there is a fault.",
		    t->differs);
}

static uint64_t resident_bytes(void)
{
	unsigned long long pages = 0;
	FILE *in = fopen("/proc/self/statm", "re");

	if (in && fscanf(in, "%*u %llu", &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t cpu_ns(int who)
{
	struct rusage u;

	if (getrusage(who, &u))
		return 0;
	return ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) * NS_PER_S +
	       ((uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec) * 1000;
}

static void put_self(FILE *out, const struct agent_totals *t)
{
	put_gauge(out, "resident_memory_bytes", "Memory of the agent, without the sender.", resident_bytes());
	put_seconds(out, "cpu_seconds", "CPU time of the agent, without sandboxes and the sender.", cpu_ns(RUSAGE_SELF));
	put_gauge(out, "processes_bytes", "Memory for what is known about processes.", t->process_bytes);
	put_gauge(out, "names_bytes", "Memory for cached names of functions.", t->name_bytes);
	put_counter(out, "processes_forgotten", "Ended processes that the limit of memory made forget.", t->forgotten);
	put_counter(out, "running_processes_forgotten", "Running ones: their functions have no names. Raise processes-memory.",
		    t->forgotten_alive);
	put_counter(out, "files_parsed", "How often a sandbox was asked for names.", t->names_asked);
	put_counter(out, "names_dropped", "How often the cache of names was emptied. Raise names-memory.", t->names_dropped);
	put_counter(out, "profiles", "Profiles that were made.", t->cuts);
	put_seconds(out, "profile_seconds", "Time to make them.", t->cut_ns);
	put_counter(out, "sessions", "Sessions of the module that were begun.", t->sessions);
	put_gauge(out, "off", "1 while the off-file is there, and nothing is sampled.", t->off);
}

static void put_spool(FILE *out, const struct spool *s)
{
	put_gauge(out, "spool_bytes", "Bytes in the spool directory.", s->bytes);
	put_gauge(out, "spool_files", "Profiles in the spool directory.", s->files.nr);
	put_counter(out, "spool_dropped_files", "Profiles that made room for later ones.", s->dropped_files);
	put_counter(out, "spool_dropped_bytes", "Bytes of these profiles.", s->dropped_bytes);
	put_counter(out, "spool_failures", "Profiles that could not be written.", s->failed);
}

/* A URL may have a quote or a backslash in it */
static void put_target(FILE *out, const char *name, const struct send_target *t)
{
	fprintf(out, "kflame_agent_%s{target=\"", name);
	for (const char *at = t->where; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', out);
		fputc(*at, out);
	}
	fputc('"', out);
}

static void put_sender(FILE *out, const struct agent_config *c, const struct agent_totals *t,
		       const struct send_status *s)
{
	put_counter(out, "sender_starts", "How often the sender was started.", t->sender_starts);
	put_head(out, "pushes", "counter", "Attempts to send a profile, by target and result.");
	for (size_t i = 0; i < c->nr_targets; i++)
		for (unsigned int k = 0; k < SEND_RESULTS; k++) {
			put_target(out, "pushes_total", &c->targets[i]);
			fprintf(out, ",result=\"%s\"} %" PRIu64 "\n", send_result_name(k), s->targets[i].results[k]);
		}
	put_head(out, "pushes_given_up", "counter", "Profiles that a target refused too often.");
	for (size_t i = 0; i < c->nr_targets; i++) {
		put_target(out, "pushes_given_up_total", &c->targets[i]);
		fprintf(out, "} %" PRIu64 "\n", s->targets[i].given_up);
	}
	put_head(out, "unsent_files", "gauge", "Profiles that a target does not have yet.");
	for (size_t i = 0; i < c->nr_targets; i++) {
		put_target(out, "unsent_files", &c->targets[i]);
		fprintf(out, "} %" PRIu64 "\n", s->targets[i].waiting);
	}
	put_head(out, "backoff_seconds", "gauge", "The current wait before the next attempt.");
	for (size_t i = 0; i < c->nr_targets; i++) {
		put_target(out, "backoff_seconds", &c->targets[i]);
		fprintf(out, "} %" PRIu64 "\n", (uint64_t)(s->targets[i].wait_ns / NS_PER_S));
	}
}

/* The directory below /run is not there after a boot */
static void make_parent(const char *path)
{
	char *copy = strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;

	if (slash && slash != copy) {
		*slash = 0;
		mkdir(copy, 0755);
	}
	free(copy);
}

/* Return: 0; -1 with errno */
static int replace(const char *path, const char *text, size_t len)
{
	char *part;
	int fd, err = 0;

	if (asprintf(&part, "%s.part", path) < 0)
		return -1;
	make_parent(path);
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		err = -1;
	if (fd >= 0 && close(fd))
		err = -1;
	if (!err)
		err = rename(part, path);
	free(part);
	return err;
}

void metrics_write(const struct agent_config *c, const struct agent_totals *t, const struct spool *spool,
		   const struct send_status *sender)
{
	static bool reported;
	char *text = NULL;
	size_t len = 0;
	FILE *out = c->metrics ? open_memstream(&text, &len) : NULL;

	if (!out)
		return;
	put_books(out, t);
	put_spool(out, spool);
	put_sender(out, c, t, sender);
	put_self(out, t);
	fputs("# EOF\n", out);
	if (!fclose(out) && replace(c->metrics, text, len) && !reported) {
		complain("the metrics cannot be written to %s: %s. Name another file with metrics =", c->metrics,
			 strerror(errno));
		reported = true;
	}
	free(text);
}
