// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_perf_script.c - reading what perf script prints
 *
 * The texts have the shapes that perf prints with several options and of several versions.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/perf_script_read.h"
#include "hush.h"
#include "stacks/folded.h"

static struct place leaf;	/* of the sample that was read last */
static uint32_t last_tgid, last_tid;
static int deepest;
static enum folded_suffixes suffixes = FOLDED_KERNEL;

static int take(void *tree, const struct sample *s)
{
	leaf = s->places[s->nr - 1];
	leaf.path = NULL;		/* gone when we return */
	last_tgid = s->tgid;
	last_tid = s->tid;
	if ((int)s->nr > deepest)
		deepest = (int)s->nr;
	assert_true(s->nr >= 1);
	for (size_t i = 0; i < s->nr; i++)
		assert_true(s->frames[i].name && *s->frames[i].name);
	return folded_add(tree, suffixes, s->frames, s->nr, s->samples, s->ns);
}

static char leaf_file[64];	/* of the sample that take_kinds() got last */

static int take_kinds(void *ctx, const struct sample *s)
{
	const char *file = s->frames[s->nr - 1].file;

	(void)ctx;
	snprintf(leaf_file, sizeof(leaf_file), "%s", file ? file : "");
	return 0;
}

static int read_bytes(const char *bytes, size_t len, const char *event, char **folded,
		      struct perf_script_result *r, enum tree_unit unit)
{
	/* A copy of just that size: a read past its end is found */
	char *copy = malloc(len ? len : 1);
	struct tree *t = tree_create();
	FILE *in, *out;
	size_t size;
	int err, saved;

	memcpy(copy, bytes, len);
	in = fmemopen(copy, len ? len : 1, "r");
	assert_non_null(in);
	if (!len)
		getc(in);
	saved = hush();
	err = perf_script_read(in, "test", event, take, t, r);
	unhush(saved);
	out = open_memstream(folded, &size);
	assert_int_equal(folded_write(out, t, unit), 0);
	assert_int_equal(fclose(out), 0);
	fclose(in);
	free(copy);
	tree_destroy(t);
	return err;
}

static void assert_read(const char *text, const char *want)
{
	struct perf_script_result r;
	char *folded;

	assert_int_equal(read_bytes(text, strlen(text), NULL, &folded, &r, TREE_SAMPLES), 0);
	assert_string_equal(folded, want);
	assert_int_equal(r.bad, 0);
	free(folded);
}

