// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folded_read.c - reads folded stacks
 *
 * Most programs write folded stacks sorted, so a line shares most of its frames with the line before it.
 * The shared frames are neither parsed nor looked up again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"
#include "stacks/folded.h"

#define TOLD_BAD_LINES	5

/**
 * struct line - the last stack that was read
 * @raw:	the bytes of its line
 * @text:	the same bytes, split into names: .frames point into it
 */
struct line {
	char *raw, *text;
	size_t len, cap, cap_text;
	struct frame *frames;
	size_t *at;			/* offset of each frame in the line */
	size_t nr, cap_frames, cap_at;
};

/* The receiver of the stacks: @fn, or @tree if that is NULL */
struct sink {
	struct tree *tree;
	stack_fn fn;
	void *ctx;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where the word begins that ends before @end */
static size_t begin_of_word(const char *text, size_t end)
{
	while (end && !is_blank(text[end - 1]))
		end--;
	return end;
}

static size_t cut_blanks(const char *text, size_t end)
{
	while (end && is_blank(text[end - 1]))
		end--;
	return end;
}

/* "31" or "31.23".  @digits: out: how many digits are before the point */
static bool is_number(const char *word, size_t len, size_t *digits)
{
	size_t i = 0;

	while (i < len && is_digit(word[i]))
		i++;
	*digits = i;
	if (i && i < len && word[i] == '.')
		i++;
	while (*digits && i < len && is_digit(word[i]))
		i++;
	return len && i == len;
}

/* Does a stack end before @end in a blank and a number?  Words may be long, so only the number is walked */
static bool has_count(const char *text, size_t end)
{
	size_t p = end, digits;

	while (p && (is_digit(text[p - 1]) || text[p - 1] == '.'))
		p--;
	return p && is_blank(text[p - 1]) && is_number(text + p, end - p, &digits) && cut_blanks(text, p);
}

/* "31.0" is a whole number */
static bool is_whole(const char *fraction, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (fraction[i] != '0')
			return false;
	return true;
}

/*
 * Reads the last word of a line as a number, and finds the length of the stack before it.
 * Return: NULL, or why the line is malformed.
 */
static const char *take_count(const char *text, size_t *len, uint64_t *count)
{
	size_t p = begin_of_word(text, *len), stack = cut_blanks(text, p), digits;
	uint64_t n = 0;

	if (!is_number(text + p, *len - p, &digits))
		return "it does not end in a blank and a whole number";
	if (!stack)
		return "there is no stack before the count";
	if (has_count(text, stack))
		return "it has two counts, as difffolded.pl writes them. "
		       "Give the two profiles to 'kflame diff' instead";
	if (!is_whole(text + p + digits, *len - p - digits))
		return "its count is not a whole number";
	for (size_t d = p; d < p + digits; d++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(text[d] - '0'), &n))
			return "the count does not fit in 64 bits";
	*len = stack;
	*count = n;
	return NULL;
}

/* Cuts a suffix of four letters, such as "_[k]", from a name.  Return: whether it was there */
static bool cut_suffix(char *name, size_t len, const char *suffix)
{
	if (len <= 4 || strcmp(name + len - 4, suffix))
		return false;
	name[len - 4] = 0;
	return true;
}

/* Finds the kind of a frame by the form of its name, and cuts the suffix */
static void classify(struct frame *f, char *name, size_t len, bool first)
{
	f->name = len ? name : "[no name]";
	f->file = NULL;
	f->kind = first ? FRAME_COMM : FRAME_USER;
	/* A name in brackets may have a suffix: "[ext4]_[k]" is a function of a module */
	if (cut_suffix(name, len, "_[k]"))
		f->kind = FRAME_KERNEL;
	else if (cut_suffix(name, len, "_[i]"))
		f->kind = FRAME_INLINED;
	else if (cut_suffix(name, len, "_[j]"))
		f->file = FRAME_FILE_JIT;
	else if (!len || (len > 2 && name[0] == '[' && name[len - 1] == ']'))
		f->kind = FRAME_NOTE;
}

