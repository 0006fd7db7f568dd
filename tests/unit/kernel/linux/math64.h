/* SPDX-License-Identifier: GPL-2.0-only */
/* math64.h - see compiler.h */
#define div_u64(dividend, divisor)	((u64)(dividend) / (u32)(divisor))
