/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - rules, registers and ends of walks, in words
 */
#ifndef KFLAME_EXPLAIN_WORDS_H
#define KFLAME_EXPLAIN_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "uapi/kflame.h"

#define RULE_TEXT	192	/* bytes that any rule fits in */

/** explain_register() - Return: the name of a register by its DWARF number, as readelf has it; "?" */
const char *explain_register(uint16_t machine, uint64_t number);

/** explain_sp() - Return: the name of the stack pointer */
const char *explain_sp(uint16_t machine);

/** explain_fp() - Return: the name of the frame pointer */
const char *explain_fp(uint16_t machine);

/** explain_base() - Return: the name of the register that explained_row has as .base */
const char *explain_base(uint16_t machine);

/** explain_rule() - writes a rule as "CFA=rsp+16, return address=[CFA-8], rbp=[CFA-16]".  Return: @text */
const char *explain_rule(char *text, uint16_t machine, const struct kflame_rule *rule);

/** explain_end() - Return: why a walk ended, by KFLAME_END_* */
const char *explain_end(uint32_t end);

/** explain_end_name() - Return: a stable name of KFLAME_END_*, for JSON */
const char *explain_end_name(uint32_t end);

/** explain_kwalk() - Return: how the kernel stack was walked, by KFLAME_KWALK_* */
const char *explain_kwalk(uint32_t kwalk);

/** explain_context() - Return: a stable name of KFLAME_CTX_*, for text and JSON */
const char *explain_context(uint32_t context);

#endif
