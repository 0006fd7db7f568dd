// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_info.c - the books, what info prints, and a profile opened from a file
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/commands.h"
#include "mkprofile.h"
#include "profile/accounting.h"
#include "stacks/open.h"
#include "stacks/stacks.h"
#include "views/info.h"

static char *print(const struct profile *p, bool raw, unsigned int *wrong)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	*wrong = raw ? info_print_raw(out, p) : info_print(out, p, false, false);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("no \"%s\" in:\n%s", what, text);
}

static void make(struct mk *m, uint64_t samples)
{
	mk_header(m);
	mk_session(m);
	mk_count(m, 0, 0, 0, 10, 10030090);
	mk_cpu(m, 3, samples, 10030090);
	mk_stats(m);
	mk_end(m);
}

static void balanced(void **state)
{
	unsigned int wrong;
	struct profile *p;
	struct mk m = { 0 };
	char *text;
	(void)state;

	make(&m, 10);
	p = mk_profile(&m);
	text = print(p, true, &wrong);
	assert_int_equal(wrong, 0);
	has(text, "\nsamples=10\n");
	has(text, "\ncpu.3.counted=10\n");
	has(text, "\ncpu.3.tail_ns=-5\n");
	has(text, "\nlost.table=0\n");
	has(text, "\nstop_ns=2000000000\n");
	has(text, "\nprofile.samples=10\n");
	has(text, "\nbooks=balanced\n");
	has(text, "\ncomplete=1\n");
	free(text);
	text = print(p, false, &wrong);
	assert_int_equal(wrong, 0);
	has(text, "997 Hz");
	has(text, "6.1.0-test");
	has(text, "books: balanced");
	free(text);
	profile_destroy(p);
	mk_free(&m);
}

/* @events: those that the kernel had. @line: what info says; NULL: nothing */
static void kernel_lacks(uint64_t events, const char *line)
{
	unsigned int wrong;
	struct profile *p;
	struct mk m = { 0 };
	char *text;

	make(&m, 10);
	((struct kflame_rec_session *)(m.r.data + sizeof(struct kflame_file_header)))->events = events;
	p = mk_profile(&m);
	text = print(p, false, &wrong);
	if (line)
		has(text, line);
	else
		assert_null(strstr(text, "missing  "));
	free(text);
	profile_destroy(p);
	mk_free(&m);
}

static void missing_events(void **state)
{
	const uint64_t all = (1ULL << KFLAME_NR_EVENTS) - 1;
	(void)state;

	kernel_lacks(all, NULL);
	kernel_lacks(~0ULL, NULL);
	/* An older module did not record them */
	kernel_lacks(0, NULL);
	kernel_lacks(all & ~(1ULL << KFLAME_EVENT_FAULTS | 1ULL << KFLAME_EVENT_OFFCPU),
		     "\nmissing     page-faults, off-cpu: this kernel does not let modules have these events\n");
}

static void off(void **state)
{
	static const size_t fields[] = {
		offsetof(struct kflame_cpu, samples), offsetof(struct kflame_cpu, weight_ns),
		offsetof(struct kflame_cpu, active_ns), offsetof(struct kflame_cpu, lost[5]),
		offsetof(struct kflame_cpu, lost_ns[15]), offsetof(struct kflame_cpu, head_ns),
	};
	unsigned int wrong;
	struct profile *p;
	struct mk m = { 0 };
	char *text;
	(void)state;

	/* One more than is in the profile */
	make(&m, 11);
	p = mk_profile(&m);
	text = print(p, false, &wrong);
	assert_int_equal(wrong, 1);
	has(text, "books: not balanced");
	has(text, "samples in it 10 is not samples counted 11 (-1)");
	free(text);
	text = print(p, true, &wrong);
	assert_int_equal(wrong, 1);
	has(text, "\nbooks=off\n");
	free(text);
	profile_destroy(p);
	mk_free(&m);

	make(&m, 10);
	p = mk_profile(&m);
	assert_int_equal(books_check(p, NULL), 0);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t *field = (void *)((char *)&p->cpus[0] + fields[i]);

		++*field;
		assert_true(books_check(p, NULL) > 0);
		--*field;
	}
	profile_destroy(p);
	mk_free(&m);
}

