// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_copies.c - copies of stacks, unwound by a process of its own
 *
 * The copies are of this process's own stack, which is compiled with unwind information and
 * without frame pointers that mean anything; backtrace(3) says what the frames are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dwarf.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "hush.h"
#include "record/copies.h"
#include "record/tally.h"
#include "unwind/dwarf_expression.h"

#ifdef __x86_64__

#define ASPACE		7
#define BYTES		32768
#define WALKED		3	/* frames, where the module has walked */
#define NEVER_INLINE	__attribute__((noinline, noclone, noipa))

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* ------------------------------------------------------------------- a copy */

struct sample {
	struct kflame_rec_ustack rec;
	__u64 data[2 + WALKED + KFLAME_REGS_X86_64 + BYTES / 8];
	void *frames[64];
	int nr_frames;
};

extern void *__libc_stack_end; /* where the kernel began this process's */

/* The stack as raw bytes: what AddressSanitizer put around variables is part of it */
__attribute__((no_sanitize("address")))
static void copy_words(__u64 *to, const __u64 *from, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		((volatile __u64 *)to)[i] = from[i];
}

/* What is left of the stack from @sp on, as far as that is @most bytes */
static uint32_t left(uintptr_t sp, uint32_t most)
{
	uintptr_t bytes = ((uintptr_t)__libc_stack_end - sp) & ~(uintptr_t)7;

	return bytes < most ? (uint32_t)bytes : most;
}

