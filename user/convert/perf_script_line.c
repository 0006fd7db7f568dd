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

#define COMM_LEN	16	/* of a thread's name: TASK_COMM_LEN */

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

/* Skip "[001]", if it is there; perf writes -1 for an unknown CPU */
static char *skip_cpu(char *p)
{
	char *q = skip_blanks(p);
	uint64_t n;

	if (*q != '[')
		return p;
	q = take_number(q + 1 + (q[1] == '-'), 10, &n);
	return q && *q == ']' ? q + 1 : p;
}

/* Skip the letters that perf script -F +misc prints before the time */
static char *skip_misc(char *p)
{
	char *q = skip_blanks(p);
	size_t len = strspn(q, "KUHGgMESp");

	return len && is_blank(q[len]) && isdigit((unsigned char)*skip_blanks(q + len)) ? q + len : p;
}

/* Skip "2021-02-25 10:23:12.123456", which perf script -F +tod prints */
static char *skip_date(char *p)
{
	const char *form = "dddd-dd-dd dd:dd:dd.d";
	char *q = skip_blanks(p);

	for (; *form; form++, q++)
		if (*form == 'd' ? !isdigit((unsigned char)*q) : *q != *form)
			return p;
	return q + strspn(q, "0123456789");
}

/* Skip "123.456789:" */
static char *skip_time(char *p)
{
	uint64_t n;
	char *q = take_number(skip_blanks(p), 10, &n);

	if (q && *q == '.')
		q = take_number(q + 1, 10, &n);
	else
		q = NULL;
	return q && *q == ':' ? q + 1 : p;
}

/* Return: the number that follows @p in a column of 16, as perf prints an address; NULL for none */
static char *address_after(char *p)
{
	char *begin = skip_blanks(p), *end;
	uint64_t n;

	end = take_number(begin, 16, &n);
	return end && end - p > 16 && (!*end || is_blank(*end)) ? begin : NULL;
}

/* Return: the ":" at the end of an event's name; NULL for none.  Only "raw 0x1a8:" has a blank */
static char *end_of_event(char *name)
{
	char *end = name + (strncmp(name, "raw 0x", 6) ? 0 : 4);

	end += strcspn(end, " \t");
	return end > name + 1 && end[-1] == ':' && !isdigit((unsigned char)*name) ? end - 1 : NULL;
}

/*
 * Parse the text behind the time of a header without an event: a period, a frame, or both.  Any text with a
 * number looks like a thread with its id. So the frame must be in perf's column or, without a time, on the
 * next line.
 */
static bool take_no_event(char *p, bool after_time, struct perf_header *h)
{
	char *end = take_number(skip_blanks(p), 10, &h->period);

	if (end && (address_after(end) || (!*end && !address_after(p))))
		p = end;
	else
		h->period = 0;
	h->rest = skip_blanks(p);
	if (*h->rest && !address_after(p))
		return false;
	h->event = h->rest + strlen(h->rest);
	h->is_bare = !after_time && !*h->rest;
	return true;
}

/* Skip the period, if there is one.  Return: where the event's name begins */
static char *take_period(char *p, uint64_t *period)
{
	char *q = skip_blanks(p), *end = take_number(q, 10, period);

	if (end && is_blank(*end))
		return skip_blanks(end);
	*period = 0;
	return q;
}

/* Parse "250000 cpu-clock:u: " */
static bool take_event(char *p, bool after_time, struct perf_header *h)
{
	char *q = take_period(p, &h->period), *end;

	h->event = q;
	h->is_bare = false;
	/* "PERF_RECORD_COMM exec: spin:4711/4711" */
	h->is_record = !strncmp(q, "PERF_RECORD_", 12);
	if (h->is_record)
		return true;
	end = end_of_event(q);
	if (!end)
		return take_no_event(p, after_time, h);
	*end++ = 0;
	h->rest = skip_blanks(end);
	h->wide = address_after(end);
	return true;
}

