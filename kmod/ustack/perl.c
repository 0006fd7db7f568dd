// SPDX-License-Identifier: GPL-2.0-only
/*
 * perl.c - walks the frames of a Perl program, see struct kf_walker
 *
 * Perl 5: an interpreter has a list of stacks of contexts. Subs, evals, blocks and loops have a context. A
 * context has the statement (COP) that was executed outside. A call from sub to sub needs no further loop of
 * the interpreter. A sub that C code has called returns to no operation, so its loop was entered with it.
 *
 * Frames are:
 *   a sub						package::name
 *   the block of a sort, which C code calls		(sort)
 *   an eval of text					(eval)
 *   a file that use, require or do runs		(require)
 *   the program outside of subs			(main)
 * A block of eval { } is part of its sub.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "ustack/interpreter_read.h"

#define CONTEXTS	512U		/* most contexts that are looked at in a sample */
#define CONTEXTS_MOST	(1 << 24)	/* of a stack; others are none */

#define NAME_MOST	150U	/* bytes of a name; further ones are left out */
#define FILE_MOST	200U	/* bytes of a path; the first ones are left out */
#define PATH_MOST	4096U

/* Values of Perl's cop.h, cv.h and hv.h, which are the same in all versions from 5.28 to 5.42 */
#define CONTEXT_TYPE	0x0fU	/* of the first byte of a context; the others are flags */
#define TYPE_SORT	0U	/* CXt_NULL: a sort block */
#define TYPE_BLOCK	2U
#define TYPE_SUB	9U
#define TYPE_EVAL	11U
#define EVAL_BLOCK	0xc0U	/* CXp_EVALBLOCK, CXp_TRY */
#define EVAL_TEXT	0x20U	/* CXp_REAL: no file that is loaded */
#define STACK_MAIN	1
#define CV_NAMED	0x8000U	/* CVf_NAMED: a name, and no GV */
#define HEK_LEN		4U
#define HEK_KEY		8U
#define HEK_UTF8	1U
#define OP_TYPE		32U	/* struct op: a bit field */
#define OP_TYPE_MASK	0x1ffU

/* kf_iframe.at is the line, and what the frame is. .function is a CV for a sub, else the COP. */
enum { FRAME_SUB, FRAME_SORT, FRAME_EVAL, FRAME_REQUIRE, FRAME_MAIN };
#define FRAME_SHIFT	24

/* ------------------------------------------------------------------------ frames */

/* A walk */
struct walk {
	const u32 *at;
	struct kf_icpu *c;
	unsigned long cop;	/* what the next frame executes */
	u32 contexts;		/* that were looked at */
	u32 outermost;		/* type of the last one of them */
	unsigned long span;
};

/* Append a frame. Return: false if there is no room, or it cannot be read */
static __always_inline bool put(struct walk *w, u32 kind, unsigned long cv, bool is_entry)
{
	const unsigned long span = w->span;
	struct kf_iframe *f = &w->c->frame[w->c->nr];
	unsigned long body, file, name = 0, start = 0;
	u32 line;

	if (w->c->nr == KF_INTERPRETER_FRAMES)
		return false;
	FETCH(u32, w->cop + w->at[KFLAME_PL_LINE], line);
	if (kind == FRAME_SUB) {
		FETCH(unsigned long, cv, body);
		FETCH(unsigned long, body + w->at[KFLAME_PL_GV], name);
		FETCH(unsigned long, body + w->at[KFLAME_PL_START], start);
		FETCH(unsigned long, body + w->at[KFLAME_PL_FILE], file);
	} else {
		FETCH(unsigned long, w->cop + w->at[KFLAME_PL_COP_FILE], file);
	}
	f->function = kind == FRAME_SUB ? cv : w->cop;
	f->at = kind << FRAME_SHIFT | (line <= KFLAME_FUNCTION_MAX ? line : 0);
	f->check = (file >> 3 ^ name >> 3 ^ start >> 3) * 0x9e3779b1U +
		   (file >> 32 ^ name >> 32 ^ start >> 32);
	f->is_entry = is_entry;
	w->c->nr++;
	return true;
fault:
	return false;
}