NEVER_INLINE static void capture(struct sample *s, uint32_t most)
{
	/* DWARF numbers of what the C library calls otherwise */
	static const int order[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	ucontext_t now;
	uint32_t bytes;

	memset(&now, 0, sizeof(now));
	s->nr_frames = backtrace(s->frames, 64);
	getcontext(&now);
	bytes = left((uintptr_t)now.uc_mcontext.gregs[REG_RSP], most);
	s->rec = (struct kflame_rec_ustack){
		.rec = { KFLAME_REC_USTACK, (uint32_t)(sizeof(s->rec) + 16 + 17 * 8 + bytes) },
		.aspace = ASPACE, .time_ns = now_ns(), .weight_ns = 1000, .late_ns = 1,
		.tgid = 12, .comm = "deep", .nr_kernel = 2, .nr_regs = KFLAME_REGS_X86_64,
		.flags = KFLAME_COPY_CUT, .copied = bytes,
	};
	s->data[0] = 0xffffffff81000010;
	s->data[1] = 0xffffffff81000020;
	for (int i = 0; i < KFLAME_REGS_X86_64; i++)
		s->data[2 + i] = (__u64)now.uc_mcontext.gregs[order[i]];
	copy_words(s->data + 2 + KFLAME_REGS_X86_64, (void *)now.uc_mcontext.gregs[REG_RSP], bytes / 8);
}

NEVER_INLINE static int deep(struct sample *s, uint32_t bytes, int depth)
{
	volatile char own[100];

	own[0] = (char)depth;
	if (depth)
		deep(s, bytes, depth - 1);
	else
		capture(s, bytes);
	return own[0];
}

/* ------------------------------------------------------------------- a world */

struct world {
	struct profile *profile;
	struct held_files held;
	struct copies *copies;
	struct sample *sample;
};

static void feed(struct profile *p, struct records *r)
{
	assert_false(r->failed);
	assert_int_equal(profile_feed(p, r->data, r->len), 0);
	records_exit(r);
}

static void add_file(struct records *to, uint64_t id, const char *path)
{
	struct kflame_rec_file f = { .id = id };
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	f.inode = st.st_ino;
	f.bytes = (uint64_t)st.st_size;
	f.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	f.dev_major = major(st.st_dev);
	f.dev_minor = minor(st.st_dev);
	records_file(to, &f, path);
}

/* All that is mapped here to be run, as the module would tell it */
static void tell_maps(struct profile *p)
{
	struct kflame_rec_aspace as = { .rec.type = KFLAME_REC_ASPACE, .id = ASPACE, .tgid = 12 };
	FILE *in = fopen("/proc/self/maps", "r");
	struct records to = { 0 };
	uint64_t files = 0;
	char line[512];

	assert_non_null(in);
	records_add(&to, &as, sizeof(as), NULL, 0);
	while (fgets(line, sizeof(line), in)) {
		struct kflame_rec_mapping m = { .rec.type = KFLAME_REC_MAPPING, .aspace = ASPACE };
		unsigned long start, end, offset;
		char run, path[256];

		if (sscanf(line, "%lx-%lx %*c%*c%c%*c %lx %*s %*s %255s", &start, &end, &run, &offset,
			   path) != 5 || run != 'x' || path[0] != '/')
			continue;
		m.start = start;
		m.end = end;
		m.offset = offset;
		m.file = ++files;
		add_file(&to, files, path);
		records_add(&to, &m, sizeof(m), NULL, 0);
	}
	fclose(in);
	feed(p, &to);
}

static void begin(struct world *w, bool with_maps)
{
	struct kflame_file_header head = {
		.magic = KFLAME_FILE_MAGIC, .version = KFLAME_FILE_VERSION,
		.endian = KFLAME_FILE_ENDIAN, .header_size = sizeof(head),
	};

	memset(w, 0, sizeof(*w));
	w->profile = profile_create();
	assert_non_null(w->profile);
	assert_int_equal(profile_feed(w->profile, &head, sizeof(head)), 0);
	assert_true(profile_between(w->profile));
	w->copies = copies_create(w->profile, &w->held);
	assert_non_null(w->copies);
	held_files_start(&w->held, -1, true, NULL, NULL);
	if (with_maps)
		tell_maps(w->profile);
	held_files_update(&w->held, w->profile);
	w->sample = calloc(1, sizeof(*w->sample));
	assert_non_null(w->sample);
	deep(w->sample, BYTES, 12);
	assert_true(copy_is_sane(&w->sample->rec));
}

/* All is unwound, and in the profile */
static void finish(struct world *w)
{
	struct records records = { 0 };

	held_files_finish(&w->held);
	copies_finish(w->copies, NULL);
	copies_tell(w->copies, &records);
	feed(w->profile, &records);
}

static void end(struct world *w)
{
	copies_destroy(w->copies);
	held_files_exit(&w->held);
	profile_destroy(w->profile);
	free(w->sample);
}

/* The only user stack of the profile that ended so */
static const struct profile_stack *user_stack(const struct world *w, uint32_t why)
{
	const struct profile_stack *found = NULL;

	for (size_t i = 0; i < w->profile->nr_stacks; i++) {
		const struct profile_stack *s = &w->profile->stacks[i];

		if (s->kind != KFLAME_STACK_USER || (s->end & KFLAME_END_MASK) != why)
			continue;
		assert_null(found);
		/* What the module walked, and only that, says so */
		assert_true(s->end & (why == KFLAME_END_PENDING ? KFLAME_BY_FP : KFLAME_BY_COPY));
		assert_int_equal(s->candidate, KFLAME_NO_CANDIDATE);
		found = s;
	}
	return found;
}

/* Return: how many frames are one further, as what a signal interrupted is */
static unsigned int is_whole(const struct world *w, const struct profile_stack *s)
{
	unsigned int further = 0;

	assert_non_null(s);
	/* All but the innermost one, which went on from backtrace() to getcontext() */
	for (uint32_t i = 1; i < s->nr; i++) {
		uint64_t more = profile_stack_ip(s, s->nr - i) -
				(uintptr_t)w->sample->frames[w->sample->nr_frames - (int)i];

		assert_in_range(more, 0, 1);
		further += (unsigned int)more;
	}
	assert_in_range(s->nr, 13, (unsigned int)w->sample->nr_frames);
	return further;
}

/* -------------------------------------------------------------------- tests */

static void whole(void **state)
{
	struct world w;
	(void)state;

	begin(&w, true);
	for (int i = 0; i < 200; i++)
		copies_take(w.copies, &w.sample->rec);
	finish(&w);
	assert_int_equal(is_whole(&w, user_stack(&w, KFLAME_END_COMPLETE)), 0);
	assert_int_equal(w.profile->nr_counts, 1);
	assert_int_equal(w.profile->nr_stacks, 2);
	assert_int_equal(w.profile->samples, 200);
	assert_int_equal(w.profile->weight_ns, 200000);
	assert_int_equal(w.profile->late_ns, 200);
	assert_int_equal(w.profile->stacks[w.profile->counts[0].kstack].nr, 2);
	assert_int_equal(w.profile->damaged + w.profile->lost_stacks, 0);
	assert_int_equal(copies_sums(w.copies)->unwound, 200);
	assert_int_equal(copies_sums(w.copies)->deaths, 0);
	end(&w);
}

static struct sample *for_handler;

static void handler(int signal)
{
	(void)signal;
	deep(for_handler, BYTES, 12);
}

static void through_a_signal(void **state)
{
	struct world w;
	(void)state;

	begin(&w, true);
	for_handler = w.sample;
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
	copies_take(w.copies, &w.sample->rec);
	finish(&w);
	/* What it interrupted, and what the handler returns to */
	assert_int_equal(is_whole(&w, user_stack(&w, KFLAME_END_COMPLETE)), 2);
	assert_in_range(user_stack(&w, KFLAME_END_COMPLETE)->nr, 18, 64);
	end(&w);
}

static void cut_short(void **state)
{
	const struct profile_stack *s;
	struct world w;
	(void)state;

	begin(&w, true);
	deep(w.sample, 1024, 12);
	copies_take(w.copies, &w.sample->rec);
	finish(&w);
	s = user_stack(&w, KFLAME_END_CUT);
	assert_non_null(s);
	assert_in_range(s->nr, 1, (unsigned int)w.sample->nr_frames - 1);
	assert_int_equal(copies_sums(w.copies)->cut, 1);
	end(&w);
}

static void maps_come_later(void **state)
{
	struct world w;
	(void)state;

	begin(&w, false);
	for (int i = 0; i < 3; i++)
		copies_take(w.copies, &w.sample->rec);
	assert_int_equal(copies_pump(w.copies, NULL) / 1000000, 20);
	assert_int_equal(copies_sums(w.copies)->waited, 3);
	tell_maps(w.profile);
	held_files_update(&w.held, w.profile);
	while (copies_pump(w.copies, NULL) != UINT64_MAX)
		usleep(1000);
	finish(&w);
	assert_int_equal(is_whole(&w, user_stack(&w, KFLAME_END_COMPLETE)), 0);
	assert_int_equal(w.profile->samples, 3);
	assert_int_equal(copies_sums(w.copies)->unknown, 0);
	end(&w);
}

static void maps_never_come(void **state)
{
	struct world w;
	(void)state;

	begin(&w, false);
	w.sample->rec.time_ns -= 6000000000;
	copies_take(w.copies, &w.sample->rec);
	assert_int_equal(copies_sums(w.copies)->waited, 0);
	finish(&w);
	assert_int_equal(user_stack(&w, KFLAME_END_NO_MAP)->nr, 1);
	end(&w);
}

/* The module walked it, too: three frames */
static void add_walked(struct sample *s, uint32_t how)
{
	uint32_t words = s->rec.nr_regs + s->rec.copied / 8;

	memmove(s->data + 2 + WALKED, s->data + 2, words * sizeof(s->data[0]));
	for (uint64_t i = 0; i < WALKED; i++)
		s->data[2 + i] = 0x401000 + i;
	s->rec.nr_user = WALKED;
	s->rec.uend = how;
	s->rec.rec.size += WALKED * sizeof(s->data[0]);
}

static void what_was_walked_is_better_than_nothing(void **state)
{
	const struct profile_stack *s;
	struct world w;
	(void)state;

	begin(&w, false);
	add_walked(w.sample, KFLAME_END_PENDING | KFLAME_BY_FP);
	w.sample->rec.time_ns -= 6000000000;
	copies_take(w.copies, &w.sample->rec);
	finish(&w);
	s = user_stack(&w, KFLAME_END_PENDING);
	assert_non_null(s);
	assert_int_equal(s->nr, WALKED);
	assert_int_equal(w.profile->samples, 1);
	assert_int_equal(copies_sums(w.copies)->as_walked, 1);
	end(&w);
}

static void what_was_walked_is_worse_than_a_whole_stack(void **state)
{
	struct world w;
	(void)state;

	begin(&w, true);
	add_walked(w.sample, KFLAME_END_PENDING | KFLAME_BY_FP);
	copies_take(w.copies, &w.sample->rec);
	finish(&w);
	assert_int_equal(is_whole(&w, user_stack(&w, KFLAME_END_COMPLETE)), 0);
	assert_null(user_stack(&w, KFLAME_END_PENDING));
	end(&w);
}

static void counted_already(void **state)
{
	struct world w;
	(void)state;

	begin(&w, true);
	w.sample->rec.flags |= KFLAME_COPY_COUNTED;
	copies_take(w.copies, &w.sample->rec);
	finish(&w);
	assert_int_equal(w.profile->samples, 0);
	end(&w);
}

/* It has @n copies and has answered none, when it is killed */
static void kill_with(struct world *w, int n)
{
	pid_t pid = copies_pid(w->copies);

	if (pid)
		kill(pid, SIGSTOP);
	for (int i = 0; i < n; i++)
		copies_take(w->copies, &w->sample->rec);
	if (pid)
		kill(pid, SIGKILL);
}

static void killed(void **state)
{
	const struct profile_stack *s;
	struct world w;
	int saved;
	(void)state;

	begin(&w, true);
	/* Until what is mapped is settled, copies only wait */
	while (copies_take(w.copies, &w.sample->rec), copies_pump(w.copies, NULL) != UINT64_MAX)
		usleep(1000);
	copies_finish(w.copies, NULL);
	saved = hush();
	kill_with(&w, 5);
	copies_take(w.copies, &w.sample->rec);
	finish(&w);
	unhush(saved);
	s = user_stack(&w, KFLAME_END_UNWINDER);
	assert_non_null(s);
	assert_int_equal(s->nr, 1);
	assert_int_equal(is_whole(&w, user_stack(&w, KFLAME_END_COMPLETE)), 0);
	assert_in_range(copies_sums(w.copies)->given_up, 5, 6);
	assert_int_equal(copies_sums(w.copies)->deaths, 1);
	assert_int_equal(copies_sums(w.copies)->given_up + copies_sums(w.copies)->unwound,
			 w.profile->samples);
	end(&w);
}

static void killed_too_often(void **state)
{
	int saved = hush();
	struct world w;
	(void)state;

	begin(&w, true);
	for (int i = 0; i < 12; i++) {
		copies_finish(w.copies, NULL);
		kill_with(&w, 2);
	}
	finish(&w);
	unhush(saved);
	assert_int_equal(w.profile->samples, 24);
	assert_int_equal(copies_sums(w.copies)->given_up, 24);
	assert_int_equal(copies_sums(w.copies)->deaths, 8);
	assert_int_equal(copies_pid(w.copies), 0);
	end(&w);
}

/* The unwinder has answered, so it has given up what it gives up */
static void confined(void **state)
{
	char path[64], line[128];
	struct world w;
	int found = 0, wanted = geteuid() ? 5 : 6;
	FILE *in;
	(void)state;

	begin(&w, true);
	copies_take(w.copies, &w.sample->rec);
	copies_finish(w.copies, NULL);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)copies_pid(w.copies));
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		/* Without this line the kernel has no filters */
		wanted += !strncmp(line, "Seccomp:", 8);
		found += !strcmp(line, "Seccomp:\t2\n") || !strcmp(line, "NoNewPrivs:\t1\n");
		found += !strncmp(line, "Cap", 3) && strstr(line, ":\t0000000000000000\n");
		found -= !strncmp(line, "Uid:\t0\t", 7);
	}
	fclose(in);
	/* Five sets of capabilities; only root can empty the bounding set */
	assert_in_range(found, wanted, 7);
	end(&w);
}

