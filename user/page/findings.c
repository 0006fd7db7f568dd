// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * findings.c - the list of what is unusual in a recording
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "page/page.h"

int findings_add(struct findings *f, const struct finding *found, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	if (grow(&f->all, f->nr, &f->cap, sizeof(*f->all)))
		return -ENOMEM;
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	f->all[f->nr] = *found;
	f->all[f->nr++].text = text;
	return 0;
}

static int by_weight(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->text, y->text);
}

void findings_sort(struct findings *f)
{
	if (f->nr)
		qsort(f->all, f->nr, sizeof(*f->all), by_weight);
}

void findings_exit(struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->all[i].text);
	free(f->all);
	*f = (struct findings){ .all = NULL };
}

int finding_set_path(struct finding *f, const struct page_event *e, const struct tree *t, uint32_t node)
{
	uint64_t *hashes = path_hashes(t);

	if (!hashes)
		return -ENOMEM;
	path_id_text(f->id, e->e->kind, hashes[node]);
	free(hashes);
	return 0;
}

const char *finding_key(enum finding_kind kind)
{
	static const char *const keys[NR_FINDINGS] = {
		[FINDING_INCOMPLETE] = "incomplete", [FINDING_LOST] = "lost", [FINDING_NO_NAMES] = "no-names",
		[FINDING_OWN] = "own",
		[FINDING_GAP] = "gap", [FINDING_LATE] = "late", [FINDING_INTERRUPTS] = "interrupts",
		[FINDING_INVERSION] = "priority-inversion", [FINDING_LOCK] = "lock", [FINDING_SPIN] = "spin",
		[FINDING_SWAP] = "swap", [FINDING_RECLAIM] = "reclaim", [FINDING_COMPACTION] = "compaction",
		[FINDING_IO_WAIT] = "io-wait", [FINDING_D_STATE] = "d-state", [FINDING_STOPPED] = "stopped",
		[FINDING_RUN_QUEUE] = "run-queue", [FINDING_PROCESSES] = "short-processes", [FINDING_FORK] = "fork",
		[FINDING_PAGE_FAULTS] = "page-faults", [FINDING_SYSTEM_CALL] = "system-call",
		[FINDING_OTHER_CPUS] = "other-cpus", [FINDING_CONSOLE] = "console",
		[FINDING_SWITCHES] = "switches", [FINDING_GUEST] = "guest", [FINDING_BUSY] = "busy",
	};

	return keys[kind];
}

const char *finding_word(const struct finding *f, size_t i)
{
	const char *word = i < FINDING_WORDS ? f->command[i] : NULL;

	if (word && !strcmp(word, "@"))
		return f->id;
	return word && !strcmp(word, "#") ? f->number : word;
}
