// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_sources.c - the process that reads debug data: what it may do, and what it may not
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "addr2line.h"
#include "children.h"
#include "cmd/sandbox_works.h"
#include "elf/function_protocol.h"
#include "elf/libelf_section.h"
#include "elf/source_lookup.h"
#include "elf/source_protocol.h"
#include "hush.h"
#include "mkprofile.h"
#include "stacks/open.h"
#include "symbols/function_client.h"
#include "symbols/lookup.h"

#define MUTANTS	300

static const char program[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int inner(int x) { return x * sink; }\n"
	"static inline __attribute__((always_inline)) int middle(int x) { return inner(x) + 1; }\n"
	"__attribute__((noinline)) int outer(int x) { return middle(x) + middle(x + 2); }\n"
	"int main(int c, char **v) { (void)v; return outer(c); }\n";

/* ------------------------------------------------------------------ sandbox */

static const struct sandbox_limits limits = { .time_ns = 20000000000, .memory = 1 << 30,
					     .files = 64 };

/* Starts @work, which may use @fd.  Return: what it wrote, a text to be freed. */
static char *in_sandbox(const struct sandbox_work *work, int fd, uint64_t time_ns)
{
	const struct sandbox_input input = { .fds = &fd, .nr_fds = 1, .owner = &fd };
	struct sandbox_limits l = limits;
	char *text = calloc(1, 4096);
	struct sandbox s;

	assert_non_null(text);
	l.time_ns = time_ns;
	assert_int_equal(sandbox_start(&s, work, &l, &input), 0);
	if (sandbox_read(&s, text, 4095, 4095) < 0)
		strcpy(text, "too long");
	sandbox_end(&s);
	return text;
}

static void tell_descriptors(const struct sandbox_job *job)
{
	for (int fd = 3; fd < 1000; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			dprintf(job->out, "%s ", fd == job->out ? "out" : fd == job->fds[0] ? "in" : "?");
}

static const struct sandbox_work descriptors_work = { .name = "descriptors", .run = tell_descriptors };

static void descriptors(void **state)
{
	int other = open("/dev/null", O_RDONLY), kept = open("/proc/self/exe", O_RDONLY);
	char *text;
	(void)state;

	text = in_sandbox(&descriptors_work, kept, limits.time_ns);
	assert_string_equal(text, "out in ");
	free(text);
	close(other);
	close(kept);
}

/* Memory of the tool, and its environment, may hold secrets */
static void tell_environment(const struct sandbox_job *job)
{
	const char *secret = getenv("SECRET");

	dprintf(job->out, "%s", secret ? secret : "nothing");
}

static const struct sandbox_work environment_work = { .name = "environment", .run = tell_environment };

static void environment(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *text;
	(void)state;

	assert_int_equal(setenv("SECRET", "key", 1), 0);
	text = in_sandbox(&environment_work, fd, limits.time_ns);
	assert_string_equal(text, "nothing");
	free(text);
	close(fd);
}

static void hang(const struct sandbox_job *job)
{
	dprintf(job->out, "begun");
	for (;;)
		pause();
}

static void crash(const struct sandbox_job *job)
{
	dprintf(job->out, "begun");
	abort();
}

static const struct sandbox_work hang_work = { .name = "hang", .run = hang };
static const struct sandbox_work crash_work = { .name = "crash", .run = crash };

static void ends(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *text;
	(void)state;

	text = in_sandbox(&hang_work, fd, 1000000);
	assert_string_equal(text, "too long");
	free(text);
	text = in_sandbox(&crash_work, fd, limits.time_ns);
	assert_string_equal(text, "begun");
	free(text);
	close(fd);
}

/* A process that was started with SIGCHLD ignored cannot wait for its children */
static void ignored_children(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *text;
	(void)state;

	signal(SIGCHLD, SIG_IGN);
	text = in_sandbox(&crash_work, fd, limits.time_ns);
	assert_string_equal(text, "begun");
	free(text);
	assert_true(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
	close(fd);
}

/* A process that a process with sandboxes forks has sandboxes of its own */
static void forked(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	pid_t pid;
	char *text;
	(void)state;

	free(in_sandbox(&crash_work, fd, limits.time_ns));
	pid = fork();
	if (!pid) {
		text = in_sandbox(&crash_work, fd, limits.time_ns);
		_exit(strcmp(text, "begun") ? 1 : 0);
	}
	assert_int_equal(exit_status(pid), 0);
	free(in_sandbox(&crash_work, fd, limits.time_ns));
	close(fd);
}

/* ------------------------------------------------------------ hostile child */

/* What a child tells that the file has taken over: words, and bytes after them */
struct lie {
	struct source_say say[3];
	struct source_level level;	/* after the last one, if that is a place */
	const char *text;		/* after the first one, if that is a text */
	int expected;
	size_t texts, places;		/* what is taken of it nevertheless */
};

#define TEXT(n)		{ SOURCE_SAY_TEXT, n, 0 }
#define PLACE(n, i)	{ SOURCE_SAY_PLACE, n, i }
#define END		{ SOURCE_SAY_END, 0, 0 }

static const struct lie lies[] = {
	{ .say = { END } },
	{ .say = { TEXT(3), END }, .text = "abc", .texts = 1 },
	{ .say = { TEXT(3), PLACE(1, 9), END }, .text = "abc", .level = { 1, 1, 5 }, .texts = 1,
	  .places = 1 },
	/* An end too soon */
	{ .say = { TEXT(3), PLACE(1, 0) }, .text = "abc", .level = { 1, 1, 5 }, .texts = 1,
	  .places = 1, .expected = -EIO },
	{ .say = { TEXT(4) }, .text = "abc", .expected = -EIO },
	{ .say = { TEXT(3), PLACE(2, 0) }, .text = "abc", .texts = 1, .expected = -EIO },
	/* Texts of no length, too long, with a 0 in them */
	{ .say = { TEXT(0), END }, .text = "", .expected = -EIO },
	{ .say = { TEXT(SOURCE_TEXT + 1), END }, .text = "abc", .expected = -EIO },
	{ .say = { TEXT(UINT32_MAX), END }, .text = "abc", .expected = -EIO },
	{ .say = { TEXT(3), END }, .text = "a\0c", .expected = -EIO },
	/* Places that were not asked for, of no levels and of too many, and unknown texts */
	{ .say = { TEXT(3), PLACE(1, 10), END }, .text = "abc", .texts = 1, .expected = -EIO },
	{ .say = { TEXT(3), PLACE(0, 0), END }, .text = "abc", .texts = 1, .expected = -EIO },
	{ .say = { TEXT(3), PLACE(SOURCES_MAX_LEVELS + 1, 0), END }, .text = "abc", .texts = 1,
	  .expected = -EIO },
	{ .say = { TEXT(3), PLACE(1, 0), END }, .text = "abc", .level = { 2, 0, 0 }, .texts = 1,
	  .expected = -EIO },
	{ .say = { TEXT(3), PLACE(1, 0), END }, .text = "abc", .level = { 1, UINT32_MAX, 0 },
	  .texts = 1, .expected = -EIO },
	{ .say = { { 77, 0, 0 }, END }, .expected = -EIO },
};

static void tell_lie(const struct sandbox_job *job)
{
	const struct lie *l = &lies[*(const size_t *)job->question];
	FILE *f = fdopen(job->out, "w");

	/* All zero is none: the first of them is a text of no length */
	for (int i = 0; i < 3 && (!i || l->say[i].what); i++) {
		fwrite(&l->say[i], sizeof(l->say[i]), 1, f);
		if (l->say[i].what == SOURCE_SAY_TEXT)
			fwrite(l->text, 3, 1, f);
		else if (l->say[i].what == SOURCE_SAY_PLACE)
			fwrite(&l->level, sizeof(l->level), 1, f);
	}
	fflush(f);
}

/* Places that come twice, or from the last to the first */
static void tell_backwards(const struct sandbox_job *job)
{
	const struct source_level level = { 0, 0, 1 };
	const uint64_t *places = job->question;

	for (int i = 0; i < 2; i++) {
		const struct source_say say = PLACE(1, places[i]);

		if (write(job->out, &say, sizeof(say)) != sizeof(say) ||
		    write(job->out, &level, sizeof(level)) != sizeof(level))
			_exit(1);
	}
}

static const struct sandbox_work lie_work = { .name = "lie", .run = tell_lie };
static const struct sandbox_work backwards_work = { .name = "backwards", .run = tell_backwards };

static int hear(const struct sandbox_work *work, const void *question, size_t len, struct chains *c)
{
	const struct sandbox_input input = { .question = question, .len = len };
	const struct source_taker taker = { .text = take_text, .place = take_place, .ctx = c };
	struct sandbox child;
	int err;

	for (uint64_t i = 0; i < 10; i++)
		chains_add(c, i);
	assert_int_equal(sandbox_start(&child, work, &limits, &input), 0);
	err = source_hear(&child, 10, &taker);
	sandbox_end(&child);
	return err;
}

static void hostile_child(void **state)
{
	static uint64_t places[2][2] = { { 4, 4 }, { 4, 3 } };
	(void)state;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct chains c = { 0 };
		size_t taken = 0;
		int err = hear(&lie_work, &i, sizeof(i), &c);

		for (size_t k = 0; k < c.nr; k++)
			taken += c.all[k].nr;
		if (err != lies[i].expected || c.nr_texts != lies[i].texts ||
		    taken != lies[i].places)
			fail_msg("lie %zu: %d, %zu texts, %zu places", i, err, c.nr_texts, taken);
		chains_free(&c);
	}
	for (int i = 0; i < 2; i++) {
		struct chains c = { 0 };

		assert_int_equal(hear(&backwards_work, places[i], sizeof(places[i]), &c), -EIO);
		assert_int_equal(c.all[3].nr, 0);
		assert_int_equal(c.all[4].nr, 1);
		chains_free(&c);
	}
}

/* ------------------------------------------------------------- hostile files */

struct bytes {
	unsigned char *all;
	size_t nr;
};

static struct bytes read_file(const char *name)
{
	struct bytes b = { .all = malloc(1 << 20) };
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	assert_true(f && b.all);
	b.nr = fread(b.all, 1, 1 << 20, f);
	fclose(f);
	return b;
}

static void write_bytes(const char *name, const struct bytes *b)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(b->all, 1, b->nr, f), b->nr);
	assert_int_equal(fclose(f), 0);
}

