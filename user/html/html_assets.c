// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_assets.c - embeds the viewer's scripts and its style sheet, by the assembler
 *
 * HTML_DIR is their directory, relative to where the compiler runs.  -MD does not find these dependencies of the
 * object, so the Makefile lists them.
 */
#include "html/html_assets.h"

#ifndef HTML_DIR
#define HTML_DIR "html"
#endif

#define INCLUDE(path)	".incbin \"" HTML_DIR "/" path "\"\n"

#define EMBED(symbol, files)					\
	__asm__(".pushsection .rodata, \"a\"\n"			\
		".global " #symbol "\n"				\
		".type " #symbol ", %object\n"			\
		#symbol ":\n"					\
		files						\
		".byte 0\n"					\
		".size " #symbol ", . - " #symbol "\n"		\
		".popsection\n")

EMBED(view_css, INCLUDE("view.css"));

/* Files that define things come before main.js, which runs */
EMBED(view_js, ".ascii \"(function () {\\n\\\"use strict\\\";\\n\"\n"
	       INCLUDE("bytes.js") INCLUDE("inflate.js") INCLUDE("decode.js") INCLUDE("worker.js")
	       INCLUDE("numbers.js") INCLUDE("color.js") INCLUDE("significance.js")
	       INCLUDE("tree.js") INCLUDE("lazy.js") INCLUDE("change.js") INCLUDE("table.js")
	       INCLUDE("model.js") INCLUDE("state.js") INCLUDE("dom.js")
	       INCLUDE("draw.js") INCLUDE("flame_panel.js") INCLUDE("search.js")
	       INCLUDE("table_panel.js") INCLUDE("detail_panel.js") INCLUDE("chips.js")
	       INCLUDE("timeline_panel.js") INCLUDE("mirror.js") INCLUDE("save.js") INCLUDE("help.js")
	       INCLUDE("main.js")
	       ".ascii \"})();\\n\"\n");
