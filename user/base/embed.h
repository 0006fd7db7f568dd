/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embed.h - embeds files as strings, by the assembler
 *
 * Paths are relative to user/, which the Makefile passes to the assembler.  -MD does not find these dependencies of
 * the object, so the Makefile lists them.
 */
#ifndef KFLAME_BASE_EMBED_H
#define KFLAME_BASE_EMBED_H

/* The contents of a file */
#define EMBED_FILE(path)	".incbin \"" path "\"\n"

/* A string of several parts; declare @symbol as an array of const char */
#define EMBED(symbol, parts)					\
	__asm__(".pushsection .rodata, \"a\"\n"			\
		".global " #symbol "\n"				\
		".type " #symbol ", %object\n"			\
		#symbol ":\n"					\
		parts						\
		".byte 0\n"					\
		".size " #symbol ", . - " #symbol "\n"		\
		".popsection\n")

#endif
