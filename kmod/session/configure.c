// SPDX-License-Identifier: GPL-2.0-only
/*
 * configure.c - what a session samples, and the memory that it takes; see session/session.h
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/nodemask.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "base/clock.h"
#include "base/learn.h"
#include "base/memory.h"
#include "kstack/kernel_cache.h"
#include "sample/events.h"
#include "sample/explained.h"
#include "session/epochs.h"
#include "session/session.h"
#include "source/functions.h"
#include "source/source.h"

#define SAMPLES_PER_ENTRY	2U

/* On a kernel with no way to walk its stacks, a session without kernel stacks still works. */
static int choose_kstack(struct kf_session *s, u32 *kway, bool wanted)
{
	kf_kstack_fn *save = kf_kstack_save(), *unwind = kf_kstack_unwind();

	if (*kway == KFLAME_KWAY_AUTO)
		*kway = unwind ? KFLAME_KWAY_UNWIND : KFLAME_KWAY_SAVE;
	s->sampling.kstack = *kway == KFLAME_KWAY_UNWIND ? unwind : save;
	return s->sampling.kstack || !wanted ? 0 : -EOPNOTSUPP;
}

/* Is there a cache for walks of kernel stacks? */
bool kf_caches_kstacks(const struct kflame_config *cfg)
{
	return kf_kcache_wanted() && cfg->kway == KF_KWAY_CACHED &&
	       !(cfg->flags & KFLAME_CF_NO_KSTACK);
}

static int choose_cpus(struct kf_session *s, const u32 *cpus, u32 nr)
{
	u32 i;

	if (!nr) {
		cpumask_copy(s->cpus, cpu_possible_mask);
		return 0;
	}
	for (i = 0; i < nr; i++) {
		if (cpus[i] >= nr_cpu_ids || !cpu_possible(cpus[i]))
			return -ENODEV;
		cpumask_set_cpu(cpus[i], s->cpus);
	}
	return 0;
}

/* Are user stacks walked by unwind tables? */
bool kf_has_tables(const struct kflame_config *cfg)
{
	return cfg->uway != KFLAME_UWAY_FP && !(cfg->flags & KFLAME_CF_NO_USTACK);
}

/* Has one of the session's events labels? */
bool kf_has_labels(const struct kf_sampling *sampling)
{
	u32 i;

	for (i = 0; i < sampling->nr_events; i++)
		if (sampling->events[i].flags & KFLAME_EF_LABELS)
			return true;
	return false;
}

/* Does the session store parts of user stacks that were walked by unwind tables? */
bool kf_keeps_chains(const struct kflame_config *cfg)
{
	return kf_has_tables(cfg) && cfg->dump != KFLAME_DUMP_ALL && kf_learns();
}

/*
 * May an earlier sample's user stack be reused? Not if all stacks are copied, as these are walked.
 */
bool kf_guesses(const struct kflame_config *cfg)
{
	return (!cfg->dump || cfg->dump == KFLAME_DUMP_REST) && kf_learns();
}

/* May a kernel stack be matched by its callers? With learn_check another walk function compares. */
bool kf_matches(const struct kf_session *s)
{
	return kf_guesses(&s->sampling.config) && s->sampling.kstack == kf_kstack_by_steps;
}

/**
 * kf_session_plan() - is this a common session, with a specialised callback?
 * @s:		configured
 *
 * CONFIGURE or the module's load fix all that the answer depends on. So it is computed when the
 * timers are made, not for each sample: see kf_sample_callback().
 *
 * Return: the session's plan.
 */
enum kf_plan kf_session_plan(const struct kf_session *s)
{
	const struct kflame_config *cfg = &s->sampling.config;
	const u64 unusual = KFLAME_CF_NO_KSTACK | KFLAME_CF_NO_USTACK | KFLAME_CF_PER_THREAD |
			    KFLAME_CF_TIMELINE;

	if (s->sampling.watch)
		return KF_PLAN_WATCH;
	if (s->sampling.chooses || cfg->flags & unusual || cfg->udepth < KF_PLAN_MIN_UDEPTH ||
	    !kf_matches(s) || kf_ucheck_bytes() || !kf_clock_is_counter())
		return KF_PLAN_ANY;
	return kf_has_tables(cfg) ? KF_PLAN_TABLES : KF_PLAN_FP;
}

/*
 * How many sample times a table has room for. There are more samples than entries, as samples
 * repeat.
 */
u32 kf_table_samples(const struct kflame_config *cfg)
{
	return cfg->flags & KFLAME_CF_TIMELINE ?
	       max(cfg->entries, KF_TABLE_MIN_SAMPLES / SAMPLES_PER_ENTRY) * SAMPLES_PER_ENTRY : 0;
}

