// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_perf_script.c - any bytes as the text of perf script: kflame convert --from perf-script
 *
 * Beyond not crashing: frames have names, and the folded stacks that are made of it have as many
 * samples.
 */
#include "cmd/commands.h"
#include "convert/perf_script_read.h"
#include "fuzz.h"
#include "stacks/folded.h"
#include "stacks/tree.h"

static const char *const formats[] = { "--to=pprof", "--to=speedscope", "--to=firefox", "--to=chrome",
	"--to=perf-script" };

#define NR_FORMATS	(sizeof(formats) / sizeof(formats[0]))

/* What was read, as folded stacks have it */
static int take(void *tree, const struct sample *s)
{
	MUST(s->nr >= 1);
	for (size_t i = 0; i < s->nr; i++)
		MUST(s->frames[i].name && s->frames[i].name[0]);
	return folded_add(tree, FOLDED_KERNEL, s->frames, s->nr, s->samples, s->ns);
}

/* Return: NULL where there is nothing to convert */
static struct tree *read_text(int fd)
{
	struct tree *t = tree_create();
	struct perf_script_result result;
	FILE *in = fdopen(dup(fd), "r");
	int err;

	MUST(t && in && !fseek(in, 0, SEEK_SET));
	err = perf_script_read(in, "bytes", NULL, take, t, &result);
	fclose(in);
	if (!err && tree_sum(t).samples)
		return t;
	tree_destroy(t);
	return NULL;
}

static void check_folded(const struct tree *t)
{
	struct tree *back = tree_create();
	struct folded_read read;
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	MUST(back && f && !folded_write(f, t, TREE_SAMPLES) && !fclose(f));
	f = fmemopen(text, size, "r");
	MUST(f && !folded_read(f, "what was written", back, &read) && !fclose(f));
	MUST(!read.bad && tree_sum(back).samples == tree_sum(t).samples);
	tree_destroy(back);
	free(text);
}

/* What it exits with is its own business: sums may be too large */
static void convert(const char *path, const char *to)
{
	char name[] = "kflame convert", from[] = "--from=perf-script", in[] = "-i";
	char o[] = "-o", nowhere[] = "/dev/null";
	char *argv[] = { name, from, in, (char *)path, o, nowhere, (char *)to, NULL };

	cmd_convert(7, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size);
	struct tree *t = read_text(fd);
	char path[FUZZ_PATH];

	fuzz_path(path, fd);
	if (t) {
		check_folded(t);
		/* One of them when searching, all when replaying */
		for (size_t i = 0; i < NR_FORMATS; i++)
			if (fuzz_replays || i == size % NR_FORMATS)
				convert(path, formats[i]);
	}
	tree_destroy(t);
	close(fd);
	return 0;
}
