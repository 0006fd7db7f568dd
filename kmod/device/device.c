// SPDX-License-Identifier: GPL-2.0-only
/*
 * device.c - /dev/kflame, see device/device.h and include/uapi/kflame.h
 *
 * Copies structures in and out and calls the session. An open file holds the module. The file's
 * release ends all that the file began.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <kflame-layout.h>
#include "base/memory.h"
#include "base/version.h"
#include "device/builtin.h"
#include "device/device.h"
#include "device/function_list.h"
#include "device/reader.h"
#include "recorder/recorder.h"
#include "session/session.h"
#include "source/functions.h"
#include "source/source.h"

/**
 * struct kf_file - an open file
 * @session:	the file's session, from open to release
 * @reader:	reads @session once that is configured, and the built-in session until then
 */
struct kf_file {
	struct kf_session *session;
	struct kf_reader reader;
};

static int kf_open(struct inode *inode, struct file *file)
{
	struct kf_file *f;
	int err;

	/* CAP_SYS_ADMIN suffices, too: CAP_PERFMON was split off from it. */
	if (!capable(CAP_PERFMON) && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	err = security_locked_down(LOCKDOWN_PERF);
	if (err)
		return err;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	f->session = kf_session_create();
	if (!f->session) {
		kfree(f);
		return -ENOMEM;
	}
	kf_reader_init(&f->reader);
	file->private_data = f;
	return stream_open(inode, file);
}

static int kf_release(struct inode *inode, struct file *file)
{
	struct kf_file *f = file->private_data;

	kf_reader_exit(&f->reader);
	kf_session_destroy(f->session);
	kfree(f);
	return 0;
}

static ssize_t kf_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct kf_file *f = file->private_data;

	return kf_reader_read(&f->reader, to, size, !(file->f_flags & O_NONBLOCK));
}

static __poll_t kf_poll(struct file *file, poll_table *wait)
{
	struct kf_file *f = file->private_data;

	/*
	 * Wait on the file's session even before CONFIGURE, so that later events wake such waiters
	 * (epoll).
	 */
	poll_wait(file, &f->session->wait, wait);
	return kf_reader_poll(&f->reader);
}

static int kf_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct kf_file *f = file->private_data;

	return kf_session_mmap(f->session, vma);
}

/*
 * Copy in an extensible structure. Its first word is its size as the caller knows it.
 * @min is the structure's size when it was first published.
 */
static int copy_in(void *to, size_t size, size_t min, void __user *from)
{
	u32 user_size;

	if (get_user(user_size, (u32 __user *)from))
		return -EFAULT;
	if (user_size < min)
		return -EINVAL;
	if (user_size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, size, from, user_size);
}

/*
 * Copy out as much as the caller has room for. The caller's size stays unchanged, so that the
 * caller may call again with the same structure.
 */
static int copy_out(void __user *to, const void *from, u32 size)
{
	const u32 head = sizeof(u32);
	u32 user_size;

	if (get_user(user_size, (u32 __user *)to))
		return -EFAULT;
	if (user_size <= head)
		return 0;
	return copy_to_user(to + head, from + head, min(user_size, size) - head) ? -EFAULT : 0;
}

