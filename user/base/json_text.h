/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_text.h - writes JSON strings; everything else of it is fprintf()
 *
 * Debian's JSON libraries (json-c, jansson) write what they hold: a million stacks would be there
 * twice, as a tree and as their objects.  Here they go from the tree to the file.
 */
#ifndef KFLAME_BASE_JSON_TEXT_H
#define KFLAME_BASE_JSON_TEXT_H

#include <stdint.h>
#include <stdio.h>

/**
 * json_string() - writes @s in quotes
 *
 * Valid UTF-8 comes out, whatever @s is: what is no character that people can read, a control
 * character too, is U+FFFD.  "<" is escaped, so that a file may stand in a page.
 */
void json_string(FILE *out, const char *s);

/** json_milli() - writes @n / 1000, all digits: "12.345" */
void json_milli(FILE *out, uint64_t n);

#endif