/* Parse the text behind the thread's name; @p is at the process id */
static bool take_tail(char *p, bool whole, struct perf_header *h)
{
	char *q;

	p = take_id(p, &h->tgid);
	if (!p)
		return false;
	h->tid = h->tgid;
	if (*p == '/') {
		p = take_id(p + 1, &h->tid);
		if (!p)
			return false;
	}
	if (*p && !is_blank(*p))
		return false;
	q = skip_time(skip_date(skip_misc(skip_cpu(p))));
	h->has_time = q > p;
	if (whole && (!h->has_time || !end_of_event(take_period(q, &h->period))))
		return false;
	return take_event(q, h->has_time, h);
}

/* Find the id behind the name.  @whole: only with time and event, after a name as long as Linux allows */
static bool find_id(char *line, bool whole, struct perf_header *h)
{
	char *p;

	h->comm = skip_blanks(line);
	for (p = h->comm; *p && (!whole || p - h->comm <= COMM_LEN); p++) {
		if (p > h->comm && (!is_blank(*p) || is_blank(p[-1])))
			continue;
		if (!take_tail(skip_blanks(p), whole, h))
			continue;
		if (p == h->comm && !is_blank(*p))
			h->comm = p + strlen(p);	/* the thread has no name */
		else
			cut_blanks(h->comm, p);
		return true;
	}
	return false;
}

/* A name may look like an id and an event: "x 1 y:".  So first look for an id with all that perf prints */
bool perf_header_parse(char *line, struct perf_header *h)
{
	return find_id(line, true, h) || find_id(line, false, h);
}

/* Is it a tracepoint or probe, such as "sched:sched_switch"?  In "cycles:ppp", ppp is a modifier, no name */
static bool is_tracepoint(const char *event)
{
	const char *colon = strchr(event, ':');

	return colon && colon[1 + strspn(colon + 1, "ukhHGpPSDWeIb:")];
}

/* "0x401136/0x401120/P/-/-/0" or "main+0x4/f+0x0/M/X/A/12", as -F brstack and brstacksym print branches */
static const char *find_branch_entry(const char *p)
{
	for (p = strchr(p, '/'); p; p = strchr(p + 1, '/'))
		if (p[1] && strchr("PMN-", p[1]) && p[2] == '/' && p[3] && strchr("X-", p[3]) && p[4] == '/' &&
		    p[5] && strchr("A-", p[5]) && p[6] == '/' && isdigit((unsigned char)p[7]))
			return p;
	return NULL;
}

/* Does the text begin with a hexadecimal number, as a frame does? */
static bool has_address(const char *p)
{
	size_t len = strspn(p, "0123456789abcdef");

	return len && (is_blank(p[len]) || !p[len]);
}

/* "401136 main+0x0 (/x) => 401120 f+0x0 (/x)", but not the function "(x) => c" in "401136 (x) => c (/x)" */
static bool is_jump(const char *p)
{
	const char *arrow = strstr(p, "=> "), *to;
	size_t len;

	if (!arrow || (arrow > p && !is_blank(arrow[-1])))
		return false;
	to = arrow + 3 + strspn(arrow + 3, " \t");
	len = strspn(to, "0123456789abcdef");
	return has_address(to) && (len > 3 || to[len + strspn(to + len, " \t")] != '(');
}

bool perf_header_is_branch(const struct perf_header *h)
{
	if (is_tracepoint(h->event))
		return false;
	return is_jump(h->rest) || (find_branch_entry(h->rest) && !has_address(h->rest));
}

bool perf_line_is_branch(const char *line)
{
	line += strspn(line, " \t");
	return has_address(line) && is_jump(line);
}

/* The last " (/path" or " ([name]" of a text; NULL for none */
static char *find_path(char *p)
{
	char *at = NULL;

	for (; *p; p++)
		if (is_blank(p[0]) && p[1] == '(' && (p[2] == '/' || p[2] == '['))
			at = p + 1;
	return at;
}

