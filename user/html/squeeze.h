/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * squeeze.h - scripts and style sheets without indentation and comments
 */
#ifndef KFLAME_HTML_SQUEEZE_H
#define KFLAME_HTML_SQUEEZE_H

/**
 * squeeze() - leaves out indentation, empty lines, and lines that are comments
 *
 * A comment begins a line, after tabs. No string of @text may have a line end.
 *
 * Return: the rest, to be freed; NULL without memory.
 */
char *squeeze(const char *text);

#endif
