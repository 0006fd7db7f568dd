// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_tables - unwind tables that lead astray
 *
 * usage: fuzz_tables SEED TABLES
 *
 * TABLES tables are given to sessions that walk by them, for the very files that are being
 * run: this program's, whose children burn the CPU below some calls. Half of the tables are
 * as the module takes them, with rules that mean nothing (frames that loop, lead into the
 * kernel, to the program's own code, to addresses that are none), so that walks follow them;
 * half are damaged somewhere. What must hold: the kernel lives, each stack can be
 * recorded, the books balance, and what the interface forbids is refused. Prints what was called,
 * and how walks ended. One seed gives the same tables again.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kflame.h>

#define MAX_RULES	64
#define MAX_ROWS	4096
#define MAX_PAGES	40
#define CHILDREN	2
#define TABLES_A_SESSION 48
#define FILES		12	/* numbers that this program's files may have in a session */
#define BUFFER		(1U << 18)
#define NR_ENDS		18

struct table {
	struct kflame_table t;
	uint32_t page[MAX_PAGES + 1];
	uint32_t row[MAX_ROWS];
	struct kflame_rule rule[MAX_RULES];
};

static uint64_t state;
static unsigned long given, taken, refused, wrong, samples, ends[NR_ENDS + 1];
static unsigned char buffer[BUFFER] __attribute__((aligned(8)));
static volatile uint64_t sink;
static volatile int forever = 1;

/* What the module must do with a table */
enum { TAKE, REFUSE, EITHER };

/* splitmix64: enough for this, and the same everywhere */
static uint64_t rnd(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static unsigned int below(unsigned int n)
{
	return rnd() % n;
}

/* ------------------------------------------------------------------- tables */

static int32_t some_offset(void)
{
	static const int32_t some[] = {
		0, 8, 16, 24, 32, -8, -16, 64, 160, 4096, -4096, 65536, 0x7ffffff8, -0x7ffffff8,
	};

	return below(3) ? some[below(sizeof(some) / sizeof(*some))] : (int32_t)(rnd() & ~7u);
}

static int in_memory(unsigned int in)
{
	return in == KFLAME_IN_CFA || in == KFLAME_IN_SP || in == KFLAME_IN_FP;
}

/* A rule that the module takes, whatever it means */
static struct kflame_rule some_rule(void)
{
	struct kflame_rule r = { .cfa = below(KFLAME_CFA_LAST + 1) };

	/* Most walks shall get further than one frame */
	if (below(2))
		r.cfa = KFLAME_CFA_SP;
#ifndef __x86_64__
	if (r.cfa == KFLAME_CFA_PLT)
		r.cfa = KFLAME_CFA_FP;
#endif
	if (r.cfa == KFLAME_CFA_NONE || r.cfa == KFLAME_CFA_END)
		return r;
	r.cfa_offset = r.cfa == KFLAME_CFA_PLT ? (int32_t)below(16) : some_offset();
	if (r.cfa == KFLAME_CFA_SIGNAL)
		return r;
	r.base_offset = below(3) ? 0 : below(2) ? KFLAME_BASE_LOST : some_offset();
	if (r.cfa == KFLAME_CFA_AT_SP || r.cfa == KFLAME_CFA_AT_FP)
		r.cfa_add = some_offset();
	r.fp = below(KFLAME_IN_LAST + 1);
#ifdef __x86_64__
	r.ra = KFLAME_IN_CFA + below(4);
#else
	r.ra = below(KFLAME_IN_LOST);
#endif
	if (in_memory(r.fp))
		r.fp_offset = some_offset();
	if (in_memory(r.ra))
		r.ra_offset = some_offset();
	if (r.cfa == KFLAME_CFA_REG || r.fp == KFLAME_IN_REG || r.ra == KFLAME_IN_REG)
		r.reg = below(16);
	return r;
}

/*
 * One of the kind that the module walks by in a loop of its own (kmod/ustack/quick_steps.h), at
 * and beyond its limits.
 */
static struct kflame_rule some_quick_rule(void)
{
	static const int32_t cfa[] = { 8, 16, 24, 48, 64, 160, 4096, 65528, 65536, -8 };
	static const int32_t fp[] = { -16, -16, -24, -8, 8, -65528, -65536 };
	static const int32_t base[] = { 0, 0, -8, -24, -8184, -8192, 8 };
	struct kflame_rule r = {
		.cfa = below(3) ? KFLAME_CFA_SP : KFLAME_CFA_FP,
		.cfa_offset = cfa[below(below(2) ? 6 : sizeof(cfa) / sizeof(*cfa))],
		.ra = KFLAME_IN_CFA, .ra_offset = -8,
		.fp = below(2) ? KFLAME_IN_SAME : KFLAME_IN_CFA,
		.base_offset = base[below(sizeof(base) / sizeof(*base))],
	};

	if (r.fp == KFLAME_IN_CFA)
		r.fp_offset = fp[below(sizeof(fp) / sizeof(*fp))];
	return r;
}

/* One that the module must take */
static void make_good(struct table *b, uint64_t file)
{
	uint32_t pages = 1 + below(MAX_PAGES), rules = 1 + below(MAX_RULES), rows = 0;

	for (uint32_t i = 0; i < rules; i++)
		b->rule[i] = below(2) ? some_rule() : some_quick_rule();
	for (uint32_t i = 0; i < pages; i++) {
		uint32_t at = below(3) ? 0 : below(65536);

		b->page[i] = rows;
		while (at < 65536 && rows < MAX_ROWS) {
			b->row[rows++] = KFLAME_ROW(at, below(rules));
			at += 1 + below(1u << below(17));
		}
	}
	b->page[pages] = rows;
	b->t = (struct kflame_table){
		.size = sizeof(b->t), .flags = below(4) ? 0 : KFLAME_TABLE_FP << 2 * below(2), .file = file,
		.nr_pages = pages, .nr_rows = rows, .nr_rules = rules,
		.pages = (uintptr_t)b->page, .rows = (uintptr_t)b->row,
		.rules = (uintptr_t)b->rule,
	};
}

/* Damages it.  Return: what the module must do with it now */
static int damage(struct table *b)
{
	struct kflame_rule *r = &b->rule[below(b->t.nr_rules)];
	uint32_t i;

	switch (below(16)) {
	case 0: r->cfa = KFLAME_CFA_LAST + 1 + below(200); return REFUSE;
	case 1: r->fp = KFLAME_IN_LAST + 1 + below(200); return REFUSE;
	case 2: r->ra = KFLAME_IN_LOST; r->cfa = KFLAME_CFA_SP; return REFUSE;
	case 3: r->reg = 31 + below(200); return REFUSE;
	case 4: r->cfa = KFLAME_CFA_SP; r->cfa_offset |= 1 + below(7); return REFUSE;
	case 5: r->cfa = KFLAME_CFA_END; r->cfa_offset = 8; return REFUSE;
	case 6: b->t.flags |= 8u << below(28); return REFUSE;
	case 7: b->t.pad = 1; return REFUSE;
	case 8: b->t.nr_pages = 0; return REFUSE;
	case 9: b->t.nr_rows++; return REFUSE;
	case 10: b->page[below(b->t.nr_pages + 1)] = 0xffffffffu - below(3); return REFUSE;
	case 11: b->page[0] = 1; return REFUSE;
	case 12:
		i = below(b->t.nr_rows);
		b->row[i] = KFLAME_ROW(b->row[i], b->t.nr_rules + below(1000));
		return REFUSE;
	case 13: b->t.rows = (uintptr_t)below(4096); return REFUSE;
	case 14: b->t.nr_rules = KFLAME_TABLE_RULES + 1; return REFUSE;
	default:
		/* One bit of anything; it may still be a good one */
		((unsigned char *)b)[below(sizeof(b->t))] ^= 1u << below(8);
		return EITHER;
	}
}

static void give(int fd, struct table *b)
{
	int must, err;

	make_good(b, 1 + below(FILES));
	must = below(2) ? damage(b) : TAKE;
	given++;
	err = ioctl(fd, KFLAME_IOC_TABLE, &b->t) ? errno : 0;
	if (err)
		refused++;
	else
		taken++;
	/* A good one is refused only for a file that has one, or where there is no room */
	if ((must == REFUSE && !err) ||
	    (must == TAKE && err && err != EEXIST && err != ENOSPC && err != ENOMEM)) {
		fprintf(stderr, "fuzz_tables: table %lu, which should be %s: %s\n", given,
			must == TAKE ? "taken" : "refused", strerror(err));
		wrong++;
	}
}

/* --------------------------------------------------------- what is sampled */

__attribute__((noinline)) static void burn(unsigned int depth)
{
	volatile char room[48];

	room[0] = (char)depth;
	if (depth) {
		burn(depth - 1);
	} else {
		uint64_t x = 1;

		while (forever)
			sink = x = x * 6364136223846793005ULL + 1;
	}
	room[1] = room[0];
}

static void child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	burn(20);
}

/* ----------------------------------------------------------------- records */

static int take_stack(const struct kflame_rec_stack *s)
{
	if (s->kind != KFLAME_STACK_USER)
		return 0;
	ends[(s->end & KFLAME_END_MASK) < NR_ENDS ? s->end & KFLAME_END_MASK : NR_ENDS]++;
	if ((s->end & KFLAME_END_MASK) >= NR_ENDS || s->nr > 512)
		return 1;
	for (uint32_t i = 0; i < s->nr; i++)
		if (s->ip[i] >> 56)
			return 1;
	return 0;
}

static int take_books(const struct kflame_cpu *c)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++)
		lost += c->lost[i];
	return c->samples != c->counted + lost;
}

