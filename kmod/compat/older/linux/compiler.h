/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/compiler.h>

/* Since 5.4 ("compiler_attributes.h: Add 'fallthrough' pseudo keyword for switch/case use") */
#ifndef fallthrough
#define fallthrough	__attribute__((__fallthrough__))
#endif
