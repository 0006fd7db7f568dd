// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_vmlinux.c - kernel names, inlined functions and lines by an image of the kernel
 *
 * The image is a small program that is linked where kernels are; profiles have its addresses
 * moved by a slide, as a kernel with KASLR has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include <elf.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "addr2line.h"
#include "children.h"
#include "cmd/commands.h"
#include "elf/source_lookup.h"
#include "hush.h"
#include "mkprofile.h"
#include "stacks/open.h"
#include "symbols/kallsyms.h"
#include "symbols/kcore.h"
#include "symbols/lookup.h"

#define LINKED	0xffffffff81000000ull
#define SLIDE	0x1a200000ull
#define ID	"00112233445566778899aabbccddeeff00112233"
#define OTHER	"ffeeddccbbaa99887766554433221100ffeeddcc"

static const char kernel[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int inner(int x) { return x * sink; }\n"
	"static inline __attribute__((always_inline)) int middle(int x)\n"
	"{\n"
	"	return inner(x) + 1;\n"
	"}\n"
	"__attribute__((noinline)) int vfs_read(int x)\n"
	"{\n"
	"	return middle(x) + middle(x + 2);\n"
	"}\n"
	"__attribute__((noinline)) int do_sys(int x)\n"
	"{\n"
	"	sink = vfs_read(x);\n"
	"	return inner(sink) + vfs_read(x + 1) * 3;\n"
	"}\n"
	"void _start(void) { sink = do_sys(1) + 1; }\n";

/* Every instruction of the image */
static struct chains at;

/* ----------------------------------------------------------------- profiles */

static void begin(struct mk *m, const char *base, const char *id)
{
	char host[256];
	int len = snprintf(host, sizeof(host), "tool=test%ckernel-base=%s%ckernel-build-id=%s", 0,
			   base, 0, id);

	*m = (struct mk){ 0 };
	mk_header(m);
	mk_session(m);
	records_host(&m->r, host, (size_t)len + 1);
}

/* One sample at every instruction; the thread is named by it */
static void add_all(struct mk *m)
{
	for (size_t i = 0; i < at.nr; i++) {
		struct kflame_rec_count c = { .kstack = i + 1, .samples = 1, .weight_ns = 10 };
		uint64_t ip = at.all[i].address + SLIDE;

		snprintf((char *)c.comm, sizeof(c.comm), "%x", (unsigned int)at.all[i].address);
		mk_stack(m, i + 1, KFLAME_STACK_KERNEL, &ip, 1);
		mk_count_rec(m, c);
	}
}

/* Ends and opens it, as a view does.  Frees @m. */
static struct profile *open_it(struct mk *m, const struct naming *how)
{
	struct profile *p;
	char path[128];
	FILE *out;

	mk_end(m);
	snprintf(path, sizeof(path), "%s/profile", dir);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(m->r.data, m->r.len, 1, out), 1);
	assert_int_equal(fclose(out), 0);
	mk_free(m);
	p = open_profile(path, how);
	return p;
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static struct profile *open_with(struct mk *m, const char *image)
{
	return open_it(m, &(struct naming){ .vmlinux = path_of(image), .lines = true });
}

/* ------------------------------------------------------------------- frames */

struct seen {
	const struct chains *expected;
	size_t stacks, inlined, named, other;
	uint64_t samples, ns;
};

/* As binutils has it: outermost first, "name file:line" */
static bool is_chain(const struct chain *c, const struct frame *frames, size_t nr)
{
	char text[512];

	if (nr != c->nr)
		return false;
	for (size_t i = 0; i < nr; i++) {
		const struct link *l = &c->links[c->nr - 1 - i];

		snprintf(text, sizeof(text), "%s %s:%u", l->function,
			 strrchr(l->source, '/') + 1, l->line);
		if (strcmp(text, frames[i].name) || frames[i].kind != FRAME_KERNEL)
			return false;
	}
	return true;
}

static int see(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	struct seen *s = ctx;
	unsigned int low = (unsigned int)strtoul(frames[0].name, NULL, 16);

	s->stacks++;
	s->samples += samples;
	s->ns += ns;
	s->inlined += nr > 2;
	s->named += nr > 1 && frames[1].name[0] != '[';
	for (size_t i = 0; s->expected && i < s->expected->nr; i++)
		if ((unsigned int)s->expected->all[i].address == low &&
		    !is_chain(&s->expected->all[i], frames + 1, nr - 1) && !s->other++) {
			print_chain("binutils", &s->expected->all[i]);
			for (size_t k = 0; k < nr; k++)
				print_message("# we: %s\n", frames[k].name);
		}
	return 0;
}

static struct seen look(struct profile *p, const struct chains *expected)
{
	struct seen s = { .expected = expected };

	assert_non_null(p);
	assert_int_equal(p->damaged, 0);
	assert_int_equal(profile_each_stack(p, see, &s), 0);
	profile_destroy(p);
	/* Whatever the names: every sample, and all the time */
	assert_int_equal(s.stacks, at.nr);
	assert_int_equal(s.samples, at.nr);
	assert_int_equal(s.ns, 10 * at.nr);
	return s;
}

/* -------------------------------------------------------------------- tests */

/* Names, what was inlined, and lines, of every instruction, at a slide */
static void as_binutils(void **state)
{
	struct chains bin = ask_addr2line("addr2line", "vmlinux");
	struct seen s;
	struct mk m;
	(void)state;

	assert_int_equal(bin.nr, at.nr);
	begin(&m, "0xffffffff9b200000", ID);
	add_all(&m);
	s = look(open_with(&m, "vmlinux"), &bin);
	print_message("# %zu instructions, %zu with inlined functions, %zu otherwise\n", s.stacks,
		      s.inlined, s.other);
	assert_int_equal(s.other, 0);
	assert_in_range(s.inlined, 5, at.nr - 5);
	assert_int_equal(s.named, at.nr);
	chains_free(&bin);
	/* Without an image there are no names here */
	begin(&m, "0xffffffff9b200000", ID);
	add_all(&m);
	s = look(open_it(&m, &(struct naming){ 0 }), NULL);
	assert_int_equal(s.named, 0);
}

/* Names that the module recorded stay; the image names all other functions */
static void kernel_goes_first(void **state)
{
	struct profile *p;
	struct mk m;
	(void)state;

	begin(&m, "0xffffffff9b200000", "");
	add_all(&m);
	records_ksym(&m.r, LINKED + SLIDE, LINKED + SLIDE + 1, "an_alias");
	records_ksym(&m.r, at.all[3].address + SLIDE, at.all[4].address + SLIDE, "a_part");
	p = open_it(&m, &(struct naming){ .vmlinux = path_of("vmlinux"),
						  .inlines = SOURCE_INLINE_NO });
	assert_non_null(p);
	assert_int_equal(p->nr_sources, 0);
	assert_string_equal(profile_symbol(&p->ksyms, LINKED + SLIDE)->name, "an_alias");
	for (int i = 1; i < 6; i++)
		assert_string_equal(profile_symbol(&p->ksyms, at.all[i].address + SLIDE)->name,
				    i == 3 ? "a_part" : "vfs_read");
	assert_int_equal(look(p, NULL).inlined, 0);
}

/* Symbols are where they were, in a file whose code was left out */
static void debug_file(void **state)
{
	struct chains bin = ask_addr2line("addr2line", "vmlinux");
	struct seen s;
	struct mk m;
	(void)state;

	begin(&m, "0xffffffff9b200000", ID);
	add_all(&m);
	s = look(open_with(&m, "vmlinux.debug"), &bin);
	assert_int_equal(s.other, 0);
	assert_int_equal(s.named, at.nr);
	chains_free(&bin);
}

/* Where _stext is not known, functions that have a name say where all of it is */
static void by_hints(void **state)
{
	uint64_t here = LINKED + SLIDE;
	struct seen s;
	struct mk m;
	int saved;
	(void)state;

	begin(&m, "", ID);
	add_all(&m);
	records_ksym(&m.r, here, here + 4, "vfs_read");
	s = look(open_with(&m, "vmlinux"), NULL);
	assert_int_equal(s.named, at.nr);
	/* No page lies there; and another name says nothing */
	begin(&m, "", ID);
	add_all(&m);
	records_ksym(&m.r, here + 4, here + 8, "vfs_read");
	records_ksym(&m.r, here + 8, here + 12, "unknown");
	saved = hush();
	s = look(open_with(&m, "vmlinux"), NULL);
	unhush(saved);
	assert_in_range(s.named, 1, 8);
}

/* Most of the hints decide, in whatever order they come */
static void hints_vote(void **state)
{
	struct vmlinux *v;
	(void)state;

	for (int wrong = 0; wrong < 3; wrong++) {
		uint64_t start[3], address;
		static const char *const names[] = { "vfs_read", "do_sys", "_start" };

		v = vmlinux_open(path_of("vmlinux"), &(struct kernel_id){ 0 });
		assert_non_null(v);
		assert_int_equal(vmlinux_stext(v), 0);
		vmlinux_place(v, LINKED);
		for (int i = 0; i < 3; i++)
			for (size_t k = 0; k < at.nr; k++) {
				const char *name = vmlinux_function(v, at.all[k].address,
								    &start[i], &address);

				assert_non_null(name);
				if (!strcmp(name, names[i]))
					break;
			}
		vmlinux_close(v);
		v = vmlinux_open(path_of("vmlinux"), &(struct kernel_id){ 0 });
		assert_non_null(v);
		assert_null(vmlinux_function(v, LINKED, &address, &address));
		for (int i = 0; i < 3; i++)
			vmlinux_hint(v, names[i], start[i] + SLIDE + (i == wrong ? 0x1000 : 0));
		assert_true(vmlinux_stext(v) == LINKED + SLIDE);
		vmlinux_close(v);
	}
}

/* Opens @image for a profile of kernel @id; standard error must have both texts */
static void refused(const char *image, const char *id, const char *expected,
		    const char *expected_too)
{
	char said[1024] = "";
	struct profile *p;
	struct mk m;
	FILE *err;
	int saved;

	begin(&m, "0xffffffff9b200000", id);
	add_all(&m);
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	err = tmpfile();
	assert_non_null(err);
	dup2(fileno(err), STDERR_FILENO);
	p = open_with(&m, image);
	unhush(saved);
	rewind(err);
	assert_true(fread(said, 1, sizeof(said) - 1, err) > 0);
	fclose(err);
	assert_null(p);
	if (!strstr(said, expected) || !strstr(said, expected_too))
		fail_msg("'%s' has no '%s' or no '%s'", said, expected, expected_too);
}

static void refusals(void **state)
{
	struct mk m;
	(void)state;

	/* The message has both build-ids */
	refused("vmlinux", OTHER, ID, OTHER);
	refused("nothing", ID, "nothing cannot be opened", "No such file");
	refused("", ID, "cannot be opened", "Is a directory");
	refused("k.c", ID, "k.c cannot be used", "no ELF file");
	refused("stripped", ID, "stripped cannot be used", "no symbol _stext");
	/* What has no build-id is taken */
	begin(&m, "0xffffffff9b200000", OTHER);
	add_all(&m);
	assert_int_equal(look(open_with(&m, "anonymous"), NULL).named, at.nr);
	begin(&m, "0xffffffff9b200000", "no build-id");
	add_all(&m);
	assert_int_equal(look(open_with(&m, "vmlinux"), NULL).named, at.nr);
}

/* Before anything is recorded */
static void record_refuses(void **state)
{
	struct kernel_id running = kernel_id_running();
	char *argv[] = { "record", "--vmlinux", NULL, "--device", "/dev/null", NULL };
	char said[1024] = "";
	FILE *err = tmpfile();
	int saved, status;
	(void)state;

	if (!running.len)
		skip();
	assert_non_null(err);
	argv[2] = (char *)path_of("vmlinux");
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	dup2(fileno(err), STDERR_FILENO);
	status = cmd_record(5, argv);
	unhush(saved);
	rewind(err);
	assert_true(fread(said, 1, sizeof(said) - 1, err) > 0);
	fclose(err);
	assert_int_equal(status, 1);
	assert_non_null(strstr(said, ID));
	assert_non_null(strstr(said, kernel_id_show(&running).hex));
	/* The device was not asked */
	assert_null(strstr(said, "/dev/null"));
}

/* ------------------------------------------------------------------ finding */

#define RELEASE		"6.1.0-test"
#define NR_PLACES	(sizeof(places) / sizeof(places[0]))

static const char *const places[] = {
	"/usr/lib/debug/boot/vmlinux-" RELEASE, "/usr/lib/debug/lib/modules/" RELEASE "/vmlinux",
	"/boot/vmlinux-" RELEASE, "/lib/modules/" RELEASE "/build/vmlinux",
	"/usr/lib/debug/.build-id/00/112233445566778899aabbccddeeff00112233.debug",
};

/* Puts a link to a file of @dir there, with the directories above it */
static void put(const char *path, const char *file)
{
	char above[128];

	for (const char *slash = path; (slash = strchr(slash + 1, '/'));) {
		snprintf(above, sizeof(above), "%.*s", (int)(slash - path), path);
		mkdir(above, 0755);
	}
	unlink(path);
	if (symlink(path_of(file), path))
		_exit(100);
}

static bool finds(const char *release, const char *id, const char *path)
{
	struct kernel_id wanted = kernel_id_parse(id);
	struct vmlinux *v = vmlinux_find(release, &wanted);
	bool right = v && path ? !strcmp(vmlinux_path(v), path) : !v && !path;

	vmlinux_close(v);
	return right;
}

/* In a mount namespace of its own, in which nothing else is at these places */
static int find_everywhere(void)
{
	char link[16];

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/boot", "tmpfs", 0, NULL) ||
	    mount("none", "/usr/lib", "tmpfs", 0, NULL) ||
	    /* Where /lib is no link to there, nothing is put into the machine's own */
	    readlink("/lib", link, sizeof(link)) != 7)
		return 99;
	if (!finds(RELEASE, ID, NULL))
		return 1;
	/* From the last to the first: each goes before those after it */
	for (size_t i = NR_PLACES; i--;) {
		put(places[i], "vmlinux");
		if (!finds(RELEASE, ID, places[i]))
			return 10 + (int)i;
	}
	/* Of another kernel, of one that does not say, of none; and a way somewhere else */
	if (!finds(RELEASE, OTHER, NULL) || !finds(RELEASE, "", NULL) ||
	    !finds("../modules/" RELEASE, ID, places[NR_PLACES - 1]))
		return 2;
	put(places[0], "anonymous");
	put(places[1], "stripped");
	put(places[2], "k.c");
	return finds(RELEASE, ID, places[3]) ? 0 : 3;
}

