// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate_find.c - finds the function that a name refers to
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "views/annotate.h"
#include "views/butterfly.h"

#define MOST_TOLD	12
#define KERNEL		"[kernel]"	/* as in the table of files */

static bool is_function(const struct frame *f)
{
	return f->kind != FRAME_COMM && f->kind != FRAME_ROOT && f->kind != FRAME_NOTE;
}

static const char *file_of(const struct frame *f)
{
	bool kernel = f->kind == FRAME_KERNEL || f->kind == FRAME_SOFTIRQ;

	return f->file ? f->file : kernel ? KERNEL : "[no file]";
}

/* Is @word "FILE:NAME" of this frame? */
static bool is_whole(const struct frame *f, const char *word)
{
	const char *file = file_of(f);
	size_t len = strlen(file);

	return !strncmp(word, file, len) && word[len] == ':' && !strcmp(word + len + 1, f->name);
}

static bool find_whole(const struct tree *t, const char *word, struct frame *out)
{
	for (uint32_t i = 1; i < t->nr_frames; i++)
		if (is_function(&t->frames[i]) && is_whole(&t->frames[i], word)) {
			*out = t->frames[i];
			return true;
		}
	return false;
}

static void tell(const struct frame *f)
{
	char *file = text_clean(file_of(f)), *name = text_clean(f->name);

	complain("  %s:%s", file ? file : "", name ? name : "");
	free(file);
	free(name);
}

/* Find up to @most frames with the name, in different files */
static size_t files_with(const struct tree *t, const char *name, const struct frame **found,
			 size_t most)
{
	size_t nr = 0;

	for (uint32_t i = 1; i < t->nr_frames && nr < most; i++) {
		const struct frame *f = &t->frames[i];
		size_t k = 0;

		if (!is_function(f) || strcmp(f->name, name))
			continue;
		while (k < nr && strcmp(file_of(found[k]), file_of(f)))
			k++;
		if (k == nr)
			found[nr++] = f;
	}
	return nr;
}

static int by_file(const void *a, const void *b)
{
	const struct frame *const *x = a, *const *y = b;

	return strcmp(file_of(*x), file_of(*y));
}

int annotate_find(const struct tree *t, const char *word, struct frame *out)
{
	const struct frame *found[MOST_TOLD];
	struct butterfly b;
	size_t nr;
	int err;

	if (find_whole(t, word, out))
		return 0;
	err = butterfly_find(&b, t, word);
	if (err)
		return err;
	nr = files_with(t, b.name, found, MOST_TOLD);
	butterfly_exit(&b);
	if (nr == 1) {
		*out = *found[0];
		return 0;
	}
	if (!nr) {
		complain("'%s' is no function: there is nothing to annotate", word);
		return -ENOENT;
	}
	qsort(found, nr, sizeof(*found), by_file);
	complain("'%s' is in several files; give one of them:", word);
	for (size_t i = 0; i < nr; i++)
		tell(found[i]);
	return -EINVAL;
}
