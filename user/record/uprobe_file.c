// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uprobe_file.c - the file and the offset that an event such as "uprobe:FILE:SYMBOL+4" means
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/regular_file.h"
#include "elf/debug_files.h"
#include "elf/disassembly.h"
#include "elf/symbol_search.h"
#include "record/uprobe_file.h"

#define MOST_DECODED		65536	/* bytes of a function before an offset in it */
#define LONGEST_INSTRUCTION	16	/* bytes */

/* A number to the end of the text */
static bool is_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && !*end;
}

int uprobe_parse(const char *text, struct uprobe_name *out)
{
	char *file = strdup(text), *symbol, *plus;

	*out = (struct uprobe_name){ .file = file };
	if (!file)
		return -ENOMEM;
	symbol = strrchr(file, ':');
	if (!symbol || symbol == file || !symbol[1])
		goto wrong;
	*symbol++ = 0;
	if (isdigit((unsigned char)*symbol)) {
		if (is_number(symbol, &out->by))
			return 0;
		goto wrong;
	}
	plus = strrchr(symbol, '+');
	if (plus && (plus == symbol || !is_number(plus + 1, &out->by)))
		goto wrong;
	if (plus)
		*plus = 0;
	out->symbol = symbol;
	return 0;

wrong:
	free(file);
	out->file = NULL;
	return -EINVAL;
}

int uprobe_event_name(const char *kind, const char *text, char *name, size_t size)
{
	const char *end = strrchr(text, ':'), *from = text, *dots = "";

	while (strlen(kind) + sizeof(":") + strlen(dots) + strlen(from) > size) {
		from = memchr(from + 1, '/', end > from ? (size_t)(end - from - 1) : 0);
		if (!from)
			return -ENAMETOOLONG;
		dots = "...";
	}
	snprintf(name, size, "%s:%s%s", kind, dots, from);
	for (; *name; name++)
		if (*name <= ' ' || *name > '~')
			*name = '_';
	return 0;
}

/* Open a program in the directories of PATH.  Return: as regular_file_open() */
static int open_in_path(const char *file, struct stat *st)
{
	const char *dirs = getenv("PATH"), *next;
	char path[PATH_MAX];
	int fd = -1, found;

	for (; fd < 0 && dirs && *dirs; dirs = next) {
		size_t len = strcspn(dirs, ":");

		next = dirs + len + !!dirs[len];
		if (!len || (size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)len, dirs, file) >= sizeof(path))
			continue;
		found = !access(path, X_OK);
		if (found)
			fd = regular_file_open(path, NULL, st);
		if (found && fd < 0)
			return -1;
	}
	if (fd < 0)
		errno = ENOENT;
	return fd;
}

static int open_file(const char *event, const char *file)
{
	struct stat st;
	int fd;

	if (strchr(file, '/'))
		fd = regular_file_open(file, NULL, &st);
	else
		fd = open_in_path(file, &st);
	if (fd < 0 && errno == ENOENT && !strchr(file, '/'))
		complain("%s: no program %s is in PATH: give its path, such as ./%s", event, file, file);
	else if (fd < 0 && errno == ENOENT)
		complain("%s: there is no regular file %s: give the path of a program or a library", event, file);
	else if (fd < 0)
		complain("%s: cannot open %s: %s. Give a regular file that you may read, on a file system that stores files",
			 event, file, strerror(errno));
	return fd;
}

/* Look in the file, and in its debug file if one is installed */
static int ask(int fd, const struct uprobe_name *n, struct symbol_place *place)
{
	struct debug_files debug = { .fd = -1 };
	struct elf_summary elf;
	int err;

	if (!elf_summary_read(fd, &elf)) {
		place->state = SYMBOL_DAMAGED;
		return 0;
	}
	if (n->symbol && elf_summary_symbols_elsewhere(&elf))
		debug_files_find_here(&elf, fd, n->file, NULL, &debug);
	err = symbol_ask(fd, debug.fd, n->symbol, n->by, place);
	if (debug.fd >= 0)
		debug_files_close(&debug);
	return err;
}

static void tell_missing(const char *event, const struct uprobe_name *n, const struct symbol_place *p)
{
	char near[NEAR_NAMES_TEXT];

	if (p->near.nr)
		complain("%s: %s has no symbol %s. Similar ones are: %s", event, n->file, n->symbol,
			 near_names_text(&p->near, near, sizeof(near)));
	else
		complain("%s: %s has no symbol %s: see 'nm %s' and 'nm -D %s', or give an address such as %s:0x1234",
			 event, n->file, n->symbol, n->file, n->file, n->file);
}