static void what_perf_prints(void **state)
{
	(void)state;
	/* perf script of today, after its header */
	assert_read("# ========\n# captured on    : Mon\n#\n"
		    "prog 24636/25607 [001]  4794564.109216:    1003009 cpu-clock:pppH: \n"
		    "\tffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])\n"
		    "\t            7d8 ext4_write+0x18 ([ext4])\n"
		    "\t          401136 inner (inlined)\n"
		    "\t          401136 outer+0x20 (/usr/bin/my prog (deleted))\n"
		    "\t    7f6d2148eb25 __libc_start_main+0xd5 (/lib64/libc-2.33.so)\n"
		    "\n",
		    "prog;__libc_start_main;outer;inner;ext4_write_[k];native_safe_halt_[k] 1\n");
	assert_int_equal(last_tgid, 24636);
	assert_int_equal(last_tid, 25607);
	assert_true(leaf.address == 0xffffffff8103ce3b && leaf.start == 0xffffffff8103ce30);
	/* Without a period, a thread only; without an offset and without an empty line at the end */
	assert_read("V8 WorkerThread 25607 4794564.109216: cycles:\n 4005d0 main (/bin/a)\n",
		    "V8 WorkerThread;main 1\n");
	/* No time and no CPU; as pasted into a mail */
	assert_read("java 19983 cycles:\nffffffff8103d0ca write_msr ([kernel.kallsyms])\n"
		    "8c3453 tcp_sendmsg (/lib/modules/4.3.0/build/vmlinux)\n\n",
		    "java;tcp_sendmsg_[k];write_msr_[k] 1\n");
	/* Without stacks: one line a sample, threads in a column */
	assert_read("            perf 12345 [001] 12.345678:     250000 cycles:  ffffffff81 do_it+0x1 ([kernel.kallsyms])\n"
		    "         swapper     0 [000] 12.345679:     250000 cycles:  7f00 [unknown] (/lib/libx.so)\n"
		    "             :-1    -1 [000] 12.345680:          1 cycles:  10 [unknown] ([unknown])\n",
		    ":-1;[unknown] 1\nperf;do_it_[k] 1\nswapper;[libx.so] 1\n");
	/* Names with digits, blanks, brackets */
	assert_read("Thread 12 345/346 [000] 1.5: 7 cycles:\n\t10 operator()(int) (b) (/a (x) b)\n"
		    "\t20 a::b<(c)1>::d() const+0x1 (/z)\n\n",
		    "Thread 12;a::b<(c)1>::d() const;operator()(int) (b) 1\n");
	/* A tracepoint: values after the event, which are no frame */
	assert_read("bash 1 [000] 1.0: sched:sched_switch: prev_comm=bash prev_pid=1 (x)\n"
		    "\tffffffff8103ce3b __schedule ([kernel.kallsyms])\n\n", "bash;__schedule_[k] 1\n");
	/* -F +srcline */
	assert_read("a.out 35081 252436.005167:     667783 cycles:\n"
		    "\t408ebb some_name+0x8b (/full/a.out)\n  uniform_int_dist.h:300\n"
		    "\t7f6d2148eb25 start+0xd5 (/lib64/libc.so)\n  libc.so[27b25]\n\n",
		    "a.out;start;some_name 1\n");
	/* A JIT compiler's; the vdso is no part of the kernel; no stack at all */
	assert_read("node 9 1.0: 1 cycles:\n 13a80b608e0a RegExp:[&<>\\\"\\'] (/tmp/perf-7539.map)\n"
		    " 10 clock ([vdso])\n\nnode 9 1.0: 1 cycles:\n\n",
		    "node 1\nnode;clock;RegExp:[&<>\\\"\\'] 1\n");
	/* A name that could be an address, where the lines have threads only */
	assert_read("              dd 14318 [001] 66030.743043: raw_syscalls:sys_enter: NR 0 (3, 7ff, 200)\n"
		    "              dd 14318 [001] 66030.743044: raw_syscalls:sys_enter: NR 1 (1)\n"
		    "            fade 14319 [001] 66030.743045: raw_syscalls:sys_enter: NR 0 (3)\n",
		    "dd 2\nfade 1\n");
	/* -F +misc: which mode it was in */
	assert_read("dd 14495 K     66032.252558:     250000 cycles: \n\t10 f (/a)\n\n"
		    "dd 14495/14496 [001] UHg 66032.252559:     250000 cycles: \n\t10 f (/a)\n\n",
		    "dd;f 2\n");
	assert_int_equal(last_tgid, 14495);
	assert_int_equal(last_tid, 14496);
	/* -F +addr, perf mem: what was accessed is no frame where there are some */
	assert_read("foo 7 1.0: 5 cpu/mem-loads/: 7faad6647e7a |OP LOAD|LVL L1 hit|SNP None\n"
		    "\t10 f (/a)\n\t20 g (/a)\n\n"
		    "foo 7 1.1: 1 cpu/mem-loads/: 7faad6647e7a malloc+0x1 (/lib/libc.so)\n\t10 f (/a)\n\n",
		    "foo;f 1\nfoo;g;f 1\n");
	/* Lines end as on Windows */
	assert_read("a 1 1.0: 1 c:\r\n\t10 f (/a)\r\n\r\n", "a;f 1\n");
}

