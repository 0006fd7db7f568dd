// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_memory.c - checks the kernel memory that a recording needs
 *
 * A loaded module reports the exact amount.  Otherwise, this file estimates it by the formula at the head of
 * kmod/session/session.h, with the sizes of structures on 64-bit machines. An end-to-end test compares the
 * estimate with the module's report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chroot_open.h"
#include "doctor/doctor.h"
#include "record/options.h"

#define MIB		(1024.0 * 1024)
#define PAGE		4096u
#define MAX_KALLSYMS	(64u << 20)

/* kmod/session/session.h, table.c and table.h */
#define SECONDS		16u
#define MIN_ENTRIES	2048u
#define MAX_ENTRIES	32768u
#define ENTRY		80u
#define STACK		32u
#define FRAMES_PER_ENTRY 14u
#define TABLE		160u

/* Bytes of a kf_cpu without its accounting; of the caches of address spaces and files; ... */
#define CPU		(sizeof(struct kflame_cpu) + 11296u)
#define ASPACES		(4096u * 152u)
#define JOB		(sizeof(struct kflame_rec_aspace) + 48u)
#define FILES		(4096u * 40u + 16384u)
#define VMAS		(4096u * 56u)
#define READER		(256u << 10)
/* For copies of stacks whose table is late: largest and smallest ring on each CPU */
#define RING		(1u << 20)
#define MIN_RING	(256u << 10)
/* For walks by unwind tables: two caches on each CPU, the mappings, and the files with a table */
#define KNOWN		(1024u * 64u)
#define CHAINS		(128u * 1024u)
#define MAPPING		32u
#define TABLES		(8192u * 16u)
/* kmod/base/scale.h: the minimum, and the number for each possible CPU */
#define JOBS		256u
#define JOBS_CPU	4u
#define MAPPINGS	65536u
#define MAPPINGS_CPU	1024u
#define CAP		(1ull << 30)
#define CAP_CPU		(4ull << 20)
/* The cache of kernel stacks, with the ORC unwinder and on arm64 */
#define STEPS		(32768u * 8u + 8192u * 8u + 1024u * 8u + 8240u + 64624u)
#define RECORDS		(8192u * 8u + 16384u * 8u + 8224u)

/* Return: number of CPUs or nodes in "0-3,8"; 0 if the text is no such list */
static uint64_t count_list(const char *text)
{
	uint64_t nr = 0;

	while (*text) {
		unsigned long from, last;
		char *end;

		from = last = strtoul(text, &end, 10);
		if (end == text)
			return 0;
		text = end;
		if (*text == '-') {
			last = strtoul(text + 1, &end, 10);
			if (end == text + 1 || last < from)
				return 0;
			text = end;
		}
		/* No machine has so many; but a file may contain anything */
		if (last >= 1u << 20)
			return 0;
		nr += last - from + 1;
		if (*text && *text++ != ',')
			return 0;
	}
	return nr;
}

static uint64_t count_in(const struct doctor *d, const char *path)
{
	char text[4096];

	root_read(d->root, path, text, sizeof(text));
	return count_list(text);
}

