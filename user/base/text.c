// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - format numbers and names
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Printable ASCII */
static bool is_plain(uint32_t c)
{
	return c >= 0x20 && c < 0x7f;
}

/* Other characters that are not part of a readable name */
static bool is_refused(uint32_t c)
{
	if (c < 0xa0)
		return true;
	if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return true;			/* bidirectional overrides */
	if (c == 0x61c || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029 || c == 0xfeff)
		return true;
	if (c >= 0xd800 && c <= 0xdfff)
		return true;			/* surrogates */
	return (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe || c > 0x10ffff;
}

uint32_t text_next(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	uint32_t c = p[0], least;
	int more;

	*s += 1;
	if (is_plain(c))
		return c;
	if (c < 0x80)
		return TEXT_REPLACEMENT;
	if (c >= 0xc2 && c <= 0xdf) {
		more = 1, c &= 0x1f, least = 0x80;
	} else if (c >= 0xe0 && c <= 0xef) {
		more = 2, c &= 0x0f, least = 0x800;
	} else if (c >= 0xf0 && c <= 0xf4) {
		more = 3, c &= 0x07, least = 0x10000;
	} else {
		return TEXT_REPLACEMENT;
	}
	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)	/* also stops at the final NUL */
			return TEXT_REPLACEMENT;
		c = c << 6 | (p[i] & 0x3f);
	}
	*s += more;
	return c < least || is_refused(c) ? TEXT_REPLACEMENT : c;
}

unsigned int text_cells(uint32_t c)
{
	if (c < 0x300)
		return 1;
	if ((c >= 0x300 && c <= 0x36f) || c == 0x200b || c == 0x200c || c == 0x200d ||
	    (c >= 0xfe00 && c <= 0xfe0f))
		return 0;
	if ((c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
	    (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
	    (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
	    (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
	    (c >= 0x20000 && c <= 0x3fffd))
		return 2;
	return 1;
}

size_t text_width(const char *s)
{
	size_t cells = 0;

	while (*s)
		cells += text_cells(text_next(&s));
	return cells;
}

void text_put_char(FILE *out, uint32_t c)
{
	if (c < 0x80) {
		putc_unlocked((int)c, out);
		return;
	}
	if (c < 0x800) {
		putc_unlocked((int)(0xc0 | c >> 6), out);
	} else {
		if (c < 0x10000) {
			putc_unlocked((int)(0xe0 | c >> 12), out);
		} else {
			putc_unlocked((int)(0xf0 | c >> 18), out);
			putc_unlocked((int)(0x80 | (c >> 12 & 0x3f)), out);
		}
		putc_unlocked((int)(0x80 | (c >> 6 & 0x3f)), out);
	}
	putc_unlocked((int)(0x80 | (c & 0x3f)), out);
}

void text_put(FILE *out, const char *s)
{
	while (*s)
		text_put_char(out, text_next(&s));
}

char *text_clean(const char *s)
{
	char *clean;
	size_t size;
	FILE *out = open_memstream(&clean, &size);

	if (!out)
		return NULL;
	text_put(out, s);
	if (!fclose(out))
		return clean;
	free(clean);
	return NULL;
}

/* Return: how many of the first @most bytes are ASCII that XML needs no escape for */
static size_t plain_run(const char *s, size_t most)
{
	size_t n = 0;

	while (n < most && is_plain((unsigned char)s[n]) && s[n] != '&' && s[n] != '<' &&
	       s[n] != '>' && s[n] != '"' && s[n] != '\'')
		n++;
	return n;
}

void text_put_xml(FILE *out, const char *s, size_t cells)
{
	while (*s) {
		size_t run = plain_run(s, cells), width;
		uint32_t c;

		if (run) {
			fwrite_unlocked(s, 1, run, out);
			s += run;
			cells -= run;
			continue;
		}
		c = text_next(&s);
		width = text_cells(c);
		if (width > cells)
			return;
		cells -= width;
		switch (c) {
		case '&':
			fputs_unlocked("&amp;", out);
			break;
		case '<':
			fputs_unlocked("&lt;", out);
			break;
		case '>':
			fputs_unlocked("&gt;", out);
			break;
		case '"':
			fputs_unlocked("&quot;", out);
			break;
		case '\'':
			fputs_unlocked("&#39;", out);
			break;
		default:
			text_put_char(out, c);
		}
	}
}

uint64_t scale(uint64_t value, uint64_t num, uint64_t den)
{
	unsigned __int128 x;

	if (!den)
		return 0;
	x = ((unsigned __int128)value * num + den / 2) / den;
	return x > UINT64_MAX ? UINT64_MAX : (uint64_t)x;
}

/* Pictures have many numbers.  printf() would take most of the time that a frame takes, so format by hand. */

/* Write the digits of @n, at least @least of them, just before @end.  Return: the first digit */
static char *digits_before(char *end, uint64_t n, int least)
{
	do {
		*--end = (char)('0' + n % 10);
		n /= 10;
	} while (--least > 0 || n);
	return end;
}

/* As digits_before(), in groups of three */
static char *groups_before(char *end, uint64_t n)
{
	for (; n >= 1000; n /= 1000) {
		end = digits_before(end, n % 1000, 3);
		*--end = ',';
	}
	return digits_before(end, n, 1);
}

/* Copy the text between @from and @end to @buf, and add a NUL */
static const char *take(char *buf, const char *from, const char *end)
{
	memcpy(buf, from, (size_t)(end - from));
	buf[end - from] = 0;
	return buf;
}

void text_put_digits(FILE *out, uint64_t n)
{
	char made[TEXT_NUMBER], *end = made + sizeof(made), *from = digits_before(end, n, 1);

	while (from < end)
		putc_unlocked(*from++, out);
}

const char *text_count(char *buf, uint64_t n)
{
	char made[TEXT_NUMBER], *end = made + sizeof(made);

	return take(buf, groups_before(end, n), end);
}

const char *text_percent(char *buf, uint64_t part, uint64_t whole, int digits)
{
	char made[TEXT_NUMBER], *end = made + sizeof(made), *from = end;
	uint64_t unit = digits == 2 ? 100 : 10;
	uint64_t x = scale(part, 100 * unit, whole);

	*--from = '%';
	from = digits_before(from, x % unit, digits == 2 ? 2 : 1);
	*--from = '.';
	return take(buf, digits_before(from, x / unit, 1), end);
}

/* Format @x tenths of a unit, and the name of the unit */
static const char *tenths(char *buf, uint64_t x, const char *unit)
{
	char made[TEXT_NUMBER], *end = made + sizeof(made), *from = end;

	from = digits_before(from, x % 10, 1);
	*--from = '.';
	return strcat((char *)take(buf, groups_before(from, x / 10), end), unit);
}

const char *text_ms(char *buf, uint64_t ns)
{
	return tenths(buf, ns / 100000 + (ns % 100000 >= 50000), " ms");
}

const char *text_us(char *buf, uint64_t ns)
{
	char made[TEXT_NUMBER], *end = made + sizeof(made), *from = end;
	uint64_t us = ns / 1000 + (ns % 1000 >= 500);

	from = digits_before(from, us % 1000, 3);
	*--from = '.';
	return strcat((char *)take(buf, groups_before(from, us / 1000), end), " ms");
}

const char *text_seconds(char *buf, uint64_t ns)
{
	return tenths(buf, ns / 100000000 + (ns % 100000000 >= 50000000), " s");
}
