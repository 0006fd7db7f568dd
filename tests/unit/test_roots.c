// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_roots.c - stacks below their cgroup, container, process or thread
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "mkprofile.h"
#include "stacks/container.h"
#include "stacks/open.h"
#include "stacks/stack_root.h"
#include "stacks/stacks.h"
#include "stacks/tree.h"
#include "views/info.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SHORT	"0123456789ab"

struct got {
	char text[4096];
	uint64_t samples, ns;
	struct tree *tree;
};

static int take(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	static const char kinds[] = { [FRAME_COMM] = 'c', [FRAME_NOTE] = 'n', [FRAME_ROOT] = 'r' };
	struct got *g = ctx;
	size_t len = strlen(g->text);

	for (size_t i = 0; i < nr; i++)
		len += (size_t)snprintf(g->text + len, sizeof(g->text) - len, "%s%c:%s",
					i ? ";" : "", kinds[frames[i].kind], frames[i].name);
	snprintf(g->text + len, sizeof(g->text) - len, " %llu %llu\n",
		 (unsigned long long)samples, (unsigned long long)ns);
	g->samples += samples;
	g->ns += ns;
	return tree_add(g->tree, frames, nr, samples, ns);
}

static void put_aspace(struct mk *m, uint64_t id, uint64_t cgroup)
{
	struct kflame_rec_aspace a = { .rec.type = KFLAME_REC_ASPACE, .id = id, .tgid = 100,
				       .cgroup_id = cgroup };

	records_add(&m->r, &a, sizeof(a), NULL, 0);
}

/* In two cgroups, one that is gone, one that is not known; a kernel thread, idle, a gap */
static void make(struct mk *m, bool tids, bool tool)
{
	static const struct kflame_rec_count counts[] = {
		{ .aspace = 1, .samples = 1, .weight_ns = 10, .tgid = 100, .tid = 101, .comm = "a" },
		{ .aspace = 2, .samples = 2, .weight_ns = 20, .tgid = 200, .tid = 200, .comm = "b" },
		{ .aspace = 3, .samples = 4, .weight_ns = 40, .tgid = 100, .tid = 102, .comm = "c" },
		{ .aspace = 4, .samples = 8, .weight_ns = 80, .tgid = 300, .tid = 300, .comm = "d" },
		{ .samples = 16, .weight_ns = 160, .tgid = 2, .tid = 2, .comm = "kthreadd" },
		{ .context = KFLAME_CTX_IDLE, .samples = 32, .weight_ns = 320, .comm = "swapper/0" },
		{ .context = KFLAME_CTX_GAP, .samples = 64, .weight_ns = 640 },
		{ .aspace = 1, .context = KFLAME_CTX_SOFTIRQ, .samples = 128, .weight_ns = 1280,
		  .late_ns = 80, .tgid = 100, .tid = 101, .comm = "[idle]" },
	};

	mk_header(m);
	mk_session(m);
	put_aspace(m, 1, 11);
	put_aspace(m, 2, 22);
	put_aspace(m, 3, 33);
	put_aspace(m, 4, 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct kflame_rec_count c = counts[i];

		c.tid = tids ? c.tid : 0;
		mk_count_rec(m, c);
	}
	records_cgroup(&m->r, 11, "/wrong");
	records_cgroup(&m->r, 22, "/system.slice/docker-" ID ".scope");
	records_cgroup(&m->r, 11, "/user.slice");
	if (tool)
		records_host(&m->r, "tool=1", 7);
	mk_end(m);
}

static void check(enum stack_root by, bool tids, bool tool, const char *expected)
{
	struct got got = { .tree = tree_create() };
	struct profile *p;
	struct mk m = { 0 };

	make(&m, tids, tool);
	p = mk_profile(&m);
	assert_int_equal(p->damaged, 0);
	assert_int_equal(p->unknown, 0);
	assert_int_equal(profile_show(p, &(struct naming){ .root = by }), 0);
	assert_int_equal(profile_each_stack(p, take, &got), 0);
	assert_string_equal(got.text, expected);
	assert_int_equal(got.samples, p->samples);
	assert_int_equal(got.ns, p->weight_ns);
	/* idle is idle, whatever a thread is called */
	assert_int_equal(tree_idle(got.tree).samples, 32);
	tree_drop_idle(got.tree);
	assert_int_equal(tree_sum(got.tree).samples, p->samples - 32);
	tree_destroy(got.tree);
	profile_destroy(p);
	mk_free(&m);
}