/* Records are whole in each read: the buffer is larger than any of them */
static int drain(int fd)
{
	ssize_t got;
	size_t at = 0, begun = 0;

	while ((got = read(fd, buffer + begun, BUFFER - begun)) > 0) {
		size_t len = begun + (size_t)got;

		at = 0;
		if (!memcmp(buffer, KFLAME_FILE_MAGIC, 8))
			at = sizeof(struct kflame_file_header);
		while (len - at >= sizeof(struct kflame_rec)) {
			const struct kflame_rec *rec = (const void *)(buffer + at);

			if (rec->size > len - at)
				break;
			if (rec->type == KFLAME_REC_STACK && take_stack((const void *)rec))
				return 1;
			if (rec->type == KFLAME_REC_COUNT)
				samples += ((const struct kflame_rec_count *)rec)->samples;
			if (rec->type == KFLAME_REC_CPU &&
			    take_books(&((const struct kflame_rec_cpu *)rec)->books))
				return 1;
			at += rec->size;
		}
		begun = len - at;
		memmove(buffer, buffer + at, begun);
	}
	return 0;
}

/* One session; true: something was wrong */
static int session(struct table *b, unsigned long tables)
{
	struct kflame_run run = { .size = sizeof(run) };
	struct kflame_config c = {
		.size = sizeof(c), .period_ns = 1000003, .flags = KFLAME_CF_EXCLUDE_KERNEL,
		.uway = 1 + below(2), .nr_pids = 1, .entries = 1024,
		.table_bytes = below(4) ? 0 : 100000,
	};
	uint32_t self = (uint32_t)getpid();
	int fd = open(KFLAME_DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK), bad;

	c.pids = (uintptr_t)&self;
	if (fd < 0 || ioctl(fd, KFLAME_IOC_CONFIGURE, &c) || ioctl(fd, KFLAME_IOC_START, &run)) {
		perror("fuzz_tables: " KFLAME_DEVICE);
		return 1;
	}
	/* Until its files have their numbers, and between tables: so that each is walked by */
	for (unsigned long i = 0; i < tables; i++) {
		poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 4);
		if (drain(fd))
			return 1;
		give(fd, b);
	}
	poll(NULL, 0, 20);
	bad = ioctl(fd, KFLAME_IOC_STOP, &run) || fcntl(fd, F_SETFL, O_RDWR) || drain(fd);
	close(fd);
	return bad;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	unsigned long left = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	struct table *b = calloc(1, sizeof(*b));
	pid_t pids[CHILDREN];
	int bad = 0;

	if (!left || !b) {
		fprintf(stderr, "usage: fuzz_tables SEED TABLES\n");
		return 2;
	}
	state = seed * 1000003;
	for (int i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (!pids[i])
			child();
	}
	while (left && !bad) {
		unsigned long part = left < TABLES_A_SESSION ? left : TABLES_A_SESSION;

		bad = session(b, part);
		left -= part;
	}
	for (int i = 0; i < CHILDREN; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	printf("seed %llu: %lu tables given, %lu taken, %lu refused, %lu samples\n",
	       (unsigned long long)seed, given, taken, refused, samples);
	for (int i = 0; i <= NR_ENDS; i++)
		if (ends[i])
			printf("stacks that ended by %d: %lu\n", i, ends[i]);
	if (bad)
		fprintf(stderr, "fuzz_tables: a stack that cannot be, or books that do not balance\n");
	return bad || wrong || !taken || !samples;
}
