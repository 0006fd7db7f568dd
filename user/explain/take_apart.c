// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * take_apart.c - makes an explanation from a kept sample and the recording's profile
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain/file_rows.h"
#include "explain/take_apart.h"
#include "stacks/frame_place.h"
#include "symbols/mapped_file.h"
#include "unwind/rule.h"

/* ------------------------------------------------------------ the record's parts */

static const __u64 *user_of(const struct kflame_rec_ustack *c)
{
	return c->data + c->nr_kernel;
}

static const __u64 *regs_of(const struct kflame_rec_ustack *c)
{
	return user_of(c) + c->nr_user;
}

static uint64_t pc_of(const struct kflame_rec_ustack *c)
{
	return regs_of(c)[c->nr_regs - 1];
}

static bool is_arm64(const struct explanation *x)
{
	return x->machine == EM_AARCH64;
}

/* ----------------------------------------------------------------- choice */

static const char *innermost(const struct profile *p, const struct kflame_rec_ustack *c)
{
	struct frame_code code;

	code = c->nr_kernel ? frame_code_kernel(p, c->data[0], false) :
	       frame_code_user(p, profile_find_aspace(p, c->aspace), pc_of(c), false);
	return code.symbol ? code.symbol->name : code.jit ? code.jit->name : NULL;
}

static bool fits(const struct profile *p, const struct kept_sample *s, const struct explain_choice *choice)
{
	const char *name;

	if (choice->kernel && !s->copy->nr_kernel)
		return false;
	if (!choice->function)
		return true;
	name = innermost(p, s->copy);
	return name && !strcmp(name, choice->function);
}

static bool is_complete(const struct kept_sample *s)
{
	return (s->copy->uend & KFLAME_END_MASK) == KFLAME_END_COMPLETE;
}

const struct kept_sample *explain_choose(const struct profile *p, const struct kept_samples *k,
					 const struct explain_choice *choice)
{
	size_t left = choice->number;

	for (int complete = 1; complete >= 0; complete--)
		for (size_t i = 0; i < k->nr; i++)
			if (is_complete(&k->all[i]) == complete && fits(p, &k->all[i], choice) && !--left)
				return &k->all[i];
	return NULL;
}

/* ------------------------------------------------------------------ steps */

/* A pointer that may be signed (arm64): its address bits */
static uint64_t bare(const struct explanation *x, uint64_t address)
{
	return is_arm64(x) ? address & ((1ull << 48) - 1) : address;
}

/* The CFA of a frame by its rule.  @innermost: its registers are known */
static uint64_t cfa_of(const struct explanation *x, const struct explained_frame *f, bool innermost)
{
	const struct kflame_rule *r = &f->rule;
	uint64_t offset = (uint64_t)(int64_t)r->cfa_offset, value = 0;

	switch (r->cfa) {
	case KFLAME_CFA_SP:
	case KFLAME_CFA_CLONE:
		return f->sp + offset;
	case KFLAME_CFA_FP:
	case KFLAME_CFA_FP_ELSEWHERE:
		return f->fp + offset;
	case KFLAME_CFA_REG:
		return innermost && r->reg < KFLAME_REGS_ARM64 ? x->regs[r->reg] + offset : 0;
	case KFLAME_CFA_PLT:
		return f->sp + 8 + ((f->ip & 15) >= offset ? 8 : 0);
	case KFLAME_CFA_AT_SP:
	case KFLAME_CFA_AT_FP:
		value = (r->cfa == KFLAME_CFA_AT_SP ? f->sp : f->fp) + offset;
		return explained_word(x, value, &value) ? value + (uint64_t)(int64_t)r->cfa_add : 0;
	}
	return 0;
}

/* Where a value of the caller is in memory; 0: it is not in memory */
static uint64_t where_of(const struct explained_frame *f, uint8_t in, int32_t offset)
{
	uint64_t add = (uint64_t)(int64_t)offset;

	switch (in) {
	case KFLAME_IN_CFA:
		return f->cfa + add;
	case KFLAME_IN_SP:
		return f->sp + add;
	case KFLAME_IN_FP:
		return f->fp + add;
	}
	return 0;
}