static int ioctl_info(struct kf_file *f, void __user *arg)
{
	struct kflame_info info;
	int err;

	err = copy_in(&info, sizeof(info), KFLAME_INFO_SIZE_0, arg);
	if (err)
		return err;
	memset(&info, 0, sizeof(info));
	info.abi = KFLAME_ABI;
	info.features = KFLAME_FEAT_USTACK_FP | KFLAME_FEAT_LEAF_CANDIDATE |
			KFLAME_FEAT_HOLD_FILES | KFLAME_FEAT_TABLES | KFLAME_FEAT_DUMP |
			KFLAME_FEAT_TIMELINE | KFLAME_FEAT_SHORT | KFLAME_FEAT_LATE |
			KFLAME_FEAT_CGROUP_AGAIN | KFLAME_FEAT_GUEST |
			KFLAME_FEAT_TIMED_COPIES | KFLAME_FEAT_ELSEWHERE | KFLAME_FEAT_EVENTS |
			KFLAME_FEAT_WAKERS | KFLAME_FEAT_OPERANDS | KFLAME_FEAT_MANY |
			KFLAME_FEAT_LABELS | KFLAME_FEAT_OUTSTANDING | KFLAME_FEAT_CALL_LABELS |
			KFLAME_FEAT_MANY_RETURNS | KFLAME_FEAT_EXPLAIN | KFLAME_FEAT_RECORDER |
			KFLAME_FEAT_INTERPRETERS | KFLAME_FEAT_CPYTHON | KFLAME_FEAT_TRIGGERS |
			KFLAME_FEAT_PERL |
			(IS_ENABLED(CONFIG_CGROUPS) ? KFLAME_FEAT_CGROUPS : 0) |
			(kf_kstack_save() ? KFLAME_FEAT_KSTACK_SAVE : 0) |
			(kf_kstack_unwind() ? KFLAME_FEAT_KSTACK_UNWIND : 0) |
			(hrtimer_resolution < KF_MIN_PERIOD_NS ? KFLAME_FEAT_HIGHRES : 0) |
			(kf_builtin_runs() ? KFLAME_FEAT_AUTOSTART : 0);
	info.resolution_ns = hrtimer_resolution;
	info.min_period_ns = KF_MIN_PERIOD_NS;
	info.max_period_ns = KF_MAX_PERIOD_NS;
	info.memory_cap = kf_memory_cap();
	info.memory_used = kf_memory_used();
	info.max_kdepth = KF_MAX_DEPTH;
	info.max_udepth = KF_MAX_UDEPTH;
	info.cpu_limit = nr_cpu_ids;
	info.nr_running = kf_sessions_running();
	info.events = kf_sources_supported();
	strscpy(info.version, kf_version, sizeof(info.version));
	err = copy_out(arg, &info, sizeof(info));
	return err ?: put_user((u32)sizeof(info), (u32 __user *)arg);
}

/* Copy in an array of at most @most ids. Return: NULL if it is empty or on an error. */
static u32 *copy_ids(u64 from, u32 nr, u32 most, int *err)
{
	u32 *ids;

	if (*err || !nr)
		return NULL;
	if (nr > most) {
		*err = -EINVAL;
		return NULL;
	}
	ids = memdup_user(u64_to_user_ptr(from), sizeof(*ids) * nr);
	if (!IS_ERR(ids))
		return ids;
	*err = PTR_ERR(ids);
	return NULL;
}

/* Copy in the name of an event. A longer one is cut, and refused later by its length. */
static int copy_name(struct kf_event_asked *asked)
{
	const u32 len = min_t(u32, asked->event.name_len, sizeof(asked->name) - 1);

	return copy_from_user(asked->name, u64_to_user_ptr(asked->event.name), len) ? -EFAULT : 0;
}

/* Copy in the conditions of an event. Further ones are left out, and refused later by their number. */
static int copy_conditions(struct kf_event_asked *asked)
{
	const size_t nr = min_t(u32, asked->event.nr_conditions, KFLAME_MAX_CONDITIONS);

	return copy_from_user(asked->conditions, u64_to_user_ptr(asked->event.conditions),
			      nr * sizeof(asked->conditions[0])) ? -EFAULT : 0;
}

/* Take the file of an event from the descriptor. The caller checks what file that is. */
static int take_file(struct kf_event_asked *asked)
{
	const struct kf_source *source = kf_source_of(asked->event.kind);

	if (!source || !source->check_file)
		return 0;
	asked->file = fget(asked->event.fd);
	return asked->file ? 0 : -EBADF;
}