static void nonsense(void **state)
{
	struct world w;
	struct kflame_rec_ustack *rec;
	(void)state;

	begin(&w, true);
	rec = &w.sample->rec;
	rec->nr_kernel = UINT32_MAX;
	assert_false(copy_is_sane(rec));
	rec->nr_kernel = 2;
	rec->nr_regs = 16;
	assert_false(copy_is_sane(rec));
	rec->nr_regs = 17;
	rec->copied = KFLAME_DUMP_MAX + 8;
	assert_false(copy_is_sane(rec));
	rec->copied = rec->rec.size - (uint32_t)sizeof(*rec) - 19 * 8;
	/* A stack of nothing but the same word, and registers that lead nowhere */
	for (size_t i = 0; i < 2 + KFLAME_REGS_X86_64 + rec->copied / 8; i++)
		w.sample->data[i] = 0x4141414141414141;
	copies_take(w.copies, rec);
	finish(&w);
	assert_int_equal(user_stack(&w, KFLAME_END_NO_MAP)->nr, 1);
	end(&w);
}

/* Random words in place of the stack and of registers: any end, no death */
static void random_words(void **state)
{
	struct world w;
	(void)state;

	begin(&w, true);
	srand(5);
	for (int i = 0; i < 300; i++) {
		deep(w.sample, BYTES, 12);
		for (int k = 0; k < 40; k++)
			w.sample->data[2 + rand() % (16 + 512)] =
				rand() % 2 ? (__u64)rand() << 32 | (__u64)rand()
					   : w.sample->data[2 + rand() % (17 + 512)];
		copies_take(w.copies, &w.sample->rec);
	}
	finish(&w);
	assert_int_equal(w.profile->samples, 300);
	assert_int_equal(copies_sums(w.copies)->deaths, 0);
	end(&w);
}

