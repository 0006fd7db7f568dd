// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_assets.c - flame.css and flame.js, taken in by the assembler
 *
 * VIEWS_DIR is their directory as seen from where the compiler runs.  The
 * object depends on both files, which no -MD can know: the Makefile says so.
 */
#include "flame_assets.h"

#ifndef VIEWS_DIR
#define VIEWS_DIR "views"
#endif

#define EMBED(symbol, path)					\
	__asm__(".pushsection .rodata, \"a\"\n"			\
		".global " #symbol "\n"				\
		".type " #symbol ", %object\n"			\
		#symbol ":\n"					\
		".incbin \"" VIEWS_DIR "/" path "\"\n"		\
		".byte 0\n"					\
		".size " #symbol ", . - " #symbol "\n"		\
		".popsection\n")

EMBED(flame_css, "flame.css");
EMBED(flame_js, "flame.js");