/*
 * Look at the context at @cx. The innermost one may be half written, or half gone: Perl counts it before it
 * writes its members, clears the CV of a sub before it drops the context, and a sub whose first statement has
 * not begun has its caller's. Such a context is passed over. Return: false if the walk ends
 */
static __always_inline bool take_context(struct walk *w, unsigned long cx)
{
	const unsigned long span = w->span;
	const bool is_innermost = w->contexts == 1;
	unsigned long returns, cop, cv = 0, required = 0;
	u32 kind;
	u8 type;

	FETCH(u8, cx, type);
	FETCH(unsigned long, cx + w->at[KFLAME_PL_OLD_COP], cop);
	if (!cop)
		return is_innermost;
	w->outermost = type & CONTEXT_TYPE;
	if (w->outermost == TYPE_SUB)
		kind = FRAME_SUB;
	else if (w->outermost == TYPE_EVAL && !(type & EVAL_BLOCK))
		kind = FRAME_EVAL;
	else if (w->outermost == TYPE_SORT)
		kind = FRAME_SORT;
	else
		return true;
	FETCH(unsigned long, cx + w->at[KFLAME_PL_RETURN], returns);
	if (kind == FRAME_SUB) {
		FETCH(unsigned long, cx + w->at[KFLAME_PL_CV], cv);
		if (!cv || (is_innermost && returns && cop == w->cop)) {
			w->cop = cop;
			return true;
		}
	} else if (kind == FRAME_EVAL) {
		FETCH(unsigned long, cx + w->at[KFLAME_PL_REQUIRED], required);
	}
	/* A file's name is gone before its context. */
	if (required || (kind == FRAME_EVAL && !(type & EVAL_TEXT)))
		kind = FRAME_REQUIRE;
	if (!put(w, kind, cv, kind == FRAME_SORT || !returns))
		return false;
	w->cop = cop;
	return true;
fault:
	return is_innermost;
}

/* Look at all contexts of the stack at @info. Return: false if the walk ends */
static __always_inline bool take_stack(struct walk *w, unsigned long info)
{
	const unsigned long span = w->span;
	unsigned long cx;
	s32 top, most;

	FETCH(s32, info + w->at[KFLAME_PL_TOP], top);
	FETCH(s32, info + w->at[KFLAME_PL_MOST], most);
	if (top < -1 || top > most || most > CONTEXTS_MOST)
		return false;
	FETCH(unsigned long, info + w->at[KFLAME_PL_CONTEXTS], cx);
	/* Without any context the program begins or has ended. What it compiles has another stack. */
	w->outermost = w->contexts ? TYPE_SORT : TYPE_BLOCK;
	for (cx += (u64)(u32)top * w->at[KFLAME_PL_CONTEXT_BYTES]; top >= 0; top--) {
		if (w->contexts++ == CONTEXTS || !take_context(w, cx))
			return false;
		cx -= w->at[KFLAME_PL_CONTEXT_BYTES];
	}
	return true;
fault:
	return false;
}

/*
 * Runs in one access window and makes no calls. Return: false if what was found is no interpreter: a program
 * may have another use of the key before its interpreter has begun
 */
static __always_inline bool collect(struct walk *w, unsigned long interpreter)
{
	const unsigned long span = w->span;
	unsigned long info, previous, next;
	s32 type;

	FETCH(unsigned long, interpreter + w->at[KFLAME_PL_STACK], info);
	FETCH(unsigned long, interpreter + w->at[KFLAME_PL_COP], w->cop);
	while (take_stack(w, info)) {
		FETCH(unsigned long, info + w->at[KFLAME_PL_PREVIOUS], previous);
		FETCH(s32, info + w->at[KFLAME_PL_TYPE], type);
		if (!previous) {
			if (type != STACK_MAIN)
				return false;
			/* A thread, or a program that is still compiled, begins with a call. */
			w->c->complete = w->outermost != TYPE_BLOCK || put(w, FRAME_MAIN, 0, true);
			return true;
		}
		FETCH(unsigned long, previous + w->at[KFLAME_PL_NEXT], next);
		if (next != info || w->contexts++ >= CONTEXTS)
			return false;
		info = previous;
	}
fault:
	return w->c->nr;
}