char *perf_header_frame(const struct perf_header *h)
{
	char *frame = h->rest, *next;

	/* For a tracepoint, perf prints its values there, which may begin with anything */
	if (is_tracepoint(h->event) &&
	    (!h->wide || h->rest[strlen(h->rest) - 1] != ')' || !find_path(h->rest)))
		return NULL;
	if (!has_address(frame))
		return NULL;
	/* -F +addr, data_src and weight print other numbers before the address of the frame */
	for (char *p = frame; *p; p = next + strcspn(next, " \t")) {
		next = skip_blanks(p);
		if (next > p && address_after(p) && strpbrk(next, " \t"))
			frame = next;
	}
	/* After an event, a number alone is one of these; perf prints it even where there is no frame */
	return !*h->event || strpbrk(frame, " \t") ? frame : NULL;
}

/* "0x108@perf.data [0x50]: event: 69", ". ... raw event" or " ... thread: x:1" of perf script -D */
static bool is_dump(const char *line)
{
	line += line[0] == ' ';
	if (line[0] == '.')
		return !line[1] || line[1] == ' ' || line[1] == '.';
	return !strncmp(line, "0x", 2) && strstr(line, " [0x") && strstr(line, "]: event: ");
}

bool perf_line_is_code(const char *line)
{
	const char *p = line + strspn(line, " \t");

	if (is_dump(line) || (line[0] == '|' && isdigit((unsigned char)line[1])))
		return true;
	return strspn(p, "0123456789abcdef") == 16 && p[16] == '\t';
}

/* A function in the list of -F +brstackinsn: "main:" or "main:	main.c:12" */
static bool is_label(const char *line)
{
	const char *colon = strchr(line, ':');

	while (colon && colon[1] == ':')
		colon = strchr(colon + 2, ':');
	return line[0] == '\t' && !has_address(line + strspn(line, " \t")) && colon && colon > line + 1 &&
	       (!colon[1] || colon[1] == '\t');
}

bool perf_line_is_extra(const char *line)
{
	static const char *const begins[] = { "ABI:", "ilen: ", "insn: ", "IPC: ", "=> ", "... " };
	const char *p = line + strspn(line, " \t");

	if (p == line)
		return false;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(p, begins[i], strlen(begins[i])))
			return true;
	/* -F +phys_addr prints a number in a column of 16; that of a frame follows a tab, or blanks for one */
	if (line[0] == ' ' && strlen(line) == 16 && !p[strspn(p, "0123456789abcdef")])
		return true;
	return is_label(line) || (find_branch_entry(p) && !has_address(p));
}

/* Return: the "(" that belongs to the ")" at the end; NULL for none */
static char *find_open(char *p)
{
	int depth = 0;

	for (char *at = p + strlen(p); at > p;) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (depth <= 0)
			return depth || *at != '(' ? NULL : at;
	}
	return NULL;
}

