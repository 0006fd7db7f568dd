// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * version.c - the version of this tool
 *
 * The Makefile defines KFLAME_VERSION for this file alone, so a new commit recompiles only this file.
 */
#include "base/version.h"

#ifndef KFLAME_VERSION
#define KFLAME_VERSION	"unknown"
#endif

const char kflame_version[] = KFLAME_VERSION;
