// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_request.c - requests to the flight recorder, and its answers as text, see recorder_request.h
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "cmd/recorder_request.h"
#include "device/device.h"

/* @detail: printf format of what the trigger measured, and its divisor; NULL: it measures nothing */
static const struct {
	const char *name;
	const char *detail;
	double divisor;
} causes[KFLAME_NR_FREEZE] = {
	[KFLAME_FREEZE_NONE] = { "nothing", NULL, 1 },
	[KFLAME_FREEZE_REQUEST] = { "request", NULL, 1 },
	[KFLAME_FREEZE_PANIC] = { "panic", NULL, 1 },
	[KFLAME_FREEZE_LATE] = { "late interrupt", "%.3f ms late", 1e6 },
	[KFLAME_FREEZE_SOFTIRQ] = { "softirq", "%.3f ms in softirqs", 1e6 },
	[KFLAME_FREEZE_OOM] = { "OOM killer", "process %.0f was chosen", 1 },
	[KFLAME_FREEZE_HUNG] = { "hung task", "task %.0f", 1 },
	[KFLAME_FREEZE_MEMORY] = { "memory", "%.1f MiB available", 1024 * 1024 },
	[KFLAME_FREEZE_RUNQ] = { "run queue", "a task waited %.3f ms for a CPU", 1e6 },
	[KFLAME_FREEZE_BLOCKED] = { "blocked tasks", "%.0f tasks slept uninterruptibly", 1 },
	[KFLAME_FREEZE_PROBE] = { "probe", "a hit weighed %.0f", 1 },
	[KFLAME_FREEZE_PRESSURE] = { "pressure", NULL, 1 },
	[KFLAME_FREEZE_SIGNAL] = { "signal", "number %.0f", 1 },
};

static const char *pressure(uint64_t resource)
{
	static const char *const names[KFLAME_NR_PRESSURES] = {
		[KFLAME_PRESSURE_CPU] = "cpu", [KFLAME_PRESSURE_IO] = "io", [KFLAME_PRESSURE_MEMORY] = "memory",
		[KFLAME_PRESSURE_IRQ] = "irq",
	};

	return resource < KFLAME_NR_PRESSURES ? names[resource] : "?";
}

static void print_cause(const struct kflame_recorder *a)
{
	if (a->cause >= KFLAME_NR_FREEZE) {
		printf("frozen by:  a trigger that this tool does not know (%u)\n", a->cause);
		return;
	}
	printf("frozen by:  %s", causes[a->cause].name);
	if (causes[a->cause].detail) {
		fputs(": ", stdout);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		printf(causes[a->cause].detail, (double)a->detail / causes[a->cause].divisor);
#pragma GCC diagnostic pop
	}
	if (a->cause == KFLAME_FREEZE_PRESSURE)
		printf(": %s", pressure(a->detail));
	putchar('\n');
}

static void print_triggers(uint32_t triggers)
{
	const char *between = "";

	fputs("triggers:   ", stdout);
	for (uint32_t i = 1; i < KFLAME_NR_FREEZE; i++)
		if (triggers & 1U << i) {
			printf("%s%s", between, causes[i].name);
			between = ", ";
		}
	putchar('\n');
}

void recorder_print_status(const struct kflame_recorder *a)
{
	static const char *const states[] = {
		[KFLAME_RECORDER_OFF] = "off", [KFLAME_RECORDER_RUNNING] = "running",
		[KFLAME_RECORDER_FROZEN] = "frozen",
	};

	printf("recorder:   %s\n", a->state <= KFLAME_RECORDER_FROZEN ? states[a->state] : "?");
	if (a->state == KFLAME_RECORDER_OFF)
		return;
	if (a->state == KFLAME_RECORDER_FROZEN)
		print_cause(a);
	print_triggers(a->triggers);
	printf("keeps:      the last %g s, at %g Hz, in %.1f MiB of kernel memory\n", (double)a->span_ns / 1e9,
	       a->period_ns ? 1e9 / (double)a->period_ns : 0.0, (double)a->memory / (1024 * 1024));
	printf("samples:    %llu: %llu kept, %llu overwritten, %llu lost\n", (unsigned long long)a->samples,
	       (unsigned long long)a->kept, (unsigned long long)a->expired, (unsigned long long)a->lost);
}

static const char *reason(const char *verb, int err)
{
	switch (-err) {
	case ENODATA:
		return "it does not run. Start it: kflame recorder start";
	case EBUSY:
		if (!strcmp(verb, "start"))
			return "it runs, is being read, or was frozen. 'kflame recorder start' without options continues a frozen one";
		return !strcmp(verb, "freeze") ? "it is frozen. Save it: kflame recorder save" :
						 "it is being read. End what reads it";
	case EPERM:
		return "this needs CAP_SYS_ADMIN: run with sudo";
	case ENOMEM:
		return "it would take too much kernel memory: ask for fewer seconds, a lower rate or fewer --entries";
	case EOPNOTSUPP:
		return "this kernel has no tracepoint for --oom, --hung-task or --run-queue: leave the option out";
	case EINVAL:
		return "the module refuses these values: a part of the time (--epochs) has to be 10 ms and one sample at least";
	default:
		return strerror(-err);
	}
}

int recorder_request(int fd, const char *verb, uint32_t op, struct kflame_recorder *a)
{
	int err;

	a->size = sizeof(*a);
	a->op = op;
	err = device_recorder(fd, a);
	if (!err)
		return 0;
	complain("recorder %s: %s", verb, reason(verb, err));
	return -1;
}
