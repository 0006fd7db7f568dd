// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * device.c - /dev/kflame: the only part of the tool that knows its ioctls
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uapi/kflame-layout.h>

#include "base/message.h"
#include "base/signals.h"
#include "base/version.h"
#include "device/device.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

static int call(int fd, unsigned long request, void *arg)
{
	int ret;

	do
		ret = ioctl(fd, request, arg);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/* Return: whether a line of a file in /sys contains @text */
static bool file_has(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char line[128];
	bool has = false;

	if (!file)
		return false;
	while (!has && fgets(line, sizeof(line), file))
		has = strstr(line, text);
	fclose(file);
	return has;
}

/* Return: whether the kernel refuses unsigned modules, as far as /sys shows it */
static bool wants_signature(void)
{
	return file_has("/sys/module/module/parameters/sig_enforce", "Y") ||
	       (file_has("/sys/kernel/security/lockdown", "[") &&
		!file_has("/sys/kernel/security/lockdown", "[none]"));
}

/* The least right that opens the device. Kernels before 5.8 do not know CAP_PERFMON: prctl() fails there. */
static const char *right_to_open(void)
{
	return prctl(PR_CAPBSET_READ, CAP_PERFMON, 0, 0, 0) < 0 ? "CAP_SYS_ADMIN" : "CAP_PERFMON";
}

/* EACCES: either the file's mode forbids it, or the module requires a capability */
static void tell_refused(const char *path)
{
	struct stat st;

	if (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) && !stat(path, &st))
		complain("%s may be opened by its owner only (mode %04o): run with sudo. For a user with %s, "
			 "give the device to a group: sudo chgrp GROUP %s && sudo chmod 0660 %s", path,
			 (unsigned int)st.st_mode & 07777, right_to_open(), path, path);
	else
		complain("%s needs root or %s: run with sudo; 'kflame doctor' shows more", path,
			 right_to_open());
}

static void tell_open_error(const char *path, int error)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		complain("%s is not there: the module is not loaded. Load it: sudo insmod kflame.ko, or sudo modprobe kflame%s; 'kflame doctor' shows what it takes",
			 path, wants_signature() ?
			 " (this kernel takes signed modules only: see signing.md of the documentation)" : "");
		break;
	case EACCES:
		tell_refused(path);
		break;
	case EPERM: /* the module's answer under lockdown; a missing right is EACCES */
		complain("%s cannot be opened: kernel lockdown forbids profiling, also to root; 'kflame doctor' shows more",
			 path);
		break;
	case EBUSY:
	case ENOMEM:
		complain("%s cannot be opened: %s. Other recordings may hold what there is: end them first",
			 path, strerror(error));
		break;
	default:
		complain("%s cannot be opened: %s", path, strerror(error));
	}
}

int device_probe(const char *path, struct kflame_info *info, bool *opened)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), err;

	*opened = fd >= 0;
	if (fd < 0)
		return -errno;
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	err = call(fd, KFLAME_IOC_INFO, info);
	if (err) {
		close(fd);
		return err;
	}
	info->version[sizeof(info->version) - 1] = 0;
	return fd;
}

int device_open(const char *path, struct kflame_info *info)
{
	bool opened;
	int fd = device_probe(path, info, &opened);

	if (fd < 0 && !opened) {
		tell_open_error(path, -fd);
		return -1;
	}
	if (fd < 0) {
		complain("%s does not answer as the kflame module does: %s. Is it another device, or a module of another version? Build module and tool from one source",
			 path, strerror(-fd));
		return -1;
	}
	if (info->abi != KFLAME_ABI) {
		complain("the module (version %s, interface %u) and this tool (version %s, interface %d) do not fit together: install both from one source",
			 (const char *)info->version, info->abi, kflame_version, KFLAME_ABI);
		close(fd);
		return -1;
	}
	return fd;
}

