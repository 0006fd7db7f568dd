// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame_assets.c - embeds the .css and .js files of the views
 */
#include "base/embed.h"
#include "views/flame_assets.h"

#define INCLUDE(name)	EMBED_FILE("views/" name)

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