static void by_cgroup(void **state)
{
	(void)state;
	check(STACK_ROOT_CGROUP, true, true,
	      "r:/user.slice;c:a 1 10\n"
	      "r:/system.slice/docker-" ID ".scope;c:b 2 20\n"
	      "r:[cgroup 33: gone];c:c 4 40\n"
	      "r:[cgroup unknown];c:d 8 80\n"
	      "r:[no address space];c:kthreadd 16 160\n"
	      "c:swapper;n:[idle] 32 320\n"
	      "n:[gap] 64 640\n"
	      "r:/user.slice;c:[idle] 128 1200\n"
	      "r:/user.slice;c:[idle];n:[late: irqs off or stolen] 0 80\n");
	check(STACK_ROOT_CONTAINER, true, false,
	      "r:/user.slice;c:a 1 10\n"
	      "r:" SHORT ";c:b 2 20\n"
	      "r:[cgroup 33: not named];c:c 4 40\n"
	      "r:[cgroup unknown];c:d 8 80\n"
	      "r:[no address space];c:kthreadd 16 160\n"
	      "c:swapper;n:[idle] 32 320\n"
	      "n:[gap] 64 640\n"
	      "r:/user.slice;c:[idle] 128 1200\n"
	      "r:/user.slice;c:[idle];n:[late: irqs off or stolen] 0 80\n");
}

static void by_process(void **state)
{
	(void)state;
	check(STACK_ROOT_PID, true, true,
	      "r:pid 100;c:a 1 10\n"
	      "r:pid 200;c:b 2 20\n"
	      "r:pid 100;c:c 4 40\n"
	      "r:pid 300;c:d 8 80\n"
	      "r:pid 2;c:kthreadd 16 160\n"
	      "c:swapper;n:[idle] 32 320\n"
	      "n:[gap] 64 640\n"
	      "r:pid 100;c:[idle] 128 1200\n"
	      "r:pid 100;c:[idle];n:[late: irqs off or stolen] 0 80\n");
	check(STACK_ROOT_TID, true, true,
	      "r:pid 100 tid 101;c:a 1 10\n"
	      "r:pid 200 tid 200;c:b 2 20\n"
	      "r:pid 100 tid 102;c:c 4 40\n"
	      "r:pid 300 tid 300;c:d 8 80\n"
	      "r:pid 2 tid 2;c:kthreadd 16 160\n"
	      "c:swapper;n:[idle] 32 320\n"
	      "n:[gap] 64 640\n"
	      "r:pid 100 tid 101;c:[idle] 128 1200\n"
	      "r:pid 100 tid 101;c:[idle];n:[late: irqs off or stolen] 0 80\n");
}

/* What is the same but for its CPU is one count, unless CPUs are asked for */
static void by_cpu(void **state)
{
	static const struct naming cpus = { .root = STACK_ROOT_CPU }, none;
	struct got got = { .tree = tree_create() }, plain = { .tree = tree_create() };
	char path[] = "/tmp/kflame-test-XXXXXX";
	int fd = mkstemp(path);
	struct profile *p;
	struct mk m = { 0 };

	(void)state;
	mk_header(&m);
	mk_session(&m);
	for (uint32_t cpu = 0; cpu < 300; cpu += 100)
		mk_count_rec(&m, (struct kflame_rec_count){ .cpu = cpu, .samples = 1 + cpu,
							    .weight_ns = 10, .tgid = 1, .comm = "a" });
	mk_end(&m);
	assert_int_equal(write(fd, m.r.data, m.r.len), m.r.len);
	close(fd);
	p = open_profile(path, &cpus);
	assert_non_null(p);
	assert_int_equal(profile_each_stack(p, take, &got), 0);
	assert_string_equal(got.text, "r:CPU 0;c:a 1 10\nr:CPU 100;c:a 101 10\nr:CPU 200;c:a 201 10\n");
	profile_destroy(p);
	p = open_profile(path, &none);
	assert_non_null(p);
	assert_int_equal(profile_each_stack(p, take, &plain), 0);
	assert_string_equal(plain.text, "c:a 303 30\n");
	profile_destroy(p);
	unlink(path);
	tree_destroy(got.tree);
	tree_destroy(plain.tree);
	mk_free(&m);
}

/* Without, nothing is before the thread; and threads that were not recorded separately are not made up */
static void not_asked_for(void **state)
{
	(void)state;
	check(STACK_ROOT_NONE, true, true,
	      "c:a 1 10\nc:b 2 20\nc:c 4 40\nc:d 8 80\nc:kthreadd 16 160\nc:swapper;n:[idle] 32 320\n"
	      "n:[gap] 64 640\nc:[idle] 128 1200\nc:[idle];n:[late: irqs off or stolen] 0 80\n");
	check(STACK_ROOT_TID, false, true,
	      "r:pid 100;c:a 1 10\nr:pid 200;c:b 2 20\nr:pid 100;c:c 4 40\nr:pid 300;c:d 8 80\n"
	      "r:pid 2;c:kthreadd 16 160\nc:swapper;n:[idle] 32 320\nn:[gap] 64 640\n"
	      "r:pid 100;c:[idle] 128 1200\nr:pid 100;c:[idle];n:[late: irqs off or stolen] 0 80\n");
}

