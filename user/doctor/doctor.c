// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor.c - gathers the facts for kflame doctor, and lists its checks
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/chroot_open.h"
#include "device/device.h"
#include "doctor/doctor.h"
#include "record/options.h"

#define MAX_CONFIG	(8u << 20)
#define MAX_TIMERS	4096	/* limit in bytes: the first clock is at the beginning */

static const struct {
	const char *topic;
	void (*check)(const struct doctor *d, struct finding *f);
} checks[] = {
	{ "machine", check_machine },
	{ "kernel", check_kernel },
	{ "configuration", check_config },
	{ "real time", check_realtime },
	{ "modules", check_modules },
	{ "kflame.ko", check_module },
	{ "its file", check_module_file },
	{ "exports", check_exports },
	{ "headers", check_headers },
	{ "compiler", check_compiler },
	{ "Secure Boot", check_secure_boot },
	{ "lockdown", check_lockdown },
	{ "signature", check_signature },
	{ "permission", check_permission },
	{ "timers", check_timers },
	{ "clock", check_clocksource },
	{ "kernel stacks", check_kernel_stacks },
	{ "kernel names", check_kernel_names },
	{ "events", check_events },
	{ "user stacks", check_libc },
	{ "unwind tables", check_table_cache },
	{ "sandbox", check_sandbox },
	{ "memory", check_memory },
};

void find(struct finding *f, enum verdict verdict, const char *format, ...)
{
	va_list args;

	f->verdict = verdict;
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
}

void fix(struct finding *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(f->fix, sizeof(f->fix), format, args);
	va_end(args);
}

void doctor_each(const struct doctor *d,
		 void (*tell)(void *ctx, const char *topic, const struct finding *f), void *ctx)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct finding f = { 0 };

		checks[i].check(d, &f);
		if (f.text[0])
			tell(ctx, checks[i].topic, &f);
	}
}

/*
 * The release becomes part of paths, and of commands that people copy. So reject a text that cannot be a
 * kernel release.
 */
static void set_release(struct doctor *d, const char *text)
{
	size_t len = strlen(text);

	if (!isdigit((unsigned char)text[0]) || len >= sizeof(d->release))
		return;
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._+~-", *c))
			return;
	memcpy(d->release, text, len + 1);
}

/* The file system of a stopped machine may have exactly one kernel: take its release */
static void look_for_release(struct doctor *d)
{
	int fd = root_open(d->root, "/lib/modules", O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	unsigned int nr = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !nr++)
			set_release(d, entry->d_name);
	closedir(dir);
	if (nr > 1)
		d->release[0] = 0;
}

/* This machine reports its kernel itself; a file system does so if it has /proc */
static void look_at_kernel(struct doctor *d)
{
	char text[256];
	struct utsname u;

	if (!*d->root && !uname(&u)) {
		set_release(d, u.release);
		snprintf(d->machine, sizeof(d->machine), "%s", u.machine);
		return;
	}
	if (root_read(d->root, "/proc/sys/kernel/osrelease", text, sizeof(text)) > 0)
		set_release(d, text);
	else
		look_for_release(d);
	if (root_read(d->root, "/proc/sys/kernel/arch", d->machine, sizeof(d->machine)) <= 0)
		doctor_libc_machine(d);
}

static int look_at_config(struct doctor *d)
{
	static const char *const places[] = {
		"/proc/config.gz", "/boot/config-%s", "/lib/modules/%s/config",
		"/lib/modules/%s/build/.config",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		bool wants = strchr(places[i], '%');
		int err;

		if (wants && !d->release[0])
			continue;
		/* Not as the format argument: that would have to be a literal */
		snprintf(d->config_path, sizeof(d->config_path), "%.*s%s%s",
			 (int)strcspn(places[i], "%"), places[i], wants ? d->release : "",
			 wants ? strchr(places[i], '%') + 2 : "");
		err = root_slurp(d->root, d->config_path, MAX_CONFIG, &d->config);
		if (err == -ENOMEM)
			return err;
		if (!err && strstr(d->config, "CONFIG_"))
			return 0;
		free(d->config);
		d->config = NULL;
		/* Of several errors, that of an existing but unreadable file says most */
		if (!d->config_error || d->config_error == -ENOENT)
			d->config_error = err ? err : -EINVAL;
	}
	d->config_path[0] = 0;
	return 0;
}