static __always_inline unsigned long find_interpreter(const struct kf_interpreter *i, struct kf_icpu *c,
						      unsigned long thread, const unsigned long span)
{
	const u32 *at = i->is.at;
	const struct kf_key_layout layout = {
		.values = at[KFLAME_PL_KEYS],
		.blocks = at[KFLAME_PL_KEY_BLOCKS],
		.value = at[KFLAME_PL_KEY_VALUE],
	};
	u32 key;

	if (!at[KFLAME_PL_THREADS])
		return c->base + i->is.state;
	FETCH(u32, c->base + i->is.state, key);
	return kf_key_value(thread, key, layout, span);
fault:
	return 0;
}

static void walk(const struct kf_interpreter *i, struct kf_icpu *c)
{
	struct walk w = { .at = i->is.at, .c = c, .span = kf_user_span() };
	const unsigned long thread = kf_user_thread_pointer();
	unsigned long interpreter;

	if (!user_access_begin((void __user *)0, TASK_SIZE_MAX))
		return;
	interpreter = find_interpreter(i, c, thread, w.span);
	if (!interpreter || !collect(&w, interpreter))
		c->nr = 0;
	user_access_end();
}

/* ------------------------------------------------------------------------- names */

/* Return: the next character of UTF-8; a byte that is not UTF-8 is U+FFFD */
static u32 next_char(const u8 *text, u32 len, u32 *at)
{
	static const u32 least[] = { 0, 0x80, 0x800, 0x10000 };
	const u8 first = text[(*at)++];
	const u32 more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	u32 c = first & (0x3f >> more), i;

	if (first < 0x80)
		return first;
	if (!more || first > 0xf4 || len - *at < more)
		return 0xfffd;
	for (i = 0; i < more; i++) {
		if ((text[*at + i] & 0xc0) != 0x80)
			return 0xfffd;
		c = c << 6 | (text[*at + i] & 0x3f);
	}
	if (c < least[more])
		return 0xfffd;
	*at += more;
	return c;
}

/* Append text that is in the chunk. Return: false without room */
static bool put_text(struct kf_icpu *c, u32 bytes, bool is_utf8, u32 *len)
{
	u32 i = 0;

	while (i < bytes)
		if (!kf_put_char(c->text, len, is_utf8 ? next_char(c->chunk, bytes, &i) : c->chunk[i++]))
			return false;
	return true;
}

/* Append the key of a HEK: a name and its length. Return: false if it cannot be read, or is none */
static bool read_hek(struct kf_icpu *c, u64 hek, u32 skip, u32 *len)
{
	u8 flags;
	s32 bytes;

	if (!hek || !kf_interpreter_read(c, &bytes, hek + HEK_LEN, sizeof(bytes)) || bytes <= (s32)skip ||
	    !kf_interpreter_read(c, &flags, hek + HEK_KEY + bytes + 1, sizeof(flags)))
		return false;
	bytes = min_t(u32, bytes - skip, NAME_MOST);
	return kf_interpreter_read(c, c->chunk, hek + HEK_KEY + skip, bytes) &&
	       put_text(c, bytes, flags & HEK_UTF8, len);
}

