// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unnamed.c - the report on frames without a name: how many samples, why, and what would help
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "stacks/stacks.h"
#include "stacks/unnamed.h"
#include "symbols/distro_package.h"

#define FEW_ROWS	20

/* How the notes for frames without a name begin (names.c), and their explanation */
static const struct reason {
	const char *begins;
	const char *word;
	bool of_file;
	const char *help;	/* what would help; NULL: a debug file */
} reasons[] = {
	{ "[stripped: ", "stripped", true, NULL },
	{ "[not named: ", "not looked up", true, "the recording was cut short" },
	{ "[gone: ", "gone", true, "it was not there when names were looked up" },
	{ "[changed: ", "changed", true, "another file had its path when it was read" },
	{ "[time limit: ", "time limit", true, "to read it took too long" },
	{ "[damaged: ", "damaged", true, "no ELF file that can be read" },
	/* Must be before the next entry, which also matches it. */
	{ "[no frame pointer: anonymous memory]", "no frame pointer", true,
	  "code made at run time, its callers are missing: java -XX:+PreserveFramePointer" },
	{ "[no frame pointer: ", "no frame pointer", true,
	  "its callers are missing: build it with -fno-omit-frame-pointer" },
	{ "[anonymous memory]", "anonymous memory", false,
	  "a perf map or jitdump of its compiler, see kflame-names(7)" },
	{ "[unmapped]", "unmapped", false,
	  "code without frame pointers leads there, or code made at run time, which a perf map names" },
	{ "[truncated: page absent]", "page absent", false,
	  "the rest of the stack was not in memory" },
	{ "[truncated: copy too short]", "copy too short", false,
	  "the stack is longer than its copy: record with -g dump,64K" },
	{ "[truncated: not unwound]", "not unwound", false,
	  "the process that unwinds has ended; kflame record said so" },
	{ "[unwind table pending]", "table too late", false,
	  "its unwind table was made after the sample: record again, tables are kept" },
	{ "[no unwind information]", "no unwind information", false,
	  "assembler, or a program without .eh_frame" },
	{ "[truncated: depth]", "too deep", false, "the stack is deeper than is recorded" },
	{ "[kernel 0x", "kernel", false, "the kernel has no name for it" },
};

#define NR_REASONS	(sizeof(reasons) / sizeof(reasons[0]))

struct row {
	const struct reason *reason;
	const char *file;	/* base name, compared by its address; NULL for none */
	uint64_t samples;
	size_t stack;		/* number of the last stack that was counted */
};

struct table {
	bool foreign;		/* leave out frames of files that were not found */
	struct row *rows;
	size_t nr, cap;
	struct index index;
	size_t stack;
};

static const struct reason *reason_of(const struct frame *f)
{
	for (size_t i = 0; i < NR_REASONS; i++)
		if (!strncmp(f->name, reasons[i].begins, strlen(reasons[i].begins)) &&
		    !reasons[i].of_file == !f->file)
			return &reasons[i];
	return NULL;
}

/* Was the file of this frame not found? */
static bool not_found(const struct reason *reason)
{
	return !strcmp(reason->word, "gone") || !strcmp(reason->word, "changed") ||
	       !strcmp(reason->word, "not looked up");
}

static bool same_row(const void *ctx, uint32_t i, const void *key)
{
	const struct table *t = ctx;
	const struct row *wanted = key;

	return t->rows[i].reason == wanted->reason && t->rows[i].file == wanted->file;
}

static int count(struct table *t, const struct reason *reason, const char *file,
		 uint64_t samples)
{
	const struct row key = { .reason = reason, .file = file };
	uint64_t hash = hash_u64((uintptr_t)reason, (uintptr_t)file);
	uint32_t i = index_find(&t->index, hash, same_row, t, &key);
	int err;

	if (i == INDEX_NONE) {
		i = (uint32_t)t->nr;
		err = grow(&t->rows, t->nr, &t->cap, sizeof(*t->rows));
		if (!err)
			err = index_add(&t->index, hash, i);
		if (err)
			return err;
		t->rows[t->nr++] = key;
	}
	/* Count a stack with several such frames once. */
	if (t->rows[i].stack != t->stack)
		t->rows[i].samples += samples;
	t->rows[i].stack = t->stack;
	return 0;
}