char doctor_config(const struct doctor *d, const char *option)
{
	size_t len = strlen(option);

	if (!d->config)
		return 0;
	for (const char *at = d->config; (at = strstr(at, "CONFIG_")); at += 7) {
		if (at != d->config && at[-1] != '\n')
			continue;
		if (!strncmp(at + 7, option, len) && at[7 + len] == '=')
			return at[8 + len] == 'm' ? 'm' : at[8 + len] == 'n' ? 'n' : 'y';
	}
	return 'n';
}

/* Look in /sys if it is mounted; otherwise in the file that lsmod reads */
static void look_at_loaded(struct doctor *d)
{
	char *text;

	if (root_has(d->root, "/sys/module")) {
		d->loaded = root_has(d->root, "/sys/module/kflame") ? PRESENCE_YES : PRESENCE_NO;
		return;
	}
	if (root_slurp(d->root, "/proc/modules", MAX_CONFIG, &text))
		return;
	d->loaded = !strncmp(text, "kflame ", 7) || strstr(text, "\nkflame ") ? PRESENCE_YES
									       : PRESENCE_NO;
	free(text);
}

/* Parse a text such as "none [integrity] confidentiality" */
static void look_at_lockdown(struct doctor *d)
{
	char text[128];

	if (root_read(d->root, "/sys/kernel/security/lockdown", text, sizeof(text)) < 0)
		return;
	if (strstr(text, "[none]"))
		d->lockdown = LOCKDOWN_NONE;
	else if (strstr(text, "[integrity]"))
		d->lockdown = LOCKDOWN_INTEGRITY;
	else if (strstr(text, "[confidentiality]"))
		d->lockdown = LOCKDOWN_CONFIDENTIALITY;
}

static void look_at_device(struct doctor *d)
{
	struct doctor_device *v = &d->device;
	int fd;

	if (*d->root)
		return;
	v->asked = true;
	fd = device_probe(KFLAME_DEVICE, &v->info, &v->opened);
	if (fd < 0) {
		v->error = fd;
		return;
	}
	/* If the memory limit does not allow a recording, the answer is still valid */
	if (v->info.abi == KFLAME_ABI)
		device_memory(fd, RECORD_PERIOD_NS, &v->memory);
	close(fd);
}

/*
 * On this machine, a system call returns the present resolution of timers: a tick, or a nanosecond for high
 * resolution.  For another root, there is only the file that root can read in /proc.
 */
static void look_at_timers(struct doctor *d)
{
	static const char key[] = ".resolution:";
	char text[MAX_TIMERS];
	struct timespec t;
	const char *at;

	if (!*d->root && !clock_getres(CLOCK_MONOTONIC, &t)) {
		d->resolution_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
		return;
	}
	root_read(d->root, "/proc/timer_list", text, sizeof(text));
	at = strstr(text, key);
	if (at)
		d->resolution_ns = strtoull(at + sizeof(key) - 1, NULL, 10);
}

int doctor_look(struct doctor *d, const char *root)
{
	int err;

	*d = (struct doctor){ .root = strcmp(root, "/") ? root : "" };
	look_at_kernel(d);
	look_at_loaded(d);
	look_at_lockdown(d);
	look_at_timers(d);
	look_at_device(d);
	err = look_at_config(d);
	if (!err)
		err = doctor_file_look(d);
	return err ? err : doctor_exports_look(d);
}

void doctor_exit(struct doctor *d)
{
	for (size_t i = 0; i < d->file.nr_uses; i++)
		free(d->file.uses[i]);
	free(d->file.uses);
	free(d->file.exported);
	free(d->config);
	d->file = (struct doctor_file){ 0 };
	d->config = NULL;
}
