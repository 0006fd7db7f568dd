// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_text.c - writes JSON strings (RFC 8259, section 7)
 */
#include <inttypes.h>

#include "base/json_text.h"
#include "base/text.h"

void json_string(FILE *out, const char *s)
{
	putc('"', out);
	while (*s) {
		uint32_t c = text_next(&s);

		if (c == '"' || c == '\\')
			putc('\\', out);
		if (c == '<')
			fputs("\\u003c", out);
		else
			text_put_char(out, c);
	}
	putc('"', out);
}

void json_milli(FILE *out, uint64_t n)
{
	fprintf(out, "%" PRIu64 ".%03u", n / 1000, (unsigned int)(n % 1000));
}