static size_t table_bytes(const struct kf_session *s)
{
	return kf_table_bytes(s->sampling.config.entries, kf_table_samples(&s->sampling.config));
}

/**
 * kf_session_cgroup() - replace a control group that is sampled; may sleep
 * @s:		the session
 * @index:	index of the group in the configuration
 * @fd:		descriptor of the new group
 *
 * Return: 0 or an error, see struct kflame_cgroup.
 */
int kf_session_cgroup(struct kf_session *s, u32 index, int fd)
{
	int err = -EINVAL;

	mutex_lock(&s->ctl);
	if (s->state != KF_NEW)
		err = kf_filter_replace_cgroup(&s->sampling.filter, index, fd);
	mutex_unlock(&s->ctl);
	return err;
}

/* Memory for each CPU that is sampled */
size_t kf_cpu_bytes(const struct kf_session *s)
{
	return table_bytes(s) + kf_epochs_bytes(s) +
	       (s->sampling.config.dump ? kf_ring_bytes(s->sampling.config.ring_bytes) : 0) +
	       (kf_has_tables(&s->sampling.config) ?
		kf_uwalk_bytes(kf_keeps_chains(&s->sampling.config)) : 0);
}

/* Memory on each possible CPU for events other than the timer */
static size_t events_bytes(const struct kf_session *s)
{
	size_t bytes = sizeof(struct kf_event_cpu) * s->sampling.config.nr_events;
	u32 i;

	for (i = 0; i < s->sampling.nr_events; i++)
		if (kf_event_measures(&s->sampling.events[i]))
			bytes += sizeof(struct kf_weights) * KFLAME_NR_GROUPS;
	return bytes;
}

/* Memory of a session: see the formula at the head of session/session.h. */
size_t kf_session_bytes(const struct kf_session *s)
{
	unsigned int cpu, cpus = 0;

	for_each_cpu_and(cpu, s->cpus, cpu_online_mask)
		cpus++;
	return kf_cpu_bytes(s) * cpus +
	       table_bytes(s) * num_node_state(N_MEMORY) +
	       (sizeof(struct kf_cpu) + events_bytes(s)) * num_possible_cpus() +
	       kf_aspaces_bytes() + KF_READER_BUFFER +
	       (s->sampling.config.flags & KFLAME_CF_HOLD_FILES ? kf_held_bytes() : 0) +
	       (kf_has_labels(&s->sampling) ? kf_labels_bytes() : 0) +
	       (kf_has_tables(&s->sampling.config) ? kf_umaps_bytes() + kf_utables_bytes() : 0) +
	       kf_ucheck_bytes() * num_possible_cpus() +
	       kf_explained_bytes(&s->sampling.config) * num_possible_cpus() +
	       (kf_caches_kstacks(&s->sampling.config) ? kf_kcache_bytes() : 0);
}

/**
 * kf_entries_for() - the default number of entries of a table
 * @period_ns:	of the samples
 * @span_ns:	the table has an entry for each sample in this time, within limits
 *
 * A larger table is read less often, so a sample costs less.
 *
 * Return: a power of two.
 */
u32 kf_entries_for(u64 period_ns, u64 span_ns)
{
	u64 n = div64_u64(span_ns, period_ns);

	return roundup_pow_of_two(clamp_t(u64, n, KF_DEFAULT_ENTRIES_MIN,
					  KF_DEFAULT_ENTRIES_MAX));
}

/* Shrink defaults until the session takes at most a quarter of what is left under the cap. */
static void fit(struct kf_session *s, bool ring, bool entries)
{
	const size_t left = kf_memory_cap() - min(kf_memory_used(), kf_memory_cap());

	while (ring && s->sampling.config.ring_bytes > KFLAME_RING_MIN && kf_session_bytes(s) > left / 4)
		s->sampling.config.ring_bytes /= 2;
	while (entries && s->sampling.config.entries > KF_DEFAULT_ENTRIES_MIN &&
	       kf_session_bytes(s) > left / 4)
		s->sampling.config.entries /= 2;
}