/* Each header has the fields of other options, or of another version of perf */
static void fields_of_a_header(void **state)
{
	static const char *const headers[] = {
		"prog 1/2 [001]  4794564.109216:    1003009 raw 0x1a8: ",
		"prog 1/2 [001]  4794564.109216:    1003009 raw 0x1a8:u: ",
		"prog 1/2 [001]  4794564.109216:    1003009 cpu/event=0x3c,umask=0x1/Pu: ",
		"prog 1/2 [001]  4794564.109216:          1 mem:0x4005d0/4:rw: ",
		"prog 1/2 [001] 2021-02-25 10:23:12.123456  4794564.109216:    1003009 cycles: ",
		"prog 1/2 2021-02-25 10:23:12.123456    1003009 cycles: ",
		"prog 1/2 [-01]  4794564.109216:    1003009 cycles: ",
		"prog 1/2 [001]  4794564.109216:",
		"prog 1/2 [001]  4794564.109216:    1003009",
		"prog 1/2   [001] ",
		"prog 1/2 ",
		"prog       2",
		"prog       2 [001]  4794564.109216: bpf_trace:bpf_trace_printk: x 1 [001] 1.0: 5 cycles: 1 f (/x)",
		"prog       2 [001]  4794564.109216: my:event: ffff888100000000 freed (ok)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "%s\n\t401136 main+0x20 (/usr/bin/x)\n\n", headers[i]);
		assert_read(text, "prog;main 1\n");
		assert_int_equal(last_tid, 2);
	}
	/* Without event, and without stacks */
	assert_read("prog 1/2 [001] 1.0:           401136 main+0x2 (/x)\n", "prog;main 1\n");
	assert_read("prog 1/2 [001] 1.0:  ffffffff81001136 main+0x2 ([kernel.kallsyms])\n", "prog;main_[k] 1\n");
	assert_read("prog 1/2 [001] 1.0:    1003009           401136 main+0x2 (/x)\n", "prog;main 1\n");
	/* Without time, threads in a column; without event, too */
	assert_read("            prog     2 cpu-clock:u:            401136 main+0x2\n"
		    "            prog     2 cpu-clock:u:            401140 f+0x2\n", "prog;f 1\nprog;main 1\n");
	assert_read("            prog     2           401136 main\n"
		    "            prog     2           401140 f\n", "prog;f 1\nprog;main 1\n");
	assert_read("            prog     2           401136 main\n"
		    "            prog     2 PERF_RECORD_EXIT(2:2):(1:1)\n", "prog;main 1\n");
	assert_read("            prog     2 1.0:           401136\n"
		    "            prog     2 1.0:     7f3881930886\n", "prog;[unknown] 2\n");
	assert_read("prog 2 PERF_RECORD_COMM: prog:2/2\nprog 2 \n\t          401136 main\n\n", "prog;main 1\n");
}

/* A name may contain everything else that a header has */
static void names_of_threads(void **state)
{
	static const char *const names[] = {
		"12", "1 2 3", "a:b", "a: b", "foo: 1 bar:", "x 1 y:", "a 1 [2]", "12 34/5", ":-1", "[foo]",
		"(sd-pam)", "#foo", "# x", "# : 1 y", "#", "-L", "-L 5", "--", "e=>f", "0x12", "insn: 4", "ABI:2", "|x", "|1", "...", "PERF_RECORD_X",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char text[256], want[64];

		snprintf(text, sizeof(text), "%s 7/8 [001] 1.0:   5 cpu-clock:u: \n\t401136 f+0x20 (/x)\n\n"
			 "%s 7/8 [001] 1.0:   5 cpu-clock:u:            401136 f+0x20 (/x)\n",
			 names[i], names[i]);
		/* Folded stacks have '_' where a name would make the line a comment */
		snprintf(want, sizeof(want), "%s;f 2\n", names[i]);
		if (folded_is_remark(names[i], strlen(names[i])))
			want[0] = '_';
		assert_read(text, want);
		assert_int_equal(last_tgid, 7);
	}
}

