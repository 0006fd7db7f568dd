// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpython_names.c - reads name, file and line of a Python function, see struct kf_walker
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "ustack/cpython.h"
#include "ustack/interpreter_read.h"

#define NAME_MOST	150U	/* characters of a name; further ones are left out */
#define FILE_MOST	200U	/* characters of a path; the first ones are left out */
#define NAME_BYTES	180U	/* of a name, so that there is room for a path */
#define LINES_MOST	(16U << 10)

/* ------------------------------------------------------------------------- names */

/* str: PyASCIIObject.state, from the kind on */
#define STR_KIND(state)	((state) & 7U) /* bytes of a character */
#define STR_COMPACT	(1U << 3) /* the characters follow the object */
#define STR_ASCII	(1U << 4)

static u32 char_at(const u8 *from, u32 bytes, u32 i)
{
	u32 c = 0;

	memcpy(&c, from + i * bytes, bytes); /* little endian */
	return c;
}

/*
 * Append a str to the text: its last @most characters if @is_path, else the first. Return: false if it cannot
 * be read, or is empty
 */
static bool read_str(const struct kf_interpreter *i, struct kf_icpu *c, u64 str, u32 most, bool is_path,
		     u32 *len)
{
	const u32 *at = i->is.at;
	u64 length, from;
	u32 state, bytes, nr, some, k, begin = *len;

	if (!kf_interpreter_read(c, &length, str + at[KFLAME_PY_LENGTH], sizeof(length)) ||
	    !kf_interpreter_read(c, &state, str + at[KFLAME_PY_STATE], sizeof(state)))
		return false;
	state >>= kf_cpython_character(&i->is);
	bytes = STR_KIND(state);
	if (!(state & STR_COMPACT) || (bytes != 1 && bytes != 2 && bytes != 4) || length > S32_MAX)
		return false;
	from = str + at[state & STR_ASCII ? KFLAME_PY_ASCII : KFLAME_PY_CHARACTERS];
	nr = min_t(u64, length, most);
	if (is_path && nr < length) {
		from += (length - nr) * bytes;
		for (k = 0; k < 3; k++)
			kf_put_char(c->text, len, '.');
	}
	for (; nr; nr -= some, from += some * bytes) {
		some = min(nr, KF_INTERPRETER_CHUNK / bytes);
		if (!kf_interpreter_read(c, c->chunk, from, some * bytes))
			return false;
		for (k = 0; k < some; k++) {
			if (!is_path && *len >= NAME_BYTES)
				return true;
			/* The end of a path distinguishes it. Without room for the end there is no path. */
			if (!kf_put_char(c->text, len, char_at(c->chunk, bytes, k)))
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
	bool failed;	/* it could not be read */
};

/* Return: the next byte; -1 at the end, or if it cannot be read */
static int next_byte(struct lines *l)
{
	if (l->next == l->have) {
		l->have = min(l->left, KF_INTERPRETER_CHUNK);
		l->next = 0;
		l->failed = l->have && !kf_interpreter_read(l->c, l->c->chunk, l->from, l->have);
		if (!l->have || l->failed) {
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

/*
 * The line of the byte @byte of code, in versions before 3.11: pairs of a number of bytes and a difference
 * of lines. 3.9: the difference is that of the line after these bytes. 3.10: of their own line
 */
static u32 line_of_pairs(struct lines *l, u32 byte, u32 line, bool is_own)
{
	u32 bytes = 0;
	int by, lines;

	for (;;) {
		by = next_byte(l);
		lines = next_byte(l);
		if (by < 0 || lines < 0)
			return is_own || l->failed ? 0 : line;
		bytes += by;
		if (!is_own && byte < bytes)
			return line;
		if (!is_own || lines != 0x80)
			line += (s8)lines;
		if (is_own && byte < bytes)
			return lines == 0x80 ? 0 : line;
	}
}

static u32 read_line(const struct kf_interpreter *i, struct kf_icpu *c, const struct kf_iframe *f,
		     u32 first_line)
{
	const u32 *at = i->is.at;
	struct lines l = { .c = c };
	u64 table, size;

	/* Before its first instruction */
	if (f->at < at[KFLAME_PY_FIRST] || f->at == KF_CPYTHON_BEGINS)
		return first_line;
	if (!kf_interpreter_read(c, &table, f->function + at[KFLAME_PY_LINES], sizeof(table)) ||
	    !kf_interpreter_read(c, &size, table + at[KFLAME_PY_SIZE], sizeof(size)))
		return 0;
	l.from = table + at[KFLAME_PY_BYTES];
	l.left = min_t(u64, size, LINES_MOST);
	if (at[KFLAME_PY_LINES_ARE] != KFLAME_PY_LINES_3_11)
		return line_of_pairs(&l, f->at - at[KFLAME_PY_FIRST], first_line,
				     at[KFLAME_PY_LINES_ARE] == KFLAME_PY_LINES_3_10);
	return line_of(&l, (f->at - at[KFLAME_PY_FIRST]) / 2, first_line);
}

void kf_cpython_read(const struct kf_interpreter *i, struct kf_icpu *c, const struct kf_iframe *f,
		     struct kf_iname *name)
{
	const u32 *at = i->is.at;
	u64 str, path;
	u32 line, len = 0;

	if (!kf_interpreter_read(c, &str, f->function + at[KFLAME_PY_NAME], sizeof(str)) ||
	    !kf_interpreter_read(c, &path, f->function + at[KFLAME_PY_FILE], sizeof(path)) ||
	    !kf_interpreter_read(c, &line, f->function + at[KFLAME_PY_FIRST_LINE], sizeof(line)) ||
	    !read_str(i, c, str, NAME_MOST, false, &len))
		return;
	name->name_len = len;
	if (!read_str(i, c, path, FILE_MOST, true, &len))
		len = name->name_len;
	name->len = len;
	name->first_line = line;
	name->line = read_line(i, c, f, line);
}