int device_memory(int fd, uint64_t period_ns, uint64_t *bytes)
{
	struct kflame_config c = {
		.size = sizeof(c), .period_ns = period_ns, .uway = KFLAME_UWAY_AUTO,
		.dump = KFLAME_DUMP_REST,
	};
	int err = call(fd, KFLAME_IOC_CONFIGURE, &c);

	/* A module that cannot copy stacks while tables are late */
	if (err == -EINVAL || err == -E2BIG) {
		c.dump = KFLAME_DUMP_NONE;
		err = call(fd, KFLAME_IOC_CONFIGURE, &c);
	}
	/* A module without unwind tables */
	if (err == -E2BIG) {
		c.uway = KFLAME_UWAY_FP;
		err = call(fd, KFLAME_IOC_CONFIGURE, &c);
	}
	*bytes = c.memory;
	return err;
}

static void tell_period_error(const struct kflame_info *info, uint64_t period_ns)
{
	complain("the module does not sample every %llu ns: rates from %g to %g Hz are possible (-F)",
		 (unsigned long long)period_ns, info->max_period_ns ? 1e9 / (double)info->max_period_ns : 0.0,
		 info->min_period_ns ? 1e9 / (double)info->min_period_ns : 0.0);
}

/* What users write before the name of a probe.  A pair is two tracepoints. */
static const char *kind_word(uint32_t kind)
{
	switch (kind) {
	case KFLAME_EVENT_KPROBE:
		return "kprobe";
	case KFLAME_EVENT_KRETPROBE:
		return "kretprobe";
	case KFLAME_EVENT_UPROBE:
		return "uprobe";
	case KFLAME_EVENT_URETPROBE:
		return "uretprobe";
	case KFLAME_EVENT_SYSCALL:
		return "syscall";
	default:
		return "tracepoint";
	}
}

static void tell_uprobe_error(const char *kind, const char *name, int err)
{
	if (err == -EPERM)
		complain("%s:%s: probing programs changes what they run, and needs CAP_SYS_ADMIN: run as root", kind, name);
	else if (err == -EILSEQ)
		complain("%s:%s: no instruction begins there, or none that the kernel can probe: take another one from a disassembly of the file",
			 kind, name);
	else if (err == -EIO)
		complain("%s:%s: the kernel cannot probe files of this file system: copy the file to another one", kind, name);
	else
		complain("%s:%s cannot be probed: %s", kind, name, strerror(-err));
}

static void tell_function_error(const char *kind, const char *name, int err)
{
	if (err == -ENOENT)
		complain("%s:%s: this kernel has no function %s that can be probed. The compiler may have inlined it, or its module is not loaded: 'kflame list %s' lists functions with such a name",
			 kind, name, name, name);
	else if (err == -EINVAL)
		complain("%s:%s: the kernel does not let %s be probed, or it is part of kflame: probe a function that calls it",
			 kind, name, name);
	else if (err == -EILSEQ)
		complain("%s:%s: no instruction begins at that offset: leave the offset out, or take one from a disassembly of the running kernel",
			 kind, name);
	else
		complain("%s:%s cannot be probed: %s", kind, name, strerror(-err));
}

static void tell_tracepoint_error(const char *name, bool is_pair, int err)
{
	if (is_pair && (err == -ENOENT || err == -EINVAL))
		complain("tracepoint:%s: %s: 'kflame list tracepoint:' lists those that can be used. A pair is SYSTEM:BEGIN..END",
			 name, err == -ENOENT ? "this kernel lacks one of both tracepoints" : "this is no pair");
	else if (err == -ENOENT)
		complain("tracepoint:%s: this kernel has no tracepoint %s that kflame can use. One of a module is there while the module is loaded: load it first. Those of single system calls cannot be used: use syscall:NAME",
			 name, name);
	else
		complain("tracepoint:%s cannot be recorded: %s", name, strerror(-err));
}

