/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame_assets.h - flame.css, and flame*.js one after the other, as they are in the source tree */
#ifndef KFLAME_VIEWS_FLAME_ASSETS_H
#define KFLAME_VIEWS_FLAME_ASSETS_H

/* NUL terminated */
extern const char flame_css[];
extern const char flame_js[];

#endif
