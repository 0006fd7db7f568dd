/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - print names and numbers as text, whatever bytes a name holds
 *
 * Numbers are formatted by integer arithmetic, so they look the same on every machine and in every locale.
 */
#ifndef KFLAME_BASE_TEXT_H
#define KFLAME_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_REPLACEMENT	0xfffdu	/* printed for what is no readable character */
#define TEXT_NUMBER	32	/* bytes of a buffer that holds any number below */

/**
 * text_next() - read the next character of a UTF-8 string
 * @s:	moves on by at least one byte; must not be at the end of the string
 *
 * Return: the code point.  U+FFFD for bytes that are not UTF-8, for invisible characters (control characters,
 * non-characters), and for characters that change the text direction (bidirectional overrides).
 */
uint32_t text_next(const char **s);

/** text_cells() - Return: columns that @c takes in a fixed-width font, 0 to 2 */
unsigned int text_cells(uint32_t c);

/** text_width() - Return: columns that the string takes */
size_t text_width(const char *s);

/** text_put_char() - writes a code point as UTF-8 */
void text_put_char(FILE *out, uint32_t c);

/** text_put() - write @s to @out, with characters that text_next() refuses replaced */
void text_put(FILE *out, const char *s);

/** text_clean() - as text_put(), to a string.  Return: the string, to be freed; NULL if memory runs out */
char *text_clean(const char *s);

/**
 * text_put_xml() - as text_put(), escaped for XML text and quoted attributes
 * @cells:	stop before the text takes more columns than this
 */
void text_put_xml(FILE *out, const char *s, size_t cells);

/**
 * scale() - @value * @num / @den, rounded to nearest, with a 128-bit product
 *
 * Return: the result; 0 if @den is 0; UINT64_MAX if the result does not fit.
 */
uint64_t scale(uint64_t value, uint64_t num, uint64_t den);

/** text_put_digits() - write "19940" */
void text_put_digits(FILE *out, uint64_t n);

/** text_plural() - Return: the end of a word that counts @nr: "s", or nothing for one */
static inline const char *text_plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/* Each of these functions writes to @buf (TEXT_NUMBER bytes) and returns @buf */

/** text_count() - "19,940" */
const char *text_count(char *buf, uint64_t n);

/** text_percent() - "63.2%" (@digits 1) or "63.21%" (2): @part of @whole */
const char *text_percent(char *buf, uint64_t part, uint64_t whole, int digits);

/** text_ms() - nanoseconds as "1,237.9 ms" */
const char *text_ms(char *buf, uint64_t ns);

/** text_us() - nanoseconds as "1,237.912 ms", to the microsecond */
const char *text_us(char *buf, uint64_t ns);

/** text_seconds() - nanoseconds as "10.0 s" */
const char *text_seconds(char *buf, uint64_t ns);

#endif
