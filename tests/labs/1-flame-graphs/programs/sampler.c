// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampler.c - linked to each program: samples it by a timer of its CPU time, and writes raw stacks at its end
 *
 * Frames are found by frame pointers, and only on the stack of main. A line of the file PROGRAM.raw is a
 * sample: addresses, innermost first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum { MAX_SAMPLES = 20000, MAX_FRAMES = 48 };

static uint64_t samples[MAX_SAMPLES][MAX_FRAMES];
static int nr_samples;
static uint64_t top;

static void take(int sig, siginfo_t *info, void *context)
{
	const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t bp = registers[REG_RBP], sp = registers[REG_RSP];
	uint64_t *sample = samples[nr_samples];
	int n = 0;

	(void)sig;
	(void)info;
	if (nr_samples == MAX_SAMPLES)
		return;
	sample[n++] = registers[REG_RIP];
	while (n < MAX_FRAMES && bp >= sp && bp < top - 16 && !(bp & 7)) {
		const uint64_t *record = (const uint64_t *)bp;

		sample[n++] = record[1];
		if (record[0] <= bp)
			break;
		bp = record[0];
	}
	nr_samples++;
}

static void write_all(void)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s.raw", program_invocation_name);
	setitimer(ITIMER_PROF, &(struct itimerval){ 0 }, NULL);
	file = fopen(path, "w");
	for (int i = 0; file && i < nr_samples; i++)
		for (int k = 0; k < MAX_FRAMES && samples[i][k]; k++)
			fprintf(file, "%lx%c", samples[i][k], k + 1 < MAX_FRAMES && samples[i][k + 1] ? ' ' : '\n');
	if (file)
		fclose(file);
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **envp)
{
	struct sigaction action = { .sa_sigaction = take, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval interval = { { 0, 4000 }, { 0, 4000 } };

	(void)argc;
	(void)argv;
	top = (uint64_t)envp;
	atexit(write_all);
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &interval, NULL);
}