/* The module refuses the name of an event: @c->reserved is 1 plus its index */
static void tell_event_error(const struct kflame_config *c, int err)
{
	const struct kflame_event *e = (const struct kflame_event *)(uintptr_t)c->events + (c->reserved - 1);
	const char *kind = kind_word(e->kind), *name = (const char *)(uintptr_t)e->name;

	if (err == -ENODATA) {
		complain("%s:%s: the module knows no such field of it. It knows bytes of kmem:kmalloc, kmem:kmem_cache_alloc, kmem:mm_page_alloc and kmem:mm_page_free: use these, or an argument (arg1 to arg5)",
			 kind, name);
		return;
	}
	if (e->nr_functions) {
		complain("%s:%s: none of the %u functions can be probed: %s. 'kflame list' lists functions that can", kind, name,
			 e->nr_functions, strerror(-err));
		return;
	}
	switch (e->kind) {
	case KFLAME_EVENT_UPROBE:
	case KFLAME_EVENT_URETPROBE:
		tell_uprobe_error(kind, name, err);
		break;
	case KFLAME_EVENT_KPROBE:
	case KFLAME_EVENT_KRETPROBE:
		tell_function_error(kind, name, err);
		break;
	case KFLAME_EVENT_TRACEPOINT:
	case KFLAME_EVENT_PAIR:
		tell_tracepoint_error(name, e->kind == KFLAME_EVENT_PAIR, err);
		break;
	default:
		complain("%s:%s cannot be recorded: %s", kind, name, strerror(-err));
	}
}

static void tell_configure_error(const struct kflame_info *info, const struct kflame_config *c,
				 int err)
{
	const unsigned long long mib = 1024 * 1024;

	if (c->reserved && c->reserved <= c->nr_events && err != -ESRCH) {
		tell_event_error(c, err);
		return;
	}
	switch (-err) {
	case ENOMEM:
		complain("the recording would take %llu MiB of kernel memory, of %llu MiB that kflame may take %llu are taken: ask for smaller tables (--entries, now %u a CPU), fewer CPUs (-C), or raise the module's parameter memory_cap",
			 (c->memory + mib - 1) / mib, info->memory_cap / mib,
			 info->memory_used / mib, c->entries);
		break;
	case ESRCH:
		complain("there is no process or thread %u: see 'ps -eL' for those there are",
			 c->reserved);
		break;
	case ENODEV:
		complain("one of the CPUs of -C cannot exist here: they are numbered 0 to %u",
			 info->cpu_limit - 1);
		break;
	case EOPNOTSUPP:
		if (c->kway == KFLAME_KWAY_AUTO)
			complain("this kernel has nothing to walk its stacks by: sample user code only, with -U");
		else
			complain("this kernel cannot unwind its stacks that way: use --unwind auto");
		break;
	case EINVAL:
		if (c->period_ns < info->min_period_ns || c->period_ns > info->max_period_ns)
			tell_period_error(info, c->period_ns);
		else
			complain("the module refuses this recording: a table has 16 to 1048576 entries (--entries %u), or the options do not go together; see kflame-record(1)",
				 c->entries);
		break;
	default:
		complain("the recording cannot be set up: %s", strerror(-err));
	}
}

int device_configure(int fd, const struct kflame_info *info, struct kflame_config *config)
{
	struct kflame_config asked;
	int err;

	config->size = sizeof(*config);
	if (info->features & KFLAME_FEAT_SHORT)
		config->flags |= KFLAME_CF_SHORT;
	if (info->features & KFLAME_FEAT_GUEST)
		config->flags |= KFLAME_CF_GUEST;
	asked = *config;
	if (info->features & KFLAME_FEAT_HOLD_FILES)
		config->flags |= KFLAME_CF_HOLD_FILES;
	err = call(fd, KFLAME_IOC_CONFIGURE, config);
	if (err == -EPERM && (config->flags & KFLAME_CF_HOLD_FILES)) {
		/* With CAP_PERFMON alone, the module does not hand out files of other users */
		*config = asked;
		err = call(fd, KFLAME_IOC_CONFIGURE, config);
	}
	if (err == -ENOMEM && asked.dump == KFLAME_DUMP_REST && asked.uway == KFLAME_UWAY_AUTO) {
		/* Copies of stacks whose table is late take memory: do without them rather than fail */
		asked.flags = config->flags;
		asked.dump = KFLAME_DUMP_NONE;
		*config = asked;
		err = call(fd, KFLAME_IOC_CONFIGURE, config);
	}
	if (!err)
		return 0;
	if (-err == EINVAL)
		config->period_ns = asked.period_ns;
	tell_configure_error(info, config, err);
	return -1;
}

/*
 * A signal interrupts a START that takes long, as with many probes. If the signal does not end the recording, try
 * again. The end of a child process shall not interrupt it.
 */