static int check_dump(struct kflame_config *cfg)
{
	if (cfg->dump > KFLAME_DUMP_BOTH || (!cfg->dump && (cfg->dump_bytes || cfg->ring_bytes)))
		return -EINVAL;
	if ((cfg->flags & KFLAME_CF_EXPLAIN) && cfg->dump != KFLAME_DUMP_BOTH)
		return -EINVAL;
	if (!cfg->dump)
		return 0;
		/*
		 * KFLAME_DUMP_REST copies stacks whose table is missing, so there must be tables.
		 */
	if (cfg->dump == KFLAME_DUMP_REST && cfg->uway == KFLAME_UWAY_FP)
		return -EINVAL;
	cfg->dump_bytes = cfg->dump_bytes ?: KF_DEFAULT_DUMP_BYTES;
	cfg->ring_bytes = cfg->ring_bytes ?: KF_DEFAULT_RING_BYTES;
	if (cfg->dump_bytes % 8 || cfg->dump_bytes > KFLAME_DUMP_MAX)
		return -EINVAL;
	if (cfg->ring_bytes < KFLAME_RING_MIN || cfg->ring_bytes > KFLAME_RING_MAX ||
	    !is_power_of_2(cfg->ring_bytes))
		return -EINVAL;
	return 0;
}

static int check_config(struct kflame_config *cfg)
{
	if (cfg->flags & ~(u64)KFLAME_CF_ALL || cfg->reserved || cfg->pad || cfg->pad2)
		return -EINVAL;
	if ((cfg->flags & KFLAME_CF_NO_CHILDREN) && (cfg->flags & KFLAME_CF_CHILDREN_ONLY))
		return -EINVAL;
	if (cfg->uway > KFLAME_UWAY_TABLE ||
	    (cfg->uway == KFLAME_UWAY_FP && cfg->table_bytes))
		return -EINVAL;
	if (cfg->period_ns < KF_MIN_PERIOD_NS || cfg->period_ns > KF_MAX_PERIOD_NS)
		return -EINVAL;
	if (cfg->kway > KFLAME_KWAY_UNWIND || cfg->budget_permille > 1000)
		return -EINVAL;
	cfg->entries = cfg->entries ?: kf_entries_for(cfg->period_ns, KF_DEFAULT_ENTRIES_NS);
	if (cfg->entries < KF_TABLE_MIN_ENTRIES || cfg->entries > KF_TABLE_MAX_ENTRIES)
		return -EINVAL;
	cfg->kdepth = cfg->kdepth ?: KF_DEFAULT_DEPTH;
	/*
	 * The deeper default for tables limits only a walk that went astray, or a deep recursion.
	 */
	cfg->udepth = cfg->udepth ?: cfg->uway == KFLAME_UWAY_FP ? KF_DEFAULT_DEPTH : KF_MAX_UDEPTH;
	if (cfg->kdepth > KF_MAX_DEPTH || cfg->udepth > KF_MAX_UDEPTH)
		return -EINVAL;
	if (cfg->uway != KFLAME_UWAY_FP)
		cfg->table_bytes = cfg->table_bytes ?: KF_UTABLE_DEFAULT_BYTES;
	return check_dump(cfg);
}

/* Are @min and @max of an event as include/uapi/kflame.h allows? */
static bool is_in_range(const struct kflame_event *event)
{
	if (event->weight != KFLAME_WEIGHT_OWN)
		return !event->max || event->max >= event->min;
	switch (event->kind) {
	case KFLAME_EVENT_OFFCPU:
		return !event->max || event->max >= event->min;
	case KFLAME_EVENT_SLEEPERS:
		return !event->max && (!event->min || (event->min >= KFLAME_LOOK_MIN_NS &&
						       event->min <= KFLAME_LOOK_MAX_NS));
	default:
		return !event->min && !event->max;
	}
}

/* A breakpoint changes what other processes run, and one inside an instruction changes what they do. */
static int check_file(const struct kf_source *source, const struct kf_event_asked *asked)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!S_ISREG(file_inode(asked->file)->i_mode) || !(asked->file->f_mode & FMODE_READ))
		return -EBADF;
	return source->check_file(asked->file, asked->event.offset);
}

/*
 * Which functions of a list can be probed? Without kflame_event.errors, all must be.
 * Return: 0; -EINTR; the error of a function.
 */
static int check_functions(const struct kf_source *source, const struct kf_event_asked *asked)
{
	const struct kf_functions *f = asked->functions;
	int err = source->check_functions ? source->check_functions(asked->functions) : -EINVAL;
	u32 i, left = f->nr;

	for (i = 0; i < f->nr && !err; i++) {
		left -= !!f->all[i].err;
		if (!asked->event.errors)
			err = f->all[i].err;
	}
	return err || left ? err : f->all[0].err;
}

/* Comes before the colon in the names of such events */
static const char *prefix_of(const struct kf_source *source, u64 flags)
{
	return flags & KFLAME_EF_OUTSTANDING ? "outstanding" : source->name;
}

