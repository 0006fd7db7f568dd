// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shares - three functions with known shares of the CPU time: 70, 20 and 10%
 *
 * usage: shares SECONDS
 *
 * The ground truth of the share tests.  Each round gives every function its
 * part of the work and measures what it took by the thread's own CPU clock, so
 * that the truth is what happened and not what the loop counts promise.  Runs
 * for SECONDS of CPU time, then prints one line a function: name, nanoseconds.
 */
#include "work.h"

static volatile uint64_t sink;

/* Each has its own arithmetic, lest the linker or compiler fold them into one. */
WORK_FUNCTION static void share_70(unsigned long loops)
{
	uint64_t x = loops;

	while (loops--)
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	sink = x;
}

WORK_FUNCTION static void share_20(unsigned long loops)
{
	uint64_t x = loops;

	while (loops--)
		x = (x ^ (x >> 7)) * 2862933555777941757ULL;
	sink = x;
}

WORK_FUNCTION static void share_10(unsigned long loops)
{
	uint64_t x = loops;

	while (loops--)
		x = (x + 3037000493ULL) ^ (x << 9);
	sink = x;
}

struct share {
	const char *name;
	void (*run)(unsigned long loops);
	unsigned int tenths;
	unsigned long loops;	/* of one round */
	uint64_t ns;		/* measured so far */
};

static uint64_t timed(struct share *share)
{
	uint64_t start = work_clock(CLOCK_THREAD_CPUTIME_ID);

	share->run(share->loops);
	return work_clock(CLOCK_THREAD_CPUTIME_ID) - start;
}

/*
 * Loops such that a round takes about 200 ms times the share.  Long rounds: the
 * clock's own cost must not show, nor one interrupt of a kernel that checks
 * everything it does.
 */
static void calibrate(struct share *share)
{
	const uint64_t want = 20000000ULL * share->tenths;
	uint64_t ns;

	for (share->loops = 1000;; share->loops *= 2) {
		ns = timed(share);
		if (ns > 20000000)
			break;
	}
	share->loops = (unsigned long)(share->loops * (double)want / (double)ns);
}

int main(int argc, char **argv)
{
	struct share shares[] = {
		{ "share_70", share_70, 7, 0, 0 },
		{ "share_20", share_20, 2, 0, 0 },
		{ "share_10", share_10, 1, 0, 0 },
	};
	uint64_t begin = work_clock(CLOCK_THREAD_CPUTIME_ID), limit;
	unsigned int i;

	if (argc != 2) {
		fprintf(stderr, "usage: shares SECONDS\n");
		return 2;
	}
	limit = work_number(argv[1], "SECONDS") * 1000000000ULL;
	/* calibration runs the same functions: its time is part of the truth */
	for (i = 0; i < 3; i++) {
		uint64_t start = work_clock(CLOCK_THREAD_CPUTIME_ID);

		calibrate(&shares[i]);
		shares[i].ns += work_clock(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	while (work_clock(CLOCK_THREAD_CPUTIME_ID) - begin < limit)
		for (i = 0; i < 3; i++)
			shares[i].ns += timed(&shares[i]);
	for (i = 0; i < 3; i++)
		printf("%s %llu\n", shares[i].name, (unsigned long long)shares[i].ns);
	return 0;
}
