// SPDX-License-Identifier: GPL-2.0-only
#include <linux/build_bug.h>

static_assert(sizeof(int) == 4);
