// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor_module.c - checks the module: whether it is loaded, can be loaded, can be built
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chroot_open.h"
#include "base/version.h"
#include "device/module_features.h"
#include "doctor/doctor.h"

#define ONE_SOURCE	"install both from one source, then: sudo rmmod kflame; sudo modprobe kflame"

/* If the kernel takes no modules, the text does not explain how to build one */
static bool takes_modules(const struct doctor *d)
{
	return d->loaded == PRESENCE_YES || doctor_config(d, "MODULES") != 'n';
}

void check_modules(const struct doctor *d, struct finding *f)
{
	char disabled[8], config = doctor_config(d, "MODULES");

	root_read(d->root, "/proc/sys/kernel/modules_disabled", disabled, sizeof(disabled));
	if (d->loaded == PRESENCE_YES) {
		find(f, VERDICT_WORKS, "this kernel loads modules");
	} else if (!takes_modules(d)) {
		find(f, VERDICT_FAILS, "this kernel loads no modules at all (no CONFIG_MODULES)");
		fix(f, "boot a kernel that does: kflame cannot be built in");
	} else if (disabled[0] == '1') {
		find(f, VERDICT_FAILS, "loading modules was turned off until the next boot (kernel.modules_disabled)");
		fix(f, "load kflame earlier at boot: echo kflame | sudo tee /etc/modules-load.d/kflame.conf");
	} else if (config || root_has(d->root, "/proc/modules")) {
		find(f, VERDICT_WORKS, "this kernel loads modules");
	} else if (root_has(d->root, "/proc/version")) {
		find(f, VERDICT_FAILS, "this kernel loads no modules at all (no /proc/modules)");
		fix(f, "boot a kernel that does: kflame cannot be built in");
	} else {
		find(f, VERDICT_UNKNOWN, "whether the kernel loads modules is not known: no /proc");
	}
}

static void module_not_loaded(const struct doctor *d, struct finding *f)
{
	if (!takes_modules(d)) {
		find(f, VERDICT_FAILS, "not loaded, and cannot be (see modules)");
	} else if (d->file.path[0]) {
		find(f, VERDICT_FAILS, "not loaded; installed: %s", d->file.path);
		fix(f, d->file.listed ? "sudo modprobe kflame" : "sudo depmod -a, then sudo modprobe kflame");
	} else if (root_has(d->root, "/var/lib/dkms/kflame")) {
		find(f, VERDICT_FAILS, "not loaded, and DKMS has not built it for kernel %s", d->release);
		fix(f, "sudo dkms autoinstall -k %s, then sudo modprobe kflame", d->release);
	} else {
		find(f, VERDICT_FAILS, "not loaded, and not installed for kernel %s", d->release);
		fix(f, "in its source: make, then sudo insmod kmod/kflame.ko; or sudo make install, then sudo modprobe kflame");
	}
}

/* Called if the module is loaded but the device did not answer.  Return: 1 if the reason was found */
static bool device_failed(const struct doctor *d, struct finding *f, const char *version)
{
	const struct doctor_device *v = &d->device;
	char number[32];

	if (!v->asked)
		return false;
	if (v->error && v->opened) {
		find(f, VERDICT_FAILS, "loaded (version %s), but %s does not answer as this tool's module does: %s",
		     version, KFLAME_DEVICE, strerror(-v->error));
		fix(f, ONE_SOURCE);
	} else if (v->error == -ENOENT || v->error == -ENXIO || v->error == -ENODEV) {
		find(f, VERDICT_FAILS, "loaded (version %s), but %s is not there", version, KFLAME_DEVICE);
		if (root_read(d->root, "/sys/class/misc/kflame/dev", number, sizeof(number)) > 0 &&
		    strchr(number, ':')) {
			*strchr(number, ':') = ' ';
			fix(f, "sudo rm -f %s; sudo mknod -m 600 %s c %s", KFLAME_DEVICE, KFLAME_DEVICE,
			    number);
		}
	} else if (!v->error && v->info.abi != KFLAME_ABI) {
		find(f, VERDICT_FAILS, "version %s with interface %u is loaded: this tool (%s) wants interface %d",
		     version, v->info.abi, kflame_version, KFLAME_ABI);
		fix(f, ONE_SOURCE);
	} else if (v->error && v->error != -EACCES && v->error != -EPERM) {
		find(f, VERDICT_FAILS, "loaded (version %s), but %s does not open: %s", version, KFLAME_DEVICE,
		     strerror(-v->error));
		fix(f, "end other recordings, which may hold what there is");
	} else {
		return false;
	}
	return true;
}

