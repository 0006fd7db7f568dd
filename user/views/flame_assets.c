// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_assets.c - embeds the .css and .js files of the views, by the assembler
 *
 * VIEWS_DIR is their directory, relative to where the compiler runs.  -MD does not find these dependencies of
 * the object, so the Makefile lists them.
 */
#include "views/flame_assets.h"

#ifndef VIEWS_DIR
#define VIEWS_DIR "views"
#endif

#define INCLUDE(path)	".incbin \"" VIEWS_DIR "/" path "\"\n"

#define EMBED(symbol, files)					\
	__asm__(".pushsection .rodata, \"a\"\n"			\
		".global " #symbol "\n"				\
		".type " #symbol ", %object\n"			\
		#symbol ":\n"					\
		files						\
		".byte 0\n"					\
		".size " #symbol ", . - " #symbol "\n"		\
		".popsection\n")

EMBED(flame_css, INCLUDE("flame.css"));
EMBED(heatmap_css, INCLUDE("heatmap.css"));
EMBED(heatmap_js, ".ascii \"(function () {\\n\"\n"
		INCLUDE("flame_lines.js") INCLUDE("flame_print.js") INCLUDE("heatmap_places.js")
		INCLUDE("heatmap.js")
		".ascii \"})();\\n\"\n");

/* Wrapped in a function, so that a page that contains the picture sees none of its variables */
EMBED(flame_js, ".ascii \"(function () {\\n\"\n"
		INCLUDE("flame_label.js") INCLUDE("flame_state.js") INCLUDE("flame_search.js")
		INCLUDE("flame_tip.js") INCLUDE("flame_lines.js") INCLUDE("flame_head.js") INCLUDE("flame_axis.js")
		INCLUDE("flame_print.js") INCLUDE("flame.js")
		".ascii \"})();\\n\"\n");
