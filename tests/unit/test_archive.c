// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_archive.c - a profile and its archive name elsewhere what they named here
 *
 * Three programs of one source: "id" is stripped and has its debug file by build-id, "plain" has
 * neither a build-id nor is it stripped, "link" is stripped and has no build-id, but a
 * .gnu_debuglink; a fourth one is gone.  The profile is one that was not named: every name in a
 * view is looked up.  tar(1) unpacks, and the programs are removed: so the archive is all there
 * is.  The tool itself is run, since it loads libarchive and takes signals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children.h"
#include "golden.h"
#include "mkprofile.h"
#include "programs.h"

static const char source[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int folded_in(int x)\n"
	"{\n"
	"	return x * sink;\n"
	"}\n"
	"__attribute__((noinline)) static int hidden(int x)\n"
	"{\n"
	"	return folded_in(x) + folded_in(x + 1);\n"
	"}\n"
	"int main(int argc, char **argv) { return hidden(argc) + argv[0][0]; }\n";

/* What the stacks of "before" hold: a function, what was inlined into it, and the line */
static const char *const known[] = {
	"task;hidden id.c:8;folded_in id.c:4 1\n",
	"task;hidden plain.c:8;folded_in plain.c:4 1\n",
	"task;hidden link.c:8;folded_in link.c:4 1\n",
};

/* Return: the exit status; what it says is in the file "said" */
static int kflame(const char *arguments)
{
	char line[1024];
	int status;

	snprintf(line, sizeof(line), "cd %s && " KFLAME_TOOL " %s 2>said", dir, arguments);
	status = system(line);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static char *read_file(const char *name)
{
	char path[128], *text;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	text = golden_read(path);
	assert_non_null(text);
	return text;
}

static void assert_has(const char *name, const char *part, bool wanted)
{
	char *text = read_file(name);

	if (!strstr(text, part) == wanted)
		fail_msg("%s %s \"%s\":\n%s", name, wanted ? "lacks" : "has", part, text);
	free(text);
}

static void make_program(const char *name, const char *build_id)
{
	char line[512];

	snprintf(line, sizeof(line), "ln -s t.c %s.c; %%s -O2 -g -Wl,--build-id=%s -o %s %s.c", name,
		 build_id, name, name);
	run(line);
}

/* Of hidden(), by nm: in the file, behind the first instruction */
static uint64_t hidden_of(const char *name)
{
	unsigned long long address;
	char line[256];
	FILE *in;

	snprintf(line, sizeof(line), "nm %s/%s | grep ' t hidden$'", dir, name);
	in = popen(line, "r");
	assert_int_equal(fscanf(in, "%llx", &address), 1);
	pclose(in);
	return offset_of(name, address);
}

static uint64_t hidden_at[3];
static const char *const names[] = { "id", "plain", "link" };

/* A file of the profile, @nr from 1, with a sample at @offset */
static void add_file(struct mk *m, uint64_t nr, struct kflame_rec_file *rec, const char *path,
		     uint64_t offset)
{
	uint64_t start = nr << 32, at = start + offset;

	rec->id = nr;
	records_file(&m->r, rec, path);
	mk_aspace(m, nr, "task");
	mk_mapping(m, nr, start, start + (1 << 24), nr, 0);
	mk_stack(m, nr, KFLAME_STACK_USER, &at, 1);
	mk_count(m, nr, 0, nr, 1, 1000);
}

static void write_profile(const char *name, struct mk *m)
{
	char path[128];
	FILE *f;

	mk_end(m);
	assert_false(m->r.failed);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(m->r.data, 1, m->r.len, f), m->r.len);
	assert_int_equal(fclose(f), 0);
	mk_free(m);
}

static void begin_profile(struct mk *m)
{
	mk_header(m);
	mk_session(m);
}

/*
 * @recorded: as 'kflame record' leaves it, with what it found: stripped programs, and one gone
 * @suffix: of the paths
 */
static void make_profile(const char *name, bool recorded, const char *suffix)
{
	static const uint8_t id[] = { 0x12, 0x34, 0x56, 0x7c };
	struct mk m = { 0 };

	begin_profile(&m);
	for (uint64_t i = 0; i < 3; i++) {
		struct profile_file f;
		char path[128];

		describe(names[i], &f, path);
		strcat(path, suffix);
		if (!i) {
			f.rec.build_id_len = sizeof(id);
			memcpy(f.rec.build_id, id, sizeof(id));
		}
		add_file(&m, i + 1, &f.rec, path, hidden_at[i]);
	}
	add_file(&m, 4, &(struct kflame_rec_file){ .inode = 9, .bytes = 8 }, "/nowhere/lost", 16);
	for (uint64_t id_of = 1; recorded && id_of <= 4; id_of++)
		records_named(&m.r, id_of, id_of == 4 ? KFLAME_NAMED_GONE : KFLAME_NAMED_DYNSYM, 0);
	if (recorded)
		records_host(&m.r, "tool=test", sizeof("tool=test"));
	write_profile(name, &m);
}

static int set_up(void **state)
{
	(void)state;
	programs_make_dir();
	setenv("DEBUGINFOD_CACHE_PATH", dir, 1);
	unsetenv("DEBUGINFOD_URLS");
	write_file("t.c", source);
	make_program("id", "0x1234567c");
	make_program("plain", "none");
	make_program("link", "none");
	for (int i = 0; i < 3; i++)
		hidden_at[i] = hidden_of(names[i]);
	run("true %s; mkdir 1234567c; objcopy --only-keep-debug id 1234567c/debuginfo; strip id");
	run("true %s; objcopy --only-keep-debug link link.dbg; strip link; "
	    "objcopy --add-gnu-debuglink=link.dbg link");
	/* A time that is not of whole seconds */
	run("true %s; touch -d '2020-02-02 02:02:02.123456789' plain link");
	make_profile("p.kfl", false, "");
	make_profile("recorded.kfl", true, "");
	make_profile("deleted.kfl", false, " (deleted)");
	return 0;
}

static void packs_and_tells(void **state)
{
	(void)state;
	assert_int_equal(kflame("fold --lines -i p.kfl -o before"), 0);
	for (int i = 0; i < 3; i++)
		assert_has("before", known[i], true);
	/* One file is gone: it is reported, by name, in the rest of the output and by the exit status */
	assert_int_equal(kflame("archive -i p.kfl"), 1);
	assert_has("said", "not packed: /nowhere/lost: it is not there", true);
	assert_has("said", "p.kfl.tar.zst: the profile, 3 files and 2 debug files", true);
	run("true %s; test $(stat -c %%a p.kfl.tar.zst) = 600");
	run("true %s; tar -tf p.kfl.tar.zst | sort >list");
	assert_has("list", ".build-id/12/34567c\n.build-id/12/34567c.debug\n", true);
	assert_has("list", "/.debug/link.dbg\n", true);
	assert_has("list", "/plain\n", true);
	run("true %s; mkdir dir; tar -xf p.kfl.tar.zst -C dir; cmp p.kfl dir/kflame.data");
	assert_has("dir/MANIFEST", "1234567c ", true);
	assert_has("dir/MANIFEST", " gone /nowhere/lost\n", true);
	run("true %s; test $(stat -c %%.9Y dir/files$PWD/plain) = $(stat -c %%.9Y plain)");
	/* What is packed has no code */
	run("true %s; objcopy -O binary -j .text dir/.build-id/12/34567c text; "
	    "! tr -d '\\000' <text | grep -q .");
}

/* Elsewhere: no program, no debug file */
static void names_elsewhere(void **state)
{
	(void)state;
	run("true %s; mkdir away; mv id plain link link.dbg 1234567c away");
	assert_int_equal(kflame("fold --lines -i p.kfl -o without"), 0);
	assert_has("without", "hidden", false);
	assert_has("without", "[gone: plain", true);
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols dir -o after"), 0);
	run("true %s; cmp before after");
	assert_int_equal(kflame("report -i dir/kflame.data --symbols dir -o report"), 0);
	assert_has("report", "folded_in", true);
	assert_int_equal(kflame("flame -i dir/kflame.data --symbols dir -o picture"), 0);
	assert_has("picture", "<title>folded_in", true);
}

/* A copy of the target's root: each file at its path, and debug files where packages install them */
static void names_from_a_root(void **state)
{
	(void)state;
	run("true %s; mkdir -p root$PWD root/usr/lib/debug/.build-id/12 root/usr/lib/debug$PWD");
	run("true %s; cp -p away/id away/plain away/link root$PWD; cp away/link.dbg root/usr/lib/debug$PWD");
	run("true %s; cp away/1234567c/debuginfo root/usr/lib/debug/.build-id/12/34567c.debug");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols root -o after"), 0);
	run("true %s; cmp before after");
	/* A debug file beside its program; and a program that was deleted on the target, but not in the copy */
	run("true %s; mv root/usr/lib/debug$PWD/link.dbg root$PWD");
	assert_int_equal(kflame("fold --lines -i deleted.kfl --symbols root -o after"), 0);
	assert_has("after", known[2], true);
	/* Another version is there */
	run("true %s; touch root$PWD/plain");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols root -o after"), 0);
	assert_has("after", known[0], true);
	assert_has("after", "[changed: plain", true);
}

/* Symbolic links of a copy lead where they lead on the target: an absolute one begins at the copy */
static void links_of_a_root(void **state)
{
	(void)state;
	run("true %s; rm -rf root; mkdir -p root$PWD root/usr root/real/.debug; cp -p away/id away/plain away/link root/real");
	run("true %s; cp away/link.dbg root/real/.debug; rmdir root$PWD; ln -s /real root$PWD");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols root -o after"), 0);
	for (int i = 1; i < 3; i++)
		assert_has("after", known[i], true);
	/* The file itself is a link; and a program that has moved is found by its build-id, as packages link it */
	run("true %s; mkdir -p root/usr/bin root/usr/lib/debug/.build-id/12; mv root/real/id root/usr/bin/moved");
	run("true %s; mv root/real/plain root/plain; ln -s ../plain root/real/plain");
	run("true %s; ln -s ../../../../../../../../usr/bin/moved root/usr/lib/debug/.build-id/12/34567c");
	run("true %s; cp away/1234567c/debuginfo root/usr/lib/debug/.build-id/12/34567c.debug");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols root -o after"), 0);
	for (int i = 0; i < 3; i++)
		assert_has("after", known[i], true);
	/* No link leads out of the copy */
	run("true %s; rm -r root; mkdir -p root$PWD root/usr; rmdir root$PWD; ln -s $PWD/away root$PWD");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols root -o after"), 0);
	assert_has("after", "hidden", false);
}

/* The archive of a copy of the target's root: of nothing that this machine has, and complete without the copy */
static void packs_from_a_root(void **state)
{
	(void)state;
	run("true %s; rm -rf root; mkdir -p root$PWD/.debug root/usr/lib/debug/.build-id/12");
	run("true %s; cp -p away/id away/plain away/link root$PWD; cp away/link.dbg root$PWD/.debug");
	run("true %s; cp away/1234567c/debuginfo root/usr/lib/debug/.build-id/12/34567c.debug");
	assert_int_equal(kflame("archive -i p.kfl -o here.tar"), 1);
	assert_has("said", "the profile, 0 files and 0 debug files", true);
	assert_int_equal(kflame("archive -i p.kfl -o there.tar --from-sysroot root"), 1);
	assert_has("said", "the profile, 3 files and 2 debug files", true);
	assert_has("said", "/nowhere/lost: it is neither in the sysroot nor here", true);
	run("true %s; mv root hidden; mkdir there; tar -xf there.tar -C there");
	assert_int_equal(kflame("fold --lines -i there/kflame.data --symbols there -o after"), 0);
	run("true %s; cmp before after; rm -r there; mv hidden root");
	/* As Buildroot's staging tree has a program that is stripped on the target: with its symbols */
	run("%s -O2 -g -Wl,--build-id=0x1234567c -o unstripped id.c");
	run("true %s; mv unstripped root$PWD/id; rm -r root/usr/lib; touch -d yesterday root$PWD/id");
	assert_int_equal(kflame("archive -i p.kfl -o there.tar --from-sysroot root"), 1);
	assert_has("said", "the profile, 3 files and 1 debug file,", true);
	run("true %s; mkdir there; tar -xf there.tar -C there");
	assert_int_equal(kflame("fold --lines -i there/kflame.data --symbols there -o after"), 0);
	run("true %s; cmp before after; rm -r there");
	/* Another program at its path is not packed */
	run("true %s; cp -p away/plain root$PWD/id; echo >>root$PWD/plain");
	assert_int_equal(kflame("archive -i p.kfl -o there.tar --from-sysroot root"), 1);
	assert_has("said", "the profile, 1 file and 1 debug file,", true);
	assert_has("said", "/id: another file has its path in the sysroot, or here", true);
	assert_int_equal(kflame("archive -i p.kfl --from-sysroot not-there"), 2);
	assert_has("said", "--from-sysroot not-there: No such file", true);
	run("true %s; rm -r root here.tar there.tar there.tar.old");
}

/* What was named when it was recorded is named anew, where there are better names now */
static void names_anew(void **state)
{
	(void)state;
	assert_int_equal(kflame("fold --lines -i recorded.kfl -o without"), 0);
	assert_has("without", "[stripped: plain", true);
	assert_int_equal(kflame("fold --lines -i recorded.kfl --symbols dir -o after"), 0);
	run("true %s; cmp before after");
	/* Not all are there: the others stay as they were */
	run("true %s; cp -a dir some; rm -r some/files");
	assert_int_equal(kflame("fold --lines -i recorded.kfl --symbols some -o after"), 0);
	assert_has("after", known[0], true);
	assert_has("after", "[stripped: plain", true);
}

/* tar may keep whole seconds only; another time, another size, another build-id is another file */
static void identity(void **state)
{
	(void)state;
	run("true %s; cp -a dir other; touch -d '2020-02-02 02:02:02' other/files$PWD/plain");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols other -o out"), 0);
	assert_has("out", known[1], true);
	run("true %s; touch -d '2020-02-02 02:02:03' other/files$PWD/plain");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols other -o out"), 0);
	assert_has("out", known[1], false);
	assert_has("out", "[changed: plain", true);
	assert_has("out", known[2], true);
	run("true %s; echo >>other/files$PWD/link; "
	    "touch -d '2020-02-02 02:02:02.123456789' other/files$PWD/link");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols other -o out"), 0);
	assert_has("out", "[changed: link", true);
	/* A copy of another program at the place of this build-id */
	run("%s -O2 -Wl,--build-id=0x11223344 -o wrong t.c; cp wrong other/.build-id/12/34567c");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols other -o out"), 0);
	assert_has("out", "[changed: id", true);
	/* What is refused there is looked for where it always is */
	run("true %s; ln away/id away/plain .");
	assert_int_equal(kflame("fold --lines -i p.kfl --symbols other -o out"), 0);
	assert_has("out", known[1], true);
	run("true %s; rm id plain");
}

/* A profile is somebody's word: it may name what is no program, or lead out of the archive */
static void hostile_profile(void **state)
{
	struct profile_file f;
	struct mk m = { 0 };
	char path[128], crooked[256];
	(void)state;

	write_file("secret", "root:secret\n");
	begin_profile(&m);
	describe("secret", &f, path);
	add_file(&m, 1, &f.rec, path, 16);
	describe("away/plain", &f, path);
	snprintf(crooked, sizeof(crooked), "%s/away/../away/plain", dir);
	add_file(&m, 2, &f.rec, crooked, hidden_at[1]);
	write_profile("bad.kfl", &m);
	assert_int_equal(kflame("archive -i bad.kfl -o bad.tar"), 1);
	assert_has("said", "/secret: it is no ELF file", true);
	assert_has("said", "/plain: it has no build-id, and its path is none of a file", true);
	run("true %s; tar -tf bad.tar >list; printf 'kflame.data\\nMANIFEST\\n' | cmp - list");
	/* Nor does it lead out of the directory when it is read */
	run("true %s; mkdir -p trap/files trap/usr trap/out; cp -p away/plain trap/out; cp -p away/plain out.elf");
	begin_profile(&m);
	add_file(&m, 1, &f.rec, "/../out/plain", hidden_at[1]);
	add_file(&m, 2, &f.rec, "/usr/../../out.elf", hidden_at[1]);
	write_profile("bad.kfl", &m);
	assert_int_equal(kflame("fold -i bad.kfl --symbols trap -o out"), 0);
	assert_has("out", "hidden", false);
}

static void the_vdso(void **state)
{
	struct kflame_rec_session s = { .rec.type = KFLAME_REC_SESSION, .abi = KFLAME_ABI,
					.nr_cpus = 1, .page_size = 4096, .kdepth = 127,
					.udepth = 127 };
	struct utsname u;
	struct mk m = { 0 };
	(void)state;

	assert_int_equal(uname(&u), 0);
	snprintf((char *)s.release, sizeof(s.release), "%s", u.release);
	mk_header(&m);
	records_add(&m.r, &s, sizeof(s), NULL, 0);
	add_file(&m, 1, &(struct kflame_rec_file){ 0 }, "[vdso]", 0x800);
	write_profile("v.kfl", &m);
	assert_int_equal(kflame("archive -i v.kfl"), 0);
	run("true %s; tar -tf v.kfl.tar.zst | grep -qxF 'files/[vdso]'");
	/* Of a kernel that is not this one */
	begin_profile(&m);
	add_file(&m, 1, &(struct kflame_rec_file){ 0 }, "[vdso]", 0x800);
	write_profile("v.kfl", &m);
	assert_int_equal(kflame("archive -i v.kfl -o v.tar"), 1);
	assert_has("said", "[vdso]: another kernel runs now", true);
	assert_int_equal(kflame("fold -i v.kfl --symbols dir -o out"), 0);
}

/* More debug information than is copied in memory: the file is packed as it is */
static void large(void **state)
{
	struct mk m = { 0 };
	struct profile_file f;
	char path[128];
	(void)state;

	run("true %s; truncate -s 100M zeros; objcopy --add-section .debug_x=zeros away/plain large");
	describe("large", &f, path);
	begin_profile(&m);
	add_file(&m, 1, &f.rec, path, hidden_at[1]);
	write_profile("large.kfl", &m);
	assert_int_equal(kflame("archive -i large.kfl"), 0);
	run("true %s; tar -xOf large.kfl.tar.zst files$PWD/large | cmp - large; "
	    "test $(stat -c %%s large.kfl.tar.zst) -lt 1000000; rm large zeros");
}

/* Ctrl-C, which waits until the tool takes it: nothing is left */
static void interrupted(void **state)
{
	sigset_t set;
	pid_t child;
	(void)state;

	child = fork();
	if (!child) {
		sigemptyset(&set);
		sigaddset(&set, SIGINT);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGINT);
		if (chdir(dir))
			_exit(98);
		stderr = freopen("said", "w", stderr);
		execl(KFLAME_TOOL, "kflame", "archive", "-i", "p.kfl", "-o", "ended.tar", NULL);
		_exit(99);
	}
	assert_int_equal(exit_status(child), 1);
	assert_has("said", "interrupted: ended.tar is not written", true);
	run("true %s; ! test -e ended.tar");
}