static void free_events(struct kf_event_asked *events)
{
	u32 i;

	for (i = 0; i < KFLAME_MAX_EVENTS; i++) {
		if (events[i].file)
			fput(events[i].file);
		kf_functions_put(events[i].functions);
	}
	kfree(events);
}

/*
 * Copy in the events of a configuration, whose elements begin with their size. All elements have the
 * size of the first. Return: the array, zero filled after the last; or an ERR_PTR().
 */
static struct kf_event_asked *copy_events(const struct kflame_config *cfg)
{
	const u8 __user *from = u64_to_user_ptr(cfg->events);
	struct kf_event_asked *events;
	u32 size, i;
	int err;

	if (cfg->nr_events > KFLAME_MAX_EVENTS)
		return ERR_PTR(-EINVAL);
	if (cfg->nr_events && get_user(size, (u32 __user *)from))
		return ERR_PTR(-EFAULT);
	events = kcalloc(KFLAME_MAX_EVENTS, sizeof(*events), GFP_KERNEL);
	if (!events)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < cfg->nr_events; i++) {
		err = copy_in(&events[i].event, sizeof(events->event), KFLAME_EVENT_SIZE_0,
			      (void __user *)(from + (size_t)size * i));
		if (!err && events[i].event.size != size)
			err = -EINVAL;
		if (!err)
			err = copy_name(&events[i]);
		if (!err)
			err = copy_conditions(&events[i]);
		if (!err)
			err = take_file(&events[i]);
		if (!err)
			err = kf_function_list_copy_in(&events[i]);
		if (err) {
			free_events(events);
			return ERR_PTR(err);
		}
	}
	return events;
}

/*
 * Refused after a read of the built-in session, also by another thread: the stream would mix two
 * sessions.
 */
static int configure(struct kf_file *f, struct kflame_config *cfg, const struct kf_ids *ids)
{
	struct kf_event_asked *events = copy_events(cfg);
	int err = -ERESTARTSYS;
	u32 i;

	if (IS_ERR(events))
		return PTR_ERR(events);
	if (mutex_lock_interruptible(&f->reader.lock))
		goto forget_events;
	err = kf_reader_has_begun(&f->reader) ? -EBUSY :
						kf_session_configure(f->session, cfg, ids, events);
	if (!err)
		smp_store_release(&f->reader.session, f->session); /* Pairs with kf_reader_poll(). */
	mutex_unlock(&f->reader.lock);
	for (i = 0; i < KFLAME_MAX_EVENTS; i++)
		if (kf_function_list_copy_errors(&events[i]))
			err = -EFAULT;
forget_events:
	free_events(events);
	return err;
}

