// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_agent.c - what of kflame agent needs no module: configuration, spool directory, processes
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/config.h"
#include "agent/journal.h"
#include "agent/processes.h"
#include "agent/spool.h"
#include "base/clock.h"
#include "children.h"
#include "hush.h"
#include "uapi/kflame.h"

static char directory[] = "/tmp/kflame-agent.XXXXXX";

static int enter(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

static int leave(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return chdir("/") || system(command) ? -1 : 0;
}

static void write_text(const char *name, const char *text)
{
	FILE *out = fopen(name, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* ---------------------------------------------------------- configuration */

static void config_is_read(void **state)
{
	char *const more[] = { (char *)"interval=5s", (char *)"label.zone=b" };
	struct agent_config c;

	(void)state;
	write_text("conf", "# a comment\n\n  rate = 49\nspool= /x y \nspool-bytes = 2G\nspool-age=3d\ninterval = 10m\n"
		   "label.service = shop\nlabel.zone = a\nsend = pyroscope http://a:4040\nsend = directory /mnt\n"
		   "idle = no\nhost = web/7\n");
	assert_int_equal(agent_config_read("conf", more, 2, &c), 0);
	assert_int_equal(c.period_ns, 20408163);
	assert_int_equal(c.interval_ns, 5 * NS_PER_S);
	assert_string_equal(c.spool, "/x y");
	assert_string_equal(c.host, "web-7");
	assert_true(c.spool_bytes == 2ull << 30 && c.spool_ns == 3 * 86400 * NS_PER_S && !c.idle);
	assert_int_equal(c.nr_labels, 2);
	assert_string_equal(c.labels[1].value, "b");
	assert_int_equal(c.nr_targets, 2);
	assert_int_equal(c.targets[1].kind, SEND_DIRECTORY);
	assert_string_equal(c.targets[0].where, "http://a:4040");
	agent_config_exit(&c);
}

static void config_is_refused(void **state)
{
	int saved;
	static const char *const wrong[] = {
		"rate = 0", "rate = 19 Hz", "interval = 1 h", "interval = -5s", "spool-bytes = 1", "idle = maybe", "speed = 5",
		"label.7 = x", "label.a-b = x", "send = pyroscope", "send = kafka x", "just words", "cert-file = /x", "spool =",
		"spool-bytes = 99999999999999999999", "retry-most = 999999999999d",
	};
	struct agent_config c;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *const more[] = { (char *)wrong[i] };

		saved = hush();
		assert_int_equal(agent_config_read("/dev/null", more, 1, &c), -1);
		unhush(saved);
		agent_config_exit(&c);
	}
	saved = hush();
	assert_int_equal(agent_config_read("not-there", NULL, 0, &c), -1);
	unhush(saved);
	agent_config_exit(&c);
}

/* -------------------------------------------------------- spool directory */

static void names_are_parsed(void **state)
{
	struct spool_name parts;
	char id[SPOOL_NAME], name[SPOOL_NAME + 16];

	(void)state;
	spool_id(id, 1793000000ull * NS_PER_S, "web-7.example");
	snprintf(name, sizeof(name), "%s.kflame.zst", id);
	assert_true(spool_name_parse(name, &parts));
	assert_int_equal(parts.id_len, strlen(id));
	assert_int_equal(parts.start, 1793000000);
	assert_false(spool_name_parse(id, &parts));
	assert_false(spool_name_parse("20261130T084500Z-0123456789ab.kflame", &parts));
	assert_false(spool_name_parse("20261130T084500Z-h-0123456789ax.kflame", &parts));
	assert_false(spool_name_parse(".part-20261130T084500Z-h-0123456789ab.kflame", &parts));
	assert_false(spool_name_parse("20261330T084500Z-h-0123456789ab.kflame", &parts));
	assert_true(spool_name_parse("20261130T084500Z-h-0123456789ab.kflame", &parts));
}

/* A profile that began at @now */
static void put_at(struct spool *s, struct spool_moment now, size_t bytes, struct spool_limits limits)
{
	unsigned char *content = calloc(1, bytes);
	char id[SPOOL_NAME];

	spool_id(id, now.real_ns, "h");
	assert_int_equal(spool_put(s, id, false, content, bytes, &limits, now), 0);
	free(content);
}

static void put(struct spool *s, uint64_t start_ns, size_t bytes, uint64_t most_bytes, uint64_t most_ns)
{
	const struct spool_limits limits = { most_bytes, most_ns };
	unsigned char *content = calloc(1, bytes);
	char id[SPOOL_NAME];

	spool_id(id, start_ns, "h");
	assert_int_equal(spool_put(s, id, false, content, bytes, &limits, spool_now()), 0);
	free(content);
}

/* The oldest make room, by bytes and by age, and are counted; a file that is not whole is removed at the next start */
static void spool_is_bounded(void **state)
{
	const uint64_t now = clock_ns(CLOCK_REALTIME), day = 86400 * NS_PER_S;
	const struct spool_limits limits = { 3999, day };
	static const char content[4000];
	struct spool s;
	int saved;

	(void)state;
	assert_int_equal(mkdir("spool", 0700), 0);
	write_text("spool/.part-x", "half");
	assert_int_equal(spool_open(&s, "spool", (gid_t)-1), 0);
	assert_int_equal(access("spool/.part-x", F_OK), -1);
	put(&s, now - 3 * day, 100, 1000, 10 * day);
	put(&s, now - 2 * day, 300, 1000, 10 * day);
	put(&s, now - NS_PER_S, 400, 1000, 10 * day);
	assert_int_equal(s.files.nr, 3);
	assert_int_equal(s.bytes, 800);
	put(&s, now, 300, 1000, 10 * day);
	assert_int_equal(s.files.nr, 3);
	assert_int_equal(s.bytes, 1000);
	assert_int_equal(s.dropped_files, 1);
	assert_int_equal(s.dropped_bytes, 100);
	/* It is too old for the next run */
	spool_close(&s);
	assert_int_equal(spool_open(&s, "spool", (gid_t)-1), 0);
	put(&s, now, 100, 10000, day);
	assert_int_equal(s.files.nr, 3);
	assert_int_equal(s.dropped_files, 1);
	/* One that is larger than the limit drops nothing, and is counted */
	saved = hush();
	assert_int_equal(spool_put(&s, "20261130T084500Z-h-0123456789ab", false, content, 4000, &limits, spool_now()), -1);
	unhush(saved);
	assert_int_equal(s.failed, 1);
	spool_close(&s);
	/* After a restart it knows what is there */
	assert_int_equal(spool_open(&s, "spool", (gid_t)-1), 0);
	assert_int_equal(s.files.nr, 3);
	assert_int_equal(s.bytes, 800);
	spool_close(&s);
}

/* The clock was set to @real_s at the start of the test, which was @hours ago */
static struct spool_moment moment(int64_t real_s, unsigned int hours)
{
	const uint64_t after = hours * 3600 * NS_PER_S;

	return (struct spool_moment){ (uint64_t)real_s * NS_PER_S + after, spool_now().boot_ns + after };
}

/* No RTC, then NTP, then a server with another idea: what is within the limits stays, and the oldest go first */
static void clock_jumps(void **state)
{
	enum { NOW = 1793000000, LATER = 2100000000, DAY = 86400 };
	const struct spool_limits week = { 1000, 7 * DAY * NS_PER_S }, room = { 10000, week.ns };
	struct spool s;

	(void)state;
	assert_int_equal(spool_open(&s, "jumps", (gid_t)-1), 0);
	put_at(&s, moment(NOW - DAY, 0), 100, week);
	put_at(&s, moment(NOW, 0), 100, week);
	spool_close(&s);
	/* A boot without a clock: profiles from the future stay, those of 1970 too when the clock is set, and the reverse */
	assert_int_equal(spool_open(&s, "jumps", (gid_t)-1), 0);
	put_at(&s, moment(5, 0), 100, week);
	put_at(&s, moment(NOW + DAY, 1), 100, week);
	put_at(&s, moment(LATER, 2), 100, week);
	put_at(&s, moment(NOW + DAY, 3), 100, week);
	assert_int_equal(s.files.nr, 6);
	/* The oldest of this run is the first that was written, whatever its name says */
	put_at(&s, moment(5, 4), 500, week);
	put_at(&s, moment(5, 5), 100, week);
	assert_int_equal(s.files.nr, 6);
	assert_int_equal(s.files.all[0].start, 5);
	assert_int_equal(s.files.all[5].start, 5 + 5 * 3600);
	assert_int_equal(s.dropped_files, 2);
	/* A week of running is a week, whatever the clock says */
	put_at(&s, moment(5, 7 * 24 + 1), 100, week);
	assert_int_equal(s.dropped_files, 4);
	spool_close(&s);
	/* The next run knows only names: those of 1970 say nothing about an age */
	assert_int_equal(spool_open(&s, "jumps", (gid_t)-1), 0);
	put_at(&s, moment(NOW + 5 * DAY, 0), 100, room);
	assert_int_equal(s.dropped_files, 0);
	put_at(&s, moment(NOW + 10 * DAY, 0), 100, room);
	assert_int_equal(s.dropped_files, 0);
	spool_close(&s);
}

static void open_directory_of_another(void **state)
{
	int saved;
	struct spool s;

	(void)state;
	assert_int_equal(mkdir("open", 0700), 0);
	assert_int_equal(chmod("open", 0777), 0);
	saved = hush();
	assert_int_equal(spool_open(&s, "open", (gid_t)-1), -1);
	unhush(saved);
	spool_close(&s);
}

static void journal_survives(void **state)
{
	static const char *const ids[] = { "20261130T084500Z-h-0123456789ab", "20261130T084600Z-h-0123456789ab" };
	struct send_target target = { SEND_OTLP, (char *)"http://a" };
	struct spool_files files;
	struct journal j;
	int dir = open(".", O_RDONLY | O_DIRECTORY);

	(void)state;
	write_text("20261130T084500Z-h-0123456789ab.kflame", "x");
	assert_int_equal(spool_list(dir, &files), 0);
	assert_int_equal(files.nr, 1);
	assert_int_equal(journal_open(&j, dir, &target, &files), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(journal_add(&j, ids[i], strlen(ids[i])), 0);
	journal_close(&j);
	assert_int_equal(journal_open(&j, dir, &target, &files), 0);
	assert_true(journal_has(&j, ids[0], strlen(ids[0])));
	/* Its profile is not in the directory any more: nobody asks for it */
	assert_false(journal_has(&j, ids[1], strlen(ids[1])));
	/* A line that a crash cut short does not count */
	assert_int_equal(write(j.fd, ids[1], 10), 10);
	journal_close(&j);
	assert_int_equal(journal_open(&j, dir, &target, &files), 0);
	assert_int_equal(j.ids.nr, 1);
	journal_close(&j);
	spool_files_exit(&files);
	close(dir);
}

/* No room for a whole line, then room again: each line that was written is read */
static void journal_on_full_disk(void **state)
{
	static const char *const ids[] = { "20261130T084500Z-h-0123456789ab", "20261130T084600Z-h-0123456789ab" };
	struct send_target target = { SEND_OTLP, (char *)"http://a" };
	struct rlimit before, small;
	struct spool_files files;
	struct journal j;
	int dir = open(".", O_RDONLY | O_DIRECTORY);

	(void)state;
	write_text("20261130T084500Z-h-0123456789ab.kflame", "x");
	write_text("20261130T084600Z-h-0123456789ab.kflame", "x");
	assert_int_equal(spool_list(dir, &files), 0);
	assert_int_equal(journal_open(&j, dir, &target, &files), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 10, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_true(journal_add(&j, ids[0], strlen(ids[0])) < 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	/* This process does not send it again, and the next line is whole */
	assert_true(journal_has(&j, ids[0], strlen(ids[0])));
	assert_int_equal(journal_add(&j, ids[1], strlen(ids[1])), 0);
	journal_close(&j);
	assert_int_equal(journal_open(&j, dir, &target, &files), 0);
	assert_true(journal_has(&j, ids[1], strlen(ids[1])));
	assert_false(journal_has(&j, ids[0], strlen(ids[0])));
	journal_close(&j);
	spool_files_exit(&files);
	close(dir);
}

/* In a file system of 64 kB.  Return: 0; 1: a check failed; 2: this machine does not permit the mount */
static int fill_disk(void)
{
	static unsigned char content[20000];
	const struct spool_limits limits = { 1 << 30, 86400 * NS_PER_S };
	char id[SPOOL_NAME];
	unsigned int wrong = 0;
	struct spool s;
	int other;

	if ((geteuid() ? unshare(CLONE_NEWUSER | CLONE_NEWNS) : unshare(CLONE_NEWNS)) || mkdir("full", 0700) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "full", "tmpfs", 0, "size=64k,mode=700"))
		return 2;
	wrong += spool_open(&s, "full", (gid_t)-1) != 0;
	for (uint64_t i = 1; i <= 10; i++) {
		spool_id(id, i * 60 * NS_PER_S, "h");
		wrong += spool_put(&s, id, false, content, sizeof(content), &limits, spool_now()) != 0;
	}
	/* Three profiles fit; the seven oldest went */
	wrong += s.files.nr != 3 || s.dropped_files != 7 || s.files.all[2].start != 600 || s.failed;
	/* Somebody else takes all the room there is: what cannot be written is counted */
	for (int i = 0; i < 3; i++)
		unlinkat(s.dir, s.files.all[i].name, 0);
	other = open("full/other", O_WRONLY | O_CREAT, 0600);
	while (write(other, content, 4096) > 0)
		;
	wrong += spool_put(&s, id, false, content, sizeof(content), &limits, spool_now()) != -1;
	wrong += s.failed != 1 || s.files.nr || s.bytes || s.dropped_files != 7;
	/* Room again */
	wrong += ftruncate(other, 0) || spool_put(&s, id, false, content, sizeof(content), &limits, spool_now());
	wrong += s.files.nr != 1 || s.bytes != sizeof(content) || s.failed != 1;
	close(other);
	spool_close(&s);
	return wrong != 0;
}

static void full_disk(void **state)
{
	int status, saved = hush();
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(fill_disk());
	assert_int_equal(waitpid(child, &status, 0), child);
	unhush(saved);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2) {
		print_message("skipped: this machine does not permit the mount of a tmpfs\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* --------------------------------------------------------------- processes */

static void report(struct processes *p, uint64_t id, uint32_t tgid, size_t nr_maps, uint64_t cut)
{
	struct kflame_rec_aspace rec = { .rec = { KFLAME_REC_ASPACE, sizeof(rec) }, .id = id, .tgid = tgid };

	assert_int_equal(processes_report(p, &rec), 0);
	for (size_t i = 0; i < nr_maps; i++) {
		struct kflame_rec_mapping map = {
			.rec = { KFLAME_REC_MAPPING, sizeof(map) }, .aspace = id, .start = (i + 1) << 12, .end = (i + 2) << 12,
		};

		assert_int_equal(processes_map(p, &map), 0);
		/* Again: it takes the place of the first */
		assert_int_equal(processes_map(p, &map), 0);
	}
	processes_find(p, id)->cut = cut;
}

/* A million processes that come and go take no more than the limit; the one that lives stays, with its last mappings */
static void ended_are_forgotten(void **state)
{
	const uint64_t limit = 1 << 20;
	struct processes p = { 0 };
	uint64_t most = 0, id = 0;
	pid_t dead = fork();

	(void)state;
	if (!dead)
		_exit(0);
	assert_int_equal(exit_status(dead), 0);
	report(&p, ++id, (uint32_t)getpid(), 10, 0);
	report(&p, ++id, (uint32_t)getpid(), 10, 0);
	for (uint64_t cut = 1; cut <= 200; cut++) {
		for (int i = 0; i < 500; i++)
			report(&p, ++id, (uint32_t)dead, 4, cut);
		processes_shrink(&p, limit, cut);
		most = p.bytes > most ? p.bytes : most;
	}
	assert_true(most <= limit);
	assert_true(p.forgotten > 90000);
	assert_int_equal(p.forgotten_alive, 0);
	assert_int_equal(processes_find(&p, 2)->rec.tgid, getpid());
	assert_int_equal(processes_find(&p, 2)->nr_maps, 10);
	assert_int_equal(processes_find(&p, 1)->rec.tgid, 0);
	processes_exit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(config_is_read, enter, leave),
		cmocka_unit_test_setup_teardown(config_is_refused, enter, leave),
		cmocka_unit_test(names_are_parsed),
		cmocka_unit_test_setup_teardown(spool_is_bounded, enter, leave),
		cmocka_unit_test_setup_teardown(clock_jumps, enter, leave),
		cmocka_unit_test_setup_teardown(open_directory_of_another, enter, leave),
		cmocka_unit_test_setup_teardown(journal_survives, enter, leave),
		cmocka_unit_test_setup_teardown(journal_on_full_disk, enter, leave),
		cmocka_unit_test_setup_teardown(full_disk, enter, leave),
		cmocka_unit_test(ended_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
