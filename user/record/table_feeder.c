// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table_feeder.c - uploads unwind tables as the module reports files
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/thread.h"
#include "device/device.h"
#include "elf/interpreter_find.h"
#include "record/interpreter_shares.h"
#include "record/table_cache.h"
#include "record/table_feeder.h"
#include "symbols/archive_layout.h"
#include "unwind/table.h"
#include "unwind/table_worker.h"

/* Finds a file that has two ids: the module dropped it from memory and reported it again */
struct identity {
	uint64_t inode, bytes, mtime_ns;
	uint32_t dev_major, dev_minor, generation, pad;
};

/* A file that waits for its table, or has it */
struct table_file {
	uint64_t id;
	struct identity is;
	int fd;				/* owned by the maker; -1: not open */
	uid_t owner;			/* of the file */
	bool vdso;
	struct unwind_table ready;	/* the prepared table, until it is uploaded */
	struct kflame_interpreter interpreter; /* .size is 0 for none */
	struct kflame_rec_unwind result;
	bool no_room;			/* the module does not have the interpreter */
};

/**
 * struct table_maker - state that the thread and its master (the recorder) share
 * @lock:	guards all but @device, @budget and @shares, which only the thread uses once it runs
 * @changed:	signalled if there is a new file, or @over
 * @files:	first the @done files with their results, then the waiting files
 * @nr_ready:	how many of the first files had a prepared table
 * @over:	compile no more tables
 * @left:	the thread or the master has left; the other one frees the maker
 */
struct table_maker {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct table_file *files;
	size_t nr, cap, done, nr_ready;
	uint64_t last_ns;	/* when .done last grew */
	struct budget budget;	/* time spent on each owner's files */
	struct interpreter_shares shares;
	bool over;
	bool left;
	int device;
};

