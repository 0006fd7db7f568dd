/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condition_parse.h - values of a probe's hits, and conditions on them, as users write them
 *
 * A value is an argument, "arg1" to "arg6", with a type as in "arg2:s32", or a field of a tracepoint such as
 * "bytes". A condition compares a value with a number. "&&" joins conditions.
 */
#ifndef KFLAME_RECORD_CONDITION_PARSE_H
#define KFLAME_RECORD_CONDITION_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

/* Bytes that a message of these functions takes at most */
#define CONDITION_WHY	320

/** condition_wrong() - prints a message into @why, which has CONDITION_WHY bytes.  Return: -EINVAL */
__attribute__((format(printf, 2, 3))) int condition_wrong(char *why, const char *format, ...);

/**
 * operand_parse() - parses a value such as "arg3", "arg1:s32" or "bytes"
 * @why:	out, if it fails: quotes the part that is wrong, and says what is right; CONDITION_WHY bytes
 *
 * Return: 0; -EINVAL.
 */
int operand_parse(const char *text, struct kflame_operand *to, char *why);

/** operand_text() - the value as users write it, for a message.  @text: as large as a field and a type */
void operand_text(const struct kflame_operand *o, char *text, size_t size);

/**
 * conditions_parse() - parses conditions such as "arg2 > 4096 && arg1:s32 != 0", and adds them
 * @to:		KFLAME_MAX_CONDITIONS of them
 * @nr:		how many of them there are
 * @why:	as operand_parse().  It says which condition is wrong, if @text has several
 *
 * Return: 0; -EINVAL, also if that would be too many.
 */
int conditions_parse(const char *text, struct kflame_condition *to, uint32_t *nr, char *why);

#endif