/* What perf itself writes as comments, and what its command line may hold */
static void comments(void **state)
{
	static const char *const lines[] = {
		"# captured on    : Mon Sep  1 12:00:00 2025", "# header version : 1", "# hostname : box 1 2.0: c:",
		"# os release : 6.1.0-18-amd64", "# nrcpus online : 2", "# cpudesc : Xeon(R) CPU @ 2.20GHz",
		"# total memory : 16384 kB", "# cmdline : /usr/bin/perf record -F 99 -e cycles:u -p 123 ",
		"# event : name = cycles:u, , id = { 1, 2 }, type = 0, size = 136, sample_freq = 99",
		"# time of first sample : 1234.567890", "# sample duration : 1234.567 ms",
		"# CPU_TOPOLOGY info available, use -I to display", "# missing features: TRACING_DATA 7/8 ", "#", "# ",
	};
	(void)state;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s\na 1 1.0: 1 c:\n\t401136 f (/x)\n\n", lines[i]);
		assert_read(text, "a;f 1\n");
	}
}

static void assert_frame(const char *frame, const char *want)
{
	char text[512], folded[512];

	snprintf(text, sizeof(text), "a 1 1.0: 1 c:\n\t%s\n\n", frame);
	snprintf(folded, sizeof(folded), "a;%s 1\n", want);
	suffixes = FOLDED_KINDS;
	assert_read(text, folded);
	suffixes = FOLDED_KERNEL;
}

static void kinds_of_frames(void **state)
{
	(void)state;
	/* A frame without a symbol keeps the kind of its file */
	assert_frame("ffffffff8103ce3b [unknown] ([kernel.kallsyms])", "[kernel.kallsyms]_[k]");
	assert_frame("ffffffffc003ce3b [unknown] ([xfs])", "[xfs]_[k]");
	assert_frame("ffffffff8103ce3b [kernel 0xffffffff8103ce3b] ([kernel.kallsyms])",
		     "[kernel 0xffffffff8103ce3b]_[k]");
	assert_frame("7f0012345678 [unknown] (/tmp/perf-123.map)", "[perf-123.map]_[j]");
	assert_frame("7f0012345678 [unknown] (/lib/libc.so.6)", "[libc.so.6]");
	assert_frame("ffffffff8103ce3b [unknown] ([unknown])", "[unknown]");
	assert_frame("7f0012345678 [unknown] (//anon)", "[anon]");
	assert_frame("ffffffff8103ce3b halt (inlined)", "halt_[k]");
	/* Modules and kernels by their paths; a program with a name like the kernel's */
	assert_frame("bf003ce3 read (/lib/modules/6.1.0/kernel/fs/xfs/xfs.ko.xz)", "read_[k]");
	assert_frame("bf003ce3 read (/lib/modules/6.1.0/kernel/fs/xfs/xfs.ko)", "read_[k]");
	assert_frame("c003ce3b f (/usr/lib/debug/boot/vmlinux-6.1.0)", "f_[k]");
	assert_frame("c003ce3b f (/usr/lib/debug/boot/vmlinux.debug)", "f_[k]");
	assert_frame("7f0000001234 f (/usr/bin/vmlinux-to-elf)", "f");
	/* What the kernel maps for programs of 32 bits */
	assert_frame("f7f12345 f ([vdso32])", "f");
	assert_frame("f7f12345 f ([vvar_vclock])", "f");
	assert_frame("f7f12345 f ([bpf])", "f_[k]");
}

/* A symbol has blanks and brackets; after the file, some options print more */
static void symbols_and_files(void **state)
{
	(void)state;
	assert_frame("7f0012345678 std::function<void (int)>::operator()(int)",
		     "std::function<void (int)>::operator()(int)");
	assert_frame("7f0012345678 (anonymous namespace)::f(int)", "(anonymous namespace)::f(int)");
	assert_frame("7f0012345678 <(A, B) as core::fmt::Debug>::fmt+0x1 (/x)", "<(A, B) as core::fmt::Debug>::fmt");
	assert_frame("7f0012345678 f(int) const+0x1 (/a (1)/b(c)", "f(int) const");
	assert_frame("401136 f+0x1 (/x) ", "f");
	assert_frame("401136 f+0x1 (/x) ilen: 3 insn: 48 89", "f");
	assert_frame("401136", "[unknown]");
	assert_frame("401136 -[Calc add:with:", "-[Calc add:with:");
	assert_read("a 1 1.0: 1 c:\n                  401136\n                  401140\n\n", "a;[unknown];[unknown] 1\n");
	assert_frame("7f0012345678 [unknown] (/lib/libc.so.6+0x1234)", "[libc.so.6]");
	assert_frame("7f0012345678 f+0x1 (/tmp/jitted-123-5.so (deleted)+0x90)", "f_[j]");
}