static void step_by_signal(const struct explanation *x, struct explained_frame *f)
{
	uint64_t at = f->sp + (uint64_t)(int64_t)f->rule.cfa_offset;

	f->ra_at = at + (is_arm64(x) ? 33 * 8 : SIGCONTEXT_X86_64_IP);
	f->fp_at = at + (is_arm64(x) ? 30 * 8 : SIGCONTEXT_X86_64_BP);
	if (!explained_word(x, at + (is_arm64(x) ? 32 * 8 : SIGCONTEXT_X86_64_SP), &f->cfa))
		f->cfa = 0;
}

/* Does the rule for a return address in a register mean the link register? */
static void take_register(const struct explanation *x, struct explained_frame *f, bool innermost)
{
	uint32_t reg = f->rule.ra == KFLAME_IN_SAME ? 30 : f->rule.reg;

	if (innermost && reg < KFLAME_REGS_ARM64)
		f->ra = x->regs[reg];
}

static void step_by_rule(const struct explanation *x, struct explained_frame *f, bool innermost)
{
	if (f->rule.cfa == KFLAME_CFA_SIGNAL) {
		step_by_signal(x, f);
	} else {
		f->cfa = cfa_of(x, f, innermost);
		if (!f->cfa)
			return;
		f->ra_at = where_of(f, f->rule.ra, f->rule.ra_offset);
		f->fp_at = where_of(f, f->rule.fp, f->rule.fp_offset);
	}
	if (f->ra_at)
		explained_word(x, f->ra_at, &f->ra);
	else
		take_register(x, f, innermost);
}

static void step_by_fp(const struct explanation *x, struct explained_frame *f)
{
	f->cfa = f->fp + 16;
	f->ra_at = f->fp + 8;
	f->fp_at = f->fp;
	explained_word(x, f->ra_at, &f->ra);
}

static void make_step(const struct explanation *x, struct explained_frame *f, bool innermost)
{
	if (f->how == KFLAME_STEP_RULE)
		step_by_rule(x, f, innermost);
	else if (f->how == KFLAME_STEP_FP)
		step_by_fp(x, f);
}

/* The module's steps of a walk by unwind tables */
static int take_steps(struct explanation *x, const struct kept_sample *s)
{
	const struct kflame_rec_explain *why = s->why;

	x->frames = calloc(why->nr_steps + 1u, sizeof(*x->frames));
	if (!x->frames)
		return -ENOMEM;
	x->nr_frames = why->nr_steps;
	for (size_t i = 0; i < x->nr_frames; i++) {
		const struct kflame_step *step = &why->step[i];
		struct explained_frame *f = &x->frames[i];

		*f = (struct explained_frame){
			.ip = step->ip, .sp = step->sp, .fp = step->fp, .how = step->how, .rule = step->rule,
			.exact = step->flags & KFLAME_STEP_EXACT, .cached = step->flags & KFLAME_STEP_CACHED,
			.fp_lost = step->flags & KFLAME_STEP_FP_LOST,
		};
		make_step(x, f, !i);
	}
	return 0;
}

/* The frames that the module found by frame pointers: the records are followed again here */
static int take_records(struct explanation *x, const struct kept_sample *s)
{
	const struct kflame_rec_ustack *c = s->copy;
	uint64_t sp = explained_sp(x), fp = explained_fp(x);

	x->frames = calloc(c->nr_user + 1u, sizeof(*x->frames));
	if (!x->frames)
		return -ENOMEM;
	x->nr_frames = c->nr_user;
	for (size_t i = 0; i < x->nr_frames; i++) {
		struct explained_frame *f = &x->frames[i];

		*f = (struct explained_frame){ .ip = user_of(c)[i], .exact = !i, .sp = sp, .fp = fp,
					       .how = KFLAME_STEP_FP };
		make_step(x, f, !i);
		sp = f->cfa;
		if (!explained_word(x, f->fp_at, &fp))
			fp = 0;
	}
	return 0;
}