#endif

/* --------------------------------------------------------------- expressions */

static bool no_memory(void *ctx, uint64_t at, void *to, size_t len)
{
	(void)ctx;
	if (at != 0x1000)
		return false;
	memset(to, 0x11, len);
	return true;
}

static bool run_ops(const Dwarf_Op *ops, size_t nr, uint64_t *value)
{
	static const struct registers regs = {
		.value = { [7] = 0x1000, [16] = 0x40101c }, .known = 1 << 7 | 1 << 16,
	};
	const struct machine m = {
		.regs = &regs, .read = no_memory, .cfa = 0x2000, .has_cfa = true,
	};
	bool is_value;

	return expression_run(&m, ops, nr, value, &is_value);
}

#define OPS(...)	((const Dwarf_Op[]){ __VA_ARGS__ }), \
			sizeof((const Dwarf_Op[]){ __VA_ARGS__ }) / sizeof(Dwarf_Op)

static void expressions(void **state)
{
	uint64_t v;
	(void)state;

	/* What a linker says of its PLT: 8 more behind the push */
	assert_true(run_ops(OPS({ DW_OP_breg7, 8, 0, 0 }, { DW_OP_breg16, 0, 0, 2 },
		{ DW_OP_lit15, 0, 0, 4 }, { DW_OP_and, 0, 0, 5 }, { DW_OP_lit11, 0, 0, 6 },
		{ DW_OP_ge, 0, 0, 7 }, { DW_OP_lit3, 0, 0, 8 }, { DW_OP_shl, 0, 0, 9 },
		{ DW_OP_plus, 0, 0, 10 }), &v));
	assert_int_equal(v, 0x1010);
	assert_true(run_ops(OPS({ DW_OP_call_frame_cfa, 0, 0, 0 },
		{ DW_OP_plus_uconst, (Dwarf_Word)-8, 0, 1 }), &v));
	assert_int_equal(v, 0x1ff8);
	assert_true(run_ops(OPS({ DW_OP_breg7, 0, 0, 0 }, { DW_OP_deref, 0, 0, 2 }), &v));
	assert_int_equal(v, 0x1111111111111111);
	/* Not known, not there, nothing on the stack, no quotient, and no end */
	assert_false(run_ops(OPS({ DW_OP_breg3, 0, 0, 0 }), &v));
	assert_false(run_ops(OPS({ DW_OP_lit1, 0, 0, 0 }, { DW_OP_deref, 0, 0, 1 }), &v));
	assert_false(run_ops(OPS({ DW_OP_plus, 0, 0, 0 }), &v));
	assert_false(run_ops(OPS({ DW_OP_lit1, 0, 0, 0 }, { DW_OP_lit0, 0, 0, 1 },
		{ DW_OP_div, 0, 0, 2 }), &v));
	assert_false(run_ops(OPS({ DW_OP_skip, (Dwarf_Word)-3, 0, 0 }), &v));
	assert_false(run_ops(OPS({ DW_OP_skip, 1, 0, 0 }, { DW_OP_const8u, 1, 0, 3 }), &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(whole),
		cmocka_unit_test(through_a_signal),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(maps_come_later),
		cmocka_unit_test(maps_never_come),
		cmocka_unit_test(what_was_walked_is_better_than_nothing),
		cmocka_unit_test(what_was_walked_is_worse_than_a_whole_stack),
		cmocka_unit_test(counted_already),
		cmocka_unit_test(killed),
		cmocka_unit_test(killed_too_often),
		cmocka_unit_test(confined),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(random_words),
#endif
		cmocka_unit_test(expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
