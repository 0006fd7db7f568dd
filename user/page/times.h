/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * times.h - where the time went, by state: of the machine, of each CPU, and of each process
 *
 * The sums equal those of the views.  Only this file splits the time of a task into user and kernel code.
 */
#ifndef KFLAME_PAGE_TIMES_H
#define KFLAME_PAGE_TIMES_H

#include "profile/profile.h"

/** enum time_state - the states on a CPU, then those of waiting threads */
enum time_state {
	TIME_USER,
	TIME_KERNEL,
	TIME_INTERRUPT,		/* softirqs; hard interrupts are late time of what they interrupt */
	TIME_GUEST,
	TIME_IDLE,
	TIME_GAP,
	TIME_RUNNABLE,
	TIME_PREEMPTED,
	TIME_INTERRUPTIBLE,
	TIME_UNINTERRUPTIBLE,
	TIME_IOWAIT,
	TIME_STOPPED,
	TIME_OTHER,		/* of a newer module */
	NR_TIME_STATES,
};

#define TIME_FIRST_WAIT	TIME_RUNNABLE

/**
 * struct times - time and samples by state
 * @ns:		time; of the event off-cpu that is time of threads
 * @samples:	samples of the timer, or waits
 * @late_ns:	the part of the time on CPUs that lies beyond one period
 * @still_ns:	the part of the waits that had not ended
 */
struct times {
	uint64_t ns[NR_TIME_STATES];
	uint64_t samples[NR_TIME_STATES];
	uint64_t late_ns;
	uint64_t still_ns;
};

/** times_add() - adds a count of the timer or of waits */
void times_add(struct times *t, const struct profile_count *c);

/** times_key() - Return: a state as one word for programs */
const char *times_key(enum time_state state);

/** times_ran() - Return: time in user code, in the kernel and in a guest, without interrupts */
uint64_t times_ran(const struct times *t);

/** times_on_cpus() - Return: all time of CPUs, also idle time */
uint64_t times_on_cpus(const struct times *t);

/** times_for_cpu() - Return: time in which threads waited for a CPU */
uint64_t times_for_cpu(const struct times *t);

/** times_blocked() - Return: time of all other waits */
uint64_t times_blocked(const struct times *t);

/**
 * struct process_times - a process
 * @origin:	as in struct profile_count
 * @aspace:	index of one of its address spaces; PROFILE_NONE for none
 * @comm:	the name of its threads with the most time
 */
struct process_times {
	uint32_t origin;
	uint32_t tgid;
	uint32_t aspace;
	char comm[KFLAME_COMM_LEN];
	struct times times;
};

/** struct cpu_times - a CPU */
struct cpu_times {
	uint32_t cpu;
	struct times times;
};

/**
 * struct time_tables - processes and CPUs; all zero is empty
 * @all:		of the whole machine
 * @processes:		the one that ran longest first, see time_tables_sort()
 * @cpus:		by number
 */
struct time_tables {
	struct times all;
	struct process_times *processes;
	size_t nr_processes, cap_processes;
	struct cpu_times *cpus;
	size_t nr_cpus, cap_cpus;
};

/**
 * time_tables_add() - adds the counts of the event in use: of the timer, then of waits
 * @p:	its counts are kept by CPU
 *
 * Return: 0 or -ENOMEM.
 */
int time_tables_add(struct time_tables *t, const struct profile *p);

/** time_tables_sort() - makes one row of each process, and sorts: call it once, after the last time_tables_add() */
void time_tables_sort(struct time_tables *t);

/** time_tables_processes() - Return: how many processes have rows, without the idle one */
size_t time_tables_processes(const struct time_tables *t);

/** time_tables_exit() - frees the tables */
void time_tables_exit(struct time_tables *t);

#endif