/* What perf prints on the first line before and after the address */
static void frames_on_the_first_line(void **state)
{
	static const char *const texts[] = {
		"           401136 main+0x2 (/x) ilen: 3 insn: 48 89",
		"           401136 main+0x2 (/x) 0x401136/0x401120/P/-/-/0  0x401136/0x401120/P/-/-/0",
		"           401136 main+0x2 (/x)                0",
		"     7faad6647e7a malloc+0x1 (/lib/c)           401136 main+0x2 (/x)",
		"     7faad6647e7a         68100142 |OP LOAD|LVL L1 hit|LCK No                 7           401136 main+0x2 (/x)",
		"                7           401136 main+0x2 (/x)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "prog 1 [001] 1.0: 5 cycles: %s\n", texts[i]);
		assert_read(text, "prog;main 1\n");
	}
}

/* perf prints source lines, registers, instructions and branches after the stack */
static void lines_after_a_stack(void **state)
{
	static const char *const lines[] = {
		" ABI:2    AX:0xffffffffffffffda    BX:0x7f",
		" ilen: 3 insn: 48 89 e7",
		" insn: 48 89 e7",
		" 0x401136/0x401120/P/-/-/0  0x401136/0x401120/M/-/-/12",
		" main+0x0/f+0x3/P/-/-/0  f+0x1/main+0x3/P/X/A/0",
		" =>           401120 f+0x0 (/x)",
		"               0",
		" \t IPC: 0.50 (10/20)",
		"|12       int x = 3;",
		"\tmain:\n\t0000000000401130\tinsn: 55\n\t0000000000401131\tinsn: e8 48 \t# PRED 3 cycles [3]",
		"\n\tmain+0x1:\n\t0000000000401131\tmov %rax, (%rdi)\n\t... not cached ...\n\tf:\tfoo.c:12",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		static const char head[] = "prog 1 [001] 1.0: 5 cycles:\n\t401136 f (/x)\n";
		char text[256];

		snprintf(text, sizeof(text), "%s%s\n\n%s\n", head, lines[i], head);
		assert_read(text, "prog;f 2\n");
	}
	suffixes = FOLDED_KINDS;
	assert_read("prog 1 [001] 1.0: 5 cycles:\n\t401136 h\n  file.c:12 (inlined)\n"
		    "\t401136 g (inlined)\n  /a b/file.c:14 (discriminator 3)\n\t401136 f (/x)\n  ??:0\n\n",
		    "prog;f;g_[i];h_[i] 1\n");
	suffixes = FOLDED_KERNEL;
}

/* Where a file's name is in brackets, the address says whether it is the kernel's */
static void brackets_are_no_kernel(void **state)
{
	(void)state;
	assert_read("w 4711/4712 [002] 100.000001:     250000 cpu-clock:\n"
		    "\tffffffff81a00010 schedule ([kernel.kallsyms])\n"
		    "\tffffffffc0a00010 hook ([my_module])\n"
		    "\t    7f0000001234 read (/lib/libc.so)\n"
		    "\t    7f0000002234 gc ([shmem])\n"
		    "\t        50001000 Lcom.acme.Calc.sum ([JIT app cache])\n"
		    "\tffffffffff600000 time ([vsyscall])\n"
		    "\t        50001400 [unknown] ([anon:heap:main])\n\n",
		    "w;[anon:heap:main];time;Lcom.acme.Calc.sum;gc;read;hook_[k];schedule_[k] 1\n");
}

