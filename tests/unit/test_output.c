// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/atomic_file.h"
#include "children.h"
#include "golden.h"
#include "hush.h"
#include "uapi/kflame.h"

static char dir[] = "/tmp/kflame-output-XXXXXX";

static int setup(void **state)
{
	*state = NULL;
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	*state = NULL;
	unlink("a");
	unlink("link");
	return chdir("/") || rmdir(dir);
}

static unsigned int entries(void)
{
	DIR *d = opendir(".");
	unsigned int nr = 0;
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d)))
		nr += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return nr;
}

static void assert_holds(const char *path, const char *want)
{
	char *text = golden_read(path);

	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

static void write_a(const char *text)
{
	struct output out;

	assert_int_equal(output_open(&out, "a", NULL), 0);
	fputs(text, out.file);
	assert_int_equal(output_close(&out), 0);
}

static void a_file_is_replaced_whole(void **state)
{
	struct output out;
	struct stat st;

	(void)state;
	umask(027);
	write_a("one\n");
	assert_holds("a", "one\n");
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(chmod("a", 0604), 0);
	assert_int_equal(output_open(&out, "a", NULL), 0);
	fputs("two\n", out.file);
	fflush(out.file);
	assert_holds("a", "one\n");
	assert_int_equal(output_close(&out), 0);
	assert_holds("a", "two\n");
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
	assert_int_equal(entries(), 1);
}

/* What was recorded is replaced by a profile alone */
static void a_recording_is_not_replaced(void **state)
{
	struct output out;
	int saved;

	(void)state;
	write_a(KFLAME_FILE_MAGIC "recorded");
	saved = hush();
	assert_int_equal(output_open(&out, "a", NULL), -EEXIST);
	unhush(saved);
	assert_holds("a", KFLAME_FILE_MAGIC "recorded");
	assert_int_equal(output_open_private(&out, "a", NULL, true), 0);
	fputs("merged", out.file);
	assert_int_equal(output_close(&out), 0);
	assert_holds("a", "merged");
	assert_int_equal(entries(), 1);
}

static void what_was_there_stays_when_it_fails(void **state)
{
	struct output out;

	(void)state;
	write_a("old\n");
	assert_int_equal(output_open(&out, "a", NULL), 0);
	fputs("new\n", out.file);
	output_abandon(&out);
	assert_holds("a", "old\n");
	assert_int_equal(entries(), 1);
}

static void links_are_followed(void **state)
{
	struct output out;
	struct stat st;

	(void)state;
	write_a("old\n");
	assert_int_equal(symlink("a", "link"), 0);
	assert_int_equal(output_open(&out, "link", NULL), 0);
	fputs("new\n", out.file);
	assert_int_equal(output_close(&out), 0);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_holds("a", "new\n");
	unlink("link");
}

static void a_full_disk_is_told(void **state)
{
	struct output out;
	struct stat st;
	int saved, err;

	(void)state;
	assert_int_equal(output_open(&out, "/dev/full", NULL), 0);
	/* More than a buffer: the first error comes long before the end */
	for (int i = 0; i < 100000; i++)
		fputs("lost\n", out.file);
	errno = 0;
	saved = hush();
	err = output_close(&out);
	unhush(saved);
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

/* Standard output leads to a full disk and back again */
static void a_full_standard_output_is_told(void **state)
{
	int saved, quiet, err, full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct output out;

	(void)state;
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	assert_true(saved >= 0 && full >= 0);
	dup2(full, STDOUT_FILENO);
	quiet = hush();
	err = output_open(&out, NULL, NULL);
	if (!err) {
		fputs("lost\n", out.file);
		err = output_close(&out);
	}
	unhush(quiet);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(full);
	assert_int_equal(err, -ENOSPC);
}

/* What is before and behind stays: nothing is renamed, and nothing opened anew */
static void standard_output_by_name(void **state)
{
	static const char *const names[] = { "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link" };
	struct output out;
	int saved, a;

	(void)state;
	write_a("before\n");
	assert_int_equal(symlink("/dev/stdout", "link"), 0);
	a = open("a", O_WRONLY | O_APPEND | O_CLOEXEC);
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	assert_true(saved >= 0 && a >= 0);
	dup2(a, STDOUT_FILENO);
	for (size_t i = 0; i < 4; i++) {
		if (!output_open(&out, names[i], NULL)) {
			fputs("piece\n", out.file);
			output_close(&out);
		}
	}
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(a);
	assert_holds("a", "before\npiece\npiece\npiece\npiece\n");
	unlink("link");
	assert_int_equal(entries(), 1);
}

/* What was begun does not stay either */
static void a_signal_leaves_what_was_there(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	write_a("old\n");
	for (size_t i = 0; i < 3; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (!child) {
			struct output out;

			/* Whoever runs the tests may ignore some */
			signal(signals[i], SIG_DFL);
			if (!output_open(&out, "a", NULL)) {
				fputs("new\n", out.file);
				fflush(out.file);
				raise(signals[i]);
			}
			_exit(1);
		}
		assert_int_equal(killed_by(child), signals[i]);
		assert_holds("a", "old\n");
		assert_int_equal(entries(), 1);
	}
}

/* Nothing is left in the directory where what writes is killed, and where the file system can do that */
static void a_kill_leaves_what_was_there(void **state)
{
	int fd = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	pid_t child;

	(void)state;
	if (fd < 0)
		skip();
	close(fd);
	write_a("old\n");
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct output out;

		if (!output_open(&out, "a", NULL)) {
			fputs("new\n", out.file);
			fflush(out.file);
			raise(SIGKILL);
		}
		_exit(1);
	}
	assert_int_equal(killed_by(child), SIGKILL);
	assert_holds("a", "old\n");
	assert_int_equal(entries(), 1);
}

static void only_the_owner_reads_what_is_private(void **state)
{
	struct output out;
	struct stat st;

	(void)state;
	umask(022);
	unlink("a");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(output_open_private(&out, "a", NULL, false), 0);
		assert_int_equal(output_close(&out), 0);
		assert_int_equal(stat("a", &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(chmod("a", 0646), 0);
	}
}

static int try_path(const char *path, const char *by_default)
{
	struct output out;
	int saved = hush(), err = output_open(&out, path, by_default);

	unhush(saved);
	if (!err)
		output_abandon(&out);
	return err;
}

/* A mode with more than who may read and write is somebody's trick; what else is not a file must be named */
static void only_files_by_default(void **state)
{
	struct output out;
	struct stat st;

	(void)state;
	write_a("old\n");
	assert_int_equal(chmod("a", 06755), 0);
	write_a("new\n");
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(mkfifo("pipe", 0666), 0);
	assert_int_equal(try_path(NULL, "pipe"), -EPERM);
	assert_int_equal(try_path("pipe", NULL), -ENXIO);
	assert_int_equal(symlink("/dev/null", "link"), 0);
	assert_int_equal(try_path(NULL, "link"), -EPERM);
	assert_int_equal(try_path("link", NULL), 0);
	/* One that leads nowhere is replaced */
	unlink("link");
	assert_int_equal(symlink("nothing", "link"), 0);
	assert_int_equal(output_open(&out, NULL, "link"), 0);
	assert_int_equal(output_close(&out), 0);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISREG(st.st_mode));
	unlink("link");
	unlink("pipe");
	assert_int_equal(entries(), 1);
}

/* Of another user, in a directory that all may write to */
static void what_others_planted_is_refused(void **state)
{
	static const uid_t other = 65534;

	(void)state;
	if (geteuid())
		skip();
	write_a("secret\n");
	assert_int_equal(mkdir("all", 0777), 0);
	assert_int_equal(chmod("all", 01777), 0);
	assert_int_equal(symlink("../a", "all/link"), 0);
	assert_int_equal(lchown("all/link", other, other), 0);
	assert_int_equal(try_path("all/link", NULL), -EPERM);
	assert_holds("a", "secret\n");
	assert_int_equal(mkfifo("all/pipe", 0666), 0);
	assert_int_equal(chown("all/pipe", other, other), 0);
	assert_int_equal(try_path("all/pipe", NULL), -EPERM);
	assert_int_equal(close(open("all/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0666)), 0);
	assert_int_equal(chown("all/file", other, other), 0);
	assert_int_equal(try_path("all/file", NULL), -EPERM);
	/* It is his directory */
	assert_int_equal(chown("all", other, other), 0);
	assert_int_equal(try_path("all/file", NULL), 0);
	unlink("all/link");
	unlink("all/pipe");
	unlink("all/file");
	assert_int_equal(rmdir("all"), 0);
}

static void any_name_will_do(void **state)
{
	char name[NAME_MAX + 1];
	struct output out;

	(void)state;
	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = 0;
	assert_int_equal(output_open(&out, name, NULL), 0);
	assert_int_equal(output_close(&out), 0);
	assert_int_equal(unlink(name), 0);
}

static int try_open(const char *path)
{
	struct output out;
	int saved = hush();
	int err = output_open(&out, path, NULL);

	unhush(saved);
	return err;
}

static void bad_places_are_told(void **state)
{
	(void)state;
	assert_int_equal(try_open("no/such/place"), -ENOENT);
	assert_int_equal(try_open("."), -EISDIR);
	assert_int_equal(try_open(""), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced_whole),
		cmocka_unit_test(a_recording_is_not_replaced),
		cmocka_unit_test(what_was_there_stays_when_it_fails),
		cmocka_unit_test(links_are_followed),
		cmocka_unit_test(a_full_disk_is_told),
		cmocka_unit_test(a_full_standard_output_is_told),
		cmocka_unit_test(standard_output_by_name),
		cmocka_unit_test(a_signal_leaves_what_was_there),
		cmocka_unit_test(a_kill_leaves_what_was_there),
		cmocka_unit_test(only_the_owner_reads_what_is_private),
		cmocka_unit_test(only_files_by_default),
		cmocka_unit_test(what_others_planted_is_refused),
		cmocka_unit_test(any_name_will_do),
		cmocka_unit_test(bad_places_are_told),
	};

	return cmocka_run_group_tests_name("output", tests, setup, teardown);
}