/* Append a package's name */
static bool read_package(const u32 *at, struct kf_icpu *c, u64 stash, u32 *len)
{
	u64 body, aux, max, name;
	s32 names;

	if (!stash || !kf_interpreter_read(c, &body, stash, sizeof(body)))
		return false;
	aux = body + at[KFLAME_PL_HV_AUX];
	if (!at[KFLAME_PL_HV_AUX]) {
		if (!kf_interpreter_read(c, &aux, stash + at[KFLAME_PL_UNION], sizeof(aux)) ||
		    !kf_interpreter_read(c, &max, body + at[KFLAME_PL_HV_MAX], sizeof(max)))
			return false;
		aux += (max + 1) * sizeof(long);
	}
	if (!kf_interpreter_read(c, &name, aux + at[KFLAME_PL_HV_NAME], sizeof(name)) ||
	    !kf_interpreter_read(c, &names, aux + at[KFLAME_PL_HV_NAMES], sizeof(names)))
		return false;
	/* A package with several names has an array of them. */
	if (names && !kf_interpreter_read(c, &name, name, sizeof(name)))
		return false;
	return read_hek(c, name, 0, len);
}

static bool read_gv(const u32 *at, struct kf_icpu *c, u64 gv, u64 *name, u64 *stash)
{
	u64 body;

	return kf_interpreter_read(c, &body, gv, sizeof(body)) &&
	       kf_interpreter_read(c, name, body + at[KFLAME_PL_GV_NAME], sizeof(*name)) &&
	       (!stash || kf_interpreter_read(c, stash, body + at[KFLAME_PL_GV_STASH], sizeof(*stash)));
}

/* The package and name of a sub whose body is at @body: HEK and HV */
static bool find_name(const u32 *at, struct kf_icpu *c, u64 body, u64 *name, u64 *stash)
{
	u64 gv, gp, egv;
	u32 flags;

	if (!kf_interpreter_read(c, &flags, body + at[KFLAME_PL_FLAGS], sizeof(flags)) ||
	    !kf_interpreter_read(c, &gv, body + at[KFLAME_PL_GV], sizeof(gv)))
		return false;
	if (flags & CV_NAMED || !gv) {
		*name = gv;
		return kf_interpreter_read(c, stash, body + at[KFLAME_PL_STASH], sizeof(*stash));
	}
	/* The name where the sub was defined, as caller() has it: others may be imported */
	if (kf_interpreter_read(c, &gp, gv + at[KFLAME_PL_UNION], sizeof(gp)) && gp &&
	    kf_interpreter_read(c, &egv, gp + at[KFLAME_PL_EGV], sizeof(egv)) && egv)
		gv = egv;
	return read_gv(at, c, gv, name, stash);
}

static bool put_string(struct kf_icpu *c, const char *text, u32 *len)
{
	for (; *text; text++)
		if (!kf_put_char(c->text, len, *text))
			return false;
	return true;
}

static bool read_sub_name(const u32 *at, struct kf_icpu *c, u64 body, u32 *len)
{
	u64 name, stash;

	if (!find_name(at, c, body, &name, &stash))
		return false;
	/* A package that was deleted has no name. */
	if (!read_package(at, c, stash, len))
		*len = 0;
	else if (!put_string(c, "::", len))
		return false;
	if (*len > KF_LABEL_LEN / 2)
		return false;
	return name ? read_hek(c, name, 0, len) : put_string(c, "__ANON__", len);
}

/* Bytes up to the NUL. A page behind it may be absent */
static bool string_length(struct kf_icpu *c, u64 from, u32 *length)
{
	const u8 *end;
	u32 some, n;

	for (n = 0; n < PATH_MOST; n += some) {
		some = min_t(u32, KF_INTERPRETER_CHUNK, PAGE_SIZE - offset_in_page(from + n));
		if (!kf_interpreter_read(c, c->chunk, from + n, some))
			return false;
		end = memchr(c->chunk, 0, some);
		if (end) {
			*length = n + (end - c->chunk);
			return true;
		}
	}
	return false;
}

