// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condition_parse.c - values of a probe's hits, and conditions on them, as users write them
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/condition_parse.h"

static const struct {
	const char *name;
	uint32_t bytes;
	uint32_t is_signed;
} types[] = {
	{ "u8", 1, 0 }, { "u16", 2, 0 }, { "u32", 4, 0 }, { "u64", 8, 0 },
	{ "s8", 1, 1 }, { "s16", 2, 1 }, { "s32", 4, 1 }, { "s64", 8, 1 },
};

/* Those that begin with another one come before it */
static const struct {
	const char *text;
	uint32_t op;
} ops[] = {
	{ "==", KFLAME_OP_EQ }, { "!=", KFLAME_OP_NE }, { "<=", KFLAME_OP_LE }, { ">=", KFLAME_OP_GE },
	{ "<", KFLAME_OP_LT }, { ">", KFLAME_OP_GT }, { "&", KFLAME_OP_ANY },
};

int condition_wrong(char *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, CONDITION_WHY, format, args);
	va_end(args);
	return -EINVAL;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':';
}

/* @text: the whole value, for a message; @type: what follows its colon */
static int parse_type(const char *text, const char *type, struct kflame_operand *to, char *why)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(type, types[i].name)) {
			to->bytes = types[i].bytes;
			to->is_signed = types[i].is_signed;
			return 0;
		}
	return condition_wrong(why, "'%.40s': there is no type '%.20s', but u8, u16, u32, u64, s8, s16, s32 and s64", text, type);
}

/* "arg", digits, and maybe a type */
static int parse_arg(const char *text, struct kflame_operand *to, char *why)
{
	const char *end = text + strlen("arg");

	if (*end < '1' || *end > '0' + KFLAME_MAX_ARG || (end[1] && end[1] != ':'))
		return condition_wrong(why, "'%.40s': arguments are arg1 to arg%d", text, KFLAME_MAX_ARG);
	to->kind = KFLAME_OPERAND_ARG;
	to->arg = (uint32_t)(*end - '0');
	return parse_type(text, end[1] ? end + 2 : "u64", to, why);
}

int operand_parse(const char *text, struct kflame_operand *to, char *why)
{
	const size_t len = strlen(text);

	memset(to, 0, sizeof(*to));
	for (size_t i = 0; i < len; i++)
		if (!is_word(text[i]))
			return condition_wrong(why, "'%.40s' is no value: there are arg1 to arg%d, and fields of tracepoints such as bytes", text,
				     KFLAME_MAX_ARG);
	if (!strncmp(text, "arg", 3) && isdigit((unsigned char)text[3]))
		return parse_arg(text, to, why);
	if (!strcmp(text, "ret") || !strcmp(text, "retval"))
		return condition_wrong(why, "'%s': returned values are chosen by --weight value with --min and --max", text);
	if (strchr(text, ':'))
		return condition_wrong(why, "'%.40s': a field has its own type: leave out the colon and what follows", text);
	if (!len || isdigit((unsigned char)*text) || len >= sizeof(to->field))
		return condition_wrong(why, "'%.40s' is no value: there are arg1 to arg%d, and fields of tracepoints such as bytes", text,
			     KFLAME_MAX_ARG);
	to->kind = KFLAME_OPERAND_FIELD;
	memcpy(to->field, text, len);
	return 0;
}

void operand_text(const struct kflame_operand *o, char *text, size_t size)
{
	if (o->kind == KFLAME_OPERAND_FIELD)
		snprintf(text, size, "%.*s", (int)sizeof(o->field), (const char *)o->field);
	else if (o->bytes == 8 && !o->is_signed)
		snprintf(text, size, "arg%u", o->arg);
	else
		snprintf(text, size, "arg%u:%c%u", o->arg, o->is_signed ? 's' : 'u', 8 * o->bytes);
}

/* Return: what a number is multiplied by, for K, M or G; 1 for none; 0 if that is no unit */
static uint64_t unit_of(const char *unit)
{
	if (!*unit)
		return 1;
	if (unit[1])
		return 0;
	return *unit == 'K' ? 1 << 10 : *unit == 'M' ? 1 << 20 : *unit == 'G' ? 1 << 30 : 0;
}

