// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet - writes the profiles of many hosts, as an agent would leave them in a spool directory
 *
 * make -C tests/bench/fleet makes it.  usage: build/bench/fleet DIR HOSTS CUTS [STACKS [FIRST_CUT_SECONDS]]
 *
 * Each host has CUTS profiles of a minute, at 19 Hz on four CPUs.  A profile has up to STACKS stacks, chosen from those of
 * the host's service: few of them are hot.  Each process has its files at addresses of its own, each host its kernel.
 * Prints the sums of all profiles: "samples SAMPLES weight NANOSECONDS".
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../unit/mkprofile.h"

#define PERIOD		52631578u	/* 19 Hz */
#define KERNEL		0xffffffff81000000ull
#define MINUTE		(60 * UINT64_C(1000000000))
#define POOL		600u		/* stacks of a service */
#define NR_SERVICES	8u
#define CPUS		4u

static const char *const services[NR_SERVICES] = {
	"web", "search", "cart", "auth", "cache", "batch", "mail", "db",
};

static uint64_t state;

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static uint64_t next(void)
{
	return mix(state++);
}

/* Small numbers are more frequent */
static uint32_t skewed(uint32_t n)
{
	const uint64_t a = next() % n, b = next() % n, c = next() % n;

	return (uint32_t)(a * b / n * c / n);
}

struct host {
	uint32_t number, service;
	uint64_t slide;		/* of its kernel */
	char name[32];
};

static void put_names(struct mk *m, const struct host *h, const bool *functions, const bool *kernel)
{
	char name[64];

	for (uint32_t i = 0; i < 1024; i++)
		if (functions[i]) {
			snprintf(name, sizeof(name), "%s_function_%u", services[h->service], i);
			records_usym(&m->r, 1, 0x1000 + i * 0x100ull, 0x1000 + (i + 1) * 0x100ull, name);
		}
	records_usym(&m->r, 2, 0x2000, 0x2100, "__libc_start_main");
	records_named(&m->r, 1, KFLAME_NAMED_SYMTAB, 0);
	records_named(&m->r, 2, KFLAME_NAMED_DYNSYM, 0);
	for (uint32_t i = 0; i < 256; i++)
		if (kernel[i]) {
			snprintf(name, sizeof(name), i ? "kernel_function_%u" : "tcp_sendmsg", i);
			records_ksym(&m->r, KERNEL + h->slide + i * 0x200, KERNEL + h->slide + (i + 1) * 0x200, name);
		}
}

/* A stack of the service: the same number has the same functions on each host.  Return: its frames */
static uint32_t user_stack(const struct host *h, uint32_t number, uint64_t base, uint64_t libc, uint64_t *ip,
			   bool *functions)
{
	uint64_t s = mix(h->service * 1000003ull + number);
	uint32_t nr = 4 + s % 16, used = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const uint32_t f = (s = mix(s)) % 1024;

		functions[f] = true;
		ip[used++] = base + f * 0x100ull + 0x10 + (s >> 40) % 8;
	}
	ip[used++] = libc + 0x2080;
	return used;
}

static uint32_t kernel_stack(const struct host *h, uint32_t number, uint64_t *ip, bool *kernel)
{
	uint64_t s = mix(77 + number);
	uint32_t nr = 3 + s % 6;

	for (uint32_t i = 0; i < nr; i++) {
		const uint32_t f = number % 7 == 0 && i == 1 ? 0 : (s = mix(s)) % 256;

		kernel[f] = true;
		ip[i] = KERNEL + h->slide + f * 0x200ull + 0x20;
	}
	return nr;
}

static void put_head(struct mk *m, const struct host *h, uint64_t start, const char *id)
{
	struct kflame_rec_session s = {
		.rec.type = KFLAME_REC_SESSION, .abi = KFLAME_ABI, .asked_period_ns = PERIOD, .period_ns = PERIOD,
		.resolution_ns = 1, .start_ns = 1000000000, .start_realtime_ns = start, .nr_cpus = CPUS,
		.page_size = 4096, .kdepth = 127, .udepth = 127, .release = "6.1.0-fleet", .machine = "x86_64",
		.version = "1.0",
	};
	char text[512];
	int len = snprintf(text, sizeof(text),
			   "host=%s%ctool=fleet%ccut-start=%" PRIu64 "%ccut-end=%" PRIu64 "%ccut=%s%clabel.service=%s%clabel.zone=z%u",
			   h->name, 0, 0, start, 0, start + (uint64_t)MINUTE, 0, id, 0, services[h->service], 0, h->number % 3);

	mk_header(m);
	records_add(&m->r, &s, sizeof(s), NULL, 0);
	records_host(&m->r, text, (size_t)len + 1);
}

