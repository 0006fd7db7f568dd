// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_doctor_module.c - is the module loaded, installed, fit for this kernel, and can it be built?
 */
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "doctor_machine.h"

static void the_module(void **state)
{
	(void)state;
	STEPS({ LOADED, "0.0.7\n", "kflame.ko", LIMIT, "version 0.0.7", "one source" },
	      EXITS(0),
	      { UNLOADED, NULL, "kflame.ko", FAILS, "not loaded; installed: " KO, "sudo modprobe kflame" },
	      EXPECT("its file", WORKS, "for this kernel, not signed", NULL),
	      EXITS(1));
	assert_non_null(strstr(printed, "\nfails  kflame.ko      not loaded"));
	assert_non_null(strstr(printed, "\n                      fix: sudo modprobe kflame\n"));
	assert_non_null(strstr(printed, "the line that begins with 'fails'"));
	/* Old ones have whole paths */
	STEPS({ DEP, KO ": /lib/modules/x", "kflame.ko", FAILS, "installed: " KO, "sudo modprobe" },
	      { DEP, NULL, "kflame.ko", FAILS, "installed", "depmod" },
	      { KO, NULL, "kflame.ko", FAILS, "not installed for kernel " RELEASE, "insmod" },
	      { "/var/lib/dkms/kflame/kernel", "", "kflame.ko", FAILS, "DKMS", "dkms autoinstall -k " RELEASE },
	      { DEP, "updates/dkms/kflame.ko.xz:", "its file", FAILS,
		"/updates/dkms/kflame.ko.xz, which is not there", "install" },
	      /* Without /sys, lsmod's file tells */
	      { "/sys/module", NULL, "kflame.ko", FAILS, "not loaded", "" },
	      { "/proc/modules", "a 1 0 - Live 0x0\nkflame 1 0 - Live 0x0\n", "kflame.ko", LIMIT,
		"loaded, but of version unknown", "" },
	      { "/proc/modules", NULL, "kflame.ko", UNKNOWN, "whether it is loaded is unknown", NULL });
}

/* The file at KO is compiled for the kernel @magic */
static void install(const char *magic, const char *its_version)
{
	compile_module(magic, its_version, "");
	copy(module, KO);
}

/* The installed file is one that is packed, and signed */
static void install_packed(void)
{
	static const char mark[] = "~Module signature appended~\n";
	char data[65536];
	size_t len;
	FILE *f;
	gzFile z;

	f = fopen(module, "r");
	assert_non_null(f);
	len = fread(data, 1, sizeof(data), f);
	fclose(f);
	take_away(KO);
	z = gzopen(whole(KO ".gz"), "wb");
	assert_int_equal(gzwrite(z, data, (unsigned int)len), len);
	gzwrite(z, mark, sizeof(mark) - 1);
	gzclose(z);
	put(DEP, "extra/kflame.ko.gz:\n");
}

static void the_modules_file(void **state)
{
	(void)state;
	STEPS(CHANGE(UNLOADED, NULL),
	      { KO, "no module", "its file", FAILS, "no kernel module", "install" },
	      { KO, "", "its file", FAILS, "no kernel module", "install" });
	assert_int_equal(truncate(whole(KO), 1ll << 40), 0);
	STEPS(EXPECT("its file", UNKNOWN, "cannot be read", NULL));

	install("6.1.0-8-amd64 SMP mod_unload ", version);
	STEPS(EXPECT("its file", FAILS, "built for kernel 6.1.0-8-amd64", "make clean"));
	install("6.1.0-8-amd64 SMP mod_unload modversions ", version);
	STEPS(EXPECT("its file", LIMIT, "built for kernel 6.1.0-8-amd64", "make clean"));
	install(RELEASE " SMP mod_unload ", "0.0.7");
	STEPS(EXPECT("its file", LIMIT, "version 0.0.7", "one source"));
	compile_module(RELEASE " SMP mod_unload ", version, "");

	install_packed();
	STEPS(EXPECT("its file", WORKS, "for this kernel, signed", NULL),
	      EXPECT("kflame.ko", FAILS, "extra/kflame.ko.gz", "modprobe"),
	      CHANGE(KO ".zst", "\x28\xb5\x2f\xfd and no more"),
	      { DEP, "extra/kflame.ko.zst:\n", "its file", UNKNOWN, "cannot be read", NULL },
	      { ENFORCE, "Y\n", "signature", UNKNOWN, "whether the module has one", NULL },
	      CHANGE(KO ".zst", NULL),
	      { DEP, "extra/notkflame.ko:\nextra/kflame.ko.orig:\n", "kflame.ko", FAILS, "extra/kflame.ko.gz",
		"depmod" });
}

