// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_device - random and nearly valid calls to /dev/kflame
 *
 * usage: fuzz_device SEED CALLS [THREADS]
 *
 * CALLS in all, from THREADS threads (default 4), on descriptors of their own and on
 * shared ones which any of them closes under the others. No answer is wrong here:
 * what must hold is that the kernel lives, and that nothing is left of it afterwards,
 * which is checked with KFLAME_IOC_INFO. Prints what was called and what succeeded.
 * One seed gives each thread the same calls again; how they interleave is up to the
 * machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kflame.h>

#define SHARED		3
#define OWN		3
#define HOLDERS		2
#define PAGE		4096UL
#define BUFFER		(1U << 18)

enum { OP_INFO, OP_CONFIGURE, OP_START, OP_STOP, OP_STATS, OP_KSYM, OP_FILE, OP_TABLE, OP_NUMBER,
       OP_CGROUP, OP_INTERPRETER, OP_OTHER, OP_READ, OP_POLL, OP_MMAP, OP_REOPEN, NR_OPS };

static const char *const op_names[NR_OPS] = {
	"info", "configure", "start", "stop", "stats", "ksym", "file", "table", "number",
	"cgroup", "interpreter", "other", "read", "poll", "mmap", "reopen",
};

static _Atomic int shared[SHARED];
static _Atomic unsigned long called[NR_OPS], succeeded[NR_OPS];

struct fuzzer {
	uint64_t state;
	unsigned long calls;
	int own[OWN];
	/* Two pages, of which the second cannot be accessed: for what ends at its edge */
	unsigned char *edge;
	unsigned char *buffer;
};

