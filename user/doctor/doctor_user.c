// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_user.c - will stacks of user code be complete?
 *
 * Without unwind tables, stacks are walked by frame pointer.  No file says whether a distribution builds
 * with frame pointers. But the functions of its C library show it.
 */
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "base/clock.h"
#include "doctor/doctor.h"
#include "elf/elf_symbols.h"
#include "elf/libelf_section.h"
#include "record/table_cache.h"

#define MAX_LIBC	(64u << 20)
#define FAIR_SIZE	96	/* bytes: a smaller function may be a leaf without a frame */
#define PROLOGUE	48	/* bytes that are searched: compilers put other instructions in between */
#define FEWEST		20	/* fewer functions give no reliable share */
/* Percentages of functions that set up a frame: more than MOST means built with frame pointers */
#define MOST		60
#define SOME		15

/* push %rbp; ...; mov %rsp,%rbp: after endbr64, with other instructions in between */
static bool keeps_frame_x86_64(const uint8_t *code, size_t len)
{
	static const uint8_t mov[] = { 0x48, 0x89, 0xe5 }, other[] = { 0x48, 0x8b, 0xec };
	bool pushed = false;

	for (size_t i = 0; i + sizeof(mov) <= len; i++) {
		if (code[i] == 0x55)
			pushed = true;
		else if (pushed && (!memcmp(code + i, mov, sizeof(mov)) ||
				    !memcmp(code + i, other, sizeof(other))))
			return true;
	}
	return false;
}

/* stp x29, x30, [sp, #n] (with or without !); ...; mov x29, sp or add x29, sp, #n */
static bool keeps_frame_aarch64(const uint8_t *code, size_t len)
{
	bool stored = false;

	for (size_t i = 0; i + 4 <= len; i += 4) {
		uint32_t word = (uint32_t)code[i] | (uint32_t)code[i + 1] << 8 |
				(uint32_t)code[i + 2] << 16 | (uint32_t)code[i + 3] << 24;

		if ((word & 0xffc07fff) == 0xa9807bfd || (word & 0xffc07fff) == 0xa9007bfd)
			stored = true;
		else if (stored && (word & 0xffc003ff) == 0x910003fd)
			return true;
	}
	return false;
}

bool keeps_frame(unsigned int machine, const uint8_t *code, size_t len)
{
	if (machine == EM_X86_64)
		return keeps_frame_x86_64(code, len);
	return machine == EM_AARCH64 && keeps_frame_aarch64(code, len);
}

/* Number of functions that are large enough, and of those with a frame pointer */
struct share {
	unsigned int all;
	unsigned int kept;
};

static int count_functions(Elf *elf, unsigned int machine, struct share *s)
{
	struct elf_symbols symbols;
	int err = elf_symbols_load(elf, NULL, &symbols);

	for (size_t i = 0; !err && i < symbols.nr; i++) {
		const struct elf_function *g = &symbols.functions[i];
		Elf_Data *code;

		if (g->end - g->start < FAIR_SIZE || !strcmp(g->name, "[plt]"))
			continue;
		code = elf_getdata_rawchunk(elf, (int64_t)g->start, PROLOGUE, ELF_T_BYTE);
		if (!code || !code->d_buf)
			continue;
		s->all++;
		s->kept += keeps_frame(machine, code->d_buf, code->d_size);
	}
	elf_symbols_exit(&symbols);
	return err;
}

/* Open the first one of the usual paths of distributions that exists */
static int open_usual(const struct doctor *d, char *path, size_t size)
{
	static const char *const places[] = {
		"/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6",
		"/lib64/libc.so.6", "/usr/lib64/libc.so.6", "/lib/libc.so.6", "/usr/lib/libc.so.6",
		"/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1",
	};
	int fd = -ENOENT;

	for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		fd = root_open_file(d->root, places[i]);
		snprintf(path, size, "%s", places[i]);
	}
	return fd;
}

void doctor_libc_machine(struct doctor *d)
{
	unsigned char head[20];
	char path[64];
	int fd = open_usual(d, path, sizeof(path));

	if (fd < 0)
		return;
	/* e_machine is at the same offset in all ELF files */
	if (pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    !memcmp(head, ELFMAG, SELFMAG) && head[EI_DATA] == ELFDATA2LSB) {
		unsigned int machine = head[18] | (unsigned int)head[19] << 8;

		snprintf(d->machine, sizeof(d->machine), "%s", machine == EM_X86_64 ? "x86_64" :
			 machine == EM_AARCH64 ? "aarch64" : "");
	}
	close(fd);
}

