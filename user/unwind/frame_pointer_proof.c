// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_pointer_proof.c - does a file's frame pointer lead to the frame wherever a call returns to?
 */
#include "unwind/frame_pointer_proof.h"

/* The rule of row @i; past the last row, a rule that says nothing */
static const struct kflame_rule *rule_of(const struct unwind_rows *r, size_t i)
{
	return &r->rules.all[i < r->rows.nr ? r->rows.all[i].rule : 0];
}

static uint64_t row_bytes(const struct unwind_rows *r, size_t i)
{
	return i + 1 < r->rows.nr ? r->rows.all[i + 1].offset - r->rows.all[i].offset : 0;
}

/* Does fp point at the caller's fp, with the return address next to it? */
static bool is_frame(const struct unwind_rows *r, const struct kflame_rule *rule)
{
	if (rule->cfa != KFLAME_CFA_FP || rule->fp != KFLAME_IN_CFA ||
	    rule->ra != KFLAME_IN_CFA || rule->fp_offset != -rule->cfa_offset ||
	    rule->ra_offset != rule->fp_offset + 8)
		return false;
	return r->machine == EM_AARCH64 || rule->cfa_offset == 16;
}

static bool is_sp(const struct kflame_rule *rule, int offset)
{
	return rule->cfa == KFLAME_CFA_SP && rule->cfa_offset == offset &&
	       rule->ra == KFLAME_IN_CFA && rule->ra_offset == -8;
}

/*
 * Is row @i the first row of a PLT's first entry? That entry is at a multiple of 16 bytes, after code that
 * no rule describes. It has 6 bytes that push a word and 10 bytes that jump. The entry that jumps to it
 * has pushed one word already.
 */
static bool begins_plt(const struct unwind_rows *r, size_t i)
{
	const struct kflame_rule *push = rule_of(r, i), *jump = rule_of(r, i + 1);

	return i + 1 < r->rows.nr && r->rows.all[i].offset % 16 == 0 &&
	       is_sp(push, 16) && push->fp == KFLAME_IN_SAME && row_bytes(r, i) == 6 &&
	       is_sp(jump, 24) && jump->fp == KFLAME_IN_SAME && row_bytes(r, i + 1) == 10 &&
	       (!i || rule_of(r, i - 1)->cfa == KFLAME_CFA_NONE ||
		rule_of(r, i - 1)->cfa == KFLAME_CFA_END);
}

static bool no_call_x86_64(const struct unwind_rows *r, size_t i)
{
	const struct kflame_rule *rule = rule_of(r, i);

	if (rule->cfa == KFLAME_CFA_PLT || is_sp(rule, 8) || row_bytes(r, i) == 1)
		return true;
	if (is_sp(rule, 16) && rule->fp == KFLAME_IN_CFA && rule->fp_offset == -16 &&
	    is_frame(r, rule_of(r, i + 1)))
		return true;
	return begins_plt(r, i) || (i && begins_plt(r, i - 1));
}

static bool no_call_aarch64(const struct unwind_rows *r, size_t i)
{
	const struct kflame_rule *rule = rule_of(r, i);

	if (rule->cfa == KFLAME_CFA_SIGNAL)
		return false;
	return rule->ra == KFLAME_IN_SAME ||
	       (row_bytes(r, i) == 4 && is_frame(r, rule_of(r, i + 1)));
}

bool unwind_proves_fp(const struct unwind_rows *r)
{
	bool arm = r->machine == EM_AARCH64;

	for (int loss = UNWIND_KEPT + 1; loss < UNWIND_LOSSES; loss++)
		if (r->lost[loss])
			return false;
	for (size_t i = 0; i < r->rows.nr; i++) {
		const struct kflame_rule *rule = rule_of(r, i);

		if (rule->cfa == KFLAME_CFA_NONE || rule->cfa == KFLAME_CFA_END ||
		    is_frame(r, rule))
			continue;
		if (arm ? !no_call_aarch64(r, i) : !no_call_x86_64(r, i))
			return false;
	}
	return r->entries;
}
