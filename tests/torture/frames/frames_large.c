// SPDX-License-Identifier: GPL-2.0-only
/* 24 bytes of a frame are others: twice that of frames_small.c, which needs 40 words. */
#define WORDS 83
#include "frames.h"
