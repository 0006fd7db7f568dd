/* SPDX-License-Identifier: GPL-2.0-only */
/* minmax.h - see compiler.h */
#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define min3(a, b, c)	min(min(a, b), c)
