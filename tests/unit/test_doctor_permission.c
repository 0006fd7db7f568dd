// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_doctor_permission.c - what keeps a module, or a user, out: lockdown, signatures, Secure Boot, capabilities
 */
#include <stdio.h>

#include "doctor_machine.h"

static void lockdown(void **state)
{
	(void)state;
	STEPS({ LOCK, "none [integrity] confidentiality\n", "lockdown", WORKS, "integrity", NULL },
	      EXPECT("signature", WORKS, "demanded (lockdown); the module is loaded", NULL),
	      EXITS(0),
	      { UNLOADED, NULL, "lockdown", LIMIT, "must be signed", NULL },
	      EXPECT("signature", FAILS, "demanded (lockdown)", "signing.md"),
	      { LOCK, "none integrity [confidentiality]\n", "lockdown", FAILS, "forbids profiling",
		"lockdown=confidentiality" },
	      { LOADED, version, "lockdown", FAILS, "forbids profiling", "lockdown=confidentiality" },
	      EXITS(1),
	      { LOCK, "none integrity confidentiality", "lockdown", UNKNOWN, "not known", "securityfs" },
	      { LOCK, NULL, "lockdown", WORKS, "does not know it", NULL },
	      { OPTIONS, "CONFIG_SECURITY_LOCKDOWN_LSM=y", "lockdown", UNKNOWN, "not known", "securityfs" },
	      EXITS(0),
	      { UNLOADED, NULL, "signature", UNKNOWN, "as lockdown is not", NULL });
}

static void signatures(void **state)
{
	FILE *f;
	(void)state;

	STEPS({ UNLOADED, NULL, "signature", WORKS, "not demanded", NULL },
	      { ENFORCE, "Y\n", "signature", FAILS, "demanded (module.sig_enforce)", "make sign" },
	      { OPTIONS, "CONFIG_MODULE_SIG_FORCE=y", "signature", FAILS, "demanded (CONFIG_MODULE_SIG_FORCE)",
		"make sign" });
	f = fopen(whole(KO), "a");
	assert_non_null(f);
	fputs("~Module signature appended~\n", f);
	fclose(f);
	STEPS(EXPECT("signature", LIMIT, "is signed, and loads if", "mokutil"),
	      { LOADED, version, "signature", WORKS, "is loaded already", NULL });
}

static void secure_boot(void **state)
{
	(void)state;
	put_bytes(EFIVAR, "\6\0\0\0\1", 5);
	STEPS(EXPECT("Secure Boot", WORKS, "loaded all the same", NULL),
	      { UNLOADED, NULL, "Secure Boot", WORKS, "does not lock itself down", NULL },
	      { LOCK, "none [integrity] confidentiality\n", "Secure Boot", LIMIT, "signed modules only", NULL },
	      { LOCK, "", "Secure Boot", UNKNOWN, "on; whether", NULL });
	put_bytes(EFIVAR, "\6\0", 2);
	STEPS(EXPECT("Secure Boot", UNKNOWN, "cannot be read", NULL),
	      { EFIVAR, NULL, "Secure Boot", UNKNOWN, "efivarfs", NULL },
	      { "/sys/firmware/efi", NULL, "Secure Boot", WORKS, "not booted by UEFI", NULL },
	      { "/sys/firmware", NULL, "Secure Boot", UNKNOWN, "no /sys/firmware", NULL });
}

#define STATUS(uids, capabilities) \
	"/proc/self/status", "Name:\tx\nUid:\t" uids "\nCapEff:\t" capabilities "\n", "permission"
#define ROOT	"0\t0\t0\t0"
#define LAST_CAP	"/proc/sys/kernel/cap_last_cap"
#define SUDO	"0\t1000\t0\t0"

static void permission(void **state)
{
	(void)state;
	/* The first line of the file has no newline before it: it is never Uid */
	STEPS({ "/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n", "permission",
		UNKNOWN, "cannot be read", NULL },
	      { STATUS(SUDO, "0000000000000000"), FAILS, "neither root nor CAP_PERFMON", "sudo" },
	      EXITS(1),
	      { STATUS(ROOT, "00000000a80425fb"), FAILS, "root, but without CAP_PERFMON", "container" },
	      /* Before 5.8 there is no such capability. */
	      { LAST_CAP, "37\n", "permission", FAILS, "root, but without CAP_SYS_ADMIN", "give the container CAP_SYS_ADMIN" },
	      { LAST_CAP, "40\n", "permission", FAILS, "root, but without CAP_PERFMON", "give the container CAP_PERFMON" },
	      { STATUS(SUDO, "0000004000000000"), LIMIT, "root's alone", "u:1000:rw" },
	      { STATUS(SUDO, "0000000000200002"), WORKS, "enough capabilities", NULL },
	      { STATUS(ROOT, "0000000000200000"), WORKS, "root", NULL },
	      { "/proc/self/uid_map", "0 100000 65536\n", "permission", FAILS, "container", "on the host" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(lockdown),
		machine_test(signatures),
		machine_test(secure_boot),
		machine_test(permission),
	};

	return cmocka_run_group_tests_name("doctor_permission", tests, machine_setup, machine_teardown);
}
