// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * configure.c - turns the options into the configuration of a session
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "catalog/tracefs.h"
#include "record/function_list.h"
#include "record/hit_weight.h"
#include "record/recorder.h"
#include "record/uprobe_file.h"

static void fill_config(struct recorder *r, struct kflame_config *c, uint32_t *self)
{
	const struct record_options *o = r->o;

	*c = (struct kflame_config){
		.kway = o->kway, .flags = o->config_flags, .period_ns = o->period_ns,
		.entries = o->entries, .budget_permille = o->budget_permille,
		.uway = r->graph.uway, .dump = r->graph.dump, .dump_bytes = r->graph.dump_bytes,
		.nr_pids = (uint32_t)o->pids.nr, .pids = (uintptr_t)o->pids.all,
		.nr_tids = (uint32_t)o->tids.nr, .tids = (uintptr_t)o->tids.all,
		.nr_cpus = (uint32_t)o->cpus.nr, .cpus = (uintptr_t)o->cpus.all,
	};
	if (!r->command.pid || o->all_cpus || o->pids.nr || o->tids.nr || o->cgroups.nr)
		return;
	/*
	 * Sample the command and its children as descendants of this process. This process is their
	 * subreaper, so they remain its descendants even after their parents end.
	 */
	if (c->flags & KFLAME_CF_NO_CHILDREN) {
		*self = (uint32_t)r->command.pid;
	} else {
		*self = (uint32_t)getpid();
		c->flags |= KFLAME_CF_CHILDREN_ONLY;
	}
	c->nr_pids = 1;
	c->pids = (uintptr_t)self;
}

/* What the module calls the function or tracepoint of a probe */
static const char *probed(const struct record_event *event)
{
	return strchr(event->name, ':') + 1;
}

/* @features: of the module */
static bool has_labels(uint32_t kind, uint64_t features)
{
	if (kind == KFLAME_EVENT_PAIR || kind == KFLAME_EVENT_FAULTS)
		return features & KFLAME_FEAT_OUTSTANDING;
	if (kind == KFLAME_EVENT_SYSCALL)
		return features & KFLAME_FEAT_CALL_LABELS;
	return features & KFLAME_FEAT_LABELS &&
	       (kind == KFLAME_EVENT_KPROBE || kind == KFLAME_EVENT_KRETPROBE || kind == KFLAME_EVENT_TRACEPOINT);
}

/* The module chooses between user and kernel mode only for page faults without labels. */
static bool takes_labels(const struct record_options *o, const struct record_event *event, uint64_t features)
{
	if (event->kind == KFLAME_EVENT_FAULTS && o->config_flags & (KFLAME_CF_EXCLUDE_USER | KFLAME_CF_EXCLUDE_KERNEL))
		return false;
	return (o->labels || event->of_preset) && has_labels(event->kind, features);
}

static struct kflame_event event_of(const struct record_options *o, const struct record_event *event, uint64_t features)
{
	struct kflame_event e = { .size = sizeof(e), .kind = event->kind };

	if (profile_event_is_probe(event->kind)) {
		e.name = (uintptr_t)probed(event);
		e.name_len = (uint32_t)strlen(probed(event));
	}
	hit_weight_fill(o, event, &e);
	if (takes_labels(o, event, features))
		e.flags = KFLAME_EF_LABELS;
	if (record_event_is_outstanding(event))
		e.flags |= KFLAME_EF_OUTSTANDING;
	e.offset = event->number;
	if (event->kind == KFLAME_EVENT_OFFCPU) {
		e.min = o->min_block_ns;
		e.max = o->max_block_ns;
		e.flags = o->wakers ? KFLAME_EF_WAKERS : 0;
	}
	if (o->freeze && event->kind != KFLAME_EVENT_TIMER)
		e.flags |= KFLAME_EF_FREEZE;
	return e;
}

