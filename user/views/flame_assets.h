/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame_assets.h - the .css and .js files of the views, as strings; the flame*.js files are joined to one */
#ifndef KFLAME_VIEWS_FLAME_ASSETS_H
#define KFLAME_VIEWS_FLAME_ASSETS_H

/* NUL terminated */
extern const char flame_css[];
extern const char heatmap_css[];
extern const char heatmap_js[];
extern const char flame_js[];

#endif