/* Compare each step with the module's next frame.  The last frame has none */
static void compare_steps(struct explanation *x)
{
	for (size_t i = 0; i < x->nr_frames; i++) {
		struct explained_frame *f = &x->frames[i];
		const struct explained_frame *next = f + 1;

		f->is_last = i + 1 == x->nr_frames;
		if (f->is_last)
			continue;
		f->agrees = f->how == KFLAME_STEP_FP ?
			    bare(x, f->ra) == bare(x, next->ip) :
			    f->cfa == next->sp && bare(x, f->ra) == bare(x, next->ip);
	}
}

/* ------------------------------------------------------------------ places */

static void put_build_id(char *to, const struct kflame_rec_file *f)
{
	for (uint32_t i = 0; i < f->build_id_len && i < KFLAME_BUILD_ID_MAX; i++)
		snprintf(to + 2 * i, 3, "%02x", f->build_id[i]);
}

static char *dup_or_null(const char *s, int *err)
{
	char *copy = s ? strdup(s) : NULL;

	if (s && !copy)
		*err = -ENOMEM;
	return copy;
}

static int take_place(const struct profile *p, uint32_t aspace, uint64_t ip, bool exact, struct explained_place *to,
		      uint32_t *file)
{
	const struct frame_code c = frame_code_user(p, aspace, ip, !exact);
	int err = 0;

	*to = (struct explained_place){ .address = c.at };
	*file = c.file;
	if (c.map) {
		to->start = c.map->start;
		to->end = c.map->end;
		to->offset = c.map->offset;
	}
	if (c.jit) {
		to->function = dup_or_null(c.jit->name, &err);
		to->into = ip - c.jit->start;
	}
	if (c.file == PROFILE_NONE)
		return err;
	to->path = dup_or_null(p->files[c.file].path, &err);
	put_build_id(to->build_id, &p->files[c.file].rec);
	to->file_offset = c.offset;
	/* A function of a just-in-time compiler's map is nearer than a symbol of the file around it */
	if (c.symbol && !to->function) {
		to->function = dup_or_null(c.symbol->name, &err);
		to->into = c.offset - c.symbol->start + !exact;
	}
	return err;
}

static int open_file(const struct profile *p, uint32_t file, const char *symbols)
{
	uint32_t state;
	int fd = binary_copy_vdso(&p->files[file]);

	return fd >= 0 ? fd : binary_open_file(&p->files[file], symbols, &state);
}

/* Ask for the rows of all frames in a file.  A file that is gone has none */
static void ask_rows(struct explanation *x, const struct profile *p, const uint32_t *files, uint32_t file,
		     const char *symbols)
{
	struct file_row rows[FILE_ROWS_MOST];
	uint64_t offsets[FILE_ROWS_MOST];
	int fd = open_file(p, file, symbols);
	size_t nr = 0, n = 0;

	for (size_t i = 0; i < x->nr_frames && nr < FILE_ROWS_MOST; i++)
		if (files[i] == file)
			offsets[nr++] = x->frames[i].place.file_offset;
	if (fd < 0 || file_rows_ask(fd, offsets, nr, rows))
		nr = 0;
	for (size_t i = 0; i < x->nr_frames && n < nr; i++)
		if (files[i] == file) {
			x->frames[i].place.in_file = rows[n].in_file;
			x->frames[i].row = rows[n++].row;
		}
	if (fd >= 0)
		close(fd);
}

static int take_places(struct explanation *x, const struct profile *p, uint32_t aspace, const char *symbols)
{
	uint32_t *files = calloc(x->nr_frames + 1, sizeof(*files));
	int err = files ? 0 : -ENOMEM;

	for (size_t i = 0; i < x->nr_frames && !err; i++)
		err = take_place(p, aspace, x->frames[i].ip, x->frames[i].exact, &x->frames[i].place, &files[i]);
	for (size_t i = 0; i < x->nr_frames && !err; i++) {
		bool first = files[i] != PROFILE_NONE;

		for (size_t j = 0; j < i && first; j++)
			first = files[j] != files[i];
		if (first)
			ask_rows(x, p, files, files[i], symbols);
	}
	free(files);
	return err;
}

