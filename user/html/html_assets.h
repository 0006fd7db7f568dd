/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_assets.h - the viewer's scripts, joined to one, and its style sheet, as strings */
#ifndef KFLAME_HTML_HTML_ASSETS_H
#define KFLAME_HTML_HTML_ASSETS_H

/* NUL terminated */
extern const char view_css[];
extern const char view_boot[];	/* runs view_js */
extern const char view_js[];

#endif