static void every_counter_has_a_name(void **state)
{
	(void)state;
	for (unsigned int i = 0; i <= KFLAME_LOST_ARCHIVE; i++)
		assert_true(books_lost_key(i) && books_lost_words(i));
	for (unsigned int i = 0; i <= KFLAME_STAT_FILES_EXPIRED; i++)
		assert_true(books_stat_key(i) && books_stat_words(i));
	assert_null(books_lost_key(KFLAME_NR_LOST));
	for (uint32_t i = 0; i < INFO_ENDS; i++)
		assert_non_null(info_end_words(i));
}

static void write_profile(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int note_name(void *ctx, const struct frame *frames, size_t nr, uint64_t samples,
		     uint64_t ns)
{
	(void)samples;
	(void)ns;
	assert_int_equal(nr, 2);
	strncpy(ctx, frames[1].name, 63);
	return 0;
}

/*
 * A profile that the module wrote by itself knows no user names: they are
 * looked up when it is opened.  The program is this one, the function is this.
 */
static void named_when_opened(void **state)
{
	char dir[] = "/tmp/kflame-test-XXXXXX", path[64], self[512], name[64] = "";
	uint64_t address = (uintptr_t)&named_when_opened + 1;
	struct kflame_rec_file f = { .id = 1 };
	unsigned long long start, end, offset;
	struct profile *p;
	struct mk m = { 0 };
	struct stat st;
	char line[1024];
	FILE *maps;
	ssize_t n;
	(void)state;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	assert_true(n > 0);
	self[n] = 0;
	assert_int_equal(stat(self, &st), 0);
	f.inode = st.st_ino;
	f.bytes = (uint64_t)st.st_size;
	f.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	mk_header(&m);
	records_file(&m.r, &f, self);
	maps = fopen("/proc/self/maps", "r");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			mk_mapping(&m, 1, start, end, 1, offset);
	fclose(maps);
	mk_stack(&m, 1, KFLAME_STACK_USER, &address, 1);
	mk_count(&m, 1, 0, 1, 1, 1);
	mk_end(&m);

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/p", dir);
	write_profile(path, m.r.data, m.r.len);
	p = open_profile(path, NULL);
	assert_non_null(p);
	assert_int_equal(profile_status(p), 0);
	assert_int_equal(profile_each_stack(p, note_name, name), 0);
	assert_string_equal(name, "named_when_opened");
	profile_destroy(p);
	unlink(path);
	rmdir(dir);
	mk_free(&m);
}

/* By reason and file; a stack with two such frames counts once */
static void without_names(void **state)
{
	unsigned int wrong;
	struct profile *p;
	struct mk m = { 0 };
	char *text;
	(void)state;

	mk_header(&m);
	mk_session(&m);
	mk_file(&m, 1, "/usr/bin/task");
	mk_aspace(&m, 1, "task");
	mk_mapping(&m, 1, 0x400000, 0x410000, 1, 0x1000);
	mk_mapping(&m, 1, 0x500000, 0x501000, 0, 0);
	records_named(&m.r, 1, KFLAME_NAMED_NONE, KFLAME_NF_PACKED);
	mk_stack(&m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x400000, 0x400200, 0x500010 }, 3);
	mk_stack(&m, 2, KFLAME_STACK_USER, (uint64_t[]){ 0x500000 }, 1);
	mk_count(&m, 1, 0, 1, 7, 700);
	mk_count(&m, 1, 0, 2, 1000, 700);
	mk_end(&m);
	p = mk_profile(&m);
	text = print(p, false, &wrong);
	has(text, "           1,007  anonymous memory  a perf map or jitdump of its compiler");
	has(text, "               7  stripped          task: install its debug file");
	has(text, "stripped: no symbols             /usr/bin/task (debug data: zstd)\n");
	has(text, "Of 1 file the debug data is compressed with zstd");
	free(text);
	profile_destroy(p);
	mk_free(&m);
}