/* Where the sections that libdw reads are in the file */
static size_t debug_sections(const char *name, size_t (*at)[2], size_t most)
{
	Elf_Scn *scn = NULL;
	const char *its;
	char path[128];
	GElf_Shdr sh;
	size_t nr = 0;
	Elf *elf;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	while (nr < most && (scn = section_next(elf, scn, &sh, &its)))
		if (!strncmp(its, ".debug_", 7) && sh.sh_size) {
			at[nr][0] = sh.sh_offset;
			at[nr++][1] = sh.sh_size;
		}
	elf_end(elf);
	close(fd);
	return nr;
}

/* Asks for all addresses of @at in a file of the same code.  Return: as binary_sources(). */
static int ask(const char *file, const struct chains *at, uint64_t time_ns, uint64_t *left)
{
	uint64_t shift = offset_of("program", at->all[0].address) - at->all[0].address;
	uint64_t offsets[512];
	struct chains c = { 0 };
	const struct source_taker taker = { .text = take_text, .place = take_place, .ctx = &c };
	struct looked *b = look_named(file);
	int err;

	assert_in_range(at->nr, 1, 512);
	for (size_t i = 0; i < at->nr; i++) {
		offsets[i] = at->all[i].address + shift;
		chains_add(&c, at->all[i].address);
	}
	err = binary_sources(b->binary, offsets, at->nr, SOURCE_INLINE_AUTO, &time_ns, &taker);
	*left = time_ns;
	look_close(b);
	chains_free(&c);
	return err;
}

