// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_trust.c - checks what the machine trusts: Secure Boot, signatures, lockdown, the user's rights
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chroot_open.h"
#include "doctor/doctor.h"

#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define LOCKDOWN	"/sys/kernel/security/lockdown"
#define LAST_CAP	"/proc/sys/kernel/cap_last_cap"
#define SIG_ENFORCE	"/sys/module/module/parameters/sig_enforce"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/* Return: what requires signed modules; NULL for nothing */
static const char *who_wants_signature(const struct doctor *d)
{
	char text[8];

	root_read(d->root, SIG_ENFORCE, text, sizeof(text));
	if (doctor_config(d, "MODULE_SIG_FORCE") == 'y')
		return "CONFIG_MODULE_SIG_FORCE";
	if (text[0] == 'Y' || text[0] == '1')
		return "module.sig_enforce";
	if (d->lockdown == LOCKDOWN_INTEGRITY || d->lockdown == LOCKDOWN_CONFIDENTIALITY)
		return "lockdown";
	return NULL;
}

void check_signature(const struct doctor *d, struct finding *f)
{
	const char *who = who_wants_signature(d);

	if (!who && d->lockdown == LOCKDOWN_UNKNOWN && d->loaded != PRESENCE_YES) {
		find(f, VERDICT_UNKNOWN, "whether modules must be signed is not known, as lockdown is not");
		return;
	}
	if (!who) {
		find(f, VERDICT_WORKS, "not demanded: a module without one loads");
		return;
	}
	if (d->loaded == PRESENCE_YES) {
		find(f, VERDICT_WORKS, "demanded (%s); the module is loaded already", who);
		return;
	}
	if (d->file.is_signed) {
		find(f, VERDICT_LIMIT, "demanded (%s): the module is signed, and loads if the kernel knows the key", who);
		fix(f, "if modprobe says 'Key was rejected': enrol the key with mokutil --import, see signing.md of the documentation");
		return;
	}
	if (d->file.error && d->file.error != -ENOENT) {
		find(f, VERDICT_UNKNOWN, "demanded (%s); whether the module has one cannot be read", who);
		return;
	}
	find(f, VERDICT_FAILS, "demanded (%s): a module without a signature is refused", who);
	fix(f, "sign it with a key that this machine trusts: make sign, see signing.md of the documentation");
}

void check_secure_boot(const struct doctor *d, struct finding *f)
{
	char variable[8];
	int len;

	if (!root_has(d->root, "/sys/firmware")) {
		find(f, VERDICT_UNKNOWN, "whether it is on is not known: no /sys/firmware");
		return;
	}
	if (!root_has(d->root, "/sys/firmware/efi")) {
		find(f, VERDICT_WORKS, "none: not booted by UEFI");
		return;
	}
	/* The variable has four bytes of attributes, then one byte of value */
	len = root_read(d->root, SECURE_BOOT, variable, sizeof(variable));
	if (len == -ENOENT && root_has(d->root, "/sys/firmware/efi/efivars"))
		find(f, VERDICT_UNKNOWN, "whether it is on is not known: efivarfs is not mounted, or has no such variable");
	else if (len != 5)
		find(f, VERDICT_UNKNOWN, "whether it is on is not known: the firmware's variable cannot be read%s%s",
		     len < 0 ? ": " : "", len < 0 ? strerror(-len) : "");
	else if (!variable[4])
		find(f, VERDICT_WORKS, "off");
	else if (d->loaded == PRESENCE_YES)
		find(f, VERDICT_WORKS, "on, and the module is loaded all the same");
	else if (d->lockdown == LOCKDOWN_NONE && !who_wants_signature(d))
		find(f, VERDICT_WORKS, "on, but this kernel does not lock itself down for it");
	else if (!who_wants_signature(d))
		find(f, VERDICT_UNKNOWN, "on; whether the kernel locks itself down for it is not known");
	else
		find(f, VERDICT_LIMIT, "on: the kernel takes signed modules only (see signature)");
}

/* The file is missing or says nothing: the kernel may be older than lockdown */
static void lockdown_unknown(const struct doctor *d, struct finding *f)
{
	if (d->device.asked && d->device.opened) {
		find(f, VERDICT_WORKS, "none that stands in the way: the device opens");
	} else if (!root_has(d->root, LOCKDOWN) && doctor_config(d, "SECURITY_LOCKDOWN_LSM") == 'n') {
		find(f, VERDICT_WORKS, "none: this kernel does not know it");
	} else {
		find(f, VERDICT_UNKNOWN, "not known: %s cannot be read", LOCKDOWN);
		fix(f, "sudo mount -t securityfs securityfs /sys/kernel/security; without a file lockdown there is none");
	}
}