/* Return: the smallest power of two that is not less than @n */
static uint64_t round_up(uint64_t n)
{
	uint64_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

static uint64_t at_least(uint64_t least, uint64_t n)
{
	return n < least ? least : n;
}

static uint64_t most_entries(void)
{
	uint64_t entries = SECONDS * 1000000000ull / RECORD_PERIOD_NS;

	return round_up(entries < MIN_ENTRIES ? MIN_ENTRIES :
			entries > MAX_ENTRIES ? MAX_ENTRIES : entries);
}

static uint64_t table_bytes(uint64_t entries)
{
	/* There are as many stacks as entries; both together need ten slots and hints */
	return (TABLE + entries * (ENTRY + 8 * FRAMES_PER_ENTRY + STACK + 4 * 10) + PAGE - 1) /
	       PAGE * PAGE;
}

/*
 * Is the kernel's unwinder ORC, as on nearly all x86-64 machines?  Only arch/x86/kernel/unwind_orc.c has
 * the function.
 */
static bool is_orc(const struct doctor *d)
{
	char orc = doctor_config(d, "UNWINDER_ORC"), *text;
	bool is;

	if (strcmp(d->machine, "x86_64"))
		return false;
	if (orc)
		return orc != 'n';
	if (root_slurp(d->root, "/proc/kallsyms", MAX_KALLSYMS, &text))
		return true;
	is = !*text || strstr(text, " unwind_module_init\n");
	free(text);
	return is;
}

static uint64_t learnt_bytes(const struct doctor *d)
{
	if (!strcmp(d->machine, "aarch64"))
		return RECORDS;
	return is_orc(d) ? STEPS : 0;
}

/* Estimate the module's answer, with the limit @cap (0: unknown).  Return: 0 if the CPUs are unknown */
static uint64_t estimate(const struct doctor *d, uint64_t possible, uint64_t cap)
{
	uint64_t online = count_in(d, "/sys/devices/system/cpu/online");
	uint64_t nodes = count_in(d, "/sys/devices/system/node/has_memory");
	uint64_t sampled = online ? online : possible, entries = most_entries();
	/* A kernel without NUMA lists no nodes, but has one */
	uint64_t tables = sampled + (nodes ? nodes : 1);
	uint64_t rest = (CHAINS + KNOWN) * sampled + CPU * possible + ASPACES + FILES + VMAS + READER +
			TABLES + learnt_bytes(d) +
			JOB * round_up(at_least(JOBS, JOBS_CPU * possible)) +
			MAPPING * round_up(at_least(MAPPINGS, MAPPINGS_CPU * possible));
	uint64_t ring = RING;

	if (!possible)
		return 0;
	while (cap && ring > MIN_RING &&
	       tables * table_bytes(entries) + (ring + PAGE) * sampled + rest > cap / 4)
		ring /= 2;
	rest += (ring + PAGE) * sampled;
	while (cap && entries > MIN_ENTRIES && tables * table_bytes(entries) + rest > cap / 4)
		entries /= 2;
	return tables * table_bytes(entries) + rest;
}

/* Parse "MemTotal:   16318480 kB" of /proc/meminfo.  Return: bytes; 0 if the key is missing */
static uint64_t meminfo(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) * 1024 : 0;
}

/*
 * Return: the memory limit of all sessions; 0 if unknown.  The module reports it, or its parameter sets it.
 * Otherwise it is an eighth of the memory and at most 1 GiB, or more on a machine with many CPUs.
 */
static uint64_t cap_of(const struct doctor *d, uint64_t total, uint64_t possible)
{
	uint64_t most = at_least(CAP, CAP_CPU * possible);
	char text[32];
	uint64_t mib;

	if (d->device.asked && !d->device.error)
		return d->device.info.memory_cap;
	root_read(d->root, "/sys/module/kflame/parameters/memory_cap", text, sizeof(text));
	mib = strtoull(text, NULL, 10);
	if (mib && (!total || mib < total >> 20))
		return mib << 20;
	if (mib)
		return total;
	return total / 8 < most ? total / 8 : most;
}

void check_memory(const struct doctor *d, struct finding *f)
{
	uint64_t possible = count_in(d, "/sys/devices/system/cpu/possible");
	bool known = d->device.asked && !d->device.error && d->device.memory;
	uint64_t need, cap, used, available;
	const char *about = known ? "" : "about ";
	char text[4096];

	root_read(d->root, "/proc/meminfo", text, sizeof(text));
	available = meminfo(text, "MemAvailable:");
	cap = cap_of(d, meminfo(text, "MemTotal:"), possible);
	used = known ? d->device.info.memory_used : 0;
	need = known ? d->device.memory : estimate(d, possible, cap);
	if (!need) {
		find(f, VERDICT_UNKNOWN, "what a recording takes is not known: /sys/devices/system/cpu/possible cannot be read");
	} else if (!cap || !available) {
		find(f, VERDICT_UNKNOWN, "a recording takes %s%.1f MiB; what there is is not known: no /proc/meminfo",
		     about, (double)need / MIB);
	} else if (need > cap || used > cap - need) {
		find(f, VERDICT_FAILS, "a recording takes %s%.1f MiB, more than is left of the %.1f MiB that kflame may take",
		     about, (double)need / MIB, (double)cap / MIB);
		fix(f, "record with smaller tables (--entries 512) or fewer CPUs (-C 0-3), or load the module with a larger memory_cap=MIB");
	} else if (need > available / 2) {
		/* the same rule as in kf_memory_reserve() */
		find(f, VERDICT_FAILS,
		     "a recording takes %s%.1f MiB, more than half of the %.1f MiB that are free", about,
		     (double)need / MIB, (double)available / MIB);
		fix(f, "end something, or record with smaller tables (--entries 512) or fewer CPUs (-C 0-3)");
	} else {
		find(f, VERDICT_WORKS, "a recording takes %s%.1f MiB, for %llu possible CPU%s; kflame may take %.1f MiB",
		     about, (double)need / MIB, (unsigned long long)possible, possible == 1 ? "" : "s",
		     (double)cap / MIB);
	}
}
