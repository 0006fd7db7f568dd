/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame_assets.h - the views' .css and .js as they are in the source tree; flame*.js one after the other */
#ifndef KFLAME_VIEWS_FLAME_ASSETS_H
#define KFLAME_VIEWS_FLAME_ASSETS_H

/* NUL terminated */
extern const char flame_css[];
extern const char heatmap_css[];
extern const char heatmap_js[];
extern const char flame_js[];

#endif