void check_lockdown(const struct doctor *d, struct finding *f)
{
	switch (d->lockdown) {
	case LOCKDOWN_NONE:
		find(f, VERDICT_WORKS, "none");
		break;
	case LOCKDOWN_INTEGRITY:
		if (d->loaded == PRESENCE_YES)
			find(f, VERDICT_WORKS, "integrity: profiling is allowed, and the module is loaded");
		else
			find(f, VERDICT_LIMIT, "integrity: profiling is allowed, but modules must be signed (see signature)");
		break;
	case LOCKDOWN_CONFIDENTIALITY:
		find(f, VERDICT_FAILS, "confidentiality: the kernel forbids profiling, whoever asks");
		fix(f, "take lockdown=confidentiality off the kernel's command line and boot again, or run a kernel that is not built so");
		break;
	default:
		lockdown_unknown(d, f);
	}
}

/* The rights of this process, from /proc/self/status */
struct who {
	bool known;
	unsigned long uid;
	uint64_t capabilities;
};

static struct who who_are_we(const struct doctor *d)
{
	struct who w = { 0 };
	char text[4096];
	const char *uid, *cap;

	if (root_read(d->root, "/proc/self/status", text, sizeof(text)) < 0)
		return w;
	uid = strstr(text, "\nUid:");
	cap = strstr(text, "\nCapEff:");
	if (!uid || !cap || sscanf(uid, "\nUid: %*u %lu", &w.uid) != 1)
		return w;
	w.capabilities = strtoull(cap + strlen("\nCapEff:"), NULL, 16);
	w.known = true;
	return w;
}

/* In a container with its own user ids, capabilities are not valid for the machine */
static bool in_user_namespace(const struct doctor *d)
{
	unsigned long inside, outside, count;
	char text[128];

	if (root_read(d->root, "/proc/self/uid_map", text, sizeof(text)) < 0 ||
	    sscanf(text, "%lu %lu %lu", &inside, &outside, &count) != 3)
		return false;
	return inside || outside || count != UINT32_MAX;
}

static bool has(const struct who *w, unsigned int capability)
{
	return w->capabilities >> capability & 1;
}

/* Kernels before 5.8 have no CAP_PERFMON: opening the device takes CAP_SYS_ADMIN there. */
static bool has_perfmon(const struct doctor *d)
{
	char text[16];

	return root_read(d->root, LAST_CAP, text, sizeof(text)) < 0 || strtoul(text, NULL, 10) >= CAP_PERFMON;
}

void check_permission(const struct doctor *d, struct finding *f)
{
	const bool perfmon = has_perfmon(d);
	const char *right = perfmon ? "CAP_PERFMON" : "CAP_SYS_ADMIN";
	const struct doctor_device *v = &d->device;
	struct who w = who_are_we(d);

	if (v->asked && v->opened) {
		find(f, VERDICT_WORKS, "%s opens", KFLAME_DEVICE);
	} else if (v->asked && (v->error == -EACCES || v->error == -EPERM)) {
		find(f, VERDICT_FAILS, "%s does not open: %s", KFLAME_DEVICE, strerror(-v->error));
		if (d->lockdown == LOCKDOWN_CONFIDENTIALITY)
			fix(f, "see lockdown");
		else
			fix(f, "run with sudo; it takes %sCAP_SYS_ADMIN, and the right to open the device",
			    perfmon ? "CAP_PERFMON or " : "");
	} else if (!w.known) {
		find(f, VERDICT_UNKNOWN, "who may record is not known: /proc/self/status cannot be read");
	} else if (!has(&w, CAP_PERFMON) && !has(&w, CAP_SYS_ADMIN)) {
		find(f, VERDICT_FAILS, "%s %s: %s will not open",
		     w.uid ? "neither root nor" : "root, but without", right, KFLAME_DEVICE);
		if (w.uid)
			fix(f, "run with sudo");
		else
			fix(f, "record on the host, or give the container %s and the device", right);
	} else if (in_user_namespace(d)) {
		find(f, VERDICT_FAILS, "in a container with user ids of its own: its capabilities do not count for %s",
		     KFLAME_DEVICE);
		fix(f, "record on the host, outside the container");
	} else if (w.uid && !has(&w, CAP_DAC_OVERRIDE)) {
		find(f, VERDICT_LIMIT, "enough capabilities; but %s is root's alone (mode 0600)", KFLAME_DEVICE);
		fix(f, "run with sudo, or let this user open it: sudo setfacl -m u:%lu:rw %s", w.uid,
		    KFLAME_DEVICE);
	} else {
		find(f, VERDICT_WORKS, "%s", w.uid ? "enough capabilities" : "root");
	}
}
