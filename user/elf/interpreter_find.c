// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interpreter_find.c - find an interpreter of programs in a file, and describe it for the module
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "elf/cpython_find.h"
#include "elf/elf_sections.h"
#include "elf/interpreter_file.h"
#include "elf/interpreter_find.h"
#include "elf/perl_find.h"
#include "sandbox/answer.h"

#define TIME_NS		(60 * NS_PER_S)
#define MEMORY		(2ull << 30)
#define FILES		16
#define NAMES_MOST	(1u << 20)	/* bytes of dynamic symbols' names that are searched */

/* One line for each interpreter: a dynamic symbol that each file with it has, and what describes it */
static const struct {
	const char *symbol;
	int (*find)(const struct interpreter_file *f, struct kflame_interpreter *out);
} finders[] = {
	{ CPYTHON_SYMBOL, cpython_find },
	{ PERL_SYMBOL, perl_find },
};

#define NR_FINDERS (sizeof(finders) / sizeof(*finders))

static bool has_name(int fd, const Elf64_Shdr *section)
{
	const size_t len = section->sh_size < NAMES_MOST ? section->sh_size : NAMES_MOST;
	char *names = malloc(len + 1);
	const ssize_t n = names ? pread(fd, names, len, (off_t)section->sh_offset) : -1;
	bool found = false;

	for (size_t i = 0; n > 0 && i < NR_FINDERS && !found; i++)
		found = memmem(names, (size_t)n, finders[i].symbol, strlen(finders[i].symbol) + 1);
	free(names);
	return found;
}

bool interpreter_likely(int fd)
{
	struct elf_sections s;
	bool found = false;

	if (!elf_sections_read(fd, &s))
		for (size_t i = 0; i < s.nr && !found; i++)
			found = s.all[i].sh_type == SHT_STRTAB && s.all[i].sh_flags & SHF_ALLOC &&
				has_name(fd, &s.all[i]);
	elf_sections_exit(&s);
	return found;
}

/* ------------------------------------------------------------- in the sandbox */

int interpreter_find(int fd, struct kflame_interpreter *out)
{
	struct interpreter_file f;
	int err = interpreter_file_open(fd, &f), found = -ENOENT;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; !err && found == -ENOENT && i < NR_FINDERS; i++) {
		memset(out, 0, sizeof(*out));
		out->size = sizeof(*out);
		found = finders[i].find(&f, out);
	}
	interpreter_file_close(&f);
	return err ? err : found;
}

/* The answer of the sandbox */
struct found {
	int32_t err;
	struct kflame_interpreter is;
};

static void run(const struct sandbox_job *job)
{
	struct found f;

	memset(&f, 0, sizeof(f));
	f.err = interpreter_find(job->fds[0], &f.is);
	if (write(job->out, &f, sizeof(f)) != sizeof(f))
		return;
}

const struct sandbox_work interpreter_work = { .name = "interpreter", .run = run };

/* ----------------------------------------------------------------- in the tool */

int interpreter_ask(int fd, struct kflame_interpreter *out)
{
	const struct sandbox_limits limits = { .time_ns = TIME_NS, .files = FILES,
					       .memory = sandbox_memory(fd, MEMORY) };
	const struct sandbox_input input = { .fds = &fd, .nr_fds = 1, .owner = &fd };
	struct sandbox child;
	struct found f;
	ssize_t n;
	int err;

	err = sandbox_start(&child, &interpreter_work, &limits, &input);
	if (err)
		return err;
	n = sandbox_read(&child, &f, sizeof(f), sizeof(f));
	sandbox_end(&child);
	if (n != sizeof(f))
		return n < 0 ? -ETIMEDOUT : -EIO;
	*out = f.is;
	return !f.err || f.err == -ENOENT || f.err == -ENOMEM ? f.err : -EIO;
}
