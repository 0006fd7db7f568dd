// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_session.c - reads a session of the module that does not end
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/live_session.h"
#include "base/clock.h"
#include "base/message.h"
#include "record/table_preload.h"

#define BUFFER		(128u << 10)
#define PREPARE_NS	(4 * NS_PER_S)	/* limit for unwind tables before sampling begins */
#define MAX_CGROUPS	16384		/* then they are looked up anew */
#define END_READS	4096		/* more reads than any session leaves after STOP */

static struct live_moment moment_now(void)
{
	return (struct live_moment){ now_ns(), clock_ns(CLOCK_REALTIME) };
}

/* ------------------------------------------------------------------ start */

static void offer_file(void *ctx, const struct profile_file *f, int fd, uid_t owner)
{
	tables_offer(ctx, f, fd, owner);
}

/* Compile the tables of the programs that run, so that their first samples have whole stacks */
static void prepare_tables(struct live_session *s, struct likely *likely)
{
	const uint64_t until = now_ns() + PREPARE_NS;

	likely_running(likely, until);
	tables_prepare(&s->tables, -1);
	for (size_t i = 0; i < likely->nr && now_ns() < until; i++)
		tables_prepare(&s->tables, likely->all[i].fd);
}

static int configure(struct live_session *s, const struct agent_config *c, struct kflame_config *config)
{
	*config = (struct kflame_config){
		.period_ns = c->period_ns, .budget_permille = c->budget_permille,
		.flags = c->idle ? 0 : KFLAME_CF_EXCLUDE_IDLE,
		.uway = s->info.features & KFLAME_FEAT_TABLES ? KFLAME_UWAY_AUTO : KFLAME_UWAY_FP,
	};
	return device_configure(s->device, &s->info, config);
}

static int make_room(struct live_session *s)
{
	s->buffer = malloc(BUFFER);
	s->files = profile_create();
	s->cpus = calloc(s->info.cpu_limit + 1, sizeof(*s->cpus));
	if (s->buffer && s->files && s->cpus && !profile_leave_out_stacks(s->files))
		return 0;
	complain("there is not enough memory to record");
	return -1;
}

int live_session_start(struct live_session *s, const struct agent_config *c)
{
	struct kflame_config config;
	struct likely likely = { .nr = 0 };
	bool tables;
	int err;

	*s = (struct live_session){ .cut = 1 };
	s->kernel = kernel_id_running();
	s->device = device_open(c->device, &s->info);
	if (s->device < 0 || make_room(s) || configure(s, c, &config))
		return -1;
	tables = config.uway != KFLAME_UWAY_FP;
	if (tables)
		prepare_tables(s, &likely);
	held_files_start(&s->held, config.flags & KFLAME_CF_HOLD_FILES ? s->device : -1, false, offer_file, &s->tables);
	fcntl(s->device, F_SETFL, O_RDWR | O_NONBLOCK);
	err = device_start(s->device);
	s->begin = moment_now();
	if (!err && tables)
		tables_start(&s->tables, s->device);
	likely_exit(&likely);
	return err;
}

/* ------------------------------------------------------------------- read */

/* A copy of a record, as far as this tool knows its type.  Fields that an older module lacks are zero */
static void copy_record(const struct kflame_rec *rec, void *to, size_t size)
{
	memset(to, 0, size);
	memcpy(to, rec, rec->size < size ? rec->size : size);
}

static struct live_cpu *find_cpu(struct live_session *s, uint32_t cpu)
{
	return &s->cpus[cpu < s->info.cpu_limit ? cpu : s->info.cpu_limit];
}

static int use_aspace(struct live_session *s, uint64_t id)
{
	struct process *one;

	if (!id || idmap_find(&s->used, id) != INDEX_NONE)
		return 0;
	one = processes_find(&s->processes, id);
	if (!one)
		return -ENOMEM;
	one->cut = s->cut;
	return idmap_set(&s->used, id, 0);
}

static int take_count(struct live_session *s, const struct kflame_rec *rec)
{
	const struct kflame_rec_count *c = (const void *)rec;
	struct live_cpu *cpu = find_cpu(s, c->cpu);

	cpu->counted += c->samples;
	cpu->counted_ns += c->weight_ns;
	return use_aspace(s, c->aspace);
}