static void found(void **state)
{
	int status;
	pid_t pid;
	(void)state;

	if (geteuid())
		skip();
	pid = fork();
	if (!pid)
		_exit(find_everywhere());
	status = exit_status(pid);
	if (status == 99)
		skip();
	assert_int_equal(status, 0);
}

/* As a recording does: where kallsyms tells _stext, that is where the image is */
static void running_kernel(void **state)
{
	struct kernel_naming by = { .device = -1 };
	struct records records = { 0 };
	struct kernel_symbols *k;
	uint64_t stext, sources = 0;
	struct profile *p;
	struct mk m;
	(void)state;

	assert_int_equal(kernel_symbols_load(-1, &k), 0);
	stext = kernel_symbols_stext(k);
	kernel_symbols_destroy(k);
	if (!stext)
		skip();
	begin(&m, "", "");
	for (size_t i = 0; i < at.nr; i++) {
		uint64_t ip = at.all[i].address - LINKED + stext;

		mk_stack(&m, i + 1, KFLAME_STACK_KERNEL, &ip, 1);
	}
	p = mk_profile(&m);
	by.image = vmlinux_open(path_of("vmlinux"), &by.id);
	assert_non_null(by.image);
	assert_int_equal(naming_kernel(p, &by, &records), 0);
	assert_true(by.stext == stext);
	for (size_t i = 0; i < records.len;) {
		const struct kflame_rec_source *r = (const void *)(records.data + i);

		if (r->rec.type == KFLAME_REC_SOURCE) {
			assert_int_equal(r->file, 0);
			assert_in_range(r->offset, stext, stext + 4096);
			sources++;
		}
		i += r->rec.size;
	}
	assert_int_equal(sources, at.nr);
	records_exit(&records);
	vmlinux_close(by.image);
	profile_destroy(p);
	mk_free(&m);
}

