// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source_client.c - read and check the answer of the sandbox that reads debug data
 *
 * A hostile file may have taken over the sandbox, so this checks each number in the answer.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/source_protocol.h"
#include "sandbox/answer.h"

#define MAX_TEXTS	(256u << 20)	/* bytes of all texts of a file */

struct listener {
	const struct source_taker *taker;
	struct answer answer;
	uint32_t *texts;	/* the taker's id of each text, by the sandbox's id less 1 */
	size_t nr_texts, cap_texts;
	size_t bytes;		/* of all texts */
	size_t nr;		/* addresses in the question */
	size_t next;		/* lowest index that the next SOURCE_SAY_PLACE may have */
};

static int take_text(struct listener *l, const struct source_say *say)
{
	const char *text;
	int err = -EIO;

	if (!say->nr || say->nr > SOURCE_TEXT || say->nr > MAX_TEXTS - l->bytes)
		return -EIO;
	text = answer_read(&l->answer, say->nr, &err);
	if (!text)
		return err;
	if (memchr(text, 0, say->nr))
		return -EIO;
	l->bytes += say->nr;
	err = grow(&l->texts, l->nr_texts, &l->cap_texts, sizeof(*l->texts));
	if (err)
		return err;
	l->texts[l->nr_texts] = l->taker->text(l->taker->ctx, text, say->nr);
	return l->texts[l->nr_texts++] ? 0 : -ENOMEM;
}

static bool translate(const struct listener *l, uint32_t *text)
{
	if (*text > l->nr_texts)
		return false;
	*text = *text ? l->texts[*text - 1] : 0;
	return true;
}

static int take_place(struct listener *l, const struct source_say *say)
{
	struct source_level levels[SOURCES_MAX_LEVELS];
	const void *bytes;
	int err = -EIO;

	if (!say->nr || say->nr > SOURCES_MAX_LEVELS || say->place < l->next ||
	    say->place >= l->nr)
		return -EIO;
	bytes = answer_read(&l->answer, say->nr * sizeof(*levels), &err);
	if (!bytes)
		return err;
	memcpy(levels, bytes, say->nr * sizeof(*levels));
	for (uint32_t i = 0; i < say->nr; i++)
		if (!translate(l, &levels[i].function) || !translate(l, &levels[i].source))
			return -EIO;
	l->taker->place(l->taker->ctx, say->place, levels, say->nr);
	l->next = say->place + 1;
	return 0;
}

static int listen_to(struct listener *l)
{
	int err = 0;

	while (!err) {
		const struct source_say *bytes = answer_read(&l->answer, sizeof(struct source_say), &err);
		struct source_say say;

		if (!bytes)
			break;
		memcpy(&say, bytes, sizeof(say));
		if (say.what == SOURCE_SAY_END && say.nr && l->taker->packed)
			l->taker->packed(l->taker->ctx);
		if (say.what == SOURCE_SAY_END)
			return 0;
		if (say.what == SOURCE_SAY_TEXT)
			err = take_text(l, &say);
		else
			err = say.what == SOURCE_SAY_PLACE ? take_place(l, &say) : -EIO;
	}
	return err;
}

int source_hear(struct sandbox *child, size_t nr, const struct source_taker *taker)
{
	struct listener l = { .taker = taker, .nr = nr };
	int err = answer_begin(&l.answer, child);

	if (!err)
		err = listen_to(&l);
	answer_end(&l.answer);
	free(l.texts);
	return err;
}
