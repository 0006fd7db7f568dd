// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_labels.c - what samples are about: the records, the views, and whole paths of files
 */
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
#include "record/mount_points.h"
#include "run_command.h"

#define CODE	0xffffffff81000000ull
#define LABEL(id) (KFLAME_LABEL | (id))
#define EVENT	1

enum { VFS_READ, KSYS_READ, ENTRY };

static const char *const functions[] = { "vfs_read", "ksys_read", "entry", NULL };

/* As the module records it: the function, which has returned, and its callers */
static void put_stack(struct mk *m, uint64_t id, uint64_t label)
{
	const uint64_t ips[] = { label, CODE + 1, CODE + 0x110, CODE + 0x210 };

	mk_stack(m, id, KFLAME_STACK_KERNEL, ips, 4);
}

static void put_label(struct mk *m, uint32_t id, uint32_t major, uint32_t root_len, const char *text)
{
	struct kflame_rec_label l = {
		.rec.type = KFLAME_REC_LABEL, .id = id, .kind = KFLAME_LABEL_FILE, .dev_major = major, .dev_minor = 1,
		.root_len = root_len, .text_len = (uint32_t)strlen(text),
	};

	records_add(&m->r, &l, offsetof(struct kflame_rec_label, text), text, strlen(text) + 1);
}

static void head(struct mk *m)
{
	struct kflame_rec_event e = {
		.rec.type = KFLAME_REC_EVENT, .id = EVENT, .unit = KFLAME_UNIT_VALUE, .kind = KFLAME_EVENT_KRETPROBE,
		.name = "kretprobe:vfs_read",
	};

	mk_header(m);
	mk_session(m);
	records_add(&m->r, &e, sizeof(e), NULL, 0);
}

static void put_bytes(struct mk *m, uint64_t kstack, uint64_t bytes)
{
	mk_event_counts(m, EVENT, 0, &(struct kflame_event_count){ .weight = bytes, .samples = 1, .kstack = kstack }, 1);
}

static void finish(struct mk *m, uint64_t counted, uint64_t bytes)
{
	mk_event_sums(m, EVENT, counted, bytes, 0, 0);
	mk_functions(m, CODE, functions);
	mk_end(m);
	assert_false(m->r.failed);
}

static void make(const char *path)
{
	const struct kflame_like like = { .ip = LABEL(2), .number = 2, .like = 1 };
	struct mk m = { 0 };

	head(&m);
	put_label(&m, 1, 8, 0, "/etc/fstab");
	put_stack(&m, 1, LABEL(1));
	mk_likes(&m, 0, &like, 1);
	/* The later record counts. */
	records_label(&m.r, 1, "/mnt/etc/fstab");
	put_bytes(&m, 1, 100);
	put_bytes(&m, 2, 30);
	/* A label may come after the stacks that name it. */
	put_label(&m, 2, 0, 2, "/b/a\n;\x1b[1m");
	/* Without a kernel stack, and without a label */
	mk_stack(&m, 3, KFLAME_STACK_KERNEL, (uint64_t[]){ LABEL(1) }, 1);
	mk_stack(&m, 4, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE, CODE + 0x110 }, 2);
	put_bytes(&m, 3, 5);
	put_bytes(&m, 4, 7);
	finish(&m, 4, 142);
	write_file(path, m.r.data, m.r.len);
	mk_free(&m);
}

static int setup(void **state)
{
	*state = NULL;
	enter_scratch();
	make("kflame.data");
	return 0;
}

static void labels_are_no_frames(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "-o out"), 0);
	assert_out("out", "task 5\n"
		   "task;entry;ksys_read;vfs_read 130\n"
		   "task;ksys_read;vfs_read 7\n");
}

