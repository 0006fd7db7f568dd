// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_assets.c - embeds the viewer's scripts and its style sheet
 */
#include "base/embed.h"
#include "html/html_assets.h"

#define INCLUDE(name)	EMBED_FILE("html/" name)

EMBED(view_css, INCLUDE("view.css"));

/* What this script defines, the next one uses, too */
EMBED(view_boot, ".ascii \"\\\"use strict\\\";\\n\"\n" INCLUDE("bytes.js") INCLUDE("inflate.js") INCLUDE("boot.js"));

/* Files that define things come before main.js, which runs */
EMBED(view_js, ".ascii \"(function () {\\n\\\"use strict\\\";\\n\"\n"
	       INCLUDE("decode.js") INCLUDE("worker.js") INCLUDE("numbers.js") INCLUDE("color.js")
	       INCLUDE("significance.js")
	       INCLUDE("tree.js") INCLUDE("lazy.js") INCLUDE("change.js") INCLUDE("table.js")
	       INCLUDE("model.js") INCLUDE("state.js") INCLUDE("dom.js")
	       INCLUDE("draw.js") INCLUDE("flame_panel.js") INCLUDE("search.js")
	       INCLUDE("table_panel.js") INCLUDE("call_rows.js") INCLUDE("call_tree_panel.js")
	       INCLUDE("detail_panel.js") INCLUDE("source_panel.js") INCLUDE("chips.js")
	       INCLUDE("timeline_panel.js") INCLUDE("mirror.js") INCLUDE("save.js") INCLUDE("help.js")
	       INCLUDE("main.js")
	       ".ascii \"})();\\n\"\n");
