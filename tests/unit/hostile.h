/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostile.h - a profile with everything that is hard for a format: names of any bytes, deep stacks,
 * inlined functions, idle CPUs, gaps, late time, processes that map a file at different places
 */
#ifndef KFLAME_HOSTILE_H
#define KFLAME_HOSTILE_H

#include <stdio.h>

#include "mkprofile.h"

#define HOSTILE_DEPTH	1000
#define HOSTILE_CODE	0x100000	/* where the file's functions are, 0x100 bytes each */
#define HOSTILE_KERNEL	0xffffffff81000000

static const char *const hostile_names[] = {
	"main", "</script><script>alert(1)</script>", "a&b<c>\"d'e;f", "l\xc3\xa4nger \xe2\x82\xac \xf0\x9f\x94\xa5",
	"bad\xff\xfeutf8\xc3", "tab\there\nline\rreturn\x01\x1b[31m", "back\\slash\\u0041", "a->b (c)",
	"\xe2\x80\xaeright to left", "-", "100%s%n", " leading and trailing ", "[looks like a note]",
	"name_[k]", "f(int) const+0x12", "(anonymous)",
};

#define NR_HOSTILE	(sizeof(hostile_names) / sizeof(hostile_names[0]))

static inline void hostile_stacks(struct mk *m)
{
	uint64_t deep[HOSTILE_DEPTH];

	for (size_t i = 0; i < HOSTILE_DEPTH; i++)
		deep[i] = 0x500000 + 0x100 * (i % NR_HOSTILE) + 8;
	mk_stack(m, 1, KFLAME_STACK_USER, deep, HOSTILE_DEPTH);
	for (size_t i = 0; i < NR_HOSTILE; i++)
		mk_stack(m, 100 + i, KFLAME_STACK_USER,
			 (uint64_t[]){ 0x500000 + 0x100 * i + 4, 0x500008 }, 2);
	/* The same code, in a process that has it elsewhere */
	mk_stack(m, 2, KFLAME_STACK_USER, (uint64_t[]){ 0x900104, 0x900008 }, 2);
	mk_stack(m, 3, KFLAME_STACK_USER, (uint64_t[]){ 0x500000 + 0x100 * NR_HOSTILE, 0x10 }, 2);
	mk_stack(m, 4, KFLAME_STACK_KERNEL,
		 (uint64_t[]){ HOSTILE_KERNEL + 4, HOSTILE_KERNEL + 0x104, HOSTILE_KERNEL + 0x900 }, 3);
}

static inline void hostile_counts(struct mk *m)
{
	for (uint32_t i = 0; i < NR_HOSTILE; i++) {
		struct kflame_rec_count c = {
			.aspace = 1, .ustack = 100 + i, .kstack = i % 2 ? 4 : 0, .samples = i + 1,
			.weight_ns = 1000003 * (i + 1), .late_ns = i % 3 ? 0 : 17, .tgid = 101, .tid = 101 + i,
		};

		memcpy(c.comm, hostile_names[i], strnlen(hostile_names[i], KFLAME_COMM_LEN - 1));
		mk_count_rec(m, c);
	}
	mk_count(m, 1, 4, 1, 7, 7000001);
	mk_count(m, 2, 0, 2, 11, 11000003);
	mk_count(m, 1, 0, 3, 13, 13000007);
	mk_count(m, 0, 0, 0, 3, 3000009);
	mk_count_rec(m, (struct kflame_rec_count){ .kstack = 4, .context = KFLAME_CTX_SOFTIRQ,
		     .samples = 5, .weight_ns = 5000011, .comm = "Thread 12" });
	mk_count_rec(m, (struct kflame_rec_count){ .context = KFLAME_CTX_IDLE, .samples = 30,
		     .weight_ns = 30000000, .comm = "swapper/0" });
	mk_count_rec(m, (struct kflame_rec_count){ .context = KFLAME_CTX_GAP, .samples = 1,
		     .weight_ns = 900000000, .comm = "swapper/0" });
}

static inline void hostile_names_of(struct mk *m)
{
	static const struct kflame_source_level levels[] = {
		{ .function = 1, .source = 2, .line = 11 }, { .function = 3, .source = 2, .line = 22 },
		{ .source = 2, .line = 33 },
	};
	char *longest = malloc(10001);

	memset(longest, 'n', 10000);
	longest[10000] = 0;
	for (size_t i = 0; i < NR_HOSTILE; i++)
		records_usym(&m->r, 1, HOSTILE_CODE + 0x100 * i, HOSTILE_CODE + 0x100 * (i + 1),
			     i == 1 ? longest : hostile_names[i]);
	free(longest);
	records_named(&m->r, 1, KFLAME_NAMED_SYMTAB, 0);
	records_text(&m->r, 1, "in<line>d\n;");
	records_text(&m->r, 2, "/src/\"a\" b;\xff.c");
	records_text(&m->r, 3, "second");
	records_source(&m->r, 1, HOSTILE_CODE + 4, levels, 3);
	records_ksym(&m->r, HOSTILE_KERNEL, HOSTILE_KERNEL + 0x100, "inner_fn");
	records_ksym(&m->r, HOSTILE_KERNEL + 0x100, HOSTILE_KERNEL + 0x200, "outer_fn [mod]");
	records_source(&m->r, 0, HOSTILE_KERNEL + 4, levels, 2);
	records_cgroup(&m->r, 77, "/system.slice/\"<x>\"");
}

/** hostile_make() - the profile's bytes; mk_free() is the caller's */
static inline void hostile_make(struct mk *m)
{
	struct kflame_rec_aspace second = {
		.rec.type = KFLAME_REC_ASPACE, .id = 2, .tgid = 102, .cgroup_id = 77, .comm = "two",
	};
	struct kflame_rec_file file = {
		.id = 1, .inode = 7, .bytes = 1 << 20, .build_id_len = 4, .build_id = { 0xde, 0xad, 0, 1 },
	};
	static const char host[] = "host=h<&>\"\0command=run;it \xff\0tool=test\0kernel-build-id=abcd";

	mk_header(m);
	mk_session(m);
	records_host(&m->r, host, sizeof(host));
	mk_aspace(m, 1, "one");
	records_add(&m->r, &second, sizeof(second), NULL, 0);
	records_file(&m->r, &file, "/usr/bin/a (b)\"<;\n\xff (deleted)");
	mk_mapping(m, 1, 0x500000, 0x500000 + 0x10000, 1, HOSTILE_CODE);
	mk_mapping(m, 2, 0x900000, 0x900000 + 0x10000, 1, HOSTILE_CODE);
	hostile_stacks(m);
	hostile_counts(m);
	mk_cpu(m, 0, 1000, 1000000000);
	mk_stats(m);
	hostile_names_of(m);
	mk_end(m);
}

#endif
