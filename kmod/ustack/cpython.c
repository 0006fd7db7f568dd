// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython.c - walks the frames of a Python program, see struct kf_walker
 *
 * CPython 3.11: a thread's state has the C structure of the innermost loop (cframe), which has the innermost
 * frame. Frames are a list up to the outermost one. A call from Python to Python needs no further loop. So a
 * frame says whether its loop was entered with it.
 */
#include <linux/uaccess.h>

#include "ustack/interpreters.h"
#include "ustack/read_word.h"

#define KEYS_IN_A_BLOCK	32U
#define KEYS_MOST	1024U	/* PTHREAD_KEYS_MAX of glibc */
#define KEY_BYTES	16U

#define NAME_MOST	150U	/* characters of a name; further ones are left out */
#define FILE_MOST	200U	/* characters of a path; the first ones are left out */
#define NAME_BYTES	180U	/* of a name, so that there is room for a path */
#define LINES_MOST	(16U << 10)

/* ------------------------------------------------------------------------ frames */

/* An address to read from: masked, or where no page is if it is no user address */
static __always_inline unsigned long checked(unsigned long address, unsigned long span)
{
	return likely(kf_is_user(address, span)) ? kf_user_nospec(address, span) : 0;
}

/* Read a value of a type at a user address, or go to the label fault. User access is open */
#define FETCH(type, address, to)							\
do {											\
	type __value;									\
											\
	kf_unsafe_get_user(__value, (type __user *)checked(address, span), fault);	\
	(to) = __value;									\
} while (0)

/* Runs in one access window and makes no calls. Return: the number of frames */
static __always_inline u32 collect(const struct kf_interpreter *i, struct kf_icpu *c,
				   unsigned long thread, const unsigned long span)
{
	const u32 *at = i->is.at;
	unsigned long state, block, frame, function, instruction, name, lines;
	u32 key, line, n = 0;
	u8 is_entry;

	FETCH(u32, c->base + i->is.state + at[KFLAME_PY_KEY], key);
	if (key >= KEYS_MOST)
		return 0;
	if (key < KEYS_IN_A_BLOCK) {
		FETCH(unsigned long, thread + at[KFLAME_PY_KEYS] + key * KEY_BYTES, state);
	} else {
		block = thread + at[KFLAME_PY_KEY_BLOCKS] + key / KEYS_IN_A_BLOCK * sizeof(long);
		FETCH(unsigned long, block, block);
		block += at[KFLAME_PY_KEY_VALUE] + key % KEYS_IN_A_BLOCK * KEY_BYTES;
		FETCH(unsigned long, block, state);
	}
	/* Is it the state of this thread? The key may be another one's before the interpreter has begun. */
	FETCH(unsigned long, state + at[KFLAME_PY_THREAD], function);
	if (function != thread)
		return 0;
	FETCH(unsigned long, state + at[KFLAME_PY_CFRAME], block);
	FETCH(unsigned long, block + at[KFLAME_PY_CURRENT], frame);
	while (frame && n < KF_INTERPRETER_FRAMES) {
		FETCH(unsigned long, frame + at[KFLAME_PY_CODE], function);
		FETCH(unsigned long, frame + at[KFLAME_PY_INSTRUCTION], instruction);
		FETCH(u8, frame + at[KFLAME_PY_ENTRY], is_entry);
		FETCH(u32, function + at[KFLAME_PY_FIRST_LINE], line);
		FETCH(unsigned long, function + at[KFLAME_PY_NAME], name);
		FETCH(unsigned long, function + at[KFLAME_PY_LINES], lines);
		FETCH(unsigned long, frame + at[KFLAME_PY_PREVIOUS], frame);
		c->frame[n].function = function;
		c->frame[n].at = instruction - function;
		c->frame[n].check = (line ^ name >> 4 ^ lines >> 4) * 0x9e3779b1U +
				    (name >> 32 ^ lines >> 32);
		c->frame[n].is_entry = is_entry;
		n++;
	}
	c->complete = !frame;
fault:
	return n;
}