/* A few bytes changed in what libdw reads: it may die of that, and this process not */
static void mutants(void **state)
{
	struct chains at = every_instruction("program");
	size_t sections[16][2], nr = debug_sections("program", sections, 16);
	struct bytes good = read_file("program");
	size_t whole = 0, cut = 0;
	uint64_t left;
	(void)state;

	assert_true(nr >= 5);
	for (unsigned int seed = 0; seed < MUTANTS; seed++) {
		struct bytes bad = { malloc(good.nr), good.nr };

		assert_non_null(bad.all);
		memcpy(bad.all, good.all, good.nr);
		srand(seed);
		for (int i = 0; i < 1 + rand() % 8; i++) {
			size_t *s = sections[(size_t)rand() % nr];

			bad.all[s[0] + (size_t)rand() % s[1]] = (unsigned char)rand();
		}
		write_bytes("mutant", &bad);
		free(bad.all);
		if (ask("mutant", &at, limits.time_ns, &left))
			cut++;
		else
			whole++;
		assert_true(left);
	}
	print_message("# %d mutants: %zu were read whole, %zu were cut\n", MUTANTS, whole, cut);
	assert_int_equal(whole + cut, MUTANTS);
	free(good.all);
	chains_free(&at);
}

/* A skeleton whose other file is a pipe that nobody writes to: opening it waits for ever */
static void pipe_for_a_file(void **state)
{
	struct chains at;
	uint64_t left;
	(void)state;

	run("%s -O2 -g -gsplit-dwarf -c p.c && gcc -o waits p.o && rm p.dwo && mkfifo p.dwo");
	at = every_instruction("waits");
	assert_int_equal(ask("waits", &at, 300000000, &left), -ETIMEDOUT);
	assert_int_equal(left, 0);
	/* And no time at all is none to begin with */
	assert_int_equal(ask("waits", &at, 0, &left), -ETIMEDOUT);
	chains_free(&at);
	run("rm p.dwo; true %s");
}

