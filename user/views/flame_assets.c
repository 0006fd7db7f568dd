// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_assets.c - the views' .css and .js, taken in by the assembler
 *
 * VIEWS_DIR is their directory as seen from where the compiler runs.  The
 * object depends on these files, which no -MD can know: the Makefile says so.
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
EMBED(heatmap_js, INCLUDE("heatmap.js"));

/* In a function, so that nothing of it is seen by a page that holds the picture */
EMBED(flame_js, ".ascii \"(function () {\\n\"\n"
		INCLUDE("flame_label.js") INCLUDE("flame_state.js") INCLUDE("flame_search.js")
		INCLUDE("flame_tip.js") INCLUDE("flame_head.js") INCLUDE("flame_axis.js") INCLUDE("flame.js")
		".ascii \"})();\\n\"\n");
