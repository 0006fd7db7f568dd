// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * function_worker.c - name the functions of a file and write the answer; runs in a sandbox
 */
#include <stdio.h>
#include <string.h>

#include "elf/function_finder.h"
#include "elf/function_protocol.h"

struct teller {
	FILE *out;
	struct finder *finder;
	uint64_t left;		/* bytes of names that may still be written */
	uint32_t cut;		/* names that were cut */
	uint64_t named_to;	/* end of the last function */
};

static void say(struct teller *t, struct name_say s)
{
	fwrite(&s, sizeof(s), 1, t->out);
}

static void tell_function(struct teller *t, uint64_t start, uint64_t end, const char *name)
{
	size_t len = strnlen(name, NAME_MOST);
	char cut[NAME_CUT];

	/* Hostile unwind information can make functions without symbols overlap */
	if (start < t->named_to)
		start = t->named_to;
	/* Names may overlap in the file: a small file can have any number of symbols with long names */
	if (len > t->left && len > NAME_KEPT) {
		len = (size_t)snprintf(cut, sizeof(cut), "%.*s...[%#llx]", NAME_KEPT, name,
				       (unsigned long long)start);
		name = cut;
		t->cut++;
	} else {
		t->left -= len < t->left ? len : t->left;
	}
	say(t, (struct name_say){ NAME_SAY_FUNCTION, (uint32_t)len, start, end });
	fwrite(name, len, 1, t->out);
	t->named_to = end;
}

static void tell_place(struct teller *t, const struct name_place *p)
{
	uint64_t start, end;
	const char *name;

	if (p->leaf) {
		say(t, (struct name_say){ NAME_SAY_LEAF, finder_leaf(t->finder, p->at), p->at, 0 });
		return;
	}
	if (p->at < t->named_to)
		return;
	name = finder_find(t->finder, p->at, &start, &end);
	if (name && name[0])
		tell_function(t, start, end, name);
}

static void run(const struct sandbox_job *job)
{
	const struct name_question *q = job->question;
	struct teller t = { .out = fdopen(job->out, "w"), .left = NAME_BUDGET(q->nr) };
	uint64_t flags = 0;

	if (!t.out || finder_load(job->fds[0], job->nr_fds > 1 ? job->fds[1] : -1, q->base,
				     &t.finder))
		return;
	if (finder_packed(t.finder))
		flags |= NAME_STATE_PACKED;
	if (job->nr_fds == 1 && finder_partial(t.finder, q->places, q->nr))
		flags |= NAME_STATE_PARTIAL;
	say(&t, (struct name_say){ NAME_SAY_STATE, finder_state(t.finder), flags, 0 });
	for (uint64_t i = 0; i < q->nr; i++)
		tell_place(&t, &q->places[i]);
	say(&t, (struct name_say){ NAME_SAY_END, t.cut, 0, 0 });
	/* Free nothing: the process ends now */
	fflush(t.out);
}

const struct sandbox_work name_work = { .name = "names", .run = run };