static int take_counts(struct live_session *s, const struct kflame_rec *rec)
{
	const struct kflame_rec_counts *c = (const void *)rec;
	struct live_cpu *cpu = find_cpu(s, c->cpu);

	for (uint32_t i = 0; i < c->nr; i++) {
		cpu->counted += c->count[i].samples;
		cpu->counted_ns += c->count[i].weight_ns;
	}
	return use_aspace(s, c->aspace);
}

static void keep(struct records *to, const struct kflame_rec *rec)
{
	records_add(to, (struct kflame_rec *)rec, rec->size, NULL, 0);
}

static int take_file(struct live_session *s, const struct kflame_rec *rec)
{
	const struct kflame_rec_file *f = (const void *)rec;
	size_t before = s->files->nr_files;
	int err = profile_feed(s->files, rec, rec->size);

	if (!err && s->files->nr_files > before)
		err = idmap_set(&s->file_index, f->id, (uint32_t)before);
	return err;
}

static int take_session(struct live_session *s, const struct kflame_rec *rec)
{
	copy_record(rec, &s->head, sizeof(s->head));
	/* An older session record is shorter: the profile of a cut has one of its size */
	s->head.rec.size = rec->size < sizeof(s->head) ? rec->size : sizeof(s->head);
	return profile_feed(s->files, rec, rec->size);
}

static void take_cpu(struct live_session *s, const struct kflame_rec *rec)
{
	struct kflame_rec_cpu cpu;
	struct live_cpu *to;

	copy_record(rec, &cpu, sizeof(cpu));
	to = find_cpu(s, cpu.books.cpu);
	to->last = cpu.books;
	to->ended = true;
}

/* The module is trusted, but a record that it wrote short would be read beyond its end */
static size_t least_size(const struct kflame_rec *rec)
{
	switch (rec->type) {
	case KFLAME_REC_COUNT:
		return offsetof(struct kflame_rec_count, id);
	case KFLAME_REC_COUNTS: {
		const struct kflame_rec_counts *c = (const void *)rec;

		return rec->size < sizeof(*c) ? sizeof(*c) : sizeof(*c) + c->nr * sizeof(c->count[0]);
	}
	case KFLAME_REC_MAPPING:
		return sizeof(struct kflame_rec_mapping);
	case KFLAME_REC_ASPACE:
		return offsetof(struct kflame_rec_aspace, start_time_ns);
	case KFLAME_REC_FILE:
		return offsetof(struct kflame_rec_file, path);
	default:
		return sizeof(*rec);
	}
}

/* Return: 0 or a negative errno */
static int take_record(struct live_session *s, const struct kflame_rec *rec)
{
	if (rec->size < least_size(rec))
		return 0;
	switch (rec->type) {
	case KFLAME_REC_SESSION:
		return take_session(s, rec);
	case KFLAME_REC_ASPACE:
		return processes_report(&s->processes, (const void *)rec);
	case KFLAME_REC_MAPPING:
		return processes_map(&s->processes, (const void *)rec);
	case KFLAME_REC_FILE:
		return take_file(s, rec);
	case KFLAME_REC_CPU:
		take_cpu(s, rec);
		return 0;
	case KFLAME_REC_STATS:
		copy_record(rec, &s->last_stats, sizeof(s->last_stats));
		return 0;
	case KFLAME_REC_COUNT:
	case KFLAME_REC_COUNTS: {
		int err = rec->type == KFLAME_REC_COUNT ? take_count(s, rec) : take_counts(s, rec);

		keep(&s->counts, rec);
		return err;
	}
	case KFLAME_REC_STACK:
	case KFLAME_REC_LIKES:
		keep(&s->counts, rec);
		return 0;
	default:
		return 0;
	}
}

/* Append bytes to the unfinished record.  Return: 0 or -ENOMEM */
static int append(struct live_session *s, const unsigned char *bytes, size_t len)
{
	struct records *part = &s->part;

	while (part->cap - part->len < len)
		if (grow_full(&part->data, &part->cap, 1))
			return -ENOMEM;
	memcpy(part->data + part->len, bytes, len);
	part->len += len;
	return 0;
}