static void build_ids(void **state)
{
	static const unsigned char notes[] = {
		4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'X', 'e', 'n', 0, 1, 2, 3, 4, 5, 0, 0, 0,
		4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0x0c, 0, 0,
	};
	static const unsigned char endless[] = {
		4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4,
	};
	struct kernel_id id = kernel_id_of_notes(notes, sizeof(notes)), other;
	(void)state;

	assert_string_equal(kernel_id_show(&id).hex, "ab0c");
	/* Cut anywhere, there is none */
	for (size_t len = 0; len < sizeof(notes); len++)
		assert_int_equal(kernel_id_of_notes(notes, len).len, 0);
	assert_int_equal(kernel_id_of_notes(endless, sizeof(endless)).len, 0);
	other = kernel_id_parse("ab0c");
	assert_true(kernel_id_same(&id, &other));
	other = kernel_id_parse("ab0d");
	assert_false(kernel_id_same(&id, &other));
	other = kernel_id_parse("");
	assert_false(kernel_id_same(&other, &other));
	assert_int_equal(kernel_id_parse(NULL).len, 0);
	assert_int_equal(kernel_id_parse("abc").len, 0);
	assert_int_equal(kernel_id_parse("0xab").len, 0);
	assert_int_equal(kernel_id_parse(" 1+2").len, 0);
	assert_int_equal(kernel_id_parse(ID "00").len, 0);
	assert_int_equal(kernel_id_parse(ID).len, 20);
}