/* Whole or not at all, and what was there is kept */
static void output(void **state)
{
	(void)state;
	run("true %s; mv away/* .");
	write_file("old.tar.gz", "old\n");
	assert_int_equal(kflame("archive -i p.kfl -o old.tar.gz"), 1);
	assert_has("said", "what was at old.tar.gz is old.tar.gz.old now", true);
	assert_has("old.tar.gz.old", "old\n", true);
	run("true %s; gzip -t old.tar.gz; rm old.tar.gz.old");
	assert_int_equal(kflame("archive -i p.kfl -o - >out"), 1);
	run("true %s; tar -tf - --zstd <out | grep -qx MANIFEST");
	/* A limit of file sizes, and a full disk */
	write_file("old.tar", "old\n");
	run("true %s; ls -I 'ls?' >ls1; (ulimit -f 8; " KFLAME_TOOL " archive -i p.kfl -o old.tar "
	    "2>said; test $? = 1) && ls -I 'ls?' >ls2 && cmp ls1 ls2 && test $(cat old.tar) = old");
	assert_has("said", "cannot write old.tar: File too large", true);
	assert_int_equal(kflame("archive -i p.kfl -o /dev/full"), 1);
	assert_has("said", "cannot write /dev/full: No space left", true);
	assert_int_equal(kflame("archive -i p.kfl -o no/such/a.tar"), 1);
	assert_has("said", "cannot write no/such/a.tar: No such file", true);
}

