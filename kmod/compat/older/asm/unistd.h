/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <asm/unistd.h>

/* Since 5.1, with the same number on all architectures */
#ifndef __NR_io_uring_enter
#define __NR_io_uring_enter	426
#endif