/*
 * What is found in a core file with one segment of notes, whose header says that it has @filesz bytes;
 * cut after @len
 */
static uint64_t stext_in(const void *notes, size_t bytes, size_t filesz, size_t len)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph[2];
	} core = { .eh.e_phoff = sizeof(Elf64_Ehdr), .eh.e_phnum = 2,
		   .eh.e_phentsize = sizeof(Elf64_Phdr), .ph[0].p_type = PT_LOAD,
		   .ph[1] = { .p_type = PT_NOTE, .p_offset = sizeof(core), .p_filesz = filesz } };
	FILE *f = tmpfile();
	uint64_t found;

	assert_non_null(f);
	memcpy(core.eh.e_ident, ELFMAG, SELFMAG);
	core.eh.e_ident[EI_CLASS] = ELFCLASS64;
	fwrite(&core, sizeof(core), 1, f);
	fwrite(notes, bytes, 1, f);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(ftruncate(fileno(f), (off_t)len), 0);
	found = kcore_stext_of(fileno(f));
	fclose(f);
	return found;
}

static void core_notes(void **state)
{
	static const char text[] = "OSRELEASE=6.1\nSYMBOL(_stext)=ffffffff9b200000\nX=1\n";
	static const struct {
		Elf64_Nhdr other;
		char other_name[8], other_text[4];
		Elf64_Nhdr info;
		char name[12], text[sizeof(text) + 3];
	} notes = { { 5, 4, 1 }, "CORE", "abc", { 11, sizeof(text) - 1, 0 }, "VMCOREINFO",
		    "OSRELEASE=6.1\nSYMBOL(_stext)=ffffffff9b200000\nX=1\n" };
	size_t head = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), whole = head + sizeof(notes);
	uint64_t stext;
	(void)state;

	stext = stext_in(&notes, sizeof(notes), sizeof(notes), whole);
	assert_true(stext == LINKED + SLIDE);
	/* Cut in the notes or before them, or no such file at all */
	for (size_t len = 0; len < whole - 8; len++)
		assert_int_equal(stext_in(&notes, sizeof(notes), sizeof(notes), len), 0);
	assert_int_equal(stext_in(text, sizeof(text), sizeof(text), head + sizeof(text)), 0);
	assert_int_equal(stext_in(&notes, sizeof(notes), 2u << 20, whole), 0);
	/* What the running kernel tells here and there is the same */
	stext = kcore_stext();
	if (stext) {
		struct kernel_symbols *k;

		assert_int_equal(kernel_symbols_load(-1, &k), 0);
		if (kernel_symbols_stext(k))
			assert_true(kernel_symbols_stext(k) == stext);
		kernel_symbols_destroy(k);
	}
	print_message("# /proc/kcore %s _stext here\n", stext ? "tells" : "does not tell");
}

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	write_file("k.c", kernel);
	run("%s -O2 -g -falign-functions=1 -ffreestanding -fno-asynchronous-unwind-tables -fpie -nostdlib -static "
	    "-no-pie -Wl,-Ttext=0xffffffff81000000,--defsym=_stext=0xffffffff81000000,"
	    "--build-id=0x" ID " -o vmlinux $PWD/k.c");
	run("strip -o stripped vmlinux && objcopy --only-keep-debug vmlinux vmlinux.debug && "
	    "objcopy --remove-section=.note.gnu.build-id vmlinux anonymous 2>/dev/null; true %s");
	at = every_instruction("vmlinux");
	assert_in_range(at.nr, 20, 200);
	return 0;
}

static int tear_down(void **state)
{
	chains_free(&at);
	return programs_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_binutils),
		cmocka_unit_test(kernel_goes_first),
		cmocka_unit_test(debug_file),
		cmocka_unit_test(by_hints),
		cmocka_unit_test(hints_vote),
		cmocka_unit_test(refusals),
		cmocka_unit_test(record_refuses),
		cmocka_unit_test(found),
		cmocka_unit_test(running_kernel),
		cmocka_unit_test(build_ids),
		cmocka_unit_test(core_notes),
	};

	return cmocka_run_group_tests_name("vmlinux", tests, set_up, tear_down);
}
