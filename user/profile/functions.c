// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c - reads functions of interpreted programs, which are frames of user stacks
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/private.h"

bool profile_is_function(uint64_t ip)
{
	return (ip & KFLAME_FUNCTION_MASK) == KFLAME_FUNCTION;
}

int profile_take_function(struct profile *p, const struct kflame_rec *rec)
{
	const struct kflame_rec_function *r = (const void *)rec;
	struct profile_function *f;
	char *text;
	uint32_t i;
	int err;

	if (r->id <= KFLAME_FUNCTION_MORE || r->id > KFLAME_FUNCTION_MAX || r->name_len > r->text_len)
		return -EBADMSG;
	text = profile_take_string(rec, r->text, r->text_len, &err);
	if (!text)
		return err;
	i = idmap_item(&p->function_ids, r->id, &p->functions, &p->nr_functions, &p->cap_functions,
		       sizeof(*p->functions));
	if (i == INDEX_NONE) {
		free(text);
		return -ENOMEM;
	}
	f = &p->functions[i];
	free(f->name);
	free(f->file);
	*f = (struct profile_function){
		.kind = r->kind, .line = r->line, .file = strdup(text + r->name_len), .name = text,
	};
	text[r->name_len] = 0;
	return f->file ? 0 : -ENOMEM;
}

const struct profile_function *profile_function(const struct profile *p, uint64_t ip)
{
	uint32_t i = idmap_find(&p->function_ids, KFLAME_FUNCTION_ID(ip));

	return i == INDEX_NONE ? NULL : &p->functions[i];
}

void profile_functions_exit(struct profile *p)
{
	for (size_t i = 0; i < p->nr_functions; i++) {
		free(p->functions[i].name);
		free(p->functions[i].file);
	}
	free(p->functions);
	idmap_exit(&p->function_ids);
}