static void kind_of_leaf(const char *file, const char *want)
{
	struct tree *t = tree_create();
	struct perf_script_result r;
	char text[256];
	FILE *in;

	snprintf(text, sizeof(text), "a 1 1.0: 1 c:\n\t7f0000001234 f (%s)\n\n", file);
	in = fmemopen(text, strlen(text), "r");
	assert_non_null(in);
	assert_non_null(t);
	assert_int_equal(perf_script_read(in, "test", NULL, take_kinds, t, &r), 0);
	assert_int_equal(fclose(in), 0);
	assert_int_equal(r.samples, 1);
	tree_destroy(t);
	assert_string_equal(leaf_file, want);
}

static void files_of_jit_compilers(void **state)
{
	(void)state;
	kind_of_leaf("/tmp/perf-4711.map", FRAME_FILE_JIT);
	kind_of_leaf("/proc/7/root/tmp/perf-4711.map", FRAME_FILE_JIT);
	kind_of_leaf("/root/.debug/jit/x/jitted-4711-12.so", FRAME_FILE_JIT);
	kind_of_leaf("[JIT] tid 4711", FRAME_FILE_JIT);
	kind_of_leaf("/usr/lib/jitted-x-12.so", "jitted-x-12.so");
	kind_of_leaf("/tmp/perf-tool", "perf-tool");
}

/* perf script --show-task-events --show-mmap-events --show-switch-events --show-namespace-events, and -D */
static void events_of_tasks_are_skipped(void **state)
{
	(void)state;
	assert_read("perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:19286/19286\n"
		    "spin x 19286   927.483928: PERF_RECORD_COMM exec: spin x:19286/19286\n"
		    "spin x 19286 [001] 927.48: PERF_RECORD_MMAP2 19286/19286: [0x55(0x1000) @ 0 fd:01 7 0]: r-xp /opt/spin x\n"
		    "PERF_RECORD_FINISHED_ROUND\n"
		    "0 0 0x1a8 [0x50]: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1000) @ 0]: x [kernel.kallsyms]_text\n"
		    "spin x 19286 927.484: PERF_RECORD_NAMESPACES 19286/19286 - nr_namespaces: 7\n"
		    "\t\t[0/net: 4/0xf0000075, 1/uts: 4/0xeffffffe,\n"
		    "\t\t 4/pid: 4/0xeffffffc]\n"
		    "spin x 19286 927.484: PERF_RECORD_TEXT_POKE addr 0xff old len 5 new len 5\n"
		    "            old bytes 0f 1f 44 00 00\n"
		    "spin x 19286   927.484999:    1003009 cpu-clock: \n"
		    "\t            1140 work+0x17 (/opt/spin x)\n\n"
		    "spin x 19286 [000] 927.485: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 1/1\n"
		    "spin x 19286   927.486325:    1003009 cpu-clock: \n"
		    "\t            1140 work+0x17 (/opt/spin x)\n"
		    "spin x 19286   927.49: PERF_RECORD_EXIT(19286:19286):(1:1)\n",
		    "spin x;work 2\n");
}

/* perf script -D */
static void dumps_are_skipped(void **state)
{
	(void)state;
	assert_read("\n0x108@perf.data [0x50]: event: 69\n.\n. ... raw event: size 80 bytes\n"
		    ".  0000:  45 00 00 00 00 00 50 00 02 00 00 00 00 00 00 00  E.....P.........\n\n"
		    "0 0x108 [0x50]: PERF_RECORD_ID_INDEX nr: 2\n ... id: 8  idx: 0  cpu: 0  tid: 14417\n\n"
		    "36113359177507 0x15e0 [0x68]: PERF_RECORD_SAMPLE(IP, 0x2): 2/2: 0x5617 period: 3344481 addr: 0\n"
		    "... FP chain: nr:1\n.....  0: 0000561719f2f1b4\n . data_src: 0x1e05080021\n"
		    " ... thread: spin x:14417\n ...... dso: /spin x\n"
		    "spin x 14417 36113.359177:    3344481 cpu-clock: \n\t            11b4 f+0x16 (/spin x)\n\n",
		    "spin x;f 1\n");
}

