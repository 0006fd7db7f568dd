// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay.c - runs a fuzz target over files, without a fuzzer
 *
 * usage: replay_TARGET DIRECTORY-OR-FILE...
 *
 * For a plain gcc: `make check` needs no clang.  Ends with the number of files;
 * a crash, a report of a sanitizer, or a file that takes too long ends it with
 * that file's name and another exit status.  So does finding no file.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <signal.h>
#include <sys/stat.h>

#include "fuzz.h"

#define TOO_LONG	20	/* seconds; under sanitizers, on a busy machine */

static int standard_error = STDERR_FILENO;	/* standard error as it was */
static char doing[4096];

static void say(const char *text)
{
	if (write(standard_error, text, strlen(text)) < 0)
		return;
}

static void blame(void)
{
	say("# failed with ");
	say(doing);
	say("\n");
}

static void on_signal(int signal)
{
	say(signal == SIGALRM ? "# took too long\n" : "# aborted\n");
	blame();
	_exit(1);
}

/* What the target says is no news: a hundred damaged files are complained about */
static void hush(void)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(NULL);
	standard_error = dup(STDERR_FILENO);
	MUST(nowhere >= 0 && standard_error >= 0);
	MUST(dup2(nowhere, STDERR_FILENO) >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
	close(nowhere);
	__sanitizer_set_report_fd((void *)(intptr_t)standard_error);
	__sanitizer_set_death_callback(blame);
	signal(SIGALRM, on_signal);
	signal(SIGABRT, on_signal);
}

static unsigned long replay_file(const char *path, const struct stat *st)
{
	uint8_t *data = malloc(st->st_size ? (size_t)st->st_size : 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	snprintf(doing, sizeof(doing), "%s", path);
	if (!data || fd < 0 || read(fd, data, (size_t)st->st_size) != st->st_size) {
		say("# cannot be read\n");
		blame();
		exit(1);
	}
	close(fd);
	alarm(TOO_LONG);
	LLVMFuzzerTestOneInput(data, (size_t)st->st_size);
	alarm(0);
	free(data);
	return 1;
}

static unsigned long replay(const char *path)
{
	unsigned long nr = 0;
	struct dirent **names;
	struct stat st;
	int found;

	if (stat(path, &st))
		return 0;
	if (S_ISREG(st.st_mode))
		return replay_file(path, &st);
	found = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < found; i++) {
		char *below;

		if (names[i]->d_name[0] != '.') {
			MUST(asprintf(&below, "%s/%s", path, names[i]->d_name) > 0);
			nr += replay(below);
			free(below);
		}
		free(names[i]);
	}
	if (found >= 0)
		free(names);
	return nr;
}

int main(int argc, char **argv)
{
	unsigned long nr = 0;
	char text[64];

	hush();
	for (int i = 1; i < argc; i++)
		nr += replay(argv[i]);
	snprintf(text, sizeof(text), "# %lu files\n", nr);
	say(text);
	return nr ? 0 : 1;
}
