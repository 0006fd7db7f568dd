// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * every_ksym - the tool's names of all kernel functions, beside what kallsyms says
 *
 * usage: every_ksym DEVICE
 *
 * For the first, the middle and the last byte of every function of /proc/kallsyms: what the
 * tool finds there, and what it finds by the module's answers where kptr_restrict=2 hides
 * kallsyms.  With a BPF program of its own, where the kernel has them.  Prints what it counted;
 * each difference is one of:
 *	alias	another of the functions with that address
 *	data	a symbol of another kind with that address: only the file tells kinds
 *	bpf	without " [bpf]": the kernel's lookup says no module there
 *	label	_etext, _einittext: what is after the last function is in none; _text, where arm64's
 *		image has a header
 *	file	what the kernel writes as it runs (__builtin__...) is in the file only
 * or is wrong, is printed, and makes it exit with 1.  "open" are functions whose end the file
 * does not tell: nothing comes within 256 KiB, or what comes is no function of their module.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/kallsyms.h"

#define RESTRICT	"/proc/sys/kernel/kptr_restrict"

struct symbol {
	uint64_t address;
	size_t order;
	bool function;
	char *name;		/* "name" or "name [module]" */
};

/* Functions with one address, and where the next symbol is */
struct place {
	const struct symbol *first, *last;
	uint64_t end;
};

static struct symbol *symbols;
static size_t nr;
static unsigned int same, alias, data, bpf, label, file_only, wrong, open_ended;

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void add(uint64_t address, char type, const char *name, const char *module)
{
	if (!(nr & (nr - 1))) {
		symbols = realloc(symbols, (nr ? nr * 2 : 1) * sizeof(*symbols));
		if (!symbols)
			die("every_ksym");
	}
	symbols[nr] = (struct symbol){ .address = address, .order = nr,
				       .function = strchr("tTwW", type) && name[0] != '$' };
	if (asprintf(&symbols[nr].name, "%s%s%s", name, *module ? " " : "", module) < 0)
		die("every_ksym");
	nr++;
}

static void read_all(void)
{
	char line[1024], name[512], module[256], type;
	FILE *in = fopen("/proc/kallsyms", "r");
	uint64_t address;

	if (!in)
		die("/proc/kallsyms");
	while (fgets(line, sizeof(line), in)) {
		module[0] = 0;
		if (sscanf(line, "%" SCNx64 " %c %511s %255s", &address, &type, name, module) >= 3 &&
		    address)
			add(address, type, name, module);
	}
	fclose(in);
	if (nr)
		qsort(symbols, nr, sizeof(*symbols), by_address);
}

/* Like a just-in-time compiler of the kernel's own: "return 0" */
static void load_bpf(void)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)code,
		.insn_cnt = 2, .license = (uintptr_t)"GPL", .prog_name = "every_ksym",
	};

	/* Held until the end of this process */
	if (syscall(__NR_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)) < 0)
		printf("bpf: none: %s\n", strerror(errno));
}

/* The next place with functions from symbol @i on; *@i is then the one after it */
static bool next_place(size_t *i, struct place *p)
{
	for (; *i < nr; *i = (size_t)(p->last - symbols) + 1) {
		bool function = false;

		p->first = p->last = &symbols[*i];
		while (p->last + 1 < symbols + nr && p->last[1].address == p->first->address)
			p->last++;
		p->end = p->last + 1 < symbols + nr ? p->last[1].address : p->first->address + 1;
		for (const struct symbol *s = p->first; s <= p->last; s++)
			function = function || s->function;
		if (function) {
			*i = (size_t)(p->last - symbols) + 1;
			return true;
		}
	}
	return false;
}

static bool is_label(const char *name)
{
	return !strcmp(name, "_etext") || !strcmp(name, "_einittext") || !strcmp(name, "_text");
}

static bool is_builtin(const char *name)
{
	return strstr(name, " [__builtin__");
}

/* What is found there, against the place's functions: the first one, or why not */
static void judge(const struct place *p, uint64_t at, const char *name, const char *how)
{
	const struct symbol *chosen = p->first, *s;
	size_t len = name ? strlen(name) : 0;

	while (!chosen->function)
		chosen++;
	for (s = p->first; name && s <= p->last && strcmp(s->name, name); s++)
		;
	if (name && s == chosen) {
		same++;
	} else if (name && s <= p->last) {
		if (at == p->first->address)
			printf("%s: %s is %s\n", s->function ? "alias" : "data", chosen->name, name);
		*(s->function ? &alias : &data) += 1;
	} else if (name && !strncmp(chosen->name, name, len) && !strcmp(chosen->name + len, " [bpf]")) {
		bpf++;
	} else if (!name && is_label(chosen->name)) {
		label++;
	} else if (!name && is_builtin(chosen->name)) {
		file_only++;
	} else if (wrong++ < 20) {
		printf("wrong: %s: %" PRIx64 " is %s, not %s\n", how, at, name ? name : "nothing",
		       chosen->name);
	}
}

