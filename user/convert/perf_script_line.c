// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_script_line.c - parses single lines of "perf script"
 *
 * Names may contain blanks, digits and brackets. So the end of a line shows what kind of line it is.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/perf_script_line.h"

static char *skip_blanks(char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void cut_blanks(char *begin, char *end)
{
	while (end > begin && is_blank(end[-1]))
		end--;
	*end = 0;
}

/* Parse a number in a base up to 16.  Return: the text behind it; NULL if there is no number */
static char *take_number(char *p, int base, uint64_t *value)
{
	uint64_t n = 0;
	char *begin = p;

	for (; isxdigit((unsigned char)*p); p++) {
		int digit = *p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10;

		if (digit >= base || __builtin_mul_overflow(n, (uint64_t)base, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n))
			return NULL;
	}
	*value = n;
	return p == begin ? NULL : p;
}

/* Parse the id of a process or thread; perf writes -1 for an unknown task */
static char *take_id(char *p, uint32_t *id)
{
	bool negative = *p == '-';
	uint64_t n;

	p = take_number(p + negative, 10, &n);
	if (!p || n > UINT32_MAX)
		return NULL;
	*id = negative ? 0 : (uint32_t)n;
	return p;
}

/* Skip "[001]" and "123.456789:", if they are there; @found: one of them is */
static char *skip_cpu_and_time(char *p, bool *found)
{
	char *q = skip_blanks(p);
	uint64_t n;
	size_t len;

	*found = false;
	if (*q == '[') {
		q = take_number(q + 1, 10, &n);
		if (q && *q == ']') {
			p = skip_blanks(q + 1);
			*found = true;
		}
	}
	/* perf script -F +misc prints these letters before the time */
	q = skip_blanks(p);
	len = strspn(q, "KUHGgMESp");
	if (len && is_blank(q[len]) && isdigit((unsigned char)*skip_blanks(q + len)))
		p = q + len;
	q = take_number(skip_blanks(p), 10, &n);
	if (q && *q == '.')
		q = take_number(q + 1, 10, &n);
	else
		q = NULL;
	if (!q || *q != ':')
		return p;
	*found = true;
	return q + 1;
}

/* Parse "250000 cpu-clock:u: " */
static bool take_event(char *p, bool after_time, struct perf_header *h)
{
	char *q = skip_blanks(p), *end;

	h->period = 0;
	p = take_number(q, 10, &h->period);
	if (p && is_blank(*p))
		q = skip_blanks(p);
	else
		h->period = 0;
	end = q + strcspn(q, " \t");
	h->event = q;
	h->rest = skip_blanks(end);
	h->wide = h->rest + strspn(h->rest, "0123456789abcdef") - end > 16;
	/* "PERF_RECORD_COMM exec: spin:4711/4711" */
	h->is_record = !strncmp(q, "PERF_RECORD_", 12);
	if (end == q || h->is_record)
		return after_time || h->is_record;
	if (isdigit((unsigned char)*q) || end[-1] != ':' || end == q + 1)
		return false;
	*(end - 1) = 0;
	return true;
}

/* Parse the text behind the thread's name; @p is at the process id */
static bool take_tail(char *p, struct perf_header *h)
{
	bool found;

	p = take_id(p, &h->tgid);
	if (!p)
		return false;
	h->tid = h->tgid;
	if (*p == '/') {
		p = take_id(p + 1, &h->tid);
		if (!p)
			return false;
	}
	if (!is_blank(*p))
		return false;
	p = skip_cpu_and_time(p, &found);
	h->has_time = found;
	return take_event(p, found, h);
}

bool perf_header_parse(char *line, struct perf_header *h)
{
	char *p;

	h->comm = skip_blanks(line);
	for (p = h->comm; *p; p++) {
		if (p > h->comm && (!is_blank(*p) || is_blank(p[-1])))
			continue;
		if (!take_tail(skip_blanks(p), h))
			continue;
		if (p == h->comm && !is_blank(*p))
			h->comm = p + strlen(p);	/* the thread has no name */
		else
			cut_blanks(h->comm, p);
		return true;
	}
	return false;
}

/* Is it a tracepoint or probe, such as "sched:sched_switch"?  In "cycles:ppp", ppp is a modifier, no name */
static bool is_tracepoint(const char *event)
{
	const char *colon = strchr(event, ':');

	return colon && colon[1 + strspn(colon + 1, "ukhHGpPSDWeIb:")];
}

/* "401136 main+0x0 (/x) => 401120 f+0x0 (/x)"; or, with -F brstack, "0x401136/0x401120/P/-/-/0" */
bool perf_header_is_branch(const struct perf_header *h)
{
	const char *arrow = strstr(h->rest, "=> ");
	const char *to = h->rest + strspn(h->rest, "0123456789abcdefx");
	size_t len;

	if (is_tracepoint(h->event))
		return false;
	if (!strncmp(h->rest, "0x", 2) && !strncmp(to, "/0x", 3))
		return true;
	if (!arrow || (arrow > h->rest && !is_blank(arrow[-1])))
		return false;
	arrow += 3;
	arrow += strspn(arrow, " \t");
	len = strspn(arrow, "0123456789abcdef");
	return len && (is_blank(arrow[len]) || !arrow[len]);
}

bool perf_header_has_frame(const struct perf_header *h)
{
	/* For a tracepoint, perf prints its values there, which may begin with anything */
	return !is_tracepoint(h->event) || (h->wide && h->rest[strlen(h->rest) - 1] == ')');
}

/* Return: the "(" of the file name at the end of @p; the name may contain brackets; NULL for none */
static char *find_file(char *p)
{
	char *at = p + strlen(p);
	int depth = 0;

	if (at == p || at[-1] != ')')
		return NULL;
	while (at > p) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (!depth && *at == '(' && (at == p || is_blank(at[-1])))
			return at;
		if (depth < 0)
			break;
	}
	at = strrchr(p, '(');
	return at && (at == p || is_blank(at[-1])) ? at : NULL;
}