static void payloads_are_no_frames(void **state)
{
	(void)state;
	assert_read("a 1 [000] 1.0: bpf_trace:bpf_trace_printk: bad thing happened\n"
		    "a 1 [000] 1.1: bpf_trace:bpf_trace_printk: 123 bytes read (of /x)\n"
		    "a 1 [000] 1.2: bpf_trace:bpf_trace_printk: good\n"
		    "a 1 [000] 1.3: bpf_trace:bpf_trace_printk: 0 => 1 f\n", "a 4\n");
	/* -F ip,sym,dso: in a column of 16 */
	assert_read("a 1 [000] 1.0: probe:f:  ffffffff81a00010 f+0x1 ([kernel.kallsyms])\n", "a;f_[k] 1\n");
}

static void branches_are_refused(void **state)
{
	static const char text[] =
		"a 1 1.0: 1 branches:u:  401136 main+0x0 (/x) => 401120 f+0x0 (/x)\n"
		"a 1 1.0: 1 branches:u:  401136 => 401120\n"
		"a 1 1.0: 1 cycles:  0x401136/0x401120/P/-/-/0  0x401136/0x401120/P/-/-/0\n"
		"a 1 1.0: 1 cycles:  main+0x1/f+0x2/P/-/-/0  f+0x1/main+0x1/M/X/A/12\n"
		"a 1 1.0: 1 cycles:  0x401136(/x)/0x401120(/x)/-/-/-/0\n"
		"a 1 1.0: 1 branches:u: \n\t401136 main+0x0 (/x) => 401120 f+0x0 (/x)\n";
	struct perf_script_result r;
	char *folded;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), NULL, &folded, &r, TREE_SAMPLES), 0);
	assert_string_equal(folded, "");
	assert_int_equal(r.bad, 6);
	free(folded);
	/* a function's name is no branch */
	assert_read("a 1 1.0: 1 cycles:  401136 f(Int => String)+0x1 (/x)\n", "a;f(Int => String) 1\n");
	assert_read("a 1 1.0: 1 cycles:\n\t401136 (x) => c (/x)\n", "a;(x) => c 1\n");
}

static void clocks_are_times(void **state)
{
	static const char text[] = "a 1 1.0: 1000 cpu-clock:u:\n\t1 f (/a)\n\na 1 1.1: 2000 cpu-clock:u:\n";
	static const char ours[] = "a 1 1.0: 7 samples:\n\t1 f (/a)\n\n";
	struct perf_script_result r;
	char *folded;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), NULL, &folded, &r, TREE_NS), 0);
	assert_string_equal(folded, "a 2000\na;f 1000\n");
	free(folded);
	assert_int_equal(read_bytes(ours, strlen(ours), NULL, &folded, &r, TREE_SAMPLES), 0);
	assert_string_equal(folded, "a;f 7\n");
	free(folded);
}

static void events_are_not_mixed(void **state)
{
	static const char text[] = "a 1 1.0: 5 cycles:\n\t1 f (/a)\n\na 1 1.0: 5 faults:\n\t1 g (/a)\n\n";
	struct perf_script_result r;
	char *folded;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), NULL, &folded, &r, TREE_SAMPLES), -EINVAL);
	free(folded);
	assert_int_equal(read_bytes(text, strlen(text), "faults", &folded, &r, TREE_SAMPLES), 0);
	assert_string_equal(folded, "a;g 1\n");
	free(folded);
}

