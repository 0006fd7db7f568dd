// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interpreter_find.c - find an interpreter of programs in a file, and describe it for the module
 */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "elf/cfi_sections.h"
#include "elf/elf_sections.h"
#include "elf/elf_symbols.h"
#include "elf/interpreter_find.h"
#include "elf/libelf_section.h"
#include "elf/loaded_bytes.h"
#include "sandbox/answer.h"

#define TIME_NS		(60 * NS_PER_S)
#define MEMORY		(2ull << 30)
#define FILES		16

#define SECTION		".PyRuntime"
#define LOOP_MOST	(4u << 20)	/* bytes; the loop has 50 to 500 KB */
#define LEAST_JUMPS	3u		/* into the middle of another part of the loop */

bool interpreter_likely(int fd)
{
	struct elf_sections s;
	bool found = false;

	if (!elf_sections_read(fd, &s))
		for (size_t i = 0; i < s.nr && !found; i++)
			found = !strcmp(elf_section_name(&s, &s.all[i]), SECTION);
	elf_sections_exit(&s);
	return found;
}

/* ------------------------------------------------------------- in the sandbox */

/*
 * Offsets for x86-64 and the GNU C library: Include/cpython/{pystate,code,unicodeobject}.h,
 * Include/internal/pycore_{runtime,frame}.h, and struct pthread of nptl/descr.h
 */
static const uint32_t python_3_11[KFLAME_PY_NR] = {
	[KFLAME_PY_KEY] = 596, [KFLAME_PY_KEYS] = 0x318, [KFLAME_PY_KEY_BLOCKS] = 0x510, [KFLAME_PY_KEY_VALUE] = 8,
	[KFLAME_PY_THREAD] = 152, [KFLAME_PY_CFRAME] = 56, [KFLAME_PY_CURRENT] = 8,
	[KFLAME_PY_CODE] = 32, [KFLAME_PY_PREVIOUS] = 48, [KFLAME_PY_INSTRUCTION] = 56, [KFLAME_PY_ENTRY] = 68,
	[KFLAME_PY_FIRST_LINE] = 72, [KFLAME_PY_FILE] = 112, [KFLAME_PY_NAME] = 128, [KFLAME_PY_LINES] = 136,
	[KFLAME_PY_FIRST] = 184,
	[KFLAME_PY_LENGTH] = 16, [KFLAME_PY_STATE] = 32, [KFLAME_PY_ASCII] = 48, [KFLAME_PY_CHARACTERS] = 72,
	[KFLAME_PY_SIZE] = 16, [KFLAME_PY_BYTES] = 32,
};

/* What is looked for in a file */
struct python {
	Elf *elf;
	struct elf_symbols code;	/* only its segments */
	GElf_Sym version, state, loop;
	bool is_glibc;
};

static void take_symbols(struct python *py, Elf_Data *data, const GElf_Shdr *sh)
{
	static const char *const names[] = { "Py_Version", "_PyRuntime", "_PyEval_EvalFrameDefault" };
	GElf_Sym *const to[] = { &py->version, &py->state, &py->loop };
	GElf_Sym sym;

	for (size_t i = 1; i < data->d_size / sh->sh_entsize && i < INT32_MAX; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(py->elf, sh->sh_link, sym.st_name);
		for (size_t k = 0; name && k < sizeof(names) / sizeof(*names); k++)
			if (!strcmp(name, names[k]))
				*to[k] = sym;
	}
}

static void take_needed(struct python *py, Elf_Data *data, const GElf_Shdr *sh)
{
	GElf_Dyn dyn;

	for (int i = 0; gelf_getdyn(data, i, &dyn); i++) {
		const char *name = dyn.d_tag == DT_NEEDED ? elf_strptr(py->elf, sh->sh_link, dyn.d_un.d_val) : NULL;

		py->is_glibc |= name && !strcmp(name, "libc.so.6");
	}
}

static void read_sections(struct python *py)
{
	uint64_t left = UINT64_MAX;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(py->elf, scn))) {
		Elf_Data *data;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !sh.sh_entsize || (sh.sh_type != SHT_DYNSYM && sh.sh_type != SHT_DYNAMIC))
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !section_strings_end(py->elf, sh.sh_link, &left))
			continue;
		if (sh.sh_type == SHT_DYNSYM)
			take_symbols(py, data, &sh);
		else
			take_needed(py, data, &sh);
	}
}

/* Read stored bytes at an address of the file.  Return: whether they are there */
static bool read_at(Elf *elf, uint64_t address, void *to, size_t len)
{
	Elf_Data *data = loaded_bytes(elf, address, len, ELF_T_BYTE);

	if (data)
		memcpy(to, data->d_buf, len);
	return data;
}