/* Take all whole records.  Return: 0 or a negative errno */
static int take_bytes(struct live_session *s, const unsigned char *bytes, size_t len)
{
	int err = append(s, bytes, len);
	size_t at = 0;

	if (!err && !s->headed && s->part.len >= sizeof(s->header)) {
		memcpy(&s->header, s->part.data, sizeof(s->header));
		at = s->header.header_size;
		s->headed = true;
		err = profile_feed(s->files, s->part.data, at < s->part.len ? at : s->part.len);
	}
	while (!err && s->headed && s->part.len >= at + sizeof(struct kflame_rec)) {
		const struct kflame_rec *rec = (const void *)(s->part.data + at);

		if (rec->size < sizeof(*rec) || rec->size > KFLAME_REC_MAX)
			return -EBADMSG;
		if (s->part.len - at < rec->size)
			break;
		err = take_record(s, rec);
		at += rec->size;
	}
	if (at) {
		memmove(s->part.data, s->part.data + at, s->part.len - at);
		s->part.len -= at;
	}
	return err;
}

static int tell_unreadable(const char *why)
{
	complain("the session cannot be read further: %s", why);
	return -1;
}

int live_session_read(struct live_session *s)
{
	for (;;) {
		ssize_t n = read(s->device, s->buffer, BUFFER);
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return tell_unreadable(strerror(errno));
		if (n <= 0) {
			held_files_update(&s->held, s->files);
			s->ended = !n;
			return !n;
		}
		err = take_bytes(s, s->buffer, (size_t)n);
		if (!err && s->counts.failed)
			err = -ENOMEM;
		if (err)
			return tell_unreadable(err == -ENOMEM ? "there is not enough memory" :
					       "its records make no sense. Install module and tool from one source");
	}
}

int live_session_stop(struct live_session *s)
{
	int err = device_stop(s->device), more = 0;

	if (err) {
		complain("sampling cannot be stopped: %s", strerror(-err));
		return -1;
	}
	fcntl(s->device, F_SETFL, O_RDWR);
	for (int i = 0; !more && i < END_READS; i++)
		more = live_session_read(s);
	/* The names of the last cut need all files */
	held_files_finish(&s->held);
	return more < 0 ? -1 : 0;
}

/* -------------------------------------------------------------------- cut */

static void subtract(const struct kflame_cpu *now, const struct kflame_cpu *earlier, struct kflame_cpu *cut)
{
	*cut = (struct kflame_cpu){
		.cpu = now->cpu, .missed = now->missed - earlier->missed, .active_ns = now->active_ns - earlier->active_ns,
		.head_ns = now->head_ns - earlier->head_ns, .period_ns = now->period_ns,
		.stretches = now->stretches - earlier->stretches, .handler_ns = now->handler_ns - earlier->handler_ns,
		.handler_max_ns = now->handler_max_ns,
	};
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++) {
		cut->lost[i] = now->lost[i] - earlier->lost[i];
		cut->lost_ns[i] = now->lost_ns[i] - earlier->lost_ns[i];
	}
}

static void add(struct kflame_cpu *sum, const struct kflame_cpu *cut)
{
	sum->cpu = cut->cpu;
	sum->samples += cut->samples;
	sum->counted += cut->counted;
	sum->missed += cut->missed;
	sum->weight_ns += cut->weight_ns;
	sum->counted_ns += cut->counted_ns;
	sum->active_ns += cut->active_ns;
	sum->head_ns += cut->head_ns;
	sum->tail_ns += cut->tail_ns;
	sum->period_ns = cut->period_ns;
	sum->stretches += cut->stretches;
	sum->handler_ns += cut->handler_ns;
	if (cut->handler_max_ns > sum->handler_max_ns)
		sum->handler_max_ns = cut->handler_max_ns;
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++) {
		sum->lost[i] += cut->lost[i];
		sum->lost_ns[i] += cut->lost_ns[i];
	}
}