static void trimmed_exports(void **state)
{
	(void)state;
	compile_module(RELEASE " SMP ", version, "void hrtimer_start(void);"
		       "void printk(void); void f(void) { hrtimer_start(); printk(); }");
	STEPS(CHANGE(UNLOADED, NULL),
	      CHANGE(HEADERS "/Module.symvers", "0x0\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n"
		     "0x1\thrtimer_start\tvmlinux\tEXPORT_SYMBOL_GPL\t\n"),
	      NOTHING_OF("exports"),
	      { HEADERS "/Module.symvers", "0x0\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n", "exports", FAILS,
		"does not export 1 of the symbols that the module uses: hrtimer_start", "make modules" },
	      { OPTIONS, "CONFIG_TRIM_UNUSED_KSYMS=y", "exports", FAILS, "hrtimer_start",
		"CONFIG_UNUSED_KSYMS_WHITELIST" },
	      /* a board has no headers */
	      CHANGE(HEADERS "/Module.symvers", NULL),
	      { SYMBOLS, "ffffffff81000000 T _stext\nffffffff82000000 r __ksymtab_printk\n", "exports", FAILS,
		"hrtimer_start", "CONFIG_UNUSED_KSYMS_WHITELIST" },
	      { SYMBOLS, "ffffffff82000000 r __ksymtab_printk\nffffffff82000000 r __ksymtab_hrtimer_start\n", "exports",
		WORKS, "all that the module uses", NULL },
	      CHANGE(SYMBOLS, "ffffffff81000000 T _stext\n"),
	      /* What the kernel exports is not known: that it is trimmed is said with its configuration */
	      NOTHING_OF("exports"));
	compile_module(RELEASE " SMP mod_unload modversions ", version, "");
}

static void headers(void **state)
{
	(void)state;
	STEPS({ LIB "/build", NULL, "headers", LIMIT, "not there", "sudo apt install linux-headers-" RELEASE },
	      EXITS(0),
	      { "/sys/module/kflame", NULL, "headers", FAILS, "not there", "sudo apt install linux-headers-" RELEASE },
	      { "/etc/os-release", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "headers", FAILS,
		"not there", "sudo dnf install kernel-devel-" RELEASE },
	      { "/etc/os-release", "ID=opensuse-leap\nID_LIKE='suse opensuse'\n", "headers", FAILS,
		"not there", "sudo zypper install kernel-amd64-devel" },
	      /* a board that was built of its packages, and has no installer */
	      { "/usr/bin/zypper", NULL, "headers", FAILS, "not there", "on another machine: make modules" },
	      { "/etc/os-release", NULL, "headers", FAILS, "not there", "install the package with the headers" },
	      { "/usr/lib/os-release", "ID=linuxmint\nID_LIKE=ubuntu", "headers", FAILS, "not there",
		"sudo apt install" });
	/* A link that leads nowhere is what removed headers leave */
	link_to("/usr/src/not-there", LIB "/build");
	STEPS(EXPECT("headers", FAILS, "not there", ""));
	/* One out of the tree is not followed out of it */
	take_away(LIB "/build");
	link_to(dir, LIB "/build");
	STEPS(EXPECT("headers", FAILS, "not there", ""));
}

static void to_build_it(void **state)
{
	headers(state);
	STEPS(EXPECT("compiler", WORKS, "gcc", NULL),
	      { OPTIONS, "CONFIG_CC_IS_CLANG=y", "compiler", FAILS, "not there: clang", "sudo apt install clang make" },
	      { "/usr/bin/make", NULL, "compiler", FAILS, "not there: clang and make", "clang make" },
	      CHANGE(LOADED, version),
	      { UNLOADED, NULL, "compiler", LIMIT, "not there: clang and make", "clang make" },
	      { "/usr/bin/apt", NULL, "compiler", LIMIT, "not there: clang and make", "on another machine" });
}

static void no_modules(void **state)
{
	(void)state;
	STEPS({ "/proc/sys/kernel/modules_disabled", "1\n", "modules", WORKS, "loads modules", NULL },
	      { UNLOADED, NULL, "modules", FAILS, "turned off", "modules-load.d" },
	      CHANGE(CONFIG, NULL),
	      { CONFIG, "# CONFIG_MODULES is not set\n", "modules", FAILS, "no CONFIG_MODULES", "boot a kernel" },
	      NOTHING_OF("headers"),
	      NOTHING_OF("compiler"),
	      CHANGE("/proc/sys/kernel/modules_disabled", "0\n"),
	      { CONFIG, NULL, "modules", WORKS, "loads modules", NULL },
	      { "/proc/modules", NULL, "modules", UNKNOWN, "not known", NULL },
	      { "/proc/version", "Linux", "modules", FAILS, "no /proc/modules", "boot a kernel" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(the_module),
		machine_test(the_modules_file),
		machine_test(trimmed_exports),
		machine_test(to_build_it),
		machine_test(no_modules),
	};

	return cmocka_run_group_tests_name("doctor_module", tests, machine_setup, machine_teardown);
}
