// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_live_session.c - the cuts of an endless session add up to what the module counted
 *
 * The module is simulated: the linker replaces device_*() by what is here (--wrap).  Its stream comes through a pipe, and
 * read() returns pieces of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/live_session.h"
#include "profile/accounting.h"

#define NR_CPUS	3
#define PERIOD	1000000

/* The module: @books are what it counted, @table what no reader took yet */
static struct {
	int to, from;
	struct kflame_cpu books[NR_CPUS];
	struct {
		uint64_t samples, aspace;
	} table[NR_CPUS][16];
	size_t nr[NR_CPUS];
	uint64_t aspaces, tables, random;
	uint64_t pieces;		/* reads that ended within a record */
} module;

static uint64_t dice(uint64_t sides)
{
	module.random = hash_u64(module.random, 1);
	return module.random % sides;
}

static void say(struct records *r)
{
	assert_false(r->failed);
	assert_int_equal(write(module.to, r->data, r->len), r->len);
	records_exit(r);
}

static void say_head(void)
{
	struct kflame_file_header h = {
		.version = KFLAME_FILE_VERSION, .endian = KFLAME_FILE_ENDIAN, .header_size = sizeof(h),
	};
	struct kflame_rec_session s = { .rec.type = KFLAME_REC_SESSION, .abi = KFLAME_ABI, .period_ns = PERIOD };
	struct records r = { 0 };

	memcpy(h.magic, KFLAME_FILE_MAGIC, sizeof(h.magic));
	assert_int_equal(write(module.to, &h, sizeof(h)), sizeof(h));
	records_add(&r, &s, sizeof(s), NULL, 0);
	say(&r);
}

/* A process comes, and is reported once */
static void new_process(void)
{
	struct kflame_rec_aspace a = { .rec.type = KFLAME_REC_ASPACE, .id = ++module.aspaces, .tgid = 1 << 29 };
	struct kflame_rec_mapping m = { .rec.type = KFLAME_REC_MAPPING, .aspace = a.id, .start = 4096, .end = 8192 };
	struct records r = { 0 };

	records_add(&r, &a, sizeof(a), NULL, 0);
	records_add(&r, &m, sizeof(m), NULL, 0);
	say(&r);
}

static void sample(unsigned int cpu)
{
	struct kflame_cpu *b = &module.books[cpu];
	const uint64_t nr = 1 + dice(5);

	b->active_ns += nr * PERIOD + dice(PERIOD);
	b->samples += nr;
	b->weight_ns += nr * PERIOD;
	b->handler_ns += 7 * nr;
	if (!dice(7) || module.nr[cpu] == 16) {
		b->lost[KFLAME_LOST_TABLE] += nr;
		b->lost_ns[KFLAME_LOST_TABLE] += nr * PERIOD;
	} else {
		module.table[cpu][module.nr[cpu]].samples = nr;
		module.table[cpu][module.nr[cpu]++].aspace = 1 + dice(module.aspaces);
		b->counted += nr;
		b->counted_ns += nr * PERIOD;
	}
	b->tail_ns = (int64_t)(b->active_ns - (uint64_t)b->head_ns - b->weight_ns);
}

static void hand_out(unsigned int cpu)
{
	const uint64_t base = ++module.tables << 32;
	struct kflame_rec_stack stack = {
		.rec.type = KFLAME_REC_STACK, .id = base | 1, .kind = KFLAME_STACK_USER, .candidate = KFLAME_NO_CANDIDATE, .nr = 1,
	};
	const uint64_t ip = 5000;
	struct records r = { 0 };

	records_add(&r, &stack, sizeof(stack), &ip, sizeof(ip));
	for (size_t i = 0; i < module.nr[cpu]; i++) {
		const uint64_t nr = module.table[cpu][i].samples;
		struct kflame_rec_count count = {
			.rec.type = KFLAME_REC_COUNT, .aspace = module.table[cpu][i].aspace, .ustack = base | 1, .samples = nr,
			.weight_ns = nr * PERIOD, .cpu = cpu, .tgid = 7, .comm = "shop",
		};
		struct kflame_rec_counts counts = {
			.rec.type = KFLAME_REC_COUNTS, .aspace = count.aspace, .stacks = base, .cpu = cpu, .tgid = 7, .nr = 1,
		};
		const struct kflame_counted one = { .weight_ns = nr * PERIOD, .ustack = 1, .samples = (uint32_t)nr };

		if (dice(2))
			records_add(&r, &count, offsetof(struct kflame_rec_count, id), NULL, 0);
		else
			records_add(&r, &counts, sizeof(counts), &one, sizeof(one));
	}
	module.nr[cpu] = 0;
	say(&r);
}

/* As much as there is room for: a read of the module may end anywhere */
ssize_t __real_read(int fd, void *to, size_t len);
ssize_t __wrap_read(int fd, void *to, size_t len);
ssize_t __wrap_read(int fd, void *to, size_t len)
{
	ssize_t n = __real_read(fd, to, fd == module.from && len > 200 ? 1 + dice(200) : len);

	/* Records are multiples of 8 bytes */
	if (fd == module.from && n > 0)
		module.pieces += n % 8 != 0;
	return n;
}