/* Append a path: its last bytes. Texts of evals are numbered; all are one, or a loop would fill the table. */
static bool read_path(struct kf_icpu *c, u64 from, u32 *len)
{
	static const char eval[] = "(eval ";
	u32 length, cut;

	if (!from || !string_length(c, from, &length) || !length)
		return false;
	cut = length > FILE_MOST ? length - FILE_MOST : 0;
	if (!kf_interpreter_read(c, c->chunk, from + cut, length - cut))
		return false;
	if (!cut && length > sizeof(eval) - 1 && !memcmp(c->chunk, eval, sizeof(eval) - 1))
		return put_string(c, "(eval)", len);
	return (!cut || put_string(c, "...", len)) && put_text(c, length - cut, true, len);
}

/* Append the file of a statement. Without threads its name is the one of a GV, after "_<". */
static bool read_cop_path(const u32 *at, struct kf_icpu *c, u64 cop, u32 *len)
{
	u64 file, name;

	if (!kf_interpreter_read(c, &file, cop + at[KFLAME_PL_COP_FILE], sizeof(file)) || !file)
		return false;
	if (at[KFLAME_PL_THREADS])
		return read_path(c, file, len);
	return read_gv(at, c, file, &name, NULL) && name && read_path(c, name + HEK_KEY + 2, len);
}

/* The line where the first statement of a sub is: the sub's own line is not stored */
static u32 read_first_line(const u32 *at, struct kf_icpu *c, u64 body)
{
	u64 start;
	u16 type;
	u32 line;

	if (!kf_interpreter_read(c, &start, body + at[KFLAME_PL_START], sizeof(start)) || !start ||
	    !kf_interpreter_read(c, &type, start + OP_TYPE, sizeof(type)))
		return 0;
	type &= OP_TYPE_MASK;
	/* OP_DBSTATE, which a debugger uses, is the next one. */
	if ((type != at[KFLAME_PL_NEXTSTATE] && type != at[KFLAME_PL_NEXTSTATE] + 1) ||
	    !kf_interpreter_read(c, &line, start + at[KFLAME_PL_LINE], sizeof(line)))
		return 0;
	return line;
}

static bool read_sub(const u32 *at, struct kf_icpu *c, u64 cv, struct kf_iname *name)
{
	u64 body, file;
	u32 len = 0;

	if (!kf_interpreter_read(c, &body, cv, sizeof(body)) || !read_sub_name(at, c, body, &len))
		return false;
	name->name_len = len;
	if (!kf_interpreter_read(c, &file, body + at[KFLAME_PL_FILE], sizeof(file)) ||
	    !read_path(c, file, &len))
		len = name->name_len;
	name->len = len;
	name->first_line = read_first_line(at, c, body);
	return true;
}

static void read(const struct kf_interpreter *i, struct kf_icpu *c, const struct kf_iframe *f,
		 struct kf_iname *name)
{
	static const char *const names[] = { "", "(sort)", "(eval)", "(require)", "(main)" };
	const u32 *at = i->is.at, kind = f->at >> FRAME_SHIFT;
	u32 len = 0;

	name->line = f->at & KFLAME_FUNCTION_MAX;
	if (kind == FRAME_SUB) {
		read_sub(at, c, f->function, name);
		return;
	}
	put_string(c, names[kind], &len);
	name->name_len = len;
	if (!read_cop_path(at, c, f->function, &len))
		len = name->name_len;
	name->len = len;
}

static bool is_sane(const struct kflame_interpreter *is)
{
	return is->at[KFLAME_PL_THREADS] <= 1 && is->at[KFLAME_PL_CONTEXT_BYTES] &&
	       is->at[KFLAME_PL_NEXTSTATE] < OP_TYPE_MASK;
}

const struct kf_walker kf_perl_5 = {
	.kind = KFLAME_INTERPRETER_PERL_5,
	.nr_at = KFLAME_PL_NR,
	.walk = walk,
	.read = read,
	.is_sane = is_sane,
	.has_towers = true,
};