/* Of a recent module, only --off-cpu=sampled is available on each kernel */
static void tell_unavailable(const struct record_event *event)
{
	const uint32_t kind = event->kind;

	if (kind == KFLAME_EVENT_OFFCPU)
		complain("this kernel does not report switches of threads to modules: use --off-cpu=sampled instead of --off-cpu, and leave out --wall, --wakers, --min-block and --max-block");
	else if (kind == KFLAME_EVENT_SLEEPERS)
		complain("the module is older than this tool and cannot sample waits: leave out --off-cpu=sampled, or install both from one source");
	else if (kind == KFLAME_EVENT_KPROBE)
		complain("%s: this kernel or this module has no kprobes: they need CONFIG_KPROBES, and a module that is as new as this tool",
			 event->name);
	else if (kind == KFLAME_EVENT_KRETPROBE)
		complain("%s: this kernel or this module has no return probes: they need CONFIG_KRETPROBES, and a module that is as new as this tool",
			 event->name);
	else if (kind == KFLAME_EVENT_TRACEPOINT || kind == KFLAME_EVENT_PAIR)
		complain("%s: this kernel or this module has no tracepoints: they need CONFIG_TRACEPOINTS, no CONFIG_CFI_CLANG, and a module that is as new as this tool",
			 event->name);
	else if (kind == KFLAME_EVENT_UPROBE || kind == KFLAME_EVENT_URETPROBE)
		complain("%s: this kernel or this module has no uprobes: they need CONFIG_UPROBES, and a module that is as new as this tool",
			 event->name);
	else if (kind == KFLAME_EVENT_SYSCALL)
		complain("%s: this kernel or this module has no events of system calls: they need the tracepoints of raw_syscalls, and a module that is as new as this tool",
			 event->name);
	else
		complain("this kernel does not report %s to modules: leave %s out of -e", event->name, event->name);
}

/* Return: 0; -1 after a message if this kernel does not have the event */
static int check_event(const struct recorder *r, const struct record_event *event)
{
	/* The module finds a tracepoint by its NAME alone */
	if (event->kind == KFLAME_EVENT_TRACEPOINT && !tracefs_has_event(probed(event))) {
		complain("%s: this kernel has no tracepoint %s: 'kflame list tracepoint:' lists those there are",
			 event->name, probed(event));
		return -1;
	}
	if (r->info.events >> event->kind & 1)
		return 0;
	tell_unavailable(event);
	return -1;
}

/* What the module needs only to be configured */
struct parts {
	struct kflame_event events[KFLAME_MAX_EVENTS];
	struct uprobe_file files[KFLAME_MAX_EVENTS];
	struct function_list functions[KFLAME_MAX_EVENTS];
};

/* Find the functions of a pattern.  Return: 0; -1 after a message */
static int fill_functions(const struct recorder *r, const struct record_event *event, struct function_list *list,
			  struct kflame_event *to)
{
	const uint64_t needed = event->kind == KFLAME_EVENT_KPROBE ? KFLAME_FEAT_MANY : KFLAME_FEAT_MANY_RETURNS;

	if (!(r->info.features & needed)) {
		complain("%s: the module is older than this tool and probes one function for each event: name one function, or install both from one source",
			 event->name);
		return -1;
	}
	return function_list_open("", event->name, list, to);
}

