// SPDX-License-Identifier: GPL-2.0-only
#define WORDS 40
#include "frames.h"
