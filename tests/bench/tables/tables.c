// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tables.c - sizes of unwind tables, and what it takes to compile them
 *
 * usage: tables FILE...	("vdso" is this process's)
 *
 * Prints a line for each: rows, rules, pages and bytes of the table, processor time, how much
 * of the file has a rule, how many rows are lost, and flags. The last column is the most memory
 * that the process had so far: give large files last.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "unwind/table.h"

#define TIMES	5	/* the fastest of so many counts */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int read_one(const char *path, struct unwind_table *t, uint64_t *lost)
{
	int fd, status;

	if (!strcmp(path, "vdso"))
		return elf_table_vdso(t, lost);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	status = elf_table_read(fd, t, lost);
	close(fd);
	return status;
}

/* Bytes of the file that have a rule */
static uint64_t covered(const struct unwind_table *t)
{
	uint64_t bytes = 0;

	for (uint32_t page = 0; page < t->nr_pages; page++)
		for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			bool last = i + 1 == t->pages[page + 1];

			if (KFLAME_ROW_RULE(t->rows[i]))
				bytes += (last ? KFLAME_TABLE_PAGE :
					  KFLAME_ROW_OFFSET(t->rows[i + 1])) -
					 KFLAME_ROW_OFFSET(t->rows[i]);
		}
	return bytes;
}

static void print_one(const char *path, const struct unwind_table *t, const uint64_t *lost,
		      double ms)
{
	uint64_t none = 0;
	struct rusage ru;

	for (int i = UNWIND_KEPT + 1; i < UNWIND_LOSSES; i++)
		none += lost[i];
	getrusage(RUSAGE_SELF, &ru);
	printf("%-40.40s %9u %6u %6u %10zu %8.1f %8" PRIu64 " %5" PRIu64 "  %-4s %5ld\n", path, t->nr_rows,
	       t->nr_rules, t->nr_pages, unwind_table_bytes(t), ms,
	       covered(t) >> 10, none,
	       t->flags & KFLAME_TABLE_FP ? "fp" : t->flags & KFLAME_TABLE_NONE ? "none" : "",
	       ru.ru_maxrss >> 10);
}

int main(int argc, char **argv)
{
	printf("%-40s %9s %6s %6s %10s %8s %8s %5s  %-4s %5s\n", "file", "rows", "rules", "pages",
	       "bytes", "ms", "KiB", "lost", "flag", "MiB");
	for (int i = 1; i < argc; i++) {
		uint64_t lost[UNWIND_LOSSES];
		struct unwind_table t;
		double best = 1e9;
		int status = 0;

		for (int k = 0; k < TIMES && !status; k++) {
			double start = now();

			if (k)
				unwind_table_exit(&t);
			status = read_one(argv[i], &t, lost);
			if (now() - start < best)
				best = now() - start;
		}
		if (status)
			warnx("%s: %s", argv[i], strerror(-status));
		else
			print_one(argv[i], &t, lost, best);
		unwind_table_exit(&t);
	}
	return 0;
}