static int ioctl_configure(struct kf_file *f, void __user *arg)
{
	struct kflame_config cfg;
	struct kf_ids ids;
	int err, copied;
	u32 reserved;

	err = copy_in(&cfg, sizeof(cfg), KFLAME_CONFIG_SIZE_0, arg);
	if (err)
		return err;
	reserved = cfg.reserved;
	/* A held file is opened by its id, without permissions on its path. */
	if ((cfg.flags & KFLAME_CF_HOLD_FILES) && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	ids.pids = copy_ids(cfg.pids, cfg.nr_pids, KFLAME_MAX_FILTER, &err);
	ids.tids = copy_ids(cfg.tids, cfg.nr_tids, KFLAME_MAX_FILTER, &err);
	ids.cpus = copy_ids(cfg.cpus, cfg.nr_cpus, KFLAME_MAX_FILTER, &err);
	ids.cgroups = copy_ids(cfg.cgroups, cfg.nr_cgroups, KFLAME_MAX_CGROUPS, &err);
	if (!err)
		err = configure(f, &cfg, &ids);
	kfree(ids.pids);
	kfree(ids.tids);
	kfree(ids.cpus);
	kfree(ids.cgroups);

	if (!err || err == -ENOMEM || err == -ESRCH || cfg.reserved != reserved) {
		copied = copy_out(arg, &cfg, sizeof(cfg));
		if (copied)
			return copied;
	}
	return err;
}

static int ioctl_run(struct kf_file *f, void __user *arg,
		     int (*run)(struct kf_session *s, u64 *when))
{
	struct kflame_run req;
	u64 when;
	int err;

	err = copy_in(&req, sizeof(req), KFLAME_RUN_SIZE_0, arg);
	if (err)
		return err;
	if (req.flags)
		return -EINVAL;
	err = run(f->session, &when);
	if (err)
		return err;
	req.time_ns = when;
	return copy_out(arg, &req, sizeof(req));
}

static int ioctl_stats(struct kf_file *f, void __user *arg)
{
	struct kflame_stats stats;
	u32 cpu, event;
	int err;

	err = copy_in(&stats, sizeof(stats), KFLAME_STATS_SIZE_0, arg);
	if (err)
		return err;
	if (stats.pad)
		return -EINVAL;
	cpu = stats.cpu;
	event = stats.event;
	memset(&stats, 0, sizeof(stats));
	stats.cpu = cpu;
	stats.event = event;
	err = kf_session_stats(f->session, &stats);
	if (err)
		return err;
	return copy_out(arg, &stats, sizeof(stats));
}

static int ioctl_ksym(struct kf_file *f, void __user *arg)
{
	struct kflame_ksym *ksym;
	char symbol[KSYM_SYMBOL_LEN];
	int err;

	ksym = kzalloc(sizeof(*ksym), GFP_KERNEL);
	if (!ksym)
		return -ENOMEM;
	err = copy_in(ksym, sizeof(*ksym), KFLAME_KSYM_SIZE_0, arg);
	if (!err && ksym->pad)
		err = -EINVAL;
	if (err)
		goto out;
	sprint_symbol(symbol, ksym->address);
	memset(ksym->name, 0, sizeof(ksym->name));
	strscpy(ksym->name, symbol, sizeof(ksym->name));
	err = copy_out(arg, ksym, sizeof(*ksym));
out:
	kfree(ksym);
	return err;
}

/*
 * Open a held file. Directories on its path are not consulted, but the file's file system is. A
 * FUSE file system answers or hangs only for its own user. O_NONBLOCK avoids waiting for the holder
 * of a lease on the file.
 */
static int open_held(struct kf_file *f, u64 id, struct file **file)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_LARGEFILE | O_NONBLOCK;
	struct file *held = kf_session_file(f->session, id);
	int err;

	if (!held)
		return -ENOENT;
	err = path_permission(&held->f_path, MAY_READ);
	if (err)
		goto put;
	*file = dentry_open(&held->f_path, flags, current_cred());
	err = PTR_ERR_OR_ZERO(*file);
put:
	fput(held);
	/* These error codes are not for user space, and there is no system call to restart. */
	if (err == -EOPENSTALE)
		return -ESTALE;
	return err <= -ERESTARTSYS ? -EINTR : err;
}

static int ioctl_file(struct kf_file *f, void __user *arg)
{
	struct kflame_file req;
	struct file *file;
	int err, fd;

	err = copy_in(&req, sizeof(req), KFLAME_FILE_SIZE_0, arg);
	if (err)
		return err;
	if (req.flags || req.fd || req.pad)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	err = open_held(f, req.id, &file);
	if (err)
		goto put_fd;
	req.fd = fd;
	err = copy_out(arg, &req, sizeof(req));
	if (err)
		goto put_file;
	fd_install(fd, file);
	return 0;

put_file:
	fput(file);
put_fd:
	put_unused_fd(fd);
	return err;
}

static int ioctl_number(struct kf_file *f, void __user *arg)
{
	struct kflame_number req;
	int err;

	err = copy_in(&req, sizeof(req), KFLAME_NUMBER_SIZE_0, arg);
	if (err)
		return err;
	if (req.pad || req.id)
		return -EINVAL;
	err = kf_session_number(f->session, req.address, &req.id);
	return err ?: copy_out(arg, &req, sizeof(req));
}