/* How many addresses of a program are in functions that were inlined */
static size_t inlined(const char *file)
{
	struct chains at = every_instruction(file), c;
	uint64_t shift = offset_of(file, at.all[0].address) - at.all[0].address;
	size_t nr = 0;

	c = ask_us(file, &at, shift, 0);
	for (size_t i = 0; i < c.nr; i++)
		nr += c.all[i].nr > 1;
	chains_free(&at);
	chains_free(&c);
	return nr;
}

/* Debug data names a file that the owner of the program may not read: nor is it read for him */
static void file_of_another(void **state)
{
	char path[128], sub[128];
	(void)state;

	if (geteuid())
		skip();
	snprintf(path, sizeof(path), "%s/theirs", dir);
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	run("mkdir sub && cd sub && %s -O2 -g -gsplit-dwarf -c ../p.c && gcc -o ../theirs p.o");
	assert_int_equal(chmod(sub, 0700), 0);
	assert_int_equal(chown(path, 1234, 2345), 0);
	assert_int_equal(inlined("theirs"), 0);
	assert_int_equal(chown(sub, 1234, 2345), 0);
	assert_true(inlined("theirs") > 0);
}

/* ------------------------------------------------------------------ profile */

static int take_stack(void *ctx, const struct frame *frames, size_t nr, uint64_t samples,
		      uint64_t ns)
{
	char *text = ctx;

	for (size_t i = 0; i < nr; i++)
		sprintf(text + strlen(text), "%s%s%s", i ? ";" : "", frames[i].name,
			frames[i].kind == FRAME_INLINED ? "*" : "");
	sprintf(text + strlen(text), " %d %d", (int)samples, (int)ns);
	return 0;
}

/* The first address at which inner() was inlined into middle(), and that into outer() */
static uint64_t inner_at(void)
{
	struct chains at = every_instruction("program"), c = { 0 };
	uint64_t shift = offset_of("program", at.all[0].address) - at.all[0].address, found = 0;

	c = ask_us("program", &at, shift, 0);
	for (size_t i = 0; i < c.nr && !found; i++)
		if (c.all[i].nr == 3)
			found = c.all[i].address + shift;
	assert_true(found);
	chains_free(&at);
	chains_free(&c);
	return found;
}

static void make_profile(struct mk *m, uint64_t offset)
{
	struct profile_file f;
	char path[128];

	describe("program", &f, path);
	mk_header(m);
	mk_session(m);
	records_file(&m->r, &f.rec, path);
	mk_aspace(m, 1, "task");
	mk_mapping(m, 1, 0x400000, 0x500000, 1, 0);
	mk_stack(m, 1, KFLAME_STACK_USER, (uint64_t[]){ 0x400000 + offset }, 1);
	mk_count(m, 1, 0, 1, 3, 300);
	mk_end(m);
}

static void check_frames(const struct mk *m, const struct naming *how, const char *expected)
{
	struct bytes b = { m->r.data, m->r.len };
	char path[128], text[1024] = "";
	struct profile *p;

	write_bytes("profile", &b);
	snprintf(path, sizeof(path), "%s/profile", dir);
	p = open_profile(path, how);
	assert_non_null(p);
	assert_int_equal(profile_each_stack(p, take_stack, text), 0);
	assert_string_equal(text, expected);
	profile_destroy(p);
}

/* From a file to what a picture shows of it, for a profile that was not named yet */
static void from_file_to_frames(void **state)
{
	struct mk m = { 0 };
	(void)state;

	make_profile(&m, inner_at());
	check_frames(&m, NULL, "task;outer;middle*;inner* 3 300");
	check_frames(&m, &(struct naming){ .inlines = SOURCE_INLINE_NO },
		     "task;outer 3 300");
	check_frames(&m, &(struct naming){ .lines = true },
		     "task;outer p.c:4;middle p.c:3*;inner p.c:2* 3 300");
	check_frames(&m, &(struct naming){ .lines = true, .inlines = SOURCE_INLINE_NO },
		     "task;outer p.c:4 3 300");
	mk_free(&m);
}

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	unsetenv("DEBUGINFOD_URLS");
	write_file("p.c", program);
	run("%s -O2 -g -o program p.c");
	return 0;
}

const struct sandbox_work *const test_works[] = {
	&descriptors_work, &environment_work, &hang_work, &crash_work, &lie_work, &backwards_work,
	&name_work, &source_work, NULL,
};

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors),
		cmocka_unit_test(ends),
		cmocka_unit_test(ignored_children),
		cmocka_unit_test(environment),
		cmocka_unit_test(forked),
		cmocka_unit_test(hostile_child),
		cmocka_unit_test(mutants),
		cmocka_unit_test(pipe_for_a_file),
		cmocka_unit_test(file_of_another),
		cmocka_unit_test(from_file_to_frames),
	};

	return cmocka_run_group_tests_name("sources", tests, set_up, programs_remove);
}