static void tell_outside(const char *event, const struct uprobe_name *n, const struct symbol_place *p)
{
	if (!n->symbol)
		complain("%s: no code of %s is at the address %#llx: see 'objdump -d %s' for addresses", event, n->file,
			 (unsigned long long)n->by, n->file);
	else if (p->bytes)
		complain("%s: the offset is outside of %s, which has %llu bytes: see 'objdump -d %s' for instructions",
			 event, n->symbol, (unsigned long long)p->bytes, n->file);
	else
		complain("%s: the offset leads out of the code of %s: see 'objdump -d %s' for instructions", event, n->file,
			 n->file);
}

/* Return: whether there is a place; if not, after a message */
static bool is_found(const char *event, const struct uprobe_name *n, const struct symbol_place *p)
{
	switch (p->state) {
	case SYMBOL_FOUND:
		return true;
	case SYMBOL_MISSING:
		tell_missing(event, n, p);
		break;
	case SYMBOL_DATA:
		complain("%s: %s of %s is data, and only code can be probed: name a function", event, n->symbol, n->file);
		break;
	case SYMBOL_IFUNC:
		complain("%s: each program chooses at its start which function %s stands for (an IFUNC of %s): name one of those functions, or give its address as %s:0x1234",
			 event, n->symbol, n->file, n->file);
		break;
	case SYMBOL_IMPORTED:
		complain("%s: %s only calls %s, which is in a library: name the library in place of %s", event, n->file,
			 n->symbol, n->file);
		break;
	case SYMBOL_SEVERAL:
		complain("%s: %s has several functions %s, at %#llx and %#llx among others: give the address of one, as %s:%#llx",
			 event, n->file, n->symbol, (unsigned long long)p->address, (unsigned long long)p->other, n->file,
			 (unsigned long long)p->address);
		break;
	case SYMBOL_OUTSIDE:
		tell_outside(event, n, p);
		break;
	default:
		complain("%s: %s is not an ELF file of this machine: give a program or a library", event, n->file);
	}
	return false;
}

/* Return: EM_* of the file; EM_NONE */
static unsigned int machine_of(int fd)
{
	Elf64_Ehdr eh;

	return pread(fd, &eh, sizeof(eh), 0) == sizeof(eh) ? eh.e_machine : EM_NONE;
}

/*
 * A breakpoint inside an instruction makes the probed programs misbehave.  So decode the function up to there.
 * Return: false after a message; true also if that is not known, because Capstone is not installed.
 */
static bool is_instruction(const char *event, const struct uprobe_file *u, const struct uprobe_name *n)
{
	unsigned char code[MOST_DECODED];
	struct instruction *all = NULL;
	uint64_t at = 0, before = 0;
	const char *why;
	ssize_t len;
	size_t nr;

	if (!n->symbol || !n->by || n->by > sizeof(code) - LONGEST_INSTRUCTION)
		return true;
	len = pread(u->fd, code, (size_t)n->by + LONGEST_INSTRUCTION, (off_t)(u->offset - n->by));
	if (len <= 0 || disassemble(machine_of(u->fd), 0, code, (size_t)len, &all, &nr, &why))
		return true;
	for (size_t i = 0; i < nr && at < n->by; i++) {
		before = at;
		at = all[i].address + all[i].bytes;
	}
	free(all);
	if (at <= n->by)
		return true;
	complain("%s: no instruction begins there, and programs that run %s would misbehave: use +%llu or +%llu", event,
		 n->symbol, (unsigned long long)before, (unsigned long long)at);
	return false;
}

/* A writable page would not be checked */
static void map_page(struct uprobe_file *u)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	u->page = mmap(NULL, page, PROT_READ, MAP_PRIVATE, u->fd, (off_t)(u->offset & ~(page - 1)));
	if (u->page == MAP_FAILED)
		u->page = NULL;
	u->page_bytes = page;
}

int uprobe_file_open(const char *event, const char *text, struct uprobe_file *out)
{
	struct symbol_place place;
	struct uprobe_name n;
	int err = uprobe_parse(text, &n);

	*out = (struct uprobe_file){ .fd = -1 };
	if (err) {
		complain("%s: %s", event, strerror(-err));
		return -1;
	}
	out->fd = open_file(event, n.file);
	if (out->fd >= 0) {
		err = ask(out->fd, &n, &place);
		if (err)
			complain("%s: the symbols of %s cannot be read: %s. Give an address such as %s:0x1234", event, n.file,
				 strerror(-err), n.file);
	}
	if (out->fd < 0 || err || !is_found(event, &n, &place)) {
		err = -1;
	} else {
		out->offset = place.offset;
		map_page(out);
		err = is_instruction(event, out, &n) ? 0 : -1;
	}
	if (err)
		uprobe_file_close(out);
	free(n.file);
	return err;
}

void uprobe_file_close(struct uprobe_file *u)
{
	if (u->page)
		munmap(u->page, u->page_bytes);
	if (u->fd >= 0)
		close(u->fd);
	*u = (struct uprobe_file){ .fd = -1 };
}