static int ioctl_cgroup(struct kf_file *f, void __user *arg)
{
	struct kflame_cgroup req;
	int err;

	err = copy_in(&req, sizeof(req), KFLAME_CGROUP_SIZE_0, arg);
	if (err)
		return err;
	if (req.flags)
		return -EINVAL;
	return kf_session_cgroup(f->session, req.index, req.fd);
}

static int ioctl_table(struct kf_file *f, void __user *arg)
{
	struct kflame_table req;
	int err;

	err = copy_in(&req, sizeof(req), KFLAME_TABLE_SIZE_0, arg);
	return err ?: kf_session_table(f->session, &req);
}

/* It is one for the whole machine, so more than CAP_PERFMON is needed to change what it does. */
static int ioctl_recorder(struct kf_file *f, void __user *arg)
{
	struct kflame_recorder req;
	int err;

	err = copy_in(&req, sizeof(req), KFLAME_RECORDER_SIZE_0, arg);
	if (err)
		return err;
	if (req.op != KFLAME_RECORDER_STATUS && req.op != KFLAME_RECORDER_READ && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (req.op == KFLAME_RECORDER_READ) {
		struct kflame_recorder checked = req;

		/* Nothing is chosen by a request that is refused. */
		req.op = KFLAME_RECORDER_STATUS;
		checked.op = req.op;
		err = kf_recorder_ioctl(&checked) ?: kf_reader_choose_frozen(&f->reader);
	}
	err = err ?: kf_recorder_ioctl(&req);
	return err ?: copy_out(arg, &req, sizeof(req));
}

static int ioctl_interpreter(struct kf_file *f, void __user *arg)
{
	struct kflame_interpreter req;
	int err;

	err = copy_in(&req, sizeof(req), KFLAME_INTERPRETER_SIZE_0, arg);
	return err ?: kf_session_interpreter(f->session, &req);
}

static long kf_ioctl(struct file *file, unsigned int cmd, unsigned long p)
{
	struct kf_file *f = file->private_data;
	void __user *arg = (void __user *)p;

	switch (cmd) {
	case KFLAME_IOC_INFO:
		return ioctl_info(f, arg);
	case KFLAME_IOC_CONFIGURE:
		return ioctl_configure(f, arg);
	case KFLAME_IOC_START:
		return ioctl_run(f, arg, kf_session_start);
	case KFLAME_IOC_STOP:
		return ioctl_run(f, arg, kf_session_stop);
	case KFLAME_IOC_STATS:
		return ioctl_stats(f, arg);
	case KFLAME_IOC_KSYM:
		return ioctl_ksym(f, arg);
	case KFLAME_IOC_FILE:
		return ioctl_file(f, arg);
	case KFLAME_IOC_NUMBER:
		return ioctl_number(f, arg);
	case KFLAME_IOC_CGROUP:
		return ioctl_cgroup(f, arg);
	case KFLAME_IOC_TABLE:
		return ioctl_table(f, arg);
	case KFLAME_IOC_RECORDER:
		return ioctl_recorder(f, arg);
	case KFLAME_IOC_INTERPRETER:
		return ioctl_interpreter(f, arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations kf_fops = {
	.owner		= THIS_MODULE,
	.open		= kf_open,
	.release	= kf_release,
	.read		= kf_read,
	.poll		= kf_poll,
	.mmap		= kf_mmap,
	.unlocked_ioctl	= kf_ioctl,
	/* All structures have the same layout for 32-bit callers. */
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice kf_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "kflame",
	.fops	= &kf_fops,
	.mode	= 0600,
};

int kf_device_init(void)
{
	return misc_register(&kf_misc);
}

void kf_device_exit(void)
{
	misc_deregister(&kf_misc);
}