/* The thread or the master leaves; the second one to leave frees the maker */
static void leave(struct table_maker *m)
{
	bool last;

	pthread_mutex_lock(&m->lock);
	last = m->left;
	m->left = true;
	pthread_mutex_unlock(&m->lock);
	if (!last)
		return;
	for (size_t i = 0; i < m->nr; i++)
		if (m->files[i].fd >= 0)
			close(m->files[i].fd);
	close(m->device);
	budget_exit(&m->budget);
	free(m->files);
	pthread_cond_destroy(&m->changed);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

/* ------------------------------------------------------------- the thread */

/* Compile the table of a file, or find that it has none.  Return: 0 or a negative errno */
static int make(const struct table_file *w, struct unwind_table *table)
{
	int err;

	if (w->vdso)
		return elf_table_vdso(table, NULL);
	if (w->fd < 0)
		return -ENOENT;
	if (!table_cache_get(w->fd, table))
		return 0;
	err = table_ask(w->fd, table);
	if (!err)
		table_cache_put(w->fd, table);
	return err;
}

static int give(int device, const struct unwind_table *table, struct kflame_rec_unwind *result)
{
	struct kflame_table t = {
		.size = sizeof(t), .file = result->file,
		.flags = table->flags & KFLAME_TABLE_ALL,
		.nr_pages = table->nr_pages, .nr_rows = table->nr_rows,
		.nr_rules = table->nr_rules, .pages = (uintptr_t)table->pages,
		.rows = (uintptr_t)table->rows, .rules = (uintptr_t)table->rules,
	};

	if (t.flags & KFLAME_TABLE_NONE)
		t.pages = t.rows = t.rules = 0;
	result->flags = table->flags;
	result->nr_rows = table->nr_rows;
	result->nr_rules = table->nr_rules;
	result->bytes = unwind_table_bytes(table);
	return device_table(device, &t);
}

/* Look for an interpreter of programs in a file.  @out: .size is 0 if there is none */
static void find_interpreter(const struct table_file *w, struct kflame_interpreter *out)
{
	if (w->vdso || w->fd < 0 || !interpreter_likely(w->fd) || interpreter_ask(w->fd, out))
		out->size = 0;
}

/*
 * An older module walks no interpreters.  An error costs the names of the program's functions: the interpreter's
 * own are shown then
 */
static void give_interpreter(struct table_maker *m, struct table_file *w)
{
	int err;

	if (!w->interpreter.size)
		return;
	w->interpreter.file = w->id;
	err = interpreter_shares_room(&m->shares, w->owner) ? device_interpreter(m->device, &w->interpreter) : -ENOSPC;
	if (!err)
		interpreter_shares_add(&m->shares, w->owner);
	w->no_room = err == -ENOSPC || err == -ENOMEM;
}

/* Walks wait for the table of a file.  A file without a table gets an empty one, so that they go on */
static void give_none(int device, uint64_t file)
{
	struct kflame_table t = { .size = sizeof(t), .file = file, .flags = KFLAME_TABLE_NONE };

	device_table(device, &t);
}

/* @same is the same file under another id.  Return: whether the module shares the table of @same */
static bool give_same(int device, const struct table_file *w, const struct table_file *same,
		      struct kflame_rec_unwind *result)
{
	struct kflame_table t = { .size = sizeof(t), .file = w->id, .same_as = same->id };

	if (device_table(device, &t))
		return false;
	*result = same->result;
	result->file = w->id;
	result->bytes = 0;
	result->time_ns = 0;
	return true;
}

static void make_and_give(struct table_maker *m, struct table_file *w, struct kflame_rec_unwind *result)
{
	struct unwind_table table = { 0 };
	uint64_t begin = now_ns();
	int err = make(w, &table);

	/* First, so that no walk by the table lacks the program's functions */
	find_interpreter(w, &w->interpreter);
	give_interpreter(m, w);
	if (!err)
		err = give(m->device, &table, result);
	if (err)
		give_none(m->device, w->id);
	result->error = (uint32_t)-err;
	result->time_ns = now_ns() - begin;
	unwind_table_exit(&table);
}

/* Called under the lock.  Return: an earlier entry for the same file, with a table; NULL for none */
static const struct table_file *find_same(const struct table_maker *m, const struct table_file *w)
{
	for (size_t i = m->nr_ready; !w->vdso && i < m->done; i++)
		if (!memcmp(&m->files[i].is, &w->is, sizeof(w->is)) && !m->files[i].result.error)
			return &m->files[i];
	return NULL;
}

/*
 * Called under the lock: choose the file of the owner whose files took the least time so far.  So no user's
 * files keep the samples of other users waiting for their tables.
 */
static void choose_next(struct table_maker *m)
{
	struct table_file chosen;
	size_t best = m->done;

	for (size_t i = m->done + 1; i < m->nr; i++)
		if (budget_used(&m->budget, m->files[i].owner) < budget_used(&m->budget, m->files[best].owner))
			best = i;
	chosen = m->files[best];
	memmove(&m->files[m->done + 1], &m->files[m->done], (best - m->done) * sizeof(chosen));
	m->files[m->done] = chosen;
}

/* Called under the lock, which is released meanwhile */
static void do_next(struct table_maker *m)
{
	struct table_file w = m->files[m->done], same;
	const struct table_file *other = find_same(m, &w);
	const bool has_same = other;

	if (has_same)
		same = *other;
	pthread_mutex_unlock(&m->lock);
	w.result.file = w.id;
	if (has_same) {
		w.interpreter = same.interpreter;
		give_interpreter(m, &w);
	}
	if (!has_same || !give_same(m->device, &w, &same, &w.result))
		make_and_give(m, &w, &w.result);
	budget_took(&m->budget, w.owner, w.result.time_ns);
	if (w.fd >= 0)
		close(w.fd);
	w.fd = -1;
	pthread_mutex_lock(&m->lock);
	m->files[m->done++] = w;
	m->last_ns = now_ns();
}

static void *run(void *arg)
{
	struct table_maker *m = arg;

	pthread_mutex_lock(&m->lock);
	while (!m->over) {
		if (m->done < m->nr) {
			choose_next(m);
			do_next(m);
		} else {
			pthread_cond_wait(&m->changed, &m->lock);
		}
	}
	pthread_mutex_unlock(&m->lock);
	leave(m);
	return NULL;
}

/* ------------------------------------------------------------- the master */

/* The vdso is the kernel's */
static uid_t owner_of(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) ? st.st_uid : 0;
}

void tables_prepare(struct tables *t, int fd)
{
	struct table_file f = { .fd = fd, .vdso = fd < 0, .owner = owner_of(fd) };
	uint64_t begin = now_ns();

	if (make(&f, &f.ready) || grow(&t->ready, t->nr, &t->cap, sizeof(*t->ready))) {
		/* The thread tries again when the file is reported, and reports the error then */
		unwind_table_exit(&f.ready);
		return;
	}
	find_interpreter(&f, &f.interpreter);
	f.result.time_ns = now_ns() - begin;
	t->ready[t->nr++] = f;
}