static void as_the_leaf_or_the_root(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_fold, "--labels -o out"), 0);
	assert_has("out", "task;/mnt/etc/fstab 5\n", true);
	assert_has("out", "task;entry;ksys_read;vfs_read;/mnt/etc/fstab 100\n", true);
	assert_has("out", "task;entry;ksys_read;vfs_read;[0:1]/b/a?:?[1m 30\n", true);
	assert_has("out", "task;ksys_read;vfs_read 7\n", true);
	assert_int_equal(run(cmd_fold, "--root file -o out"), 0);
	assert_has("out", "/mnt/etc/fstab;task;entry;ksys_read;vfs_read 100\n", true);
	assert_has("out", "[no label];task;ksys_read;vfs_read 7\n", true);
	assert_int_equal(run(cmd_flame, "--labels -o out.svg"), 0);
	assert_has("out.svg", "<title>/mnt/etc/fstab\n", true);
	assert_has("out.svg", "\x1b", false);
}

static void a_report_lists_files(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_report, "-o out"), 0);
	assert_has("out", "What it is about\n", true);
	assert_has("out", " 73.94%", true);
	assert_has("out", "105  /mnt/etc/fstab\n", true);
	assert_has("out", "\x1b", false);
	assert_int_equal(run(cmd_report, "--by label --json -o out"), 0);
	assert_int_equal(system("python3 -m json.tool out >tool.json"), 0);
	assert_has("out", "\"by_label\":", true);
}

static void merged(void **state)
{
	(void)state;
	assert_int_equal(run(cmd_merge, "kflame.data kflame.data -o sum"), 0);
	assert_int_equal(run(cmd_fold, "-i sum --labels -o out"), 0);
	assert_has("out", "task;entry;ksys_read;vfs_read;/mnt/etc/fstab 200\n", true);
	assert_has("out", "vfs_read;[0:1]/b/a?:?[1m 60\n", true);
	assert_has("out", "task;/mnt/etc/fstab 10\n", true);
}

static void without_labels(void **state)
{
	struct mk m = { 0 };

	(void)state;
	head(&m);
	mk_stack(&m, 4, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE, CODE + 0x110 }, 2);
	put_bytes(&m, 4, 7);
	finish(&m, 1, 7);
	write_file("none", m.r.data, m.r.len);
	mk_free(&m);
	assert_int_equal(run(cmd_report, "-i none --by label -o out"), 0);
	assert_has("out", "No table by label: the profile does not say what its samples are about", true);
	assert_int_equal(run(cmd_fold, "-i none --labels -o out"), 0);
	assert_has("said", "none does not say what these samples are about: record with --file-io", true);
	assert_int_equal(run(cmd_report, "-i none -o out"), 0);
	assert_has("out", "about", false);
}

/* A label that is not there, and stacks that share callers with a stack of another sort */
static void hostile(void **state)
{
	const struct kflame_like likes[] = {
		{ .ip = CODE + 0x10, .number = 2, .like = 1 }, { .ip = LABEL(9), .number = 4, .like = 3 },
		{ .ip = LABEL(7), .number = 5, .like = 2 },
	};
	struct kflame_rec_label l = { .rec.type = KFLAME_REC_LABEL, .id = 1, .kind = 9, .text_len = 1 };
	struct mk m = { 0 };
	struct profile *p;

	(void)state;
	head(&m);
	put_stack(&m, 1, LABEL(9));
	mk_stack(&m, 3, KFLAME_STACK_KERNEL, (uint64_t[]){ CODE, CODE + 0x110 }, 2);
	mk_stack(&m, 6, KFLAME_STACK_KERNEL, (uint64_t[]){ LABEL(9), 0 }, 2);
	mk_stack_full(&m, 7, KFLAME_STACK_KERNEL, 0, 0, (uint64_t[]){ LABEL(9), LABEL(9), CODE }, 3);
	mk_likes(&m, 0, likes, 3);
	put_label(&m, 7, 1, 0, "/seven");
	/* Malformed: no id, no text, a root that is longer, an unknown kind */
	put_label(&m, 0, 1, 0, "/x");
	put_label(&m, 1, 1, 0, "");
	put_label(&m, 1, 1, 3, "/x");
	records_add(&m.r, &l, sizeof(l), "x", 2);
	for (uint64_t i = 1; i <= 7; i++)
		put_bytes(&m, i, 1);
	finish(&m, 7, 7);
	write_file("hostile", m.r.data, m.r.len);
	p = mk_profile(&m);
	mk_free(&m);
	assert_non_null(p);
	assert_int_equal(p->damaged, 4);
	assert_int_equal(p->lost_stacks, 0);
	profile_destroy(p);
	run(cmd_fold, "-i hostile --labels -o out");
	assert_has("out", "task;entry;ksys_read;vfs_read;[damaged: label] 1\n", true);
	assert_has("out", "task;entry;ksys_read;vfs_read;vfs_read 1\n", true);
	assert_has("out", "task;ksys_read;[damaged: label] 1\n", true);
	assert_has("out", "task;entry;ksys_read;vfs_read;[1:1]/seven 1\n", true);
	run(cmd_merge, "hostile hostile -o sum");
	run(cmd_fold, "-i sum --labels -o out");
	assert_has("out", "task;entry;ksys_read;vfs_read;[1:1]/seven 2\n", true);
	assert_has("out", "task;entry;ksys_read;vfs_read;vfs_read 2\n", true);
}