static void bad_input(void **state)
{
	(void)state;
	write_file("junk", "no profile at all, but long enough to have a header's size....");
	run("true %s; rm -f *.tar.zst");
	assert_int_equal(kflame("archive -i junk"), 1);
	assert_has("said", "junk is not a kflame profile", true);
	assert_int_equal(kflame("archive -i not-there"), 1);
	assert_has("said", "not-there is not there", true);
	assert_int_equal(kflame("archive -i dir"), 1);
	assert_has("said", "dir is no regular file", true);
	assert_int_equal(kflame("archive -i p.kfl -o ./p.kfl"), 1);
	assert_has("said", "-o names the profile itself", true);
	run("true %s; ! ls *.tar.zst *.old 2>&-");
	assert_int_equal(kflame("archive -i -"), 2);
	assert_int_equal(kflame("archive p.kfl"), 2);
	assert_int_equal(kflame("fold -i p.kfl --symbols not-there"), 2);
	assert_has("said", "--symbols not-there: No such file", true);
	assert_int_equal(kflame("fold -i p.kfl --symbols away"), 2);
	assert_has("said", "is neither an unpacked archive nor a copy of a root", true);
	/* One that was cut: what is there is packed, and the status says so */
	run("true %s; head -c -16 p.kfl >cut.kfl");
	assert_int_equal(kflame("archive -i cut.kfl -o cut.tar"), 1);
	assert_has("said", "cut.tar: the profile, 3 files", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packs_and_tells),
		cmocka_unit_test(names_elsewhere),
		cmocka_unit_test(names_from_a_root),
		cmocka_unit_test(links_of_a_root),
		cmocka_unit_test(packs_from_a_root),
		cmocka_unit_test(names_anew),
		cmocka_unit_test(identity),
		cmocka_unit_test(hostile_profile),
		cmocka_unit_test(the_vdso),
		cmocka_unit_test(large),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(output),
		cmocka_unit_test(bad_input),
	};

	return cmocka_run_group_tests_name("archive", tests, set_up, programs_remove);
}