/* splitmix64: enough for this, and the same everywhere */
static uint64_t rnd(struct fuzzer *f)
{
	uint64_t z = f->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static unsigned int below(struct fuzzer *f, unsigned int n)
{
	return rnd(f) % n;
}

static int one_in(struct fuzzer *f, unsigned int n)
{
	return !below(f, n);
}

/* A number that somebody may have forgotten */
static uint64_t odd_number(struct fuzzer *f)
{
	static const uint64_t some[] = {
		0, 1, 2, 7, 8, 15, 16, 17, 255, 256, 1023, 1024, 1025, 4095, 4096, 65535, 65536,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xffffffffffffffff, 0xffff888000000000, 0x00007ffffffff000,
	};

	return one_in(f, 4) ? rnd(f) >> below(f, 64) : some[below(f, sizeof(some) / sizeof(*some))];
}

/* An address for @bytes: good, at the edge of what is mapped, or bad */
static void *place(struct fuzzer *f, size_t bytes)
{
	switch (below(f, 16)) {
	case 0: return (void *)(uintptr_t)odd_number(f);
	case 1: return f->edge + PAGE - below(f, 64);
	case 2: return f->edge + PAGE - (bytes < PAGE ? bytes : 0);
	default: return f->buffer;
	}
}

static uint32_t odd_size(struct fuzzer *f, uint32_t size)
{
	switch (below(f, 12)) {
	case 0: return odd_number(f);
	case 1: return size + 8 * below(f, 8);
	case 2: return size - below(f, 16);
	default: return size;
	}
}

/*
 * Lists of functions that are not there. Probes of others would patch code, which QEMU 7.2 does not always notice
 * with several CPUs.
 */
static void fill_functions(struct fuzzer *f, struct kflame_event *e)
{
	static char names[] = "no_one\0no_two\0no_three";
	static uint64_t addresses[4];
	static int32_t errors[4];

	e->kind = one_in(f, 8) ? e->kind : KFLAME_EVENT_KPROBE;
	e->name = (uintptr_t)(one_in(f, 8) ? place(f, 8) : (void *)"no_*");
	e->name_len = 4;
	e->functions = (uintptr_t)(one_in(f, 8) ? place(f, 16) : (void *)names);
	e->functions_len = one_in(f, 4) ? (uint32_t)odd_number(f) : sizeof(names);
	e->nr_functions = one_in(f, 4) ? (uint32_t)odd_number(f) : 3;
	addresses[below(f, 4)] = odd_number(f);
	e->addresses = (uintptr_t)(one_in(f, 4) ? place(f, 16) : (void *)addresses);
	e->errors = (uintptr_t)(one_in(f, 4) ? place(f, 16) : (void *)errors);
}

static void fill_config(struct fuzzer *f, struct kflame_config *c)
{
	static uint32_t ids[2 * KFLAME_MAX_FILTER];
	unsigned int i;

	memset(c, 0, sizeof(*c));
	c->size = odd_size(f, sizeof(*c));
	c->kway = below(f, 3);
	c->flags = one_in(f, 3) ? 0 : rnd(f) & KFLAME_CF_ALL;
	/* its tables are larger, and to make and free them would be most of the time */
	if (!one_in(f, 4))
		c->flags &= ~KFLAME_CF_TIMELINE;
	/* not so fast that the emulated machine does nothing else */
	c->period_ns = 1000000 + below(f, 100000000);
	c->entries = below(f, 256);
	c->budget_permille = 50;
	c->uway = below(f, 3);
	if (one_in(f, 3)) {
		c->dump = below(f, 4);
		c->dump_bytes = one_in(f, 2) ? 0 : below(f, 8192) * 8;
		c->ring_bytes = one_in(f, 2) ? 0 : KFLAME_RING_MIN;
	}
	if (one_in(f, 3)) {
		c->nr_pids = below(f, 4);
		c->nr_tids = below(f, 3);
		c->nr_cpus = below(f, 3);
		c->nr_cgroups = one_in(f, 4) ? below(f, 3) : 0;
		for (i = 0; i < 4; i++)
			ids[i] = one_in(f, 2) ? (uint32_t)getpid() : below(f, 4);
	}
	if (one_in(f, 4)) {
		static struct kflame_event events[KFLAME_MAX_EVENTS];

		c->nr_events = below(f, 4);
		c->events = (uintptr_t)(one_in(f, 8) ? place(f, 16) : (void *)events);
		for (i = 0; i < c->nr_events; i++)
			events[i] = (struct kflame_event){
				.size = odd_size(f, sizeof(events[i])), .kind = below(f, KFLAME_NR_EVENTS + 1),
				.flags = one_in(f, 4) ? KFLAME_EF_WAKERS : one_in(f, 16) ? odd_number(f) : 0,
				.min = one_in(f, 4) ? odd_number(f) : 0,
				.max = one_in(f, 4) ? odd_number(f) : 0,
				.fd = one_in(f, 8) ? (int)below(f, 8) : 0,
				.offset = one_in(f, 8) ? odd_number(f) : 0,
			};
		for (i = 0; i < c->nr_events; i++)
			if (one_in(f, 4))
				fill_functions(f, &events[i]);
	}
	c->pids = c->tids = c->cpus = c->cgroups = (uintptr_t)(one_in(f, 8) ? place(f, 16) : ids);
	/* and then one field of any kind */
	if (one_in(f, 3)) {
		i = below(f, sizeof(*c) / 4) * 4;
		memcpy((char *)c + i, &(uint32_t){ odd_number(f) }, 4);
		/* but never at a rate that an emulated machine cannot live with */
		if (c->period_ns < 1000000 && c->period_ns >= 50000)
			c->period_ns = 1000000;
	}
}

/* No table of this size is a good one often; fuzz_tables makes those */
static void fill_table(struct fuzzer *f, struct kflame_table *t)
{
	t->flags = below(f, 3);
	if (one_in(f, 3)) {
		t->same_as = below(f, 64);
		return;
	}
	t->nr_pages = below(f, 4);
	t->nr_rows = one_in(f, 8) ? odd_number(f) : below(f, 64);
	t->nr_rules = one_in(f, 8) ? odd_number(f) : below(f, 16);
	t->pages = (uintptr_t)place(f, 16);
	t->rows = (uintptr_t)place(f, 256);
	t->rules = (uintptr_t)place(f, 256);
}

/* Mostly right, for one of the files of which there may be a table */
static void fill_interpreter(struct fuzzer *f, struct kflame_interpreter *i)
{
	static const struct {
		uint32_t kind, nr, offsets; /* at[], and how many of them are only offsets */
	} kinds[] = {
		{ KFLAME_INTERPRETER_CPYTHON_3_11, KFLAME_PY_NR, KFLAME_PY_NR },
		{ KFLAME_INTERPRETER_CPYTHON, KFLAME_PY_NR_ANY, KFLAME_PY_CHARACTER },
		{ KFLAME_INTERPRETER_PERL_5, KFLAME_PL_NR, KFLAME_PL_NR },
	};
	const uint32_t k = below(f, 3);
	size_t n;

	i->flags = one_in(f, 16) ? odd_number(f) : 0;
	i->file = below(f, 64);
	i->kind = one_in(f, 8) ? odd_number(f) : kinds[k].kind;
	i->state = odd_number(f);
	i->nr_loops = one_in(f, 8) ? odd_number(f) : 1;
	i->nr_at = one_in(f, 8) ? odd_number(f) : kinds[k].nr;
	i->loop[0].end = one_in(f, 8) ? odd_number(f) : 1ULL << below(f, 48);
	for (n = 0; n < kinds[k].offsets; n++)
		i->at[n] = one_in(f, 64) ? odd_number(f) : below(f, KFLAME_INTERPRETER_AT_MAX);
	if (kinds[k].kind == KFLAME_INTERPRETER_CPYTHON) {
		i->at[KFLAME_PY_CHARACTER] = below(f, 26);
		i->at[KFLAME_PY_UNIT] = below(f, 4);
		i->at[KFLAME_PY_LINES_ARE] = below(f, 4);
	}
	if (kinds[k].kind == KFLAME_INTERPRETER_PERL_5 && !one_in(f, 8)) {
		i->at[KFLAME_PL_THREADS] = below(f, 2);
		i->at[KFLAME_PL_NEXTSTATE] = below(f, 400);
	}
}

/* Build an argument at @to; returns the bytes it has */
static size_t fill(struct fuzzer *f, int op, unsigned char *to)
{
	struct kflame_config config;
	uint32_t *words = (uint32_t *)to;
	size_t size, i;

	switch (op) {
	case OP_CONFIGURE:
		fill_config(f, &config);
		memset(to, 0, PAGE);
		memcpy(to, &config, sizeof(config));
		return sizeof(config);
	case OP_INFO: size = sizeof(struct kflame_info); break;
	case OP_STATS: size = sizeof(struct kflame_stats); break;
	case OP_KSYM: size = sizeof(struct kflame_ksym); break;
	case OP_FILE: size = sizeof(struct kflame_file); break;
	case OP_TABLE: size = sizeof(struct kflame_table); break;
	case OP_NUMBER: size = sizeof(struct kflame_number); break;
	case OP_CGROUP: size = sizeof(struct kflame_cgroup); break;
	case OP_INTERPRETER: size = sizeof(struct kflame_interpreter); break;
	case OP_START:
	case OP_STOP: size = sizeof(struct kflame_run); break;
	default: size = 64;
	}
	memset(to, 0, PAGE);
	words[0] = odd_size(f, size);
	if (op == OP_STATS)
		words[1] = one_in(f, 2) ? ~0U : below(f, 4);
	if (op == OP_KSYM)
		memcpy(to + 8, &(uint64_t){ one_in(f, 2) ? rnd(f) | 0xffffffff80000000ULL :
					    odd_number(f) }, 8);
	if (op == OP_CGROUP)
		words[1] = below(f, 3);
	if (op == OP_FILE || op == OP_TABLE || op == OP_CGROUP)
		words[2] = below(f, 64);
	/* of this program, of what no file is mapped at, of anything */
	if (op == OP_NUMBER)
		memcpy(to + 8, &(uint64_t){ one_in(f, 2) ? (uintptr_t)fill : one_in(f, 2) ?
					    (uintptr_t)to : odd_number(f) }, 8);
	if (op == OP_TABLE)
		fill_table(f, (struct kflame_table *)to);
	if (op == OP_INTERPRETER)
		fill_interpreter(f, (struct kflame_interpreter *)to);
	if (one_in(f, 4))
		for (i = below(f, 4); i; i--)
			words[below(f, (size + 64) / 4)] = odd_number(f);
	return size;
}

static int call_ioctl(struct fuzzer *f, int fd, int op)
{
	static const unsigned long numbers[] = {
		KFLAME_IOC_INFO, KFLAME_IOC_CONFIGURE, KFLAME_IOC_START, KFLAME_IOC_STOP,
		KFLAME_IOC_STATS, KFLAME_IOC_KSYM, KFLAME_IOC_FILE, KFLAME_IOC_TABLE,
		KFLAME_IOC_NUMBER, KFLAME_IOC_CGROUP, KFLAME_IOC_INTERPRETER,
	};
	static const size_t most = 1024;
	unsigned long number = op == OP_OTHER ? odd_number(f) : numbers[op];
	size_t size = fill(f, op, f->buffer);
	void *at = place(f, size);
	int got;

	/* on the last bytes of the page before one that is not there */
	if (at == f->edge + PAGE - size && size < most)
		memcpy(at, f->buffer, size);
	if (op == OP_OTHER && one_in(f, 2))
		number = (KFLAME_IOC_INFO & ~0xffUL) | below(f, 16);
	got = ioctl(fd, number, at);
	if (!got && op == OP_FILE)
		close(((struct kflame_file *)at)->fd);
	return got;
}

static int call_read(struct fuzzer *f, int fd)
{
	size_t size = one_in(f, 3) ? below(f, 4096) : below(f, BUFFER);

	if (one_in(f, 8)) /* where little or nothing can be written, so any size will do */
		return read(fd, f->edge + PAGE - below(f, 64), odd_number(f));
	return read(fd, f->buffer, size);
}

/* A ring, as it should be mapped or not; its tail gets any number */
static int call_mmap(struct fuzzer *f, int fd)
{
	size_t size = one_in(f, 4) ? (1 + below(f, 512)) * PAGE : PAGE + KFLAME_RING_MIN;
	off_t at = one_in(f, 4) ? (off_t)(odd_number(f) & ~(PAGE - 1)) : (off_t)(below(f, 4) * size);
	int prot = PROT_READ | PROT_WRITE | (one_in(f, 16) ? PROT_EXEC : 0);
	struct kflame_ring *ring = mmap(NULL, size, prot, one_in(f, 16) ? MAP_PRIVATE : MAP_SHARED,
					fd, at);

	if (ring == MAP_FAILED)
		return -1;
	ring->tail = one_in(f, 2) ? ring->head : odd_number(f);
	ring->head = odd_number(f);
	munmap(ring, size);
	return 0;
}

static int open_device(void)
{
	return open(KFLAME_DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

static int reopen(struct fuzzer *f, int which)
{
	int fd = open_device();

	if (which < OWN) {
		close(f->own[which]);
		f->own[which] = fd;
	} else {
		close(atomic_exchange(&shared[which - OWN], fd));
	}
	return fd;
}

static void *fuzz(void *arg)
{
	struct fuzzer *f = arg;
	/* the common operations by weight; a session needs three of them in a row */
	static const unsigned char mix[] = {
		OP_INFO, OP_CONFIGURE, OP_CONFIGURE, OP_CONFIGURE, OP_START, OP_START, OP_STOP,
		OP_STATS, OP_KSYM, OP_FILE, OP_FILE, OP_TABLE, OP_TABLE, OP_NUMBER, OP_CGROUP, OP_INTERPRETER, OP_OTHER,
		OP_READ, OP_READ, OP_READ, OP_POLL, OP_MMAP, OP_MMAP, OP_REOPEN, OP_REOPEN,
	};
	int which, op, fd, got;

	while (f->calls--) {
		which = below(f, OWN + SHARED);
		op = mix[below(f, sizeof(mix))];
		fd = which < OWN ? f->own[which] : atomic_load(&shared[which - OWN]);
		if (op == OP_READ)
			got = call_read(f, fd);
		else if (op == OP_POLL)
			got = poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 0);
		else if (op == OP_MMAP)
			got = call_mmap(f, fd);
		else if (op == OP_REOPEN)
			got = reopen(f, which);
		else
			got = call_ioctl(f, fd, op);
		atomic_fetch_add_explicit(&called[op], 1, memory_order_relaxed);
		if (got >= 0)
			atomic_fetch_add_explicit(&succeeded[op], 1, memory_order_relaxed);
	}
	return NULL;
}

static int prepare(struct fuzzer *f, uint64_t seed, unsigned int number, unsigned long calls)
{
	unsigned int i;

	f->state = seed * 1000003 + number;
	f->calls = calls;
	f->buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->edge = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f->buffer == MAP_FAILED || f->edge == MAP_FAILED ||
	    mprotect(f->edge + PAGE, PAGE, PROT_NONE))
		return -1;
	for (i = 0; i < OWN; i++) {
		f->own[i] = open_device();
		if (f->own[i] < 0)
			return -1;
	}
	return 0;
}

/*
 * A session of the events that the kernel's tracepoints tell of, for a process that has hardly any; -1
 * if there is no device.
 *
 * The kernel patches its code when an event gets its first or second session, or loses it. QEMU
 * before 8.1 may translate code while another CPU patches it, and keep that translation: then a CPU
 * hangs at a breakpoint that is no longer there. Two sessions that last avoid that.
 */
static int hold_events(void)
{
	static uint32_t nobody = 1;
	static struct kflame_event events[] = {
		{ .size = sizeof(events[0]), .kind = KFLAME_EVENT_FAULTS },
		{ .size = sizeof(events[0]), .kind = KFLAME_EVENT_OFFCPU, .flags = KFLAME_EF_WAKERS },
	};
	struct kflame_config config = {
		.size = sizeof(config), .period_ns = 1000000000, .nr_pids = 1, .pids = (uintptr_t)&nobody,
		.nr_events = 2, .events = (uintptr_t)events,
	};
	int fd = open_device();

	if (fd < 0)
		return fd;
	/* Where only one of them is supported */
	for (; config.nr_events && ioctl(fd, KFLAME_IOC_CONFIGURE, &config); config.nr_events--)
		events[0] = events[1];
	ioctl(fd, KFLAME_IOC_START, &(struct kflame_run){ .size = sizeof(struct kflame_run) });
	return fd;
}

/* Nothing may be left when all is closed; the last to close may still be at it. */
static int left_over(void)
{
	struct kflame_info info = { .size = sizeof(info) };
	int fd = open_device();

	if (fd < 0 || ioctl(fd, KFLAME_IOC_INFO, &info)) {
		perror("fuzz_device: " KFLAME_DEVICE " afterwards");
		return 1;
	}
	close(fd);
	printf("left: %u sessions, %llu bytes\n", info.nr_running,
	       (unsigned long long)info.memory_used);
	return info.nr_running || info.memory_used;
}

int main(int argc, char **argv)
{
	unsigned int i, k, threads = argc > 3 ? strtoul(argv[3], NULL, 0) : 4;
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	int holders[HOLDERS];
	struct fuzzer f[64] = {};
	pthread_t thread[64];

	if (!calls || !threads || threads > 64) {
		fprintf(stderr, "usage: fuzz_device SEED CALLS [THREADS]\n");
		return 2;
	}
	printf("seed %llu, %lu calls, %u threads, %zu-bit\n", (unsigned long long)seed, calls,
	       threads, 8 * sizeof(long));
	for (i = 0; i < HOLDERS; i++)
		holders[i] = hold_events();
	for (i = 0; i < SHARED; i++)
		atomic_store(&shared[i], open_device());
	for (i = 0; i < threads; i++) {
		if (prepare(&f[i], seed, i, calls / threads)) {
			perror("fuzz_device: cannot begin");
			return 1;
		}
	}
	for (i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, fuzz, &f[i]))
			return 1;
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < threads; i++)
		for (k = 0; k < OWN; k++)
			close(f[i].own[k]);
	for (i = 0; i < SHARED; i++)
		close(atomic_load(&shared[i]));
	for (i = 0; i < HOLDERS; i++)
		close(holders[i]);
	for (i = 0; i < NR_OPS; i++)
		printf("%-10s %9lu called %9lu succeeded\n", op_names[i], called[i], succeeded[i]);
	return left_over();
}