static void walk(const struct kf_interpreter *i, struct kf_icpu *c)
{
	const unsigned long span = kf_user_span();
	const unsigned long thread = kf_user_thread_pointer();

	if (!user_access_begin((void __user *)0, TASK_SIZE_MAX))
		return;
	c->nr = collect(i, c, thread, span);
	user_access_end();
}

/* ------------------------------------------------------------------------- names */

/* str: PyASCIIObject.state */
#define STR_KIND(state)	((state) >> 2 & 7U) /* bytes of a character */
#define STR_COMPACT	(1U << 5) /* the characters follow the object */
#define STR_ASCII	(1U << 6)

static u32 char_at(const u8 *from, u32 bytes, u32 i)
{
	u32 c = 0;

	memcpy(&c, from + i * bytes, bytes); /* little endian */
	return c;
}

/* Append a character in UTF-8. Return: false if there is no room */
static bool put_char(char *to, u32 *len, u32 c)
{
	if (c < ' ' || c == 0x7f || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = '?';
	if (*len + 4 > KF_LABEL_LEN)
		return false;
	if (c < 0x80) {
		to[(*len)++] = c;
	} else if (c < 0x800) {
		to[(*len)++] = 0xc0 | c >> 6;
		to[(*len)++] = 0x80 | (c & 0x3f);
	} else if (c < 0x10000) {
		to[(*len)++] = 0xe0 | c >> 12;
		to[(*len)++] = 0x80 | (c >> 6 & 0x3f);
		to[(*len)++] = 0x80 | (c & 0x3f);
	} else {
		to[(*len)++] = 0xf0 | c >> 18;
		to[(*len)++] = 0x80 | (c >> 12 & 0x3f);
		to[(*len)++] = 0x80 | (c >> 6 & 0x3f);
		to[(*len)++] = 0x80 | (c & 0x3f);
	}
	return true;
}

/*
 * Append a str to the text: its last @most characters if @is_path, else the first. Return: false if it cannot
 * be read, or is empty
 */
static bool read_str(const u32 *at, struct kf_icpu *c, u64 str, u32 most, bool is_path, u32 *len)
{
	u64 length, from;
	u32 state, bytes, nr, some, i, begin = *len;

	if (!kf_interpreter_read(c, &length, str + at[KFLAME_PY_LENGTH], sizeof(length)) ||
	    !kf_interpreter_read(c, &state, str + at[KFLAME_PY_STATE], sizeof(state)))
		return false;
	bytes = STR_KIND(state);
	if (!(state & STR_COMPACT) || (bytes != 1 && bytes != 2 && bytes != 4) || length > S32_MAX)
		return false;
	from = str + at[state & STR_ASCII ? KFLAME_PY_ASCII : KFLAME_PY_CHARACTERS];
	nr = min_t(u64, length, most);
	if (is_path && nr < length) {
		from += (length - nr) * bytes;
		for (i = 0; i < 3; i++)
			put_char(c->text, len, '.');
	}
	for (; nr; nr -= some, from += some * bytes) {
		some = min(nr, KF_INTERPRETER_CHUNK / bytes);
		if (!kf_interpreter_read(c, c->chunk, from, some * bytes))
			return false;
		for (i = 0; i < some; i++) {
			if (!is_path && *len >= NAME_BYTES)
				return true;
			/* The end of a path distinguishes it. Without room for the end there is no path. */
			if (!put_char(c->text, len, char_at(c->chunk, bytes, i)))
				return !is_path;
		}
	}
	return *len > begin;
}

/* ------------------------------------------------------------------------- lines */

/* The bytes of a line table, as they are read */
struct lines {
	struct kf_icpu *c;
	u64 from;
	u32 left;	/* bytes that are not in the chunk yet */
	u32 have, next;	/* in the chunk */
	bool over;	/* there was no further byte */
};

/* Return: the next byte; -1 at the end, or if it cannot be read */
static int next_byte(struct lines *l)
{
	if (l->next == l->have) {
		l->have = min(l->left, KF_INTERPRETER_CHUNK);
		l->next = 0;
		if (!l->have || !kf_interpreter_read(l->c, l->c->chunk, l->from, l->have)) {
			l->have = 0;
			l->left = 0;
			l->over = true;
			return -1;
		}
		l->from += l->have;
		l->left -= l->have;
	}
	return l->c->chunk[l->next++];
}

/* A number of six bits a byte, the lowest first */
static u32 next_number(struct lines *l)
{
	u32 number = 0, shift = 0;
	int byte;

	do {
		byte = next_byte(l);
		if (byte < 0)
			return 0;
		if (shift < 32)
			number |= (u32)(byte & 0x3f) << shift;
		shift += 6;
	} while (byte & 0x40);
	return number;
}

static s32 next_signed(struct lines *l)
{
	const u32 number = next_number(l);

	return number & 1 ? -(s32)(number >> 1) : (s32)(number >> 1);
}

/* The kinds of an entry: how its line and columns are written */
#define ENTRY_ONE_LINE	10	/* and the next two: so many lines further */
#define ENTRY_NO_COLUMN	13
#define ENTRY_LONG	14
#define ENTRY_NONE	15

/* Read an entry of the kind @kind. Return: its line's distance to the line before */
static s32 next_entry(struct lines *l, u32 kind)
{
	s32 line = 0;
	u32 more = 0;

	if (kind == ENTRY_NONE)
		return 0;
	if (kind == ENTRY_LONG || kind == ENTRY_NO_COLUMN) {
		line = next_signed(l);
		for (more = kind == ENTRY_LONG ? 3 : 0; more; more--)
			next_number(l);
		return line;
	}
	if (kind >= ENTRY_ONE_LINE)
		line = kind - ENTRY_ONE_LINE;
	for (more = kind >= ENTRY_ONE_LINE ? 2 : 1; more; more--)
		next_byte(l);
	return line;
}

/* The line of the code unit @unit (PEP 657). @line: the first one. Return: 0 if it is not known */
static u32 line_of(struct lines *l, u32 unit, u32 line)
{
	u32 units = 0, kind;
	int byte;

	for (;;) {
		byte = next_byte(l);
		if (byte < 0 || !(byte & 0x80))
			return 0;
		kind = byte >> 3 & 15;
		line += next_entry(l, kind);
		units += (byte & 7) + 1;
		if (l->over)
			return 0;
		if (unit < units)
			return kind == ENTRY_NONE ? 0 : line;
	}
}

static u32 read_line(const u32 *at, struct kf_icpu *c, const struct kf_iframe *f, u32 first_line)
{
	struct lines l = { .c = c };
	u64 table, size;

	/* Before its first instruction */
	if (f->at < at[KFLAME_PY_FIRST])
		return first_line;
	if (!kf_interpreter_read(c, &table, f->function + at[KFLAME_PY_LINES], sizeof(table)) ||
	    !kf_interpreter_read(c, &size, table + at[KFLAME_PY_SIZE], sizeof(size)))
		return 0;
	l.from = table + at[KFLAME_PY_BYTES];
	l.left = min_t(u64, size, LINES_MOST);
	return line_of(&l, (f->at - at[KFLAME_PY_FIRST]) / 2, first_line);
}

static void read(const struct kf_interpreter *i, struct kf_icpu *c, const struct kf_iframe *f,
		 struct kf_iname *name)
{
	const u32 *at = i->is.at;
	u64 str, path;
	u32 line, len = 0;

	if (!kf_interpreter_read(c, &str, f->function + at[KFLAME_PY_NAME], sizeof(str)) ||
	    !kf_interpreter_read(c, &path, f->function + at[KFLAME_PY_FILE], sizeof(path)) ||
	    !kf_interpreter_read(c, &line, f->function + at[KFLAME_PY_FIRST_LINE], sizeof(line)) ||
	    !read_str(at, c, str, NAME_MOST, false, &len))
		return;
	name->name_len = len;
	if (!read_str(at, c, path, FILE_MOST, true, &len))
		len = name->name_len;
	name->len = len;
	name->first_line = line;
	name->line = read_line(at, c, f, line);
}

const struct kf_walker kf_cpython_3_11 = {
	.kind = KFLAME_INTERPRETER_CPYTHON_3_11,
	.nr_at = KFLAME_PY_NR,
	.walk = walk,
	.read = read,
};