/* Prints and forgets */
static void print_counts(const char *how)
{
	printf("%s: %u same, %u alias, %u data, %u bpf, %u label, %u file, %u open, %u wrong\n", how,
	       same, alias, data, bpf, label, file_only, open_ended, wrong);
	same = alias = data = bpf = label = file_only = open_ended = 0;
}

/* By the file: from one symbol to the next, where that is not farther than functions are long */
static void by_file(struct kernel_symbols *k)
{
	uint64_t start, end;
	struct place p;

	for (size_t i = 0; next_place(&i, &p);) {
		uint64_t first = p.first->address;

		judge(&p, first, kernel_symbols_find(k, first, &start, &end), "file");
		if (p.end - first > 256 << 10) {
			open_ended++;
			continue;
		}
		judge(&p, first + (p.end - first) / 2,
		      kernel_symbols_find(k, first + (p.end - first) / 2, &start, &end), "file");
		judge(&p, p.end - 1, kernel_symbols_find(k, p.end - 1, &start, &end), "file");
	}
	print_counts("file");
}

static void at_both(struct kernel_symbols *hidden, struct kernel_symbols *k,
		    const struct place *p, uint64_t at)
{
	uint64_t start, end;

	judge(p, at, kernel_symbols_find(hidden, at, &start, &end), "module");
	judge(p, at, kernel_symbols_find(k, at, &start, &end), "both");
}

/* Where nothing comes next, the tool's function must end where the kernel's does */
static void after_end(struct kernel_symbols *hidden, struct kernel_symbols *k,
		      const struct place *p, uint64_t at)
{
	uint64_t start, end;
	const char *found = kernel_symbols_find(hidden, at, &start, &end);
	char name[1024];

	open_ended++;
	snprintf(name, sizeof(name), "%s", found ? found : "nothing");
	found = kernel_symbols_find(k, at, &start, &end);
	if (strcmp(name, found ? found : "nothing") && wrong++ < 20)
		printf("wrong: after %s at %" PRIx64 " is %s, not %s\n", p->first->name, at,
		       found ? found : "nothing", name);
}

/* As far as the module says that a function goes */
static void by_module(struct kernel_symbols *hidden, struct kernel_symbols *k)
{
	uint64_t start, end;
	struct place p;

	for (size_t i = 0; next_place(&i, &p);) {
		uint64_t first = p.first->address;
		const char *found = kernel_symbols_find(hidden, first, &start, &end);

		judge(&p, first, found, "module");
		if (!found)
			continue;
		if (start != first || end <= first) {
			printf("wrong: module: %s begins at %" PRIx64 ", not at %" PRIx64 "\n", found,
			       start, first);
			wrong++;
			continue;
		}
		at_both(hidden, k, &p, first + (end - first) / 2);
		at_both(hidden, k, &p, end - 1);
		if (end < p.end)
			after_end(hidden, k, &p, end);
	}
	print_counts("module");
}

static void set_restrict(char value)
{
	int fd = open(RESTRICT, O_WRONLY);

	if (fd < 0 || write(fd, &value, 1) != 1)
		die(RESTRICT);
	close(fd);
}

static struct kernel_symbols *load(int device)
{
	struct kernel_symbols *k;

	if (kernel_symbols_load(device, &k))
		die("kernel_symbols_load");
	return k;
}

int main(int argc, char **argv)
{
	struct kernel_symbols *shown, *alone, *hidden, *nothing;
	uint64_t start, end;
	int device;

	if (argc != 2) {
		fprintf(stderr, "usage: every_ksym DEVICE\n");
		return 2;
	}
	device = open(argv[1], O_RDWR | O_CLOEXEC);
	if (device < 0)
		die(argv[1]);
	load_bpf();
	set_restrict('0');
	read_all();
	shown = load(device);
	alone = load(-1);
	set_restrict('2');
	hidden = load(device);
	nothing = load(-1);
	set_restrict('0');
	if (!nr || kernel_symbols_find(nothing, symbols[nr / 2].address, &start, &end)) {
		printf("wrong: kallsyms is not hidden by kptr_restrict=2\n");
		return 1;
	}
	by_file(alone);
	by_module(hidden, shown);
	for (struct symbol *s = symbols; s < symbols + nr; s++)
		if (strstr(s->name, "_every_ksym"))
			printf("bpf: %s\n", s->name);
	return wrong ? 1 : 0;
}