static const struct elf_segment *segment_of(const struct python *py, uint64_t address)
{
	for (size_t i = 0; i < py->code.nr_segments; i++)
		if (address - py->code.segments[i].address < py->code.segments[i].bytes)
			return &py->code.segments[i];
	return NULL;
}

/* The range of unwind information that has an address in its middle; NULL for none */
static const struct frame_range *middle_of(const struct frame_table *t, uint64_t address)
{
	const struct frame_range *range = frame_table_range(t, address);

	return range && address > range->start ? range : NULL;
}

/* Where a jump of x86 leads whose bytes are at @code, which is at @address; 0 if these bytes are none */
static uint64_t jump_target(const unsigned char *code, uint64_t address)
{
	size_t len = code[0] == 0xe9 ? 1 : code[0] == 0x0f && (code[1] & 0xf0) == 0x80 ? 2 : 0;
	int32_t by;

	if (!len)
		return 0;
	memcpy(&by, code + len, sizeof(by));
	return address + len + sizeof(by) + (uint64_t)(int64_t)by;
}

/* The part of the loop that the compiler has split off: where most jumps out of the loop lead */
static const struct frame_range *find_part(const struct python *py, const struct frame_table *t,
					   const unsigned char *code)
{
	uint32_t *jumps = calloc(t->nr + 1, sizeof(*jumps));
	const struct frame_range *best = NULL;

	for (size_t i = 0; jumps && i + 6 <= py->loop.st_size; i++) {
		const uint64_t to = jump_target(code + i, py->loop.st_value + i);
		const struct frame_range *r = to ? middle_of(t, to) : NULL;

		if (!r || to - py->loop.st_value < py->loop.st_size)
			continue;
		jumps[r - t->all]++;
		if (!best || jumps[r - t->all] > jumps[best - t->all])
			best = r;
	}
	if (best && jumps[best - t->all] < LEAST_JUMPS)
		best = NULL;
	free(jumps);
	return best;
}

static bool put_loop(const struct python *py, uint64_t start, uint64_t end, struct kflame_interpreter *out)
{
	const struct elf_segment *g = segment_of(py, start);

	if (!g || end <= start || end - g->address > g->bytes || out->nr_loops == KFLAME_INTERPRETER_LOOPS)
		return false;
	out->loop[out->nr_loops].start = start - g->address + g->offset;
	out->loop[out->nr_loops++].end = end - g->address + g->offset;
	return true;
}

/* Return: 0, also if there is no further part, or -ENOMEM */
static int put_parts(const struct python *py, struct kflame_interpreter *out)
{
	unsigned char *code = malloc(py->loop.st_size);
	struct frame_sections frames;
	const struct frame_range *part;
	int err = code ? 0 : -ENOMEM;

	if (err || !read_at(py->elf, py->loop.st_value, code, py->loop.st_size)) {
		free(code);
		return err;
	}
	err = frame_sections_load(py->elf, &frames);
	part = err ? NULL : find_part(py, &frames.eh, code);
	if (part)
		put_loop(py, part->start, part->end, out);
	frame_sections_exit(&frames);
	free(code);
	return err;
}

static int describe(struct python *py, struct kflame_interpreter *out)
{
	const struct elf_segment *g;
	GElf_Ehdr eh;
	uint64_t version;

	if (!gelf_getehdr(py->elf, &eh) || eh.e_machine != EM_X86_64 || eh.e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOENT;
	read_sections(py);
	if (!py->is_glibc || !py->version.st_value || !py->state.st_value || !py->loop.st_size ||
	    py->loop.st_size > LOOP_MOST || py->state.st_size < python_3_11[KFLAME_PY_KEY] ||
	    !read_at(py->elf, py->version.st_value, &version, sizeof(version)))
		return -ENOENT;
	/* PY_VERSION_HEX: debug builds have other offsets, and do not export this name unchanged */
	if (version >> 16 != 0x030b)
		return -ENOENT;
	g = segment_of(py, py->loop.st_value);
	if (!g || !put_loop(py, py->loop.st_value, py->loop.st_value + py->loop.st_size, out))
		return -ENOENT;
	out->size = sizeof(*out);
	out->kind = KFLAME_INTERPRETER_CPYTHON_3_11;
	out->version = (uint32_t)version;
	out->state = py->state.st_value - g->address + g->offset;
	out->nr_at = KFLAME_PY_NR;
	memcpy(out->at, python_3_11, sizeof(python_3_11));
	return put_parts(py, out);
}

int interpreter_find(int fd, struct kflame_interpreter *out)
{
	struct python py = { .elf = section_open(fd) };
	int err = -ENOENT;

	memset(out, 0, sizeof(*out));
	if (py.elf) {
		err = elf_symbols_segments(py.elf, false, &py.code);
		if (!err)
			err = describe(&py, out);
		elf_symbols_exit(&py.code);
		elf_end(py.elf);
	}
	return err;
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