static int take_stack(void *ctx, const struct frame *frames, size_t nr, uint64_t samples,
		      uint64_t ns)
{
	struct table *t = ctx;
	int err = 0;
	(void)ns;

	t->stack++;
	for (size_t i = 1; !err && i < nr; i++) {
		const struct reason *reason = frames[i].name[0] == '[' ? reason_of(&frames[i])
								       : NULL;

		if (reason && !(t->foreign && not_found(reason)))
			err = count(t, reason, frames[i].file, samples);
	}
	return err;
}

static int by_samples(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->reason != y->reason)
		return x->reason < y->reason ? -1 : 1;
	return strcmp(x->file ? : "", y->file ? : "");
}

static bool has_stripped(const struct table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!t->rows[i].reason->help)
			return true;
	return false;
}

/* Was the profile recorded on this machine, so that its packages can be searched? */
static bool is_here(const struct profile *p)
{
	const char *host = profile_host(p, "host");
	char name[256] = "";

	return host && !gethostname(name, sizeof(name) - 1) && !strcmp(host, name);
}

static void print_debug_file(FILE *out, const struct profile *p, const char *base, bool packages)
{
	const struct profile_file *f = NULL;
	char *package = NULL;

	for (size_t i = 0; i < p->nr_files; i++)
		if (p->files[i].base == base)
			f = &p->files[i];
	if (f && packages)
		package = package_with_symbols(f->path);
	if (package)
		fprintf(out, "install %s", package);
	else
		fputs("install its debug file", out);
	free(package);
	if (!f || !f->rec.build_id_len)
		return;
	fputs(" (build-id ", out);
	for (uint32_t i = 0; i < f->rec.build_id_len; i++)
		fprintf(out, "%02x", f->rec.build_id[i]);
	fputc(')', out);
}

static void print_row(FILE *out, const struct profile *p, const struct row *r, bool packages)
{
	char n[TEXT_NUMBER];

	fprintf(out, "%16s  %-16s  ", text_count(n, r->samples), r->reason->word);
	if (r->file) {
		text_put(out, r->file);
		fputs(": ", out);
	}
	if (r->reason->help)
		fputs(r->reason->help, out);
	else
		print_debug_file(out, p, r->file, packages);
	fputc('\n', out);
}

const char *unnamed_foreign(const struct profile *p)
{
	const char *machine = (const char *)p->session.machine;
	struct utsname u;

	/* A merged profile names all its machines */
	if (!p->has_session || !*machine || !p->nr_files || uname(&u) || strstr(machine, u.machine))
		return NULL;
	for (size_t i = 0; i < p->nr_files; i++) {
		const struct profile_file *f = &p->files[i];

		if (f->named && f->state != KFLAME_NAMED_GONE && f->state != KFLAME_NAMED_CHANGED)
			return NULL;
	}
	return strcmp(machine, "aarch64") ? machine : "arm64";
}

int unnamed_print(FILE *out, const struct profile *p, bool packages)
{
	struct table t = { .foreign = unnamed_foreign(p) };
	int err = profile_each_stack(p, take_stack, &t);
	bool asked;

	asked = packages;
	packages = packages && is_here(p);
	if (!err && t.nr) {
		qsort(t.rows, t.nr, sizeof(*t.rows), by_samples);
		fputs("\nframes without a name, in so many samples\n", out);
		for (size_t i = 0; i < t.nr && i < FEW_ROWS; i++)
			print_row(out, p, &t.rows[i], packages);
		if (t.nr > FEW_ROWS)
			fputs("                  and more\n", out);
		if (asked && !packages && has_stripped(&t))
			fputs("                  (--packages asks this machine's packages, and the profile is another one's:"
			      " run it there)\n", out);
		else if (!packages && has_stripped(&t))
			fputs("                  (--packages asks which packages have debug files)\n",
			      out);
	}
	index_exit(&t.index);
	free(t.rows);
	return err;
}