/* Remove "+0x1a" from the end of a symbol, and keep it in @at */
static void take_offset(char *symbol, struct place *at)
{
	char *plus = strrchr(symbol, '+'), *end;
	uint64_t offset;

	if (!plus || plus == symbol || strncmp(plus, "+0x", 3))
		return;
	end = take_number(plus + 3, 16, &offset);
	if (!end || *end)
		return;
	*plus = 0;
	if (offset < at->address)
		at->start = at->address - offset;
}

/* Does a name in brackets look like a kernel module?  "[anon:heap]" and "[JIT app cache]" do not */
static bool is_module_name(const char *file)
{
	static const char *const areas[] = {
		"[vdso]", "[vsyscall]", "[vvar]", "[heap]", "[stack]", "[uprobes]", "[unknown]",
		"[vectors]", "[sigpage]", "[anon]",
	};
	size_t len = strlen(file);

	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
		if (!strcmp(file, areas[i]))
			return false;
	return len > 2 && file[0] == '[' && file[len - 1] == ']' &&
	       1 + strspn(file + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len - 1;
}

/* Such as "[kernel.kallsyms]", "[guest.kernel.kallsyms.1]", "[kernel]_text" or "/boot/vmlinux-6.1" */
static bool is_kernel_name(const char *file)
{
	const char *base = strrchr(file, '/');

	if (file[0] == '[')
		return !strncmp(file, "[kernel", 7) || !strncmp(file, "[guest.kernel", 13);
	return !strncmp(base ? base + 1 : file, "vmlinux", 7);
}

/* "/tmp/perf-4711.map"; "jitted-4711-12.so" of perf inject; ART's "[JIT app cache]" */
static bool is_jit(const char *file)
{
	const char *base = strrchr(file, '/');
	int end = 0;

	base = base ? base + 1 : file;
	if (sscanf(base, "perf-%*[0-9].map%n", &end) == 0 && end && !base[end])
		return true;
	end = 0;
	if (sscanf(base, "jitted-%*[0-9]-%*[0-9].so%n", &end) == 0 && end && !base[end])
		return true;
	return !strncmp(base, "[JIT", 4);
}

/*
 * Decide by the address: on 64-bit machines, the kernel has the upper half.  Addresses in the first 4 GiB may
 * belong to a 32-bit machine, or be offsets in a module. For those, the file name decides.
 */
static bool is_kernel(const char *file, uint64_t address)
{
	if (is_kernel_name(file))
		return true;
	if (address > UINT32_MAX)
		return address >> 63 && strcmp(file, "[vsyscall]");
	return is_module_name(file) && !is_jit(file);
}

static void set_kernel(struct frame *f, char *file)
{
	size_t len = strlen(file);

	f->kind = FRAME_KERNEL;
	/* "[ext4]" is a module, "[kernel.kallsyms]" and "[guest.kernel.kallsyms.1]" are not */
	if (len > 2 && file[0] == '[' && file[len - 1] == ']' && !strstr(file, "kernel")) {
		file[len - 1] = 0;
		f->file = file + 1;
	}
}

/* Set the file of a frame from perf's text */
static void set_file(struct frame *f, struct place *at, char *file)
{
	const char *base = strrchr(file, '/');
	base = base && base[1] ? base + 1 : file;
	if (!strcmp(file, "inlined")) {
		f->kind = FRAME_INLINED;
		at->inlined = true;
	} else if (!*file || !strcmp(file, "[unknown]")) {
		return;
	} else if (is_kernel(file, at->address)) {
		set_kernel(f, file);
	} else if (is_jit(file)) {
		f->file = FRAME_FILE_JIT;
	} else {
		f->file = base;
		at->path = file;
	}
}

/* Name a frame without a symbol by its file, in brackets: those of @file, or added ones */
static void set_unknown(struct frame *f, char *file)
{
	char *base;

	f->kind = FRAME_NOTE;
	f->name = "[unknown]";
	if (!file || !*file)
		return;
	if (file[0] == '[') {
		f->name = file;
		return;
	}
	base = strrchr(file, '/');
	base = base && base[1] ? base + 1 : file;
	/* There is room for brackets: one or a slash precedes the name, and one followed it */
	base[strlen(base) + 1] = 0;
	base[strlen(base)] = ']';
	*--base = '[';
	f->name = base;
}

bool perf_frame_parse(char *line, struct frame *f, struct place *at)
{
	char *p = skip_blanks(line), *file, *end;
	size_t len;

	*f = (struct frame){ .kind = FRAME_USER };
	*at = (struct place){ 0 };
	end = take_number(p, 16, &at->address);
	if (!end || !is_blank(*end))
		return false;
	p = skip_blanks(end);
	if (!*p)
		return false;
	file = find_file(p);
	if (file) {
		cut_blanks(p, file);
		file++;
		len = strlen(file);
		file[len - 1] = 0;
		if (len > 11 && !strcmp(file + len - 11, " (deleted)"))
			file[len - 11] = 0;
	}
	take_offset(p, at);
	if (!*p || !strcmp(p, "[unknown]")) {
		set_unknown(f, file);
		return true;
	}
	if (file)
		set_file(f, at, file);
	len = strlen(p);
	if (len > 2 && p[0] == '[' && p[len - 1] == ']')
		f->kind = FRAME_NOTE;
	f->name = p;
	return true;
}
