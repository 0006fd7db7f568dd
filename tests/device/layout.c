// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout.c - compiled only, for 64-bit and 32-bit callers: the layout is one
 */
#include <uapi/kflame-layout.h>