/* How many bytes at the beginning are the same; compares eight at a time */
static size_t same_bytes(const char *a, const char *b, size_t len)
{
	size_t i = 0;
	uint64_t x, y;

	for (; i + 8 <= len; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* How many frames @text shares with the line before it */
static size_t shared_frames(const struct line *l, const char *text, size_t len)
{
	size_t same = same_bytes(l->raw, text, len < l->len ? len : l->len);
	size_t nr = l->nr;

	/* A frame is shared only if the semicolon after it is shared, too. */
	while (nr && (nr == l->nr || l->at[nr] > same))
		nr--;
	return nr;
}

static int make_room(struct line *l, size_t len)
{
	char *raw, *text;

	if (len < l->cap)
		return 0;
	l->nr = 0;		/* the frames point into memory that moves now */
	raw = realloc(l->raw, 2 * len + 256);
	if (!raw)
		return -ENOMEM;
	l->raw = raw;
	text = realloc(l->text, 2 * len + 256);
	if (!text)
		return -ENOMEM;
	l->text = text;
	l->cap = 2 * len + 256;
	return 0;
}

static int add_frame(struct line *l, size_t at, size_t len)
{
	int err = grow(&l->frames, l->nr, &l->cap_frames, sizeof(*l->frames));

	if (!err)
		err = grow(&l->at, l->nr, &l->cap_at, sizeof(*l->at));
	if (err)
		return err;
	l->text[at + len] = 0;
	classify(&l->frames[l->nr], l->text + at, len, !l->nr);
	l->at[l->nr++] = at;
	return 0;
}

/* Splits a stack into frames.  @shared: out: how many frames are as before.  Return: 0 or -ENOMEM */
static int split(struct line *l, const char *stack, size_t len, size_t *shared)
{
	int err = make_room(l, len);
	size_t at;

	if (err)
		return err;
	*shared = l->nr ? shared_frames(l, stack, len) : 0;
	at = *shared ? l->at[*shared] : 0;
	l->nr = *shared;
	l->len = len;
	memcpy(l->raw + at, stack + at, len - at);
	memcpy(l->text + at, stack + at, len - at);
	while (!err) {
		const char *end = memchr(l->text + at, ';', len - at);
		size_t n = end ? (size_t)(end - l->text) - at : len - at;

		err = add_frame(l, at, n);
		at += n + 1;
		if (!end)
			break;
	}
	return err;
}

static void tell_bad(const char *name, uint64_t number, const char *why,
		     struct folded_read *r)
{
	if (!r->bad++)
		r->first_bad = number;
	if (r->bad <= TOLD_BAD_LINES)
		complain("%s: line %" PRIu64 " is not a folded stack: %s", name, number, why);
}

/* A line such as "#key:value" is a remark, too: it has one part, and no count */
static bool is_bare_remark(const char *text, size_t len)
{
	uint64_t count;

	return text[0] == '#' && !memchr(text, ';', len) && !memchr(text, 0, len) && take_count(text, &len, &count);
}

/* Return: 1 for a stack; 0 for any other line, with @r or @why changed; a negative errno */
static int read_line(struct line *l, const char *text, size_t len, const struct sink *to,
		     struct folded_read *r, const char **why)
{
	size_t shared;
	uint64_t count;
	int err;

	*why = NULL;
	while (len && strchr("\r\n \t", text[len - 1]))
		len--;
	if (!len)
		return 0;
	if (folded_is_remark(text, len) || is_bare_remark(text, len)) {
		r->remarks++;
		return 0;
	}
	*why = memchr(text, 0, len) ? "it holds a NUL byte" : take_count(text, &len, &count);
	if (*why)
		return 0;
	err = split(l, text, len, &shared);
	if (!err)
		err = to->fn ? to->fn(to->ctx, l->frames, l->nr, count, 0) :
		      tree_add_next(to->tree, shared, l->frames, l->nr, count, 0);
	if (err == -EOVERFLOW) {
		l->nr = 0;	/* the tree does not have this stack: share nothing with it */
		*why = "with it, the counts do not fit in 64 bits";
		return 0;
	}
	return err ? err : 1;
}

static int read_all(FILE *in, const char *name, const struct sink *to, struct folded_read *r)
{
	struct line l = { 0 };
	uint64_t number = 0;
	char *text = NULL;
	const char *why;
	size_t cap = 0;
	ssize_t len;
	int ret = 0;

	*r = (struct folded_read){ 0 };
	errno = 0;
	while ((len = getline(&text, &cap, in)) >= 0) {
		/* Editors on Windows may begin a file with a byte order mark. */
		size_t skip = !number++ && len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

		ret = read_line(&l, text + skip, (size_t)len - skip, to, r, &why);
		if (ret < 0)
			break;
		r->lines += (uint64_t)ret;
		if (why)
			tell_bad(name, number, why, r);
		ret = 0;
		errno = 0;
	}
	if (!ret && !feof(in))
		ret = errno ? -errno : -EIO;
	free(text);
	free(l.raw);
	free(l.text);
	free(l.frames);
	free(l.at);
	return ret;
}

int folded_read(FILE *in, const char *name, struct tree *t, struct folded_read *r)
{
	return read_all(in, name, &(struct sink){ .tree = t }, r);
}

int folded_each_stack(FILE *in, const char *name, stack_fn fn, void *ctx, struct folded_read *r)
{
	return read_all(in, name, &(struct sink){ .fn = fn, .ctx = ctx }, r);
}