/* Equal versions may be of different commits.  Return: whether the module lacks features of the tool */
static bool lacks_features(const struct doctor *d, struct finding *f, const char *version)
{
	char text[FEATURES_TEXT];
	unsigned int unknown;

	if (!d->device.asked || d->device.error)
		return false;
	unknown = features_unknown(d->device.info.features);
	if (features_missing(d->device.info.features, text))
		find(f, VERDICT_LIMIT, "loaded: version %s, but older than this tool (%s). It lacks: %s",
		     version, kflame_version, text);
	else if (unknown)
		find(f, VERDICT_LIMIT, "loaded: version %s, but this tool (%s) is older, and does not know %u of its features",
		     version, kflame_version, unknown);
	else
		return false;
	fix(f, ONE_SOURCE);
	return true;
}

void check_module(const struct doctor *d, struct finding *f)
{
	char version[32];

	if (d->loaded == PRESENCE_UNKNOWN && (d->file.path[0] || !d->release[0])) {
		find(f, VERDICT_UNKNOWN, "%s%s; whether it is loaded is unknown: no /sys/module, no /proc/modules",
		     d->file.path[0] ? "installed: " : "which kernel it would be for is not known",
		     d->file.path);
		return;
	}
	if (d->loaded != PRESENCE_YES) {
		module_not_loaded(d, f);
		return;
	}
	if (root_read(d->root, "/sys/module/kflame/version", version, sizeof(version)) <= 0)
		snprintf(version, sizeof(version), "unknown");
	if (device_failed(d, f, version) || lacks_features(d, f, version))
		return;
	if (strcmp(version, kflame_version)) {
		find(f, VERDICT_LIMIT, "loaded, but of version %s, and this tool is %s%s", version, kflame_version,
		     d->device.asked && !d->device.error ? "; they understand each other" : "");
		fix(f, ONE_SOURCE);
		return;
	}
	find(f, VERDICT_WORKS, "loaded: version %s, as this tool", version);
}

/* Would the kernel load it, by its vermagic "6.1.0-9-amd64 SMP ..."? */
static bool fits_kernel(const struct doctor *d, struct finding *f)
{
	const char *magic = d->file.vermagic;
	size_t len = strcspn(magic, " ");

	if (len == strlen(d->release) && !memcmp(magic, d->release, len))
		return true;
	/* If symbols have checksums, the kernel does not compare the release */
	if (strstr(magic, " modversions"))
		find(f, VERDICT_LIMIT, "built for kernel %.*s: loads only if the symbols it uses are the same", (int)len, magic);
	else
		find(f, VERDICT_FAILS, "built for kernel %.*s: this one (%s) refuses it", (int)len, magic,
		     d->release);
	fix(f, "build it again: make clean, make, sudo make install");
	return false;
}

void check_module_file(const struct doctor *d, struct finding *f)
{
	const struct doctor_file *file = &d->file;

	/* The loaded module came from somewhere, and the kernel accepted it */
	if (!file->path[0] || d->loaded == PRESENCE_YES)
		return;
	if (file->error == -ENOENT) {
		find(f, VERDICT_FAILS, "modules.dep names %s, which is not there", file->path);
		fix(f, "sudo make install, or sudo depmod -a if it was taken away");
	} else if (file->error == -EOPNOTSUPP) {
		find(f, VERDICT_UNKNOWN, "%s cannot be read: this tool's libdw does not unpack zstd", file->path);
	} else if (file->error) {
		find(f, VERDICT_UNKNOWN, "%s cannot be read: %s", file->path, strerror(-file->error));
	} else if (!file->vermagic[0]) {
		find(f, VERDICT_FAILS, "%s is no kernel module that can be read", file->path);
		fix(f, "install it again: make, sudo make install");
	} else if (!fits_kernel(d, f)) {
		return;
	} else if (strcmp(file->version, kflame_version)) {
		find(f, VERDICT_LIMIT, "version %s, and this tool is %s",
		     file->version[0] ? file->version : "unknown", kflame_version);
		fix(f, "install both from one source: make, sudo make install");
	} else {
		find(f, VERDICT_WORKS, "version %s, for this kernel, %s", file->version,
		     file->is_signed ? "signed" : "not signed");
	}
}

/* Read the word of KEY=value or KEY="value" in os-release */
static void os_release(const char *text, const char *key, char *value, size_t size)
{
	size_t len = strlen(key);

	value[0] = 0;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) || line[len] != '=')
			continue;
		line += len + 1;
		line += *line == '"' || *line == '\'';
		snprintf(value, size, "%.*s", (int)strcspn(line, "\"'\n"), line);
	}
}

enum packages { PACKAGES_OTHER, PACKAGES_APT, PACKAGES_DNF, PACKAGES_ZYPPER, PACKAGES_PACMAN };

static bool has_program(const struct doctor *d, const char *name)
{
	static const char *const dirs[] = { "/usr/local/bin", "/usr/bin", "/bin" };
	char path[64];

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], name);
		if (root_has(d->root, path))
			return true;
	}
	return false;
}

