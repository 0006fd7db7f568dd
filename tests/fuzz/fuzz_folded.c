// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_folded.c - any bytes as folded stacks: kflame flame --folded
 *
 * Beyond not crashing: what was read can be written and read again, and is the
 * same then, but for what has no place in a folded file.
 */
#include "cmd/commands.h"
#include "fuzz.h"
#include "stacks/folded.h"
#include "stacks/tree.h"

static int add_folded(void *ctx, const struct frame *frames, size_t nr, uint64_t samples, uint64_t ns)
{
	return folded_add(ctx, FOLDED_KINDS, frames, nr, samples, ns);
}

/* As 'kflame convert' reads what it is to write */
static struct tree *read_back(const char *text, size_t size)
{
	struct tree *t = tree_create();
	struct folded_read read = { 0 };
	FILE *f;

	MUST(t);
	if (!size)
		return t;
	f = fmemopen((void *)text, size, "r");
	MUST(f && !folded_each_stack(f, "bytes", add_folded, t, &read) && !fclose(f));
	MUST(!read.bad == !read.first_bad);
	return t;
}

static char *write_out(const struct tree *t, size_t *size)
{
	char *text;
	FILE *f = open_memstream(&text, size);

	MUST(f && !folded_write(f, t, TREE_SAMPLES) && !fclose(f));
	return text;
}

static void check_round_trip(const uint8_t *data, size_t size)
{
	struct tree *once = read_back((const char *)data, size), *twice;
	size_t len, len_twice;
	char *text = write_out(once, &len), *text_twice;

	twice = read_back(text, len);
	MUST(tree_sum(once).samples == tree_sum(twice).samples);
	text_twice = write_out(twice, &len_twice);
	tree_destroy(once);
	tree_destroy(twice);
	free(text_twice);
	free(text);
}

static void draw(char *path, const char *option)
{
	char name[] = "kflame flame", folded[] = "--folded", in[] = "-i";
	char out[] = "-o", nowhere[] = "/dev/null";
	char *argv[] = { name, folded, in, path, out, nowhere, (char *)option, NULL };

	cmd_flame(7, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size);
	char path[FUZZ_PATH];

	fuzz_path(path, fd);
	check_round_trip(data, size);
	draw(path, "--min-width=0");
	draw(path, "--idle");
	close(fd);
	return 0;
}