/* Return: the "(" of the file name at the end of @p; symbol and file may contain brackets; NULL for none */
static char *find_file(char *p)
{
	char *at = find_open(p), *close;

	if (at && (at == p || is_blank(at[-1])))
		return at;
	/* A path with half a pair of brackets, or, with some -F, more text after the file */
	at = find_path(p);
	close = at && p[strlen(p) - 1] != ')' ? strchr(at, ')') : NULL;
	if (close)
		close[1] = 0;
	return at && p[strlen(p) - 1] == ')' ? at : NULL;
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
	/* With more after it, such as "[vdso32]" and "[vvar_vclock]" */
	static const char *const areas[] = {
		"[vdso", "[vsyscall", "[vvar", "[heap", "[stack", "[uprobes", "[unknown", "[vectors", "[sigpage",
		"[anon",
	};
	size_t len = strlen(file);

	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
		if (!strncmp(file, areas[i], strlen(areas[i])))
			return false;
	return len > 2 && file[0] == '[' && file[len - 1] == ']' &&
	       1 + strspn(file + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len - 1;
}

/* The name of a file without its folders; @path itself if it ends in a slash */
static char *base_name(char *path)
{
	char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "vmlinux", "vmlinux-6.1" or "vmlinux.debug", but not "vmlinux-to-elf" */
static bool is_vmlinux(const char *base)
{
	if (strncmp(base, "vmlinux", 7))
		return false;
	return !base[7] || base[7] == '.' || (strchr("-_", base[7]) && isdigit((unsigned char)base[8]));
}

/* Return: where the ".ko" or ".ko.xz" of a module's file begins; NULL for another file */
static char *find_ko(char *base)
{
	char *ko = strstr(base, ".ko");

	return ko && ko > base && (!ko[3] || ko[3] == '.') ? ko : NULL;
}

/* Such as "[kernel.kallsyms]", "[guest.kernel.kallsyms.1]", "[kernel]_text" or "/boot/vmlinux-6.1" */
static bool is_kernel_name(char *file)
{
	if (file[0] == '[')
		return !strncmp(file, "[kernel", 7) || !strncmp(file, "[guest.kernel", 13);
	return is_vmlinux(base_name(file)) || find_ko(base_name(file));
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
static bool is_kernel(char *file, uint64_t address)
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
	char *ko = find_ko(base_name(file));

	f->kind = FRAME_KERNEL;
	/* "[ext4]" is a module, "[kernel.kallsyms]" and "[guest.kernel.kallsyms.1]" are not */
	if (len > 2 && file[0] == '[' && file[len - 1] == ']' && !strstr(file, "kernel")) {
		file[len - 1] = 0;
		f->file = file + 1;
	} else if (ko) {
		*ko = 0;
		f->file = base_name(file);
	}
}

/* Set the file of a frame from perf's text */
static void set_file(struct frame *f, struct place *at, char *file)
{
	if (!strcmp(file, "inlined")) {
		perf_frame_inlined(f, at);
	} else if (!*file || !strcmp(file, "[unknown]")) {
		return;
	} else if (is_kernel(file, at->address)) {
		set_kernel(f, file);
	} else if (is_jit(file)) {
		f->file = FRAME_FILE_JIT;
	} else {
		f->file = base_name(file);
		at->path = file;
	}
}

void perf_frame_inlined(struct frame *f, struct place *at)
{
	f->kind = at->address >> 63 ? FRAME_KERNEL : FRAME_INLINED;
	at->inlined = true;
}

/* Name a frame without a symbol by its file, in brackets: those of @file, or added ones */
static void set_unknown(struct frame *f, const struct place *at, char *file)
{
	char *base;

	f->kind = FRAME_NOTE;
	f->name = "[unknown]";
	if (!file || !*file || !strcmp(file, "[unknown]"))
		return;
	if (is_kernel(file, at->address)) {
		f->kind = FRAME_KERNEL;
	} else if (is_jit(file)) {
		f->kind = FRAME_USER;
		f->file = FRAME_FILE_JIT;
	}
	f->name = file;
	if (file[0] == '[')
		return;
	base = base_name(file);
	/* There is room for brackets: one or a slash precedes the name, and one followed it */
	base[strlen(base) + 1] = 0;
	base[strlen(base)] = ']';
	*--base = '[';
	f->name = base;
}

/* Remove "+0x1a", which -F +dsoff prints, and " (deleted)" from the end of a file */
static void cut_file(char *file)
{
	char *plus = strrchr(file, '+');
	size_t len;

	if (plus && !strncmp(plus, "+0x", 3) && !plus[3 + strspn(plus + 3, "0123456789abcdef")])
		*plus = 0;
	len = strlen(file);
	if (len > 10 && !strcmp(file + len - 10, " (deleted)"))
		file[len - 10] = 0;
}

bool perf_frame_parse(char *line, struct frame *f, struct place *at)
{
	char *p = skip_blanks(line), *file, *end;
	size_t len;

	*f = (struct frame){ .kind = FRAME_USER };
	*at = (struct place){ 0 };
	end = take_number(p, 16, &at->address);
	if (!end || (*end && !is_blank(*end)))
		return false;
	p = skip_blanks(end);
	file = find_file(p);
	if (file) {
		cut_blanks(p, file);
		file++;
		file[strlen(file) - 1] = 0;
		cut_file(file);
	}
	take_offset(p, at);
	if (!*p || !strcmp(p, "[unknown]")) {
		set_unknown(f, at, file);
		return true;
	}
	if (file)
		set_file(f, at, file);
	len = strlen(p);
	if (f->kind == FRAME_USER && len > 2 && p[0] == '[' && p[len - 1] == ']')
		f->kind = FRAME_NOTE;
	f->name = p;
	return true;
}