int __wrap_device_open(const char *path, struct kflame_info *info);
int __wrap_device_open(const char *path, struct kflame_info *info)
{
	(void)path;
	*info = (struct kflame_info){ .cpu_limit = NR_CPUS + 1 };
	return module.from;
}

int __wrap_device_configure(int fd, const struct kflame_info *info, struct kflame_config *config);
int __wrap_device_configure(int fd, const struct kflame_info *info, struct kflame_config *config)
{
	(void)fd;
	(void)info;
	(void)config;
	return 0;
}

int __wrap_device_start(int fd);
int __wrap_device_start(int fd)
{
	(void)fd;
	say_head();
	new_process();
	return 0;
}

/* The rest of each table, the accounting, and the end */
int __wrap_device_stop(int fd);
int __wrap_device_stop(int fd)
{
	struct kflame_rec_stats stats = { .rec.type = KFLAME_REC_STATS };
	struct records r = { 0 };

	(void)fd;
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		struct kflame_rec_cpu rec = { .rec.type = KFLAME_REC_CPU };

		hand_out(cpu);
		rec.books = module.books[cpu];
		rec.books.cpu = cpu;
		records_add(&r, &rec, sizeof(rec), NULL, 0);
	}
	records_add(&r, &stats, sizeof(stats), NULL, 0);
	say(&r);
	close(module.to);
	return 0;
}

int __wrap_device_cpu_stats(int fd, uint32_t cpu, uint32_t event, struct kflame_stats *stats);
int __wrap_device_cpu_stats(int fd, uint32_t cpu, uint32_t event, struct kflame_stats *stats)
{
	(void)fd;
	(void)event;
	memset(stats, 0, sizeof(*stats));
	if (cpu < NR_CPUS)
		stats->books = module.books[cpu];
	return 0;
}

int __wrap_device_stats(int fd, uint32_t event, struct kflame_stats *stats);
int __wrap_device_stats(int fd, uint32_t event, struct kflame_stats *stats)
{
	(void)fd;
	(void)event;
	memset(stats, 0, sizeof(*stats));
	return 0;
}

/* The sums of all cuts, as their reader sees them */
struct sums {
	uint64_t samples, counted, in_counts, weight, active, lost, cuts;
};

static void take(struct live_session *s, const struct agent_config *c, struct sums *sums)
{
	struct profile *p = profile_create();
	struct live_cut cut;
	struct books books;

	assert_non_null(p);
	assert_int_equal(live_session_cut(s, c, &cut), 0);
	records_end(&cut.records, 0);
	assert_int_equal(profile_feed(p, &cut.header, sizeof(cut.header)), 0);
	assert_int_equal(profile_feed(p, cut.records.data, cut.records.len), 0);
	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(p->state, PROFILE_WHOLE);
	assert_int_equal(p->damaged + p->unknown + p->lost_stacks, 0);
	assert_int_equal(books_check(p, stderr), 0);
	/* The process of each count is there, whenever it was reported */
	for (size_t i = 0; i < p->nr_counts; i++)
		assert_true(p->aspaces[p->counts[i].aspace].reported && p->aspaces[p->counts[i].aspace].nr_maps == 1);
	books_sum(p->cpus, p->nr_cpus, &books);
	sums->samples += books.samples;
	sums->counted += books.counted;
	sums->weight += books.weight_ns;
	sums->active += books.active_ns;
	sums->lost += books.lost[KFLAME_LOST_TABLE];
	sums->in_counts += p->samples;
	sums->cuts++;
	records_exit(&cut.records);
	profile_destroy(p);
}

/* Cuts at any time: after each, between tables, and when a table is full */
static void cuts_add_up(void **state)
{
	struct agent_config c;
	struct sums sums = { 0 };
	struct live_session s;
	struct books all;
	int fds[2];

	(void)state;
	assert_int_equal(agent_config_read("/dev/null", NULL, 0, &c), 0);
	assert_int_equal(pipe(fds), 0);
	module.from = fds[0];
	module.to = fds[1];
	assert_int_equal(live_session_start(&s, &c), 0);
	for (int i = 0; i < 20000; i++) {
		if (!dice(50))
			new_process();
		sample((unsigned int)dice(i < 10000 ? NR_CPUS : NR_CPUS - 1));
		if (!dice(9))
			hand_out((unsigned int)dice(NR_CPUS));
		if (!dice(5))
			assert_int_equal(live_session_read(&s), 0);
		if (!dice(100)) {
			assert_int_equal(live_session_read(&s), 0);
			take(&s, &c, &sums);
		}
	}
	assert_int_equal(live_session_stop(&s), 0);
	take(&s, &c, &sums);
	books_sum(module.books, NR_CPUS, &all);
	assert_true(module.pieces > 10000);
	assert_true(sums.cuts > 100 && all.samples > 10000 && all.lost[KFLAME_LOST_TABLE] > 1000);
	assert_int_equal(sums.samples, all.samples);
	assert_int_equal(sums.counted, all.counted);
	assert_int_equal(sums.in_counts, all.counted);
	assert_int_equal(sums.lost, all.lost[KFLAME_LOST_TABLE]);
	assert_int_equal(sums.weight, all.weight_ns);
	assert_int_equal(sums.active, all.active_ns);
	assert_int_equal(s.differs, 0);
	assert_int_equal(s.sums.samples, all.samples);
	live_session_exit(&s);
	agent_config_exit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