static void containers(void **state)
{
	static const char *const names[][2] = {
		{ "/system.slice/docker-" ID ".scope", SHORT },
		{ "/docker/" ID, SHORT },
		{ "/docker/" ID "/system.slice/nginx.service", SHORT },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice/"
		  "cri-containerd-" ID ".scope", SHORT },
		{ "/kubepods/besteffort/pod12-34/" ID, SHORT },
		{ "/machine.slice/libpod-" ID ".scope/container", SHORT },
		{ "/libpod_parent/libpod-" ID, SHORT },
		{ "/kubepods.slice/crio-" ID ".scope", SHORT },
		{ "/lxc.payload.web", "web" },
		{ "/lxc.payload.web/docker-" ID ".scope", SHORT },
		{ "/docker/" ID "/lxc.payload.inner/x", "inner" },
		{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt", "qemu-1-vm" },
		{ "/machine.slice/machine-a\\x00\\x2.scope", "a\\x00\\x2" },
		/* no containers */
		{ "/", "/" }, { "", "" }, { "a", "a" }, { "//", "//" },
		{ "/machine.slice/libpod-conmon-" ID ".scope", "/machine.slice/libpod-conmon-" ID ".scope" },
		{ "/x/docker-0123456789abcdef.scope", "/x/docker-0123456789abcdef.scope" },
		{ "/x/docker" ID ".scope", "/x/docker" ID ".scope" },
		{ "/x/foo-" ID, "/x/foo-" ID },
		{ "/x/" ID "0", "/x/" ID "0" },
		{ "/lxc.payload.", "/lxc.payload." }, { "/machine-.scope", "/machine-.scope" },
		{ "/user.slice/user-0.slice", "/user.slice/user-0.slice" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *name = container_name(names[i][0]);

		assert_non_null(name);
		assert_string_equal(name, names[i][1]);
		free(name);
	}
}

/* One byte after the other is looked at with care */
static void damaged(void **state)
{
	static const struct {
		uint64_t id;
		uint32_t len;
		const char *text;
		size_t bytes;
	} bad[] = {
		{ 0, 2, "/a", 3 }, { 1, 0, "/a", 3 }, { 1, 2, "aa", 3 }, { 1, 1, "/a", 3 },
		{ 1, 3, "/\0a", 4 }, { 1, 8, "/2345678", 8 }, { 1, ~0u, "/a", 3 }, { 1, 0, "", 0 },
		{ 1, 900, "/a", 3 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kflame_rec_cgroup c = { .rec.type = KFLAME_REC_CGROUP, .id = bad[i].id,
					       .path_len = bad[i].len };
		struct mk m = { 0 };
		struct profile *p;

		mk_header(&m);
		records_add(&m.r, &c, offsetof(struct kflame_rec_cgroup, path), bad[i].text,
			    bad[i].bytes);
		mk_end(&m);
		p = mk_profile(&m);
		assert_int_equal(p->damaged, 1);
		assert_int_equal(p->nr_cgroups, 0);
		assert_null(profile_cgroup(p, bad[i].id));
		profile_destroy(p);
		mk_free(&m);
	}
}

/* Most first; not at all where there is one only */
static void info(void **state)
{
	struct mk m = { 0 };
	struct profile *p;
	char *text = NULL;
	size_t len;
	FILE *out;
	(void)state;

	make(&m, false, true);
	p = mk_profile(&m);
	out = open_memstream(&text, &len);
	assert_int_equal(info_print_cgroups(out, p), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strchr(text + 1, '\n'));
	assert_string_equal(strchr(text + 1, '\n'), "\n             129  /user.slice\n"
			    "               8  [cgroup unknown]\n"
			    "               4  [cgroup 33: gone]\n"
			    "               2  /system.slice/docker-" ID ".scope\n");
	free(text);
	p->nr_counts = 1;
	out = open_memstream(&text, &len);
	assert_int_equal(info_print_cgroups(out, p), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "");
	free(text);
	profile_destroy(p);
	mk_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_cgroup),
		cmocka_unit_test(by_process),
		cmocka_unit_test(by_cpu),
		cmocka_unit_test(not_asked_for),
		cmocka_unit_test(containers),
		cmocka_unit_test(damaged),
		cmocka_unit_test(info),
	};

	return cmocka_run_group_tests_name("roots", tests, NULL, NULL);
}
