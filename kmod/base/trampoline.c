// SPDX-License-Identifier: GPL-2.0-only
/*
 * trampoline.c - see base/trampoline.h
 */
#include "base/trampoline.h"

unsigned long kf_trampoline;