/* Open the C library that this process has mapped */
static int open_mapped(char *path, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	int fd = -ENOENT;

	while (maps && fd < 0 && fgets(line, sizeof(line), maps)) {
		char *at = strchr(line, '/'), *base;

		if (!at)
			continue;
		at[strcspn(at, "\n")] = 0;
		base = strrchr(at, '/') + 1;
		if (strncmp(base, "libc.so", 7) && strncmp(base, "libc-2.", 7) &&
		    strncmp(base, "ld-musl-", 8))
			continue;
		snprintf(path, size, "%s", at);
		fd = root_open_file("", at);
	}
	if (maps)
		fclose(maps);
	return fd;
}

/* A statically linked tool has no C library mapped */
static int open_libc(const struct doctor *d, char *path, size_t size)
{
	int fd = *d->root ? -ENOENT : open_mapped(path, size);

	return fd < 0 ? open_usual(d, path, size) : fd;
}

static void judge(struct finding *f, const char *path, const struct share *s)
{
	unsigned int percent = s->all ? 100 * s->kept / s->all : 0;
	const char *base = strrchr(path, '/') + 1;

	if (s->all < FEWEST) {
		find(f, VERDICT_UNKNOWN, "%s has too few symbols to show whether it keeps frame pointers", base);
	} else if (percent >= MOST) {
		find(f, VERDICT_WORKS, "%s keeps frame pointers (%u of %u functions)", base, s->kept, s->all);
	} else {
		find(f, VERDICT_LIMIT, "%s %s frame pointers (%u of %u functions keep one): with -g fp, and from a plain cat, stacks through it %s", base,
		     percent >= SOME ? "has only some" : "does without", s->kept, s->all,
		     percent >= SOME ? "may miss callers" : "end early, or miss callers");
		fix(f, "record by unwind tables, which is the default; for the other ways build your programs with -fno-omit-frame-pointer; for libraries, take a distribution that does, as most of Fedora 38, Ubuntu 24.04 and later");
	}
}

void check_libc(const struct doctor *d, struct finding *f)
{
	char path[512] = "/";
	int fd = open_libc(d, path, sizeof(path)), err = -EIO;
	struct share s = { 0 };
	struct stat st;
	GElf_Ehdr eh;
	Elf *elf;

	if (fd < 0) {
		find(f, VERDICT_UNKNOWN, "no C library was found, so whether code keeps frame pointers is unknown");
		return;
	}
	elf = !fstat(fd, &st) && st.st_size <= MAX_LIBC ? section_open(fd) : NULL;
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh))
		err = count_functions(elf, eh.e_machine, &s);
	if (err)
		find(f, VERDICT_UNKNOWN, "%s cannot be read, so frame pointers are not known", path);
	else
		judge(f, path, &s);
	elf_end(elf);
	close(fd);
}

void check_table_cache(const struct doctor *d, struct finding *f)
{
	struct table_cache_state state;

	if (*d->root)
		return;
	table_cache_look(&state);
	if (!*state.path) {
		find(f, VERDICT_WORKS, "none are kept on disk: KFLAME_TABLE_CACHE says so");
	} else if (state.trouble) {
		find(f, VERDICT_LIMIT, "none are kept on disk, in %.256s: %s", state.path, state.trouble);
		fix(f, "each recording makes them anew: make %s its owner and the only one who may write it, or remove it",
		    geteuid() ? "your user" : "root");
	} else {
		find(f, VERDICT_WORKS, "%llu kept on disk, %.1f MiB of at most %.0f, in %.256s",
		     (unsigned long long)state.files, (double)state.bytes / (1 << 20),
		     (double)TABLE_CACHE_BYTES / (1 << 20), state.path);
	}
}

/* Runs in the sandbox */
static void answer(const struct sandbox_job *job)
{
	ssize_t n = write(job->out, "", 1);

	(void)n;
}

const struct sandbox_work doctor_work = { .name = "doctor", .run = answer };

void check_sandbox(const struct doctor *d, struct finding *f)
{
	const struct sandbox_limits limits = { .time_ns = 10 * NS_PER_S, .memory = 16 << 20, .files = 8 };
	struct sandbox child;
	char byte;
	int err;

	if (*d->root)
		return;
	err = sandbox_start(&child, &doctor_work, &limits, &(struct sandbox_input){ 0 });
	if (!err) {
		err = sandbox_read(&child, &byte, 1, 1) == 1 ? 0 : -EPERM;
		sandbox_end(&child);
	}
	if (!err) {
		find(f, VERDICT_WORKS, "programs are read by processes without privileges");
		return;
	}
	find(f, VERDICT_LIMIT, "no process without privileges can be started (%s): programs' functions will have no names",
	     strerror(-err));
	fix(f, "mount /proc, and allow this container to change its user (CAP_SETUID, CAP_SETGID) or to filter system calls");
}