static void bad_lines_are_counted(void **state)
{
	static const char stacks[] = "main;f 12\nmain;g 13\n\nmain 1\n";
	static const char text[] =
		"what is this\n"			/* 1: bad */
		"a 1 1.0: 5 cycles:\n"
		"\t1 f (/a)\n"
		"\tno address here\n"			/* 4: bad */
		"\n"
		"\t1 no sample (/a)\n"			/* 6: bad */
		"x 99999999999999999999 cycles:\n"	/* 7: bad: no process has that number */
		"x 2 1.0: 99999999999999999999 cycles:\n"; /* 8: nor has a period */
	struct perf_script_result r;
	char *folded;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), NULL, &folded, &r, TREE_SAMPLES), 0);
	assert_string_equal(folded, "a;f 1\n");
	assert_int_equal(r.bad, 5);
	assert_int_equal(r.first_bad, 1);
	free(folded);
	/* A line that has only the form of a thread and its id has no event */
	assert_int_equal(read_bytes("what 1 2\n\na 1 1.0: 1 c:\n", 24, NULL, &folded, &r, TREE_SAMPLES), 0);
	assert_string_equal(folded, "a 1\n");
	assert_true(r.bad == 1 && r.first_bad == 1);
	free(folded);
	/* Folded stacks are no samples, although "main;f 12" has the form of a thread and its id */
	assert_int_equal(read_bytes(stacks, strlen(stacks), NULL, &folded, &r, TREE_SAMPLES), 0);
	assert_string_equal(folded, "");
	assert_int_equal(r.bad, 3);
	free(folded);
	assert_int_equal(read_bytes("a 1 1.0: 1 c:\n\0\n", 17, NULL, &folded, &r, TREE_SAMPLES), 0);
	assert_true(r.bad >= 1 && r.first_bad == 2);
	free(folded);
}

/* Every piece of a text, and bytes of it changed: whatever comes, it ends, and harms nothing */
static void hostile_bytes(void **state)
{
	static const char text[] =
		"Thread 12 24636/25607 [001]  4794564.109216:    1003009 cpu-clock:pppH: \n"
		"\tffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])\n"
		"\t401136 [unknown] (/usr/bin/x (deleted))\n\t401136 outer+0x20 (inlined)\n\n"
		"  perf 1 1.0: 1 cpu-clock:pppH:  10 [unknown] ([ext4])\n";
	static const char bytes[] = "\0 \n()[]+/:0a;#\xff\t";
	struct perf_script_result r;
	char copy[sizeof(text)], *folded;

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		read_bytes(text, len, NULL, &folded, &r, TREE_SAMPLES);
		free(folded);
	}
	for (size_t at = 0; at < sizeof(text) - 1; at++)
		for (size_t k = 0; k < sizeof(bytes) - 1; k++) {
			memcpy(copy, text, sizeof(text));
			copy[at] = bytes[k];
			read_bytes(copy, sizeof(text) - 1, NULL, &folded, &r, TREE_SAMPLES);
			free(folded);
		}
}

static void large_ones(void **state)
{
	struct perf_script_result r;
	char *text, *folded;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	fputs("deep 1 1.0: 1 c:\n", out);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "\t%x f%d+0x1 (/a)\n", i + 1, i);
	fputs("\nlong 1 1.0: 1 c:\n\t10 ", out);
	for (int i = 0; i < 10000; i++)
		putc('n', out);
	fputs(" (/a)\n\nblanks 1", out);
	for (int i = 0; i < 1000000; i++)
		putc(' ', out);
	fputs("x\n", out);
	for (int i = 0; i < 500000; i++)
		fputs("1 ", out);
	fputs("x\n", out);
	assert_int_equal(fclose(out), 0);
	deepest = 0;
	assert_int_equal(read_bytes(text, size, NULL, &folded, &r, TREE_SAMPLES), 0);
	assert_int_equal(r.samples, 2);
	assert_int_equal(r.bad, 2);
	assert_int_equal(deepest, 1001);
	free(folded);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_perf_prints),
		cmocka_unit_test(fields_of_a_header),
		cmocka_unit_test(names_of_threads),
		cmocka_unit_test(comments),
		cmocka_unit_test(kinds_of_frames),
		cmocka_unit_test(symbols_and_files),
		cmocka_unit_test(frames_on_the_first_line),
		cmocka_unit_test(lines_after_a_stack),
		cmocka_unit_test(brackets_are_no_kernel),
		cmocka_unit_test(files_of_jit_compilers),
		cmocka_unit_test(events_of_tasks_are_skipped),
		cmocka_unit_test(dumps_are_skipped),
		cmocka_unit_test(payloads_are_no_frames),
		cmocka_unit_test(branches_are_refused),
		cmocka_unit_test(clocks_are_times),
		cmocka_unit_test(events_are_not_mixed),
		cmocka_unit_test(bad_lines_are_counted),
		cmocka_unit_test(hostile_bytes),
		cmocka_unit_test(large_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