/* Ask the module for the id of a prepared file.  Return: 0 or a negative errno */
static int number_of(int device, const struct table_file *f, uint64_t *id)
{
	void *at;
	int err;

	if (f->vdso)
		return device_number(device, (void *)getauxval(AT_SYSINFO_EHDR), id);
	at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, f->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	err = device_number(device, at, id);
	munmap(at, 1);
	return err;
}

/* Upload a prepared table.  Return: whether the module has it now */
static bool give_ready(struct table_maker *m, struct table_file *f)
{
	bool given = !number_of(m->device, f, &f->id);

	if (given) {
		f->result.file = f->id;
		give_interpreter(m, f);
		f->result.error = (uint32_t)-give(m->device, &f->ready, &f->result);
	}
	unwind_table_exit(&f->ready);
	/* The caller closes this descriptor.  The maker closes only its own */
	f->fd = -1;
	return given && !f->result.error;
}

/* Upload the prepared tables, and make them the first files of the maker */
static void give_all(struct tables *t, struct table_maker *m)
{
	for (size_t i = 0; i < t->nr; i++)
		if (give_ready(m, &t->ready[i]))
			t->ready[m->nr++] = t->ready[i];
	m->files = t->ready;
	m->cap = t->cap;
	m->done = m->nr_ready = m->nr;
	t->ready = NULL;
	t->nr = t->cap = 0;
}

void tables_start(struct tables *t, int device)
{
	struct table_maker *m = calloc(1, sizeof(*m));
	pthread_t thread;

	t->maker = NULL;
	if (!m)
		return;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->changed, NULL);
	/* A duplicate: the recording may end and close its descriptor while the thread works */
	m->device = fcntl(device, F_DUPFD_CLOEXEC, 0);
	if (m->device >= 0)
		give_all(t, m);
	if (m->device < 0 || thread_start(&thread, run, m)) {
		m->left = true;
		leave(m);
		return;
	}
	pthread_detach(thread);
	t->maker = m;
}

/* Called under the lock: was the table of this file prepared? */
static bool is_ready(const struct table_maker *m, uint64_t id)
{
	for (size_t i = 0; i < m->nr_ready; i++)
		if (m->files[i].id == id)
			return true;
	return false;
}

void tables_offer(struct tables *t, const struct profile_file *f, int fd, uid_t owner)
{
	struct table_maker *m = t->maker;
	struct table_file w = {
		.id = f->rec.id, .fd = -1, .owner = owner, .vdso = packed_is_vdso(f),
		.is = {
			.inode = f->rec.inode, .bytes = f->rec.bytes,
			.mtime_ns = f->rec.mtime_ns, .dev_major = f->rec.dev_major,
			.dev_minor = f->rec.dev_minor, .generation = f->rec.generation,
		},
	};

	if (!m)
		return;
	if (fd >= 0)
		w.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_lock(&m->lock);
	if (!is_ready(m, w.id) && !grow(&m->files, m->nr, &m->cap, sizeof(*m->files)))
		m->files[m->nr++] = w;
	else if (w.fd >= 0)
		close(w.fd);
	pthread_cond_signal(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

void tables_records(struct tables *t, const struct profile *p, struct records *to)
{
	struct table_maker *m = t->maker;

	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < m->done; i++)
		if (profile_has_file(p, m->files[i].id))
			records_unwind(to, &m->files[i].result);
	pthread_mutex_unlock(&m->lock);
}

uint64_t tables_last(struct tables *t)
{
	struct table_maker *m = t->maker;
	uint64_t last;

	if (!m)
		return 0;
	pthread_mutex_lock(&m->lock);
	last = m->done < m->nr ? 0 : m->last_ns;
	pthread_mutex_unlock(&m->lock);
	return last;
}

size_t tables_no_room(struct tables *t)
{
	struct table_maker *m = t->maker;
	size_t nr = 0;

	if (!m)
		return 0;
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < m->done; i++)
		nr += m->files[i].no_room;
	pthread_mutex_unlock(&m->lock);
	return nr;
}

void tables_stop(struct tables *t)
{
	struct table_maker *m = t->maker;

	for (size_t i = 0; i < t->nr; i++)
		unwind_table_exit(&t->ready[i].ready);
	free(t->ready);
	t->ready = NULL;
	t->nr = t->cap = 0;
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->over = true;
	pthread_cond_signal(&m->changed);
	pthread_mutex_unlock(&m->lock);
	leave(m);
	t->maker = NULL;
}
