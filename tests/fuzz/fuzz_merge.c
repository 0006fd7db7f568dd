// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_merge.c - any bytes as a profile that is added up with itself
 *
 * The sum has all samples and all time, of each event and each name of a stack.  What is written is read again, and
 * is the same.
 */
#include <errno.h>

#include "fuzz.h"
#include "profile/merge.h"
#include "stacks/load.h"
#include "stacks/open.h"
#include "stacks/stacks.h"

struct sums {
	uint64_t samples, ns, names;
};

/* The sum over hashes of stacks: it depends on names, files and kinds, and not on the order */
static int take_stack(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	struct sums *s = ctx;
	uint64_t hash = 0;

	for (size_t i = 0; i < nr; i++) {
		hash = hash_bytes(hash_u64(hash, frames[i].kind), frames[i].name, strlen(frames[i].name));
		if (frames[i].file)
			hash = hash_bytes(hash, frames[i].file, strlen(frames[i].file));
	}
	s->samples += samples;
	s->ns += ns;
	s->names += hash * (samples + 3 * ns);
	return 0;
}

static struct sums sums_of(struct profile *p)
{
	static const struct naming naming = { .every_event = true, .mangled = true };
	struct sums s = { 0 };

	MUST(!profile_show(p, &naming));
	MUST(!profile_each_stack(p, take_stack, &s));
	return s;
}

/* A return address of 0 has no byte before it.  In the sum it is another address, which has one. */
static bool has_zero_caller(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_stacks; i++)
		for (uint32_t k = 1; k < p->stacks[i].nr; k++)
			if (!profile_stack_ip(&p->stacks[i], k))
				return true;
	return false;
}

static struct profile *merged(const struct profile *p)
{
	const struct merge_how how = { .no_runs = p->bytes % 2, .window_ns = p->bytes % 4 ? 0 : 1000000000 };
	struct merge *m = merge_create(&how);
	int err;

	MUST(m);
	err = merge_add(m, p, "once");
	if (!err)
		err = merge_add(m, p, "twice");
	MUST(!err || err == -EOVERFLOW || err == -EINVAL);
	if (!err)
		return merge_finish(m);
	merge_destroy(m);
	return NULL;
}

static void check_written(struct profile *sum)
{
	struct profile *again = profile_create();
	char *bytes;
	size_t size;
	FILE *f = open_memstream(&bytes, &size);

	MUST(again && f && !profile_write(f, sum) && !fclose(f));
	MUST(!profile_feed(again, bytes, size) && !profile_finish(again));
	MUST(again->state == PROFILE_WHOLE && !again->damaged && !again->unknown);
	MUST(again->samples == sum->samples && again->weight_ns == sum->weight_ns && again->late_ns == sum->late_ns);
	MUST(again->nr_counts == sum->nr_counts && again->nr_stacks == sum->nr_stacks);
	MUST(again->nr_files == sum->nr_files && again->nr_origins == sum->nr_origins);
	MUST(again->nr_events == sum->nr_events && again->nr_cpus == sum->nr_cpus);
	MUST(sums_of(again).names == sums_of(sum).names);
	profile_destroy(again);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct naming every_event = { .every_event = true };
	int fd = fuzz_file(data, size);
	struct profile *p, *sum;
	char path[FUZZ_PATH];

	fuzz_path(path, fd);
	p = open_profile(path, &every_event);
	sum = p ? merged(p) : NULL;
	if (sum) {
		MUST(sum->samples == 2 * p->samples && sum->weight_ns == 2 * p->weight_ns);
		MUST(sum->late_ns == 2 * p->late_ns);
		MUST(has_zero_caller(p) || sums_of(sum).names == 2 * sums_of(p).names);
		check_written(sum);
	}
	profile_destroy(sum);
	profile_destroy(p);
	close(fd);
	return 0;
}