/*
 * The accounting of a CPU for this cut.  Samples that are still in the module's table belong to the next cut: until
 * then, their time is part of the tail.
 */
static void account(struct live_cpu *c, const struct kflame_cpu *now, struct kflame_cpu *cut)
{
	subtract(now, &c->earlier, cut);
	cut->samples = cut->counted = c->counted;
	cut->weight_ns = cut->counted_ns = c->counted_ns;
	for (unsigned int i = 0; i < KFLAME_NR_LOST; i++) {
		cut->samples += cut->lost[i];
		cut->weight_ns += cut->lost_ns[i];
	}
	cut->tail_ns = (int64_t)(cut->active_ns - (uint64_t)cut->head_ns - cut->weight_ns);
	add(&c->earlier, cut);
	c->counted = 0;
	c->counted_ns = 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void put_cpus(struct live_session *s, struct live_cut *out)
{
	for (uint32_t i = 0; i < s->info.cpu_limit; i++) {
		struct kflame_rec_cpu rec = { .rec.type = KFLAME_REC_CPU };
		struct live_cpu *c = &s->cpus[i];
		struct kflame_stats stats;

		if (s->ended)
			stats.books = c->last;
		else if (device_cpu_stats(s->device, i, 0, &stats))
			continue;
		if (!stats.books.active_ns && !stats.books.samples && !c->counted)
			continue;
		stats.books.cpu = i;
		account(c, &stats.books, &rec.books);
		add(&s->sums, &rec.books);
		if (s->ended)
			s->differs += distance(c->earlier.samples, stats.books.samples) +
				      distance(c->earlier.counted, stats.books.counted);
		out->samples += rec.books.samples;
		out->counted += rec.books.counted;
		records_add(&out->records, &rec, sizeof(rec), NULL, 0);
	}
}

/* Counters become those of this cut; the two that say what is there now stay */
static void put_stats(struct live_session *s, struct live_cut *out)
{
	struct kflame_rec_stats rec = { .rec.type = KFLAME_REC_STATS, .stop_ns = out->end.mono_ns };
	struct kflame_stats stats;

	if (s->ended)
		memcpy(stats.count, s->last_stats.count, sizeof(stats.count));
	else if (device_stats(s->device, 0, &stats))
		return;
	for (unsigned int i = 0; i < KFLAME_NR_STATS; i++) {
		bool is_level = i == KFLAME_STAT_TABLES || i == KFLAME_STAT_TABLE_BYTES;

		rec.count[i] = is_level ? stats.count[i] : stats.count[i] - s->stats.count[i];
		s->stats.count[i] = stats.count[i];
	}
	records_add(&out->records, &rec, sizeof(rec), NULL, 0);
}

static void put_file_once(struct live_session *s, uint64_t id, struct idmap *done, struct records *to)
{
	uint32_t i = idmap_find(&s->file_index, id);
	const struct profile_file *f;
	struct kflame_rec_file rec;

	if (!id || i == INDEX_NONE || idmap_find(done, id) != INDEX_NONE || idmap_set(done, id, 0))
		return;
	f = &s->files->files[i];
	rec = f->rec;
	rec.path_len = (uint32_t)strlen(f->path);
	records_add(to, &rec, offsetof(struct kflame_rec_file, path), f->path, rec.path_len + 1);
}

/* The address spaces of this cut, with their mappings, files and control groups */
static void put_processes(struct live_session *s, struct records *to)
{
	struct idmap files = { .nr = 0 }, groups = { .nr = 0 };

	for (uint32_t i = 0; i < s->used.nr; i++) {
		struct process *one = processes_find(&s->processes, s->used.all[i].id);
		uint64_t group = one ? one->rec.cgroup_id : 0;
		const char *path;

		if (!one)
			continue;
		if (one->rec.id)
			records_add(to, &one->rec, sizeof(one->rec), NULL, 0);
		for (size_t k = 0; k < one->nr_maps; k++) {
			put_file_once(s, one->maps[k].file, &files, to);
			records_add(to, &one->maps[k], sizeof(one->maps[k]), NULL, 0);
		}
		if (!group || idmap_find(&groups, group) != INDEX_NONE || idmap_set(&groups, group, 0))
			continue;
		path = cgroups_path(&s->cgroups, group, one->rec.tgid);
		if (path)
			records_cgroup(to, group, path);
	}
	idmap_exit(&files);
	idmap_exit(&groups);
	if (s->cgroups.nr > MAX_CGROUPS)
		cgroups_exit(&s->cgroups);
}

static int fd_of(void *ctx, uint64_t id)
{
	struct live_session *s = ctx;
	uint32_t i = idmap_find(&s->file_index, id);

	return i == INDEX_NONE ? NAMING_SKIP : held_files_fd(&s->held, i);
}

static void append_records(struct records *to, const struct records *from)
{
	for (size_t at = 0; at < from->len;) {
		struct kflame_rec *rec = (void *)(from->data + at);

		at += rec->size;
		records_add(to, rec, rec->size, NULL, 0);
	}
}

/* Adds the names, which needs the records so far as a profile.  Return: 0 or -ENOMEM */
static int put_names(struct live_session *s, const struct agent_config *c, struct live_cut *out)
{
	struct profile *p = profile_create();
	struct perf_maps maps = { .nr = 0 };
	struct records names = { 0 };
	int err = p ? profile_leave_out_stacks(p) : -ENOMEM;

	if (!err)
		err = profile_feed(p, &out->header, sizeof(out->header));
	if (!err)
		err = profile_feed(p, out->records.data, out->records.len);
	if (!err)
		err = profile_finish(p);
	if (!err)
		err = name_cache_name(&s->names, p, s->device, s->cut, c->names_bytes, fd_of, s, &names);
	if (!err) {
		perf_maps_update(&maps, p);
		err = perf_maps_name(&maps, p, &names);
	}
	if (!err)
		tables_records(&s->tables, p, &names);
	append_records(&out->records, &names);
	records_exit(&names);
	perf_maps_exit(&maps);
	profile_destroy(p);
	return err;
}

static void begin_next(struct live_session *s, const struct agent_config *c, struct live_moment now)
{
	processes_shrink(&s->processes, c->processes_bytes, s->cut);
	/* The buffer stays, unless one cut had far more than others */
	if (s->counts.cap > (4u << 20))
		records_exit(&s->counts);
	s->counts.len = 0;
	s->counts.nr = 0;
	idmap_exit(&s->used);
	s->begin = now;
	s->cut++;
}

int live_session_cut(struct live_session *s, const struct agent_config *c, struct live_cut *out)
{
	struct kflame_rec_session head = s->head;
	int err;

	*out = (struct live_cut){ .begin = s->begin, .end = moment_now() };
	out->header = (struct kflame_file_header){
		.version = KFLAME_FILE_VERSION, .endian = KFLAME_FILE_ENDIAN, .header_size = sizeof(out->header),
	};
	memcpy(out->header.magic, KFLAME_FILE_MAGIC, sizeof(out->header.magic));
	head.start_ns = out->begin.mono_ns;
	head.start_realtime_ns = out->begin.real_ns;
	records_add(&out->records, &head, s->head.rec.size, NULL, 0);
	put_processes(s, &out->records);
	append_records(&out->records, &s->counts);
	put_cpus(s, out);
	put_stats(s, out);
	err = put_names(s, c, out);
	begin_next(s, c, out->end);
	return err || out->records.failed ? -ENOMEM : 0;
}

bool live_session_is_full(const struct live_session *s)
{
	return s->files->nr_files >= LIVE_FILES;
}

void live_session_exit(struct live_session *s)
{
	held_files_exit(&s->held);
	tables_stop(&s->tables);
	processes_exit(&s->processes);
	name_cache_exit(&s->names);
	cgroups_exit(&s->cgroups);
	idmap_exit(&s->file_index);
	idmap_exit(&s->used);
	records_exit(&s->counts);
	records_exit(&s->part);
	profile_destroy(s->files);
	free(s->cpus);
	free(s->buffer);
	if (s->device >= 0)
		close(s->device);
	s->device = -1;
}