/* Is the name of an event as include/uapi/kflame.h allows, and can it be watched? */
static int check_name(const struct kf_source *source, const struct kf_event_asked *asked)
{
	const char *c;

	if (asked->event.name_len >= KFLAME_EVENT_NAME - 1 - strlen(prefix_of(source, asked->event.flags)))
		return -ENAMETOOLONG;
	if (strlen(asked->name) != asked->event.name_len || !asked->event.name_len)
		return -EINVAL;
	for (c = asked->name; *c; c++)
		if (*c <= ' ' || *c >= 127)
			return -EINVAL;
	if (asked->functions)
		return check_functions(source, asked);
	return source->check ? source->check(asked->name) : check_file(source, asked);
}

static int check_event(const struct kf_source *source, const struct kf_event_asked *asked)
{
	struct kf_operands operands;
	int err;

	err = check_name(source, asked);
	if (err)
		return err;
	return kf_operands_init(&operands, source, &asked->event, asked->conditions, asked->name);
}

/*
 * Only reader.lock is held: kprobes take the lock of the CPU hotplug, and uprobes mmap locks. On an error
 * @cfg->reserved says of which event.
 */
static int check_names(struct kflame_config *cfg, const struct kf_event_asked *events)
{
	const struct kf_source *source;
	u32 i;
	int err;

	for (i = 0; i < cfg->nr_events; i++) {
		source = kf_source_of(events[i].event.kind);
		if (!source || !kf_source_is_supported(source) || !kf_source_is_named(source))
			continue;
		err = check_event(source, &events[i]);
		if (err == -EINTR)
			return err;
		if (err) {
			cfg->reserved = i + 1;
			return err;
		}
	}
	return 0;
}

/* What the weights of an event count: KFLAME_UNIT_* */
static u32 unit_of(const struct kf_event *e)
{
	switch (e->weight) {
	case KFLAME_WEIGHT_LATENCY:
		return KFLAME_UNIT_NS;
	case KFLAME_WEIGHT_VALUE:
		return e->source->value_unit ?: KFLAME_UNIT_VALUE;
	case KFLAME_WEIGHT_OPERAND:
		return e->operands.unit;
	default:
		return e->source->unit;
	}
}

/* Can events of the source have that weight? */
static bool has_weight(const struct kf_source *source, u32 weight)
{
	return weight == KFLAME_WEIGHT_OWN || (weight < 32 && source->weights >> weight & 1);
}

/* The flags that events of the source may have */
static u64 flags_of(const struct kf_source *source)
{
	return source->flags | (source->is_labelled ? KFLAME_EF_LABELS : 0) |
	       (source == &kf_source_timer ? 0 : KFLAME_EF_FREEZE);
}

/* Can kflame_event.offset of the source's events have that value? */
static bool is_offset(const struct kf_source *source, u64 offset)
{
	if (source->most_number)
		return offset <= source->most_number || offset == U64_MAX;
	return !offset || source->check_file;
}