static void put_files(struct mk *m, const struct host *h, uint64_t base, uint64_t libc)
{
	struct kflame_rec_file f = { .id = 1, .inode = 100 + h->service, .bytes = 1 << 20, .build_id_len = 20 };
	struct kflame_rec_aspace as = {
		.rec.type = KFLAME_REC_ASPACE, .id = 1, .start_time_ns = 1000 + h->number,
		.tgid = 1000 + h->number % 30000, .cgroup_id = 4000 + h->service,
	};
	char path[64];

	strcpy((char *)as.comm, services[h->service]);
	snprintf(path, sizeof(path), "/system.slice/%s.service", services[h->service]);
	records_cgroup(&m->r, as.cgroup_id, path);
	records_add(&m->r, &as, sizeof(as), NULL, 0);
	memset(f.build_id, 0x10 + (int)h->service, sizeof(f.build_id));
	snprintf(path, sizeof(path), "/usr/bin/%s", services[h->service]);
	records_file(&m->r, &f, path);
	f = (struct kflame_rec_file){ .id = 2, .inode = 99, .bytes = 1 << 21, .build_id_len = 20 };
	memset(f.build_id, 0x99, sizeof(f.build_id));
	records_file(&m->r, &f, "/usr/lib/libc.so.6");
	mk_mapping(m, 1, base, base + 0x50000, 1, 0x1000);
	mk_mapping(m, 1, libc, libc + 0x10000, 2, 0);
}

static void put_books(struct mk *m, uint64_t samples, uint64_t weight)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		const uint64_t left = cpu == CPUS - 1 ? samples % CPUS : 0, rest = cpu == CPUS - 1 ? weight % CPUS : 0;

		mk_cpu(m, cpu, samples / CPUS + left, weight / CPUS + rest);
	}
}

static uint64_t all_samples, all_weight;

static void make(struct mk *m, const struct host *h, uint64_t start, uint32_t stacks, const char *id)
{
	const uint64_t base = 0x550000000000ull + (next() % (1 << 20) << 12), libc = 0x7f0000000000ull + (next() % (1 << 20) << 12);
	uint64_t samples = 0, weight = 0, ip[64];
	bool functions[1024] = { false }, kernel[256] = { false }, seen[POOL] = { false };
	struct kflame_rec_count idle = { .context = KFLAME_CTX_IDLE, .comm = "swapper/0" };

	put_head(m, h, start, id);
	put_files(m, h, base, libc);
	for (uint32_t i = 0; i < stacks; i++) {
		const uint32_t number = skewed(POOL);
		struct kflame_rec_count c = {
			.aspace = 1, .ustack = number + 1, .kstack = number % 3 ? 0 : POOL + 1 + number,
			.samples = 1 + next() % 9, .tgid = 1000 + h->number % 30000,
		};

		if (seen[number])
			continue;
		seen[number] = true;
		mk_stack(m, c.ustack, KFLAME_STACK_USER, ip, user_stack(h, number, base, libc, ip, functions));
		if (c.kstack)
			mk_stack(m, c.kstack, KFLAME_STACK_KERNEL, ip, kernel_stack(h, number, ip, kernel));
		c.weight_ns = c.samples * PERIOD;
		strcpy((char *)c.comm, services[h->service]);
		mk_count_rec(m, c);
		samples += c.samples;
		weight += c.weight_ns;
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		idle.comm[8] = (uint8_t)('0' + cpu);
		idle.samples = 900 + next() % 100;
		idle.weight_ns = idle.samples * PERIOD;
		mk_count_rec(m, idle);
		samples += idle.samples;
		weight += idle.weight_ns;
	}
	put_books(m, samples, weight);
	mk_stats(m);
	put_names(m, h, functions, kernel);
	mk_end(m);
	all_samples += samples;
	all_weight += weight;
}

static void write_whole(const char *path, const struct mk *m)
{
	FILE *f = fopen(path, "we");

	if (!f || fwrite(m->r.data, 1, m->r.len, f) != m->r.len || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void put_cut(const char *dir, const struct host *h, uint64_t start, uint32_t stacks)
{
	const time_t at = (time_t)(start / 1000000000);
	struct mk m = { 0 };
	char when[32], id[96], path[512];
	struct tm tm;

	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", gmtime_r(&at, &tm));
	snprintf(id, sizeof(id), "%s-%s-%012" PRIx64, when, h->name, mix(start ^ (uint64_t)h->number << 32) >> 16);
	make(&m, h, start, stacks, id);
	snprintf(path, sizeof(path), "%s/%s/%s.kflame", dir, h->name, id);
	write_whole(path, &m);
	mk_free(&m);
}

int main(int argc, char **argv)
{
	const uint32_t hosts = argc > 2 ? (uint32_t)atoi(argv[2]) : 0, cuts = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
	const uint32_t stacks = argc > 4 ? (uint32_t)atoi(argv[4]) : 100;
	const uint64_t first = argc > 5 ? strtoull(argv[5], NULL, 10) * 1000000000 : 1790000000000000000;
	char path[256];

	if (!hosts || !cuts || stacks > POOL) {
		fprintf(stderr, "usage: fleet DIR HOSTS CUTS [STACKS [FIRST_CUT_SECONDS]]\n");
		return 2;
	}
	for (uint32_t i = 0; i < hosts; i++) {
		struct host h = { .number = i, .service = i % NR_SERVICES, .slide = mix(i) % 512 << 21 };

		state = mix(i + 1);
		snprintf(h.name, sizeof(h.name), "%s%05u", services[h.service], i);
		snprintf(path, sizeof(path), "%s/%s", argv[1], h.name);
		mkdir(path, 0755);
		for (uint32_t k = 0; k < cuts; k++)
			put_cut(argv[1], &h, first + k * MINUTE, stacks);
	}
	printf("samples %" PRIu64 " weight %" PRIu64 "\n", all_samples, all_weight);
	return 0;
}