/* ------------------------------------------------------------- whole paths */

static void expect(const struct mount_points *m, const struct mount_points *others, uint32_t major, uint32_t minor,
		   const char *name, uint32_t root_len, const char *expected)
{
	char text[64];
	const struct profile_label l = {
		.kind = KFLAME_LABEL_FILE, .dev_major = major, .dev_minor = minor, .root_len = root_len, .name = text,
		.path = text,
	};
	char *path;

	strcpy(text, name);
	path = mount_points_path(m, others, &l);
	if (expected)
		assert_string_equal(path, expected);
	else
		assert_null(path);
	free(path);
}

static void mount_points(void **state)
{
	static const char one[] = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"23 22 0:5 / /dev rw - devtmpfs dev rw\n"
		"24 22 8:1 /srv/a\\040b /mnt/with\\134and\\012 rw - ext4 /dev/sda1 rw\n"
		"25 22 8:1 / /again rw - ext4 /dev/sda1 rw\n"
		"26 22 0:40 / /gone rw - tmpfs none rw\n"
		"27 22 8:2 / /usb rw - ext4 /dev/sdb rw\n"
		"a line that is none\n28 22 8:3\n";
	static const char two[] = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:5 / /dev rw - devtmpfs dev rw\n"
		"28 22 0:40 / /came rw - tmpfs none rw\n";
	struct mount_points m = { 0 }, others = { 0 };

	(void)state;
	write_file("one", one, strlen(one));
	write_file("two", two, strlen(two));
	assert_int_equal(mount_points_add(&m, "one"), 0);
	assert_int_equal(mount_points_add(&others, "two"), 0);
	assert_int_equal(mount_points_add(&others, "three"), 0);
	assert_int_equal(m.nr, 6);
	expect(&m, &others, 8, 1, "/etc/fstab", 0, "/etc/fstab");
	expect(&m, &others, 8, 1, "/srv/a b/c", 8, "/mnt/with\\and\n/c");
	expect(&m, &others, 8, 1, "/srv/other/c", 10, NULL);
	expect(&m, &others, 0, 5, "/zero", 0, "/dev/zero");
	expect(&m, &others, 0, 6, "/zero", 0, NULL);
	/* Two file systems had this number, one after the other. */
	expect(&m, &others, 0, 40, "/x", 0, NULL);
	expect(&others, &m, 0, 40, "/x", 0, NULL);
	expect(&m, &others, 8, 2, "/x", 0, "/usb/x");
	expect(&m, &others, 8, 1, ".../x", KFLAME_LABEL_NO_ROOT, NULL);
	mount_points_exit(&m);
	mount_points_exit(&others);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_no_frames),
		cmocka_unit_test(as_the_leaf_or_the_root),
		cmocka_unit_test(a_report_lists_files),
		cmocka_unit_test(merged),
		cmocka_unit_test(without_labels),
		cmocka_unit_test(hostile),
		cmocka_unit_test(mount_points),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