/* Does a number fit in an operand?  @is_negative: it is minus @size */
static bool fits(const struct kflame_operand *o, uint64_t size, bool is_negative)
{
	const uint32_t bits = o->kind == KFLAME_OPERAND_ARG ? 8 * o->bytes : 64;
	const uint64_t most = UINT64_MAX >> (64 - bits);

	if (!o->is_signed)
		return !is_negative && size <= most;
	return size <= most / 2 + is_negative;
}

static int parse_number(const char *text, const struct kflame_operand *o, __u64 *value, char *why)
{
	const bool is_negative = *text == '-';
	const char *digits = text + is_negative;
	const bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	uint64_t size, unit;
	char name[64];
	char *end;

	errno = 0;
	size = strtoull(digits + 2 * is_hex, &end, is_hex ? 16 : 10);
	unit = unit_of(end);
	if (!isxdigit((unsigned char)digits[2 * is_hex]) || end == digits + 2 * is_hex || !unit)
		return condition_wrong(why, "'%.40s' is no number, such as 4096, 64K, 0x1000 or -1", text);
	operand_text(o, name, sizeof(name));
	if (is_negative && !o->is_signed)
		return condition_wrong(why, "'%.40s' is negative, and %s never is%s", text, name,
			     o->kind == KFLAME_OPERAND_ARG ? ": give it a signed type, such as arg1:s32" : "");
	if (errno || __builtin_mul_overflow(size, unit, &size) || !fits(o, size, is_negative))
		return condition_wrong(why, "'%.40s' does not fit in %s, so the condition would never change", text, name);
	*value = is_negative ? -size : size;
	return 0;
}

/* Copy a word of @len bytes.  Return: false if it is too long to be anything */
static bool cut_word(const char *text, size_t len, char *word, size_t size)
{
	if (len >= size)
		return false;
	memcpy(word, text, len);
	word[len] = 0;
	return true;
}

/* "arg1 > 5".  @text: advanced to what follows it */
static int parse_condition(const char **text, struct kflame_condition *to, char *why)
{
	const char *at = skip_blanks(*text), *rest = at + strcspn(at, " \t=!<>&");
	char word[64];
	size_t i = 0;
	int err;

	if (!*at || !strncmp(at, "&&", 2))
		return condition_wrong(why, "there is none. A condition is such as arg2 > 4096");
	if (rest == at)
		return condition_wrong(why, "a value is missing before '%.40s': a condition is such as arg2 > 4096", at);
	if (!cut_word(at, (size_t)(rest - at), word, sizeof(word)))
		return condition_wrong(why, "'%.40s...' is too long for a value", at);
	err = operand_parse(word, &to->operand, why);
	if (err)
		return err;
	at = skip_blanks(rest);
	while (i < sizeof(ops) / sizeof(ops[0]) && strncmp(at, ops[i].text, strlen(ops[i].text)))
		i++;
	if (i == sizeof(ops) / sizeof(ops[0]) || !strncmp(at, "&&", 2))
		return condition_wrong(why, "a comparison is missing after '%s': there are == != < <= > >= and & (has any of these bits)", word);
	to->op = ops[i].op;
	at = skip_blanks(at + strlen(ops[i].text));
	rest = at + strcspn(at, " \t&");
	if (rest == at)
		return condition_wrong(why, "a number is missing after '%s %s'", word, ops[i].text);
	if (!cut_word(at, (size_t)(rest - at), word, sizeof(word)))
		return condition_wrong(why, "'%.40s...' is too long for a number", at);
	*text = skip_blanks(rest);
	return parse_number(word, &to->operand, &to->value, why);
}

/* Of several conditions, the message says which one is wrong */
static int name_condition(const char *all, uint32_t which, char *why)
{
	char what[CONDITION_WHY];

	if (!strstr(all, "&&"))
		return -EINVAL;
	strcpy(what, why);
	return condition_wrong(why, "condition %u: %s", which, what);
}

int conditions_parse(const char *text, struct kflame_condition *to, uint32_t *nr, char *why)
{
	const char *all = text;

	for (uint32_t which = 1;; which++) {
		struct kflame_condition c = { 0 };

		if (parse_condition(&text, &c, why))
			return name_condition(all, which, why);
		if (*nr >= KFLAME_MAX_CONDITIONS)
			return condition_wrong(why, "there are more than %d conditions: leave some out", KFLAME_MAX_CONDITIONS);
		to[(*nr)++] = c;
		if (!*text)
			return 0;
		if (strncmp(text, "&&", 2))
			return condition_wrong(why, "'%.40s' is left over: conditions are joined by && alone", text);
		text += 2;
	}
}