/* @parts: for close_parts().  Return: 0; -1 after a message if an event is not there */
static int fill_events(const struct recorder *r, struct kflame_config *config, struct parts *parts)
{
	const struct record_options *o = r->o;

	/* The timer alone is what every module samples at. */
	if (!o->nr_events || (o->nr_events == 1 && o->events[0].kind == KFLAME_EVENT_TIMER))
		return 0;
	if (!(r->info.features & KFLAME_FEAT_EVENTS)) {
		complain("the module is older than this tool and knows no events but cpu-clock: leave -e and --off-cpu away, or install both from one source");
		return -1;
	}
	if (o->labels && !(r->info.features & KFLAME_FEAT_LABELS)) {
		complain("the module is older than this tool and records no labels: leave --labels away, or install both from one source");
		return -1;
	}
	if (o->wakers && !(r->info.features & KFLAME_FEAT_WAKERS)) {
		complain("the module is older than this tool and does not record who ended a wait: use --off-cpu without --wakers, or install both from one source");
		return -1;
	}
	if (hit_has_operands(o) && !(r->info.features & KFLAME_FEAT_OPERANDS)) {
		complain("the module is older than this tool and cannot look at arguments: leave out %s, or install both from one source",
			 o->nr_conditions ? "--if" : o->weight == KFLAME_WEIGHT_OPERAND ? "--weight" : "--alloc");
		return -1;
	}
	if (o->freeze && !(r->info.features & KFLAME_FEAT_TRIGGERS)) {
		complain("the module is older than this tool, and its events do not freeze the flight recorder: leave out --freeze, or install both from one source");
		return -1;
	}
	for (uint32_t i = 0; i < o->nr_events; i++) {
		const struct record_event *event = &o->events[i];
		struct kflame_event *to = &parts->events[i];

		if (record_event_is_outstanding(event) && !(r->info.features & KFLAME_FEAT_OUTSTANDING)) {
			complain("%s: the module is older than this tool and knows no such events: leave it out, or install both from one source",
				 event->name);
			return -1;
		}
		*to = event_of(o, event, r->info.features);
		if (check_event(r, event))
			return -1;
		if (record_event_is_pattern(event) && fill_functions(r, event, &parts->functions[i], to))
			return -1;
		if (!event->target)
			continue;
		if (uprobe_file_open(event->name, event->target, &parts->files[i]))
			return -1;
		to->fd = parts->files[i].fd;
		to->offset = parts->files[i].offset;
	}
	config->nr_events = o->nr_events;
	config->events = (uintptr_t)parts->events;
	return 0;
}

static void close_parts(struct parts *parts)
{
	for (size_t i = 0; i < KFLAME_MAX_EVENTS; i++) {
		uprobe_file_close(&parts->files[i]);
		function_list_close(&parts->functions[i]);
	}
}

/* Opens the control groups, and configures the session */
static int configure(struct recorder *r, struct kflame_config *config)
{
	const struct cgroup_list *groups = &r->o->cgroups;
	uint32_t fds[KFLAME_MAX_CGROUPS];
	int fd = 0, err = -1;

	if (groups->nr && !(r->info.features & KFLAME_FEAT_CGROUPS)) {
		complain("this kernel has no control groups, or the module is older than this tool: leave --cgroup away, or install both from one source");
		return -1;
	}
	while (config->nr_cgroups < groups->nr) {
		fd = chosen_cgroups_open(&r->chosen, groups->all[config->nr_cgroups]);
		if (fd < 0)
			break;
		fds[config->nr_cgroups++] = (uint32_t)fd;
	}
	config->cgroups = (uintptr_t)fds;
	if (fd >= 0)
		err = device_configure(r->device, &r->info, config);
	for (uint32_t i = 0; i < config->nr_cgroups; i++)
		close((int)fds[i]);
	return err;
}

/* Labels of files need the mounts as they are before the recording.  Return: 0; -1 after a message */
static int read_mounts(struct recorder *r, const struct parts *parts)
{
	bool any = false;

	for (size_t i = 0; i < KFLAME_MAX_EVENTS; i++)
		any |= parts->events[i].flags & KFLAME_EF_LABELS;
	if (!any || !mount_points_add(&r->mounts, "/proc/self/mountinfo"))
		return 0;
	complain("there is not enough memory to record");
	return -1;
}

int recorder_configure(struct recorder *r, struct kflame_config *config)
{
	struct parts parts = { 0 };
	uint32_t self;
	int err;

	for (size_t i = 0; i < KFLAME_MAX_EVENTS; i++)
		parts.files[i].fd = -1;
	fill_config(r, config, &self);
	err = fill_events(r, config, &parts);
	if (!err)
		err = read_mounts(r, &parts);
	if (!err)
		err = configure(r, config);
	for (uint32_t i = 0; !err && i < r->o->nr_events; i++)
		function_list_tell_left(&parts.functions[i], r->o->events[i].name);
	close_parts(&parts);
	return err;
}