static int start(int fd)
{
	struct kflame_run run = { .size = sizeof(run) };
	sigset_t child, before;
	int err;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, &before);
	do
		err = ioctl(fd, KFLAME_IOC_START, &run) ? -errno : 0;
	while (err == -EINTR && !signals_end());
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int device_start(int fd)
{
	const int err = start(fd);

	if (!err)
		return 0;
	if (err == -ENOENT)
		complain("the recording cannot be started: a function or a tracepoint of -e is gone, because its module was unloaded meanwhile. Load that module again, or leave the event out");
	else if (err == -EINTR)
		complain("a signal ended the recording before it began");
	else if (err == -ENOMEM)
		complain("the kernel has not enough free memory for the recording, which leaves at least half of it to others: end something, or ask for smaller tables (--entries) or fewer CPUs (-C)");
	else
		complain("the recording cannot be started: %s", strerror(-err));
	return -1;
}

int device_stop(int fd)
{
	struct kflame_run run = { .size = sizeof(run) };

	return call(fd, KFLAME_IOC_STOP, &run);
}

int device_stats(int fd, uint32_t event, struct kflame_stats *stats)
{
	return device_cpu_stats(fd, ~0u, event, stats);
}

int device_cpu_stats(int fd, uint32_t cpu, uint32_t event, struct kflame_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->cpu = cpu;
	stats->event = event;
	return call(fd, KFLAME_IOC_STATS, stats);
}

int device_file(int fd, uint64_t id)
{
	struct kflame_file file = { .size = sizeof(file), .id = id };

		/* Do not repeat after EINTR: the module hands out each file only once */
	return ioctl(fd, KFLAME_IOC_FILE, &file) ? -errno : (int)file.fd;
}

int device_number(int fd, const void *address, uint64_t *id)
{
	struct kflame_number n = { .size = sizeof(n), .address = (uintptr_t)address };
	int err = call(fd, KFLAME_IOC_NUMBER, &n);

	*id = n.id;
	return err;
}

int device_cgroup(int fd, uint32_t index, int cgroup)
{
	struct kflame_cgroup c = { .size = sizeof(c), .index = index, .fd = (uint32_t)cgroup };

	return call(fd, KFLAME_IOC_CGROUP, &c);
}

int device_recorder(int fd, struct kflame_recorder *request)
{
	return call(fd, KFLAME_IOC_RECORDER, request);
}

int device_table(int fd, const struct kflame_table *table)
{
	return call(fd, KFLAME_IOC_TABLE, (void *)table);
}

int device_interpreter(int fd, const struct kflame_interpreter *interpreter)
{
	return call(fd, KFLAME_IOC_INTERPRETER, (void *)interpreter);
}

int ksym_parse(const char *text, uint64_t address, char *name, size_t room, uint64_t *start,
	       uint64_t *end)
{
	const char *plus = NULL, *module;
	unsigned long long offset, size;
	char *at;

	/* Use the last "+0x": the symbol name may contain one */
	for (const char *p = strstr(text, "+0x"); p; p = strstr(p + 1, "+0x"))
		plus = p;
	if (!plus || plus == text)
		return -ENOENT;
	offset = strtoull(plus + 1, &at, 16);
	if (*at != '/')
		return -ENOENT;
	size = strtoull(at + 1, &at, 16);
	if (offset >= size || offset > address || address - offset + size < size)
		return -ENOENT;
	module = strncmp(at, " [", 2) ? "" : at;
	/* Newer kernels add a build-id: print " [module 0123...]" as " [module]" */
	snprintf(name, room, "%.*s%.*s%s", (int)(plus - text), text,
		 *module ? (int)(2 + strcspn(module + 2, " ]")) : 0, module, *module ? "]" : "");
	*start = address - offset;
	*end = *start + size;
	return 0;
}

int device_ksym(int fd, uint64_t address, char *name, size_t room, uint64_t *start,
		uint64_t *end)
{
	struct kflame_ksym k = { .size = sizeof(k), .address = address };
	int err = call(fd, KFLAME_IOC_KSYM, &k);

	if (err)
		return err;
	k.name[sizeof(k.name) - 1] = 0;
	return ksym_parse((const char *)k.name, address, name, room, start, end);
}
