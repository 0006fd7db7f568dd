// SPDX-License-Identifier: GPL-2.0-only
/*
 * storing.c - see base/storing.h
 */
#include "base/storing.h"

DEFINE_PER_CPU(bool, kf_storing);