/* ----------------------------------------------------------- a missed caller */

/* The address of the return address by a row of the forms that compilers write; 0: of another form */
static uint64_t row_ra_at(const struct explanation *x, const struct explained_frame *f)
{
	const char *sp = explain_sp(x->machine), *fp = explain_fp(x->machine);
	size_t len = strcspn(f->row.cfa, "+-");
	long long cfa = 0, ra = 0;
	uint64_t base;

	if (sscanf(f->row.cfa + len, "%lld", &cfa) != 1 || sscanf(f->row.ra, "c%lld", &ra) != 1)
		return 0;
	if (!strncmp(f->row.cfa, sp, len) && len == strlen(sp))
		base = f->sp;
	else if (!strncmp(f->row.cfa, fp, len) && len == strlen(fp))
		base = f->fp;
	else
		return 0;
	return base + (uint64_t)cfa + (uint64_t)ra;
}

static int find_missed(struct explanation *x, const struct profile *p, uint32_t aspace)
{
	const struct explained_frame *f = x->frames;
	uint32_t file;

	if (!x->nr_frames || f->how != KFLAME_STEP_FP || !f->exact)
		return 0;
	x->skip.at = row_ra_at(x, f);
	if (!x->skip.at || x->skip.at == f->ra_at || !explained_word(x, x->skip.at, &x->skip.ra)) {
		x->skip.at = 0;
		return 0;
	}
	return take_place(p, aspace, x->skip.ra, false, &x->skip.place, &file);
}

/* ------------------------------------------------------------------- all */

static int take_kernel(struct explanation *x, const struct profile *p, const struct kflame_rec_ustack *c)
{
	int err = 0;

	x->kernel = calloc(c->nr_kernel + 1u, sizeof(*x->kernel));
	if (!x->kernel)
		return -ENOMEM;
	for (; x->nr_kernel < c->nr_kernel && !err; x->nr_kernel++) {
		uint64_t ip = c->data[x->nr_kernel];
		const struct frame_code code = frame_code_kernel(p, ip, x->nr_kernel);
		struct explained_kernel *k = &x->kernel[x->nr_kernel];

		k->ip = ip;
		if (!code.symbol)
			continue;
		k->function = dup_or_null(code.symbol->name, &err);
		k->into = ip - code.symbol->start;
	}
	return err;
}

static int take_words(struct explanation *x, const struct kflame_rec_ustack *c)
{
	x->nr_words = c->copied / 8;
	x->words = malloc(c->copied + 8u);
	if (!x->words)
		return -ENOMEM;
	memcpy(x->words, regs_of(c) + c->nr_regs, c->copied);
	return 0;
}

int take_apart(const struct profile *p, const struct kept_sample *s, uint32_t uway, const char *symbols,
	       struct explanation *out)
{
	uint32_t aspace = profile_find_aspace(p, s->copy->aspace);
	int err;

	memset(out, 0, sizeof(*out));
	memcpy(&out->sample, s->copy, sizeof(out->sample));
	memcpy(&out->table, s->why, sizeof(out->table));
	out->uway = uway;
	out->machine = s->copy->nr_regs == KFLAME_REGS_ARM64 ? EM_AARCH64 : EM_X86_64;
	memcpy(out->regs, regs_of(s->copy), s->copy->nr_regs * sizeof(out->regs[0]));
	out->sp = explained_sp(out);
	err = take_words(out, s->copy);
	if (!err)
		err = take_kernel(out, p, s->copy);
	if (!err)
		err = uway == KFLAME_UWAY_FP ? take_records(out, s) : take_steps(out, s);
	if (!err)
		err = take_places(out, p, aspace, symbols);
	if (!err)
		err = find_missed(out, p, aspace);
	compare_steps(out);
	return err;
}
