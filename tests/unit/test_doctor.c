// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_doctor.c - machines made up of files, and what kflame doctor says of them
 *
 * Each test begins with a machine on which all is well.
 */
#include <elf.h>
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/chroot_open.h"
#include "cmd/commands.h"
#include "doctor/doctor.h"
#include "hush.h"

#define RELEASE	"6.1.0-9-amd64"
#define LIB	"/lib/modules/" RELEASE
#define HEADERS	"/usr/src/linux-headers-" RELEASE
#define CLOCK	"/sys/devices/system/clocksource/clocksource0/"
#define EFIVAR	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

static char dir[] = "/tmp/kflame-doctor-XXXXXX";
static char root[64], version[32], printed[65536];

/* The libraries that stand for a libc, and the module: made once, with the compiler */
static char framed[64], frameless[64], module[64];

/* ----------------------------------------------------------- a made-up root */

static const char *whole(const char *path)
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

static void put_bytes(const char *path, const void *data, size_t len)
{
	FILE *f;

	make_dirs(whole(path));
	f = fopen(whole(path), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void put(const char *path, const char *text)
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

static void take_away(const char *path)
{
	assert_int_equal(nftw(whole(path), remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void copy(const char *from, const char *path)
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

static void link_to(const char *target, const char *path)
{
	make_dirs(whole(path));
	assert_int_equal(symlink(target, whole(path)), 0);
}

static void put_config(const char *more)
{
	char text[1024];
	gzFile f;

	snprintf(text, sizeof(text), "# Linux\n%s\n"
		 "# CONFIG_MODULE_SIG_FORCE is not set\nCONFIG_MODULES=y\n"
		 "CONFIG_HIGH_RES_TIMERS=y\nCONFIG_KALLSYMS=y\n"
		 "CONFIG_STACKTRACE=y\nCONFIG_UNWINDER_ORC=y\n", more);
	make_dirs(whole("/proc/config.gz"));
	f = gzopen(whole("/proc/config.gz"), "wb");
	assert_non_null(f);
	assert_int_equal(gzputs(f, text), strlen(text));
	assert_int_equal(gzclose(f), Z_OK);
}

static int healthy(void **state)
{
	(void)state;
	put("/proc/sys/kernel/osrelease", RELEASE "\n");
	put("/proc/sys/kernel/arch", "x86_64\n");
	put("/proc/sys/kernel/kptr_restrict", "0\n");
	put("/proc/sys/kernel/modules_disabled", "0\n");
	put("/proc/self/status", "Name:\tkflame\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	put("/proc/self/uid_map", "         0          0 4294967295\n");
	put("/proc/timer_list", "Timer List Version: v0.10\n  .resolution: 1 nsecs\n");
	put("/proc/meminfo", "MemTotal: 8000000 kB\nMemFree: 9 kB\nMemAvailable: 4000000 kB\n");
	put("/proc/modules", "kflame 90112 0 - Live 0x0\n");
	put_config("");
	put("/sys/module/kflame/version", version);
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put_bytes(EFIVAR, "\6\0\0\0\0", 5);
	put(CLOCK "current_clocksource", "tsc\n");
	put(CLOCK "available_clocksource", "tsc hpet acpi_pm \n");
	put("/sys/devices/system/cpu/possible", "0-3\n");
	put("/sys/devices/system/cpu/online", "0-3\n");
	put("/sys/devices/system/node/has_memory", "0\n");
	put(HEADERS "/Makefile", "");
	link_to(HEADERS, LIB "/build");
	put("/usr/bin/gcc", "");
	put("/usr/bin/make", "");
	put("/etc/os-release", "PRETTY_NAME=\"Debian\"\nID=debian\n");
	put("/usr/bin/apt", "");
	put("/usr/bin/dnf", "");
	put("/usr/bin/zypper", "");
	put("/usr/bin/pacman", "");
	copy(framed, "/lib64/libc.so.6");
	return 0;
}

static int gone(void **state)
{
	(void)state;
	take_away("");
	return 0;
}

/* Not loaded, and installed where modprobe finds it */
static void unload(void)
{
	take_away("/sys/module/kflame");
	put("/proc/modules", "other 1 0 - Live 0x0\n");
	copy(module, LIB "/extra/kflame.ko");
	put(LIB "/modules.dep", "kernel/a.ko: kernel/b.ko\nextra/kflame.ko:\nextra/c.ko:\n");
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

static struct finding look(const char *topic)
{
	struct wanted w = { .topic = topic };
	struct doctor d;

	assert_int_equal(doctor_look(&d, root), 0);
	doctor_each(&d, keep, &w);
	doctor_exit(&d);
	return w.found;
}

/* @fix: NULL for none that is wanted */
static void expect(const char *topic, enum verdict verdict, const char *text, const char *fix)
{
	struct finding f = look(topic);

	if (f.verdict != verdict || !strstr(f.text, text) || (fix ? !strstr(f.fix, fix) : f.fix[0]))
		fail_msg("%s: verdict %d (wanted %d)\n%s\n%s\nwanted: %s\nfix: %s", topic, f.verdict,
			 verdict, f.text, f.fix, text, fix ? fix : "");
}

/* Runs the command; what it prints is in printed[] */
static int run(void)
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

/* ---------------------------------------------------------------------- tests */

static void all_is_well(void **state)
{
	static const char *const topics[] = { "machine", "kernel", "configuration", "modules",
		"kflame.ko", "headers", "compiler", "Secure Boot", "lockdown", "signature",
		"permission", "timers", "clock", "kernel stacks", "kernel names", "user stacks",
		"memory" };
	unsigned int lines = 0;
	(void)state;

	assert_int_equal(run(), 0);
	for (const char *at = printed; strncmp(at, "\n", 1); at = strchr(at, '\n') + 1) {
		assert_int_equal(strncmp(at, "works  ", 7), 0);
		assert_int_equal(strncmp(at + 7, topics[lines], strlen(topics[lines])), 0);
		lines++;
	}
	assert_int_equal(lines, sizeof(topics) / sizeof(topics[0]));
	assert_null(strstr(printed, "fix:"));
	assert_null(strchr(printed, '\033'));
	assert_non_null(strstr(printed, "Nothing that was found keeps kflame from recording"));
}

static void the_module(void **state)
{
	(void)state;
	put("/sys/module/kflame/version", "0.0.7\n");
	expect("kflame.ko", VERDICT_LIMIT, "version 0.0.7", "one source");
	assert_int_equal(run(), 0);

	unload();
	expect("kflame.ko", VERDICT_FAILS, "not loaded; installed: " LIB "/extra/kflame.ko",
	       "sudo modprobe kflame");
	expect("its file", VERDICT_WORKS, "for this kernel, not signed", NULL);
	assert_int_equal(run(), 1);
	assert_non_null(strstr(printed, "\nfails  kflame.ko      not loaded"));
	assert_non_null(strstr(printed, "\n                      fix: sudo modprobe kflame\n"));
	assert_non_null(strstr(printed, "the line that begins with 'fails'"));

	/* Old ones have whole paths */
	put(LIB "/modules.dep", LIB "/extra/kflame.ko: /lib/modules/x");
	expect("kflame.ko", VERDICT_FAILS, "installed: " LIB "/extra/kflame.ko", "sudo modprobe");

	take_away(LIB "/modules.dep");
	expect("kflame.ko", VERDICT_FAILS, "installed", "depmod");
	take_away(LIB "/extra/kflame.ko");
	expect("kflame.ko", VERDICT_FAILS, "not installed for kernel " RELEASE, "insmod");
	put("/var/lib/dkms/kflame/kernel", "");
	expect("kflame.ko", VERDICT_FAILS, "DKMS", "dkms autoinstall -k " RELEASE);
	put(LIB "/modules.dep", "updates/dkms/kflame.ko.xz:");
	expect("its file", VERDICT_FAILS, "/updates/dkms/kflame.ko.xz, which is not there", "install");

	/* Without /sys, lsmod's file tells */
	take_away("/sys/module");
	expect("kflame.ko", VERDICT_FAILS, "not loaded", "");
	put("/proc/modules", "a 1 0 - Live 0x0\nkflame 1 0 - Live 0x0\n");
	expect("kflame.ko", VERDICT_LIMIT, "loaded, but of version unknown", "");
	take_away("/proc/modules");
	expect("kflame.ko", VERDICT_UNKNOWN, "whether it is loaded is unknown", NULL);
}

static void compile_module(const char *magic, const char *its_version)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "printf '%%s\\n' 'const char a[] __attribute__((section(\".modinfo\"))) = "
		 "\"license=GPL\\0version=%s\\0vermagic=%s\";' | %s -x c -c - -o %s",
		 its_version, magic, TEST_CC, module);
	assert_int_equal(system(command), 0);
}

static void the_modules_file(void **state)
{
	static const char mark[] = "~Module signature appended~\n";
	char data[65536];
	size_t len;
	FILE *f;
	gzFile z;
	(void)state;

	unload();
	put(LIB "/extra/kflame.ko", "no module");
	expect("its file", VERDICT_FAILS, "no kernel module", "install");
	put(LIB "/extra/kflame.ko", "");
	expect("its file", VERDICT_FAILS, "no kernel module", "install");
	assert_int_equal(truncate(whole(LIB "/extra/kflame.ko"), 1ll << 40), 0);
	expect("its file", VERDICT_UNKNOWN, "cannot be read", NULL);

	compile_module("6.1.0-8-amd64 SMP mod_unload ", version);
	copy(module, LIB "/extra/kflame.ko");
	expect("its file", VERDICT_FAILS, "built for kernel 6.1.0-8-amd64", "make clean");
	compile_module("6.1.0-8-amd64 SMP mod_unload modversions ", version);
	copy(module, LIB "/extra/kflame.ko");
	expect("its file", VERDICT_LIMIT, "built for kernel 6.1.0-8-amd64", "make clean");
	compile_module(RELEASE " SMP mod_unload ", "0.0.7");
	copy(module, LIB "/extra/kflame.ko");
	expect("its file", VERDICT_LIMIT, "version 0.0.7", "one source");
	compile_module(RELEASE " SMP mod_unload ", version);

	/* Packed, and signed */
	f = fopen(module, "r");
	assert_non_null(f);
	len = fread(data, 1, sizeof(data), f);
	fclose(f);
	take_away(LIB "/extra/kflame.ko");
	z = gzopen(whole(LIB "/extra/kflame.ko.gz"), "wb");
	assert_int_equal(gzwrite(z, data, (unsigned int)len), len);
	gzwrite(z, mark, sizeof(mark) - 1);
	gzclose(z);
	put(LIB "/modules.dep", "extra/kflame.ko.gz:\n");
	expect("its file", VERDICT_WORKS, "for this kernel, signed", NULL);
	expect("kflame.ko", VERDICT_FAILS, "extra/kflame.ko.gz", "modprobe");
	put(LIB "/extra/kflame.ko.zst", "\x28\xb5\x2f\xfd and no more");
	put(LIB "/modules.dep", "extra/kflame.ko.zst:\n");
	expect("its file", VERDICT_UNKNOWN, "cannot be read", NULL);
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	expect("signature", VERDICT_UNKNOWN, "whether the module has one", NULL);
	take_away(LIB "/extra/kflame.ko.zst");
	put(LIB "/modules.dep", "extra/notkflame.ko:\nextra/kflame.ko.orig:\n");
	expect("kflame.ko", VERDICT_FAILS, "extra/kflame.ko.gz", "depmod");
}

static void trimmed_exports(void **state)
{
	char command[1024];
	(void)state;

	unload();
	snprintf(command, sizeof(command),
		 "printf '%%s\n' 'const char a[] __attribute__((section(\".modinfo\"))) = "
		 "\"license=GPL\\0version=%s\\0vermagic=" RELEASE " SMP \"; void hrtimer_start(void);"
		 "void printk(void); void f(void) { hrtimer_start(); printk(); }' | %s -x c -c - -o %s",
		 version, TEST_CC, module);
	assert_int_equal(system(command), 0);
	copy(module, LIB "/extra/kflame.ko");
	put(HEADERS "/Module.symvers", "0x0\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n"
	    "0x1\thrtimer_start\tvmlinux\tEXPORT_SYMBOL_GPL\t\n");
	assert_int_equal(look("exports").text[0], 0);
	put(HEADERS "/Module.symvers", "0x0\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n");
	expect("exports", VERDICT_FAILS, "does not export 1 of the symbols that the module uses: hrtimer_start", "make modules");
	put_config("CONFIG_TRIM_UNUSED_KSYMS=y");
	expect("exports", VERDICT_FAILS, "hrtimer_start", "CONFIG_UNUSED_KSYMS_WHITELIST");
	/* a board has no headers */
	take_away(HEADERS "/Module.symvers");
	put("/proc/kallsyms", "ffffffff81000000 T _stext\nffffffff82000000 r __ksymtab_printk\n");
	expect("exports", VERDICT_FAILS, "hrtimer_start", "CONFIG_UNUSED_KSYMS_WHITELIST");
	put("/proc/kallsyms", "ffffffff82000000 r __ksymtab_printk\nffffffff82000000 r __ksymtab_hrtimer_start\n");
	expect("exports", VERDICT_WORKS, "all that the module uses", NULL);
	put("/proc/kallsyms", "ffffffff81000000 T _stext\n");
	/* What the kernel exports is not known: that it is trimmed is said with its configuration */
	assert_int_equal(look("exports").text[0], 0);
	compile_module(RELEASE " SMP mod_unload modversions ", version);
}

static void to_build_it(void **state)
{
	(void)state;
	take_away(LIB "/build");
	expect("headers", VERDICT_LIMIT, "not there", "sudo apt install linux-headers-" RELEASE);
	assert_int_equal(run(), 0);
	take_away("/sys/module/kflame");
	expect("headers", VERDICT_FAILS, "not there", "sudo apt install linux-headers-" RELEASE);
	put("/etc/os-release", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n");
	expect("headers", VERDICT_FAILS, "not there", "sudo dnf install kernel-devel-" RELEASE);
	put("/etc/os-release", "ID=opensuse-leap\nID_LIKE='suse opensuse'\n");
	expect("headers", VERDICT_FAILS, "not there", "sudo zypper install kernel-amd64-devel");
	/* a board that was built of its packages, and has no installer */
	take_away("/usr/bin/zypper");
	expect("headers", VERDICT_FAILS, "not there", "on another machine: make modules");
	take_away("/etc/os-release");
	expect("headers", VERDICT_FAILS, "not there", "install the package with the headers");
	put("/usr/lib/os-release", "ID=linuxmint\nID_LIKE=ubuntu");
	expect("headers", VERDICT_FAILS, "not there", "sudo apt install");

	/* A link that leads nowhere is what removed headers leave */
	link_to("/usr/src/not-there", LIB "/build");
	expect("headers", VERDICT_FAILS, "not there", "");
	/* One out of the tree is not followed out of it */
	take_away(LIB "/build");
	link_to(dir, LIB "/build");
	expect("headers", VERDICT_FAILS, "not there", "");

	expect("compiler", VERDICT_WORKS, "gcc", NULL);
	put_config("CONFIG_CC_IS_CLANG=y");
	expect("compiler", VERDICT_FAILS, "not there: clang", "sudo apt install clang make");
	take_away("/usr/bin/make");
	expect("compiler", VERDICT_FAILS, "not there: clang and make", "clang make");
	put("/sys/module/kflame/version", version);
	unload();
	expect("compiler", VERDICT_LIMIT, "not there: clang and make", "clang make");
}

static void no_modules(void **state)
{
	(void)state;
	put("/proc/sys/kernel/modules_disabled", "1\n");
	expect("modules", VERDICT_WORKS, "loads modules", NULL);
	unload();
	expect("modules", VERDICT_FAILS, "turned off", "modules-load.d");
	take_away("/proc/config.gz");
	put("/proc/config.gz", "# CONFIG_MODULES is not set\n");
	expect("modules", VERDICT_FAILS, "no CONFIG_MODULES", "boot a kernel");
	assert_int_equal(look("headers").text[0], 0);
	assert_int_equal(look("compiler").text[0], 0);
	put("/proc/sys/kernel/modules_disabled", "0\n");
	take_away("/proc/config.gz");
	expect("modules", VERDICT_WORKS, "loads modules", NULL);
	take_away("/proc/modules");
	expect("modules", VERDICT_UNKNOWN, "not known", NULL);
	put("/proc/version", "Linux");
	expect("modules", VERDICT_FAILS, "no /proc/modules", "boot a kernel");
}

static void lockdown(void **state)
{
	(void)state;
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect("lockdown", VERDICT_WORKS, "integrity", NULL);
	expect("signature", VERDICT_WORKS, "demanded (lockdown); the module is loaded", NULL);
	assert_int_equal(run(), 0);
	unload();
	expect("lockdown", VERDICT_LIMIT, "must be signed", NULL);
	expect("signature", VERDICT_FAILS, "demanded (lockdown)", "signing.md");

	put("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	expect("lockdown", VERDICT_FAILS, "forbids profiling", "lockdown=confidentiality");
	put("/sys/module/kflame/version", version);
	expect("lockdown", VERDICT_FAILS, "forbids profiling", "lockdown=confidentiality");
	assert_int_equal(run(), 1);

	put("/sys/kernel/security/lockdown", "none integrity confidentiality");
	expect("lockdown", VERDICT_UNKNOWN, "not known", "securityfs");
	take_away("/sys/kernel/security/lockdown");
	expect("lockdown", VERDICT_WORKS, "does not know it", NULL);
	put_config("CONFIG_SECURITY_LOCKDOWN_LSM=y");
	expect("lockdown", VERDICT_UNKNOWN, "not known", "securityfs");
	assert_int_equal(run(), 0);
	unload();
	expect("signature", VERDICT_UNKNOWN, "as lockdown is not", NULL);
}

static void signatures(void **state)
{
	FILE *f;
	(void)state;

	unload();
	expect("signature", VERDICT_WORKS, "not demanded", NULL);
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	expect("signature", VERDICT_FAILS, "demanded (module.sig_enforce)", "make sign");
	put_config("CONFIG_MODULE_SIG_FORCE=y");
	expect("signature", VERDICT_FAILS, "demanded (CONFIG_MODULE_SIG_FORCE)", "make sign");
	f = fopen(whole(LIB "/extra/kflame.ko"), "a");
	assert_non_null(f);
	fputs("~Module signature appended~\n", f);
	fclose(f);
	expect("signature", VERDICT_LIMIT, "is signed, and loads if", "mokutil");
	put("/sys/module/kflame/version", version);
	expect("signature", VERDICT_WORKS, "is loaded already", NULL);
}

static void secure_boot(void **state)
{
	(void)state;
	put_bytes(EFIVAR, "\6\0\0\0\1", 5);
	expect("Secure Boot", VERDICT_WORKS, "loaded all the same", NULL);
	unload();
	expect("Secure Boot", VERDICT_WORKS, "does not lock itself down", NULL);
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect("Secure Boot", VERDICT_LIMIT, "signed modules only", NULL);
	put("/sys/kernel/security/lockdown", "");
	expect("Secure Boot", VERDICT_UNKNOWN, "on; whether", NULL);
	put_bytes(EFIVAR, "\6\0", 2);
	expect("Secure Boot", VERDICT_UNKNOWN, "cannot be read", NULL);
	take_away(EFIVAR);
	expect("Secure Boot", VERDICT_UNKNOWN, "efivarfs", NULL);
	take_away("/sys/firmware/efi");
	expect("Secure Boot", VERDICT_WORKS, "not booted by UEFI", NULL);
	take_away("/sys/firmware");
	expect("Secure Boot", VERDICT_UNKNOWN, "no /sys/firmware", NULL);
}

static void permission(void **state)
{
	(void)state;
	put("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n");
	/* The first line of the file has no newline before it: it is never Uid */
	expect("permission", VERDICT_UNKNOWN, "cannot be read", NULL);
	put("/proc/self/status", "Name:\tx\nUid:\t0\t1000\t0\t0\nCapEff:\t0000000000000000\n");
	expect("permission", VERDICT_FAILS, "neither root nor CAP_PERFMON", "sudo");
	assert_int_equal(run(), 1);
	put("/proc/self/status", "Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\n");
	expect("permission", VERDICT_FAILS, "root, but without CAP_PERFMON", "container");
	put("/proc/self/status", "Name:\tx\nUid:\t0\t1000\t0\t0\nCapEff:\t0000004000000000\n");
	expect("permission", VERDICT_LIMIT, "root's alone", "u:1000:rw");
	put("/proc/self/status", "Name:\tx\nUid:\t0\t1000\t0\t0\nCapEff:\t0000000000200002\n");
	expect("permission", VERDICT_WORKS, "enough capabilities", NULL);
	put("/proc/self/status", "Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t0000000000200000\n");
	expect("permission", VERDICT_WORKS, "root", NULL);
	put("/proc/self/uid_map", "0 100000 65536\n");
	expect("permission", VERDICT_FAILS, "container", "on the host");
}

static void names_and_stacks(void **state)
{
	(void)state;
	put("/proc/sys/kernel/kptr_restrict", "2\n");
	expect("kernel names", VERDICT_WORKS, "kptr_restrict 2", NULL);
	take_away("/proc/sys/kernel/kptr_restrict");
	expect("kernel names", VERDICT_UNKNOWN, "whatever it is", NULL);
	put("/proc/config.gz", "CONFIG_STACKTRACE=y\n");
	expect("kernel names", VERDICT_LIMIT, "as addresses", "CONFIG_KALLSYMS");
	expect("kernel stacks", VERDICT_WORKS, "stack_trace_save", NULL);
	put("/proc/config.gz", "CONFIG_UNWINDER_FRAME_POINTER=y\n");
	expect("kernel stacks", VERDICT_WORKS, "unwinder", NULL);
	put("/proc/sys/kernel/arch", "aarch64\n");
	expect("kernel stacks", VERDICT_FAILS, "cannot walk", "CONFIG_STACKTRACE");
	expect("machine", VERDICT_WORKS, "arm64", NULL);
	put("/proc/sys/kernel/arch", "riscv64\n");
	expect("machine", VERDICT_FAILS, "riscv64", NULL);
	put("/proc/config.gz", "#CONFIG_UNWINDER_ORC=y\nX CONFIG_STACKTRACE=y\nCONFIG_STACKTRACE_X=y");
	expect("kernel stacks", VERDICT_FAILS, "cannot walk", "");
}

static void clocks(void **state)
{
	(void)state;
	put(CLOCK "current_clocksource", "jiffies\n");
	expect("clock", VERDICT_LIMIT, "whole ticks", "echo tsc | sudo tee");
	put(CLOCK "current_clocksource", "hpet\n");
	put(CLOCK "available_clocksource", "hpet acpi_pm\n");
	expect("clock", VERDICT_LIMIT, "microsecond", "dmesg");
	put(CLOCK "current_clocksource", "kvm-clock\n");
	expect("clock", VERDICT_WORKS, "kvm-clock", NULL);
	put(CLOCK "current_clocksource", "sundial\n");
	expect("clock", VERDICT_UNKNOWN, "sundial", NULL);
	take_away(CLOCK);
	expect("clock", VERDICT_UNKNOWN, "not known", NULL);

	put("/proc/timer_list", "  .resolution: 4000000 nsecs\n");
	expect("timers", VERDICT_LIMIT, "4 ms: at most 250 samples", "highres=off");
	put("/proc/config.gz", "CONFIG_MODULES=y\n");
	expect("timers", VERDICT_LIMIT, "4 ms: at most 250 samples", "CONFIG_HIGH_RES_TIMERS");
	put("/proc/timer_list", "");
	expect("timers", VERDICT_LIMIT, "no high resolution", "CONFIG_HIGH_RES_TIMERS");
	put_config("");
	expect("timers", VERDICT_UNKNOWN, "CONFIG_HIGH_RES_TIMERS is there", NULL);

	assert_int_equal(look("real time").text[0], 0);
	put("/sys/kernel/realtime", "1\n");
	expect("real time", VERDICT_LIMIT, "PREEMPT_RT", NULL);
	take_away("/sys/kernel/realtime");
	put_config("CONFIG_PREEMPT_RT=y");
	expect("real time", VERDICT_LIMIT, "PREEMPT_RT", NULL);
}

static void kernels(void **state)
{
	(void)state;
	put("/proc/sys/kernel/osrelease", "4.18.0-553.el8.x86_64\n");
	expect("kernel", VERDICT_LIMIT, "before 5.10", NULL);
	put("/proc/sys/kernel/osrelease", "5.10.0\n");
	expect("kernel", VERDICT_WORKS, "Linux 5.10.0", NULL);
	/* It would be a path, and a command: not that */
	put("/proc/sys/kernel/osrelease", "6.1; reboot\n");
	expect("kernel", VERDICT_UNKNOWN, "not known", NULL);
	put("/proc/sys/kernel/osrelease", "../../etc\n");
	expect("kernel", VERDICT_UNKNOWN, "not known", NULL);
	/* A file system that does not run */
	take_away("/proc");
	expect("kernel", VERDICT_WORKS, "Linux " RELEASE, NULL);
	expect("machine", VERDICT_WORKS, "x86-64", NULL);
	put("/lib/modules/6.2.0/x", "");
	expect("kernel", VERDICT_UNKNOWN, "not known", NULL);
}

static void configurations(void **state)
{
	char *big = calloc(1, 9u << 20);
	(void)state;

	take_away("/proc/config.gz");
	expect("configuration", VERDICT_UNKNOWN, "/boot/config-" RELEASE, NULL);
	put(HEADERS "/.config", "CONFIG_MODULES=y\n");
	expect("configuration", VERDICT_WORKS, LIB "/build/.config", NULL);
	put("/boot/config-" RELEASE, "CONFIG_TRIM_UNUSED_KSYMS=y\n");
	expect("configuration", VERDICT_WORKS, "/boot/config-" RELEASE, NULL);
	unload();
	expect("configuration", VERDICT_LIMIT, "CONFIG_TRIM_UNUSED_KSYMS", "Unknown symbol");
	take_away("/boot");
	take_away(HEADERS "/.config");

	put("/proc/config.gz", "nothing of the kind");
	expect("configuration", VERDICT_UNKNOWN, "holds no options", NULL);
	put_bytes("/proc/config.gz", "\x1f\x8b\x08\0garbage", 11);
	expect("configuration", VERDICT_UNKNOWN, "Input/output error", NULL);
	put_config("");
	assert_int_equal(truncate(whole("/proc/config.gz"), 60), 0);
	expect("configuration", VERDICT_UNKNOWN, "Input/output error", NULL);
	assert_non_null(big);
	memset(big, 'C', 9u << 20);
	put_bytes("/proc/config.gz", big, 9u << 20);
	free(big);
	expect("configuration", VERDICT_UNKNOWN, "File too large", NULL);
}

/* Whatever is where a file should be: nothing hangs, nothing crashes */
static void odd_files(void **state)
{
	static const char *const paths[] = {
		"/proc/config.gz", "/proc/modules", "/proc/self/status", "/proc/self/uid_map",
		"/proc/timer_list", "/proc/meminfo", "/proc/sys/kernel/kptr_restrict",
		"/sys/module/kflame/version", "/sys/module/module/parameters/sig_enforce",
		"/sys/kernel/security/lockdown", EFIVAR, CLOCK "current_clocksource",
		"/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/online",
		"/etc/os-release", "/lib64/libc.so.6", LIB "/modules.dep", LIB "/extra/kflame.ko",
		"/proc/sys/kernel/osrelease",
	};
	static char garbage[40000];
	(void)state;

	/* An endless one is none, wherever a link leads */
	assert_int_equal(root_open_file("", "/dev/zero"), -EINVAL);
	unload();
	put("/sys/module/kflame/version", version);
	for (size_t i = 0; i < sizeof(garbage); i++)
		garbage[i] = (char)(i * 2654435761u >> 13);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		put_bytes(paths[i], garbage, sizeof(garbage));
		assert_in_range(run(), 0, 1);
		assert_null(strchr(printed, '\033'));
		put(paths[i], "");
		assert_in_range(run(), 0, 1);
		take_away(paths[i]);
		assert_int_equal(mkfifo(whole(paths[i]), 0644), 0);
		assert_in_range(run(), 0, 1);
		take_away(paths[i]);
		assert_int_equal(mkdir(whole(paths[i]), 0755), 0);
		assert_in_range(run(), 0, 1);
		take_away(paths[i]);
		link_to(paths[i], paths[i]);
		assert_in_range(run(), 0, 1);
	}
	/* Nothing is left: nothing is known, and nothing is claimed to work */
	assert_int_equal(run(), 0);
}

/* Cached steps take 0.4 MiB where the unwinder is ORC: without a kernel configuration doctor shows that */
static void memory_of_steps(void **state)
{
	(void)state;
	expect("memory", VERDICT_WORKS, "takes about 29.2 MiB", NULL);
	put_config("CONFIG_UNWINDER_ORC=n");
	expect("memory", VERDICT_WORKS, "takes about 28.8 MiB", NULL);
	assert_int_equal(unlink(whole("/proc/config.gz")), 0);
	expect("memory", VERDICT_WORKS, "takes about 29.2 MiB", NULL);
	put("/proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T xunwind_module_init\n"
	    "0000000000000000 T unwind_module_init2\n");
	expect("memory", VERDICT_WORKS, "takes about 28.8 MiB", NULL);
	put("/proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T unwind_module_init\n");
	expect("memory", VERDICT_WORKS, "takes about 29.2 MiB", NULL);
	put("/proc/sys/kernel/arch", "aarch64\n");
	expect("memory", VERDICT_WORKS, "takes about 29.0 MiB", NULL);
}

static void memory(void **state)
{
	(void)state;
	expect("memory", VERDICT_WORKS, "4 possible CPUs; kflame may take 976.6 MiB", NULL);
	put("/sys/module/kflame/parameters/memory_cap", "2\n");
	expect("memory", VERDICT_FAILS, "of the 2.0 MiB", "memory_cap=");
	assert_int_equal(run(), 1);
	put("/sys/module/kflame/parameters/memory_cap", "0\n");
	put("/proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 10000 kB\n");
	expect("memory", VERDICT_FAILS, "9.8 MiB that are free", "--entries");
	put("/proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 3000 kB\n");
	expect("memory", VERDICT_FAILS, "2.9 MiB that are free", "--entries");
	/* Smaller tables, where there is little memory: a quarter of the cap is enough */
	put("/proc/meminfo", "MemTotal: 400000 kB\nMemAvailable: 4000000 kB\n");
	expect("memory", VERDICT_WORKS, "takes about 10.8 MiB", NULL);
	/* More CPUs take more: what is possible alone takes little, what is online a table */
	put("/sys/devices/system/cpu/possible", "0-255\n");
	expect("memory", VERDICT_WORKS, "256 possible CPUs", NULL);
	put("/sys/devices/system/cpu/online", "0-127,129,131-255\n");
	expect("memory", VERDICT_FAILS, "a recording takes about ", "memory_cap=");
	put("/sys/devices/system/cpu/possible", "0-4294967295\n");
	expect("memory", VERDICT_UNKNOWN, "not known", NULL);
	put("/sys/devices/system/cpu/possible", "3-1\n");
	expect("memory", VERDICT_UNKNOWN, "not known", NULL);
}

/* On any number of CPUs a recording by default fits into what kflame may take */
static void memory_of_many(void **state)
{
	(void)state;
	put("/sys/module/kflame/parameters/memory_cap", "0\n");
	put("/proc/meminfo", "MemTotal: 1000000000 kB\nMemAvailable: 900000000 kB\n");
	for (unsigned int cpus = 1; cpus <= 4096; cpus *= 2) {
		char list[32];

		snprintf(list, sizeof(list), "0-%u\n", cpus - 1);
		put("/sys/devices/system/cpu/possible", list);
		put("/sys/devices/system/cpu/online", list);
		expect("memory", VERDICT_WORKS, "takes about", NULL);
	}
}

static void frame_pointers(void **state)
{
	static const uint8_t
		plain[] = { 0x55, 0x48, 0x89, 0xe5 },
		endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5 },
		between[] = { 0x55, 0x31, 0xc0, 0x48, 0x89, 0xe5 },
		without[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x53, 0x48, 0x89, 0xfb, 0x48, 0x89, 0xe5 },
		pushed[] = { 0x55, 0x53, 0x48, 0x83, 0xec, 0x08 },
		arm[] = { 0xfd, 0x7b, 0xbe, 0xa9, 0xfd, 0x03, 0x00, 0x91 },
		arm_add[] = { 0xff, 0x83, 0x01, 0xd1, 0xfd, 0x7b, 0x01, 0xa9, 0xfd, 0x43, 0x00, 0x91 },
		arm_stored[] = { 0xfd, 0x7b, 0xbe, 0xa9, 0xf3, 0x03, 0x00, 0x2a };
	(void)state;

	assert_true(keeps_frame(EM_X86_64, plain, sizeof(plain)));
	assert_true(keeps_frame(EM_X86_64, endbr, sizeof(endbr)));
	assert_true(keeps_frame(EM_X86_64, between, sizeof(between)));
	assert_false(keeps_frame(EM_X86_64, without, sizeof(without)));
	assert_false(keeps_frame(EM_X86_64, pushed, sizeof(pushed)));
	assert_false(keeps_frame(EM_X86_64, plain, 3));
	assert_true(keeps_frame(EM_AARCH64, arm, sizeof(arm)));
	assert_true(keeps_frame(EM_AARCH64, arm_add, sizeof(arm_add)));
	assert_false(keeps_frame(EM_AARCH64, arm_stored, sizeof(arm_stored)));
	assert_false(keeps_frame(EM_AARCH64, arm, 7));
	assert_false(keeps_frame(EM_X86_64, arm, sizeof(arm)));

	expect("user stacks", VERDICT_WORKS, "keeps frame pointers", NULL);
	copy(frameless, "/lib64/libc.so.6");
	expect("user stacks", VERDICT_LIMIT, "does without", "-fno-omit-frame-pointer");
	assert_int_equal(run(), 0);
	take_away("/lib64");
	expect("user stacks", VERDICT_UNKNOWN, "no C library", NULL);
}

/* This machine: whatever it says, it says it, and a wrong command line is one */
static void this_machine(void **state)
{
	char *bad[] = { (char *)"kflame doctor", (char *)"--root", (char *)"/no/such/place", NULL };
	struct wanted w = { .topic = "machine" };
	struct doctor d;
	int saved, status;
	(void)state;

	assert_int_equal(doctor_look(&d, "/"), 0);
	assert_true(d.device.asked);
	assert_true(d.resolution_ns > 0);
	doctor_each(&d, keep, &w);
	assert_true(w.found.text[0]);
	doctor_exit(&d);
	saved = hush();
	status = cmd_doctor(3, bad);
	unhush(saved);
	assert_int_equal(status, 2);
}

/* What the module answered, set by hand: there is none under a test */
static void answers(void **state)
{
	struct finding f = { 0 };
	struct doctor d;
	(void)state;

	assert_int_equal(doctor_look(&d, root), 0);
	assert_false(d.device.asked);
	d.device = (struct doctor_device){ .asked = true, .opened = true,
		.info = { .abi = KFLAME_ABI, .memory_cap = 10 << 20, .memory_used = 9 << 20,
			  .features = KFLAME_FEAT_KSTACK_SAVE },
		.memory = 3 << 19 };
	check_module(&d, &f);
	assert_int_equal(f.verdict, VERDICT_LIMIT);
	assert_non_null(strstr(f.text, "older than this tool"));
	assert_non_null(strstr(f.text, "lacks: names of files that were deleted or replaced, unwind tables"));
	d.device.info.features |= 2 * KFLAME_FEAT_MANY_RETURNS - 1;
	check_module(&d, &f);
	assert_int_equal(f.verdict, VERDICT_WORKS);
	d.device.info.features |= 1ull << 63;
	check_module(&d, &f);
	assert_int_equal(f.verdict, VERDICT_LIMIT);
	assert_non_null(strstr(f.text, "does not know 1 of its features"));
	d.device.info.features = KFLAME_FEAT_KSTACK_SAVE;
	check_permission(&d, &f);
	assert_non_null(strstr(f.text, "/dev/kflame opens"));
	check_kernel_stacks(&d, &f);
	assert_non_null(strstr(f.text, "stack_trace_save"));
	check_memory(&d, &f);
	assert_int_equal(f.verdict, VERDICT_FAILS);
	assert_non_null(strstr(f.text, "takes 1.5 MiB, more than is left of the 10.0 MiB"));
	d.device.info.memory_used = 0;
	check_memory(&d, &f);
	assert_int_equal(f.verdict, VERDICT_WORKS);
	d.device.info.features = 0;
	check_kernel_stacks(&d, &f);
	assert_int_equal(f.verdict, VERDICT_FAILS);

	d.device.info.abi = KFLAME_ABI + 1;
	check_module(&d, &f);
	assert_int_equal(f.verdict, VERDICT_FAILS);
	assert_non_null(strstr(f.text, "interface 2 is loaded"));
	d.device = (struct doctor_device){ .asked = true, .opened = true, .error = -ENOTTY };
	check_module(&d, &f);
	assert_int_equal(f.verdict, VERDICT_FAILS);
	assert_non_null(strstr(f.text, "does not answer"));
	d.device = (struct doctor_device){ .asked = true, .error = -ENOENT };
	put("/sys/class/misc/kflame/dev", "10:123\n");
	check_module(&d, &f);
	assert_int_equal(f.verdict, VERDICT_FAILS);
	assert_non_null(strstr(f.fix, "mknod -m 600 /dev/kflame c 10 123"));
	d.device.error = -EACCES;
	check_module(&d, &f);
	assert_int_equal(f.verdict, VERDICT_WORKS);
	check_permission(&d, &f);
	assert_int_equal(f.verdict, VERDICT_FAILS);
	doctor_exit(&d);
}

/* ---------------------------------------------------------------------- set up */

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

static int setup(void **state)
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
	compile_module(RELEASE " SMP mod_unload modversions ", version);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define machine_test(f)	cmocka_unit_test_setup_teardown(f, healthy, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(all_is_well),
		machine_test(the_module),
		machine_test(the_modules_file),
		machine_test(trimmed_exports),
		machine_test(to_build_it),
		machine_test(no_modules),
		machine_test(lockdown),
		machine_test(signatures),
		machine_test(secure_boot),
		machine_test(permission),
		machine_test(names_and_stacks),
		machine_test(clocks),
		machine_test(kernels),
		machine_test(configurations),
		machine_test(odd_files),
		machine_test(memory),
		machine_test(memory_of_many),
		machine_test(memory_of_steps),
		machine_test(frame_pointers),
		machine_test(this_machine),
		machine_test(answers),
	};

	return cmocka_run_group_tests_name("doctor", tests, setup, teardown);
}