/* Choose one event. @i: its index in the configuration */
static int choose_event(struct kf_sampling *sampling, const struct kf_event_asked *asked, u32 i)
{
	const struct kflame_event *event = &asked->event;
	const struct kf_source *source = kf_source_of(event->kind);
	struct kf_event *e = &sampling->events[i];
	u32 other;
	int err;

	if (!source || !has_weight(source, event->weight) || !is_in_range(event) || event->pad)
		return -EINVAL;
	if (!kf_source_is_supported(source))
		return -EOPNOTSUPP;
	if (!kf_source_is_named(source) && (event->name || event->name_len))
		return -EINVAL;
	if ((!source->check_file && event->fd) || !is_offset(source, event->offset))
		return -EINVAL;
	if (event->flags & ~flags_of(source))
		return -EINVAL;
	/* As KFLAME_RECORDER_FREEZE: it changes what the recorder of the whole machine does. */
	if (event->flags & KFLAME_EF_FREEZE && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (event->pad2)
		return -EINVAL;
	*e = (struct kf_event){
		.source = source, .sample = &kf_sample_ops,
		.id = source == &kf_source_timer ? 0 : i + 1,
		.min = event->min, .max = event->max ? : U64_MAX, .flags = event->flags,
		.file = asked->file ? get_file(asked->file) : NULL, .offset = event->offset,
		.functions = kf_functions_get(asked->functions),
		.weight = event->weight,
	};
	err = kf_operands_init(&e->operands, source, event, asked->conditions, asked->name);
	if (err)
		return err;
	e->unit = unit_of(e);
	if (e->flags & KFLAME_EF_LABELS && !source->is_labelled(asked->name))
		e->flags &= ~KFLAME_EF_LABELS;
	snprintf(e->name, sizeof(e->name), "%s%s%s", prefix_of(source, e->flags),
		 kf_source_is_named(source) ? ":" : "", asked->name);
	for (other = 0; other < i; other++)
		if (!strcmp(sampling->events[other].name, e->name))
			return -EINVAL;
	return 0;
}

/* @events: as many as @nr; none stands for the timer alone */
static int choose_events(struct kf_sampling *sampling, const struct kf_event_asked *events, u32 nr)
{
	u32 i;
	int err;

	sampling->events[0] = (struct kf_event){
		.source = &kf_source_timer, .sample = &kf_sample_ops,
	};
	sampling->nr_events = max(nr, 1U);
	for (i = 0; i < nr; i++) {
		err = choose_event(sampling, &events[i], i);
		if (err)
			return err;
	}
	return 0;
}

/* Drop the files and lists of the session's events, which no source uses any more. */
void kf_session_forget_events(struct kf_session *s)
{
	struct kf_event *e;
	u32 i;

	for (i = 0; i < KFLAME_MAX_EVENTS; i++) {
		e = &s->sampling.events[i];
		if (e->file)
			fput(e->file);
		e->file = NULL;
		kf_functions_put(e->functions);
		e->functions = NULL;
	}
}

/* Has the session an event with that id? */
bool kf_session_has_event(const struct kf_session *s, u32 id)
{
	u32 i;

	for (i = 0; i < s->sampling.nr_events; i++)
		if (s->sampling.events[i].id == id)
			return true;
	return false;
}

/**
 * kf_session_configure() - fix what a session samples; may sleep
 * @s:		the session
 * @cfg:	in and out, see include/uapi/kflame.h; it is written back on
 *		-ENOMEM and -ESRCH, too
 * @ids:	the arrays that @cfg names, copied in
 * @events:	the events that @cfg names, copied in
 *
 * Return: 0 or a negative errno, see struct kflame_config. On an error the session is unchanged.
 */
int kf_session_configure(struct kf_session *s, struct kflame_config *cfg,
			 const struct kf_ids *ids, const struct kf_event_asked *events)
{
	const bool fits_entries = !cfg->entries, fits_ring = cfg->dump && !cfg->ring_bytes;
	u64 asked = cfg->period_ns;
	int err;

	err = check_config(cfg);
	if (!err)
		err = check_names(cfg, events);
	if (err)
		return err;
	mutex_lock(&s->control);
	cpus_read_lock();
	mutex_lock(&s->ctl);
	err = -EBUSY;
	if (s->state != KF_NEW)
		goto unlock;
	err = choose_events(&s->sampling, events, cfg->nr_events);
	if (err)
		goto forget;
	err = choose_kstack(s, &cfg->kway, !(cfg->flags & KFLAME_CF_NO_KSTACK));
	if (err)
		goto forget;
	err = choose_cpus(s, ids->cpus, cfg->nr_cpus);
	if (err)
		goto forget;
	cfg->period_ns = max_t(u64, cfg->period_ns, hrtimer_resolution);
	s->asked_period_ns = asked;
	s->sampling.config = *cfg;
	if (kf_caches_kstacks(cfg))
		s->sampling.kstack = kf_kstack_cached();
	fit(s, fits_ring, fits_entries);
	cfg->entries = s->sampling.config.entries;
	cfg->ring_bytes = s->sampling.config.ring_bytes;
	s->sampling.config.memory = kf_session_bytes(s);
	cfg->memory = s->sampling.config.memory;
	err = -ENOMEM;
	if (cfg->memory > kf_memory_cap() - min(kf_memory_used(), kf_memory_cap()))
		goto forget;
	err = kf_filter_init(&s->sampling.filter, ids, cfg);
	if (err)
		goto forget;
	s->sampling.chooses = !kf_filter_is_all(&s->sampling.filter) ||
		     cfg->flags & (KFLAME_CF_EXCLUDE_USER | KFLAME_CF_EXCLUDE_KERNEL);
	s->state = KF_CONFIGURED;
	goto unlock;

forget:
	kf_session_forget_events(s);
	s->sampling.nr_events = 0;
	kf_filter_exit(&s->sampling.filter);
	memset(&s->sampling.filter, 0, sizeof(s->sampling.filter));
	cpumask_clear(s->cpus);
unlock:
	mutex_unlock(&s->ctl);
	cpus_read_unlock();
	mutex_unlock(&s->control);
	return err;
}