/* Exit status of 'kflame info' for these bytes; its messages thrown away */
static int info_status(const char *path, const void *data, size_t len)
{
	char *argv[] = { (char *)"kflame info", (char *)"-i", (char *)path, NULL };
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), status;

	write_profile(path, data, len);
	fflush(stdout);
	assert_non_null(freopen("/dev/null", "w", stdout));
	assert_non_null(freopen("/dev/null", "w", stderr));
	status = cmd_info(3, argv);
	fflush(stdout);
	fflush(stderr);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	return status;
}

static void exit_status(void **state)
{
	char path[] = "/tmp/kflame-test-XXXXXX";
	int fd = mkstemp(path);
	struct mk m = { 0 };
	(void)state;

	assert_true(fd >= 0);
	close(fd);
	make(&m, 10);
	assert_int_equal(info_status(path, m.r.data, m.r.len), 0);
	assert_int_equal(info_status(path, m.r.data, m.r.len - 3), 1);
	assert_int_equal(info_status(path, m.r.data, m.r.len - 24), 1);
	assert_int_equal(info_status(path, m.r.data, 20), 1);
	assert_int_equal(info_status(path, m.r.data, 0), 1);
	assert_int_equal(info_status(path, "nonsense", 8), 1);
	mk_free(&m);
	make(&m, 11);
	assert_int_equal(info_status(path, m.r.data, m.r.len), 1);
	mk_free(&m);
	unlink(path);
}

/* A profile of another architecture than ours, whose files cannot be here: a hint in place of a list of them */
static void foreign(void **state)
{
	struct kflame_rec_session s = { .rec.type = KFLAME_REC_SESSION, .abi = KFLAME_ABI, .nr_cpus = 1,
					.page_size = 4096, .kdepth = 127, .udepth = 127 };
	const uint64_t at = 0x401000;
	struct utsname u;
	(void)state;

	assert_int_equal(uname(&u), 0);
	for (int what = 0; what < 4; what++) {
		const char *another = strcmp(u.machine, "x86_64") ? "x86_64" : "aarch64";
		/* Another one, another one with a file that was found, ours, an unknown one */
		const char *machine = (const char *[]){ another, another, u.machine, "" }[what];
		struct mk m = { 0 };
		struct profile *p;
		unsigned int wrong;
		char *text;

		snprintf((char *)s.machine, sizeof(s.machine), "%s", machine);
		mk_header(&m);
		records_add(&m.r, &s, sizeof(s), NULL, 0);
		mk_aspace(&m, 1, "task");
		mk_file(&m, 1, "/bin/there");
		mk_mapping(&m, 1, 0x400000, 0x500000, 1, 0);
		mk_stack(&m, 1, KFLAME_STACK_USER, &at, 1);
		mk_count(&m, 1, 0, 1, 10, 10030090);
		records_named(&m.r, 1, what == 1 ? KFLAME_NAMED_NONE : KFLAME_NAMED_GONE, 0);
		mk_end(&m);
		p = mk_profile(&m);
		text = print(p, false, &wrong);
		if (!what) {
			has(text, *another == 'x' ? "an x86_64 profile: name its root with --symbols DIR\n"
						  : "an arm64 profile: name its root with --symbols DIR\n");
			assert_null(strstr(text, "there"));
		} else {
			assert_null(strstr(text, "--symbols"));
			has(text, "/bin/there\n");
			has(text, "frames without a name");
		}
		free(text);
		profile_destroy(p);
		mk_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balanced),
		cmocka_unit_test(missing_events),
		cmocka_unit_test(off),
		cmocka_unit_test(every_counter_has_a_name),
		cmocka_unit_test(named_when_opened),
		cmocka_unit_test(without_names),
		cmocka_unit_test(exit_status),
		cmocka_unit_test(foreign),
	};

	return cmocka_run_group_tests_name("info", tests, NULL, NULL);
}
