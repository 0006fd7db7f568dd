/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * programs.h - programs that a test makes in a directory of its own, and opens for their names
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "elf/function_finder.h"
#include "symbols/mapped_file.h"

static char dir[] = "/tmp/kflame-test-XXXXXX";

static inline void programs_make_dir(void)
{
	assert_non_null(mkdtemp(dir));
	/* As nobody, the tool reads sources and split debug data of programs that belong to root */
	assert_int_equal(chmod(dir, 0755), 0);
}

/* For cmocka's tear-down */
static inline int programs_remove(void **state)
{
	char line[64];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	return system(line);
}

/* Runs a command in @dir; "%s" in it is the compiler */
static inline void run(const char *format)
{
	char command[1024], line[1200];

	snprintf(command, sizeof(command), format, TEST_CC);
	snprintf(line, sizeof(line), "cd %s && %s", dir, command);
	assert_int_equal(system(line), 0);
}

static inline void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* As sstrip: the file ends with what is loaded, and has no section headers */
static inline void strip_sections(const char *name)
{
	Elf64_Off end = 0;
	Elf64_Ehdr eh;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, &eh, sizeof(eh), 0), sizeof(eh));
	for (unsigned int i = 0; i < eh.e_phnum; i++) {
		Elf64_Phdr ph;

		assert_int_equal(pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))), sizeof(ph));
		if (ph.p_offset + ph.p_filesz > end)
			end = ph.p_offset + ph.p_filesz;
	}
	eh.e_shoff = 0;
	eh.e_shnum = eh.e_shstrndx = 0;
	assert_int_equal(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
	assert_int_equal(ftruncate(fd, (off_t)end), 0);
	close(fd);
}

/* What a profile says of a file that is there; @path must outlive @f */
static inline void describe_path(const char *path, struct profile_file *f)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	memset(f, 0, sizeof(*f));
	f->path = (char *)path;
	f->base = strrchr(path, '/') + 1;
	f->rec.id = 1;
	f->rec.inode = st.st_ino;
	f->rec.bytes = (uint64_t)st.st_size;
	f->rec.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	f->rec.dev_major = major(st.st_dev);
	f->rec.dev_minor = minor(st.st_dev);
}

/* As describe_path(), of a file in @dir; @path has room for its path */
static inline void describe(const char *name, struct profile_file *f, char *path)
{
	snprintf(path, 128, "%s/%s", dir, name);
	describe_path(path, f);
}

/* A mapped file, and its functions as a sandbox would find them, but found in this process */
struct looked {
	struct binary *binary;
	struct finder *finder;	/* NULL: the file is not there */
};

static inline void look_again(struct looked *l)
{
	finder_destroy(l->finder);
	l->finder = NULL;
	if (binary_fd(l->binary) >= 0)
		assert_int_equal(finder_load(binary_fd(l->binary), binary_debug_fd(l->binary),
					     binary_base(l->binary), &l->finder), 0);
}

/* @fd, @symbols: as for binary_open() */
static inline struct looked *look_open(const struct profile_file *f, int fd, const char *symbols)
{
	struct looked *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	assert_int_equal(binary_open(f, fd, symbols, &l->binary), 0);
	look_again(l);
	return l;
}

static inline struct looked *look_named(const char *name)
{
	struct profile_file f;
	char path[128];

	describe(name, &f, path);
	return look_open(&f, -1, NULL);
}

/* The file only, for its sandboxes */
static inline struct binary *look_binary(const char *name)
{
	struct profile_file f;
	struct binary *b;
	char path[128];

	describe(name, &f, path);
	assert_int_equal(binary_open(&f, -1, NULL, &b), 0);
	return b;
}

static inline void look_close(struct looked *l)
{
	finder_destroy(l->finder);
	binary_close(l->binary);
	free(l);
}

static inline uint32_t look_state(const struct looked *l)
{
	return l->finder ? finder_state(l->finder) : binary_state(l->binary);
}

static inline bool look_packed(const struct looked *l)
{
	return l->finder && finder_packed(l->finder);
}

static inline const char *look_find(struct looked *l, uint64_t at, uint64_t *start, uint64_t *end)
{
	const struct name_place place = { .at = at };

	if (l->finder && finder_partial(l->finder, &place, 1) && binary_look_for_debug(l->binary))
		look_again(l);
	return l->finder ? finder_find(l->finder, at, start, end) : NULL;
}

static inline bool look_leaf(struct looked *l, uint64_t at)
{
	return l->finder && finder_leaf(l->finder, at);
}

/* File offset of an address, by what readelf prints: not our own code */
static inline uint64_t offset_of(const char *name, uint64_t address)
{
	unsigned long long offset, vaddr, paddr, bytes;
	uint64_t result = 0;
	char line[512];
	FILE *in;

	snprintf(line, sizeof(line), "readelf -lW %s/%s", dir, name);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, " LOAD 0x%llx 0x%llx 0x%llx 0x%llx", &offset, &vaddr, &paddr,
			   &bytes) == 4 && address >= vaddr && address < vaddr + bytes)
			result = address - vaddr + offset;
	pclose(in);
	return result;
}

/* File offset of a symbol, by nm and readelf */
static inline uint64_t symbol_offset(const char *name, const char *symbol)
{
	char line[512], found[256], type;
	unsigned long long address, at = 0;
	FILE *nm;

	snprintf(line, sizeof(line), "nm %s/%s", dir, name);
	nm = popen(line, "r");
	assert_non_null(nm);
	while (fgets(line, sizeof(line), nm))
		if (sscanf(line, "%llx %c %255s", &address, &type, found) == 3 &&
		    !strcmp(found, symbol))
			at = offset_of(name, address);
	pclose(nm);
	assert_true(at);
	return at;
}

static inline const char *name_at(struct looked *l, uint64_t at)
{
	uint64_t start, end;
	const char *name = look_find(l, at, &start, &end);

	return name ? name : "-";
}

#endif
