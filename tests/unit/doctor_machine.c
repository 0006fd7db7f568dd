// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_machine.c - see doctor_machine.h
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cmd/commands.h"
#include "doctor_machine.h"

char dir[] = "/tmp/kflame-doctor-XXXXXX";
char root[64], version[32], printed[65536];
char framed[64], frameless[64], module[64];

/* ----------------------------------------------------------- a made-up root */

const char *whole(const char *path)
{
	static char text[512];

	snprintf(text, sizeof(text), "%s%s", root, path);
	return text;
}

static void make_dirs(const char *path)
{
	char text[512];

	snprintf(text, sizeof(text), "%s", path);
	for (char *at = strchr(text + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		if (mkdir(text, 0755))
			assert_int_equal(errno, EEXIST);
		*at = '/';
	}
}

void put_bytes(const char *path, const void *data, size_t len)
{
	FILE *f;

	make_dirs(whole(path));
	f = fopen(whole(path), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void take_away(const char *path)
{
	assert_int_equal(nftw(whole(path), remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void copy(const char *from, const char *path)
{
	static char data[1 << 20];
	FILE *f = fopen(from, "r");
	size_t len;

	assert_non_null(f);
	len = fread(data, 1, sizeof(data), f);
	assert_true(len && len < sizeof(data));
	fclose(f);
	put_bytes(path, data, len);
}

void link_to(const char *target, const char *path)
{
	make_dirs(whole(path));
	assert_int_equal(symlink(target, whole(path)), 0);
}

void put_config(const char *more)
{
	char text[1024];
	gzFile f;

	snprintf(text, sizeof(text), "# Linux\n%s\n"
		 "# CONFIG_MODULE_SIG_FORCE is not set\nCONFIG_MODULES=y\n"
		 "CONFIG_HIGH_RES_TIMERS=y\nCONFIG_KALLSYMS=y\n"
		 "CONFIG_STACKTRACE=y\nCONFIG_UNWINDER_ORC=y\n"
		 "CONFIG_TRACEPOINTS=y\nCONFIG_KPROBES=y\nCONFIG_KRETPROBES=y\nCONFIG_UPROBES=y\n", more);
	make_dirs(whole(CONFIG));
	f = gzopen(whole(CONFIG), "wb");
	assert_non_null(f);
	assert_int_equal(gzputs(f, text), strlen(text));
	assert_int_equal(gzclose(f), Z_OK);
}

int healthy(void **state)
{
	static const char *const files[][2] = {
		{ "/proc/sys/kernel/osrelease", RELEASE "\n" },
		{ ARCH, "x86_64\n" },
		{ "/proc/sys/kernel/kptr_restrict", "0\n" },
		{ "/proc/sys/kernel/modules_disabled", "0\n" },
		{ "/proc/self/status", "Name:\tkflame\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n" },
		{ "/proc/self/uid_map", "         0          0 4294967295\n" },
		{ "/proc/timer_list", "Timer List Version: v0.10\n  .resolution: 1 nsecs\n" },
		{ "/proc/meminfo", "MemTotal: 8000000 kB\nMemFree: 9 kB\nMemAvailable: 4000000 kB\n" },
		{ "/proc/modules", "kflame 90112 0 - Live 0x0\n" },
		{ LOADED, version },
		{ ENFORCE, "N\n" },
		{ LOCK, "[none] integrity confidentiality\n" },
		{ CLOCK "current_clocksource", "tsc\n" },
		{ CLOCK "available_clocksource", "tsc hpet acpi_pm \n" },
		{ "/sys/devices/system/cpu/possible", "0-3\n" },
		{ "/sys/devices/system/cpu/online", "0-3\n" },
		{ "/sys/devices/system/node/has_memory", "0\n" },
		{ HEADERS "/Makefile", "" },
		{ "/usr/bin/gcc", "" },
		{ "/usr/bin/make", "" },
		{ "/etc/os-release", "PRETTY_NAME=\"Debian\"\nID=debian\n" },
		{ "/usr/bin/apt", "" },
		{ "/usr/bin/dnf", "" },
		{ "/usr/bin/zypper", "" },
		{ "/usr/bin/pacman", "" },
	};
	(void)state;

	for (size_t i = 0; i < NR(files); i++)
		put(files[i][0], files[i][1]);
	put_config("");
	put_bytes(EFIVAR, "\6\0\0\0\0", 5);
	link_to(HEADERS, LIB "/build");
	copy(framed, "/lib64/libc.so.6");
	return 0;
}

int gone(void **state)
{
	(void)state;
	take_away("");
	return 0;
}

void unload(void)
{
	take_away("/sys/module/kflame");
	put("/proc/modules", "other 1 0 - Live 0x0\n");
	copy(module, KO);
	put(DEP, "kernel/a.ko: kernel/b.ko\nextra/kflame.ko:\nextra/c.ko:\n");
}

/* --------------------------------------------------------------- what is said */

struct wanted {
	const char *topic;
	struct finding found;
};

static void keep(void *ctx, const char *topic, const struct finding *f)
{
	struct wanted *w = ctx;

	if (!strcmp(topic, w->topic))
		w->found = *f;
}

struct finding topic_of(const struct doctor *d, const char *topic)
{
	struct wanted w = { .topic = topic };

	doctor_each(d, keep, &w);
	return w.found;
}

struct finding look(const char *topic)
{
	struct finding found;
	struct doctor d;

	assert_int_equal(doctor_look(&d, root), 0);
	found = topic_of(&d, topic);
	doctor_exit(&d);
	return found;
}

int run_doctor(void)
{
	char *argv[] = { (char *)"kflame doctor", (char *)"--root", root, NULL };
	int saved = dup(STDOUT_FILENO), status;
	FILE *file = tmpfile();
	size_t len;

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	status = cmd_doctor(3, argv);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	len = fread(printed, 1, sizeof(printed) - 1, file);
	printed[len] = 0;
	fclose(file);
	return status;
}

static void change(const struct step *s)
{
	if (!strcmp(s->path, UNLOADED))
		unload();
	else if (!strcmp(s->path, OPTIONS))
		put_config(s->content);
	else if (s->content)
		put(s->path, s->content);
	else
		take_away(s->path);
}

static void expect(const struct step *s, size_t number)
{
	struct finding f = look(s->topic);

	if (s->wanted == NOTHING ? !f.text[0] :
	    (int)f.verdict == s->wanted && strstr(f.text, s->text) && (s->fix ? strstr(f.fix, s->fix) != NULL : !f.fix[0]))
		return;
	fail_msg("step %zu, %s: verdict %d (wanted %d)\n%s\n%s\nwanted: %s\nfix: %s", number, s->topic, f.verdict,
		 s->wanted, f.text, f.fix, s->text, s->fix ? s->fix : "");
}

void take_steps(const struct step *steps, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (steps[i].path)
			change(&steps[i]);
		if (!steps[i].topic)
			continue;
		if (!strcmp(steps[i].topic, EXIT_STATUS))
			assert_int_equal(run_doctor(), steps[i].wanted);
		else
			expect(&steps[i], i);
	}
}

/* ---------------------------------------------------------------------- set up */

void compile_module(const char *magic, const char *its_version, const char *more)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "printf '%%s\\n' 'const char a[] __attribute__((section(\".modinfo\"))) = "
		 "\"license=GPL\\0version=%s\\0vermagic=%s\";%s' | %s -x c -c - -o %s",
		 its_version, magic, more, TEST_CC, module);
	assert_int_equal(system(command), 0);
}

static void compile_library(const char *to, const char *how)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "{ echo 'int g(int, void *);'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18"
		 " 19 20 21 22 23 24 25; do echo \"int f$i(int a, char *p) { char b[64]; int s = $i;"
		 " for (int k = 0; k < a; k++) { s += g(k + $i, b); s ^= g(s, p); p += s; }"
		 " return s * $i + g(a, b) + g(s, b + $i) - g(a + $i, p); }\"; done; } |"
		 " %s -x c -O2 -fPIC -shared -nostdlib %s - -o %s", TEST_CC, how, to);
	assert_int_equal(system(command), 0);
}

int machine_setup(void **state)
{
	FILE *tool = popen(KFLAME_TOOL " --version", "r");

	*state = NULL;
	if (!tool || fscanf(tool, "kflame %31s", version) != 1 || pclose(tool) || !mkdtemp(dir))
		return -1;
	snprintf(root, sizeof(root), "%s/root", dir);
	snprintf(framed, sizeof(framed), "%s/framed.so", dir);
	snprintf(frameless, sizeof(frameless), "%s/frameless.so", dir);
	snprintf(module, sizeof(module), "%s/module.o", dir);
	compile_library(framed, "-fno-omit-frame-pointer");
	compile_library(frameless, "-fomit-frame-pointer");
	compile_module(RELEASE " SMP mod_unload modversions ", version, "");
	return 0;
}

int machine_teardown(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