/* An embedded board may be built from a distribution's packages, and have no installer */
static bool has_installer(const struct doctor *d, enum packages with)
{
	static const char *const names[] = {
		[PACKAGES_APT] = "apt", [PACKAGES_DNF] = "dnf", [PACKAGES_ZYPPER] = "zypper",
		[PACKAGES_PACMAN] = "pacman",
	};

	return has_program(d, names[with]);
}

/* Choose by ID, then by the first known word of ID_LIKE */
static enum packages packages_of(const struct doctor *d)
{
	static const struct {
		const char *id;
		enum packages with;
	} known[] = {
		{ "debian", PACKAGES_APT }, { "ubuntu", PACKAGES_APT },
		{ "fedora", PACKAGES_DNF }, { "rhel", PACKAGES_DNF }, { "centos", PACKAGES_DNF },
		{ "suse", PACKAGES_ZYPPER }, { "opensuse", PACKAGES_ZYPPER }, { "sles", PACKAGES_ZYPPER },
		{ "arch", PACKAGES_PACMAN },
	};
	char text[4096], id[64], like[128], words[200], *save;

	if (root_read(d->root, "/etc/os-release", text, sizeof(text)) < 0)
		root_read(d->root, "/usr/lib/os-release", text, sizeof(text));
	os_release(text, "ID", id, sizeof(id));
	os_release(text, "ID_LIKE", like, sizeof(like));
	snprintf(words, sizeof(words), "%s %s", id, like);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (!strcmp(w, known[i].id))
				return has_installer(d, known[i].with) ? known[i].with : PACKAGES_OTHER;
	return PACKAGES_OTHER;
}

static void fix_headers(const struct doctor *d, struct finding *f)
{
	const char *flavour = strrchr(d->release, '-');

	switch (packages_of(d)) {
	case PACKAGES_APT:
		fix(f, "sudo apt install linux-headers-%s", d->release);
		break;
	case PACKAGES_DNF:
		fix(f, "sudo dnf install kernel-devel-%s", d->release);
		break;
	case PACKAGES_ZYPPER:
		fix(f, "sudo zypper install kernel-%s-devel", flavour ? flavour + 1 : "default");
		break;
	case PACKAGES_PACMAN:
		fix(f, "sudo pacman -S linux-headers (of a kernel like linux-lts: linux-lts-headers)");
		break;
	default:
		fix(f, "install the package with the headers (development files) of kernel %s; where nothing installs packages, build the module on another machine: make modules KDIR=...", d->release);
	}
}

/* If the module is loaded or can be loaded, nothing has to be built */
static bool has_module(const struct doctor *d)
{
	const struct doctor_file *file = &d->file;

	return d->loaded == PRESENCE_YES ||
	       (file->path[0] && (file->error ? file->error != -ENOENT : file->vermagic[0]));
}

void check_headers(const struct doctor *d, struct finding *f)
{
	char path[128];

	if (!d->release[0] || !takes_modules(d))
		return;
	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", d->release);
	if (root_has(d->root, path)) {
		find(f, VERDICT_WORKS, "of kernel %s: the module can be built here", d->release);
		return;
	}
	if (has_module(d))
		find(f, VERDICT_LIMIT, "of kernel %s: not there; the module is, and cannot be built again here", d->release);
	else
		find(f, VERDICT_FAILS, "of kernel %s: not there, so the module cannot be built here", d->release);
	fix_headers(d, f);
}

void check_compiler(const struct doctor *d, struct finding *f)
{
	/* Modules need the kind of compiler that built the kernel */
	const char *compiler = doctor_config(d, "CC_IS_CLANG") == 'y' ? "clang" : "gcc";
	bool cc = has_program(d, compiler), make = has_program(d, "make");
	enum packages with = packages_of(d);

	if (!takes_modules(d))
		return;
	if (cc && make) {
		find(f, VERDICT_WORKS, "%s and make are there", compiler);
		return;
	}
	find(f, has_module(d) ? VERDICT_LIMIT : VERDICT_FAILS, "not there: %s%s%s%s", cc ? "" : compiler,
	     cc || make ? "" : " and ", make ? "" : "make",
	     has_module(d) ? "; the module is, and cannot be built again here" : "");
	if (with == PACKAGES_OTHER)
		fix(f, "install %s and make; where nothing installs packages, build the module on another machine: make modules KDIR=...",
		    compiler);
	else
		fix(f, "%s %s make", with == PACKAGES_APT ? "sudo apt install" :
		    with == PACKAGES_DNF ? "sudo dnf install" :
		    with == PACKAGES_ZYPPER ? "sudo zypper install" : "sudo pacman -S", compiler);
}
