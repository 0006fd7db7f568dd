/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - what the fuzz targets share
 *
 * A target reads bytes nobody vouches for, by the tool's own code, and checks
 * what that code promises.  It is linked with libFuzzer to search, and with
 * replay.c to go through the corpus again.
 */
#ifndef KFLAME_FUZZ_H
#define KFLAME_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether this is no search: replay.c says so */
#ifdef FUZZ_REPLAY
static const bool fuzz_replays __attribute__((unused)) = true;
#else
static const bool fuzz_replays __attribute__((unused)) = false;
#endif

/* A promise that was not kept; never compiled out, unlike assert() */
#define MUST(what)								\
	do {									\
		if (!(what)) {							\
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__,	\
				__LINE__, #what);				\
			abort();						\
		}								\
	} while (0)

/** fuzz_file() - a file of these bytes that is on no disk.  Return: its descriptor */
static inline int fuzz_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	MUST(fd >= 0);
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, data + done, size - done);

		MUST(n > 0);
		done += (size_t)n;
	}
	MUST(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

#define FUZZ_PATH	32

/** fuzz_path() - a name that open() takes for a descriptor */
static inline void fuzz_path(char path[FUZZ_PATH], int fd)
{
	snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
}

#endif
