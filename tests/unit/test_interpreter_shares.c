// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_interpreter_shares.c - files of one user leave room for the interpreters of others
 *
 * The module is simulated: the linker replaces device_*() by what is here (--wrap).
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "record/interpreter_shares.h"
#include "record/table_feeder.h"

#define PYTHON	"/usr/bin/python3.11"
#define OWNER	1000
#define PREPARED 2
#define REPEATED 20

static _Atomic unsigned int uploads;
static uint64_t next_id;

int __wrap_device_interpreter(int fd, const struct kflame_interpreter *interpreter);
int __wrap_device_interpreter(int fd, const struct kflame_interpreter *interpreter)
{
	(void)fd;
	assert_int_equal(interpreter->size, sizeof(*interpreter));
	uploads++;
	return 0;
}

int __wrap_device_number(int fd, const void *address, uint64_t *id);
int __wrap_device_number(int fd, const void *address, uint64_t *id)
{
	(void)fd;
	(void)address;
	*id = ++next_id;
	return 0;
}

int __wrap_device_table(int fd, const struct kflame_table *table);
int __wrap_device_table(int fd, const struct kflame_table *table)
{
	(void)fd;
	(void)table;
	return 0;
}

/* Return: a copy of the file that belongs to OWNER, without a name */
static int copy_of_owner(const char *path)
{
	char name[] = "/tmp/kflame-test-XXXXXX", *buffer = malloc(1 << 20);
	int from = open(path, O_RDONLY | O_CLOEXEC), to = mkstemp(name);
	ssize_t n;

	assert_true(from >= 0 && to >= 0 && buffer);
	while ((n = read(from, buffer, 1 << 20)) > 0)
		assert_int_equal(write(to, buffer, (size_t)n), n);
	assert_int_equal(n, 0);
	assert_int_equal(fchown(to, OWNER, OWNER), 0);
	close(from);
	unlink(name);
	free(buffer);
	return to;
}

static struct profile *with_files(struct mk *m, unsigned int nr)
{
	mk_header(m);
	mk_session(m);
	for (unsigned int i = 1; i <= nr; i++)
		mk_file(m, i, PYTHON);
	mk_end(m);
	return mk_profile(m);
}

/* The file is compiled before the recording, twice; then it is reported again and again under other ids */
static void all_uploads_of_a_user_count(void **state)
{
	int fd, device = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct profile_file f = { .rec.inode = 7, .path = (char *)PYTHON };
	struct records all = { 0 };
	struct tables t = { 0 };
	struct mk m = { 0 };
	struct profile *p;
	(void)state;

	if (geteuid() || access(PYTHON, R_OK)) {
		print_message("needs root and " PYTHON "\n");
		close(device);
		skip();
	}
	p = with_files(&m, PREPARED + REPEATED);
	fd = copy_of_owner(PYTHON);
	for (int i = 0; i < PREPARED; i++)
		tables_prepare(&t, fd);
	tables_start(&t, device);
	assert_int_equal(uploads, PREPARED);
	for (int i = 0; i < REPEATED; i++) {
		f.rec.id = PREPARED + 1 + (uint64_t)i;
		tables_offer(&t, &f, fd, OWNER);
	}
	do {
		records_exit(&all);
		tables_records(&t, p, &all);
	} while (all.len < (PREPARED + REPEATED) * sizeof(struct kflame_rec_unwind));
	assert_int_equal(uploads, INTERPRETERS_OF_USER);
	tables_stop(&t);
	records_exit(&all);
	profile_destroy(p);
	mk_free(&m);
	close(fd);
	close(device);
}

static void root_has_all_the_room(void **state)
{
	struct interpreter_shares s = { 0 };
	(void)state;

	for (size_t i = 0; i < INTERPRETERS_OF_USER; i++) {
		assert_true(interpreter_shares_room(&s, OWNER));
		interpreter_shares_add(&s, OWNER);
	}
	assert_false(interpreter_shares_room(&s, OWNER));
	assert_true(interpreter_shares_room(&s, OWNER + 1));
	while (interpreter_shares_room(&s, 0))
		interpreter_shares_add(&s, 0);
	assert_int_equal(s.nr, KFLAME_MAX_INTERPRETERS);
	assert_false(interpreter_shares_room(&s, OWNER + 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_uploads_of_a_user_count), cmocka_unit_test(root_has_all_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
